import { pageOfRows, sql, type Tx } from '../db/index.ts';
import type { Decimal } from '../kernel/decimal.ts';
import type { Instant } from '../kernel/time.ts';

export interface AdjustmentRow {
  merchant_id: string;
  id: string;
  seq: bigint;
  subscription_id: string;
  /** A fraction above 0, at most 1. */
  percentage_discount: Decimal;
  effective_from: Instant;
  /** Exclusive; null: it never ends. */
  effective_to: Instant | null;
  description: string;
  idempotency_key: string | null;
  created_at: Instant;
}

export const insertAdjustment = (tx: Tx, row: Omit<AdjustmentRow, 'seq'>): Promise<AdjustmentRow> =>
  tx.one<AdjustmentRow>(sql`
    insert into subscription_adjustment (merchant_id, id, subscription_id, percentage_discount, effective_from, effective_to,
                                         description, idempotency_key, created_at)
    values (${row.merchant_id}, ${row.id}, ${row.subscription_id}, ${row.percentage_discount}, ${row.effective_from},
            ${row.effective_to}, ${row.description}, ${row.idempotency_key}, ${row.created_at})
    returning *`);

export const findAdjustment = (
  tx: Tx,
  merchantId: string,
  subscriptionId: string,
  id: string,
): Promise<AdjustmentRow | undefined> =>
  tx.maybe<AdjustmentRow>(sql`
    select * from subscription_adjustment
     where merchant_id = ${merchantId} and subscription_id = ${subscriptionId} and id = ${id}`);

export const findAdjustmentByKey = (
  tx: Tx,
  merchantId: string,
  subscriptionId: string,
  key: string,
): Promise<AdjustmentRow | undefined> =>
  tx.maybe<AdjustmentRow>(sql`
    select * from subscription_adjustment
     where merchant_id = ${merchantId} and subscription_id = ${subscriptionId} and idempotency_key = ${key}`);

export const deleteAdjustmentRow = (tx: Tx, { merchant_id: merchantId, id }: AdjustmentRow): Promise<number> =>
  tx.run(sql`delete from subscription_adjustment where merchant_id = ${merchantId} and id = ${id}`);

export const listAdjustmentRows = (
  tx: Tx,
  merchantId: string,
  subscriptionId: string,
  page: { limit: number; offset: number },
) =>
  pageOfRows<AdjustmentRow>(
    tx,
    {
      select: sql`*`,
      from: sql`subscription_adjustment`,
      where: sql`merchant_id = ${merchantId} and subscription_id = ${subscriptionId}`,
      order: sql`seq desc`,
    },
    page,
  );

/** All adjustments of some subscriptions, those of each oldest first: the order in which they apply. */
export const adjustmentsOf = (
  tx: Tx,
  merchantId: string,
  subscriptionIds: readonly string[],
): Promise<AdjustmentRow[]> =>
  tx.rows<AdjustmentRow>(sql`
    select * from subscription_adjustment
     where merchant_id = ${merchantId} and subscription_id = any (${[...subscriptionIds]}::text[])
     order by subscription_id, seq`);
