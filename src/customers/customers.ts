import { checkReference, type Tx, uniqueViolation } from '../db/index.ts';
import type { Address, Page, PageRequest } from '../http/index.ts';
import { findOrCreateConsumer, findOrganizations, lockConsumer, type Organization } from '../identity/index.ts';
import { newId } from '../kernel/ids.ts';
import { fail, forbidden, invalid, notFound, ok, type Result } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import { publish } from '../webhooks/index.ts';
import { type CustomerBlocker, findBlockers } from './blockers.ts';
import { type Customer, type NotificationSettings, toCustomer } from './customer.ts';
import {
  type CustomerChange,
  type CustomerFilter,
  type CustomerRow,
  insertCustomer,
  keepCustomer,
  lockCustomerToChange,
  lockCustomerToDelete,
  markDeleted,
  ownersOf,
  pageOfCustomers,
  selectCustomer,
  selectCustomerOfConsumer,
  updateCustomer,
} from './customers.sql.ts';
import { idsIn, nounOf, readTaxRates, type TaxRatesInput, writeTaxRates } from './tax-rates.ts';

/** A customer's externalId before and after a change; null is none. */
export interface ExternalIdChange {
  readonly merchantId: string;
  readonly customerId: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** What other domains do in the same transaction; `app.ts` binds it. */
export interface CustomerHooks {
  /** Usage that was sent by externalSubject finds its customer, or loses it (§4, ingestion rules 3 and 4). */
  readonly onExternalIdChanged: (tx: Tx, change: ExternalIdChange, now: Instant) => Promise<void>;
}

/** The fields that a merchant says about a customer of its own. */
export interface CustomerTerms {
  externalId?: string | null;
  taxId?: string | null;
  taxRates?: TaxRatesInput;
  currency?: string | null;
  notificationSettings?: Partial<NotificationSettings>;
  metadata?: Record<string, string | number | boolean>;
}

/** A consumer described, to be found by its e-mail address or made, or one named by its id: exactly one of the two. */
export interface NewCustomer extends CustomerTerms {
  consumer?: { name: string; email: string; phone?: string | null; address?: Address | null };
  consumerId?: string;
}

/**
 * Makes a consumer the merchant's customer. Where it is one already, that customer is the answer and nothing is changed
 * (api.md). Two at once make one: the second waits for the first at the consumer's row.
 * @returns 400 for neither or both of `consumer` and `consumerId`; 403 for a consumerId that is no consumer of the
 * merchant, and for tax rates of another merchant's plan; 404 for unknown ids; 409 `EXTERNAL_ID_TAKEN`.
 */
export async function createCustomer(
  tx: Tx,
  merchantId: string,
  input: NewCustomer,
  now: Instant,
  hooks: CustomerHooks,
): Promise<Result<{ customer: Customer; created: boolean }>> {
  const consumer = await consumerOf(tx, merchantId, input, now);
  if (!consumer.ok) return consumer;
  const existing = await selectCustomerOfConsumer(tx, merchantId, consumer.value.id);
  if (existing) return ok({ customer: await complete(tx, existing), created: false });
  const terms = await checkTerms(tx, merchantId, input);
  if (!terms.ok) return terms;
  const row: CustomerRow = {
    id: newId('customer'),
    merchantId,
    consumerId: consumer.value.id,
    externalId: null,
    taxId: null,
    taxRates: {},
    currency: null,
    notificationSettings: {},
    metadata: {},
    ...terms.value,
    createdAt: now,
    updatedAt: now,
  };
  const inserted = await unlessTaken(tx, row.externalId, () => insertCustomer(tx, row));
  if (!inserted.ok) return inserted;
  const made = inserted.value;
  if (made.externalId !== null) await tellExternalId(tx, hooks, made, null, now);
  await publish(
    tx,
    { merchantId, type: 'customer.created.v0', data: { customerId: made.id, consumerId: made.consumerId } },
    now,
  );
  return ok({ customer: await complete(tx, made), created: true });
}

async function consumerOf(
  tx: Tx,
  merchantId: string,
  { consumer, consumerId }: NewCustomer,
  now: Instant,
): Promise<Result<Organization>> {
  if (consumer === undefined && consumerId === undefined)
    return invalid([{ field: 'consumer', message: 'or consumerId is required' }]);
  if (consumer !== undefined && consumerId !== undefined)
    return invalid([{ field: 'consumerId', message: 'must not be sent together with consumer' }]);
  if (consumerId !== undefined) {
    const reference = await checkReference(tx, merchantId, 'organization', consumerId, 'consumerId');
    if (!reference.ok) return reference;
  }
  const id =
    consumerId ?? (await findOrCreateConsumer(tx, merchantId, consumer as NonNullable<typeof consumer>, now)).id;
  const locked = await lockConsumer(tx, merchantId, id);
  return locked ? ok(locked) : forbidden('The organization in consumerId is no consumer of this merchant.');
}

/** The fields as they are stored, where they can be; ids among the tax rates' keys must be the merchant's own. */
async function checkTerms(tx: Tx, merchantId: string, terms: CustomerTerms): Promise<Result<CustomerChange>> {
  const { externalId, taxId, currency, notificationSettings, metadata } = terms;
  const change: CustomerChange = {
    ...(externalId !== undefined && { externalId }),
    ...(taxId !== undefined && { taxId }),
    ...(currency !== undefined && { currency }),
    ...(notificationSettings !== undefined && { notificationSettings }),
    ...(metadata !== undefined && { metadata }),
  };
  if (terms.taxRates === undefined) return ok(change);
  const rates = readTaxRates(terms.taxRates);
  for (const { id, owner } of await ownersOf(tx, idsIn(rates))) {
    if (owner === null) return notFound(nounOf(id), `taxRates.${id}`);
    if (owner !== merchantId) return forbidden(`The ${nounOf(id)} ${id} in taxRates is not this merchant's.`);
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
    return ok(await tx.part(write, () => true));
  } catch (error) {
    if (uniqueViolation(error) === 'customer_external_id') return fail('EXTERNAL_ID_TAKEN', { externalId });
    throw error;
  }
}

const tellExternalId = (
  tx: Tx,
  hooks: CustomerHooks,
  { merchantId, id, externalId }: CustomerRow,
  before: string | null,
  now: Instant,
): Promise<void> => hooks.onExternalIdChanged(tx, { merchantId, customerId: id, before, after: externalId }, now);

/** A row together with the organizations that it stands between. */
async function complete(tx: Tx, row: CustomerRow): Promise<Customer> {
  const [customer] = await completeAll(tx, [row]);
  return customer as Customer;
}

/** The same for many rows, in one question. */
export async function completeAll(tx: Tx, rows: readonly CustomerRow[]): Promise<Customer[]> {
  const organizations = await findOrganizations(
    tx,
    rows.flatMap(({ consumerId, merchantId }) => [consumerId, merchantId]),
  );
  return rows.map((row) => {
    const consumer = organizations.get(row.consumerId);
    const merchant = organizations.get(row.merchantId);
    if (!consumer || !merchant) throw new Error(`Customer ${row.id} has lost its organizations.`);
    return toCustomer(row, consumer, merchant);
  });
}

/**
 * A customer of the merchant; undefined where it has none of this id, or it was deleted. With `keep` it cannot be
 * deleted until the transaction ends: for whoever hangs something on it.
 */
export async function findCustomer(
  tx: Tx,
  merchantId: string,
  id: string,
  { keep = false }: { keep?: boolean } = {},
): Promise<Customer | undefined> {
  const row = await (keep ? keepCustomer : selectCustomer)(tx, merchantId, id);
  return row && complete(tx, row);
}

/** One page of customers, newest first; of all merchants where `merchantId` is null. */
export async function listCustomers(tx: Tx, filter: CustomerFilter, page: PageRequest): Promise<Page<Customer>> {
  const { data, total } = await pageOfCustomers(tx, filter, page);
  return { data: await completeAll(tx, data), total };
}

/** Changes what the merchant says about a customer; its name and addresses are its organization's. */
export async function changeCustomer(
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
  terms: CustomerTerms,
  now: Instant,
  hooks: CustomerHooks,
): Promise<Result<Customer>> {
  const before = await lockCustomerToChange(tx, merchantId, id);
  if (!before) return notFound('customer');
  const checked = await checkTerms(tx, merchantId, terms);
  if (!checked.ok) return checked;
  const { notificationSettings: kinds, ...rest } = checked.value;
  const change = { ...rest, ...(kinds && { notificationSettings: { ...before.notificationSettings, ...kinds } }) };
  const updated = await unlessTaken(tx, change.externalId, () => updateCustomer(tx, { merchantId, id }, change, now));
  if (!updated.ok) return updated;
  if (updated.value.externalId !== before.externalId)
    await tellExternalId(tx, hooks, updated.value, before.externalId, now);
  return ok(await complete(tx, updated.value));
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
  const row = await lockCustomerToDelete(tx, merchantId, id);
  if (!row) return notFound('customer');
  const found = await findBlockers(tx, blockers, merchantId, id, now);
  if (found.length > 0) return fail('CUSTOMER_IN_USE', { blockers: found });
  await markDeleted(tx, merchantId, id, now);
  if (row.externalId !== null) await tellExternalId(tx, hooks, { ...row, externalId: null }, row.externalId, now);
  return ok(undefined);
}
