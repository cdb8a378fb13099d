import type { Address } from '../http/index.ts';
import { countryCode } from '../kernel/country.ts';

/** §2 Customer: `valid` false means that the internal invoice flow with the default rate is used. */
export interface ValidTaxAddress {
  readonly valid: boolean;
  /** The missing parts; empty if there are none. */
  readonly message: string;
}

/** The place of a customer for tax; `country` is an ISO 3166-1 code. */
export interface TaxPlace {
  readonly line1: string | null;
  readonly line2: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly zipCode: string | null;
  readonly country: string;
}

/** The verdict of the merchant's tax provider on an address. It holds for no other address. */
export interface TaxVerdict {
  readonly address: TaxPlace;
  /** Why there is no tax rate for it; null: there is one. */
  readonly message: string | null;
  readonly checkedAt: string;
}

/** Where the zip code decides the rate (decision 0054); alpha-2 codes. */
export const COUNTRIES_TAXED_BY_ZIP_CODE: ReadonlySet<string> = new Set(['US', 'CA']);

/**
 * Can tax be calculated for this address? It needs a country, and in the United States and Canada the zip code that
 * decides the rate. The specification does not say more; decision 0054. `message` says what is missing.
 */
export function validTaxAddress(address: Address | null): ValidTaxAddress {
  const country = countryCode(address?.country);
  if (country === null) return { valid: false, message: 'The address has no country.' };
  if (COUNTRIES_TAXED_BY_ZIP_CODE.has(country) && !address?.zipCode)
    return { valid: false, message: `The address has no zipCode, which decides the tax rate in ${country}.` };
  return { valid: true, message: '' };
}
