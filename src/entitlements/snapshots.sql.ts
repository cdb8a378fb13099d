import { jsonb, sql, type Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { EntitlementRow } from './entitlements.sql.ts';

/** Drops what is remembered of an entitlement from a moment on: what was changed there changes all figures after it. */
export const forgetSnapshots = (
  tx: Tx,
  { merchant_id, id }: Pick<EntitlementRow, 'merchant_id' | 'id'>,
  from: Instant,
): Promise<number> =>
  tx.run(
    sql`delete from entitlement_snapshot where merchant_id = ${merchant_id} and entitlement_id = ${id} and at >= ${from}`,
  );

/** Keeps the balance at a reset; a later one of the same reset is put in its place. @param taken as `usageSnapshot` says */
export const keepSnapshot = (
  tx: Tx,
  { merchant_id, id }: Pick<EntitlementRow, 'merchant_id' | 'id'>,
  snapshot: { at: Instant; state: unknown; taken: string },
): Promise<number> =>
  tx.run(sql`
    insert into entitlement_snapshot (merchant_id, entitlement_id, at, state, taken)
    values (${merchant_id}, ${id}, ${snapshot.at}, ${jsonb(snapshot.state)}, ${snapshot.taken})
    on conflict (merchant_id, entitlement_id, at) do update set state = excluded.state, taken = excluded.taken`);

/** Up to which reset everything was written, and for whom to wait until the usage before it is settled. */
export interface ResetMark {
  readonly at: Instant;
  /** As `settleUsage` answered, for `isSettled`. */
  readonly wait_for: string;
}

export const findMark = (
  tx: Tx,
  { merchant_id, id }: Pick<EntitlementRow, 'merchant_id' | 'id'>,
): Promise<ResetMark | undefined> =>
  tx.maybe<ResetMark>(sql`
    select at, wait_for from entitlement_mark where merchant_id = ${merchant_id} and entitlement_id = ${id}`);

export const setMark = (
  tx: Tx,
  { merchant_id, id }: Pick<EntitlementRow, 'merchant_id' | 'id'>,
  mark: ResetMark,
): Promise<number> =>
  tx.run(sql`
    insert into entitlement_mark (merchant_id, entitlement_id, at, wait_for)
    values (${merchant_id}, ${id}, ${mark.at}, ${mark.wait_for})
    on conflict (merchant_id, entitlement_id) do update set at = excluded.at, wait_for = excluded.wait_for`);
