import { LOCK_NOT_AVAILABLE, sql, type Tx } from '../../db/index.ts';

/*
 * The billing lock of a subscription: whoever reads its usage for an invoice, calculates one, takes back what it was
 * billed, or changes what its closed periods should have billed. It comes after the subscription's row and before the
 * rows of its invoices (docs/decisions/0065-the-billing-lock.md).
 */

/**
 * Locks the billing of some subscriptions, in the order of their ids. The next statement sees what others did under it.
 */
export const lockBilling = (tx: Tx, subscriptionIds: readonly string[]): Promise<number> =>
  tx.run(sql`
    select pg_advisory_xact_lock(hashtextextended('billing:' || ${tx.merchantId}::text || ':' || id, 0))
      from unnest(${subscriptionIds.toSorted()}::text[]) as id`);

/** The same without waiting. @returns false if another process has a lock */
export const lockBillingIfFree = (tx: Tx, subscriptionIds: readonly string[]): Promise<boolean> =>
  tx.value<boolean>(sql`
    select coalesce(bool_and(
             pg_try_advisory_xact_lock(hashtextextended('billing:' || ${tx.merchantId}::text || ':' || id, 0))), true)
      from unnest(${[...subscriptionIds]}::text[]) as id`);

/** The same. @throws 55P03 if another process has a lock */
export async function lockBillingNow(tx: Tx, subscriptionIds: readonly string[]): Promise<void> {
  if (!(await lockBillingIfFree(tx, subscriptionIds)))
    throw Object.assign(new Error('Somebody else bills one of these subscriptions.'), { code: LOCK_NOT_AVAILABLE });
}

/**
 * Locks the billing of the subscriptions of some invoices, without waiting.
 * @returns the ids of the invoices whose subscription is locked now, and of those that have none
 */
export async function lockBillingOfInvoicesNow(tx: Tx, invoiceIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.rows<{ id: string; isFree: boolean }>(sql`
    select id,
           subscription_id is null or pg_try_advisory_xact_lock(
             hashtextextended('billing:' || ${tx.merchantId}::text || ':' || subscription_id, 0)) as is_free
      from invoice
     where merchant_id = ${tx.merchantId} and id = any (${[...invoiceIds]}::text[])`);
  return new Set(rows.filter(({ isFree }) => isFree).map(({ id }) => id));
}
