import { cardBrandName } from '../kernel/card-brand.ts';
import { countryCodes } from '../kernel/country.ts';
import { minorDigits } from '../kernel/currency.ts';
import { type Decimal, plain } from '../kernel/decimal.ts';
import { type InEachLocale, LOCALES, type Locale } from '../kernel/locale.ts';
import type { Instant } from '../kernel/time.ts';
import { COMMON_WORDS } from './common-words.ts';

/** How figures and dates are written in a language. Dates are of UTC. */
export interface Formats {
  /** `$1,234.50`, `1.234,50 €`: an amount with the digits of its currency. */
  readonly money: (amount: Decimal, currency: string) => string;
  /** `$0.0025`: the price of one unit, with all its digits. */
  readonly rate: (amount: Decimal, currency: string) => string;
  /** `1,234.5`: a quantity with all its digits. */
  readonly number: (value: Decimal) => string;
  /** `12 March 2026`. */
  readonly day: (instant: Instant) => string;
  /** `12 March 2026, 14:05 UTC`. */
  readonly minute: (instant: Instant) => string;
  /** `Visa ending in 4242`. */
  readonly card: (card: { readonly brand: string; readonly last4: string }) => string;
}

/** The regions whose forms of figures and dates each language uses. */
const REGIONS: InEachLocale<{ readonly figures: string; readonly dates: string }> = {
  en: { figures: 'en-US', dates: 'en-GB' },
  de: { figures: 'de-DE', dates: 'de-DE' },
  fr: { figures: 'fr-FR', dates: 'fr-FR' },
  es: { figures: 'es-ES', dates: 'es-ES' },
};

const MOST_DIGITS = 100; // what Intl can show

/** A true minus sign is as wide as the digits. */
const withMinus = (text: string): string => text.replace('-', '\u2212');

/** What is made of a currency, which takes longer than to write a figure by it; each currency's is made once. */
function ofCurrency<T>(make: (currency: string) => T): (currency: string) => T {
  const made = new Map<string, T>();
  return (currency) => {
    const known = made.get(currency) ?? make(currency);
    made.set(currency, known);
    return known;
  };
}

function makeFormats(locale: Locale): Formats {
  const { figures, dates } = REGIONS[locale];
  const numbers = (options: Intl.NumberFormatOptions) =>
    new Intl.NumberFormat(figures, { useGrouping: 'always', ...options });
  const times = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(dates, { timeZone: 'UTC', ...options });
  const amounts = (mostDigits: (digits: number) => number) =>
    ofCurrency((currency) => {
      const digits = minorDigits(currency);
      const [minimumFractionDigits, maximumFractionDigits] = [digits, mostDigits(digits)];
      return numbers({ style: 'currency', currency, minimumFractionDigits, maximumFractionDigits });
    });
  const [ofMoney, ofRate] = [amounts((digits) => digits), amounts(() => MOST_DIGITS)];
  const [quantity, long] = [numbers({ maximumFractionDigits: MOST_DIGITS }), times({ dateStyle: 'long' })];
  const short = times({ timeStyle: 'short' });
  /** Intl reads the text, so that no digit is lost. */
  const show = (value: Decimal, format: Intl.NumberFormat) =>
    withMinus(format.format(plain(value) as Intl.StringNumericLiteral));
  const day = (instant: Instant) => long.format(instant.epochMilliseconds);
  return {
    money: (amount, currency) => show(amount, ofMoney(currency)),
    rate: (amount, currency) => show(amount, ofRate(currency)),
    number: (value) => show(value, quantity),
    day,
    minute: (instant) => `${day(instant)}, ${short.format(instant.epochMilliseconds)} UTC`,
    card: ({ brand, last4 }) => `${brandName(brand)} ${COMMON_WORDS[locale].endingIn} ${last4}`,
  };
}

const FORMATS: InEachLocale<Formats> = {
  en: makeFormats('en'),
  de: makeFormats('de'),
  fr: makeFormats('fr'),
  es: makeFormats('es'),
};

/** How figures and dates are written in this language. */
export const formatsOf = (locale: Locale): Formats => FORMATS[locale];

/** `Visa`: the brand of a card as it is written on the card. */
export const brandName = (brand: string): string => cardBrandName(brand) ?? brand;

const COUNTRY_NAMES = Object.fromEntries(LOCALES.map((locale) => [locale, namesIn(locale)])) as unknown as InEachLocale<
  ReadonlyMap<string, string>
>;

/** The names of countries by their codes (ISO 3166-1 alpha-2), in the order of the alphabet. */
export const countryNames = (locale: Locale): ReadonlyMap<string, string> => COUNTRY_NAMES[locale];

function namesIn(locale: Locale): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' });
  const { compare } = new Intl.Collator(locale);
  const named = countryCodes.map((code) => [code, names.of(code) ?? code] as const);
  return new Map(named.toSorted(([, one], [, other]) => compare(one, other)));
}
