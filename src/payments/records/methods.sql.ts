import { type PageRequest, pageOfRows, sql, type Tx } from '../../db/index.ts';
import type { PaymentMethod } from './method.ts';

export interface Owner {
  readonly merchantId: string;
  readonly customerId: string;
}

/** One change of a customer's methods at a time, so that exactly one is the default where there are any. */
export const lockMethodsOf = (tx: Tx, { merchantId, customerId }: Owner): Promise<number> =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`payment methods ${merchantId} ${customerId}`}, 0))`);

export const insertMethod = (tx: Tx, row: Omit<PaymentMethod, 'isDefault'>): Promise<number> =>
  tx.run(sql`
    insert into payment_method (merchant_id, id, customer_id, type, brand, last4, exp_month, exp_year, is_default,
                                provider, provider_token, account_id, created_at)
    select ${row.merchantId}::text, ${row.id}::text, ${row.customerId}::text, ${row.type}::text, ${row.brand}::text,
           ${row.last4}::text, ${row.expMonth}::int, ${row.expYear}::int,
           not exists (select from payment_method
                        where merchant_id = ${row.merchantId} and customer_id = ${row.customerId} and is_default),
           ${row.provider}::text, ${row.providerToken}::text, ${row.accountId}::text,
           ${row.createdAt}::timestamptz`);

export const selectMethods = (
  tx: Tx,
  { merchantId, customerId }: Owner,
  page: PageRequest,
): Promise<{ rows: PaymentMethod[]; total: number }> =>
  pageOfRows<PaymentMethod>(
    tx,
    {
      kind: 'paymentMethod',
      select: sql`*`,
      from: sql`payment_method`,
      exists: sql`merchant_id = ${merchantId} and customer_id = ${customerId}`,
    },
    page,
  );

export const deleteMethod = (tx: Tx, { merchantId, customerId }: Owner, id: string): Promise<number> =>
  tx.run(
    sql`delete from payment_method where merchant_id = ${merchantId} and customer_id = ${customerId} and id = ${id}`,
  );

/** Two statements, because the index that allows one default looks at each row as it changes. */
export async function updateDefault(
  tx: Tx,
  { merchantId, customerId }: Owner,
  id: string,
): Promise<PaymentMethod | undefined> {
  await tx.run(sql`
    update payment_method set is_default = false
     where merchant_id = ${merchantId} and customer_id = ${customerId} and is_default and id <> ${id}
       and exists (select from payment_method
                    where merchant_id = ${merchantId} and customer_id = ${customerId} and id = ${id})`);
  return tx.maybe<PaymentMethod>(sql`
    update payment_method set is_default = true
     where merchant_id = ${merchantId} and customer_id = ${customerId} and id = ${id}
    returning *`);
}

/** A stored card of any customer; undefined if it was deleted. */
export const selectMethod = (tx: Tx, id: string): Promise<PaymentMethod | undefined> =>
  tx.maybe<PaymentMethod>(sql`select * from payment_method where merchant_id = ${tx.merchantId} and id = ${id}`);

/** The cards that are charged first, of some customers. */
export const selectDefaults = (tx: Tx, customerIds: readonly string[]): Promise<PaymentMethod[]> =>
  tx.rows<PaymentMethod>(sql`
    select * from payment_method
     where merchant_id = ${tx.merchantId} and customer_id = any (${[...customerIds]}::text[]) and is_default`);

/** The method that was stored last becomes the default where there is none. */
export const updateDefaultToNewest = (tx: Tx, { merchantId, customerId }: Owner): Promise<number> =>
  tx.run(sql`
    update payment_method set is_default = true
     where merchant_id = ${merchantId} and customer_id = ${customerId}
       and seq = (select max(seq) from payment_method where merchant_id = ${merchantId} and customer_id = ${customerId})
       and not exists (select from payment_method
                        where merchant_id = ${merchantId} and customer_id = ${customerId} and is_default)`);
