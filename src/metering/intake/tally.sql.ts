import { allOf, type Sql, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';

/** @returns whether there are more to count now */
export async function tallyEvents(tx: Tx, most: number): Promise<boolean> {
  const { hasMore } = await tx.one<{ hasMore: boolean }>(sql`select tally_events(${most}) as has_more`);
  return hasMore;
}

/**
 * How many events a merchant has (null: all merchants), in all or of one type, without those in the archive. What is
 * counted already does not change any more, so the rest can be counted in a statement of its own, which knows where to
 * begin.
 */
export async function countEvents(tx: Tx, merchantId: string | null, type: string | undefined): Promise<number> {
  const wanted = allOf([
    merchantId !== null && sql`e.merchant_id = ${merchantId}`,
    type !== undefined && sql`e.type = ${type}`,
  ]);
  const { counted, seq } = await tx.one<{ counted: number; seq: bigint }>(sql`
    select m.counted_seq as seq, (select coalesce(sum(e.event_count), 0)::int from event_tally e
                                  where ${wanted})
           - (select coalesce(sum(${type === undefined ? sql`a.event_count` : sql`(a.types ->> ${type})::int`}), 0)::int
                from event_archive a
               where a.state = 'away' and ${merchantId === null ? sql`true` : sql`a.merchant_id = ${merchantId}`})
             as counted
      from event_tally_mark m`);
  const { since } = await tx.one<{ since: number }>(
    sql`select count(*)::int as since from event e where ${wanted} and e.seq > ${seq}`,
  );
  return counted + since;
}

/** The events of a day. */
export interface EventsOfDay {
  /** `2026-01-31`, in UTC. */
  readonly day: string;
  readonly count: number;
}

/**
 * How many events of a merchant have their time on each day, from one day until before another; days without events are
 * left out.
 */
export async function countEventsByDay(tx: Tx, from: Instant, until: Instant): Promise<EventsOfDay[]> {
  const day = (at: Instant): Sql => sql`(${at}::timestamptz at time zone 'UTC')::date`;
  const { seq, counted } = await tx.one<{ seq: bigint; counted: EventsOfDay[] }>(sql`
    select m.counted_seq as seq,
           (select coalesce(jsonb_agg(jsonb_build_object('day', t.day, 'count', t.event_count)), '[]')
              from event_day_tally t
             where t.merchant_id = ${tx.merchantId} and t.day >= ${day(from)} and t.day < ${day(until)}) as counted
      from event_tally_mark m`);
  const since = await tx.rows<EventsOfDay>(sql`
    select (e.at at time zone 'UTC')::date::text as day, count(*)::int as count from event e
     where e.merchant_id = ${tx.merchantId} and e.seq > ${seq} and e.at >= ${from} and e.at < ${until} group by 1`);
  const days = Map.groupBy([...counted, ...since], (each) => each.day);
  return [...days]
    .map(([each, parts]) => ({ day: each, count: parts.reduce((sum, { count }) => sum + Number(count), 0) }))
    .toSorted((a, b) => (a.day < b.day ? -1 : 1));
}

/** When the first event of a merchant was accepted; undefined: there is none. */
export const selectFirstAccepted = async (tx: Tx): Promise<Instant | undefined> => {
  const first = await tx.value<Instant | null>(sql`
    select least((select accepted_at from event where merchant_id = ${tx.merchantId} order by seq limit 1),
                 (select min(first_accepted_at) from event_archive where merchant_id = ${tx.merchantId}))`);
  return first ?? undefined;
};

/** A sub-query of the merchants with events, for other domains: very recent events may be missing. */
export const merchantsWithEvents: Sql = sql`select distinct merchant_id from event_tally`;
