import type { Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { type Instant, isBefore, type Period } from '../../kernel/time.ts';
import { tryPreviews } from '../drafts/preview.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { selectInvoices } from '../invoice/invoices.sql.ts';
import type { BillingSource } from '../terms/billing-terms.ts';
import { cadenceOfPrice, versionsOf } from '../timeline/segments.ts';
import { selectNextToClose, selectRunningOfCustomer, selectStartOfPeriod } from './open-invoices.sql.ts';
import { isOpen } from './read.ts';

/** The period of an open invoice. */
export interface RunningPeriod extends Period {
  readonly invoiceId: string;
  readonly clockId: string | null;
}

const toPeriod = (invoice: InvoiceRow, start: Instant): RunningPeriod => ({
  invoiceId: invoice.id,
  clockId: invoice.clockId,
  start,
  end: invoice.periodEnd,
});

/**
 * The open period of the plan's own series, from which a subscription's invoice total runs; null where none is open.
 */
export async function findRunningPeriod(
  source: BillingSource,
  tx: Tx,
  subscriptionId: string,
): Promise<RunningPeriod | null> {
  const { planCadence } = await source.terms(tx, subscriptionId);
  const invoice = await selectNextToClose(tx, subscriptionId, planCadence);
  return invoice ? toPeriod(invoice, invoice.periodStart) : null;
}

/**
 * The open period in which usage of a metric is billed to a customer: that of the subscription which began first of
 * those that price the metric, and of its shortest such series. Early closings do not divide it. Null where nobody
 * bills it.
 */
export async function findUsagePeriod(
  source: BillingSource,
  tx: Tx,
  { customerId, metricId }: { readonly customerId: string; readonly metricId: string },
): Promise<RunningPeriod | null> {
  const running = await selectRunningOfCustomer(tx, customerId);
  let first: { invoice: InvoiceRow; since: Instant } | null = null;
  for (const [id, invoices] of Map.groupBy(running, ({ subscriptionId }) => subscriptionId)) {
    if (id === null) continue;
    const terms = await source.terms(tx, id);
    const version = versionsOf(terms).at(-1) ?? terms;
    const prices = version.prices.filter(({ metric }) => metric?.id === metricId);
    const cadences = new Set(prices.map((price) => cadenceOfPrice(version, price)));
    const invoice = invoices
      .filter(({ billingCadence }) => cadences.has(billingCadence))
      .toSorted((a, b) => Temporal.Instant.compare(a.periodEnd, b.periodEnd))[0];
    const since = terms.bounds.startedAt;
    if (invoice && (first === null || isBefore(since, first.since))) first = { invoice, since };
  }
  return first && toPeriod(first.invoice, await selectStartOfPeriod(tx, first.invoice));
}

/** These have read their usage, and their total follows soon. */
const COMING: ReadonlySet<InvoiceRow['status']> = new Set(['CLOSED', 'CALCULATING']);
/** These have no total that anybody owes. */
const WITHOUT_TOTAL: ReadonlySet<InvoiceRow['status']> = new Set(['FAILED', 'CANCELLED']);

/**
 * The grand total of the invoice of a period, with tax: while its period is open or in its grace what it would come to
 * now, later what it bills. `coming`: it is being calculated. Null where there is none, or none can be calculated now.
 */
export async function findPeriodTotal(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoiceId: string,
): Promise<Decimal | 'coming' | null> {
  return (await findPeriodTotals(dependencies, tx, [invoiceId]))(invoiceId);
}

/** The same of some invoices of one merchant, by their ids. */
export async function findPeriodTotals(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoiceIds: readonly string[],
): Promise<(invoiceId: string) => Decimal | 'coming' | null> {
  const invoices = await selectInvoices(tx, invoiceIds);
  const open = [...invoices.values()].filter(isOpen);
  const previews = await tryPreviews(dependencies, tx, open);
  const live = new Map(open.map(({ id }, place) => [id, previews[place]?.grandTotal ?? null]));
  return (invoiceId) => {
    const invoice = invoices.get(invoiceId);
    if (!invoice || WITHOUT_TOTAL.has(invoice.status)) return null;
    if (COMING.has(invoice.status)) return 'coming';
    if (invoice.failureReason !== null) return null;
    return isOpen(invoice) ? (live.get(invoiceId) ?? null) : invoice.grandTotal;
  };
}
