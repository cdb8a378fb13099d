import { allOf, type Sql, sql, type Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import { dimensionPath, type Meter } from './meter.ts';
import { countsFor } from './usage.sql.ts';
import type { UsageSource } from './usage-request.ts';

interface Range {
  readonly merchantId: string;
  readonly from: Instant;
  readonly to: Instant;
}

/** Some events: how many, the first and the last, and the ids of a few, the latest first. */
export interface EventSample {
  readonly eventCount: number;
  readonly firstAt: Instant | null;
  readonly lastAt: Instant | null;
  readonly examples: readonly string[];
}

const MOST_EXAMPLES = 5;

/** Which events of a meter are looked for. */
export interface BesideFilter {
  readonly meter: Meter;
  /** Addressed to nobody, or to somebody. */
  readonly addressee: 'nobody' | 'somebody';
  readonly within?: readonly UsageSource[];
  readonly outside?: readonly UsageSource[];
  /** The values of dimensions; null stands for a missing one. */
  readonly group?: Readonly<Record<string, string | null>>;
}

/** Is the event `e` of the subject `s` in one of the sources? */
const isIn = (sources: readonly UsageSource[]): Sql => sql`exists (
  select from unnest(${sources.map(({ subject }) => subject)}::text[], ${sources.map(({ from }) => from)}::timestamptz[],
                     ${sources.map(({ to }) => to)}::timestamptz[]) as t (subject, since, until)
   where t.subject = s.addressee and e.at >= t.since and e.at < t.until)`;

const inRange = ({ merchantId, from, to }: Range): Sql =>
  sql`e.merchant_id = ${merchantId} and e.at >= ${from} and e.at < ${to}`;

/** Events that a meter counts, by whose they are and when. Reads events, not roll-ups: for those of which a few are shown. */
export const selectBeside = (tx: Tx, range: Range, filter: BesideFilter): Promise<EventSample> => {
  const { meter, within, outside, group } = filter;
  return selectSample(
    tx,
    allOf([
      inRange(range),
      countsFor(meter),
      filter.addressee === 'nobody' ? sql`s.addressee is null` : sql`s.addressee is not null`,
      within && isIn(within),
      outside && sql`not ${isIn(outside)}`,
      ...Object.entries(group ?? {}).map(
        ([name, value]) => sql`event_text(e.data, ${dimensionPath(meter, name)}) is not distinct from ${value}::text`,
      ),
    ]),
  );
};

/** Events of a type that a meter does not count: before its start, or without a usable value. */
export const selectUncounted = (
  tx: Tx,
  range: Range,
  meter: Meter,
  reason: 'BEFORE_EVENT_FROM' | 'NO_VALUE',
): Promise<EventSample> =>
  selectSample(
    tx,
    allOf([
      inRange(range),
      sql`e.type = ${meter.eventType}`,
      reason === 'BEFORE_EVENT_FROM'
        ? sql`e.at <= ${meter.eventFrom}`
        : sql`(${meter.eventFrom}::timestamptz is null or e.at > ${meter.eventFrom}) and not (${countsFor(meter)})`,
    ]),
  );

/** All events of a type. */
export const selectOfType = (tx: Tx, range: Range, type: string): Promise<EventSample> =>
  selectSample(tx, allOf([inRange(range), sql`e.type = ${type}`]));

/** The types of a merchant's events. Those that are counted already need no look at the events. */
export async function selectEventTypes(tx: Tx, merchantId: string): Promise<string[]> {
  const rows = await tx.rows<{ type: string }>(sql`
    select type from event_tally where merchant_id = ${merchantId}
    union
    select type from event where merchant_id = ${merchantId} and seq > (select counted_seq from event_tally_mark)
    order by type`);
  return rows.map(({ type }) => type);
}

/** How many events of a type there are in a time; of those after an instant, where one is given. */
export async function countOfType(tx: Tx, range: Range, { eventType, eventFrom }: Meter): Promise<number> {
  const { events } = await tx.one<{ events: number }>(sql`
    select count(*)::int as events from event e
     where ${inRange(range)} and e.type = ${eventType} and (${eventFrom}::timestamptz is null or e.at > ${eventFrom})`);
  return events;
}

async function selectSample(tx: Tx, wanted: Sql): Promise<EventSample> {
  return tx.one<EventSample>(sql`
    with found as materialized (
      select e.id, e.at, e.seq from event e join event_subject s on s.merchant_id = e.merchant_id and s.id = e.subject_id
       where ${wanted})
    select count(*)::int as "eventCount", min(at) as "firstAt", max(at) as "lastAt",
           array(select id from found order by at desc, seq desc limit ${MOST_EXAMPLES}) as examples
      from found`);
}
