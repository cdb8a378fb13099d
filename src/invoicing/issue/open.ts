import type { Tx } from '../../db/index.ts';
import { addDuration, type Instant } from '../../kernel/time.ts';
import type { InvoiceRow, NewPeriod } from '../invoice/invoice.ts';
import { insertPeriods } from '../invoice/invoices.sql.ts';
import type { BillingTerms, SeriesBounds } from '../terms/billing-terms.ts';
import { boundsOfSeries, cadencesOf, segmentAt, segmentsOf } from '../timeline/segments.ts';
import { firstPeriodNumber, periodAfter, periodOf, type SeriesPeriod } from '../timeline/series.ts';

/**
 * Transition 1: the first invoice of each series opens when billing starts, or a change of the plan begins the series.
 */
export async function openFirstInvoices(
  tx: Tx,
  terms: BillingTerms,
  now: Instant,
  at: Instant = terms.bounds.startedAt,
): Promise<void> {
  const first = cadencesOf(segmentAt(segmentsOf(terms), at)).flatMap((cadence) => {
    const bounds = boundsOfSeries(terms, cadence, at);
    if (!bounds?.startedAt.equals(at)) return []; // it goes on
    const period = periodOf(cadence, bounds, firstPeriodNumber(cadence, bounds));
    return period ? [invoiceOfPeriod(terms, cadence, { ...period, anchor: bounds.anchor }, 1)] : [];
  });
  await insertPeriods(tx, first, now);
}

/**
 * Transition 1: the next invoice of a series opens as the period before it ends, unless the subscription ended with it.
 * After one that was closed early (row 2, `closeNow`) that is the invoice of the remainder.
 */
export function nextInvoice(terms: BillingTerms, invoice: InvoiceRow): NewPeriod | null {
  const { billingCadence: cadence } = invoice;
  const bounds = boundsOfSeries(terms, cadence, invoice.periodStart);
  if (!bounds) throw new Error(`The plan has no series of ${cadence}.`);
  const period = periodAfter(cadence, bounds, invoice.periodNumber, invoice.periodEnd);
  const { anchor } = bounds;
  return period && invoiceOfPeriod(terms, cadence, { ...period, anchor }, invoice.sequenceNumber + 1);
}

/** The invoice of a period as it is opened. */
export const invoiceOfPeriod = (
  terms: BillingTerms,
  cadence: string,
  { start, end, number, anchor }: SeriesPeriod & Pick<SeriesBounds, 'anchor'>,
  sequence: number,
): NewPeriod => ({
  merchantId: terms.merchantId,
  kind: 'subscription',
  status: 'ACTIVE',
  customerId: terms.customerId,
  subscriptionId: terms.subscriptionId,
  clockId: terms.clockId,
  currency: terms.currency,
  billingCadence: cadence,
  billingAnchor: anchor,
  periodNumber: number,
  periodStart: start,
  periodEnd: end,
  gracePeriodEnd: addDuration(end, terms.gracePeriod),
  sequenceNumber: sequence,
  autoApprove: terms.autoApprove,
  paymentTermDays: terms.paymentTermDays,
  nextActionAt: end,
});
