import { columns, type PageRequest, pageOfRows, recordset, sql, type Tx } from '../../db/index.ts';
import type { CreditMode, PriceOverride, Proration } from '../../invoicing/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Quantities } from './quantities.ts';

/** A change of the plan version that a subscription is pinned to, or of its quantities. */
export interface ChangeRow {
  merchantId: string;
  id: string;
  seq: bigint;
  subscriptionId: string;
  status: 'scheduled' | 'applied' | 'cancelled';
  effective: 'now' | 'periodEnd';
  effectiveAt: Instant;
  fromPlanVersionId: string;
  planId: string;
  planVersionId: string;
  planVersionNumber: number;
  quantities: Quantities;
  /** Null: it says nothing of them. */
  priceOverrides: readonly PriceOverride[] | null;
  /** Those that it ends, because its version does not hold their prices. */
  droppedPriceOverrides: readonly PriceOverride[];
  /** Those that do not follow to the plan. */
  endedRedemptionIds: readonly string[];
  proration: Proration;
  credit: CreditMode;
  clockId: string | null;
  nextActionAt: Instant | null;
  createdAt: Instant;
}

export type NewChange = Omit<ChangeRow, 'seq'>;

const FIELDS = [
  ...['merchantId', 'id', 'subscriptionId', 'status', 'effective', 'effectiveAt', 'fromPlanVersionId', 'planId'],
  ...['planVersionId', 'planVersionNumber', 'quantities', 'proration', 'credit', 'clockId', 'nextActionAt'],
  ...['priceOverrides', 'droppedPriceOverrides', 'endedRedemptionIds', 'createdAt'],
];

/** Writes changes. @returns them in their order */
export async function insertChanges(tx: Tx, rows: readonly NewChange[]): Promise<ChangeRow[]> {
  if (rows.length === 0) return [];
  const stored = await tx.rows<ChangeRow>(sql`
    insert into subscription_change (${columns(FIELDS)})
    select ${columns(FIELDS)} from jsonb_populate_recordset(null::subscription_change, ${recordset(rows)})
    returning *`);
  const byId = new Map(stored.map((row) => [row.id, row]));
  return rows.map(({ id }) => byId.get(id) as ChangeRow);
}

export const selectChange = (tx: Tx, id: string): Promise<ChangeRow | undefined> =>
  tx.maybe<ChangeRow>(sql`select * from subscription_change where merchant_id = ${tx.merchantId} and id = ${id}`);

/** The same, locked: taken before its subscription, as the worker does that has found it due. */
export const lockChange = (tx: Tx, subscriptionId: string, id: string): Promise<ChangeRow | undefined> =>
  tx.maybe<ChangeRow>(sql`
    select * from subscription_change
     where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId} and id = ${id} for update`);

/**
 * The changes of some subscriptions that are to come, by the subscription; at most one of each (unique index
 * `subscription_change_scheduled`).
 */
export async function selectScheduledChanges(
  tx: Tx,
  subscriptionIds: readonly string[],
): Promise<ReadonlyMap<string, ChangeRow>> {
  if (subscriptionIds.length === 0) return new Map();
  const rows = await tx.rows<ChangeRow>(sql`
    select * from subscription_change
     where merchant_id = ${tx.merchantId} and subscription_id = any (${[...subscriptionIds]}::text[])
       and status = 'scheduled'`);
  return new Map(rows.map((row) => [row.subscriptionId, row]));
}

/** The one change of a subscription that is to come. */
export const selectScheduledChange = async (tx: Tx, subscriptionId: string): Promise<ChangeRow | undefined> =>
  (await selectScheduledChanges(tx, [subscriptionId])).get(subscriptionId);

/** It came, or will not; or it is still scheduled, and waits for a resumption. */
export const updateChangeStatus = (
  tx: Tx,
  { merchantId, id, effectiveAt }: ChangeRow,
  status: ChangeRow['status'],
): Promise<ChangeRow> =>
  tx.one<ChangeRow>(sql`
    update subscription_change set status = ${status}, effective_at = ${effectiveAt}, next_action_at = null
     where merchant_id = ${merchantId} and id = ${id} and status = 'scheduled' returning *`);

/** A change that waited for the resumption of its subscription comes. */
export const updateWaitingToBeDue = (tx: Tx, subscriptionId: string, at: Instant): Promise<number> =>
  tx.run(sql`
    update subscription_change set next_action_at = ${at}
     where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId} and status = 'scheduled'
       and effective_at <= ${at}`);

/**
 * A change that was to come with the end of a trial comes with its new end; one that a worker has locked comes as it
 * was. @returns its id
 */
export const updateScheduledTime = async (
  tx: Tx,
  subscriptionId: string,
  from: Instant,
  to: Instant,
): Promise<string | null> =>
  (
    await tx.maybe<{ id: string }>(sql`
      update subscription_change set effective_at = ${to}, next_action_at = ${to}
       where merchant_id = ${tx.merchantId}
         and id in (select id from subscription_change
                     where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId}
                       and status = 'scheduled' and effective_at = ${from}
                       for update skip locked)
      returning id`)
  )?.id ?? null;

/**
 * A change that is to come does not where the subscription ends; one that a worker has locked is applied by that
 * worker.
 */
export const markScheduledCancelled = (tx: Tx, subscriptionId: string): Promise<number> =>
  tx.run(sql`
    update subscription_change set status = 'cancelled', next_action_at = null
     where merchant_id = ${tx.merchantId}
       and id in (select id from subscription_change
                   where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId} and status = 'scheduled'
                     for update skip locked)`);

export const selectChanges = (tx: Tx, subscriptionId: string, page: PageRequest) =>
  pageOfRows<ChangeRow>(
    tx,
    {
      kind: 'subscriptionChange',
      select: sql`*`,
      from: sql`subscription_change`,
      exists: sql`merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId}`,
    },
    page,
  );
