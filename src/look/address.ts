import { countryCode, countryCodes } from '../kernel/country.ts';
import type { Locale } from '../kernel/locale.ts';

type Line = string | null | undefined;

/** An address as it was given. */
interface Address {
  readonly line1?: Line;
  readonly line2?: Line;
  readonly city?: Line;
  readonly state?: Line;
  readonly zipCode?: Line;
  readonly country?: Line;
}

/** Countries that write the post code after the town; all others write it before. */
const POST_CODE_LAST: ReadonlySet<string> = new Set('US CA AU NZ GB IE IN SG BR MX CO ZA KR TH ID PH HK PK'.split(' '));

const isPresent = (text: Line): text is string => text != null && text.trim() !== '';

/** An address line by line as on an envelope, in the order of its country, whose name is in the reader's language. */
export function addressLines(address: Address | null | undefined, locale: Locale): string[] {
  const { line1, line2, city, state, zipCode, country } = address ?? {};
  const code = countryCode(country);
  const joined = (separator: string, ...parts: Line[]): string => parts.filter(isPresent).join(separator);
  const town = POST_CODE_LAST.has(code ?? '')
    ? joined(', ', city, joined(' ', state, zipCode))
    : joined(', ', joined(' ', zipCode, city), state);
  const land = code === null ? country : (countryNames(locale).get(code) ?? code);
  return [line1, line2, town, land].filter(isPresent);
}

const known = new Map<Locale, ReadonlyMap<string, string>>();

/** The names of countries by their codes (ISO 3166-1 alpha-2), in the order of the alphabet. */
export function countryNames(locale: Locale): ReadonlyMap<string, string> {
  const names = known.get(locale) ?? namesIn(locale);
  known.set(locale, names);
  return names;
}

function namesIn(locale: Locale): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' });
  const { compare } = new Intl.Collator(locale);
  const named = countryCodes.map((code) => [code, names.of(code) ?? code] as const);
  return new Map(named.toSorted(([, one], [, other]) => compare(one, other)));
}
