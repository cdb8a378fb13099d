import type { Tx } from '../../db/index.ts';
import { addDuration, type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { insertPeriods, lockInvoicesIn, selectLastOfSeries } from '../invoice/invoices.sql.ts';
import { cellOf, endOfPeriod } from '../owed/charges.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';
import { boundsOfSeries, cadencesOf, segmentAt, segmentsOf } from '../timeline/segments.ts';
import { periodHolding } from '../timeline/series.ts';
import { markHeldToBeReadAgain } from '../usage/read-again.ts';
import { removeUnbilledInvoice } from './cancel.ts';
import { closePeriod, cutPeriod } from './close.ts';
import { invoiceOfPeriod } from './open.ts';

/** The terms of a subscription whose history changes at an instant. */
export interface TermsFrom {
  readonly terms: BillingTerms;
  readonly at: Instant;
}

/**
 * Brings the open periods of some subscriptions of one merchant into line with their histories as they stand: each
 * period ends where its series' period does or where the subscription ends, one that would have no length is taken
 * back, one that is over by `at` closes, and each series that holds then has an open invoice. Periods that move are
 * stored one by one: as a rule none does.
 */
export async function alignPeriods(
  dependencies: InvoicingDependencies,
  tx: Tx,
  changes: readonly TermsFrom[],
  now: Instant,
): Promise<void> {
  const [first] = changes;
  if (!first) return;
  const ids = changes.map(({ terms }) => terms.subscriptionId);
  const open = await lockInvoicesIn(tx, ids, ['ACTIVE', 'CLOSING']);
  const byId = Map.groupBy(open, ({ subscriptionId }) => subscriptionId);
  for (const change of changes)
    await alignOne(dependencies, tx, change, byId.get(change.terms.subscriptionId) ?? [], now);
}

/** @param invoices its open and closing ones, locked */
async function alignOne(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { terms, at }: TermsFrom,
  invoices: readonly InvoiceRow[],
  now: Instant,
): Promise<void> {
  let isClosed = false;
  let active = invoices.filter(({ status }) => status === 'ACTIVE');
  for (const invoice of invoices) {
    const end = endOfPeriod(terms, invoice);
    if (end === null) {
      await removeUnbilledInvoice(dependencies, tx, invoice, now);
      active = active.filter((each) => each !== invoice);
      continue;
    }
    const isActive = invoice.status === 'ACTIVE';
    const isMoved = isActive ? !end.equals(invoice.periodEnd) : isBefore(end, invoice.periodEnd);
    const moved = isMoved ? await cutPeriod(tx, invoice, end, addDuration(end, terms.gracePeriod), now) : invoice;
    await readPartsAgain(tx, terms, moved);
    if (!isActive || isAfter(end, at)) continue;
    await closePeriod(tx, terms, moved, 'terminate', now); // and opens the next one
    isClosed = true;
  }
  const { subscriptionId } = terms;
  if (isClosed) active = await lockInvoicesIn(tx, [subscriptionId], ['ACTIVE']);
  await openMissing(tx, terms, { at, active }, now);
}

/**
 * A change moves what goes with the usage of a cut period (flat prices, included units, limits) from one part to
 * another. Where these have other discounts, that is another amount: the closed parts are read again with the last one.
 */
async function readPartsAgain(tx: Tx, terms: BillingTerms, invoice: InvoiceRow): Promise<void> {
  const { start } = cellOf(terms, invoice);
  if (isBefore(start, invoice.periodStart))
    await markHeldToBeReadAgain(tx, [terms.subscriptionId], start.add({ microseconds: 1 }));
}

/** Opens an invoice for each series that has none: it begins, or an invoice that a change had ended is over already. */
async function openMissing(
  tx: Tx,
  terms: BillingTerms,
  { at, active: open }: { readonly at: Instant; readonly active: readonly InvoiceRow[] },
  now: Instant,
): Promise<void> {
  for (const cadence of cadencesOf(segmentAt(segmentsOf(terms), at))) {
    const bounds = boundsOfSeries(terms, cadence, at);
    if (!bounds || open.some((invoice) => invoice.billingCadence === cadence)) continue;
    const last = await selectLastOfSeries(tx, terms, cadence, bounds.anchor);
    const goesOn = last !== undefined && !isBefore(last.periodEnd, bounds.startedAt);
    const startedAt = goesOn ? last.periodEnd : bounds.startedAt;
    const period = periodHolding(cadence, { ...bounds, startedAt }, startedAt);
    const sequence = goesOn ? last.sequenceNumber + 1 : 1;
    if (period)
      await insertPeriods(tx, [invoiceOfPeriod(terms, cadence, { ...period, anchor: bounds.anchor }, sequence)], now);
  }
}
