import type { Address } from '../http/index.ts';
import type { MerchantSettings } from '../identity/index.ts';

/** §2 Customer: `valid` false means that the internal invoice flow with the default rate is used. */
export interface ValidTaxAddress {
  readonly valid: boolean;
  readonly message: string | null;
}

const COUNTRIES_TAXED_BY_ZIP_CODE = new Set(['US', 'CA']);

/**
 * Can tax be calculated for this address? The internal rates do not look at it, so with them it is always valid (a
 * decision: the specification does not say when it is not). A tax provider needs a country by its ISO 3166 code, and in
 * the United States and Canada the zip code that decides the rate.
 */
export function validTaxAddress(address: Address | null, provider: MerchantSettings['taxProvider']): ValidTaxAddress {
  if (provider === 'internal') return { valid: true, message: null };
  const country = address?.country ?? '';
  if (!/^[A-Z]{2}$/.test(country))
    return { valid: false, message: 'The address has no country in two capital letters (ISO 3166).' };
  if (COUNTRIES_TAXED_BY_ZIP_CODE.has(country) && !address?.zipCode)
    return { valid: false, message: `An address in ${country} needs a zipCode.` };
  return { valid: true, message: null };
}
