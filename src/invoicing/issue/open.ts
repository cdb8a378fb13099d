import type { Tx } from '../../db/index.ts';
import { newId } from '../../kernel/ids.ts';
import { addDuration, type Instant } from '../../kernel/time.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { insertPeriod } from '../invoice/invoices.sql.ts';
import type { BillingTerms, SeriesBounds } from '../terms/billing-terms.ts';
import { boundsOfSeries, cadencesOf, segmentAt, segmentsOf } from '../timeline/segments.ts';
import { firstPeriodNumber, periodAfter, periodOf, type SeriesPeriod } from '../timeline/series.ts';

/** Transition 1: the first invoice of each series opens when billing starts, or a change of the plan begins the series. */
export async function openFirstInvoices(
  tx: Tx,
  terms: BillingTerms,
  now: Instant,
  at: Instant = terms.bounds.startedAt,
): Promise<void> {
  for (const cadence of cadencesOf(segmentAt(segmentsOf(terms), at))) {
    const bounds = boundsOfSeries(terms, cadence, at);
    if (!bounds?.startedAt.equals(at)) continue; // it goes on
    const period = periodOf(cadence, bounds, firstPeriodNumber(cadence, bounds));
    if (period) await openInvoice(tx, terms, cadence, { ...period, anchor: bounds.anchor }, 1, now);
  }
}

/**
 * Transition 1: the next invoice of a series opens as the period before it ends, unless the subscription ended with it. After
 * one that was closed early (row 2, `closeNow`) that is the invoice of the rest.
 */
export async function openNextInvoice(tx: Tx, terms: BillingTerms, invoice: InvoiceRow, now: Instant): Promise<void> {
  const { billing_cadence: cadence } = invoice;
  const bounds = boundsOfSeries(terms, cadence, invoice.period_start);
  if (!bounds) throw new Error(`The plan has no series of ${cadence}.`);
  const period = periodAfter(cadence, bounds, invoice.period_number, invoice.period_end);
  if (!period) return;
  const { anchor } = bounds;
  await openInvoice(tx, terms, cadence, { ...period, anchor }, invoice.sequence_number + 1, now);
}

/** Once for each period: the unique index on (merchant, subscription, cadence, start) makes a second attempt do nothing. */
export async function openInvoice(
  tx: Tx,
  terms: BillingTerms,
  cadence: string,
  period: SeriesPeriod & Pick<SeriesBounds, 'anchor'>,
  sequence: number,
  now: Instant,
): Promise<void> {
  const { start, end } = period;
  await insertPeriod(
    tx,
    {
      merchant_id: terms.merchantId,
      id: newId('invoice'),
      kind: 'subscription',
      status: 'ACTIVE',
      customer_id: terms.customerId,
      subscription_id: terms.subscriptionId,
      clock_id: terms.clockId,
      currency: terms.currency,
      billing_cadence: cadence,
      billing_anchor: period.anchor,
      period_number: period.number,
      period_start: start,
      period_end: end,
      grace_period_end: addDuration(end, terms.gracePeriod),
      sequence_number: sequence,
      auto_approve: terms.autoApprove,
      payment_term_days: terms.paymentTermDays,
      next_action_at: end,
    },
    now,
  );
}
