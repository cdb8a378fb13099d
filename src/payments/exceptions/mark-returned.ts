import { effectiveNow } from '../../clocks/index.ts';
import type { Tx } from '../../db/index.ts';
import { invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import type { ProviderName } from '../provider/provider.ts';
import { lockAnyReceipt, type PaymentReceipt, selectInvoiceReceipt } from '../records/receipts.sql.ts';
import { returnedByHand } from '../returns/returns.ts';
import type { UnmatchedPayment } from '../returns/unmatched.sql.ts';
import { returnUnmatchedByHand } from '../returns/unmatched.ts';
import type { PaymentDependencies } from '../sessions/completion.ts';
import type { PaymentException } from './exceptions.sql.ts';

/** The way in which a person has sent money back. */
export interface ReturnByHand {
  /** Absent: now. */
  readonly at?: Instant;
  readonly reference: string | null;
}

/** An exception that a person has seen to. */
export interface ReturnedException extends PaymentException {
  readonly returnedAt: Instant;
  readonly returnReference: string | null;
}

/**
 * A person says that a refund or an unmatched payment was sent back by hand, because the provider could not send it.
 * `wall` is wall time.
 * @returns 404; INVALID_TRANSITION where it is not `manual`, also the second time
 */
export async function markReturned(
  tx: Tx,
  dependencies: PaymentDependencies,
  { merchantId, id }: { merchantId: string; id: string },
  { at, reference }: ReturnByHand,
  wall: Instant,
): Promise<Result<ReturnedException>> {
  const receipt = await lockedReceipt(tx, dependencies, id);
  const now = receipt ? await effectiveNow(tx, receipt.clockId, wall) : wall;
  if (at !== undefined && isAfter(at, now)) return invalidField('returnedAt', 'must not be in the future');
  const how = { at: at ?? now, reference };
  const shown = { returnedAt: how.at, returnReference: reference };
  if (receipt) {
    const invoiceId = receipt.invoiceId as string;
    const returned = await returnedByHand(tx, { merchantId, invoiceId, id }, how, now);
    return returned.ok ? ok({ ...ofReceipt(returned.value), ...shown }) : returned;
  }
  const payment = await returnUnmatchedByHand(tx, { merchantId, id }, how, now);
  if (payment === null) return notFound('payment');
  return payment.ok ? ok({ ...ofUnmatched(payment.value), ...shown }) : payment;
}

/** The card payment of an invoice, locked after the invoice. */
async function lockedReceipt(
  tx: Tx,
  { handlers }: PaymentDependencies,
  id: string,
): Promise<PaymentReceipt | undefined> {
  const found = await selectInvoiceReceipt(tx, id);
  if (!found) return;
  await handlers.lock?.(tx, { merchantId: tx.merchantId, entityType: 'invoice', entityId: found.invoiceId as string });
  return lockAnyReceipt(tx, id);
}

const ofReceipt = (receipt: PaymentReceipt): PaymentException => ({
  kind: 'refund',
  merchantId: receipt.merchantId,
  id: receipt.id,
  status: receipt.returnStatus,
  invoiceId: receipt.invoiceId,
  amount: receipt.amount,
  currency: receipt.currency,
  provider: receipt.provider as ProviderName,
  providerReference: receipt.providerReference,
  reason: null,
  nextActionAt: null,
  createdAt: receipt.createdAt,
});

const ofUnmatched = (payment: UnmatchedPayment): PaymentException => ({
  kind: 'strayPayment',
  merchantId: payment.merchantId,
  id: payment.id,
  status: payment.returnStatus,
  invoiceId: payment.invoiceId,
  amount: payment.amount,
  currency: payment.currency,
  provider: payment.provider,
  providerReference: payment.reference,
  reason: payment.reason,
  nextActionAt: null,
  createdAt: payment.receivedAt,
});
