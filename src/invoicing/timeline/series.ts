import { type Fraction, partOf, WHOLE } from '../../kernel/fraction.ts';
import {
  type Cadence,
  earliest,
  type Instant,
  isBefore,
  isOnce,
  latest,
  normaliseCadence,
  type Period,
  parseCadence,
  periodIndexAt,
  periodNumber,
} from '../../kernel/time.ts';
import type { SeriesBounds } from '../terms/billing-terms.ts';

/** The part of a price that decides on which invoices it stands. */
export interface SeriesPrice {
  /** ISO 8601; null takes the plan's. */
  readonly billingCadence: string | null;
  readonly paymentTerm: 'in_advance' | 'in_arrears';
}

/** A series of invoices: one for each cadence among a subscription's prices, and always one for the plan's own. */
export interface Series<Price> {
  /** Normalised: P12M is P1Y. */
  readonly cadence: string;
  readonly isPlans: boolean;
  readonly prices: readonly Price[];
}

/** The series of a subscription, and the prices that are billed once. */
export interface SeriesOfPlan<Price> {
  /** The plan's own first, the others in the order in which their prices come. */
  readonly series: readonly [Series<Price>, ...Series<Price>[]];
  /** `P0D` in advance: on the upfront invoice. */
  readonly onceInAdvance: readonly Price[];
  /** `P0D` in arrears: on the first invoice of the plan's own series. */
  readonly onceInArrears: readonly Price[];
}

/** Sorts the prices of a plan version into series (domain.md §1, §3). @throws where the plan's cadence is `P0D`. */
export function seriesOf<Price extends SeriesPrice>(
  planCadence: string,
  prices: readonly Price[],
): SeriesOfPlan<Price> {
  if (isOnce(planCadence)) throw new RangeError('A plan has a cadence that recurs.');
  const own = normaliseCadence(planCadence);
  const ofPlan: Price[] = [];
  const others = new Map<string, Price[]>();
  const onceInAdvance: Price[] = [];
  const onceInArrears: Price[] = [];
  const placeOf = (cadence: string, paymentTerm: SeriesPrice['paymentTerm']): Price[] => {
    if (isOnce(cadence)) return paymentTerm === 'in_advance' ? onceInAdvance : onceInArrears;
    if (cadence === own) return ofPlan;
    const known = others.get(cadence) ?? [];
    others.set(cadence, known);
    return known;
  };
  for (const price of prices)
    placeOf(normaliseCadence(price.billingCadence ?? planCadence), price.paymentTerm).push(price);
  const otherSeries = [...others].map(([cadence, list]): Series<Price> => ({ cadence, isPlans: false, prices: list }));
  return {
    series: [{ cadence: own, isPlans: true, prices: ofPlan }, ...otherSeries],
    onceInAdvance,
    onceInArrears,
  };
}

/** A period of a series as it is billed: clipped to the subscription. */
export interface SeriesPeriod extends Period {
  /** Counted from the anchor; the first period's number is 0 where the subscription starts at its anchor. */
  readonly number: number;
  /** The period from boundary to boundary. */
  readonly whole: Period;
  /** The billed share of the whole. */
  readonly fraction: Fraction;
}

/** The number of a subscription's first period: the one that holds its start. */
export const firstPeriodNumber = (cadence: string, { anchor, startedAt }: SeriesBounds): number =>
  periodIndexAt(anchor, cadenceOf(cadence), startedAt);

/** Period `number` of a series, clipped to the subscription; null where nothing of it lies inside. */
export function periodOf(cadence: string, bounds: SeriesBounds, number: number): SeriesPeriod | null {
  const whole = periodNumber(bounds.anchor, cadenceOf(cadence), number);
  const start = latest(whole.start, bounds.startedAt);
  const end = bounds.endsAt === null ? whole.end : earliest(whole.end, bounds.endsAt);
  if (!isBefore(start, end)) return null;
  const isPartial = isBefore(whole.start, start) || isBefore(end, whole.end);
  return { number, start, end, whole, fraction: isPartial ? partOf(whole, start, end) : WHOLE };
}

/**
 * The period after `[…, end)` of period `number`: the rest of that one, where it was closed early, else the next one.
 */
export function periodAfter(cadence: string, bounds: SeriesBounds, number: number, end: Instant): SeriesPeriod | null {
  const remainder = periodOf(cadence, { ...bounds, startedAt: latest(bounds.startedAt, end) }, number);
  return remainder ?? periodOf(cadence, bounds, number + 1);
}

/** The period that holds an instant; null before the start, and at or after the end. */
export function periodHolding(cadence: string, bounds: SeriesBounds, at: Instant): SeriesPeriod | null {
  if (isBefore(at, bounds.startedAt)) return null;
  if (bounds.endsAt !== null && !isBefore(at, bounds.endsAt)) return null;
  return periodOf(cadence, bounds, periodIndexAt(bounds.anchor, cadenceOf(cadence), at));
}

/** The periods of a series from the first on, as long as there are any; endless without an end. */
export function* periodsOf(cadence: string, bounds: SeriesBounds): Generator<SeriesPeriod, void> {
  for (let number = firstPeriodNumber(cadence, bounds); ; number += 1) {
    const period = periodOf(cadence, bounds, number);
    if (!period) return;
    yield period;
  }
}

function cadenceOf(text: string): Cadence {
  const cadence = parseCadence(text);
  if (!cadence) throw new RangeError(`${text} is no cadence.`);
  return cadence;
}
