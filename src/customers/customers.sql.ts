import {
  allOf,
  assignments,
  type Changed,
  changedRows,
  insertion,
  isChanged,
  jsonb,
  keptTotal,
  type Placed,
  pageOfRows,
  partsOfPage,
  type Sql,
  sql,
  type Tx,
  withJsonb,
} from '../db/index.ts';
import type { Page, PageRequest } from '../http/index.ts';
import { changedOrganizations, consumerEmails, consumerIdsOfEmail } from '../identity/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { CustomerRow } from './customer-row.ts';
import type { TaxVerdict } from './tax-address.ts';

const INSERTED = sql`id, merchant_id, consumer_id, external_id, tax_id, tax_rates, tax_exempt, tax_exempt_reason,
  currency, locale, buyer_reference, payer_id, invoice_grouping, notification_settings, metadata, created_at,
  updated_at`;
const columns = sql`${INSERTED}, tax_verdict`;

/** Stores the verdict of a tax provider. */
export const updateTaxVerdict = (tx: Tx, id: string, verdict: TaxVerdict): Promise<number> =>
  tx.run(sql`update customer set tax_verdict = ${jsonb(verdict)} where merchant_id = ${tx.merchantId} and id = ${id}`);

export const insertCustomer = (tx: Tx, row: CustomerRow): Promise<CustomerRow> =>
  tx.one<CustomerRow>(sql`
    ${insertion('customer', withJsonb(row, 'taxRates', 'notificationSettings', 'metadata'), INSERTED)}
    returning ${columns}`);

export const selectCustomer = (tx: Tx, id: string): Promise<CustomerRow | undefined> =>
  tx.maybe<CustomerRow>(sql`
    select ${columns} from customer where merchant_id = ${tx.merchantId} and id = ${id} and deleted_at is null`);

/** Also deleted ones: their documents still name them. */
export const selectCustomersEver = (tx: Tx, ids: readonly string[]): Promise<CustomerRow[]> =>
  tx.rows<CustomerRow>(
    sql`select ${columns} from customer where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])`,
  );

/**
 * Those who are billed for some customers, also deleted ones: their payers, else they themselves. Under row-level
 * security no index serves a condition with `coalesce`: it would read all customers of the merchant.
 */
export const selectBilledFor = (
  tx: Tx,
  ids: readonly string[],
): Promise<(CustomerRow & { readonly forId: string })[]> =>
  tx.rows<CustomerRow & { readonly forId: string }>(sql`
    select for_id, ${columns}
      from (select billed.*, c.id as for_id
              from customer c
              join customer billed on billed.merchant_id = c.merchant_id
                                  and billed.id = case when c.payer_id is null then c.id else c.payer_id end
             where c.merchant_id = ${tx.merchantId} and c.id = any (${[...ids]}::text[])) found`);

/** The payers of those of some customers that have one. */
export const selectPayers = (tx: Tx, ids: readonly string[]): Promise<{ id: string; payerId: string }[]> =>
  tx.rows<{ id: string; payerId: string }>(sql`
    select id, payer_id from customer
     where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[]) and payer_id is not null`);

/** Some customers, each beside itself, and in another row beside who pays for it, if another one does. */
export const withPayers = (merchantId: Sql, ids: readonly string[]): Sql => sql`
  select c.id as customer_id, w.id as payer_id
    from customer c cross join lateral (values (c.id), (c.payer_id)) w (id)
   where c.merchant_id = ${merchantId} and c.id = any (${[...ids]}::text[]) and w.id is not null`;

/** The customers for which one pays. */
export const childrenOf = (merchantId: Sql, payerId: Sql): Sql =>
  sql`select id from customer where merchant_id = ${merchantId} and payer_id = ${payerId} and deleted_at is null`;

/** The first ones of each of some payers, the oldest first. */
export const selectChildren = (tx: Tx, payerIds: readonly string[], most: number): Promise<{ id: string }[]> =>
  tx.rows<{ id: string }>(sql`
    select c.id from unnest(${[...payerIds]}::text[]) as p (id)
     cross join lateral (${childrenOf(sql`${tx.merchantId}`, sql`p.id`)} order by seq limit ${most}) c`);

/** The address of a customer for emails, and the subjects that it has turned off. */
export interface Mailbox {
  readonly customerId: string;
  readonly emails: readonly string[];
  readonly notificationSettings: CustomerRow['notificationSettings'];
}

/** The mailboxes of some customers, also of deleted ones. */
export const selectMailboxes = (tx: Tx, customerIds: readonly string[]): Promise<Mailbox[]> =>
  tx.rows<Mailbox>(sql`
    select customer.id as customer_id, consumer.emails, customer.notification_settings
      from customer
      join (${consumerEmails}) consumer
        on consumer.merchant_id = customer.merchant_id and consumer.id = customer.consumer_id
     where customer.merchant_id = ${tx.merchantId} and customer.id = any (${[...customerIds]}::text[])`);

/** Keeps the customer from being deleted until the transaction ends; many may keep it at once. */
export const lockCustomerShared = (tx: Tx, id: string): Promise<CustomerRow | undefined> =>
  tx.maybe<CustomerRow>(sql`
    select ${columns} from customer where merchant_id = ${tx.merchantId} and id = ${id}
      and deleted_at is null for key share`);

/** Locks against other changes, and with `for update` also against those who keep the customer. */
const locked = (lock: Sql) => (tx: Tx, id: string) =>
  tx.maybe<CustomerRow>(sql`
    select ${columns} from customer where merchant_id = ${tx.merchantId} and id = ${id}
      and deleted_at is null ${lock}`);
export const lockCustomerToChange = locked(sql`for no key update`);
export const lockCustomerToDelete = locked(sql`for update`);

/** Locks some customers as `lockCustomerToChange` does, in the order of their ids. */
export const lockCustomersToChange = (tx: Tx, ids: readonly string[]): Promise<number> =>
  tx.run(sql`
    select from customer where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])
      and deleted_at is null order by id for no key update`);

export const selectCustomerOfConsumer = (tx: Tx, consumerId: string): Promise<CustomerRow | undefined> =>
  tx.maybe<CustomerRow>(sql`
    select ${columns} from customer
     where merchant_id = ${tx.merchantId} and consumer_id = ${consumerId} and deleted_at is null`);

export const selectCustomerOfExternalId = (tx: Tx, externalId: string): Promise<CustomerRow | undefined> =>
  tx.maybe<CustomerRow>(sql`
    select ${columns} from customer
     where merchant_id = ${tx.merchantId} and external_id = ${externalId} and deleted_at is null`);

/** The customers that an e-mail address may mean: those without an externalId first, the oldest first among each. */
export const selectCustomersOfEmail = (tx: Tx, email: string): Promise<CustomerRow[]> =>
  tx.rows<CustomerRow>(sql`
    select ${columns} from customer
     where merchant_id = ${tx.merchantId} and deleted_at is null
       and consumer_id in (${consumerIdsOfEmail(tx.merchantId, email)})
     order by external_id is not null, seq`);

/** Customers to whom is written at this address, in any case; the oldest first. */
export const selectCustomersMailedAt = (tx: Tx, email: string, most: number): Promise<string[]> =>
  tx.values<string>(sql`select id from customers_mailed_at(${tx.merchantId}, ${email}, ${most}) as id`);

export interface CustomerFilter {
  merchantId: string | null;
  consumerId?: string;
  /** A part of the consumer's name, any case. */
  name?: string;
  /** A part of one of the consumer's e-mail addresses, any case. */
  email?: string;
  externalId?: string;
  payerId?: string;
  updatedFrom?: Instant;
}

/** A customer shows its organization, and the check of its tax id. */
const changedCustomers = (changed: Changed): Sql =>
  isChanged('customer', changed, [
    { column: 'consumer_id', changed: changedOrganizations(changed) },
    { column: 'id', changed: changedRows('tax_id_check', 'id', changed) },
  ]);

/** A part of a text that is kept in lower case (migrations/0040_customers.sql). */
const holds = (column: Sql, part: string): Sql => sql`strpos(${column}, lower(${part})) > 0`;

/** All customers that are not deleted. */
const CUSTOMERS = { kind: 'customer', from: sql`customer`, exists: sql`deleted_at is null` } as const;

export async function selectCustomers(tx: Tx, filter: CustomerFilter, page: PageRequest): Promise<Page<CustomerRow>> {
  const { merchantId, consumerId, name, email, externalId, payerId, updatedFrom } = filter;
  const isSearch = name !== undefined || email !== undefined;
  const isOther = consumerId !== undefined || externalId !== undefined || payerId !== undefined || updatedFrom;
  if (isSearch && merchantId !== null && !isOther) return pageOfFound(tx.of(merchantId), filter, page);
  const where = allOf([
    merchantId !== null && sql`merchant_id = ${merchantId}`,
    consumerId !== undefined && sql`consumer_id = ${consumerId}`,
    externalId !== undefined && sql`external_id = ${externalId}`,
    payerId !== undefined && sql`payer_id = ${payerId}`,
    updatedFrom && changedCustomers({ merchantId, from: updatedFrom }),
    name !== undefined && holds(sql`consumer_name`, name),
    email !== undefined && sql`${holds(sql`consumer_emails`, email)} and strpos(${email}, e'\n') = 0`,
  ]);
  const { rows, total } = await pageOfRows<CustomerRow>(
    tx,
    { select: columns, ...CUSTOMERS, where },
    page,
    keptTotal(tx, 'customer', merchantId, filter),
  );
  return { data: rows, total };
}

/** The same of a merchant's customers by parts of name and e-mail alone, which are found and counted once. */
async function pageOfFound(tx: Tx, { name, email }: CustomerFilter, page: PageRequest): Promise<Page<CustomerRow>> {
  const { place, behind, order, most, rowsOf } = await partsOfPage(tx, CUSTOMERS, page);
  const { count: total, seqs } = await tx.one<{ count: number; seqs: string[] }>(sql`
    with found as materialized (
      select seq from customers_with(${tx.merchantId}, ${name ?? null}, ${email ?? null}) seq
    )
    select (select count(*)::int from found) as count,
           array(select seq from found where ${behind ?? sql`true`}
                  order by ${order} limit ${most} offset ${page.offset})::text[] as seqs`);
  const found = await tx.rows<CustomerRow & Placed>(sql`
    select ${columns}, ${place} from customer
     where merchant_id = ${tx.merchantId} and deleted_at is null and seq = any (${seqs}::bigint[]) order by ${order}`);
  return { data: await rowsOf<CustomerRow>(found), total };
}

/** A customer that a text finds. */
export interface FoundCustomer {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly externalId: string | null;
  /** 1: the whole externalId or address; 2: the beginning of the name; 3: of another; 4: a part. */
  readonly rank: number;
}

/** The customers that a text in any case finds, the best first (migrations/0210_customers_search.sql). */
export const selectByText = (tx: Tx, text: string, most: number): Promise<FoundCustomer[]> =>
  tx.rows<FoundCustomer>(sql`
    select id, name, email, external_id, rank from customers_found(${tx.merchantId}, ${text}, ${most})`);

export type CustomerChange = Partial<
  Pick<
    CustomerRow,
    | 'externalId'
    | 'taxId'
    | 'taxRates'
    | 'taxExempt'
    | 'taxExemptReason'
    | 'currency'
    | 'locale'
    | 'buyerReference'
    | 'payerId'
    | 'invoiceGrouping'
    | 'notificationSettings'
    | 'metadata'
  >
>;

const jsonbIfGiven = (value: unknown) => (value === undefined ? undefined : jsonb(value));

export const updateCustomer = (
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
  change: CustomerChange,
  now: Instant,
): Promise<CustomerRow> =>
  tx.one<CustomerRow>(sql`
    update customer set ${assignments({
      externalId: change.externalId,
      taxId: change.taxId,
      taxRates: jsonbIfGiven(change.taxRates),
      taxExempt: change.taxExempt,
      taxExemptReason: change.taxExemptReason,
      currency: change.currency,
      locale: change.locale,
      buyerReference: change.buyerReference,
      payerId: change.payerId,
      invoiceGrouping: change.invoiceGrouping,
      notificationSettings: jsonbIfGiven(change.notificationSettings),
      metadata: jsonbIfGiven(change.metadata),
      updatedAt: now,
    })} where merchant_id = ${merchantId} and id = ${id} returning ${columns}`);

export const markCustomerDeleted = (tx: Tx, id: string, now: Instant): Promise<number> =>
  tx.run(
    sql`update customer set deleted_at = ${now}, updated_at = ${now} where merchant_id = ${tx.merchantId} and id = ${id}`,
  );

/** The owner of each of some ids, for any caller; null for an unknown id. */
export const selectOwners = (tx: Tx, ids: readonly string[]): Promise<{ id: string; owner: string | null }[]> =>
  tx.rows<{ id: string; owner: string | null }>(
    sql`select id, owner_of(id) as owner from unnest(${[...ids]}::text[]) as id`,
  );

/** The customer that has an externalId now; for an operator (null) that of each merchant. */
export const selectCustomerIdsOfExternalId = async (
  tx: Tx,
  merchantId: string | null,
  externalId: string,
): Promise<string[]> => {
  const where = allOf([
    sql`external_id = ${externalId} and deleted_at is null`,
    merchantId !== null && sql`merchant_id = ${merchantId}`,
  ]);
  const rows = await tx.rows<{ id: string }>(sql`select id from customer where ${where}`);
  return rows.map(({ id }) => id);
};

/** The customers of some externalIds now; unknown ones are left out. */
export const selectCustomersOfExternalIds = async (
  tx: Tx,
  externalIds: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const rows = await tx.rows<{ id: string; externalId: string }>(sql`
    select id, external_id from customer
     where merchant_id = ${tx.merchantId} and external_id = any (${[...externalIds]}::text[]) and deleted_at is null`);
  return new Map(rows.map(({ id, externalId }) => [externalId, id]));
};
