import type { Tx } from '../db/index.ts';
import { ZERO } from '../kernel/decimal.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';
import type { Charge } from './charges.sql.ts';
import { selectMethod } from './methods.sql.ts';
import { insertReceipt } from './receipts.sql.ts';

/** Writes the record of the money of a charge that was accepted. @returns its id */
export async function keepReceipt(tx: Tx, charge: Charge, now: Instant): Promise<string> {
  const card =
    charge.payment_method_id === null
      ? undefined
      : await selectMethod(tx, charge.merchant_id, charge.payment_method_id);
  const { id } = await insertReceipt(tx, {
    merchant_id: charge.merchant_id,
    id: newId('payment'),
    invoice_id: charge.invoice_id,
    session_id: null,
    charge_id: charge.id,
    payment_method_id: charge.payment_method_id,
    amount: charge.amount,
    overpaid: ZERO,
    currency: charge.currency,
    method: 'card',
    provider: charge.provider,
    provider_reference: charge.provider_reference,
    card_brand: card?.brand ?? null,
    card_last4: card?.last4 ?? null,
    reference: null,
    idempotency_key: null,
    idempotency_print: null,
    received_at: now,
    created_at: now,
    clock_id: charge.clock_id,
  });
  return id;
}
