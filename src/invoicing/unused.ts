import { Decimal, plain } from '../kernel/decimal.ts';
import { roundTo } from '../kernel/money.ts';
import { earliest, type Instant, isBefore, microsecondsBetween } from '../kernel/time.ts';
import { inAdvance } from './charges.ts';
import { boundsOfSeries, cadenceOfPrice, type HistoricTerms, positionIn, segmentAt, segmentsOf } from './history.ts';
import { periodHolding } from './series.ts';

/** A charge in advance as it was billed, with its discounts and limits. */
export interface BilledAhead {
  readonly priceId: string;
  readonly start: Instant;
  readonly end: Instant;
  /** Net of tax. */
  readonly amount: Decimal;
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
}

/**
 * What is not used of a charge that was billed in advance (domain.md §3, "Credits for unused in-advance charges"): from where
 * the terms as they are now charge its price no longer. At the amount and the tax rate at which it was billed.
 * @param before the terms as they were when it was billed
 * @returns null where all of it is used.
 */
export function unusedPart(
  charge: BilledAhead,
  before: HistoricTerms,
  after: HistoricTerms,
  currency: string,
): UnusedPart | null {
  const cadence = cadenceOf(charge, before);
  if (cadence === null) return null;
  const bounds = boundsOfSeries(before, cadence, charge.start);
  const period = bounds && periodHolding(cadence, { ...bounds, endsAt: null }, charge.start);
  if (!period) return null;
  const from = usedUntil(charge, cadence, after, period.whole);
  if (!isBefore(from, charge.end)) return null;
  const segments = segmentsOf(after);
  const position = (at: Instant) => positionIn(period, segments, at);
  const all = microsecondsBetween(charge.start, charge.end);
  const unused = from.equals(charge.start) ? all : microsecondsBetween(position(from), position(charge.end));
  const of = from.equals(charge.start) ? all : microsecondsBetween(position(charge.start), position(charge.end));
  if (unused <= 0n || of <= 0n) return null;
  const amount = rounded(charge.amount.times(plain(big(unused))).div(plain(big(of))), currency);
  return { from, to: charge.end, amount, tax: rounded(amount.times(charge.taxRate).div(100), currency) };
}

const big = (count: bigint): Decimal => new Decimal(count.toString());

const rounded = (amount: Decimal, currency: string): Decimal => roundTo(amount, currency, 'half-away-from-zero');

/** Do terms charge its price in advance where it begins? Of two changes at that instant only the later one is among them. */
export const isChargedAhead = (charge: BilledAhead, terms: HistoricTerms): boolean => cadenceOf(charge, terms) !== null;

/** The series on which a price in advance stood; null for what was billed in arrears or once. */
function cadenceOf({ priceId, start }: BilledAhead, before: HistoricTerms): string | null {
  const segment = segmentAt(segmentsOf(before), start);
  const price = segment.prices.find(({ id, paymentTerm }) => id === priceId && paymentTerm === 'in_advance');
  if (!price) return null;
  const cadence = cadenceOfPrice(segment, price);
  return cadence === 'P0D' ? null : cadence;
}

/** Up to where the charge that begins there is one still; its own start where there is none any more. */
function usedUntil(
  { priceId, start, end }: BilledAhead,
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
