import type { Tx } from '../db/index.ts';
import { findOrganization } from '../identity/index.ts';
import { type CustomerRow, selectCustomerEver } from './customers.sql.ts';
import { readTaxRates, type TaxRates } from './tax-rates.ts';

/** Whom a document is made out to: copied onto an invoice when it is issued, so that later changes do not reach it. */
export interface CustomerParty {
  name: string;
  legalName?: string;
  taxId?: string;
  address?: Record<string, string>;
  emails?: string[];
  phone?: string;
}

/**
 * Whom documents to this customer are made out to: its consumer organization, with the tax registration that the merchant
 * knows of the customer before the organization's own. Deleted customers are parties still.
 * @throws where the merchant never had such a customer: a fault of ours.
 */
export async function customerParty(tx: Tx, merchantId: string, customerId: string): Promise<CustomerParty> {
  const row = await customerEver(tx, merchantId, customerId);
  const consumer = await findOrganization(tx, merchantId, row.consumerId);
  if (!consumer) throw new Error(`Customer ${customerId} has lost its organization.`);
  const taxId = row.taxId ?? consumer.taxId;
  return {
    name: consumer.name,
    ...(consumer.legalName !== null && { legalName: consumer.legalName }),
    ...(taxId !== null && { taxId }),
    ...(consumer.address !== null && { address: consumer.address }),
    ...(consumer.billingEmails.length > 0 && { emails: consumer.billingEmails }),
    ...(consumer.phone !== null && { phone: consumer.phone }),
  };
}

/** The tax rates that the merchant has set for the customer (domain.md §4, Tax): percent by metric id, plan id, `default`. */
export async function customerTaxRates(tx: Tx, merchantId: string, customerId: string): Promise<TaxRates> {
  return readTaxRates((await customerEver(tx, merchantId, customerId)).taxRates);
}

async function customerEver(tx: Tx, merchantId: string, customerId: string): Promise<CustomerRow> {
  const row = await selectCustomerEver(tx, merchantId, customerId);
  if (!row) throw new Error(`There is no customer ${customerId}.`);
  return row;
}
