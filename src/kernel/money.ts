import { minorDigits } from './currency.ts';
import { Decimal, sum, ZERO } from './decimal.ts';

/** The only way in which Reckoner rounds money (domain.md §1); said aloud at every place that rounds. */
export type Rounding = 'half-away-from-zero';

/** Rounds an exact amount to the minor unit of its currency. */
export function roundTo(amount: Decimal, currency: string, _rounding: Rounding): Decimal {
  return amount.toDecimalPlaces(minorDigits(currency), Decimal.ROUND_HALF_UP); // decimal.js: half up = away from zero
}

/** The decimal string of an amount in major units, with exactly the digits of its currency: `57.87`, `1200`, `0.125`. */
export function formatMoney(amount: Decimal, currency: string): string {
  const digits = minorDigits(currency);
  if (!amount.toDecimalPlaces(digits).eq(amount))
    throw new RangeError(`${amount.toFixed()} has more digits than ${currency}.`);
  return (amount.isZero() ? ZERO : amount).toFixed(digits);
}

/**
 * Shares a rounded amount by weights so that the shares sum to it, to the last minor unit (largest remainder;
 * ties go to the earlier share). Where all weights are 0 the first share takes it all.
 */
export function allocate(amount: Decimal, weights: readonly Decimal[], currency: string): Decimal[] {
  if (weights.length === 0) {
    if (!amount.isZero()) throw new RangeError('An amount cannot be shared among nobody.');
    return [];
  }
  const total = sum(weights);
  if (total.isZero()) return weights.map((_, index) => (index === 0 ? amount : ZERO));
  const unit = new Decimal(10).pow(-minorDigits(currency));
  const exact = weights.map((weight) => amount.times(weight).div(total).div(unit));
  const shares = exact.map((share) => share.floor());
  let left = amount.div(unit).minus(sum(shares));
  const order = exact
    .map((share, index) => ({ index, remainder: share.minus(shares[index] as Decimal) }))
    .toSorted((a, b) => b.remainder.comparedTo(a.remainder) || a.index - b.index);
  for (const { index } of order) {
    if (left.lessThanOrEqualTo(0)) break;
    shares[index] = (shares[index] as Decimal).plus(1);
    left = left.minus(1);
  }
  return shares.map((share) => share.times(unit));
}
