/** The languages of pages, documents and mails, by ISO 639-1. */
export const LOCALES = ['en', 'de', 'fr', 'es'] as const;
export type Locale = (typeof LOCALES)[number];

/** The language of a customer without one. */
export const DEFAULT_LOCALE: Locale = 'en';

/** The same words in each language: a sentence that one of them lacks does not compile. */
export type InEachLocale<Words> = Readonly<Record<Locale, Words>>;

/**
 * The first of our languages that a browser asks for (`Accept-Language`, RFC 9110 §12.5.4), by weight and then by
 * order; the default where it asks for none of them. What cannot be read asks for nothing.
 */
export function localeAskedFor(header: string | undefined): Locale {
  const ranges = (header ?? '').slice(0, MOST_CHARACTERS).split(',').map(readRange);
  const best = ranges.filter(({ weight }) => weight > 0).toSorted((a, b) => b.weight - a.weight);
  for (const { language } of best) {
    const locale = LOCALES.find((each) => each === language);
    if (locale) return locale;
  }
  return DEFAULT_LOCALE;
}

const MOST_CHARACTERS = 500;

function readRange(text: string): { language: string; weight: number } {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const [language = ''] = range.split('-');
  const quality = parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1';
  return { language, weight: /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(quality) ? Number(quality) : 0 };
}
