import type { Tx } from '../../db/index.ts';
import { listReply, type PageRequest } from '../../http/index.ts';
import { type Decimal, plain, sum } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import { invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, isBefore } from '../../kernel/time.ts';
import type { ManualLineRow } from '../drafts/manual-line.ts';
import { selectLaterManualLines } from '../drafts/manual-lines.sql.ts';
import { amountOf } from '../drafts/manual-lines.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { selectInvoice } from '../invoice/invoices.sql.ts';
import type { LineItemListQuery } from './line-item-schemas.ts';
import {
  type LineFilter,
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

/** GET /v2/invoices/lineItems: the lines of open invoices as of now, the waiting ones, then the invoiced ones. */
export async function listLineItems(
  dependencies: InvoicingDependencies,
  tx: Tx,
  merchantId: string | null,
  query: LineItemListQuery,
  page: PageRequest,
): Promise<Result<unknown>> {
  const filter = { subscriptionId: query.subscriptionId ?? null, invoiceId: query.invoiceId ?? null };
  if (merchantId === null || (filter.subscriptionId === null && filter.invoiceId === null))
    return invalidField('subscriptionId', 'give subscriptionId or invoiceId');
  const currency = await currencyOf(dependencies, tx, merchantId, filter);
  if (currency === null) return notFound('invoice', 'invoiceId');
  const pending = query.status === 'invoiced' ? [] : await pendingItems(dependencies, tx, merchantId, filter);
  const stored = query.status === 'pending' ? null : await sumInvoicedLines(tx, merchantId, filter);
  const found = pending.findIndex((item) => pendingIdOf(item) === page.after);
  const start = page.after === undefined ? page.offset : found === -1 ? pending.length : found + 1;
  const first = pending.slice(start, start + page.limit);
  const invoiced: PageRequest = {
    limit: page.limit - first.length,
    offset: Math.max(0, page.offset - pending.length),
    after: found === -1 ? page.after : undefined,
  };
  const lines = invoiced.limit === 0 ? [] : await selectInvoicedLines(tx, merchantId, filter, invoiced, stored);
  const last = first.at(-1);
  const hasMore = start + page.limit < pending.length || (stored?.count ?? 0) > 0;
  page.nextAfter = invoiced.limit === 0 && last && hasMore ? pendingIdOf(last) : (invoiced.nextAfter ?? null);
  const items = [...first, ...(await withInvoices(tx, merchantId, lines))];
  const total = pending.length + (stored?.count ?? 0);
  const summed = (kind: 'fee' | 'usage', before: Decimal | undefined) =>
    formatMoney(sum([...pending.map((item) => subtotalOf(item, kind)), ...(before ? [before] : [])]), currency);
  return ok({
    ...listReply({ data: await toLineItemReplies(tx, merchantId, items), total }, page),
    totalCount: total,
    summary: {
      feeSubtotal: summed('fee', stored?.fees),
      meteredEstimatedSubtotal: summed('usage', stored?.metered),
      currency,
    },
  });
}

async function currencyOf(
  { source }: InvoicingDependencies,
  tx: Tx,
  merchantId: string,
  { subscriptionId, invoiceId }: LineFilter,
): Promise<string | null> {
  if (invoiceId !== null) return (await selectInvoice(tx, merchantId, invoiceId))?.currency ?? null;
  return (await source.terms(tx, merchantId, subscriptionId as string)).currency;
}

async function pendingItems(
  dependencies: InvoicingDependencies,
  tx: Tx,
  merchantId: string,
  filter: LineFilter,
): Promise<Item[]> {
  const items: Item[] = [];
  const shown = new Set<string>();
  for (const invoice of await selectOpenInvoices(tx, merchantId, filter)) {
    for (const line of (await withLiveTotals(dependencies, tx, invoice)).lines ?? []) {
      shown.add(line.id);
      items.push({ line, invoice });
    }
  }
  if (filter.subscriptionId === null || filter.invoiceId !== null) return items;
  const { customerId } = await dependencies.source.terms(tx, merchantId, filter.subscriptionId);
  const later = await selectLaterManualLines(tx, merchantId, filter.subscriptionId);
  return [...items, ...later.filter(({ id }) => !shown.has(id)).map((waiting) => ({ waiting, customerId }))];
}

async function withInvoices(tx: Tx, merchantId: string, lines: readonly LineRow[]): Promise<Item[]> {
  const ids = [...new Set(lines.map(({ invoiceId: id }) => id))];
  const invoices = new Map((await selectInvoicesById(tx, merchantId, ids)).map((invoice) => [invoice.id, invoice]));
  return lines.map((line) => ({ line, invoice: invoices.get(line.invoiceId) as InvoiceRow }));
}

async function toLineItemReplies(tx: Tx, merchantId: string, items: readonly Item[]) {
  const ids = items.flatMap((item) => ('line' in item && item.line.type === 'manual' ? [item.line.id] : []));
  const manual = new Map((await selectManualLinesById(tx, merchantId, ids)).map((row) => [row.id, row]));
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
    subscriptionId: invoice.subscriptionId,
    customerId: invoice.customerId,
    priceId: line.priceId,
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
