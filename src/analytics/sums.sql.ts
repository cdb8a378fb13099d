import { sql, type Tx } from '../db/index.ts';

/** Merchants with changes that the sums do not hold yet. */
export const selectMerchantsWithChanges = (tx: Tx): Promise<string[]> =>
  tx.values<string>(sql`
    select distinct merchant_id from revenue_change order by 1`);

/** Adds the oldest changes to the sums. @returns how many; 0 where another worker is at it */
export const addChanges = (tx: Tx, most: number): Promise<number> =>
  tx.value<number>(sql`select add_revenue_changes(${tx.merchantId}, ${most}) as added`);

/** Merchants that have facts or sums, or records that should have them. */
export const selectMerchantsWithRevenue = (tx: Tx): Promise<string[]> =>
  tx.values<string>(sql`
    select merchant_id from revenue_source
    union select merchant_id from revenue_fact
    union select merchant_id from revenue_sum
    order by 1`);

/** Rebuilds the facts and sums of a merchant. @returns the number of wrong ones */
export const rebuildSums = (tx: Tx): Promise<{ facts: number; sums: number }> =>
  tx.one<{ facts: number; sums: number }>(sql`select facts, sums from rebuild_revenue(${tx.merchantId})`);
