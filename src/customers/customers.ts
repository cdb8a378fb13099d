import { checkReference, type Tx, uniqueViolation } from '../db/index.ts';
import type { Page, PageRequest } from '../http/index.ts';
import {
  type ConsumerDetails,
  type ConsumerParticulars,
  changeConsumer,
  changeConsumerParticulars,
  createConsumer,
  findOrCreateConsumer,
  findOrganizations,
  lockConsumer,
  type Organization,
} from '../identity/index.ts';
import { newId } from '../kernel/ids.ts';
import type { Locale } from '../kernel/locale.ts';
import { fail, forbidden, invalid, notFound, ok, type Result } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import type { DescribeTaxId } from '../tax/index.ts';
import { publish } from '../webhooks/index.ts';
import { type CustomerBlocker, findBlockers } from './blockers.ts';
import { type Customer, type CustomerTerms, type NewCustomer, taxIdOf, toCustomerReply } from './customer.ts';
import type { CustomerRow } from './customer-row.ts';
import {
  type CustomerChange,
  type CustomerFilter,
  insertCustomer,
  lockCustomerShared,
  lockCustomersToChange,
  lockCustomerToChange,
  lockCustomerToDelete,
  markCustomerDeleted,
  selectCustomer,
  selectCustomerOfConsumer,
  selectCustomerOfExternalId,
  selectCustomers,
  selectCustomersOfEmail,
  selectOwners,
  updateCustomer,
} from './customers.sql.ts';
import { allDifferences, nameOrAddressDifferences } from './differences.ts';
import { checkPayer, childrenOfPayer } from './payers.ts';
import type { TaxIdSubject } from './tax-ids/check.ts';
import { loadChecks, watchTaxId } from './tax-ids/checks.ts';
import { idsIn, nounOf, readTaxRates, writeTaxRates } from './tax-rates.ts';

/** A customer's externalId before and after a change; null is none. */
export interface ExternalIdChange {
  readonly merchantId: string;
  readonly customerId: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** What changes of customers depend on; `wiring.ts` binds it. */
export interface CustomerHooks {
  /** The form of a tax id; the sandbox has numbers to try with. */
  readonly describeTaxId: DescribeTaxId;
  /** Usage that was sent by externalSubject finds its customer, or loses it (§4, ingestion rules 3 and 4). */
  readonly onExternalIdChanged: (tx: Tx, change: ExternalIdChange, now: Instant) => Promise<void>;
}

/** A customer that was made, or that was there before. */
interface Found {
  readonly customer: Customer;
  readonly created: boolean;
}

/**
 * Makes a customer of its own, whatever its e-mail address: for people who describe themselves, and whom nobody has
 * identified (docs/decisions/0120). `id` was promised before.
 * @returns EXTERNAL_ID_TAKEN; what is wrong with the tax rates
 */
export async function createUnidentified(
  tx: Tx,
  { id, ...input }: NewCustomer & { readonly id: string },
  now: Instant,
  hooks: CustomerHooks,
): Promise<Result<Customer>> {
  const terms = await checkTerms(tx, input, null);
  if (!terms.ok) return terms;
  const made = await unlessTaken(tx, input.externalId, async () => {
    const consumer = await createConsumer(tx, describedIn(input), now);
    return insertNew(tx, { merchantId: tx.merchantId, input, terms: terms.value, now, hooks, id }, consumer.id);
  });
  if (!made.ok) return made;
  return made.value.ok ? ok(made.value.value.customer) : made.value;
}

/**
 * Makes a customer, or finds the one that is meant (docs/decisions/0053). With an `externalId` that is the identity: a
 * known one answers with its customer where nothing that was sent contradicts it; an unknown one makes a new customer,
 * whatever its e-mail address. Without one the e-mail address, or the `consumerId`, finds the customer again. Two at
 * once make one.
 * @returns 400 for neither or both of `consumer` and `consumerId`; 403 for a consumerId that is no consumer of the
 * merchant, and for tax rates of another merchant's plan; 404 for unknown ids; 409 `EXTERNAL_ID_TAKEN`,
 * `CUSTOMER_EXISTS`.
 */
export async function createCustomer(
  tx: Tx,
  input: NewCustomer,
  now: Instant,
  hooks: CustomerHooks,
): Promise<Result<Found>> {
  const { consumer, consumerId } = input;
  if (consumer === undefined && consumerId === undefined)
    return invalid([{ field: 'consumer', message: 'or consumerId is required' }]);
  if (consumer !== undefined && consumerId !== undefined)
    return invalid([{ field: 'consumerId', message: 'must not be sent together with consumer' }]);
  const terms = await checkTerms(tx, input, null);
  if (!terms.ok) return terms;
  const creation: Creation = { merchantId: tx.merchantId, input, terms: terms.value, now, hooks };
  if (consumerId !== undefined) {
    const locked = await lockNamedConsumer(tx, consumerId);
    if (!locked.ok) return locked;
  }
  return typeof input.externalId === 'string'
    ? createByExternalId(tx, creation, input.externalId)
    : createByConsumer(tx, creation);
}

/** The context of a creation. */
interface Creation {
  readonly merchantId: string;
  readonly input: NewCustomer;
  readonly terms: CustomerChange;
  readonly now: Instant;
  readonly hooks: CustomerHooks;
  /** The id, if it was promised before. */
  readonly id?: string;
}

async function lockNamedConsumer(tx: Tx, consumerId: string): Promise<Result<Organization>> {
  const reference = await checkReference(tx, 'organization', consumerId, 'consumerId');
  if (!reference.ok) return reference;
  const locked = await lockConsumer(tx, consumerId);
  return locked ? ok(locked) : forbidden('The organization in consumerId is no consumer of this merchant.');
}

/**
 * The unique index on the externalId decides between two simultaneous creations: the second finds the customer of the
 * first.
 */
async function createByExternalId(tx: Tx, creation: Creation, externalId: string): Promise<Result<Found>> {
  const { input, now } = creation;
  const known = await selectCustomerOfExternalId(tx, externalId);
  if (known) return sameCustomer(tx, known, input);
  const made = await unlessTaken(tx, externalId, async () => {
    const consumerId = input.consumerId ?? (await createConsumer(tx, describedIn(input), now)).id;
    const other = await selectCustomerOfConsumer(tx, consumerId);
    return other ? existing(other, ['externalId']) : insertNew(tx, creation, consumerId);
  });
  if (made.ok) return made.value;
  const winner = await selectCustomerOfExternalId(tx, externalId);
  return winner ? sameCustomer(tx, winner, input) : made;
}

/** A known externalId means its customer, unless the creation says something else of it. */
async function sameCustomer(tx: Tx, row: CustomerRow, input: NewCustomer): Promise<Result<Found>> {
  const customer = await complete(tx, row);
  const differing = allDifferences(customer, input);
  if (differing.length === 0) return ok({ customer, created: false });
  const details = { externalId: row.externalId, customerId: row.id, differing };
  return fail('EXTERNAL_ID_TAKEN', details, `The customer with this externalId has another ${differing.join(', ')}.`);
}

/** Two at once meet at the consumer's row, which is locked; the unique index on the pair has the last word. */
async function createByConsumer(tx: Tx, creation: Creation): Promise<Result<Found>> {
  const { merchantId, input, now } = creation;
  if (input.consumerId !== undefined) {
    const row = await selectCustomerOfConsumer(tx, input.consumerId);
    return row ? ok({ customer: await complete(tx, row), created: false }) : insertNew(tx, creation, input.consumerId);
  }
  const described = describedIn(input);
  const known = await customerOfEmail(tx, input);
  if (known) return known;
  const { consumer, created } = await findOrCreateConsumer(tx, described, now);
  if (created) return insertNew(tx, creation, consumer.id);
  await lockConsumer(tx, consumer.id);
  const twin = await customerOfEmail(tx, input);
  if (twin) return twin;
  // The consumer is nobody's customer: its customer was deleted, or it was made by itself. What was sent holds from now
  // on.
  await changeConsumer(tx, { merchantId, id: consumer.id }, described, now);
  return insertNew(tx, creation, consumer.id);
}

/** The first customer of this e-mail address that the creation does not contradict; null where the address has none. */
async function customerOfEmail(tx: Tx, input: NewCustomer): Promise<Result<Found> | null> {
  const rows = await selectCustomersOfEmail(tx, describedIn(input).email.toLowerCase());
  const [first] = rows;
  if (!first) return null;
  const compared = (await completeAll(tx, rows)).map((customer) => ({
    customer,
    differing: nameOrAddressDifferences(customer, input),
  }));
  const meant = compared.find(({ differing }) => differing.length === 0);
  return meant ? ok({ customer: meant.customer, created: false }) : existing(first, compared[0]?.differing ?? []);
}

const existing = ({ id, externalId }: CustomerRow, differing: readonly string[]): Result<never> =>
  fail('CUSTOMER_EXISTS', { customerId: id, ...(externalId !== null && { externalId }), differing });

const describedIn = ({ consumer }: NewCustomer): ConsumerDetails => {
  if (!consumer) throw new Error('The creation names its consumer and does not describe it.');
  return consumer;
};

async function insertNew(tx: Tx, creation: Creation, consumerId: string): Promise<Result<Found>> {
  const { merchantId, terms, now, hooks, id } = creation;
  const made = await insertCustomer(tx, {
    id: id ?? newId('customer'),
    merchantId,
    consumerId,
    externalId: null,
    taxId: null,
    taxRates: {},
    taxExempt: false,
    taxExemptReason: null,
    currency: null,
    locale: null,
    buyerReference: null,
    payerId: null,
    invoiceGrouping: null,
    notificationSettings: {},
    metadata: {},
    taxVerdict: null,
    ...terms,
    createdAt: now,
    updatedAt: now,
  });
  if (made.externalId !== null) await notifyExternalIdChange(tx, hooks, made, null, now);
  await watchTaxIds(tx, hooks, [made], now);
  await publish(
    tx,
    { merchantId, type: 'customer.created.v0', data: { customerId: made.id, consumerId: made.consumerId } },
    now,
  );
  return ok({ customer: await complete(tx, made), created: true });
}

/**
 * The fields as they are stored, where they can be; ids among the tax rates' keys must be the merchant's own.
 * @param id null: of a new customer
 */
async function checkTerms(tx: Tx, terms: CustomerTerms, id: string | null): Promise<Result<CustomerChange>> {
  const { externalId, taxId, taxExempt, taxExemptReason, currency, locale, buyerReference, payerId } = terms;
  const { invoiceGrouping, notificationSettings, metadata } = terms;
  if (payerId != null) {
    const payer = await checkPayer(tx, payerId, id);
    if (!payer.ok) return payer;
  }
  const change: CustomerChange = {
    ...(externalId !== undefined && { externalId }),
    ...(taxId !== undefined && { taxId }),
    ...(taxExempt !== undefined && { taxExempt }),
    ...(taxExemptReason !== undefined && { taxExemptReason }),
    ...(currency !== undefined && { currency }),
    ...(locale !== undefined && { locale }),
    ...(buyerReference !== undefined && { buyerReference }),
    ...(payerId !== undefined && { payerId }),
    ...(invoiceGrouping !== undefined && { invoiceGrouping }),
    ...(notificationSettings !== undefined && { notificationSettings }),
    ...(metadata !== undefined && { metadata }),
  };
  if (terms.taxRates === undefined) return ok(change);
  const rates = readTaxRates(terms.taxRates);
  for (const { id, owner } of await selectOwners(tx, idsIn(rates))) {
    if (owner === null) return notFound(nounOf(id), `taxRates.${id}`);
    if (owner !== tx.merchantId) return forbidden(`The ${nounOf(id)} ${id} in taxRates is not this merchant's.`);
  }
  return ok({ ...change, taxRates: writeTaxRates(rates) });
}

/** Writes, or refuses where another customer of the merchant has the externalId: the unique index decides the race. */
async function unlessTaken<T>(
  tx: Tx,
  externalId: string | null | undefined,
  write: () => Promise<T>,
): Promise<Result<T>> {
  try {
    return ok(await tx.savepoint(write, () => true));
  } catch (error) {
    if (uniqueViolation(error) === 'customer_external_id') return fail('EXTERNAL_ID_TAKEN', { externalId });
    throw error;
  }
}

const notifyExternalIdChange = (
  tx: Tx,
  hooks: CustomerHooks,
  { merchantId, id, externalId }: CustomerRow,
  before: string | null,
  now: Instant,
): Promise<void> => hooks.onExternalIdChanged(tx, { merchantId, customerId: id, before, after: externalId }, now);

/** A row together with its consumer. */
async function complete(tx: Tx, row: CustomerRow): Promise<Customer> {
  const [customer] = await completeAll(tx, [row]);
  return customer as Customer;
}

/** The same for many rows, in as many questions. */
export async function completeAll(tx: Tx, rows: readonly CustomerRow[]): Promise<Customer[]> {
  const consumers = await consumersOf(tx, rows);
  const withTaxId = rows.filter((row) => taxIdOf(row, consumers(row)) !== null);
  const checks = await loadChecks(tx, withTaxId.map(holderOf));
  return rows.map((row) => toCustomerReply(row, consumers(row), checks.get(row.id)));
}

async function consumersOf(tx: Tx, rows: readonly CustomerRow[]): Promise<(row: CustomerRow) => Organization> {
  const consumers = await findOrganizations(
    tx,
    rows.map(({ consumerId }) => consumerId),
  );
  return ({ id, consumerId }) => {
    const consumer = consumers.get(consumerId);
    if (!consumer) throw new Error(`Customer ${id} has lost its consumer.`);
    return consumer;
  };
}

const holderOf = ({ merchantId, id }: CustomerRow) => ({ merchantId, customerId: id });

/** Has the tax ids of some customers checked where they, or the countries of the addresses, are others than before. */
async function watchTaxIds(
  tx: Tx,
  { describeTaxId }: Pick<CustomerHooks, 'describeTaxId'>,
  rows: readonly CustomerRow[],
  now: Instant,
): Promise<void> {
  const consumers = await consumersOf(tx, rows);
  for (const row of rows) await watchTaxId(tx, describeTaxId, holderOf(row), taxIdOf(row, consumers(row)), now);
}

/** After a change of an organization's tax id or address: its customer's tax id is checked again. */
export async function watchTaxIdOfConsumer(
  tx: Tx,
  { consumerId }: { merchantId: string; consumerId: string },
  now: Instant,
  hooks: Pick<CustomerHooks, 'describeTaxId'>,
): Promise<void> {
  const row = await selectCustomerOfConsumer(tx, consumerId);
  if (row) await watchTaxIds(tx, hooks, [row], now);
}

/** The tax id of a customer and the country that it counts for; null where it has none, or is gone. */
export async function findTaxId(tx: Tx, customerId: string): Promise<TaxIdSubject | null> {
  const row = await selectCustomer(tx, customerId);
  return row ? taxIdOf(row, (await consumersOf(tx, [row]))(row)) : null;
}

/**
 * A customer of the merchant; undefined where it has none of this id, or it was deleted. With `keep` it cannot be
 * deleted until the transaction ends: for whoever hangs something on it.
 */
export async function findCustomer(
  tx: Tx,
  id: string,
  { keep = false }: { keep?: boolean } = {},
): Promise<Customer | undefined> {
  const row = await (keep ? lockCustomerShared : selectCustomer)(tx, id);
  return row && complete(tx, row);
}

/** The language of a customer; null where it has none, or is gone. */
export const findLocale = async (tx: Tx, id: string): Promise<Locale | null> =>
  (await selectCustomer(tx, id))?.locale ?? null;

/** One page of customers, newest first; of all merchants where `merchantId` is null. */
export async function listCustomers(tx: Tx, filter: CustomerFilter, page: PageRequest): Promise<Page<Customer>> {
  const { data, total } = await selectCustomers(tx, filter, page);
  return { data: await completeAll(tx, data), total };
}

/** Changes the merchant's data of a customer; its name and addresses are its organization's. */
export async function changeCustomer(
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
  terms: CustomerTerms,
  now: Instant,
  hooks: CustomerHooks,
): Promise<Result<Customer>> {
  await lockCustomersToChange(tx, [id, ...(terms.payerId == null ? [] : [terms.payerId])]);
  const before = await selectCustomer(tx, id);
  if (!before) return notFound('customer');
  const checked = await checkTerms(tx, terms, id);
  if (!checked.ok) return checked;
  const { notificationSettings: kinds, ...rest } = checked.value;
  const change = { ...rest, ...(kinds && { notificationSettings: { ...before.notificationSettings, ...kinds } }) };
  const updated = await unlessTaken(tx, change.externalId, () => updateCustomer(tx, { merchantId, id }, change, now));
  if (!updated.ok) return updated;
  if (updated.value.externalId !== before.externalId)
    await notifyExternalIdChange(tx, hooks, updated.value, before.externalId, now);
  await watchTaxIds(tx, hooks, [updated.value], now);
  return ok(await complete(tx, updated.value));
}

/** The billing details of a customer: its organization's particulars, and its own tax id. */
export interface BillingDetails extends ConsumerParticulars {
  readonly taxId: string | null;
}

/** Changes the billing details of a customer, also those of its organization. Issued invoices do not change. */
export async function changeBillingDetails(
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
  { taxId, ...particulars }: BillingDetails,
  now: Instant,
  hooks: CustomerHooks,
): Promise<Result<Customer>> {
  const row = await lockCustomerToChange(tx, id);
  if (!row) return notFound('customer');
  await changeConsumerParticulars(tx, { merchantId, id: row.consumerId }, particulars, now);
  return changeCustomer(tx, { merchantId, id }, { taxId }, now, hooks);
}

/**
 * Deletes a customer that nothing holds. The row is kept out of sight, so that paid invoices go on naming it; its pair
 * and its externalId are free again.
 * @returns 409 `CUSTOMER_IN_USE` with the blockers of §7.
 */
export async function deleteCustomer(
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
  now: Instant,
  { blockers, ...hooks }: CustomerHooks & { blockers: readonly CustomerBlocker[] },
): Promise<Result<void>> {
  const row = await lockCustomerToDelete(tx, id);
  if (!row) return notFound('customer');
  const found = await findBlockers(tx, [childrenOfPayer, ...blockers], id, now);
  if (found.length > 0) return fail('CUSTOMER_IN_USE', { blockers: found });
  await markCustomerDeleted(tx, id, now);
  await watchTaxId(tx, hooks.describeTaxId, { merchantId, customerId: id }, null, now);
  if (row.externalId !== null)
    await notifyExternalIdChange(tx, hooks, { ...row, externalId: null }, row.externalId, now);
  return ok(undefined);
}
