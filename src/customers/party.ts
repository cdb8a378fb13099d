import type { Tx } from '../db/index.ts';
import { findOrganizationsOf, type Organization } from '../identity/index.ts';
import type { Locale } from '../kernel/locale.ts';
import type { CustomerRow } from './customer-row.ts';
import { type Mailbox, selectBilledFor, selectCustomersEver, selectMailboxes } from './customers.sql.ts';
import { readTaxRates, type TaxRates } from './tax-rates.ts';

/** The recipient of a document: copied onto an invoice at issue, so that later changes do not reach it. */
export interface CustomerParty {
  name: string;
  legalName?: string;
  taxId?: string;
  address?: Record<string, string>;
  emails?: string[];
  phone?: string;
  /** The language of documents and mails; English where it is not said. */
  locale?: Locale;
  /** The customer's own reference for its invoices. */
  buyerReference?: string;
  /** Of a payer: the customer for which it pays. */
  servedName?: string;
  /** Why sales to it have no tax, where an invoice is exempt. */
  taxExemptReason?: string;
}

/**
 * The recipient of documents for this customer: its consumer organization, with the tax registration that the merchant
 * knows of the customer before the organization's own. Deleted customers are parties still.
 * @throws where the merchant never had such a customer: a fault of ours.
 */
export async function customerParty(tx: Tx, customerId: string): Promise<CustomerParty> {
  return (await customerParties(tx, [customerId])).get(customerId) as CustomerParty;
}

/** The same of some customers, by their ids. */
export async function customerParties(
  tx: Tx,
  customerIds: Iterable<string>,
): Promise<ReadonlyMap<string, CustomerParty>> {
  const rows = await customersEver(tx, [...new Set(customerIds)]);
  return partiesOf(
    tx,
    rows.map((row) => ({ ...row, forId: row.id })),
  );
}

/** Those to whom invoices of some customers are addressed, by the ids of the customers: their payers, else they. */
export async function billedParties(
  tx: Tx,
  customerIds: Iterable<string>,
): Promise<ReadonlyMap<string, CustomerParty>> {
  const rows = await selectBilledFor(tx, [...new Set(customerIds)]);
  const parties = await partiesOf(tx, rows);
  const served = rows.filter(({ id, forId }) => id !== forId).map(({ forId }) => forId);
  if (served.length === 0) return parties;
  const names = new Map((await customerNames(tx, served)).map(({ id, name }) => [id, name]));
  return new Map(
    [...parties].map(([id, party]) => {
      const servedName = names.get(id);
      return [id, servedName ? { ...party, servedName } : party];
    }),
  );
}

/** The same of one customer. */
export const billedParty = async (tx: Tx, customerId: string): Promise<CustomerParty> =>
  (await billedParties(tx, [customerId])).get(customerId) as CustomerParty;

async function partiesOf(
  tx: Tx,
  rows: readonly (CustomerRow & { readonly forId: string })[],
): Promise<ReadonlyMap<string, CustomerParty>> {
  const consumers = await findOrganizationsOf(
    tx,
    rows.map(({ consumerId }) => consumerId),
  );
  return new Map(rows.map((row) => [row.forId, partyOf(row, consumers.get(row.consumerId))]));
}

function partyOf(row: CustomerRow, consumer: Organization | undefined): CustomerParty {
  if (!consumer) throw new Error(`Customer ${row.id} has lost its organization.`);
  const taxId = row.taxId ?? consumer.taxId;
  return {
    name: consumer.name,
    ...(consumer.legalName !== null && { legalName: consumer.legalName }),
    ...(taxId !== null && { taxId }),
    ...(consumer.address !== null && { address: consumer.address }),
    ...(consumer.billingEmails.length > 0 && { emails: consumer.billingEmails }),
    ...(consumer.phone !== null && { phone: consumer.phone }),
    ...(row.locale !== null && { locale: row.locale }),
    ...(row.buyerReference !== null && { buyerReference: row.buyerReference }),
    ...(row.taxExemptReason !== null && { taxExemptReason: row.taxExemptReason }),
  };
}

/**
 * The tax rates that the merchant has set for the customer (domain.md §4, Tax): percent by metric id, plan id,
 * `default`.
 */
export async function customerTaxRates(tx: Tx, customerId: string): Promise<TaxRates> {
  const [row] = await customersEver(tx, [customerId]);
  return readTaxRates((row as CustomerRow).taxRates);
}

/** The addresses and subjects of emails to some customers, also deleted ones; a missing customer is left out. */
export async function findMailboxes(tx: Tx, customerIds: Iterable<string>): Promise<ReadonlyMap<string, Mailbox>> {
  const found = await selectMailboxes(tx, [...new Set(customerIds)]);
  return new Map(found.map((mailbox) => [mailbox.customerId, mailbox]));
}

/** The names of some customers, also deleted ones; a missing customer is left out. */
export async function customerNames(tx: Tx, ids: readonly string[]): Promise<{ id: string; name: string | null }[]> {
  const rows = await selectCustomersEver(tx, ids);
  const consumers = await findOrganizationsOf(
    tx,
    rows.map(({ consumerId }) => consumerId),
  );
  return rows.map(({ id, consumerId }) => ({ id, name: consumers.get(consumerId)?.name ?? null }));
}

async function customersEver(tx: Tx, ids: readonly string[]): Promise<CustomerRow[]> {
  const rows = await selectCustomersEver(tx, ids);
  const missing = rows.length < ids.length && ids.find((id) => !rows.some((row) => row.id === id));
  if (missing) throw new Error(`Customer ${missing} does not exist.`);
  return rows;
}
