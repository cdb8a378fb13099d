import type { Tx } from '../../db/index.ts';
import { type Decimal, plain } from '../../kernel/decimal.ts';
import { type Failure, fail, ok, type Result } from '../../kernel/result.ts';
import { next, statesFor, wrongState } from '../../kernel/state-table.ts';
import type { Instant } from '../../kernel/time.ts';
import { scheduleDocuments, scheduleReceipt } from '../documents/documents.sql.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { numberOf } from '../invoice/invoice-number.ts';
import { updateInvoice, updateInvoiceStatus } from '../invoice/invoices.sql.ts';
import { announce, announcePaid } from '../invoice/purposes.ts';
import { invoiceStates } from '../invoice/states.ts';
import { publishInvoice } from '../invoice/webhooks.ts';
import { outsideTaxAtIssue, recordInvoices } from '../outside-tax/records.ts';
import { bookIssue, bookPayment, bookTopUp } from './bookings.ts';
import { expireSessionsOf } from './sessions.ts';

/** Money that came in, as far as it pays its invoice. */
export interface IncomingPayment {
  /** Its record, `pay_…`. */
  readonly receiptId: string;
  readonly amount: Decimal;
}

/** Can an invoice be paid now? Not during a charge: one of the two payments would be too much. */
export function decidePayment(invoice: Pick<InvoiceRow, 'status' | 'paymentInFlight'>): Result<void> {
  const moved = next(invoiceStates, invoice.status, 'settle');
  if (!moved.ok) return moved;
  return invoice.paymentInFlight ? fail('PAYMENT_IN_PROGRESS') : ok(undefined);
}

/**
 * Money came in for an invoice (12, 14, 17). It is paid when nothing is left; until then a part payment leaves its
 * state as it is, and ends the session that asked for more than is left.
 * @returns INVALID_TRANSITION where the invoice takes no money (any more), or not as much; PAYMENT_IN_PROGRESS.
 */
export async function receivePayment(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  payment: IncomingPayment,
  now: Instant,
): Promise<Result<InvoiceRow>> {
  const { amount } = payment;
  const decided = decidePayment(invoice);
  if (!decided.ok) return decided;
  if (amount.gt(invoice.unpaidAmount)) return tooMuch(invoice);
  const paid = invoice.paidAmount.plus(amount);
  const after = paid.eq(invoice.grandTotal)
    ? await markPaid(dependencies, tx, invoice, { by: 'payment', paymentId: payment.receiptId }, now, paid)
    : await takePart(dependencies, tx, invoice, { ...payment, paid }, now);
  await bookPayment(tx, invoice, payment, now);
  await scheduleReceipt(tx, after, payment.receiptId, now);
  return ok(after);
}

/**
 * More money than is unpaid is no payment of the invoice; where it may come, the caller puts the excess into the
 * wallet.
 */
function tooMuch({ status, unpaidAmount: unpaid }: InvoiceRow): Failure {
  const unpaidAmount = plain(unpaid);
  return wrongState(
    { thing: 'invoice', status, trigger: 'settle', allowedFrom: statesFor(invoiceStates, 'settle'), done: null },
    { why: `Only ${unpaidAmount} of this invoice is unpaid.`, details: { unpaidAmount } },
  );
}

/** The session that asked for more than is left now ends with it. */
async function takePart(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  { receiptId: paymentId, paid }: IncomingPayment & { readonly paid: Decimal },
  now: Instant,
): Promise<InvoiceRow> {
  await expireSessionsOf(tx, invoice, now);
  const after = await updateInvoice(tx, invoice, { paidAmount: paid }, now);
  await dependencies.mails.notify(tx, after, { kind: 'partPaid', paymentId }, now);
  return after;
}

/** The payment of an invoice. */
type PaidBy = { readonly by: 'payment'; readonly paymentId: string } | { readonly by: 'wallet' | 'credit' };

/**
 * The invoice is paid: no session of it stays open, what hangs on it happens, what it asks for the wallet is in it,
 * and `invoice.paid.v0` is written with it. One that lived by its session gets its number and its document now.
 */
export async function markPaid(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  paidBy: PaidBy,
  now: Instant,
  paidAmount: Decimal = invoice.paidAmount,
): Promise<InvoiceRow> {
  const changes = { paidAmount, paidAt: now, nextActionAt: null, paymentInFlight: false };
  const isNumbered = invoice.invoiceNumber !== null;
  if (!isNumbered) await announce(dependencies, tx, invoice, 'settling', now);
  const outside = isNumbered ? undefined : outsideTaxAtIssue(invoice);
  const number = isNumbered ? {} : { ...(await numberOf(tx, invoice, now)), ...(outside && { outsideTax: outside }) };
  const paid = await updateInvoiceStatus(tx, invoice, 'settle', { ...changes, ...number }, now);
  if (!isNumbered) await scheduleDocuments(tx, [paid], now);
  if (!isNumbered) await recordInvoices(tx, [paid], now);
  await expireSessionsOf(tx, paid, now);
  await publishInvoice(tx, paid, 'invoice.paid.v0', now, await announcePaid(dependencies, tx, paid, now));
  await dependencies.mails.notify(tx, paid, { kind: 'paid', ...paidBy }, now);
  if (!isNumbered) await bookIssue(tx, paid, now);
  await bookTopUp(tx, invoice, now);
  if (invoice.status === 'WRITTEN_OFF') await announce(dependencies, tx, paid, 'standsAgain', now);
  return paid;
}
