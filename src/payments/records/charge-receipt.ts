import type { Tx } from '../../db/index.ts';
import { ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Charge } from './charges.sql.ts';
import { selectMethod } from './methods.sql.ts';
import { insertReceipt } from './receipts.sql.ts';
import { scheduleDispute } from './schedule-dispute.ts';

/** Writes the record of the money of a charge that was accepted. @returns its id */
export async function keepReceipt(tx: Tx, charge: Charge, now: Instant): Promise<string> {
  const card = charge.paymentMethodId === null ? undefined : await selectMethod(tx, charge.paymentMethodId);
  const receipt = await insertReceipt(tx, {
    merchantId: charge.merchantId,
    id: newId('payment'),
    invoiceId: charge.invoiceId,
    sessionId: null,
    chargeId: charge.id,
    paymentMethodId: charge.paymentMethodId,
    amount: charge.amount,
    overpaid: ZERO,
    currency: charge.currency,
    method: 'card',
    provider: charge.provider,
    providerReference: charge.providerReference,
    cardBrand: card?.brand ?? null,
    cardLast4: card?.last4 ?? null,
    reference: null,
    idempotencyKey: null,
    idempotencyPrint: null,
    receivedAt: now,
    createdAt: now,
    clockId: charge.clockId,
  });
  await scheduleDispute(tx, receipt, now);
  return receipt.id;
}
