import type { Tx } from '../db/index.ts';
import { findOrganization, type Organization } from '../identity/index.ts';
import type { Decimal } from '../kernel/decimal.ts';
import { decidePlace, type PlaceOfSupply, type TaxIdStanding } from '../tax/index.ts';
import { knowledgeOf, taxIdOf } from './customer.ts';
import { type CustomerRow, selectCustomersEver } from './customers.sql.ts';
import { loadChecks } from './tax-ids/checks.ts';
import { readTaxRates, type TaxRates } from './tax-rates.ts';

/** All that decides the tax of a customer, beside what is sold (domain.md §4, Tax). */
export interface Taxation {
  /** The rates that the merchant has set for the customer: percent by metric id, plan id, `default`. */
  readonly customerTaxRates: TaxRates;
  /** The merchant's own rate; null: it has none. */
  readonly merchantTaxRate: Decimal | null;
  readonly taxId: TaxIdStanding;
  /**
   * Where a sale is taxed whose tax point is on this day.
   * @returns null where the merchant has no registration for tax on that day
   */
  placeOn(day: string, taxExempt: boolean): PlaceOfSupply | null;
}

/**
 * What decides the tax of a customer as it is known now. Deleted customers are taxed still.
 * @param customerId null: of nobody in particular, who counts as a customer at home
 * @throws where the merchant never had such a customer: a fault of ours.
 */
export async function findTaxation(tx: Tx, merchantId: string, customerId: string | null): Promise<Taxation> {
  const merchant = await findOrganization(tx, merchantId, merchantId);
  if (!merchant?.settings) throw new Error(`There is no merchant ${merchantId}.`);
  const { taxRegistrations, defaultTaxRate } = merchant.settings;
  const row = customerId === null ? null : await customerEver(tx, merchantId, customerId);
  const isPlaced = taxRegistrations.length > 0;
  const consumer = row && isPlaced ? await findOrganization(tx, merchantId, row.consumerId) : undefined;
  const taxId = row && consumer ? await standingOf(tx, row, consumer) : 'none';
  return {
    customerTaxRates: row ? readTaxRates(row.taxRates) : {},
    merchantTaxRate: defaultTaxRate,
    taxId,
    placeOn: (day, taxExempt) =>
      decidePlace({
        ...{ registrations: taxRegistrations, seller: merchant.address, customer: consumer?.address ?? null },
        ...{ taxId, taxExempt, day },
      }),
  };
}

async function customerEver(tx: Tx, merchantId: string, customerId: string): Promise<CustomerRow> {
  const [row] = await selectCustomersEver(tx, merchantId, [customerId]);
  if (!row) throw new Error(`There is no customer ${customerId}.`);
  return row;
}

async function standingOf(tx: Tx, row: CustomerRow, consumer: Organization): Promise<TaxIdStanding> {
  const subject = taxIdOf(row, consumer);
  if (subject === null) return 'none';
  const checks = await loadChecks(tx, [{ merchantId: row.merchantId, customerId: row.id }]);
  return knowledgeOf(subject, checks.get(row.id))?.status ?? 'none';
}
