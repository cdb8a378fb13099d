import { columns, recordset, sql, type Tx } from '../../db/index.ts';
import type { BilledVersion, CreditMode, PriceOverride, Proration } from '../../invoicing/index.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import type { Quantities } from './quantities.ts';

/**
 * One of the versions to which a subscription was or will be pinned. Other quantities of the same version are another
 * row.
 */
export interface VersionRow {
  merchantId: string;
  subscriptionId: string;
  holdsFrom: Instant;
  seq: bigint;
  /** The change that brought it; null: the first. */
  changeId: string | null;
  planId: string;
  planVersionId: string;
  quantities: Quantities;
  /** Null: those of the version before, as far as this one holds their prices. */
  priceOverrides: readonly PriceOverride[] | null;
  /** RFC 3339, by cadence. */
  anchors: Record<string, string>;
  proration: Proration;
  /** The target of credits for unused time after the change. */
  credit: CreditMode;
  /** A fee that it takes up again is billed anew; false for versions of older releases. */
  takesUpAnew: boolean;
  /** It was to come later: where that is in a pause, it comes with the resumption. */
  waits: boolean;
  /** Its change was cancelled: it never holds, and only invoices from before know it (docs/decisions/0066). */
  cancelled: boolean;
}

/**
 * The versions of some subscriptions in the order of time; none where it was never changed. Of two of one instant the
 * later one holds. Cancelled ones are among them.
 */
export const selectVersionsOfSubscriptions = (tx: Tx, ids: readonly string[]): Promise<VersionRow[]> =>
  tx.rows<VersionRow>(sql`
    select * from subscription_version
     where merchant_id = ${tx.merchantId} and subscription_id = any (${[...ids]}::text[])
     order by subscription_id, holds_from, seq`);

export type NewVersion = Omit<VersionRow, 'seq' | 'takesUpAnew' | 'cancelled'>;

const FIELDS = [
  ...['merchantId', 'subscriptionId', 'holdsFrom', 'changeId', 'planId', 'planVersionId'],
  ...['quantities', 'priceOverrides', 'anchors', 'proration', 'credit', 'waits'],
];

/** Writes versions, in their order. */
export const insertVersions = async (tx: Tx, rows: readonly NewVersion[]): Promise<VersionRow[]> => {
  if (rows.length === 0) return [];
  const stored = await tx.rows<VersionRow>(sql`
    insert into subscription_version (${columns(FIELDS)})
    select ${columns(FIELDS)} from jsonb_populate_recordset(null::subscription_version, ${recordset(rows)})
    returning *`);
  return stored.toSorted((one, other) => (one.seq < other.seq ? -1 : 1));
};

/**
 * The version of a scheduled change comes at another time, as with the resumption that it waited for.
 * @param anchors from where its periods are counted; absent: as before
 */
export const updateVersionOf = (
  tx: Tx,
  changeId: string,
  holdsFrom: Instant,
  anchors?: BilledVersion['anchors'],
): Promise<number> =>
  tx.run(sql`
    update subscription_version
       set holds_from = ${holdsFrom}, anchors = coalesce(${anchors ? JSON.stringify(anchors) : null}::jsonb, anchors)
     where merchant_id = ${tx.merchantId} and change_id = ${changeId}`);

/** The periods of all versions that are counted from one instant are counted from another one. */
export const updateAnchors = (tx: Tx, subscriptionId: string, from: Instant, to: Instant): Promise<number> =>
  tx.run(sql`
    update subscription_version v
       set anchors = (select jsonb_object_agg(a.key, case when a.value::timestamptz = ${from}
                                                          then ${formatInstant(to)} else a.value end)
                        from jsonb_each_text(v.anchors) a)
     where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId}
       and exists (select from jsonb_each_text(v.anchors) a where a.value::timestamptz = ${from})`);

/** The version that a change would have brought is not coming. */
export const updateVersionCancelled = (tx: Tx, changeId: string): Promise<number> =>
  tx.run(sql`
    update subscription_version set cancelled = true
     where merchant_id = ${tx.merchantId} and change_id = ${changeId}`);
