import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '../db/index.ts';
import type { Address } from '../http/index.ts';
import { findOrganizationsOf } from '../identity/index.ts';
import { countryCode } from '../kernel/country.ts';
import { formatInstant, type Instant } from '../kernel/time.ts';
import { selectCustomersEver, updateTaxVerdict } from './customers.sql.ts';
import { type TaxPlace, type TaxVerdict, type ValidTaxAddress, validTaxAddress } from './tax-address.ts';

/** An address as tax providers are asked for it; null where it names no country. */
export function taxPlaceOf(address: Address | null): TaxPlace | null {
  const country = countryCode(address?.country);
  if (country === null) return null;
  const { line1, line2, city, state, zipCode } = address ?? {};
  return {
    line1: line1 ?? null,
    line2: line2 ?? null,
    city: city ?? null,
    state: state ?? null,
    zipCode: zipCode ?? null,
    country,
  };
}

/** Our own rule first; then the provider's verdict on this very address. */
export function decideTaxAddress(address: Address | null, verdict: TaxVerdict | null): ValidTaxAddress {
  const ours = validTaxAddress(address);
  if (!ours.valid || !verdict?.message || !isDeepStrictEqual(verdict.address, taxPlaceOf(address))) return ours;
  return { valid: false, message: verdict.message };
}

/** The place of a customer, also a deleted one, for tax; `address` is null if tax cannot be calculated for it. */
export async function findTaxPlace(
  tx: Tx,
  customerId: string,
): Promise<{ address: TaxPlace | null; taxId: string | null }> {
  const [row] = await selectCustomersEver(tx, [customerId]);
  if (!row) throw new Error(`Customer ${customerId} does not exist.`);
  const consumer = (await findOrganizationsOf(tx, [row.consumerId])).get(row.consumerId);
  if (!consumer) throw new Error(`Customer ${row.id} has lost its organization.`);
  const { valid } = decideTaxAddress(consumer.address, row.taxVerdict);
  return { address: valid ? taxPlaceOf(consumer.address) : null, taxId: row.taxId ?? consumer.taxId };
}

/** Stores the provider's verdict on an address of a customer. */
export const storeTaxVerdict = (
  tx: Tx,
  { customerId }: { merchantId: string; customerId: string },
  verdict: Omit<TaxVerdict, 'checkedAt'>,
  now: Instant,
): Promise<number> => updateTaxVerdict(tx, customerId, { ...verdict, checkedAt: formatInstant(now) });
