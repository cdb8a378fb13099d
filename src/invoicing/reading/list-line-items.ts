import type { Tx } from '../../db/index.ts';
import { listReply, type PageRequest } from '../../http/index.ts';
import { type Decimal, plain, sum } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import { invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, isBefore } from '../../kernel/time.ts';
import type { InvoicingParts } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { findInvoice } from '../invoice/invoices.sql.ts';
import type { ManualLineRow } from '../issue/manual-line.ts';
import { laterManualLines } from '../issue/manual-lines.sql.ts';
import { amountOf } from '../issue/manual-lines.ts';
import type { LineItemListQuery } from './line-item-schemas.ts';
import {
  invoicedLines,
  invoicesById,
  type LineFilter,
  manualLinesById,
  openInvoices,
  sumInvoicedLines,
} from './line-items.sql.ts';
import { OPEN_STATES, withLiveTotals } from './read.ts';

/** One thing that is or will be billed: a line as it stands on its invoice, or one by hand that waits for a later one. */
type Item =
  | { readonly line: LineRow; readonly invoice: InvoiceRow }
  | { readonly waiting: ManualLineRow; readonly customerId: string };

/** GET /v2/invoices/lineItems: what stands on open invoices as of now and what waits for later ones, then what was invoiced. */
export async function listLineItems(
  parts: InvoicingParts,
  tx: Tx,
  merchantId: string | null,
  query: LineItemListQuery,
  page: PageRequest,
): Promise<Result<unknown>> {
  const filter = { subscriptionId: query.subscriptionId ?? null, invoiceId: query.invoiceId ?? null };
  if (merchantId === null || (filter.subscriptionId === null && filter.invoiceId === null))
    return invalidField('subscriptionId', 'give subscriptionId or invoiceId');
  const currency = await currencyOf(parts, tx, merchantId, filter);
  if (currency === null) return notFound('invoice', 'invoiceId');
  const pending = query.status === 'invoiced' ? [] : await pendingItems(parts, tx, merchantId, filter);
  const stored = query.status === 'pending' ? null : await sumInvoicedLines(tx, merchantId, filter);
  const first = pending.slice(page.offset, page.offset + page.limit);
  const rest = { limit: page.limit - first.length, offset: Math.max(0, page.offset - pending.length) };
  const lines = stored === null || rest.limit === 0 ? [] : await invoicedLines(tx, merchantId, filter, rest);
  const items = [...first, ...(await withInvoices(tx, merchantId, lines))];
  const total = pending.length + (stored?.count ?? 0);
  const summed = (kind: 'fee' | 'usage', before: Decimal | undefined) =>
    formatMoney(sum([...pending.map((item) => subtotalOf(item, kind)), ...(before ? [before] : [])]), currency);
  return ok({
    ...listReply({ data: await presentItems(tx, merchantId, items), total }, page),
    totalCount: total,
    summary: {
      feeSubtotal: summed('fee', stored?.fees),
      meteredEstimatedSubtotal: summed('usage', stored?.metered),
      currency,
    },
  });
}

async function currencyOf(
  { source }: InvoicingParts,
  tx: Tx,
  merchantId: string,
  { subscriptionId, invoiceId }: LineFilter,
): Promise<string | null> {
  if (invoiceId !== null) return (await findInvoice(tx, merchantId, invoiceId))?.currency ?? null;
  return (await source.terms(tx, merchantId, subscriptionId as string)).currency;
}

async function pendingItems(parts: InvoicingParts, tx: Tx, merchantId: string, filter: LineFilter): Promise<Item[]> {
  const items: Item[] = [];
  const shown = new Set<string>();
  for (const invoice of await openInvoices(tx, merchantId, filter)) {
    for (const line of (await withLiveTotals(parts, tx, invoice)).lines ?? []) {
      shown.add(line.id);
      items.push({ line, invoice });
    }
  }
  if (filter.subscriptionId === null || filter.invoiceId !== null) return items;
  const { customerId } = await parts.source.terms(tx, merchantId, filter.subscriptionId);
  const later = await laterManualLines(tx, merchantId, filter.subscriptionId);
  return [...items, ...later.filter(({ id }) => !shown.has(id)).map((waiting) => ({ waiting, customerId }))];
}

async function withInvoices(tx: Tx, merchantId: string, lines: readonly LineRow[]): Promise<Item[]> {
  const ids = [...new Set(lines.map(({ invoice_id: id }) => id))];
  const invoices = new Map((await invoicesById(tx, merchantId, ids)).map((invoice) => [invoice.id, invoice]));
  return lines.map((line) => ({ line, invoice: invoices.get(line.invoice_id) as InvoiceRow }));
}

async function presentItems(tx: Tx, merchantId: string, items: readonly Item[]) {
  const ids = items.flatMap((item) => ('line' in item && item.line.type === 'manual' ? [item.line.id] : []));
  const manual = new Map((await manualLinesById(tx, merchantId, ids)).map((row) => [row.id, row]));
  return items.map((item) =>
    'line' in item
      ? presentBilled(item.line, item.invoice, manual.get(item.line.id))
      : presentManual(item.waiting, item.customerId),
  );
}

const subtotalOf = (item: Item, kind: 'fee' | 'usage'): Decimal => {
  if ('line' in item) return item.line.event_type === kind ? item.line.total_price : sum([]);
  return kind === 'fee' ? amountOf(item.waiting) : sum([]);
};

const TYPES = { usage: 'metered', fee: 'fee', discount: 'discount' } as const;

function presentBilled(line: LineRow, invoice: InvoiceRow, manual: ManualLineRow | undefined) {
  const money = (amount: Decimal) => formatMoney(amount, invoice.currency);
  const isPending = OPEN_STATES.has(invoice.status);
  const type = line.type === 'manual' ? ('manual' as const) : TYPES[line.event_type];
  const isEstimate = type === 'metered' && isPending;
  const isAhead = !isBefore(line.period_start, invoice.period_end);
  return {
    // What only will be a line has no id yet: it is named by its place on its invoice.
    id: isPending && !manual ? `${invoice.id}_${line.position}` : line.id,
    object: 'lineItem' as const,
    merchantId: invoice.merchant_id,
    subscriptionId: invoice.subscription_id,
    customerId: invoice.customer_id,
    priceId: line.price_id,
    itemId: line.item_id,
    invoiceId: invoice.id,
    type,
    status: isPending ? ('pending' as const) : ('invoiced' as const),
    displayName: line.display_name,
    description: manual?.description ?? (line.metric_description || null),
    currency: invoice.currency,
    periodStart: formatInstant(line.period_start),
    periodEnd: formatInstant(line.period_end),
    invoiceAt: formatInstant(manual?.invoice_at ?? invoice.period_end),
    calculatedAt: isPending ? null : formatInstant(manual?.calculated_at ?? invoice.grace_period_end),
    carriedFromLineItemId: manual?.carried_from_id ?? null,
    quantity: plain(line.quantity),
    unitPrice: plain(line.unit_price),
    meteredQuantity: type === 'metered' && !isPending ? plain(line.quantity) : null,
    paymentTerm: line.price_id === null ? null : isAhead ? ('in_advance' as const) : ('in_arrears' as const),
    subtotal: money(line.total_price),
    taxesTotal: money(line.total_tax),
    total: money(line.total_amount),
    createdAt: formatInstant(manual?.created_at ?? invoice.created_at),
    updatedAt: formatInstant(manual?.updated_at ?? invoice.updated_at),
    estimatedMeteredQuantity: isEstimate ? plain(line.quantity) : null,
    estimatedSubtotal: isEstimate ? money(line.total_price) : null,
  };
}

/** A line by hand; its tax is known on an invoice only. */
export function presentManual(line: ManualLineRow, customerId: string) {
  const subtotal = formatMoney(amountOf(line), line.currency);
  return {
    id: line.id,
    object: 'lineItem' as const,
    merchantId: line.merchant_id,
    subscriptionId: line.subscription_id,
    customerId,
    priceId: null,
    itemId: line.item_id,
    invoiceId: line.invoice_id,
    type: 'manual' as const,
    status: line.calculated_at === null ? ('pending' as const) : ('invoiced' as const),
    displayName: line.display_name,
    description: line.description,
    currency: line.currency,
    periodStart: formatInstant(line.period_start),
    periodEnd: formatInstant(line.period_end),
    invoiceAt: formatInstant(line.invoice_at),
    calculatedAt: line.calculated_at && formatInstant(line.calculated_at),
    carriedFromLineItemId: line.carried_from_id,
    quantity: plain(line.quantity),
    unitPrice: plain(line.unit_price),
    meteredQuantity: null,
    paymentTerm: null,
    subtotal,
    taxesTotal: null,
    total: subtotal,
    createdAt: formatInstant(line.created_at),
    updatedAt: formatInstant(line.updated_at),
    estimatedMeteredQuantity: null,
    estimatedSubtotal: null,
  };
}
