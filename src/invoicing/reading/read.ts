import { resolveItems } from '../../catalog/index.ts';
import { findPayers } from '../../customers/index.ts';
import type { PageRequest, Tx } from '../../db/index.ts';
import { forbidden, notFound, ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Calculation } from '../calculation/calculation.ts';
import { toInvoiceLineReply, toInvoiceReply } from '../documents/present.ts';
import type { KnownTerms } from '../drafts/freeze-terms.ts';
import { tryPreviews } from '../drafts/preview.ts';
import { lineRows } from '../drafts/save-calculations.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { selectInvoice, selectLines } from '../invoice/invoices.sql.ts';
import type { InvoiceListQuery, InvoiceQuery } from '../invoice/schemas.ts';
import { sessionUrls } from '../paying/sessions.ts';
import { readInvoiceFilters } from './invoice-filters.ts';
import { selectInvoicePage } from './invoice-list.sql.ts';

/** So many are calculated in one turn of the event loop. */
const PREVIEWS_AT_ONCE = 10;
/** The default number of lines on a page. */
const LINES_PER_PAGE = 100;

/** One invoice; the totals of an open period are those as of now (domain.md §4, row 1). */
export async function readInvoice(
  dependencies: InvoicingDependencies,
  tx: Tx,
  id: string,
  query: InvoiceQuery,
): Promise<Result<unknown>> {
  const stored = await selectInvoice(tx, id);
  return stored ? ok(await showInvoice(dependencies, tx, stored, query)) : notFound('invoice');
}

/** The same of an invoice as it is stored. @param known the terms of its subscription; loaded if absent */
export async function showInvoice(
  dependencies: InvoicingDependencies,
  tx: Tx,
  stored: InvoiceRow,
  query: InvoiceQuery,
  known?: KnownTerms,
) {
  const { invoice, lines } = await withLiveTotals(dependencies, tx, stored, known);
  const [shown] = await toInvoiceReplies(dependencies, tx, [invoice]);
  if (query.expand !== 'lineItems') return shown;
  const page = { limit: query.lineItemsLimit ?? LINES_PER_PAGE, pageToken: query.lineItemsPageToken };
  return { ...shown, lineItems: pageOfLines(invoice, lines ?? (await storedLines(tx, invoice, page)), page) };
}

/** The lines of an invoice, paged; of an open period as they stand now. */
export async function readLines(
  dependencies: InvoicingDependencies,
  tx: Tx,
  id: string,
  query: { limit?: number; pageToken?: string; expand?: 'items'; provider?: string },
): Promise<Result<unknown>> {
  const stored = await selectInvoice(tx, id);
  if (!stored) return notFound('invoice');
  const { invoice, lines } = await withLiveTotals(dependencies, tx, stored);
  const page = { limit: query.limit ?? LINES_PER_PAGE, pageToken: query.pageToken };
  const shown = pageOfLines(invoice, lines ?? (await storedLines(tx, invoice, page)), page);
  if (query.expand !== 'items') return ok(shown);
  const itemIds = [...new Set(shown.lineItems.map(({ itemId }) => itemId).filter((itemId) => itemId !== null))];
  return ok({ ...shown, items: await resolveItems(tx, itemIds, query.provider) });
}

/** A list of invoices. `nextActionAt=ready` is the platform's (§5). */
export async function readInvoices(
  dependencies: InvoicingDependencies,
  tx: Tx,
  scope: { merchantId: string | null; isOperator: boolean },
  query: InvoiceListQuery,
  page: PageRequest,
  now: Instant,
): Promise<Result<{ data: unknown[]; total: number }>> {
  if (query.nextActionAt === 'ready' && !scope.isOperator) return forbidden('nextActionAt is for platform operators.');
  const filters = readInvoiceFilters(query, now);
  if (!filters.ok) return filters;
  const { rows, total } = await selectInvoicePage(tx, scope.merchantId, filters.value, page);
  const live = new Map<string, InvoiceRow>();
  for (const [merchantId, own] of Map.groupBy(rows, (row) => row.merchantId)) // an operator's list has several
    for (const { invoice } of await withEachLiveTotals(dependencies, tx.of(merchantId), own))
      live.set(invoice.id, invoice);
  const shown = rows.map(({ id }) => live.get(id) as InvoiceRow);
  return ok({ data: await toInvoiceReplies(dependencies, tx, shown), total });
}

/** Invoices as answered, with the addresses at which they can be paid. */
export async function toInvoiceReplies(dependencies: InvoicingDependencies, tx: Tx, invoices: readonly InvoiceRow[]) {
  const urls = await sessionUrls(dependencies, tx, invoices);
  return (await withPayers(tx, invoices)).map((invoice) =>
    toInvoiceReply(invoice, { publicUrl: dependencies.publicUrl, sessionUrl: urls.get(invoice.id) }),
  );
}

/** Invoices of some merchants with who pays them: one that is not issued yet, who pays for its customer now. */
async function withPayers(tx: Tx, invoices: readonly InvoiceRow[]): Promise<InvoiceRow[]> {
  const unissued = invoices.filter(({ issuedAt }) => issuedAt === null);
  const payers = new Map<string, string>();
  for (const [merchantId, own] of Map.groupBy(unissued, (row) => row.merchantId))
    for (const [id, payerId] of await findPayers(
      tx.of(merchantId),
      own.map(({ customerId }) => customerId),
    ))
      payers.set(id, payerId);
  return invoices.map((invoice) =>
    invoice.issuedAt === null ? { ...invoice, payerId: payers.get(invoice.customerId) ?? null } : invoice,
  );
}

export const OPEN_STATES: ReadonlySet<string> = new Set(['ACTIVE', 'CLOSING']);

/** Is this the invoice of a period that is not closed yet? */
export const isOpen = ({ status, subscriptionId }: InvoiceRow): boolean =>
  OPEN_STATES.has(status) && subscriptionId !== null;

/** An invoice as it stands, and the lines of a period that is not closed yet; null: they are stored. */
interface Standing {
  readonly invoice: InvoiceRow;
  readonly lines: LineRow[] | null;
}

/**
 * Invoices of one merchant, in their order. One whose period is not closed yet shows what it comes to now; nothing of
 * it is stored. Where that cannot be calculated it says so by its `failureReason`, as the invoice itself will, and the
 * others of a list are shown all the same.
 */
export async function withEachLiveTotals(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoices: readonly InvoiceRow[],
  known?: KnownTerms,
): Promise<Standing[]> {
  const open = invoices.filter(isOpen);
  const previewOf = new Map<string, Calculation | null>();
  for (let from = 0; from < open.length; from += PREVIEWS_AT_ONCE) {
    const those = open.slice(from, from + PREVIEWS_AT_ONCE);
    for (const [index, preview] of (await tryPreviews(dependencies, tx, those, known)).entries())
      previewOf.set((those[index] as InvoiceRow).id, preview);
  }
  return invoices.map((invoice) => {
    const preview = previewOf.get(invoice.id);
    if (preview === undefined) return { invoice, lines: null };
    if (preview === null) return { invoice: { ...invoice, failureReason: 'CALCULATION_FAILED' }, lines: [] };
    const { lines, subtotal, totalTax, grandTotal } = preview;
    return {
      invoice: { ...invoice, subtotal, totalTax, grandTotal, unpaidAmount: grandTotal, itemCount: lines.length },
      lines: lineRows(invoice, preview, (position) => `preview_${position}`),
    };
  });
}

/** The same of one invoice. @param known the terms of its subscription; loaded if absent */
export async function withLiveTotals(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  known?: KnownTerms,
): Promise<Standing> {
  const [standing] = await withEachLiveTotals(dependencies, tx, [invoice], known);
  return standing as Standing;
}

interface LinePage {
  readonly limit: number;
  readonly pageToken?: string | undefined;
}

/** One line more than the page holds, which tells that there is a next one. */
const storedLines = (tx: Tx, invoice: InvoiceRow, { limit, pageToken }: LinePage): Promise<LineRow[]> =>
  selectLines(tx, invoice.id, Number(pageToken ?? 0) - 1, limit + 1);

/** A page token is the position of the page's first line. */
function pageOfLines(invoice: InvoiceRow, lines: readonly LineRow[], { limit, pageToken }: LinePage) {
  const following = lines.filter(({ position }) => position >= Number(pageToken ?? 0));
  const page = following.slice(0, limit);
  return {
    invoiceId: invoice.id,
    lineItems: page.map((line) => toInvoiceLineReply(line, invoice)),
    nextPageToken: following.length > limit ? String((page.at(-1)?.position ?? 0) + 1) : null,
    totalCount: invoice.itemCount,
  };
}
