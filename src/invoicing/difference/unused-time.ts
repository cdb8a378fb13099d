import { Decimal, plain } from '../../kernel/decimal.ts';
import type { Fraction } from '../../kernel/fraction.ts';
import { roundTo } from '../../kernel/money.ts';
import { earliest, type Instant, isBefore, latest, microsecondsBetween } from '../../kernel/time.ts';
import { inAdvance } from '../owed/charges.ts';
import {
  boundsOfSeries,
  cadenceOfPrice,
  type HistoricTerms,
  positionIn,
  segmentAt,
  segmentsOf,
} from '../timeline/segments.ts';
import { periodHolding } from '../timeline/series.ts';

/** A charge for a time as it was billed, with its discounts and limits. */
export interface BilledForTime {
  readonly priceId: string;
  readonly start: Instant;
  readonly end: Instant;
  /** Net of tax. */
  readonly amount: Decimal;
  /** What of it only fills up to the minimum of its price. */
  readonly minimum: Decimal;
  /** Percent. */
  readonly taxRate: Decimal;
}

/** What of a billed charge is not used. */
export interface UnusedPart {
  readonly from: Instant;
  readonly to: Instant;
  /** Net of tax, rounded to the currency. */
  readonly amount: Decimal;
  readonly tax: Decimal;
  /** What of the time of the charge it is, as money counts it. */
  readonly share: Fraction;
}

/**
 * What is not used of a fee that was billed (domain.md §3, Ends and Credits): of one in advance from where the terms as
 * they are now charge its price no longer; of one in arrears what lies after an end that was set back. At the amount
 * and the tax rate at which it was billed. Usage stays billed; the minimum of its price is for a time, too.
 * @param before the terms as they were when it was billed
 * @returns null where all of it is used.
 */
export function unusedPart(
  charge: BilledForTime,
  before: HistoricTerms,
  after: HistoricTerms,
  currency: string,
): UnusedPart | null {
  const stood = seriesOfCharge(charge, before);
  if (stood === null) return null;
  const { cadence, isAhead, isUsage } = stood;
  const bounds = boundsOfSeries(before, cadence, charge.start);
  const period = bounds && periodHolding(cadence, { ...bounds, endsAt: null }, charge.start);
  if (!period) return null;
  const from = isAhead ? usedUntil(charge, cadence, after, period.whole) : usedToEnd(charge, after);
  if (!isBefore(from, charge.end)) return null;
  const segments = segmentsOf(after);
  const position = (at: Instant) => positionIn(period, segments, at);
  const all = microsecondsBetween(charge.start, charge.end);
  const unused = from.equals(charge.start) ? all : microsecondsBetween(position(from), position(charge.end));
  const of = from.equals(charge.start) ? all : microsecondsBetween(position(charge.start), position(charge.end));
  if (unused <= 0n || of <= 0n) return null;
  const inShare = rounded(charge.amount.times(plain(big(unused))).div(plain(big(of))), currency);
  const amount = isUsage ? Decimal.min(inShare, charge.minimum) : inShare; // what was used stays billed
  const tax = rounded(amount.times(charge.taxRate).div(100), currency);
  return { from, to: charge.end, amount, tax, share: { numerator: unused, denominator: of } };
}

const big = (count: bigint): Decimal => new Decimal(count.toString());

const rounded = (amount: Decimal, currency: string): Decimal => roundTo(amount, currency, 'half-away-from-zero');

/**
 * Do terms charge its price for the time where it begins? Of two changes at that instant only the later one is among
 * them.
 */
export const isChargedForTime = (charge: BilledForTime, terms: HistoricTerms): boolean =>
  seriesOfCharge(charge, terms) !== null;

/**
 * The series on which a charge for a time stood, and of what; null for usage without a minimum, and for what was billed
 * once.
 */
function seriesOfCharge(
  { priceId, start, minimum }: BilledForTime,
  before: HistoricTerms,
): { readonly cadence: string; readonly isAhead: boolean; readonly isUsage: boolean } | null {
  const segment = segmentAt(segmentsOf(before), start);
  const price = segment.prices.find(({ id }) => id === priceId);
  if (!price) return null;
  const [cadence, isUsage] = [cadenceOfPrice(segment, price), price.metric !== null];
  if (cadence === 'P0D' || (isUsage && !minimum.gt(0))) return null;
  return { cadence, isAhead: price.paymentTerm === 'in_advance', isUsage };
}

/**
 * Up to where a fee in arrears was for time of the subscription: only its end can be set back, all else was known as it
 * was billed.
 */
const usedToEnd = ({ start, end }: BilledForTime, { bounds: { endsAt } }: HistoricTerms): Instant =>
  endsAt === null ? end : earliest(latest(start, endsAt), end);

/** Up to where the charge that begins there is one still; its own start where there is none any more. */
function usedUntil(
  { priceId, start, end }: BilledForTime,
  cadence: string,
  after: HistoricTerms,
  whole: { start: Instant; end: Instant },
): Instant {
  const bounds = boundsOfSeries(after, cadence, start);
  const period = bounds && periodHolding(cadence, bounds, start);
  if (!(period?.whole.start.equals(whole.start) && period.whole.end.equals(whole.end))) return start;
  const kept = inAdvance(after, cadence, period).find(
    ({ price, period: span }) => price.id === priceId && span.start.equals(start),
  );
  return kept ? earliest(kept.period.end, end) : start;
}
