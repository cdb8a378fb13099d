import { type Decimal, decimal, jsonNumber } from '../kernel/decimal.ts';
import { isId } from '../kernel/ids.ts';

/** Percent by plan id, metric id or `default` (§2, Customer): 8.875 is 8.875 percent. */
export type TaxRates = Readonly<Record<string, Decimal>>;

/** The form of `taxRates` in a request: a map, or one number for everything. */
export type TaxRatesInput = number | Readonly<Record<string, number>>;

/** Reads tax rates exactly; one number means `{default: number}`. */
export function readTaxRates(input: TaxRatesInput): TaxRates {
  const map = typeof input === 'object' && !JSON.isRawJSON(input) ? input : { default: input };
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, decimal(value)]));
}

/** Tax rates as JSON, every digit kept. */
export const writeTaxRates = (rates: TaxRates): Record<string, number> =>
  Object.fromEntries(Object.entries(rates).map(([key, rate]) => [key, jsonNumber(rate)]));

/** The keys that name a plan or a metric and so must be the merchant's own. */
export const idsIn = (rates: TaxRates): string[] => Object.keys(rates).filter((key) => key !== 'default');

/** The kind of an id in a key, as a word. */
export const nounOf = (id: string): string => (isId('plan', id) ? 'plan' : 'billable metric');
