import { minorDigits } from '../../kernel/currency.ts';
import type { Decimal } from '../../kernel/decimal.ts';

/**
 * The merchant's cost of usage, as a decimal string: exact, with at least the digits of its currency. It is not an
 * amount to pay. At a thousandth of a cent for each unit, figures rounded by group would sum to nothing.
 */
export const costText = (amount: Decimal, currency: string): string =>
  amount.toFixed(Math.max(minorDigits(currency), amount.decimalPlaces()));
