import type { CatalogPrice } from '../../catalog/index.ts';
import { modelOf } from '../../invoicing/rating/index.ts';
import { type Decimal, decimal } from '../../kernel/decimal.ts';
import type { Locale } from '../../kernel/locale.ts';
import { isOnce, parseCadence } from '../../kernel/time.ts';
import { figuresOf } from '../../look/index.ts';
import { CHECKOUT_WORDS } from './words.ts';

/** The charges and amounts of a plan in words. */
export interface PriceInWords {
  readonly name: string;
  readonly terms: string;
}

/** How prices are written: in a language and a currency. */
interface Writing {
  readonly locale: Locale;
  readonly currency: string;
  readonly planCadence: string;
}

/** The prices of a plan in words, in their order; each with its subject and its cadence. */
export const pricesInWords = (prices: readonly CatalogPrice[], writing: Writing): PriceInWords[] =>
  prices.map((price) => ({ name: price.invoiceDisplayName, terms: termsOf(price, writing) }));

function termsOf(price: CatalogPrice, writing: Writing): string {
  const { locale, currency, planCadence } = writing;
  const words = CHECKOUT_WORDS[locale];
  const { money } = figuresOf(locale);
  const cadence = price.billingCadence ?? planCadence;
  const often = price.metric === null ? [cadenceInWords(cadence, locale)] : [];
  const limits = [
    ...(price.minimumAmount === null ? [] : [words.atLeast(money(price.minimumAmount, currency))]),
    ...(price.maximumAmount === null ? [] : [words.atMost(money(price.maximumAmount, currency))]),
  ];
  return [[amountOf(price, writing), ...often].join(' '), ...includedIn(price, writing), ...limits].join(', ');
}

/** `every month`, `every 2 weeks`, `once`. */
export function cadenceInWords(cadence: string, locale: Locale): string {
  const words = CHECKOUT_WORDS[locale];
  const parsed = isOnce(cadence) ? null : parseCadence(cadence);
  if (parsed === null) return words.once;
  const { months, days } = parsed;
  if (months > 0) return months % 12 === 0 ? words.every.year(months / 12) : words.every.month(months);
  return days % 7 === 0 ? words.every.week(days / 7) : words.every.day(days);
}

function includedIn({ pricing, metric }: CatalogPrice, { locale }: Writing): string[] {
  const { includedUnits } = pricing.properties as { includedUnits?: string | number | Decimal };
  if (includedUnits == null || decimal(includedUnits).isZero()) return [];
  const unit = metric?.unit ?? '';
  return [CHECKOUT_WORDS[locale].included(figuresOf(locale).quantity(decimal(includedUnits)), unit).trim()];
}

function amountOf({ pricing, metric, quantity }: CatalogPrice, { locale, currency }: Writing): string {
  const words = CHECKOUT_WORDS[locale];
  const { quantity: number, money } = figuresOf(locale);
  const unit = metric?.unit || words.unit;
  const rate = (amount: Decimal) => money(amount, currency);
  const each = (text: string) => words.each(text, unit);
  const fee = (price: Decimal) => {
    if (price.isZero()) return words.free;
    return quantity.eq(1) ? rate(price) : words.quantity(number(quantity), rate(price));
  };
  return modelOf(pricing).describe(pricing.properties, {
    ...words,
    rate,
    number,
    each,
    units: (price) => (metric === null ? fee(price) : each(rate(price))),
    byVolume: (rates) => words.byVolume(rates, unit),
    byPackage: (price, size) => words.byPackage(price, size, unit),
    share: (percent) => words.share(`${percent}\u00a0%`, unit),
  });
}
