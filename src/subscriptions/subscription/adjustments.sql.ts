import { insertion, type PageRequest, pageOfRows, sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';

export interface AdjustmentRow {
  merchantId: string;
  id: string;
  seq: bigint;
  subscriptionId: string;
  /** A fraction above 0, at most 1. */
  percentageDiscount: Decimal;
  effectiveFrom: Instant;
  /** Exclusive; null: it never ends. */
  effectiveTo: Instant | null;
  description: string;
  idempotencyKey: string | null;
  createdAt: Instant;
}

export const insertAdjustment = (tx: Tx, row: Omit<AdjustmentRow, 'seq'>): Promise<AdjustmentRow> =>
  tx.one<AdjustmentRow>(sql`${insertion('subscription_adjustment', row)} returning *`);

export const selectAdjustment = (tx: Tx, subscriptionId: string, id: string): Promise<AdjustmentRow | undefined> =>
  tx.maybe<AdjustmentRow>(sql`
    select * from subscription_adjustment
     where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId} and id = ${id}`);

export const selectAdjustmentByKey = (
  tx: Tx,
  subscriptionId: string,
  key: string,
): Promise<AdjustmentRow | undefined> =>
  tx.maybe<AdjustmentRow>(sql`
    select * from subscription_adjustment
     where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId} and idempotency_key = ${key}`);

export const deleteAdjustmentRow = (tx: Tx, { merchantId, id }: AdjustmentRow): Promise<number> =>
  tx.run(sql`delete from subscription_adjustment where merchant_id = ${merchantId} and id = ${id}`);

export const selectAdjustmentsPage = (tx: Tx, subscriptionId: string, page: PageRequest) =>
  pageOfRows<AdjustmentRow>(
    tx,
    {
      kind: 'adjustment',
      select: sql`*`,
      from: sql`subscription_adjustment`,
      exists: sql`merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId}`,
    },
    page,
  );

/** All adjustments of some subscriptions, those of each oldest first: the order in which they apply. */
export const selectAdjustments = (tx: Tx, subscriptionIds: readonly string[]): Promise<AdjustmentRow[]> =>
  tx.rows<AdjustmentRow>(sql`
    select * from subscription_adjustment
     where merchant_id = ${tx.merchantId} and subscription_id = any (${[...subscriptionIds]}::text[])
     order by subscription_id, seq`);
