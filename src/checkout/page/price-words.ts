import type { CatalogPrice } from '../../catalog/index.ts';
import { type Decimal, decimal, ZERO } from '../../kernel/decimal.ts';
import type { Locale } from '../../kernel/locale.ts';
import { isOnce, parseCadence } from '../../kernel/time.ts';
import { formatsOf } from '../../pages/index.ts';
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
  const { money } = formatsOf(locale);
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
  return [CHECKOUT_WORDS[locale].included(formatsOf(locale).number(decimal(includedUnits)), unit).trim()];
}

function amountOf(price: CatalogPrice, writing: Writing): string {
  const { pricing, metric, quantity } = price;
  const words = CHECKOUT_WORDS[writing.locale];
  const { number } = formatsOf(writing.locale);
  const unit = metric?.unit || words.unit;
  const rate = (value: string | number | Decimal) => rateInWords(decimal(value), writing);
  switch (pricing.model) {
    case 'standard': {
      const each = rate(pricing.properties.unitPrice);
      if (metric !== null) return words.each(each, unit);
      if (decimal(pricing.properties.unitPrice).isZero()) return words.free;
      return quantity.eq(1) ? each : words.quantity(number(quantity), each);
    }
    case 'graduated':
    case 'volume': {
      const steps = pricing.properties.tiers.map(({ upTo, unitPrice, flatPrice }, index, tiers) => {
        const before = tiers[index - 1]?.upTo;
        const bound = upTo === null ? words.above(number(decimal(before ?? 0))) : words.upTo(number(decimal(upTo)));
        const flat = decimal(flatPrice ?? ZERO);
        return `${rate(unitPrice)} ${bound}${flat.isZero() ? '' : ` ${words.flat(rate(flat))}`}`;
      });
      const inAll = steps.join('; ');
      return pricing.model === 'volume' ? words.byVolume(inAll, unit) : words.each(inAll, unit);
    }
    case 'package':
      return words.byPackage(rate(pricing.properties.price), number(decimal(pricing.properties.size)), unit);
    case 'percentage': {
      const { percentage, fixed } = pricing.properties;
      const share = words.share(`${number(decimal(percentage).times(100))}\u00a0%`, unit);
      return fixed == null || decimal(fixed).isZero() ? share : `${share} ${words.flat(rate(fixed))}`;
    }
    case 'dynamic':
      return words.perUse;
    case 'matrix': {
      const all = [
        ...pricing.properties.cells.map((cell) => decimal(cell.unitPrice)),
        decimal(pricing.properties.default),
      ];
      const least = all.reduce((one, other) => (other.lt(one) ? other : one));
      return words.each(words.from(rateInWords(least, writing)), unit);
    }
  }
}

/** A price of one unit, with all its digits: `$0.0025`. */
function rateInWords(amount: Decimal, { locale, currency }: Writing): string {
  return formatsOf(locale).rate(amount, currency);
}
