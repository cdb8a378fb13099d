import { COUNTRY_TABLE } from './country-table.ts';
import { nearestWord } from './nearest-word.ts';

interface Country {
  readonly alpha2: string;
  readonly alpha3: string;
  readonly names: readonly string[];
}

const countries: readonly Country[] = COUNTRY_TABLE.trim()
  .split('\n')
  .map((line) => ({ alpha2: line.slice(0, 2), alpha3: line.slice(3, 6), names: line.slice(7).split('|') }));

/** A name as it is compared: without accents, case, punctuation and a leading "the"; "St." is "Saint". */
const comparable = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('&', ' and ')
    .replaceAll('.', '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(/^the /, '')
    .replace(/\bst\b/g, 'saint');

const byWord: ReadonlyMap<string, Country> = new Map(
  countries.flatMap((country) =>
    [country.alpha2, country.alpha3, ...country.names].map((word) => [comparable(word), country] as const),
  ),
);

/** Every ISO 3166-1 alpha-2 code, sorted. */
export const countryCodes: readonly string[] = countries.map(({ alpha2 }) => alpha2);

/**
 * The alpha-2 code of a country that is given by its alpha-2 or alpha-3 code or an English name; null for anything
 * else.
 */
export const countryCode = (text: string | null | undefined): string | null =>
  byWord.get(comparable(text ?? ''))?.alpha2 ?? null;

const EU = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK';

/** The alpha-2 codes of the member states of the European Union, sorted. */
export const euCountryCodes: readonly string[] = EU.split(' ');

/** Is this the alpha-2 code of a member state of the European Union? */
export const isEuCountry = (code: string | null): boolean => code !== null && euCountryCodes.includes(code);

/** The fault of a country in a request, with the name that was probably meant. */
export function countryProblem(text: string): string {
  const rule = 'must be a country: an ISO 3166 code such as "DE" or "DEU", or its English name';
  const near = nearestWord(comparable(text), byWord.keys());
  const meant = near === null ? undefined : byWord.get(near);
  return meant ? `${rule}; did you mean ${meant.names[0]} (${meant.alpha2})?` : rule;
}
