import { isEuCountry } from '../kernel/country.ts';

/** An address, as far as tax asks where it is. */
export interface TaxAddress {
  readonly country?: string | null;
  readonly zipCode?: string | null;
}

/** A place as the law of turnover taxes sees it. */
export interface Territory {
  /** The alpha-2 code of the country whose tax counts there; null where the address names none. */
  readonly country: string | null;
  readonly isEu: boolean;
  /** A part of a member state that its turnover tax does not reach. */
  readonly exclusion: string | null;
}

/** The country of tax for places that have their own code (Article 7 of Directive 2006/112/EC). */
const TAXED_AS: Readonly<Record<string, string>> = { MC: 'FR', IM: 'GB' };

/** The postal codes of parts that the directive leaves out (Article 6), each with its name. */
const EXCLUDED: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  DE: [
    [/^27498$/, 'Heligoland'],
    [/^78266$/, 'Büsingen'],
  ],
  ES: [
    [/^(?:35|38)\d{3}$/, 'the Canary Islands'],
    [/^51\d{3}$/, 'Ceuta'],
    [/^52\d{3}$/, 'Melilla'],
  ],
  FI: [[/^22\d{3}$/, 'the Åland Islands']],
  FR: [
    [/^97[1-8]\d{2}$/, 'a French overseas territory'],
    [/^98[4-8]\d{2}$/, 'a French overseas territory'],
  ],
  GR: [[/^63086$/, 'Mount Athos']],
  IT: [
    [/^22061$/, "Campione d'Italia"],
    [/^23041$/, 'Livigno'],
  ],
};

/** The territory of an address for turnover taxes. Pure, and total: an address without a country is nowhere. */
export function territoryOf({ country, zipCode }: TaxAddress): Territory {
  const written = country ?? null;
  if (written === null) return { country: null, isEu: false, exclusion: null };
  const code = TAXED_AS[written] ?? written;
  const postal = (zipCode ?? '').replace(/^[A-Za-z]{1,3}|[\s-]/g, ''); // D-27498, FIN 22100
  const parts = Object.hasOwn(EXCLUDED, code) ? (EXCLUDED[code] ?? []) : [];
  const exclusion = parts.find(([pattern]) => pattern.test(postal))?.[1] ?? null;
  return { country: code, isEu: isEuCountry(code) && exclusion === null, exclusion };
}
