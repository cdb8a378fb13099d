import { type Decimal, decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { roundTo } from '../../kernel/money.ts';
import type { RatedLine } from '../rating/index.ts';
import type { BilledPrice } from '../terms/billing-terms.ts';

/** An amount as units at one price of the price list. */
export interface AtOnePrice {
  readonly units: Decimal;
  readonly unitPrice: Decimal;
}

/** A line of a charge, as far as its price is asked. */
type PricedLine = Pick<RatedLine, 'kind' | 'quantity' | 'unitPrice' | 'totalPrice'>;

/** As many digits of a quantity as a price may have; a quantity with more is said as an amount. */
const MOST_DIGITS = 12;

const amountOf = ({ units, unitPrice }: AtOnePrice, currency: string): Decimal =>
  roundTo(units.times(unitPrice), currency, 'half-away-from-zero');

/**
 * The charges of a price as units at one price. Null if no such price tells the amount: of tiers, packages, percentages
 * and included units, and of charges with a discount or a limit (docs/decisions/0218).
 */
export function atOnePrice(
  { pricing }: BilledPrice,
  lines: readonly PricedLine[],
  currency: string,
): AtOnePrice | null {
  const charges = lines.filter(({ kind }) => kind === 'charge');
  const [first] = charges;
  if (first === undefined || lines.some(({ kind, totalPrice }) => kind !== 'charge' && !totalPrice.isZero()))
    return null;
  const { unitPrice } = first;
  const isListed = pricesOf(pricing).some((price) => unitPrice.eq(price));
  if (!isListed || charges.some((line) => !line.unitPrice.eq(unitPrice))) return null;
  const whole = { units: sum(charges.map(({ quantity }) => quantity)), unitPrice };
  return amountOf(whole, currency).eq(sum(charges.map(({ totalPrice }) => totalPrice))) ? whole : null;
}

/** The prices of a unit on the price list. */
function pricesOf({ model, properties }: BilledPrice['pricing']): readonly Decimal[] {
  switch (model) {
    case 'standard':
      return [decimal(properties.unitPrice)];
    case 'dynamic':
      return [decimal(properties.multiplier ?? '1')];
    case 'matrix':
      return [...properties.cells.map(({ unitPrice }) => decimal(unitPrice)), decimal(properties.default)];
    default:
      return [];
  }
}

/**
 * An amount in two: units at the same price on both sides, which are all units together. The units of the first part
 * come to it exactly, and those of the rest come to the rest with the rounding of the whole. Null where there are no
 * such units: then both are amounts.
 */
export function inTwo(
  whole: AtOnePrice | null,
  amount: Decimal,
  part: Decimal,
  currency: string,
): { readonly part: AtOnePrice; readonly rest: AtOnePrice } | null {
  if (whole === null || whole.unitPrice.isZero()) return null;
  const of = (units: Decimal): AtOnePrice => ({ units, unitPrice: whole.unitPrice });
  if (part.eq(amount)) return { part: whole, rest: of(ZERO) };
  const units = part.div(whole.unitPrice);
  if (units.decimalPlaces() > MOST_DIGITS) return null;
  const rest = of(whole.units.minus(units));
  return amountOf(rest, currency).eq(amount.minus(part)) ? { part: of(units), rest } : null;
}
