import type { Pricing } from '../../invoicing/rating/index.ts';
import { minorDigits } from '../../kernel/currency.ts';
import { type CheckedDecimal, decimal, decimalOf, plain } from '../../kernel/decimal.ts';
import { digitsProblem } from '../../kernel/money.ts';
import type { FieldError } from '../../kernel/result.ts';
import type { Price } from '../prices/price.ts';
import type { PricedVersion } from './find.ts';

/** The minimums of a version in other currencies. */
type CurrencyMinimums = PricedVersion['currencyMinimums'];
type InItsCurrency = { readonly currency: string };

/**
 * A version as a subscription in a currency has it: each price with what it comes to there (commercial.md §5). Nothing
 * behind this knows that there are others. What has no entry is as the plan's own currency has it.
 */
export function versionIn(version: PricedVersion, currency: string): PricedVersion {
  const minimum = version.currencyMinimums[currency];
  const prices = version.prices.map((price) => {
    const own = price.currencyPrices[currency];
    if (!own) return price;
    const bounds = { minimumAmount: decimalOrNull(own.minimumAmount), maximumAmount: decimalOrNull(own.maximumAmount) };
    const pricing = { model: price.pricing.model, properties: own.properties } as Pricing;
    return { ...price, pricing, ...bounds };
  });
  return { ...version, prices, ...(minimum !== undefined && { minimumAmount: decimal(minimum) }) };
}

const decimalOrNull = (text: string | null) => (text === null ? null : decimal(text));

/** The prices of a version that a currency has no figures for, by id, and its minimum, if that is one. */
function missingIn({ currency: own }: InItsCurrency, version: PricedVersion, currency: string): string[] {
  if (currency === own) return [];
  const { minimumAmount, currencyMinimums } = version;
  const lacksMinimum = minimumAmount?.isZero() === false && currencyMinimums[currency] === undefined;
  const lacking = version.prices.filter(({ currencyPrices }) => !currencyPrices[currency]);
  return [...lacking.map(({ id }) => id), ...(lacksMinimum ? ['minimumAmount'] : [])];
}

/** Why a version cannot be had in a currency: every price without it is named. */
export function currencyErrors(
  plan: InItsCurrency,
  version: PricedVersion,
  currency: string,
  field: string,
): FieldError[] {
  const missing = missingIn(plan, version, currency);
  return missing.length === 0 ? [] : [{ field, message: `has no ${currency} for ${missing.join(', ')}` }];
}

/** Minimums in other currencies as they are stored. */
export const currencyMinimumsOf = (
  given: Readonly<Record<string, CheckedDecimal>> | null | undefined,
): CurrencyMinimums =>
  Object.fromEntries(Object.entries(given ?? {}).map(([currency, amount]) => [currency, plain(decimalOf(amount))]));

/**
 * The faults of what other currencies have: the plan's own one, which would be said twice, and minimums with more
 * digits than their currency has.
 * @param fieldOf the field of the error for a price
 */
export function ownCurrencyErrors(
  currency: string,
  { prices, currencyMinimums }: { readonly prices: readonly Price[]; readonly currencyMinimums: CurrencyMinimums },
  fieldOf: (priceId: string) => string,
): FieldError[] {
  const message = `has ${currency} among other currencies; it is the one of the plan`;
  const faultOf = (each: string, amount: string): string | null => {
    if (each === currency) return message;
    return decimal(amount).decimalPlaces() > minorDigits(each) ? digitsProblem(each) : null;
  };
  return [
    ...prices.flatMap(({ id, currencyPrices }) => (currencyPrices[currency] ? [{ field: fieldOf(id), message }] : [])),
    ...Object.entries(currencyMinimums).flatMap(([each, amount]) => {
      const fault = faultOf(each, amount);
      return fault === null ? [] : [{ field: `currencyMinimums.${each}`, message: fault }];
    }),
  ];
}
