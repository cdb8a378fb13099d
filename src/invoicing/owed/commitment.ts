import { type Decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { type Fraction, NONE, scale, WHOLE } from '../../kernel/fraction.ts';
import { roundTo } from '../../kernel/money.ts';
import { intersect, lengthOf, overlap } from '../../kernel/spans.ts';
import { earliest, type Instant, isAfter, isBefore, type Period } from '../../kernel/time.ts';
import { withoutNoise } from '../rating/index.ts';
import { cadenceOfPrice, type HistoricTerms, pausesIn, segmentAt, segmentsOf, timeIn } from '../timeline/segments.ts';
import { type Cell, cellAt, partOfWhole } from './charges.ts';

/** The commitment of a plan's period, and its charges. */
export interface CommittedPeriod {
  /** For a whole period; null: the plan has no commitment. */
  readonly minimumAmount: Decimal | null;
  /** The billed share of the plan's period. */
  readonly fraction: Fraction;
  /** The charges of the period, of all prices: after discounts, before tax. */
  readonly charged: readonly Decimal[];
  readonly currency: string;
}

/**
 * The amount by which the charges of a period fall short of the plan's commitment, rounded once; 0 where they reach it.
 */
export function rateCommitment({ minimumAmount, fraction, charged, currency }: CommittedPeriod): Decimal {
  if (minimumAmount === null) return ZERO;
  const missing = withoutNoise(scale(minimumAmount, fraction).minus(sum(charged)));
  return missing.gt(0) ? roundTo(missing, currency, 'half-away-from-zero') : ZERO;
}

/**
 * The commitment of a period of the plan's own series: each version's commitment for its time, without pauses. Exact.
 * @returns null where no version has one
 */
export function commitmentOf(terms: HistoricTerms, cell: Cell): Decimal | null {
  const segments = segmentsOf(terms);
  const parts = segments.flatMap(({ minimumAmount, planCadence, start, end }): Decimal[] => {
    if (!overlap({ start, end }, cell) || minimumAmount === null || planCadence !== cell.cadence) return [];
    const spans = timeIn(cell, segments, [{ start, end }], null, pausesIn(segments));
    return spans.length > 0 ? [scale(minimumAmount, partOfWhole(cell, spans))] : [];
  });
  return parts.length === 0 ? null : sum(parts);
}

/** The bill of a price: for which time, on an invoice whose period ends when. */
export interface PriceBill {
  readonly priceId: string;
  readonly period: Period;
  /** The time of it that is not credited. */
  readonly spans: readonly Period[];
  readonly invoiceEnd: Instant;
}

/**
 * The share of a bill that counts for a period of the plan (domain.md §2; docs/decisions/0178). A price of the plan's
 * own cadence, or one that is billed once, counts in the period in which its time begins. A price of another cadence
 * counts by the seconds of its time in the period; in arrears only if its invoice ended by the end of the period, and
 * never if that was a cut of a longer period.
 * @param cell the period as it was billed, and its end as it is now
 */
export function shareOfBill(
  terms: HistoricTerms,
  cell: Cell,
  end: Instant,
  { priceId, period, spans, invoiceEnd }: PriceBill,
): Fraction {
  const held = heldAt(terms, priceId, period);
  if (!held || !isOfOtherSeries(held, cell))
    return isBefore(period.start, cell.start) || !isBefore(period.start, cell.end) ? NONE : WHOLE;
  const share = { numerator: lengthOf(intersect(spans, [{ ...cell, end }])), denominator: lengthOf(spans) };
  if (share.numerator === 0n) return NONE;
  const series = cellAt(terms, held.cadence, period.start);
  if (!(series && held.isArrears)) return share;
  const closed = earliest(series.end, invoiceEnd);
  const isLonger = lengthOf([series.whole]) > lengthOf([cell.whole]);
  return isAfter(closed, end) || (isLonger && isBefore(closed, series.end)) ? NONE : share;
}

/** Does the bill of a price count by seconds for a period of the plan? */
export function isCountedByTime(
  terms: HistoricTerms,
  cell: Cell,
  { priceId, period }: Pick<PriceBill, 'priceId' | 'period'>,
): boolean {
  const held = heldAt(terms, priceId, period);
  return held !== undefined && isOfOtherSeries(held, cell);
}

/** The terms of a price at a time, else at any time. */
function heldAt(terms: HistoricTerms, priceId: string, { start }: Period) {
  const segments = segmentsOf(terms);
  const [held] = [segmentAt(segments, start), ...segments].flatMap((segment) =>
    segment.prices
      .filter(({ id }) => id === priceId)
      .map((price) => ({ cadence: cadenceOfPrice(segment, price), isArrears: price.paymentTerm === 'in_arrears' })),
  );
  return held;
}

const isOfOtherSeries = ({ cadence }: { readonly cadence: string }, cell: Cell): boolean =>
  cadence !== cell.cadence && cadence !== 'P0D';
