import type { Tx } from '../db/index.ts';
import { findMerchant, findOrganizationsOf, type MerchantOrganization, type Organization } from '../identity/index.ts';
import type { Decimal } from '../kernel/decimal.ts';
import { taxNumber } from '../kernel/tax-number.ts';
import { decidePlace, type PlaceOfSupply, type TaxIdStanding } from '../tax/index.ts';
import { knowledgeOf, taxIdOf } from './customer.ts';
import type { CustomerRow, InvoiceGrouping } from './customer-row.ts';
import { selectBilledFor } from './customers.sql.ts';
import { loadChecks } from './tax-ids/checks.ts';
import { readTaxRates, type TaxRates } from './tax-rates.ts';

/** The facts that decide the tax of a customer, for any sale (domain.md §4, Tax): its payer's, if it has one. */
export interface Taxation {
  /** Null: the customer pays itself. */
  readonly payerId: string | null;
  /** How the invoices of who pays are joined. */
  readonly invoiceGrouping: InvoiceGrouping | null;
  /** The rates that the merchant has set for the customer: percent by metric id, plan id, `default`. */
  readonly customerTaxRates: TaxRates;
  /** The merchant's own rate; null: it has none. */
  readonly merchantTaxRate: Decimal | null;
  readonly taxId: TaxIdStanding;
  /** No sale to the customer has tax, whatever else is exempt. */
  readonly taxExempt: boolean;
  /**
   * The place of a sale with its tax point on this day.
   * @returns null where the merchant has no registration for tax on that day
   */
  placeOn(day: string, taxExempt: boolean): PlaceOfSupply | null;
}

/**
 * The facts that decide the tax of a customer now. Deleted customers are still taxed.
 * @param customerId null: no particular customer, who counts as a customer at home
 */
export async function findTaxation(tx: Tx, customerId: string | null): Promise<Taxation> {
  const merchant = await findMerchant(tx);
  return (await taxationsUnder(tx, merchant, customerId === null ? [] : [customerId]))(customerId);
}

/** The same of some customers of the merchant, by their ids. */
export const findTaxations = async (
  tx: Tx,
  customerIds: readonly string[],
): Promise<(customerId: string) => Taxation> => taxationsUnder(tx, await findMerchant(tx), customerIds);

/** The same for who has the merchant already. */
export async function taxationsUnder(
  tx: Tx,
  merchant: MerchantOrganization,
  of: readonly string[],
): Promise<(customerId: string | null) => Taxation> {
  const { taxRegistrations, defaultTaxRate } = merchant.settings;
  const customerIds = [...new Set(of)];
  const found = customerIds.length === 0 ? [] : await selectBilledFor(tx, customerIds);
  const rows = new Map(found.map((row) => [row.forId, row]));
  const isPlaced = taxRegistrations.length > 0 && rows.size > 0;
  const places = isPlaced ? await loadPlaces(tx, [...rows.values()]) : new Map<string, Place>();
  return (customerId) => {
    const row = customerId === null ? null : rows.get(customerId);
    if (row === undefined) throw new Error(`Customer ${customerId} does not exist.`);
    const { address = null, taxId = 'none', taxIdCountry = null } = places.get(row?.id ?? '') ?? {};
    return {
      payerId: row && row.id !== customerId ? row.id : null,
      invoiceGrouping: row?.invoiceGrouping ?? null,
      customerTaxRates: row ? readTaxRates(row.taxRates) : {},
      merchantTaxRate: defaultTaxRate,
      taxId,
      taxExempt: row?.taxExempt ?? false,
      placeOn: (day, taxExempt) =>
        decidePlace({
          ...{ registrations: taxRegistrations, seller: merchant.address, customer: address },
          ...{ taxId, taxIdCountry, taxExempt, day },
        }),
    };
  };
}

/** The facts that decide the place of a customer for tax. */
interface Place {
  readonly address: Organization['address'];
  readonly taxId: TaxIdStanding;
  /** The country of the VAT number; null: it has none. */
  readonly taxIdCountry: string | null;
}

async function loadPlaces(tx: Tx, rows: readonly CustomerRow[]): Promise<Map<string, Place>> {
  const consumers = await findOrganizationsOf(
    tx,
    rows.map(({ consumerId }) => consumerId),
  );
  const subjects = rows.flatMap((row) => {
    const consumer = consumers.get(row.consumerId);
    return consumer ? [{ row, consumer, subject: taxIdOf(row, consumer) }] : [];
  });
  const named = subjects.filter(({ subject }) => subject !== null);
  const checks = await loadChecks(
    tx,
    named.map(({ row }) => ({ merchantId: row.merchantId, customerId: row.id })),
  );
  return new Map(
    subjects.map(({ row, consumer, subject }) => {
      const taxId = subject === null ? 'none' : (knowledgeOf(subject, checks.get(row.id))?.status ?? 'none');
      const taxIdCountry = subject === null ? null : taxNumber(subject.taxId, subject.country).country;
      return [row.id, { address: consumer.address, taxId, taxIdCountry }];
    }),
  );
}
