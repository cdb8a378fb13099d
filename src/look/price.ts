import { minorDigits } from '../kernel/currency.ts';
import { type Decimal, decimal, plain } from '../kernel/decimal.ts';

/** Prices of a unit with more digits than these are shown for more units. */
const MOST_DIGITS = 4;
/** A price above this is no easier to read than its digits: endless averages would become millions. */
const MOST_PRICE = 10_000;
const COUNTS = [1000, 1_000_000, 1_000_000_000];

/**
 * For how many units the prices of one list are shown: the fewest of which each price has no more digits than money
 * needs, so that `0.00000015` and `0.000003` stand as `0.15` and `3.00` per 1,000,000. One list has one scale, so that
 * its prices can be compared.
 * @param prices of one unit each
 */
export function scaleOf(prices: readonly (Decimal | string)[], currency: string): number {
  const digits = minorDigits(currency);
  const values = prices.map((price) => decimal(price));
  if (values.every((value) => value.decimalPlaces() <= Math.max(MOST_DIGITS, digits))) return 1;
  const most = Math.max(MOST_DIGITS, digits);
  const isShort = (count: number, places: number): boolean =>
    values.every((value) => value.times(count).decimalPlaces() <= places && value.times(count).abs().lt(MOST_PRICE));
  return COUNTS.find((count) => isShort(count, digits)) ?? COUNTS.find((count) => isShort(count, most)) ?? 1;
}

/** For how many units a price is shown. */
export type Scale = number | string;

/** A price of one unit for so many. */
export const priceFor = (price: Decimal | string, scale: Scale): string => plain(decimal(price).times(scale));

/** The unit in which quantities and prices are shown: so many units, under a name (commercial.md §5). */
export interface DisplayUnit {
  readonly per: string;
  readonly name: string;
}

/** The digits behind the point of a division that does not end; it has more of them than any that ends. */
const DIGITS_SHOWN = 12;
const MOST_PLACES = 60;

/** A quantity in a display unit, with all its digits, where they end. */
export function quantityIn(quantity: Decimal | string, { per }: DisplayUnit): string {
  const shown = decimal(quantity).div(per);
  return plain(shown.decimalPlaces() < MOST_PLACES ? shown : shown.toDecimalPlaces(DIGITS_SHOWN));
}
