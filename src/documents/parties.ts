import { type InEachLocale, LOCALES, type Locale } from '../kernel/locale.ts';
import type { Party } from './document.ts';
import { taxOfId } from './tax-words.ts';
import { isRightToLeft, manyLines, oneLine } from './text.ts';
import { DOCUMENT_WORDS } from './words.ts';

/** A stranger's text with its direction; ours is a plain string. */
export interface Text {
  text: string;
  rtl: boolean;
}

export interface PartyView {
  name: Text;
  lines: Text[];
}

/** The most characters of a text. */
export const MOST = {
  name: 160,
  addressLine: 160,
  description: 1000,
  unit: 40,
  group: 80,
  number: 64,
  note: 2000,
  footer: 300,
};
const MOST_EMAILS = 3;

/** A stranger's text on one line, cleaned, with its direction. */
export const strange = (text: string, most: number): Text => {
  const clean = oneLine(text, most);
  return { text: clean, rtl: isRightToLeft(clean) };
};

/** Is there a text that somebody could read? */
export const isPresent = (text: string | null | undefined): text is string => text != null && text.trim() !== '';

/** A stranger's text of some lines, cleaned. */
export const textLines = (text: string | null | undefined, most: number, mostLines: number): Text[] =>
  isPresent(text) ? manyLines(text, most, mostLines).map((line) => ({ text: line, rtl: isRightToLeft(line) })) : [];

/** Countries that write the post code after the town; all others write it before. */
const POST_CODE_LAST: ReadonlySet<string> = new Set('US CA AU NZ GB IE IN SG BR MX CO ZA KR TH ID PH HK PK'.split(' '));

const COUNTRY_NAMES = Object.fromEntries(
  LOCALES.map((locale) => [locale, new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' })]),
) as unknown as InEachLocale<Intl.DisplayNames>;

function countryName(country: string, locale: Locale): string {
  const code = country.trim().toUpperCase();
  return /^[A-Z]{2}$/.test(code) ? (COUNTRY_NAMES[locale].of(code) ?? code) : country;
}

/** The address of a party, line by line as on an envelope. */
export function partyView(party: Party, locale: Locale): PartyView {
  const { line1, line2, city, state, zipCode, country } = party.address ?? {};
  const postCodeLast = POST_CODE_LAST.has((country ?? '').trim().toUpperCase());
  const town = postCodeLast
    ? [city, [state, zipCode].filter(isPresent).join(' ')].filter(isPresent).join(', ')
    : [[zipCode, city].filter(isPresent).join(' '), state].filter(isPresent).join(', ');
  const lines = [
    party.legalName?.trim() === party.name.trim() ? null : party.legalName,
    line1,
    line2,
    town,
    isPresent(country) ? countryName(country, locale) : null,
    isPresent(party.taxId) ? `${DOCUMENT_WORDS[locale].tax.id[taxOfId(party)]} ${party.taxId}` : null,
    ...(party.emails ?? []).slice(0, MOST_EMAILS),
    party.phone,
  ];
  return {
    name: strange(party.name, MOST.name),
    lines: lines.filter(isPresent).map((line) => strange(line, MOST.addressLine)),
  };
}

/** The party under its legal name; the trading name stands above it already. */
export const legalParty = (party: Party): Party => ({
  ...party,
  name: isPresent(party.legalName) ? party.legalName : party.name,
  legalName: null,
});
