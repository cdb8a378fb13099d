import { minorDigits } from '../kernel/currency.ts';
import { Decimal } from '../kernel/decimal.ts';
import { minorUnit } from '../kernel/money.ts';

/** An exact quotient. The denominator is above 0. */
export interface Quotient {
  readonly over: bigint;
  readonly value: bigint;
}

export const NOTHING: Quotient = { value: 0n, over: 1n };

/** A decimal divided by a whole number. */
export function quotient(amount: Decimal, divisor = 1n): Quotient {
  const digits = amount.decimalPlaces();
  return reduced({
    value: BigInt(amount.times(new Decimal(10).pow(digits)).toFixed(0)),
    over: 10n ** BigInt(digits) * divisor,
  });
}

/** The exact sum. */
export const plus = (a: Quotient, b: Quotient): Quotient =>
  reduced({ value: a.value * b.over + b.value * a.over, over: a.over * b.over });

/** The exact product. */
export const times = (a: Quotient, b: Quotient): Quotient =>
  reduced({ value: a.value * b.value, over: a.over * b.over });

/** @throws for a divisor that is not above 0 */
export function dividedBy(a: Quotient, b: Quotient): Quotient {
  if (b.value <= 0n) throw new RangeError('An amount is divided by something above 0.');
  return reduced({ value: a.value * b.over, over: a.over * b.value });
}

/** The exact amount, rounded once to the minor unit of its currency. */
export function toMoney({ value, over }: Quotient, currency: string, _rounding: 'half-away-from-zero'): Decimal {
  const scaled = value * 10n ** BigInt(minorDigits(currency));
  const size = scaled < 0n ? -scaled : scaled;
  const units = (2n * size + over) / (2n * over);
  return new Decimal((scaled < 0n ? -units : units).toString()).times(minorUnit(currency));
}

function reduced({ value, over }: Quotient): Quotient {
  const divisor = greatestCommonDivisor(value < 0n ? -value : value, over);
  return { value: value / divisor, over: over / divisor };
}

const greatestCommonDivisor = (a: bigint, b: bigint): bigint => (b === 0n ? a : greatestCommonDivisor(b, a % b));
