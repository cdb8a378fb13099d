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
}

interface Registered extends Placed {
  readonly taxId?: string | null | undefined;
  /** The country of its registration, where it is known. */
  readonly taxIdCountry?: string | null | undefined;
}

/** The name of the tax on sales in the country of a party. */
export function taxWord(party: Placed): TaxWord {
  const code = countryCode(party.address?.country) ?? '';
  if (isEuCountry(code) || withVat.has(code)) return 'VAT';
  return withGst.has(code) ? 'GST' : 'Tax';
}

/** Is the party in the European Union? */
export const isInEu = (party: Placed): boolean => isEuCountry(countryCode(party.address?.country));

/** The tax id of a party, by its own country: that of its registration, of its prefix, or else of the address. */
export const numberOf = ({ taxId, taxIdCountry, address }: Registered): TaxNumber | null =>
  taxId == null ? null : taxNumber(taxId, taxIdCountry ?? address?.country);

/** Has the party a VAT number? */
export const hasVatNumber = (party: Registered): boolean => numberOf(party)?.scheme === 'VA';

/**
 * For which tax an id is registered. In the European Union a number without its country is one of a tax office, not a
 * VAT number.
 */
function taxOfId(party: Registered): TaxWord {
  const country = numberOf(party)?.country ?? party.taxIdCountry ?? party.address?.country;
  const of = { address: { country } };
  const word = taxWord(of);
  return word === 'VAT' && isInEu(of) && !hasVatNumber(party) ? 'Tax' : word;
}

interface TaxNames {
  /** At the head of a column. */
  readonly head: string;
  readonly sum: string;
  readonly inSentence: string;
  /** Before a number that is registered for it. */
  readonly id: string;
}

const TAX_NAMES: InEachLocale<Readonly<Record<TaxWord, TaxNames>>> = {
  en: {
    VAT: { head: 'VAT', sum: 'VAT', inSentence: 'VAT', id: 'VAT ID' },
    GST: { head: 'GST', sum: 'GST', inSentence: 'GST', id: 'GST ID' },
    Tax: { head: 'Tax', sum: 'Tax', inSentence: 'tax', id: 'Tax ID' },
  },
  de: {
    VAT: { head: 'USt.', sum: 'Umsatzsteuer', inSentence: 'Umsatzsteuer', id: 'USt-IdNr.' },
    GST: { head: 'GST', sum: 'GST', inSentence: 'GST', id: 'GST-Nr.' },
    Tax: { head: 'Steuer', sum: 'Steuer', inSentence: 'Steuer', id: 'Steuernummer' },
  },
  fr: {
    VAT: { head: 'TVA', sum: 'TVA', inSentence: 'TVA', id: 'N° TVA' },
    GST: { head: 'GST', sum: 'GST', inSentence: 'GST', id: 'N° GST' },
    Tax: { head: 'Taxe', sum: 'Taxe', inSentence: 'taxe', id: 'N° fiscal' },
  },
  es: {
    VAT: { head: 'IVA', sum: 'IVA', inSentence: 'IVA', id: 'NIF-IVA' },
    GST: { head: 'GST', sum: 'GST', inSentence: 'GST', id: 'N.º GST' },
    Tax: { head: 'Imp.', sum: 'Impuesto', inSentence: 'impuesto', id: 'N.º fiscal' },
  },
};

/** What the tax of a seller is called on everything that its customers read. */
export const taxNames = (locale: Locale, seller: Placed): TaxNames => TAX_NAMES[locale][taxWord(seller)];

/** What the number of a party is called. */
export const taxIdName = (locale: Locale, party: Registered): string => TAX_NAMES[locale][taxOfId(party)].id;
