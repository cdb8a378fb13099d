import { minorDigits } from '../../kernel/currency.ts';
import { type Decimal, decimal, plain } from '../../kernel/decimal.ts';
import { roundTo } from '../../kernel/money.ts';
import type { Scale } from '../../look/index.ts';
import type { DocumentLine, InvoiceDocument } from '../document.ts';

/** EN 16931, BR-DEC-*: no amount of an e-invoice has more digits than this, in any currency. */
const MOST_DIGITS = 2;

/** An amount as EN 16931 writes it: the digits of its currency, at most two. @throws where it has more. */
export function amountText(amount: Decimal, currency: string): string {
  if (amount.decimalPlaces() > MOST_DIGITS) throw new RangeError(`${plain(amount)} has more than two digits.`);
  return (amount.isZero() ? amount.abs() : amount).toFixed(Math.min(minorDigits(currency), MOST_DIGITS));
}

/**
 * Has every amount of the document at most two digits? Where one has more, no e-invoice can say it without changing it.
 */
export const hasTwoDigits = (document: InvoiceDocument): boolean =>
  [
    document.subtotal,
    document.totalTax,
    document.grandTotal,
    document.paidAmount,
    ...document.lines.map((line) => line.amount),
    ...document.taxes.flatMap(({ base, amount }) => [base, amount]),
  ].every((text) => decimal(text).decimalPlaces() <= MOST_DIGITS);

/** Platforms refuse prices with more decimal places (of France: BR-FR-DEC-03). */
const MOST_PRICE_DIGITS = 6;
const COUNTS = [1, 1000, 1_000_000, 1_000_000_000];

/** A quantity and the price of `basis` units (BT-129, BT-146, BT-149). */
export interface PricedQuantity {
  readonly quantity: Decimal;
  readonly price: Decimal;
  /** Null where the price is of one unit. */
  readonly basis: Decimal | null;
}

/** Is the price of a line one of a unit? That of tiers, of packages and of percentages is an average. */
const hasUnitPrice = ({ tiers, agreed }: DocumentLine): boolean => (tiers ?? []).length === 0 && !agreed;

/**
 * A line as quantity × price, with a price that is not negative (BR-27): what takes off has a negative quantity. Where
 * the price is an average, or quantity × price is not the amount (limits, prices that include tax), the price is the
 * whole amount, for the whole quantity: then the line comes to its amount to the last digit. A small price is one of
 * more units, as the document shows it.
 * @param scale for how many units the document shows the price
 */
export function pricedQuantity(line: DocumentLine, currency: string, scale: Scale): PricedQuantity {
  const [quantity, unitPrice, amount] = [line.quantity, line.unitPrice, line.amount].map(decimal) as [
    Decimal,
    Decimal,
    Decimal,
  ];
  if (hasUnitPrice(line) && roundTo(quantity.times(unitPrice), currency, 'half-away-from-zero').eq(amount)) {
    const price = unitPrice.abs();
    const isShort = (count: Scale): boolean => price.times(count).decimalPlaces() <= MOST_PRICE_DIGITS;
    const count = [scale, ...COUNTS].find(isShort) ?? scale;
    return {
      quantity: unitPrice.isNegative() ? quantity.negated() : quantity,
      price: price.times(count),
      basis: count === 1 ? null : decimal(count),
    };
  }
  const units = quantity.isZero() ? decimal(1) : quantity.abs();
  return { quantity: amount.isNegative() ? units.negated() : units, price: amount.abs(), basis: units };
}
