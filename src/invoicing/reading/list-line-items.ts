import type { Tx } from '../../db/index.ts';
import { listReply, type PageRequest } from '../../http/index.ts';
import { findOrganization } from '../../identity/index.ts';
import { type Decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { compareText } from '../../kernel/json.ts';
import { formatMoney } from '../../kernel/money.ts';
import { invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, isBefore } from '../../kernel/time.ts';
import type { ManualLineRow } from '../drafts/manual-line.ts';
import { selectLaterManualLines } from '../drafts/manual-lines.sql.ts';
import { amountOf } from '../drafts/manual-lines.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { type InvoiceRow, ownerOfLine } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { selectInvoice } from '../invoice/invoices.sql.ts';
import { listPriceId } from '../terms/list-price.ts';
import type { LineItemListQuery } from './line-item-schemas.ts';
import {
  type LineFilter,
  type LineSums,
  openLineId,
  selectInvoicedLines,
  selectInvoicesById,
  selectManualLinesById,
  selectOpenInvoices,
  sumInvoicedLines,
} from './line-items.sql.ts';
import { OPEN_STATES, withLiveTotals } from './read.ts';

/** A present or future line: a line of an invoice, or a line by hand that waits for a later one. */
type Item =
  | { readonly line: LineRow; readonly invoice: InvoiceRow }
  | { readonly waiting: ManualLineRow; readonly customerId: string };

/** The most open invoices whose lines one list calculates; further ones need a filter. */
const MOST_OPEN_INVOICES = 200;

/** GET /v2/invoices/lineItems: the lines of open invoices as of now, the waiting ones, then the invoiced ones. */
export async function listLineItems(
  dependencies: InvoicingDependencies,
  tx: Tx,
  merchantId: string | null,
  query: LineItemListQuery,
  page: PageRequest,
): Promise<Result<unknown>> {
  if (merchantId === null) return invalidField('merchantId', 'is required of a platform operator');
  const filter = { subscriptionId: query.subscriptionId ?? null, invoiceId: query.invoiceId ?? null };
  const known = await currencyOf(dependencies, tx, filter);
  if (!known.ok) return known;
  const open = query.status === 'invoiced' ? ok<Item[]>([]) : await pendingItems(dependencies, tx, filter);
  if (!open.ok) return open;
  const pending = open.value;
  const stored = query.status === 'pending' ? [] : await sumInvoicedLines(tx, filter);
  const invoicedCount = stored.reduce((total, { count }) => total + count, 0);
  const found = pending.findIndex((item) => pendingIdOf(item) === page.after);
  const start = page.after === undefined ? page.offset : found === -1 ? pending.length : found + 1;
  const first = pending.slice(start, start + page.limit);
  const invoiced: PageRequest = {
    limit: page.limit - first.length,
    offset: Math.max(0, page.offset - pending.length),
    after: found === -1 ? page.after : undefined,
  };
  const lines = invoiced.limit === 0 ? [] : await selectInvoicedLines(tx, filter, invoiced, invoicedCount);
  const last = first.at(-1);
  const hasMore = start + page.limit < pending.length || invoicedCount > 0;
  page.nextAfter = invoiced.limit === 0 && last && hasMore ? pendingIdOf(last) : (invoiced.nextAfter ?? null);
  const items = [...first, ...(await withInvoices(tx, lines))];
  const total = pending.length + invoicedCount;
  const currency = known.value ?? (await commonCurrency(tx, pending, stored));
  return ok({
    ...listReply({ data: await toLineItemReplies(tx, items), total }, page),
    totalCount: total,
    summary: summaryOf(pending, stored, currency),
  });
}

/** The currency of what a filter names; null: several are possible. */
async function currencyOf(
  { source }: InvoicingDependencies,
  tx: Tx,
  { subscriptionId, invoiceId }: LineFilter,
): Promise<Result<string | null>> {
  if (invoiceId !== null) {
    const invoice = await selectInvoice(tx, invoiceId);
    return invoice ? ok(invoice.currency) : notFound('invoice', 'invoiceId');
  }
  return ok(subscriptionId === null ? null : (await source.terms(tx, subscriptionId)).currency);
}

/** The currency of most lines, of equally many the first by its code; without lines the merchant's. */
async function commonCurrency(tx: Tx, pending: readonly Item[], stored: readonly LineSums[]): Promise<string> {
  const counts = new Map(stored.map(({ currency, count }) => [currency, count]));
  for (const item of pending) counts.set(currencyIn(item), (counts.get(currencyIn(item)) ?? 0) + 1);
  const [most] = [...counts].toSorted(([a, x], [b, y]) => y - x || compareText(a, b));
  return most?.[0] ?? (await findOrganization(tx, tx.merchantId))?.defaultCurrency ?? 'USD';
}

/** The sums of the lines in a currency. */
function summaryOf(pending: readonly Item[], stored: readonly LineSums[], currency: string) {
  const before = stored.find((sums) => sums.currency === currency);
  const items = pending.filter((item) => currencyIn(item) === currency);
  const summed = (kind: 'fee' | 'usage', invoiced: Decimal = ZERO) =>
    formatMoney(sum([...items.map((item) => subtotalOf(item, kind)), invoiced]), currency);
  return {
    feeSubtotal: summed('fee', before?.fees),
    meteredEstimatedSubtotal: summed('usage', before?.metered),
    currency,
  };
}

const currencyIn = (item: Item): string => ('line' in item ? item.invoice : item.waiting).currency;

async function pendingItems(dependencies: InvoicingDependencies, tx: Tx, filter: LineFilter): Promise<Result<Item[]>> {
  const open = await selectOpenInvoices(tx, filter, MOST_OPEN_INVOICES + 1);
  if (open.length > MOST_OPEN_INVOICES)
    return invalidField(
      'subscriptionId',
      `is required: more than ${MOST_OPEN_INVOICES} invoices are open, and their lines are calculated for each ` +
        'answer; or send status=invoiced',
    );
  const items: Item[] = [];
  const shown = new Set<string>();
  for (const invoice of open) {
    for (const line of (await withLiveTotals(dependencies, tx, invoice)).lines ?? []) {
      shown.add(line.id);
      items.push({ line, invoice });
    }
  }
  if (filter.invoiceId !== null) return ok(items);
  const later = await selectLaterManualLines(tx, filter.subscriptionId);
  const terms = await dependencies.source.termsOf(
    tx,
    later.map(({ subscriptionId }) => subscriptionId),
  );
  const waiting = later.flatMap((line): Item[] => {
    const customerId = terms.get(line.subscriptionId)?.customerId;
    return shown.has(line.id) || customerId === undefined ? [] : [{ waiting: line, customerId }];
  });
  return ok([...items, ...waiting]);
}

async function withInvoices(tx: Tx, lines: readonly LineRow[]): Promise<Item[]> {
  const ids = [...new Set(lines.map(({ invoiceId: id }) => id))];
  const invoices = new Map((await selectInvoicesById(tx, ids)).map((invoice) => [invoice.id, invoice]));
  return lines.map((line) => ({ line, invoice: invoices.get(line.invoiceId) as InvoiceRow }));
}

async function toLineItemReplies(tx: Tx, items: readonly Item[]) {
  const ids = items.flatMap((item) => ('line' in item && item.line.type === 'manual' ? [item.line.id] : []));
  const manual = new Map((await selectManualLinesById(tx, ids)).map((row) => [row.id, row]));
  return items.map((item) =>
    'line' in item
      ? toBilledLineReply(item.line, item.invoice, manual.get(item.line.id))
      : toManualLineReply(item.waiting, item.customerId),
  );
}

/** The id of a present or future line of an open period. */
const pendingIdOf = (item: Item): string => {
  if ('waiting' in item) return item.waiting.id;
  return item.line.type === 'manual' ? item.line.id : openLineId(item.invoice.id, item.line.position);
};

const subtotalOf = (item: Item, kind: 'fee' | 'usage'): Decimal => {
  if ('line' in item) return item.line.eventType === kind ? item.line.totalPrice : sum([]);
  return kind === 'fee' ? amountOf(item.waiting) : sum([]);
};

const TYPES = { usage: 'metered', fee: 'fee', discount: 'discount' } as const;

function toBilledLineReply(line: LineRow, invoice: InvoiceRow, manual: ManualLineRow | undefined) {
  const money = (amount: Decimal) => formatMoney(amount, invoice.currency);
  const isPending = OPEN_STATES.has(invoice.status);
  const type = line.type === 'manual' ? ('manual' as const) : TYPES[line.eventType];
  const isEstimate = type === 'metered' && isPending;
  const term = isBefore(line.periodStart, invoice.periodEnd) ? 'in_arrears' : 'in_advance';
  return {
    id: isPending && !manual ? openLineId(invoice.id, line.position) : line.id,
    object: 'lineItem' as const,
    merchantId: invoice.merchantId,
    ...ownerOfLine(line, invoice),
    priceId: listPriceId(line.priceId),
    itemId: line.itemId,
    invoiceId: invoice.id,
    type,
    status: isPending ? ('pending' as const) : ('invoiced' as const),
    displayName: line.displayName,
    description: manual?.description ?? (line.metricDescription || null),
    currency: invoice.currency,
    periodStart: formatInstant(line.periodStart),
    periodEnd: formatInstant(line.periodEnd),
    invoiceAt: formatInstant(manual?.invoiceAt ?? invoice.periodEnd),
    calculatedAt: isPending ? null : formatInstant(manual?.calculatedAt ?? invoice.gracePeriodEnd),
    carriedFromLineItemId: manual?.carriedFromId ?? null,
    quantity: plain(line.quantity),
    unitPrice: plain(line.unitPrice),
    meteredQuantity: type === 'metered' && !isPending ? plain(line.quantity) : null,
    paymentTerm: line.priceId === null ? null : term,
    subtotal: money(line.totalPrice),
    taxesTotal: money(line.totalTax),
    total: money(line.totalAmount),
    createdAt: formatInstant(manual?.createdAt ?? invoice.createdAt),
    updatedAt: formatInstant(manual?.updatedAt ?? invoice.updatedAt),
    estimatedMeteredQuantity: isEstimate ? plain(line.quantity) : null,
    estimatedSubtotal: isEstimate ? money(line.totalPrice) : null,
  };
}

/** A line by hand; its tax is known on an invoice only. */
export function toManualLineReply(line: ManualLineRow, customerId: string) {
  const subtotal = formatMoney(amountOf(line), line.currency);
  return {
    id: line.id,
    object: 'lineItem' as const,
    merchantId: line.merchantId,
    subscriptionId: line.subscriptionId,
    customerId,
    priceId: null,
    itemId: line.itemId,
    invoiceId: line.invoiceId,
    type: 'manual' as const,
    status: line.calculatedAt === null ? ('pending' as const) : ('invoiced' as const),
    displayName: line.displayName,
    description: line.description,
    currency: line.currency,
    periodStart: formatInstant(line.periodStart),
    periodEnd: formatInstant(line.periodEnd),
    invoiceAt: formatInstant(line.invoiceAt),
    calculatedAt: line.calculatedAt && formatInstant(line.calculatedAt),
    carriedFromLineItemId: line.carriedFromId,
    quantity: plain(line.quantity),
    unitPrice: plain(line.unitPrice),
    meteredQuantity: null,
    paymentTerm: null,
    subtotal,
    taxesTotal: null,
    total: subtotal,
    createdAt: formatInstant(line.createdAt),
    updatedAt: formatInstant(line.updatedAt),
    estimatedMeteredQuantity: null,
    estimatedSubtotal: null,
  };
}
