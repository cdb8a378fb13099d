import type { Tx } from '../../db/index.ts';
import { fingerprint } from '../../http/index.ts';
import { Decimal, decimalOf } from '../../kernel/decimal.ts';
import { digitsProblem, roundTo } from '../../kernel/money.ts';
import { type FieldError, invalid, ok, type Result } from '../../kernel/result.ts';
import { type Instant, instantOf, isAfter } from '../../kernel/time.ts';
import { creditWallet } from '../../ledger/index.ts';
import { findRecorded, newReceiptId, type PaymentReceipt, recordReceipt } from '../../payments/index.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { type InvoiceRow, payerOf } from '../invoice/invoice.ts';
import { lockWithNow } from '../issue/actions.ts';
import { decidePayment } from '../paying/pay.ts';
import type { PaymentCreateBody } from './payment-schemas.ts';
import { takePayment } from './take-payment.ts';

/** Divides a payment: the part for the invoice, and the excess. */
export function divide(amount: Decimal, unpaid: Decimal): { applied: Decimal; overpaid: Decimal } {
  const applied = Decimal.min(amount, unpaid);
  return { applied, overpaid: amount.minus(applied) };
}

/**
 * POST …/payments: money that came outside of any provider. Part payments add up, and what is more than the invoice
 * asks goes to the payer's wallet (api.md). The same key again is the same payment, whatever has become of its
 * invoice.
 * @returns IDEMPOTENCY_KEY_REUSED, INVALID_TRANSITION where the invoice takes no money (any more),
 *   PAYMENT_IN_PROGRESS while a charge of it is on its way.
 */
export async function recordPayment(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoiceId: string,
  body: PaymentCreateBody,
  wall: Instant,
): Promise<Result<{ receipt: PaymentReceipt; isNew: boolean }>> {
  const idempotency = { key: body.idempotencyKey, fingerprint: fingerprint(`payments of ${invoiceId}`, body) };
  const known = await findRecorded(tx, idempotency);
  if (!known.ok) return known;
  if (known.value) return ok({ receipt: known.value, isNew: false });
  const locked = await lockWithNow(tx, invoiceId, wall, dependencies);
  if (!locked.ok) return locked;
  const { invoice, now } = locked.value;
  const amount = decimalOf(body.amount);
  const receivedAt = body.receivedAt === undefined ? now : instantOf(body.receivedAt);
  const errors = problemsOf(invoice, amount, receivedAt, now);
  if (errors.length > 0) return invalid(errors);
  const decided = decidePayment(invoice);
  if (!decided.ok) return decided;
  const { applied, overpaid } = divide(amount, invoice.unpaidAmount);
  const { currency, clockId } = invoice;
  const receipt = await recordReceipt(
    tx,
    {
      merchantId: tx.merchantId,
      id: newReceiptId(),
      invoiceId,
      method: body.method,
      amount,
      overpaid,
      currency,
      reference: body.reference ?? null,
      receivedAt,
      clockId,
      idempotency,
    },
    now,
  );
  const received = await takePayment(dependencies, tx, invoice, { receiptId: receipt.id, amount: applied }, now);
  if (!received.ok) return received;
  if (overpaid.gt(0)) {
    const key = `overpaid:${receipt.id}`;
    const against = { account: 'cash', customerId: null } as const;
    const of = { merchantId: tx.merchantId, customerId: payerOf(invoice), currency };
    const more = { ...of, key, reason: 'payment', invoiceId } as const;
    await creditWallet(tx, { ...more, amount: overpaid, against }, now);
  }
  return ok({ receipt, isNew: true });
}

/** The faults that the schema cannot express: whole minor units, and a payment in the past. */
function problemsOf(invoice: InvoiceRow, amount: Decimal, receivedAt: Instant, now: Instant): FieldError[] {
  const errors: FieldError[] = [];
  if (!roundTo(amount, invoice.currency, 'half-away-from-zero').eq(amount))
    errors.push({ field: 'amount', message: digitsProblem(invoice.currency) });
  if (isAfter(receivedAt, now)) errors.push({ field: 'receivedAt', message: 'must not be in the future' });
  return errors;
}
