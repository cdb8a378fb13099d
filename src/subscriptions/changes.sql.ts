import { jsonb, pageOfRows, sql, type Tx } from '../db/index.ts';
import type { CreditMode, Proration } from '../invoicing/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { Quantities } from './quantities.ts';

/** A change of the plan version that a subscription is pinned to, or of its quantities. */
export interface ChangeRow {
  merchant_id: string;
  id: string;
  seq: bigint;
  subscription_id: string;
  status: 'scheduled' | 'applied' | 'cancelled';
  effective: 'now' | 'periodEnd';
  effective_at: Instant;
  from_plan_version_id: string;
  plan_id: string;
  plan_version_id: string;
  plan_version_number: number;
  quantities: Quantities;
  proration: Proration;
  credit: CreditMode;
  clock_id: string | null;
  next_action_at: Instant | null;
  created_at: Instant;
}

export const insertChange = (tx: Tx, row: Omit<ChangeRow, 'seq'>): Promise<ChangeRow> =>
  tx.one<ChangeRow>(sql`
    insert into subscription_change (merchant_id, id, subscription_id, status, effective, effective_at, from_plan_version_id,
                                     plan_id, plan_version_id, plan_version_number, quantities, proration, credit,
                                     clock_id, next_action_at, created_at)
    values (${row.merchant_id}, ${row.id}, ${row.subscription_id}, ${row.status}, ${row.effective}, ${row.effective_at},
            ${row.from_plan_version_id}, ${row.plan_id}, ${row.plan_version_id}, ${row.plan_version_number}, ${jsonb(row.quantities)},
            ${row.proration}, ${row.credit}, ${row.clock_id}, ${row.next_action_at}, ${row.created_at})
    returning *`);

export const findChange = (tx: Tx, merchantId: string, id: string): Promise<ChangeRow | undefined> =>
  tx.maybe<ChangeRow>(sql`select * from subscription_change where merchant_id = ${merchantId} and id = ${id}`);

/** The same, locked: taken before its subscription, as the worker does that has found it due. */
export const lockChange = (
  tx: Tx,
  merchantId: string,
  subscriptionId: string,
  id: string,
): Promise<ChangeRow | undefined> =>
  tx.maybe<ChangeRow>(sql`
    select * from subscription_change
     where merchant_id = ${merchantId} and subscription_id = ${subscriptionId} and id = ${id} for update`);

/** The one change that is to come; at most one (unique index `subscription_change_scheduled`). */
export const scheduledChange = (tx: Tx, merchantId: string, subscriptionId: string): Promise<ChangeRow | undefined> =>
  tx.maybe<ChangeRow>(sql`
    select * from subscription_change
     where merchant_id = ${merchantId} and subscription_id = ${subscriptionId} and status = 'scheduled'`);

/** It came, or will not. */
export const settleChange = (
  tx: Tx,
  { merchant_id: merchantId, id }: ChangeRow,
  status: 'applied' | 'cancelled',
): Promise<ChangeRow> =>
  tx.one<ChangeRow>(sql`
    update subscription_change set status = ${status}, next_action_at = null
     where merchant_id = ${merchantId} and id = ${id} and status = 'scheduled' returning *`);

/** A change that is to come does not where the subscription ends; one that a worker has in hand it settles itself. */
export const cancelScheduled = (tx: Tx, merchantId: string, subscriptionId: string): Promise<number> =>
  tx.run(sql`
    update subscription_change set status = 'cancelled', next_action_at = null
     where merchant_id = ${merchantId}
       and id in (select id from subscription_change
                   where merchant_id = ${merchantId} and subscription_id = ${subscriptionId} and status = 'scheduled'
                     for update skip locked)`);

export const listChanges = (
  tx: Tx,
  merchantId: string,
  subscriptionId: string,
  page: { limit: number; offset: number },
) =>
  pageOfRows<ChangeRow>(
    tx,
    {
      select: sql`*`,
      from: sql`subscription_change`,
      where: sql`merchant_id = ${merchantId} and subscription_id = ${subscriptionId}`,
      order: sql`seq desc`,
    },
    page,
  );
