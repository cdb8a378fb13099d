import { jsonb, type Sql, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';

/** Drops the stored balances of an entitlement from a moment on: a change there changes all later figures. */
export const deleteSnapshotsFrom = (
  tx: Tx,
  { merchantId, id }: Pick<EntitlementRow, 'merchantId' | 'id'>,
  from: Instant,
): Promise<number> =>
  tx.run(
    sql`delete from entitlement_snapshot where merchant_id = ${merchantId} and entitlement_id = ${id}
      and at >= ${from}`,
  );

/** Drops those that count a grant together with others, without naming it. @param from when the grant begins */
export const deleteGroupedSnapshotsFrom = (
  tx: Tx,
  { merchantId, id }: Pick<EntitlementRow, 'merchantId' | 'id'>,
  from: Instant,
): Promise<number> =>
  tx.run(sql`
    delete from entitlement_snapshot
     where merchant_id = ${merchantId} and entitlement_id = ${id} and at >= ${from} and is_grouped`);

/**
 * Keeps the balance at an instant; a later one of the same is put in its place. @param taken as `usageSnapshot` says
 */
export const insertSnapshot = (
  tx: Tx,
  { merchantId, id }: Pick<EntitlementRow, 'merchantId' | 'id'>,
  snapshot: { at: Instant; state: unknown; isGrouped: boolean; taken: string },
): Promise<number> =>
  tx.run(sql`
    insert into entitlement_snapshot (merchant_id, entitlement_id, at, state, is_grouped, taken)
    values (${merchantId}, ${id}, ${snapshot.at}, ${jsonb(snapshot.state)}, ${snapshot.isGrouped}, ${snapshot.taken})
    on conflict (merchant_id, entitlement_id, at)
    do update set state = excluded.state, is_grouped = excluded.is_grouped, taken = excluded.taken`);

/** Is a snapshot kept as it was read? For the statement that asks what came late since. */
export const hasSnapshot = (
  { merchantId, id }: Pick<EntitlementRow, 'merchantId' | 'id'>,
  { at, taken }: { at: Instant; taken: string },
): Sql =>
  sql`exists (select from entitlement_snapshot k
               where k.merchant_id = ${merchantId} and k.entitlement_id = ${id} and k.at = ${at}
                 and k.taken = ${taken})`;

/**
 * Locks the snapshots of an entitlement of the customer, and their deletion for late usage, until this transaction
 * ends.
 */
export const lockSnapshots = (
  tx: Tx,
  { merchantId, customerId }: Pick<EntitlementRow, 'merchantId' | 'customerId'>,
): Promise<number> =>
  tx.run(
    sql`select pg_advisory_xact_lock(hashtextextended(${`entitlement snapshots ${merchantId} ${customerId}`}, 0))`,
  );

/** A snapshot of one of a customer's entitlements. */
export interface StoredSnapshot {
  readonly entitlementId: string;
  readonly subscriptionId: string | null;
  readonly at: Instant;
  readonly taken: string;
}

/** All snapshots of a customer's entitlements. */
export const selectSnapshotsOfCustomer = (
  tx: Tx,
  { merchantId, customerId }: Pick<EntitlementRow, 'merchantId' | 'customerId'>,
): Promise<StoredSnapshot[]> =>
  tx.rows<StoredSnapshot>(sql`
    select s.entitlement_id, e.subscription_id, s.at, s.taken
      from entitlement e join entitlement_snapshot s on s.merchant_id = e.merchant_id and s.entitlement_id = e.id
     where e.merchant_id = ${merchantId} and e.customer_id = ${customerId}
     order by s.entitlement_id, s.at`);

/** The subscriptions of a customer's metered entitlements. */
export const selectMeteredSubscriptions = async (
  tx: Tx,
  { merchantId, customerId }: Pick<EntitlementRow, 'merchantId' | 'customerId'>,
): Promise<string[]> => {
  const rows = await tx.rows<{ id: string }>(sql`
    select distinct subscription_id as id from entitlement
     where merchant_id = ${merchantId} and customer_id = ${customerId} and feature_type = 'metered'
       and subscription_id is not null`);
  return rows.map(({ id }) => id);
};

/**
 * Deletes snapshots, except those that another transaction is deleting or writing: it may wait for this one.
 * @returns the deleted ones
 */
export const deleteSnapshots = (
  tx: Tx,
  snapshots: readonly StoredSnapshot[],
): Promise<Pick<StoredSnapshot, 'entitlementId' | 'at'>[]> =>
  tx.rows<Pick<StoredSnapshot, 'entitlementId' | 'at'>>(sql`
    delete from entitlement_snapshot d using (
      select s.entitlement_id, s.at from entitlement_snapshot s
        join unnest(${snapshots.map((each) => each.entitlementId)}::text[],
                    ${snapshots.map(({ at }) => at)}::timestamptz[])
             w (entitlement_id, at) on w.entitlement_id = s.entitlement_id and w.at = s.at
       where s.merchant_id = ${tx.merchantId}
         for update of s skip locked) gone
     where d.merchant_id = ${tx.merchantId} and d.entitlement_id = gone.entitlement_id and d.at = gone.at
    returning d.entitlement_id, d.at`);

/** The key of a snapshot. */
export interface SnapshotKey {
  readonly merchantId: string;
  readonly entitlementId: string;
  readonly at: Instant;
}

const followsKey = (key: SnapshotKey | null): Sql =>
  key ? sql`(merchant_id, entitlement_id, at) > (${key.merchantId}, ${key.entitlementId}, ${key.at})` : sql`true`;

/** The next snapshots of all merchants, in the order of their keys. */
export const selectSnapshotsAfter = (tx: Tx, after: SnapshotKey | null, most: number): Promise<SnapshotKey[]> =>
  tx.rows<SnapshotKey>(sql`
    select merchant_id, entitlement_id, at from entitlement_snapshot
     where ${followsKey(after)}
     order by merchant_id, entitlement_id, at limit ${most}`);

/** Up to which reset everything was written, and for whom to wait until the usage before it is settled. */
export interface ResetMark {
  readonly at: Instant;
  /** As `settleUsage` answered, for `isSettled`. */
  readonly waitFor: string;
  /** A later instant for a snapshot; null: none. */
  readonly betweenAt: Instant | null;
  readonly betweenWaitFor: string | null;
}

export const selectMark = (
  tx: Tx,
  { merchantId, id }: Pick<EntitlementRow, 'merchantId' | 'id'>,
): Promise<ResetMark | undefined> =>
  tx.maybe<ResetMark>(sql`
    select at, wait_for, between_at, between_wait_for from entitlement_mark
     where merchant_id = ${merchantId} and entitlement_id = ${id}`);

export const upsertMark = (
  tx: Tx,
  { merchantId, id }: Pick<EntitlementRow, 'merchantId' | 'id'>,
  mark: Pick<ResetMark, 'at' | 'waitFor'>,
): Promise<number> =>
  tx.run(sql`
    insert into entitlement_mark (merchant_id, entitlement_id, at, wait_for)
    values (${merchantId}, ${id}, ${mark.at}, ${mark.waitFor})
    on conflict (merchant_id, entitlement_id) do update set at = excluded.at, wait_for = excluded.wait_for`);

/** Sets the instant of a snapshot between two resets; null: none. The mark exists. */
export const updateMarkBetween = (
  tx: Tx,
  { merchantId, id }: Pick<EntitlementRow, 'merchantId' | 'id'>,
  between: { readonly at: Instant; readonly waitFor: string } | null,
): Promise<number> =>
  tx.run(sql`
    update entitlement_mark set between_at = ${between?.at ?? null}, between_wait_for = ${between?.waitFor ?? null}
     where merchant_id = ${merchantId} and entitlement_id = ${id}`);
