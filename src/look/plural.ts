import { type InEachLocale, LOCALES, type Locale } from '../kernel/locale.ts';

/** A word for one and a word for several. */
export type Forms = readonly [one: string, other: string];

const RULES = Object.fromEntries(
  LOCALES.map((locale) => [locale, new Intl.PluralRules(locale)]),
) as unknown as InEachLocale<Intl.PluralRules>;

/** The form of a word beside a count: `1 line`, `2 lines`; French counts 0 and 1.5 as one (Unicode CLDR). */
export const pluralOf = (locale: Locale, count: number, [one, other]: Forms): string =>
  RULES[locale].select(count) === 'one' ? one : other;
