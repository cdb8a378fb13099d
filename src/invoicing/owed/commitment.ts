import { type Decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { type Fraction, scale } from '../../kernel/fraction.ts';
import { roundTo } from '../../kernel/money.ts';
import { isAfter, isBefore, type Period } from '../../kernel/time.ts';
import type { BilledPrice } from '../terms/billing-terms.ts';
import { cadenceOfPrice, type HistoricTerms, positionIn, segmentsOf } from '../timeline/segments.ts';
import { type Cell, partOfWhole } from './charges.ts';

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
  const missing = scale(minimumAmount, fraction).minus(sum(charged));
  return missing.gt(0) ? roundTo(missing, currency, 'half-away-from-zero') : ZERO;
}

/**
 * The commitment of a period of the plan's own series: each version's commitment for its time. Exact.
 * @returns null where no version has one
 */
export function commitmentOf(terms: HistoricTerms, cell: Cell): Decimal | null {
  const segments = segmentsOf(terms);
  const parts = segments.flatMap(({ minimumAmount, planCadence, start, end }): Decimal[] => {
    const isInside = isBefore(start, cell.end) && isAfter(end, cell.start);
    if (!isInside || minimumAmount === null || planCadence !== cell.cadence) return [];
    const span = { start: positionIn(cell, segments, start), end: positionIn(cell, segments, end) };
    return isBefore(span.start, span.end) ? [scale(minimumAmount, partOfWhole(cell, [span]))] : [];
  });
  return parts.length === 0 ? null : sum(parts);
}

/**
 * Does a charge count for a period of the plan? One of the plan's own cadence where it is for time of the period, one
 * in advance or once where it begins in it, and one in arrears of another cadence where it ends in it.
 */
export function countsFor(
  terms: HistoricTerms,
  cell: Cell,
  price: Pick<BilledPrice, 'id'>,
  { start, end }: Period,
): boolean {
  const endsLate = segmentsOf(terms).some((segment) =>
    segment.prices.some(
      (each) =>
        each.id === price.id &&
        each.paymentTerm === 'in_arrears' &&
        ![cell.cadence, 'P0D'].includes(cadenceOfPrice(segment, each)),
    ),
  );
  return endsLate
    ? isAfter(end, cell.start) && !isAfter(end, cell.end)
    : !isBefore(start, cell.start) && isBefore(start, cell.end);
}
