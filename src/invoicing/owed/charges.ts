import { type Fraction, WHOLE } from '../../kernel/fraction.ts';
import { type Instant, isAfter, isBefore, type Period } from '../../kernel/time.ts';
import type { AdvanceRecord, InvoiceRow } from '../invoice/invoice.ts';
import { isAdditive } from '../rating/index.ts';
import type { BilledPrice } from '../terms/billing-terms.ts';
import {
  boundsOfSeries,
  cadenceOfPrice,
  cadencesOf,
  type HistoricTerms,
  type Segment,
  segmentAt,
  segmentsOf,
  shareOf,
  spansOf,
} from '../timeline/segments.ts';
import { firstPeriodNumber, periodHolding, periodOf, type SeriesPeriod } from '../timeline/series.ts';

/** What stands on an invoice: a price, and the time for which it is charged. */
export interface BilledCharge {
  readonly price: BilledPrice;
  /** The dates that its lines bear. */
  readonly period: Period;
  /** What of its whole period that is; of a price that is billed once always all. */
  readonly fraction: Fraction;
  /** Whose usage counts: where the price was away for a while, not all of `period`. */
  readonly spans: readonly Period[];
  /** Where it goes on in a period of which `closeNow` cut off a part. */
  readonly soFar?: SoFar;
}

/** What of the whole period a price was charged for with all parts of it up to the end of an invoice, and without its own. */
export interface SoFar {
  readonly fraction: Fraction;
  readonly before: Fraction;
}

/** What of the terms decides on it. */
export type ChargingTerms = HistoricTerms;

/** Which invoice of a period is asked about. */
export type InvoiceOfPeriod = Pick<
  InvoiceRow,
  'billing_cadence' | 'period_number' | 'period_start' | 'period_end' | 'sequence_number'
> &
  Partial<Pick<InvoiceRow, 'advances' | 'continues_from'>>;

/**
 * What stands on the invoice of a period (domain.md §3, "Which invoice"): usage and fees in arrears of the period itself, and,
 * unless the subscription ends with it, the fees in advance of the next one, clipped to the planned end. One that ends
 * before its boundary (`closeNow`) leaves those to the invoice of the rest. The invoice of the plan's own series in which a
 * version begins bears what that bills once in arrears.
 *
 * Where the version changes inside the period, each price is charged for the time in which it held. Where a series of the
 * plan's own ends with the invoice because the next version has another one, it bears what that asks in advance.
 */
export function chargesOn(terms: ChargingTerms, invoice: InvoiceOfPeriod): readonly BilledCharge[] {
  const { billing_cadence: cadence, period_start: start, period_end: end, period_number: number } = invoice;
  const bounds = boundsOfSeries(terms, cadence, start);
  if (!bounds) throw new Error(`The plan has no series of ${cadence}.`);
  const period = periodOf(cadence, { anchor: bounds.anchor, startedAt: start, endsAt: end }, number);
  if (!period) throw new Error(`Period ${number} of ${cadence} does not hold ${start.toString()}.`);
  const after = isBoundary(period) ? periodOf(cadence, bounds, number + 1) : null;
  return [
    ...continued(terms, invoice, arrears(terms, cadence, period)),
    ...onceInArrears(terms, cadence, period, invoice.sequence_number === 1),
    ...(after === null ? [] : inAdvance(terms, cadence, after)),
    ...handedOver(terms, cadence, period),
    ...advancesOf(terms, invoice.advances ?? []),
  ];
}

/**
 * What is asked before anything is used (domain.md §3, "Upfront payment"): the fees in advance of the first period of each
 * series, and what is billed once in advance, at the start.
 */
export function upfrontCharges(terms: ChargingTerms): readonly BilledCharge[] {
  const [first] = segmentsOf(terms);
  return [
    ...first.prices
      .filter((price) => isOnce(first, price, 'in_advance'))
      .map((price) => chargedOnce(price, first.start)),
    ...cadencesOf(first).flatMap((cadence) => firstInAdvance(terms, cadence, first.start)),
  ];
}

/** What of the period of each of some series is charged in advance from an instant on. */
export const advancesOf = (terms: ChargingTerms, advances: readonly AdvanceRecord[]): BilledCharge[] =>
  advances.flatMap(({ cadence, from: text }) => {
    const from = Temporal.Instant.from(text);
    const bounds = boundsOfSeries(terms, cadence, from);
    const period = bounds && periodHolding(cadence, bounds, from);
    if (!period) return [];
    return inAdvance(terms, cadence, period).filter((charge) => !isBefore(charge.period.start, from));
  });

/** The prices in arrears of a series, each for the time of the period in which it held. */
function arrears(terms: ChargingTerms, cadence: string, period: SeriesPeriod): BilledCharge[] {
  const segments = segmentsOf(terms);
  return pricesIn(segments, period).flatMap((price): BilledCharge[] => {
    const holds = holding(price, cadence, 'in_arrears');
    const spans = spansOf(period, segments, holds);
    const [first] = spans;
    const last = spans.at(-1);
    if (!(first && last)) return [];
    const fraction = fractionOf(price, period, segments, spans);
    if (fraction.numerator === 0n) return [];
    return [{ price, period: { start: first.start, end: last.end }, fraction, spans }];
  });
}

/**
 * The charges of the rest of a period that `closeNow` cut: usage that adds up goes on, so that it is priced with what the parts
 * before used. Fees and figures that do not add up are for a time, and each part bears its own.
 */
function continued(
  terms: ChargingTerms,
  invoice: InvoiceOfPeriod,
  charges: readonly BilledCharge[],
): readonly BilledCharge[] {
  const { continues_from: since = null, period_start: start, period_end: end } = invoice;
  if (since === null) return charges;
  return charges.map((charge): BilledCharge => {
    const fraction = fractionUpTo(terms, invoice, charge.price, end);
    const before = fractionUpTo(terms, invoice, charge.price, start);
    return fraction && before ? { ...charge, soFar: { fraction, before } } : charge;
  });
}

/**
 * What of the whole period a price is charged for from its beginning, with the parts that `closeNow` cut off, up to an instant.
 * @returns null where it is not charged until then, and where its parts are not priced as one
 */
export function fractionUpTo(
  terms: ChargingTerms,
  { billing_cadence: cadence, period_number: number, ...invoice }: InvoiceOfPeriod,
  price: BilledPrice,
  until: Instant,
): Fraction | null {
  if (!isMeasured(price)) return null;
  const { continues_from: since = null, period_start: start } = invoice;
  const startedAt = since ?? start;
  const bounds = boundsOfSeries(terms, cadence, start);
  const period = bounds && periodOf(cadence, { anchor: bounds.anchor, startedAt, endsAt: until }, number);
  const found = period && arrears(terms, cadence, period).find(({ price: { id } }) => id === price.id);
  return found?.fraction ?? null;
}

/** Is it a price of usage that adds up? */
const isMeasured = ({ metric }: BilledPrice): boolean =>
  metric?.meter !== undefined && isAdditive(metric.meter.aggregation);

/**
 * Usage that adds up is its own measure, so that days do not matter to it: what goes with it is scaled by time, and where a
 * change is not prorated, by nothing. All else is for the time that is paid.
 */
function fractionOf(
  price: BilledPrice,
  period: SeriesPeriod,
  segments: readonly Segment[],
  spans: readonly Period[],
): Fraction {
  if (!isMeasured(price)) return share(period, segments, spans);
  const cuts = segments.filter(({ start }) => isAfter(start, period.start) && isBefore(start, period.end));
  const isCutBy = ({ start }: Segment) => spans.some((span) => span.start.equals(start) || span.end.equals(start));
  if (cuts.filter(isCutBy).some(({ proration }) => proration === 'none')) return period.fraction;
  return share(period, [], spans);
}

/** A period that is billed as it is keeps its own fraction, in which a whole is 1 of 1. */
function share(period: SeriesPeriod, segments: readonly Segment[], spans: readonly Period[]): Fraction {
  const found = shareOf(period, segments, spans);
  const own = period.fraction;
  return found.numerator * own.denominator === own.numerator * found.denominator ? own : found;
}

/** What is billed once in arrears stands where the version began that first had it; of the first version on the first invoice. */
const onceInArrears = (
  terms: ChargingTerms,
  cadence: string,
  period: SeriesPeriod,
  isFirstInvoice: boolean,
): BilledCharge[] =>
  begunIn(terms, cadence, period)
    .filter(({ isFirst }) => !isFirst || isFirstInvoice)
    .flatMap(({ segment, isNew }) =>
      segment.prices
        .filter((price) => isNew(price) && isOnce(segment, price, 'in_arrears'))
        .map((price): BilledCharge => ({ price, period, fraction: WHOLE, spans: [period] })),
    );

/** The prices in advance of a period: a charge for each time in which one holds, and what a later version bills once. */
export function inAdvance(terms: ChargingTerms, cadence: string, period: SeriesPeriod): BilledCharge[] {
  const segments = segmentsOf(terms);
  const recurring = pricesIn(segments, period).flatMap((price) =>
    spansOf(period, segments, holding(price, cadence, 'in_advance')).flatMap((span): BilledCharge[] => {
      const fraction = share(period, segments, [span]);
      return fraction.numerator === 0n ? [] : [{ price, period: span, fraction, spans: [span] }];
    }),
  );
  const once = begunIn(terms, cadence, period)
    .filter(({ isFirst }) => !isFirst)
    .flatMap(({ segment, isNew }) =>
      segment.prices
        .filter((price) => isNew(price) && isOnce(segment, price, 'in_advance'))
        .map((price) => chargedOnce(price, segment.start)),
    );
  return [...once, ...recurring];
}

/**
 * A version that begins as an invoice of the plan's own series ends, and has another series of its own: what all its new
 * series ask in advance of their first periods.
 */
function handedOver(terms: ChargingTerms, cadence: string, { end }: SeriesPeriod): BilledCharge[] {
  const segments = segmentsOf(terms);
  const next = segments.findIndex(({ start }) => start.equals(end));
  const [before, after] = [segments[next - 1], segments[next]];
  if (!(before && after) || before.planCadence !== cadence) return [];
  return cadencesOf(after).flatMap((each) => firstInAdvance(terms, each, end));
}

/** What the first period of a series asks in advance; nothing where the series was there before. */
function firstInAdvance(terms: ChargingTerms, cadence: string, start: Instant): BilledCharge[] {
  const bounds = boundsOfSeries(terms, cadence, start);
  if (!bounds?.startedAt.equals(start)) return [];
  const period = periodOf(cadence, bounds, firstPeriodNumber(cadence, bounds));
  return period === null ? [] : inAdvance(terms, cadence, period);
}

/** The versions that begin in a period of their plan's own series, and which of their prices none had before. */
function begunIn(terms: ChargingTerms, cadence: string, period: Period) {
  const segments = segmentsOf(terms);
  return segments
    .filter(({ planCadence }) => planCadence === cadence)
    .filter(({ start }) => !isBefore(start, period.start) && isBefore(start, period.end))
    .map((segment) => {
      const place = segments.indexOf(segment);
      const earlier = segments.slice(0, place).flatMap(({ prices }) => prices);
      return {
        segment,
        isFirst: place === 0,
        isNew: ({ id }: BilledPrice) => !earlier.some((price) => price.id === id),
      };
    });
}

/** The prices of all versions that hold in a period, each once, in their order. */
function pricesIn(segments: readonly [Segment, ...Segment[]], period: Period): BilledPrice[] {
  const holding = segments.filter(({ start, end }) => isBefore(start, period.end) && isAfter(end, period.start));
  const found = holding.length > 0 ? holding : [segmentAt(segments, period.start)];
  return [...new Map(found.flatMap(({ prices }) => prices).map((price) => [price.id, price])).values()];
}

const holding =
  ({ id }: BilledPrice, cadence: string, term: BilledPrice['paymentTerm']) =>
  (segment: Segment): boolean =>
    segment.prices.some(
      (price) => price.id === id && price.paymentTerm === term && cadenceOfPrice(segment, price) === cadence,
    );

const isOnce = (segment: Segment, price: BilledPrice, term: BilledPrice['paymentTerm']): boolean =>
  price.paymentTerm === term && cadenceOfPrice(segment, price) === 'P0D';

/** What is billed once is for no stretch of time, so nothing of it is ever unused. */
const chargedOnce = (price: BilledPrice, at: Instant): BilledCharge => ({
  price,
  period: { start: at, end: at },
  fraction: WHOLE,
  spans: [],
});

const isBoundary = ({ end, whole }: SeriesPeriod): boolean => end.equals(whole.end);
