import { minorDigits } from '../kernel/currency.ts';
import { type Decimal, decimal, plain, sum, ZERO } from '../kernel/decimal.ts';
import { roundTogether } from '../kernel/money.ts';

/** Is tax added to the amounts, or are they quoted with it? */
export type TaxBehavior = 'exclusive' | 'inclusive';

/** A line to tax: its amount after discounts, rounded to the currency; may be negative. */
export interface TaxableLine {
  readonly amount: Decimal;
  /** Percent; null for a line without supply and tax, not even one of 0 % (`wallet_top_up`). */
  readonly taxRate: Decimal | null;
  /** Its tax, if known: a credit returns the billed tax. It is not summed and rounded with its rate. */
  readonly tax?: Decimal;
}

/** A line with its tax: `net + tax = gross`. */
export interface TaxedLine {
  readonly net: Decimal;
  readonly tax: Decimal;
  readonly gross: Decimal;
}

/** The tax of one rate on the whole invoice. */
export interface TaxOfRate {
  readonly rate: Decimal;
  /** The net amount that it is on. */
  readonly base: Decimal;
  readonly amount: Decimal;
}

/**
 * Taxes the lines of an invoice: for each rate the exact taxes of its lines are summed and rounded once, and every line
 * gets one of the two minor units next to its own exact tax, so that the lines sum to the whole (domain.md §4).
 * `inclusive` takes the tax out of the amounts: their sum stays what was quoted.
 * @returns the lines in their order, and the rates, highest first. @throws for an amount that is not rounded.
 */
export function taxLines(
  lines: readonly TaxableLine[],
  behavior: TaxBehavior,
  currency: string,
): { lines: TaxedLine[]; taxes: TaxOfRate[] } {
  for (const { amount } of lines)
    if (amount.decimalPlaces() > minorDigits(currency))
      throw new RangeError(`${plain(amount)} has more digits than ${currency}.`);
  const taxed: TaxedLine[] = lines.map(({ amount }) => ({ net: amount, tax: ZERO, gross: amount }));
  const taxes = [...byRate(lines)].map(([text, places]): TaxOfRate => {
    const rate = decimal(text);
    const indexes = places.filter((index) => lines[index]?.tax === undefined);
    const products = indexes.map((index) => (lines[index] as TaxableLine).amount.times(rate));
    const over = behavior === 'inclusive' ? rate.plus(100) : decimal(100);
    const shares = roundTogether(products, currency, 'half-away-from-zero', over);
    const rounded = new Map(indexes.map((index, position) => [index, shares[position] as Decimal]));
    for (const index of places) {
      const { amount, tax: known } = lines[index] as TaxableLine;
      const tax = known ?? (rounded.get(index) as Decimal);
      taxed[index] =
        behavior === 'inclusive'
          ? { net: amount.minus(tax), tax, gross: amount }
          : { net: amount, tax, gross: amount.plus(tax) };
    }
    const those = places.map((index) => taxed[index] as TaxedLine);
    return { rate, base: sum(those.map(({ net }) => net)), amount: sum(those.map(({ tax }) => tax)) };
  });
  return { lines: taxed, taxes: taxes.toSorted((a, b) => b.rate.comparedTo(a.rate)) };
}

/** The places of the lines of each rate; 20 and 20.00 are one rate. */
function byRate(lines: readonly TaxableLine[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [index, { taxRate }] of lines.entries()) {
    if (taxRate === null) continue;
    if (taxRate.lt(0)) throw new RangeError('A tax rate is not negative.');
    const key = plain(taxRate);
    const known = places.get(key);
    if (known) known.push(index);
    else places.set(key, [index]);
  }
  return places;
}
