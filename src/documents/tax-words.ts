import { countryCode, isEuCountry } from '../kernel/country.ts';
import { type TaxNumber, taxNumber } from '../kernel/tax-number.ts';
import type { Party } from './document.ts';

const OTHER_VAT =
  'AD AE AL AM AO AR AZ BA BD BH BO BY CH CL CN CO CR DO EC EG ET GB GE GH GT HN IL IM IS KE KG KH KR KZ LA LI MA MC MD ME MG ' +
  'MK MU MX NG NO NP OM PE PH PY RS RU RW SA SN SV TH TN TR TW TZ UA UG UY UZ VE VN XK ZA ZM ZW';

const withVat: ReadonlySet<string> = new Set(OTHER_VAT.split(' '));
const withGst: ReadonlySet<string> = new Set('AU BT IN JE MV NZ PG SG'.split(' '));

/** The name of the tax on sales in a country: VAT, GST, or tax if it has another name or none is known. */
export type TaxWord = 'VAT' | 'GST' | 'Tax';

/** The name of the tax on sales in the country of a party. */
export function taxWord(party: Pick<Party, 'address'>): TaxWord {
  const code = countryCode(party.address?.country) ?? '';
  if (isEuCountry(code) || withVat.has(code)) return 'VAT';
  return withGst.has(code) ? 'GST' : 'Tax';
}

/** Is the party in the European Union? */
export const isInEu = (party: Pick<Party, 'address'>): boolean => isEuCountry(countryCode(party.address?.country));

type Holder = Pick<Party, 'taxId' | 'taxIdCountry' | 'address'>;

/** The tax id of a party, by its own country: that of its registration, of its prefix, or else of the address. */
export const numberOf = ({ taxId, taxIdCountry, address }: Holder): TaxNumber | null =>
  taxId == null ? null : taxNumber(taxId, taxIdCountry ?? address?.country);

/** Has the party a VAT number? */
export const hasVatNumber = (party: Holder): boolean => numberOf(party)?.scheme === 'VA';

/**
 * For which tax an id is registered. In the European Union a number without its country is one of a tax office, not a
 * VAT number.
 */
export function taxOfId(party: Holder): TaxWord {
  const country = numberOf(party)?.country ?? party.taxIdCountry ?? party.address?.country;
  const of = { address: { country } };
  const word = taxWord(of);
  return word === 'VAT' && isInEu(of) && !hasVatNumber(party) ? 'Tax' : word;
}
