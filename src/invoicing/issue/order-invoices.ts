import { findMissingKinds } from '../../approvals/index.ts';
import type { Tx } from '../../db/index.ts';
import type { BodyKey } from '../../http/index.ts';
import { Decimal, plain, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import type { Result } from '../../kernel/result.ts';
import { type Instant, isBefore, latest } from '../../kernel/time.ts';
import { balanceOfInvoice } from '../../ledger/index.ts';
import type { OneOffLine } from '../calculation/one-off-lines.ts';
import type { UnusedCreditRow } from '../credit-notes/unused-credit.ts';
import { insertUnusedCredit } from '../credit-notes/unused-credits.sql.ts';
import { noteCredits, upTo } from '../credits/note-credits.ts';
import { type OrderCredit, taxOfCredit } from '../difference/order-items.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { lockInvoice, updateInvoice } from '../invoice/invoices.sql.ts';
import { makeOneOffInvoice, type NewOneOffInvoice, type OneOffInvoice } from './make-one-off.ts';

/** A line of an invoice of a billing schedule. */
export interface NewOrderLine {
  /** The subject of the line: the same for the same subject in the same window. */
  readonly key: string;
  readonly itemId: string | null;
  readonly displayName: string;
  readonly quantity: Decimal;
  readonly unitPrice: Decimal;
  /** Rounded to the currency. */
  readonly amount: Decimal;
  readonly periodStart: Instant;
  readonly periodEnd: Instant;
}

/** An invoice that a billing schedule makes. */
export interface NewOrderInvoice
  extends Pick<
    NewOneOffInvoice,
    | 'merchantId'
    | 'customerId'
    | 'subscriptionId'
    | 'planId'
    | 'clockId'
    | 'currency'
    | 'paymentTermDays'
    | 'metadata'
    | 'purpose'
  > {
  readonly taxExempt: boolean;
  readonly lines: readonly NewOrderLine[];
  /** The credits of other invoices on its lines; an excess is a credit note on these. */
  readonly credits: readonly OrderCredit[];
  /** False: it waits as DRAFT. */
  readonly autoApprove: boolean;
  /** Held unique by the database, so that it is made once. */
  readonly idempotency: BodyKey;
}

/**
 * Makes the `order` invoice of a billing schedule: issued at once, unless it waits for its order, or the merchant
 * requires approvals of invoices.
 */
export const makeOrderInvoice = (
  dependencies: InvoicingDependencies,
  tx: Tx,
  { lines, credits, taxExempt, ...order }: NewOrderInvoice,
  now: Instant,
): Promise<Result<OneOffInvoice>> =>
  makeOneOffInvoice(
    dependencies,
    tx,
    {
      ...order,
      ...(taxExempt && { taxExempt }),
      kind: 'order',
      lines: lines.map(toOneOffLine),
      credits: credits.map((credit) => creditRow(order, credit, now)),
      livesBySession: false,
    },
    now,
  );

const toOneOffLine = ({ key, amount, periodStart, periodEnd, ...line }: NewOrderLine): OneOffLine => ({
  ...line,
  type: 'manual',
  service: { from: periodStart, to: periodEnd },
  source: { key, amount },
});

const creditRow = (
  { merchantId, currency }: Pick<NewOrderInvoice, 'merchantId' | 'currency'>,
  credit: OrderCredit,
  now: Instant,
): Omit<UnusedCreditRow, 'seq' | 'targetInvoiceId'> => {
  const { item, amount, from } = credit;
  const isInside = isBefore(from, item.periodEnd);
  return {
    merchantId,
    id: newId('credit'),
    subscriptionId: null,
    invoiceId: item.invoiceId,
    priceId: null,
    ...{ quantity: null, unitPrice: null, sourceKey: item.sourceKey },
    chargedFrom: item.periodStart,
    chargedTo: item.periodEnd,
    unusedFrom: isInside ? latest(from, item.periodStart) : item.periodStart,
    unusedTo: item.periodEnd,
    displayName: item.displayName,
    amount,
    taxAmount: taxOfCredit(credit, currency),
    taxRate: item.taxRate,
    notedAmount: ZERO,
    notedTax: ZERO,
    workings: { share: null, billed: plain(item.net), before: plain(item.creditedNet) },
    correction: null,
    createdAt: now,
  };
};

/** Lets drafts of billing schedules wait, or issues them unless an approval of the invoice is missing. */
export async function updateOrderDrafts(
  tx: Tx,
  invoiceIds: readonly string[],
  autoApprove: boolean,
  now: Instant,
): Promise<void> {
  for (const id of invoiceIds) {
    const invoice = await lockInvoice(tx, id);
    if (invoice?.status !== 'DRAFT' || invoice.autoApprove === autoApprove) continue;
    const missing = await findMissingKinds(tx, 'invoice', { merchantId: tx.merchantId, id }, invoice.contentHash);
    const nextActionAt = autoApprove && missing.length === 0 ? now : null;
    await updateInvoice(tx, invoice, { autoApprove, nextActionAt }, now);
  }
}

/**
 * Takes back what billing schedules billed, by credit notes on the invoices that billed it.
 * @param what `unpaid`: only what the customer has not paid yet, which is then owed no more; `all`: the remainder is
 *   in the customer's wallet
 * @returns what was taken back of each
 */
export async function creditOrderItems(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { merchantId, currency }: Pick<NewOrderInvoice, 'merchantId' | 'currency'>,
  credits: readonly OrderCredit[],
  what: 'unpaid' | 'all',
  now: Instant,
): Promise<OrderCredit[]> {
  const all: OrderCredit[] = [];
  for (const [invoiceId, those] of Map.groupBy(credits, ({ item }) => item.invoiceId)) {
    const invoice = await lockInvoice(tx, invoiceId);
    if (!invoice) throw new Error(`Invoice ${invoiceId} no longer exists.`);
    let open = what === 'unpaid' ? await unpaidOf(tx, invoice) : null;
    const given: UnusedCreditRow[] = [];
    for (const credit of those) {
      const row = creditRow({ merchantId, currency }, credit, now);
      const asked = { net: row.amount, tax: row.taxAmount };
      const { net, tax } = open === null ? asked : upTo(asked, open, currency);
      if (net.lte(0)) continue;
      open = open?.minus(net).minus(tax) ?? null;
      all.push({ ...credit, amount: net });
      given.push(await insertUnusedCredit(tx, { ...row, amount: net, taxAmount: tax, targetInvoiceId: null }));
    }
    await noteCredits(dependencies, tx, { merchantId, invoiceId }, given, 'all', now);
  }
  return all;
}

/** The debt of the customer on an invoice, or the debt that is open again. During a payment, none. */
async function unpaidOf(tx: Tx, invoice: InvoiceRow): Promise<Decimal> {
  const owed = invoice.paymentInFlight || invoice.status === 'PAID' ? ZERO : invoice.unpaidAmount;
  const again = await balanceOfInvoice(tx, 'owed_again', invoice.id);
  return owed.plus(Decimal.max(ZERO, again));
}
