import { type Decimal, plain, sum } from '../kernel/decimal.ts';
import { roundTo } from '../kernel/money.ts';
import type { FieldError } from '../kernel/result.ts';
import type { Order, OrderLine } from './order.ts';

/** The five figures of a line. */
export type LineFigures = Pick<
  OrderLine,
  'quantity' | 'listUnitPrice' | 'discountUnitAmount' | 'unitPrice' | 'totalPrice'
>;

/** The figures as they were sent; null: what follows from the others. */
export type GivenFigures = Pick<LineFigures, 'quantity' | 'listUnitPrice' | 'discountUnitAmount'> & {
  readonly unitPrice: Decimal | null;
  readonly totalPrice: Decimal | null;
};

/** §2 Order line item: the price of a unit, and the total of the line. The total is rounded once, here. */
export function figuresOf(
  given: Pick<LineFigures, 'quantity' | 'listUnitPrice' | 'discountUnitAmount'>,
  currency: string,
): LineFigures {
  const { quantity, listUnitPrice, discountUnitAmount } = given;
  const unitPrice = listUnitPrice.minus(discountUnitAmount);
  const totalPrice = roundTo(quantity.times(unitPrice), currency, 'half-away-from-zero');
  return { quantity, listUnitPrice, discountUnitAmount, unitPrice, totalPrice };
}

/**
 * The contradictions among the figures of a line (domain.md §6), by field. A `totalPrice` is right as the exact product
 * and as the product in minor units.
 * @param at what stands before the names of the fields: `lineItems.0.`, or nothing
 */
export function figureProblems(given: GivenFigures, currency: string, at: string): FieldError[] {
  const { quantity, listUnitPrice, discountUnitAmount } = given;
  if (discountUnitAmount.gt(listUnitPrice))
    return [
      { field: `${at}discountUnitAmount`, message: `must not be more than listUnitPrice, ${plain(listUnitPrice)}` },
    ];
  const { unitPrice } = figuresOf(given, currency);
  const isUnitPriceWrong = given.unitPrice !== null && !given.unitPrice.eq(unitPrice);
  const exact = quantity.times(given.unitPrice ?? unitPrice);
  const rounded = roundTo(exact, currency, 'half-away-from-zero');
  const isTotalWrong = given.totalPrice !== null && !given.totalPrice.eq(rounded) && !given.totalPrice.eq(exact);
  return [
    ...(isUnitPriceWrong
      ? [{ field: `${at}unitPrice`, message: `must be listUnitPrice less discountUnitAmount: ${plain(unitPrice)}` }]
      : []),
    ...(isTotalWrong
      ? [{ field: `${at}totalPrice`, message: `must be quantity times unitPrice: ${plain(rounded)}` }]
      : []),
  ];
}

/** The sum of the lines. */
export const sumOfLines = (lines: readonly Pick<OrderLine, 'totalPrice'>[]): Decimal =>
  sum(lines.map(({ totalPrice }) => totalPrice));

/** §2 totalAmount: the total contract value, which is the sum of the lines until another one is named. */
export const totalAmountOf = ({ namedTotal, lineItems }: Pick<Order, 'namedTotal' | 'lineItems'>): Decimal =>
  namedTotal ?? sumOfLines(lineItems);

/** The stored total: a total equal to the sum of the lines is not stored, so that it follows them. */
export const namedTotalOf = (total: Decimal, lines: readonly Pick<OrderLine, 'totalPrice'>[]): Decimal | null =>
  total.eq(sumOfLines(lines)) ? null : total;
