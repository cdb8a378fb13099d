import { effectiveNowsForReading } from '../../clocks/index.ts';
import type { Tx } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { selectRefundsInForce } from '../credit-notes/credit-notes.sql.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { type InvoiceRow, ownerOfLine } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { selectLines } from '../invoice/invoices.sql.ts';
import { type Standing, standingOf } from '../page/standing.ts';
import { type InvoiceView, viewInvoice } from '../page/view.ts';
import { type OfCustomer, selectDueOfCustomer, selectShownOfCustomer } from './customer-invoices.sql.ts';
import { withEachLiveTotals, withLiveTotals } from './read.ts';

/** An invoice in a list, with its status for its customer. */
export interface ListedInvoice {
  readonly invoice: InvoiceRow;
  readonly standing: Standing;
}

const MOST_DUE = 50;

/** The invoices that a customer may see, newest first. */
export async function listCustomerInvoices(
  tx: Tx,
  of: OfCustomer,
  page: PageRequest,
  now: Instant,
): Promise<{ invoices: ListedInvoice[]; count: number }> {
  const { rows, total: count } = await selectShownOfCustomer(tx, of, page);
  const seen = rows.map((row) => asSeenBy(of.customerId, row));
  return { invoices: await withStandings(tx, seen, now), count };
}

/** A grouped invoice as a customer with sections on it sees it, where another one pays: those alone. */
function asSeenBy(customerId: string, invoice: InvoiceRow): InvoiceRow {
  const sections = invoice.sections.filter((section) => section.customerId === customerId);
  if (invoice.customerId === customerId || sections.length === 0) return invoice;
  return { ...invoice, sections, customerId, payerId: invoice.customerId };
}

/** The invoices for which money is asked of a customer, the oldest due first. */
export const listDueInvoices = async (tx: Tx, of: OfCustomer, now: Instant): Promise<ListedInvoice[]> =>
  withStandings(tx, await selectDueOfCustomer(tx, of, MOST_DUE), now);

/** Refunds are looked up only where they decide something. Invoices that no customer may see are left out. */
async function withStandings(tx: Tx, invoices: readonly InvoiceRow[], wall: Instant): Promise<ListedInvoice[]> {
  const credited = invoices.filter(({ creditedAmount }) => !creditedAmount.isZero()).map(({ id }) => id);
  const found = credited.length === 0 ? [] : await selectRefundsInForce(tx, credited);
  const refunds = new Map(found.map((refund) => [refund.invoiceId, refund]));
  const nowOf = await effectiveNowsForReading(
    tx,
    invoices.map(({ clockId }) => clockId),
    wall,
  );
  return invoices.flatMap((invoice) => {
    const { id, clockId, livesBySession: hasSession } = invoice;
    const facts = { invoice, refund: refunds.get(id) ?? null, hasSession, takesCards: true, now: nowOf(clockId) };
    const standing = standingOf(facts);
    return standing === null ? [] : [{ invoice, standing }];
  });
}

/** The view of one invoice for its customer, with its lines as calculated. */
export interface CustomerInvoice extends InvoiceView {
  readonly rows: readonly LineRow[];
}

const MOST_LINES = 200;

/** @returns null where there is no such invoice that this customer has or pays, or none that it may see yet */
export async function viewCustomerInvoice(
  dependencies: Pick<InvoicingDependencies, 'environment'>,
  tx: Tx,
  { customerId, id }: Pick<OfCustomer, 'customerId'> & { readonly id: string },
  wall: Instant,
): Promise<CustomerInvoice | null> {
  const view = await viewInvoice(tx, dependencies.environment, id, wall);
  if (!view) return null;
  const invoice = asSeenBy(customerId, view.invoice);
  if (![invoice.customerId, invoice.payerId].includes(customerId)) return null;
  const rows = await selectLines(tx, id, -1, MOST_LINES);
  if (invoice.kind !== 'grouped' || invoice.payerId === null) return { ...view, rows };
  const own = rows.filter((row) => ownerOfLine(row, view.invoice).customerId === customerId);
  return { ...view, invoice: { ...invoice, itemCount: own.length }, rows: own };
}

/** An open period as it stands now: what would be billed if it ended as it is. */
export interface OpenInvoice {
  readonly invoice: InvoiceRow;
  readonly lines: readonly LineRow[];
}

/** @returns null where it cannot be calculated now */
export async function viewAsOfNow(
  dependencies: InvoicingDependencies,
  tx: Tx,
  stored: InvoiceRow,
): Promise<OpenInvoice | null> {
  const { invoice, lines } = await withLiveTotals(dependencies, tx, stored);
  if (invoice.failureReason !== null) return null;
  return { invoice, lines: lines ?? (await selectLines(tx, stored.id)) };
}

/** The grand totals of open periods of one merchant as of now, by the invoice; null where none can be calculated. */
export async function totalsAsOfNow(
  dependencies: InvoicingDependencies,
  tx: Tx,
  stored: readonly InvoiceRow[],
): Promise<ReadonlyMap<string, Decimal | null>> {
  const live = await withEachLiveTotals(dependencies, tx, stored);
  return new Map(
    live.map(({ invoice: { id, failureReason, grandTotal } }) => [id, failureReason === null ? grandTotal : null]),
  );
}
