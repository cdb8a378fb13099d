import type { Decimal } from './decimal.ts';
import { type Instant, microsecondsBetween, type Period } from './time.ts';

/** An exact share of a whole, for a part of a period: microseconds of the part over those of the whole. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** All of it. */
export const WHOLE: Fraction = { numerator: 1n, denominator: 1n };

/** Nothing of it. */
export const NONE: Fraction = { numerator: 0n, denominator: 1n };

/** Is the fraction exactly 1? */
export const isWhole = ({ numerator, denominator }: Fraction): boolean => numerator === denominator;

/** The part `[start, end)` of a whole period. @throws where the part is not inside the period. */
export function partOf(period: Period, start: Instant, end: Instant): Fraction {
  const denominator = microsecondsBetween(period.start, period.end);
  const before = microsecondsBetween(period.start, start);
  const numerator = microsecondsBetween(start, end);
  const after = microsecondsBetween(end, period.end);
  if (denominator <= 0n || before < 0n || numerator < 0n || after < 0n)
    throw new RangeError('The part does not lie inside the period.');
  return { numerator, denominator };
}

/**
 * An amount times a fraction: multiplied first and divided once, so that what ends (half of 0.01) is exact and what
 * does not (a third) has 80 digits, far more than the distance of any such fraction from a rounding boundary.
 */
export function scale(amount: Decimal, fraction: Fraction): Decimal {
  if (isWhole(fraction)) return amount;
  return amount.times(fraction.numerator.toString()).div(fraction.denominator.toString());
}
