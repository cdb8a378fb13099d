import { type Fraction, WHOLE } from '../kernel/fraction.ts';
import type { Instant, Period } from '../kernel/time.ts';
import type { InvoiceRow } from './invoices.sql.ts';
import { firstPeriodNumber, periodOf, type SeriesBounds, type SeriesPeriod, seriesOf } from './series.ts';
import type { BilledPrice, BillingTerms } from './source.ts';

/** What stands on an invoice: a price, and the time for which it is charged. */
export interface BilledCharge {
  readonly price: BilledPrice;
  /** The dates that its lines bear. */
  readonly period: Period;
  /** What of its whole period that is; of a price that is billed once always all. */
  readonly fraction: Fraction;
}

/** What of the terms decides on it. */
export type ChargingTerms = Pick<BillingTerms, 'planCadence' | 'prices' | 'bounds'>;

/** Which invoice of a period is asked about. */
export type InvoiceOfPeriod = Pick<
  InvoiceRow,
  'billing_cadence' | 'period_number' | 'period_start' | 'period_end' | 'sequence_number'
>;

/**
 * What stands on the invoice of a period (domain.md §3, "Which invoice"): usage and fees in arrears of the period itself, and,
 * unless the subscription ends with it, the fees in advance of the next one, clipped to the planned end. One that ends
 * before its boundary (`closeNow`) leaves those to the invoice of the rest. The first of the plan's own series bears what is
 * billed once in arrears.
 */
export function chargesOn(terms: ChargingTerms, invoice: InvoiceOfPeriod): readonly BilledCharge[] {
  const { billing_cadence: cadence, period_start: start, period_end: end, period_number: number } = invoice;
  const { series, onceInArrears } = seriesOf(terms.planCadence, terms.prices);
  const own = series.find((each) => each.cadence === cadence);
  if (!own) throw new Error(`The plan has no series of ${cadence}.`);
  const period = periodOf(cadence, { anchor: terms.bounds.anchor, startedAt: start, endsAt: end }, number);
  if (!period) throw new Error(`Period ${number} of ${cadence} does not hold ${start.toString()}.`);
  const after = isBoundary(period) ? periodOf(cadence, terms.bounds, number + 1) : null;
  const once = own.isPlans && invoice.sequence_number === 1 ? onceInArrears : [];
  return [
    ...own.prices.filter(({ paymentTerm }) => paymentTerm === 'in_arrears').map((price) => chargeOf(price, period)),
    ...once.map((price): BilledCharge => ({ price, period, fraction: WHOLE })),
    ...(after === null ? [] : inAdvance(own.prices, after)),
  ];
}

/**
 * What is asked before anything is used (domain.md §3, "Upfront payment"): the fees in advance of the first period of each
 * series, and what is billed once in advance, at the start.
 */
export function upfrontCharges(terms: ChargingTerms): readonly BilledCharge[] {
  const { series, onceInAdvance } = seriesOf(terms.planCadence, terms.prices);
  return [
    ...onceInAdvance.map((price): BilledCharge => ({ price, period: momentOf(terms.bounds), fraction: WHOLE })),
    ...series.flatMap(({ cadence, prices }) => {
      const first = periodOf(cadence, terms.bounds, firstPeriodNumber(cadence, terms.bounds));
      return first === null ? [] : inAdvance(prices, first);
    }),
  ];
}

const inAdvance = (prices: readonly BilledPrice[], period: SeriesPeriod): BilledCharge[] =>
  prices.filter(({ paymentTerm }) => paymentTerm === 'in_advance').map((price) => chargeOf(price, period));

const chargeOf = (price: BilledPrice, period: SeriesPeriod): BilledCharge => ({
  price,
  period,
  fraction: period.fraction,
});

const isBoundary = ({ end, whole }: SeriesPeriod): boolean => end.equals(whole.end);

/** What is billed once is for no stretch of time, so nothing of it is ever unused. */
const momentOf = ({ startedAt }: SeriesBounds): { start: Instant; end: Instant } => ({
  start: startedAt,
  end: startedAt,
});
