import { countryCode, isEuCountry } from '../kernel/country.ts';
import type { InEachLocale, Locale } from '../kernel/locale.ts';
import { type TaxNumber, taxNumber } from '../kernel/tax-number.ts';

const OTHER_VAT =
  'AD AE AL AM AO AR AZ BA BD BH BO BY CH CL CN CO CR DO EC EG ET GB GE GH GT HN IL IM IS KE KG KH KR KZ LA LI MA MC MD ME MG ' +
  'MK MU MX NG NO NP OM PE PH PY RS RU RW SA SN SV TH TN TR TW TZ UA UG UY UZ VE VN XK ZA ZM ZW';

const withVat: ReadonlySet<string> = new Set(OTHER_VAT.split(' '));
const withGst: ReadonlySet<string> = new Set('AU BT IN JE MV NZ PG SG'.split(' '));

/** The name of the tax on sales in a country: VAT, GST, or tax if it has another name or none is known. */
export type TaxWord = 'VAT' | 'GST' | 'Tax';

interface Placed {
  readonly address?: { readonly country?: string | null | undefined } | null | undefined;
  /** The country of the tax id, if a registration says it. */
  readonly taxIdCountry?: string | null | undefined;
}

interface Registered extends Placed {
  readonly taxId?: string | null | undefined;
}

/** The country whose tax a party names: that of its registration, or else of its address. */
const countryOfTax = ({ taxIdCountry, address }: Placed): string =>
  countryCode(taxIdCountry) ?? countryCode(address?.country) ?? '';

/** The name of the tax on sales in the country of a party. */
export function taxWord(party: Placed): TaxWord {
  const code = countryOfTax(party);
  if (isEuCountry(code) || withVat.has(code)) return 'VAT';
  return withGst.has(code) ? 'GST' : 'Tax';
}

/** Is the party in the European Union? */
export const isInEu = (party: Placed): boolean => isEuCountry(countryCode(party.address?.country));

/** The tax id of a party, by its own country: that of its registration, of its prefix, or else of the address. */
export const numberOf = ({ taxId, ...party }: Registered): TaxNumber | null =>
  taxId == null || taxId.trim() === '' ? null : taxNumber(taxId, countryOfTax(party));

/** Has the party a VAT number? */
export const hasVatNumber = (party: Registered): boolean => numberOf(party)?.scheme === 'VA';

const countryOfId = (party: Registered): string => numberOf(party)?.country ?? countryOfTax(party);

interface TaxNames {
  /** At the head of a column. */
  readonly head: string;
  readonly sum: string;
  readonly inSentence: string;
  /** Before a number that is registered for it. */
  readonly id: string;
}

const named = (name: string, id: string): TaxNames => ({ head: name, sum: name, inSentence: name, id });

const TAX_NAMES: InEachLocale<Readonly<Record<TaxWord, TaxNames>>> = {
  en: {
    VAT: named('VAT', 'VAT ID'),
    GST: named('GST', 'GST ID'),
    Tax: { ...named('Tax', 'Tax ID'), inSentence: 'tax' },
  },
  de: {
    VAT: { ...named('Umsatzsteuer', 'USt-IdNr.'), head: 'USt.' },
    GST: named('GST', 'GST-Nr.'),
    Tax: named('Steuer', 'Steuernummer'),
  },
  fr: {
    VAT: named('TVA', 'N° TVA'),
    GST: named('GST', 'N° GST'),
    Tax: { ...named('Taxe', 'N° fiscal'), inSentence: 'taxe' },
  },
  es: {
    VAT: named('IVA', 'NIF-IVA'),
    GST: named('GST', 'N.º GST'),
    Tax: { head: 'Imp.', sum: 'Impuesto', inSentence: 'impuesto', id: 'N.º fiscal' },
  },
};

type Own = Readonly<Partial<Record<Locale, Partial<TaxNames>>>>;

const everywhere = (names: Partial<TaxNames>): Own => ({ en: names, de: names, fr: names, es: names });

/** The names of Swiss law (Article 26 of the VAT act), which Liechtenstein has too. */
const SWISS: Own = { de: named('MWST', 'MWST-Nr.') };

/** The names of countries whose law, or whose accountants, have their own. */
const OF_COUNTRIES: Readonly<Record<string, Own>> = {
  AE: everywhere({ id: 'TRN' }),
  AT: { de: { id: 'UID-Nr.' } },
  AU: everywhere({ id: 'ABN' }),
  CH: SWISS,
  JP: {
    en: { sum: 'Consumption tax', inSentence: 'consumption tax', id: 'Registration number' },
    de: { sum: 'Verbrauchsteuer', inSentence: 'Verbrauchsteuer', id: 'Registrierungsnr.' },
    fr: { sum: 'Taxe sur la consommation', inSentence: 'taxe sur la consommation', id: 'N° d’enregistrement' },
    es: { sum: 'Impuesto al consumo', inSentence: 'impuesto al consumo', id: 'N.º de registro' },
  },
  LI: SWISS,
  SG: everywhere({ id: 'GST Reg. No.' }),
};

/** What the tax of a seller is called on everything that its customers read. */
export const taxNames = (locale: Locale, seller: Placed): TaxNames => ({
  ...TAX_NAMES[locale][taxWord(seller)],
  ...OF_COUNTRIES[countryOfTax(seller)]?.[locale],
});

/**
 * What the number of a party is called. In the European Union a number without its country is one of a tax office, not
 * a VAT number, and has no name of a country.
 */
function taxIdName(locale: Locale, party: Registered): string {
  const country = countryOfId(party);
  if (isEuCountry(country) && !hasVatNumber(party)) return TAX_NAMES[locale].Tax.id;
  return taxNames(locale, { taxIdCountry: country }).id;
}

/**
 * The number of a party with its name. Between two parties in Spain it is a NIF, without the country.
 * @param other the other side of the sale
 */
export function taxIdText(locale: Locale, party: Registered, other: Placed): string | null {
  const number = numberOf(party);
  if (number === null) return null;
  const isSpanish = countryOfId(party) === 'ES';
  if (isSpanish && number.scheme === 'FC') return `NIF ${party.taxId}`;
  if (isSpanish && countryCode(other.address?.country) === 'ES') return `NIF ${number.text.slice('ES'.length)}`;
  return `${taxIdName(locale, party)} ${party.taxId}`;
}

/** The titles that a law demands on the documents of registered sellers, whatever their language. */
const TITLES: Readonly<Record<string, { readonly invoice: string; readonly creditNote: string | null }>> = {
  AE: { invoice: 'Tax Invoice', creditNote: 'Tax Credit Note' },
  AU: { invoice: 'Tax invoice', creditNote: null },
  SG: { invoice: 'Tax invoice', creditNote: null },
};

/** The title that the seller's law demands on a document; null where it demands none. */
export const legalTitle = (kind: 'invoice' | 'creditNote', seller: Registered): string | null =>
  numberOf(seller) === null ? null : (TITLES[countryOfTax(seller)]?.[kind] ?? null);
