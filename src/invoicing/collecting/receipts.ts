import { effectiveNow } from '../../clocks/index.ts';
import { findCustomer } from '../../customers/index.ts';
import { checkReference, type PageRequest, type Tx } from '../../db/index.ts';
import { findCreated, fingerprint } from '../../http/index.ts';
import { minorDigits } from '../../kernel/currency.ts';
import { Decimal, decimalOf, plain, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { digitsProblem } from '../../kernel/money.ts';
import { invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { wrongState } from '../../kernel/state-table.ts';
import { type Instant, instantOf, isAfter } from '../../kernel/time.ts';
import { newReceiptId, recordReceipt } from '../../payments/index.ts';
import { clockForCustomer } from '../invoice/customer-clock.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { type InvoiceRow, payerOf } from '../invoice/invoice.ts';
import { lockWithNow } from '../issue/actions.ts';
import { decidePayment } from '../paying/pay.ts';
import { leftOfReceipt, type Receipt, type ReceiptRow, statusOfReceipt } from './receipt.ts';
import { bookApplied, bookIntoWallet, bookReceipt, bookReturned } from './receipt-bookings.ts';
import type { ReceiptApplyBody, ReceiptCreateBody, ReceiptReturnBody } from './receipt-schemas.ts';
import {
  insertApplication,
  insertReceipt,
  lockReceipt,
  selectApplications,
  selectReceipt,
  selectReceiptByKey,
  selectReceiptsPage,
  updateReturned,
} from './receipts.sql.ts';
import { takePayment } from './take-payment.ts';

/** A receipt of a customer. */
export interface ReceiptKey {
  readonly customerId: string;
  readonly receiptId: string;
}

/**
 * POST …/receipts: money that names no invoice waits until somebody applies or returns it (commercial.md §7). The same
 * key again is the same receipt.
 * @returns 404; IDEMPOTENCY_KEY_REUSED; the field that is wrong
 */
export async function recordMoney(
  dependencies: Pick<InvoicingDependencies, 'environment' | 'source'>,
  tx: Tx,
  customerId: string,
  body: ReceiptCreateBody,
  wall: Instant,
): Promise<Result<{ receipt: Receipt; isNew: boolean }>> {
  const sent = { key: body.idempotencyKey, fingerprint: fingerprint(`receipts of ${customerId}`, body) };
  const known = await findCreated(tx, sent, { kind: 'receipt', find: selectReceiptByKey });
  if (!known.ok) return known;
  if (known.value) return ok({ receipt: await withApplications(tx, known.value), isNew: false });
  const clock = await clockForCustomer(dependencies, tx, customerId, body.testClockId);
  if (!clock.ok) return clock;
  const now = await effectiveNow(tx, clock.value, wall);
  if (!(await findCustomer(tx, customerId, { keep: true }))) return notFound('customer'); // a deletion waits for us
  const amount = decimalOf(body.amount);
  const receivedAt = body.receivedAt === undefined ? now : instantOf(body.receivedAt);
  if (isAfter(receivedAt, now)) return invalidField('receivedAt', 'must not be in the future');
  const receipt = await insertReceipt(tx, {
    ...{ merchantId: tx.merchantId, id: newId('receipt'), customerId, amount, receivedAt, clockId: clock.value },
    ...{ currency: body.currency, method: body.method, reference: body.reference ?? null, createdAt: now },
    ...{ idempotencyKey: sent.key, idempotencyPrint: sent.fingerprint },
  });
  await bookReceipt(tx, receipt, now);
  return ok({ receipt: { receipt, applications: [] }, isNew: true });
}

/** The receipts of a customer, newest first. */
export async function listReceipts(
  tx: Tx,
  customerId: string,
  page: PageRequest,
): Promise<Result<{ rows: Receipt[]; total: number }>> {
  if (!(await findCustomer(tx, customerId))) return notFound('customer');
  const { rows, ...more } = await selectReceiptsPage(tx, customerId, page);
  const ids = rows.map(({ id }) => id);
  const applications = Map.groupBy(await selectApplications(tx, ids), ({ receiptId }) => receiptId);
  return ok({
    ...more,
    rows: rows.map((receipt) => ({ receipt, applications: applications.get(receipt.id) ?? [] })),
  });
}

const withApplications = async (tx: Tx, receipt: ReceiptRow): Promise<Receipt> => ({
  receipt,
  applications: await selectApplications(tx, [receipt.id]),
});

/** The refusal of an action on a receipt of which nothing waits. */
const nothingWaits = (of: Receipt, trigger: string) =>
  wrongState({ thing: 'receipt', status: statusOfReceipt(of), trigger, allowedFrom: ['unapplied'], done: null });

/**
 * POST …/apply: what waits of a receipt pays an invoice, or fills the wallet. Without an amount as much as there is,
 * and as the invoice asks.
 * @returns 404; INVALID_TRANSITION where nothing waits, or the invoice takes no money; PAYMENT_IN_PROGRESS; 400 for an
 *   invoice in another currency, of another customer or on another clock, and for too much
 */
export async function applyReceipt(
  dependencies: InvoicingDependencies,
  tx: Tx,
  key: ReceiptKey,
  body: ReceiptApplyBody,
  wall: Instant,
): Promise<Result<Receipt>> {
  const { invoiceId } = body;
  if ((invoiceId === undefined) === (body.wallet === undefined))
    return invalidField('invoiceId', 'must be set, or wallet, and not both');
  const found = await selectReceipt(tx, key);
  if (!found) return notFound('receipt');
  if (body.amount !== undefined && decimalOf(body.amount).decimalPlaces() > minorDigits(found.currency))
    return invalidField('amount', digitsProblem(found.currency));
  return invoiceId === undefined
    ? applyToWallet(tx, found, body, wall)
    : applyToInvoice(dependencies, tx, found, { ...body, invoiceId }, wall);
}

/** The locked receipt, and how much of it is to be applied, at most as much as something takes. */
async function partToApply(
  tx: Tx,
  id: string,
  asked: ReceiptApplyBody['amount'],
  most: Decimal | null,
): Promise<Result<{ receipt: ReceiptRow; amount: Decimal }>> {
  const locked = await withApplications(tx, await lockReceipt(tx, id));
  const left = leftOfReceipt(locked);
  if (left.isZero()) return nothingWaits(locked, 'apply');
  const limit = most === null ? left : Decimal.min(left, most);
  const amount = asked === undefined ? limit : decimalOf(asked);
  return amount.gt(limit)
    ? invalidField('amount', `must be at most ${plain(limit)}`)
    : ok({ receipt: locked.receipt, amount });
}

async function applyToWallet(
  tx: Tx,
  { id, clockId }: ReceiptRow,
  body: ReceiptApplyBody,
  wall: Instant,
): Promise<Result<Receipt>> {
  const now = await effectiveNow(tx, clockId, wall);
  const part = await partToApply(tx, id, body.amount, null);
  if (!part.ok) return part;
  const { receipt, amount } = part.value;
  const application = { merchantId: tx.merchantId, id: newId('payment'), receiptId: id, amount, appliedAt: now };
  await insertApplication(tx, { ...application, paymentId: null, invoiceId: null });
  await bookIntoWallet(tx, receipt, application.id, amount, now);
  return ok(await withApplications(tx, receipt));
}

async function applyToInvoice(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { id, customerId, currency, clockId }: ReceiptRow,
  body: ReceiptApplyBody & { readonly invoiceId: string },
  wall: Instant,
): Promise<Result<Receipt>> {
  const { invoiceId } = body;
  const owned = await checkReference(tx, 'invoice', invoiceId, 'invoiceId');
  if (!owned.ok) return owned;
  const locked = await lockWithNow(tx, invoiceId, wall, dependencies);
  if (!locked.ok) return locked;
  const { invoice, now } = locked.value;
  const problem = problemOf(invoice, { customerId, currency, clockId });
  if (problem !== null) return invalidField('invoiceId', problem);
  const decided = decidePayment(invoice);
  if (!decided.ok) return decided;
  const part = await partToApply(tx, id, body.amount, invoice.unpaidAmount);
  if (!part.ok) return part;
  const { receipt, amount } = part.value;
  const paymentId = newReceiptId();
  await bookApplied(tx, receipt, paymentId, amount, now);
  await recordReceipt(
    tx,
    {
      ...{ merchantId: tx.merchantId, id: paymentId, invoiceId, receiptId: id, method: receipt.method, amount },
      ...{ overpaid: ZERO, currency, reference: receipt.reference, receivedAt: receipt.receivedAt },
      ...{ clockId: invoice.clockId, idempotency: null },
    },
    now,
  );
  await insertApplication(tx, {
    ...{ merchantId: tx.merchantId, id: paymentId, receiptId: id, paymentId, invoiceId, amount, appliedAt: now },
  });
  const taken = await takePayment(dependencies, tx, invoice, { receiptId: paymentId, amount }, now);
  return taken.ok ? ok(await withApplications(tx, receipt)) : taken;
}

/** Why a receipt does not pay an invoice; null: it may. */
function problemOf(
  invoice: InvoiceRow,
  { customerId, currency, clockId }: Pick<ReceiptRow, 'customerId' | 'currency' | 'clockId'>,
): string | null {
  if (invoice.customerId !== customerId && payerOf(invoice) !== customerId)
    return 'must be an invoice of this customer, or one that it pays';
  if (invoice.currency !== currency) return `must be in ${currency}`;
  return invoice.clockId === clockId ? null : 'must be on the test clock of the receipt, or on none with it';
}

/**
 * POST …/return: the merchant has sent back what waited of a receipt.
 * @returns 404; INVALID_TRANSITION where nothing waits
 */
export async function returnReceipt(
  tx: Tx,
  key: ReceiptKey,
  body: ReceiptReturnBody,
  wall: Instant,
): Promise<Result<Receipt>> {
  const found = await selectReceipt(tx, key);
  if (!found) return notFound('receipt');
  const now = await effectiveNow(tx, found.clockId, wall);
  const at = body.returnedAt === undefined ? now : instantOf(body.returnedAt);
  if (isAfter(at, now)) return invalidField('returnedAt', 'must not be in the future');
  const locked = await withApplications(tx, await lockReceipt(tx, found.id));
  const amount = leftOfReceipt(locked);
  if (amount.isZero()) return nothingWaits(locked, 'return');
  await bookReturned(tx, locked.receipt, amount, now);
  const receipt = await updateReturned(tx, locked.receipt, { amount, at, reference: body.reference ?? null });
  return ok({ ...locked, receipt });
}
