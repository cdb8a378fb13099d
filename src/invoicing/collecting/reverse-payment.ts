import type { Tx } from '../../db/index.ts';
import { type BodyKey, fingerprint } from '../../http/index.ts';
import { fail, invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { type Instant, instantOf, isAfter, isBefore } from '../../kernel/time.ts';
import {
  findReversed,
  lockPayment,
  type PaymentReceipt,
  partsOfPayments,
  reverseReceipt,
} from '../../payments/index.ts';
import { selectUnvoidedCreditNote } from '../credit-notes/credit-notes.sql.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { type InvoiceRow, payerOf } from '../invoice/invoice.ts';
import { updateInvoice, updateInvoiceStatus } from '../invoice/invoices.sql.ts';
import { announceUndone } from '../invoice/purposes.ts';
import { publishInvoice } from '../invoice/webhooks.ts';
import { lockWithNow } from '../issue/actions.ts';
import { reopen } from '../issue/reopen.ts';
import { bookReversal, wasWrittenOff } from '../paying/bookings.ts';
import { insertDebt } from '../paying/debts.sql.ts';
import { expireSessionsOf } from '../paying/sessions.ts';
import type { PaymentReverseBody } from './payment-schemas.ts';
import { bookGivenBack } from './receipt-bookings.ts';

/**
 * POST …/payments/{paymentId}/reverse: a recorded payment came back, or was a mistake (commercial.md §7). What it paid
 * is owed again, what it put into the wallet is taken out, and what it had made is undone. The same key again is the
 * same reversal. Money of a receipt is the receipt's again.
 * @returns 404; IDEMPOTENCY_KEY_REUSED; INVALID_TRANSITION for a payment by a provider, or one that was reversed;
 *   PAYMENT_RETURNED where its money goes back, or has; PAYMENT_IN_PROGRESS; WALLET_SPENT where something that it had
 *   made is used
 */
export async function reversePayment(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { invoiceId, paymentId }: { readonly invoiceId: string; readonly paymentId: string },
  body: PaymentReverseBody,
  wall: Instant,
): Promise<Result<PaymentReceipt>> {
  const idempotency = { key: body.idempotencyKey, fingerprint: fingerprint(`reversal of ${paymentId}`, body) };
  const known = await findReversed(tx, idempotency);
  if (!known.ok) return known;
  if (known.value) return ok(known.value);
  const locked = await lockWithNow(tx, invoiceId, wall, dependencies);
  if (!locked.ok) return locked;
  const { invoice, now } = locked.value;
  const payment = await lockPayment(tx, { merchantId: tx.merchantId, invoiceId, id: paymentId });
  if (!payment) return notFound('payment');
  const at = body.reversedAt === undefined ? now : instantOf(body.reversedAt);
  if (isAfter(at, now)) return invalidField('reversedAt', 'must not be in the future');
  if (isBefore(at, payment.receivedAt)) return invalidField('reversedAt', 'must not be before receivedAt');
  const decided = await decideReversal(tx, invoice, payment);
  if (!decided.ok) return decided;
  return reverse(dependencies, tx, invoice, payment, { at, reason: body.reason, idempotency }, now);
}

/** May a payment be reversed? Not what a provider took: it says itself what came back. Nor what goes back otherwise. */
async function decideReversal(tx: Tx, invoice: InvoiceRow, payment: PaymentReceipt): Promise<Result<void>> {
  const { id, provider, reversedAt, returnStatus } = payment;
  const refused = (why: string) => fail('INVALID_TRANSITION', { trigger: 'reverse', provider, reversedAt }, why);
  if (provider !== null)
    return refused('This payment was taken by a payment provider. Its returns are disputes, which the provider tells.');
  if (reversedAt !== null) return refused('This payment is reversed already.');
  const parts = (await partsOfPayments(tx, [id])).get(id) ?? [];
  const isGoingBack = returnStatus !== 'none' && returnStatus !== 'stopped';
  const isRefunded = (await selectUnvoidedCreditNote(tx, invoice)) !== undefined;
  if (isGoingBack || isRefunded || parts.some(({ status }) => status !== 'stopped'))
    return fail('PAYMENT_RETURNED', { returnStatus });
  return invoice.paymentInFlight ? fail('PAYMENT_IN_PROGRESS') : ok(undefined);
}

async function reverse(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  payment: PaymentReceipt,
  how: { readonly at: Instant; readonly reason: string; readonly idempotency: BodyKey },
  now: Instant,
): Promise<Result<PaymentReceipt>> {
  const isPaid = invoice.status === 'PAID';
  const undone = isPaid ? await announceUndone(dependencies, tx, invoice, 'reversed', now) : ok(undefined);
  if (!undone.ok) return undone;
  const isLoss = invoice.status === 'WRITTEN_OFF' || (isPaid && (await wasWrittenOff(tx, invoice)));
  const spent = await bookReversal(tx, invoice, payment, isLoss ? 'write_off' : 'receivable', now);
  if (!spent.ok) return spent;
  if (spent.value.gt(0))
    await insertDebt(tx, {
      merchantId: tx.merchantId,
      ...{ paymentId: payment.id, creditNoteId: null, billingCreditId: null },
      customerId: payerOf(invoice),
      currency: payment.currency,
      amount: spent.value,
      sourceNumber: invoice.invoiceNumber as string, // more than it asked came, so it was paid
      createdAt: now,
    });
  const reversed = await reverseReceipt(tx, payment, how);
  if (payment.receiptId !== null) await bookGivenBack(tx, payment, payment.receiptId, now);
  const paidAmount = invoice.paidAmount.minus(payment.amount.minus(payment.overpaid));
  const after = await owedAgain(tx, invoice, paidAmount, isLoss, now);
  await expireSessionsOf(tx, after, now); // one that is open asks for less
  await publishInvoice(tx, after, 'invoice.payment_reversed.v0', now, { paymentId: payment.id });
  if (!isLoss) await dependencies.mails.notify(tx, after, { kind: 'reversed', paymentId: payment.id }, now);
  return ok(reversed);
}

/** What the payment paid is unpaid. Retries begin anew, and no card is charged by itself. */
function owedAgain(
  tx: Tx,
  invoice: InvoiceRow,
  paidAmount: InvoiceRow['paidAmount'],
  isLoss: boolean,
  now: Instant,
): Promise<InvoiceRow> {
  if (invoice.status !== 'PAID') return updateInvoice(tx, invoice, { paidAmount }, now);
  return isLoss
    ? updateInvoiceStatus(tx, invoice, 'reverseRecovery', { paidAmount, paidAt: null }, now)
    : reopen(tx, invoice, { paidAmount, failedAttempts: 0, failureReason: null }, now);
}
