import { effectiveNowForReading } from '../../clocks/index.ts';
import type { Tx } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { selectCreditNotes } from '../credit-notes/credit-notes.sql.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { selectLines } from '../invoice/invoices.sql.ts';
import { type Standing, standingOf } from '../page/standing.ts';
import { type InvoiceView, viewInvoice } from '../page/view.ts';
import { type OfCustomer, selectDueOfCustomer, selectShownOfCustomer } from './customer-invoices.sql.ts';
import { withLiveTotals } from './read.ts';

/** An invoice in a list, with its status for its customer. */
export interface ListedInvoice {
  readonly invoice: InvoiceRow;
  readonly standing: Standing;
}

const MOST_DUE = 50;
const MOST_NOTES = 100;

/** The invoices that a customer may see, newest first. */
export async function listCustomerInvoices(
  tx: Tx,
  of: OfCustomer,
  page: PageRequest,
  now: Instant,
): Promise<{ invoices: ListedInvoice[]; count: number }> {
  const { rows, total: count } = await selectShownOfCustomer(tx, of, page);
  const invoices: ListedInvoice[] = [];
  for (const invoice of rows) {
    const standing = await standingInList(tx, invoice, now);
    if (standing !== null) invoices.push({ invoice, standing });
  }
  return { invoices, count };
}

/** The invoices for which money is asked of a customer, the oldest due first. */
export async function listDueInvoices(tx: Tx, of: OfCustomer, now: Instant): Promise<ListedInvoice[]> {
  const due: ListedInvoice[] = [];
  for (const invoice of await selectDueOfCustomer(tx, of, MOST_DUE)) {
    const standing = await standingInList(tx, invoice, now);
    if (standing !== null) due.push({ invoice, standing });
  }
  return due;
}

/** Credit notes are looked up only where they decide something. */
async function standingInList(tx: Tx, invoice: InvoiceRow, wall: Instant): Promise<Standing | null> {
  const { id, creditedAmount: credited, livesBySession: hasSession } = invoice;
  const { rows: notes } = credited.isZero()
    ? { rows: [] }
    : await selectCreditNotes(tx, id, { limit: MOST_NOTES, offset: 0 });
  const now = await effectiveNowForReading(tx, invoice.clockId, wall);
  const refund = notes.find(({ kind, status }) => kind === 'refund' && status === 'ISSUED') ?? null;
  return standingOf({ invoice, refund, hasSession, takesCards: true, now });
}

/** The view of one invoice for its customer, with its lines as calculated. */
export interface CustomerInvoice extends InvoiceView {
  readonly rows: readonly LineRow[];
}

const MOST_LINES = 200;

/** @returns null where there is no such invoice of this customer, or none that it may see yet */
export async function viewCustomerInvoice(
  dependencies: Pick<InvoicingDependencies, 'environment'>,
  tx: Tx,
  { customerId, id }: Pick<OfCustomer, 'customerId'> & { readonly id: string },
  wall: Instant,
): Promise<CustomerInvoice | null> {
  const view = await viewInvoice(tx, dependencies.environment, id, wall);
  if (view?.invoice.customerId !== customerId) return null;
  return { ...view, rows: await selectLines(tx, id, -1, MOST_LINES) };
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
