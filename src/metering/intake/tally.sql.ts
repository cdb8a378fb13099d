import { allOf, type Sql, sql, type Tx } from '../../db/index.ts';

/** @returns whether there are more to count now */
export async function tallyEvents(tx: Tx, most: number): Promise<boolean> {
  const { hasMore } = await tx.one<{ hasMore: boolean }>(sql`select tally_events(${most}) as has_more`);
  return hasMore;
}

/**
 * How many events a merchant has (null: all merchants), in all or of one type. What is counted already does not change
 * any more, so the rest can be counted in a statement of its own, which knows where to begin.
 */
export async function countEvents(tx: Tx, merchantId: string | null, type: string | undefined): Promise<number> {
  const wanted = allOf([
    merchantId !== null && sql`e.merchant_id = ${merchantId}`,
    type !== undefined && sql`e.type = ${type}`,
  ]);
  const { counted, seq } = await tx.one<{ counted: number; seq: bigint }>(sql`
    select m.counted_seq as seq, (select coalesce(sum(e.event_count), 0)::int from event_tally e
                                  where ${wanted}) as counted
      from event_tally_mark m`);
  const { since } = await tx.one<{ since: number }>(
    sql`select count(*)::int as since from event e where ${wanted} and e.seq > ${seq}`,
  );
  return counted + since;
}

/** A sub-query of the merchants with events, for other domains: very recent events may be missing. */
export const merchantsWithEvents: Sql = sql`select distinct merchant_id from event_tally`;
