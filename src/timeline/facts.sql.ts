import { allOf, sql, type Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { Entry, Kind, Place } from './entry.ts';

/** The part of a timeline that is asked for. Null: no bound. */
export interface FactsQuery {
  readonly customerId: string;
  readonly kinds: readonly Kind[];
  readonly from: Instant | null;
  readonly to: Instant | null;
  readonly behind: Place | null;
  readonly most: number;
}

/**
 * The latest facts about a customer. Of each kind at most as many rows are read as are answered, in the order of the
 * key of the table.
 */
export const selectFacts = (
  tx: Tx,
  { customerId, kinds, from, to, behind, most }: FactsQuery,
): Promise<Omit<Entry, 'count'>[]> =>
  tx.rows<Omit<Entry, 'count'>>(sql`
    select f.*
      from unnest(${[...kinds]}::text[]) k (kind)
     cross join lateral (
       select f.at, f.seq, f.id, f.kind, f.what, f.resource_id, f.invoice_id, f.amount, f.currency, f.label, f.user_id
         from timeline_fact f
        where ${allOf([
          sql`f.merchant_id = ${tx.merchantId} and f.customer_id = ${customerId} and f.kind = k.kind`,
          from !== null && sql`f.at >= ${from}`,
          to !== null && sql`f.at < ${to}`,
          behind !== null && sql`(f.at, f.seq) < (${behind.at}::timestamptz, ${behind.seq}::bigint)`,
        ])}
        order by f.at desc, f.seq desc limit ${most}) f
     order by f.at desc, f.seq desc limit ${most}`);
