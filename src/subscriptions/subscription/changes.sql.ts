import { insertion, type PageRequest, pageOfRows, sql, type Tx, withJsonb } from '../../db/index.ts';
import type { CreditMode, Proration } from '../../invoicing/index.ts';
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
  proration: Proration;
  credit: CreditMode;
  clockId: string | null;
  nextActionAt: Instant | null;
  createdAt: Instant;
}

export const insertChange = (tx: Tx, row: Omit<ChangeRow, 'seq'>): Promise<ChangeRow> =>
  tx.one<ChangeRow>(sql`${insertion('subscription_change', withJsonb(row, 'quantities'))} returning *`);

export const selectChange = (tx: Tx, merchantId: string, id: string): Promise<ChangeRow | undefined> =>
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
export const selectScheduledChange = (
  tx: Tx,
  merchantId: string,
  subscriptionId: string,
): Promise<ChangeRow | undefined> =>
  tx.maybe<ChangeRow>(sql`
    select * from subscription_change
     where merchant_id = ${merchantId} and subscription_id = ${subscriptionId} and status = 'scheduled'`);

/** It came, or will not. */
export const updateChangeStatus = (
  tx: Tx,
  { merchantId, id }: ChangeRow,
  status: 'applied' | 'cancelled',
): Promise<ChangeRow> =>
  tx.one<ChangeRow>(sql`
    update subscription_change set status = ${status}, next_action_at = null
     where merchant_id = ${merchantId} and id = ${id} and status = 'scheduled' returning *`);

/**
 * A change that is to come does not where the subscription ends; one that a worker has locked is applied by that
 * worker.
 */
export const markScheduledCancelled = (tx: Tx, merchantId: string, subscriptionId: string): Promise<number> =>
  tx.run(sql`
    update subscription_change set status = 'cancelled', next_action_at = null
     where merchant_id = ${merchantId}
       and id in (select id from subscription_change
                   where merchant_id = ${merchantId} and subscription_id = ${subscriptionId} and status = 'scheduled'
                     for update skip locked)`);

export const selectChanges = (tx: Tx, merchantId: string, subscriptionId: string, page: PageRequest) =>
  pageOfRows<ChangeRow>(
    tx,
    {
      kind: 'subscriptionChange',
      select: sql`*`,
      from: sql`subscription_change`,
      exists: sql`merchant_id = ${merchantId} and subscription_id = ${subscriptionId}`,
    },
    page,
  );
