import { minorDigits } from '../../kernel/currency.ts';
import type { Decimal } from '../../kernel/decimal.ts';

/**
 * What usage costs the merchant, as a decimal string: exact, with at least the digits of its currency. It is no amount
 * that anybody pays, and at a thousandth of a cent for each unit a rounded figure for each group would sum to nothing.
 */
export const costText = (amount: Decimal, currency: string): string =>
  amount.toFixed(Math.max(minorDigits(currency), amount.decimalPlaces()));
