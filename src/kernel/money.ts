import { minorDigits } from './currency.ts';
import { Decimal, ZERO } from './decimal.ts';

const AVERAGE_PRICE_DIGITS = 9;

/** The only way in which Reckoner rounds money (domain.md §1); said aloud at every place that rounds. */
export type Rounding = 'half-away-from-zero';

/** Rounds an exact amount to the minor unit of its currency. */
export function roundTo(amount: Decimal, currency: string, _rounding: Rounding): Decimal {
  return amount.toDecimalPlaces(minorDigits(currency), Decimal.ROUND_HALF_UP); // decimal.js: half up = away from zero
}

/**
 * The average price of a unit, with 9 digits after the point: it describes a line, and is never multiplied again. The
 * quantity is not 0.
 */
export const averagePrice = (total: Decimal, quantity: Decimal): Decimal =>
  total.div(quantity).toDecimalPlaces(AVERAGE_PRICE_DIGITS);

/**
 * The decimal string of an amount in major units, with exactly the digits of its currency: `57.87`, `1200`, `0.125`.
 */
export function formatMoney(amount: Decimal, currency: string): string {
  return (amount.isZero() ? ZERO : onGrid(amount, currency)).toFixed(minorDigits(currency));
}

/** The amount itself. @throws if it has more digits than its currency, because a rounding is missing */
function onGrid(amount: Decimal, currency: string): Decimal {
  if (amount.decimalPlaces() > minorDigits(currency))
    throw new RangeError(`${amount.toFixed()} has more digits than ${currency}.`);
  return amount;
}

/**
 * Shares a rounded amount by weights so that the shares sum to it, to the last minor unit (largest remainder;
 * ties go to the earlier share; the shares of −x are those of x, negated). Where the weights sum to 0 the first share
 * takes it all. @throws for an amount that is not rounded, and for one that nobody is there to take.
 */
export function allocate(amount: Decimal, weights: readonly Decimal[], currency: string): Decimal[] {
  const units = toUnits(onGrid(amount, currency), minorDigits(currency));
  if (weights.length === 0) {
    if (units !== 0n) throw new RangeError('An amount cannot be divided among 0 shares.');
    return [];
  }
  const scaled = toIntegers(weights);
  const total = scaled.reduce((a, b) => a + b, 0n);
  if (total === 0n) return weights.map((_, index) => (index === 0 ? amount : ZERO));
  const numerators = scaled.map((weight) => weight * units);
  return fromUnits(largestRemainder(numerators, total, units), currency);
}

/**
 * Rounds exact parts together: their sum is rounded once, and each part becomes one of its two neighbouring minor
 * units, so that the parts sum to the rounded whole (largest remainder, ties to the earlier). 10,000 parts of 0.004 are
 * 40.00, not 0. `over` divides all parts, where dividing them first would lose digits (tax out of inclusive amounts).
 */
export function roundTogether(
  parts: readonly Decimal[],
  currency: string,
  _rounding: Rounding,
  over: Decimal = new Decimal(1),
): Decimal[] {
  if (parts.length === 0) return [];
  const [divisor, ...scaled] = toIntegers([over, ...parts]) as [bigint, ...bigint[]];
  const numerators = scaled.map((part) => part * 10n ** BigInt(minorDigits(currency)));
  const total = numerators.reduce((a, b) => a + b, 0n);
  return fromUnits(largestRemainder(numerators, divisor, divideHalfAwayFromZero(total, divisor)), currency);
}

/**
 * Shares `whole` among `numerators[i] / denominator`, exactly: everything is an integer, because remainders that differ
 * only by the 80th digit of a division would decide ties by chance.
 */
function largestRemainder(numerators: readonly bigint[], denominator: bigint, whole: bigint): bigint[] {
  const sign = whole < 0n ? -1n : 1n; // a negative whole is shared as its mirror image
  const divisor = absolute(denominator);
  const exact = numerators.map((numerator) => (denominator < 0n ? -numerator : numerator) * sign);
  const shares = exact.map((numerator) => floorDivide(numerator, divisor));
  let left = whole * sign - shares.reduce((a, b) => a + b, 0n);
  const order = exact
    .map((numerator, index) => ({ index, remainder: numerator - (shares[index] as bigint) * divisor }))
    .toSorted((a, b) => (a.remainder === b.remainder ? a.index - b.index : a.remainder > b.remainder ? -1 : 1));
  for (const { index } of order) {
    if (left <= 0n) break;
    shares[index] = (shares[index] as bigint) + 1n;
    left -= 1n;
  }
  return shares.map((share) => share * sign);
}

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

/** For a positive divisor. */
const floorDivide = (value: bigint, divisor: bigint): bigint =>
  value / divisor - (value < 0n && value % divisor !== 0n ? 1n : 0n);

const divideHalfAwayFromZero = (value: bigint, divisor: bigint): bigint => {
  const doubled = 2n * absolute(value) + absolute(divisor);
  const quotient = doubled / (2n * absolute(divisor));
  return value < 0n !== divisor < 0n ? -quotient : quotient;
};

const toUnits = (amount: Decimal, digits: number): bigint => BigInt(amount.toFixed(digits).replace('.', ''));

/** One minor unit of a currency: 0.01, 1, 0.001. */
export const minorUnit = (currency: string): Decimal => new Decimal(`1e-${minorDigits(currency)}`);

const fromUnits = (units: readonly bigint[], currency: string): Decimal[] => {
  const unit = minorUnit(currency);
  return units.map((count) => new Decimal(count.toString()).times(unit));
};

/** The decimals times the power of ten that makes integers of all of them. */
function toIntegers(values: readonly Decimal[]): bigint[] {
  const digits = Math.max(...values.map((value) => value.decimalPlaces()));
  return values.map((value) => toUnits(value, digits));
}

/** The fault of an amount that has more digits than its currency, in words. */
export function digitsProblem(currency: string): string {
  const digits = minorDigits(currency);
  if (digits === 0) return `must be a whole number: ${currency} has no decimal places`;
  return `must have at most ${digits} decimal places: ${currency} has ${digits}`;
}
