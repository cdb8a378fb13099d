import { type Sql, sql, type Tx } from '../db/index.ts';
import type { BrokenRow } from './check.ts';

export const MOST_EXAMPLES = 5;

/** Some of the rows that break an invariant, each with how many there are. */
export const selectBroken = (tx: Tx, broken: Sql) =>
  tx.rows<BrokenRow & { count: bigint }>(sql`
    select merchant_id, id, detail, count(*) over () as count from (${broken}) broken limit ${MOST_EXAMPLES}`);
