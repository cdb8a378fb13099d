import { allOf, type Sql, sql, type Tx } from '../../db/index.ts';
import { type Decimal, ZERO } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { eventsAtHand } from '../events/at-hand.sql.ts';
import { selectEventIds } from '../events/event-id.sql.ts';
import { dimensionPath, type Meter } from '../meter/meter.ts';
import type { UsageSource } from '../meter/usage-request.ts';
import { ADDITIVE, countsFor, meterValue } from './usage.sql.ts';

interface Range {
  readonly merchantId: string;
  readonly from: Instant;
  readonly to: Instant;
}

/** Some events: the times of the first and the last, and the ids of a few, the latest first. */
export interface EventSample {
  readonly firstAt: Instant | null;
  readonly lastAt: Instant | null;
  readonly examples: readonly string[];
}

/** Makes ids of the examples as `examplesOf` tells them. */
async function withIds<Sample extends EventSample>(tx: Tx, sample: Sample): Promise<Sample> {
  const ids = await selectEventIds(tx);
  const events = sample.examples.map((text) => {
    const [at = '', seq = ''] = text.split(' ');
    return { at, seq };
  });
  return { ...sample, examples: ids.idsOf(events) };
}

/** A few events of a relation, the latest first: each its day and its number. */
const examplesOf = (relation: 'latest' | 'found'): Sql => sql`
  array(select format('%s %s', (at at time zone 'UTC')::date, seq) from ${sql.table(relation)}
         order by at desc, seq desc limit ${MOST_EXAMPLES})`;

const MOST_EXAMPLES = 5;

/** Events of a source that were accepted after another one (`usageMark`). */
export interface LateSource extends UsageSource {
  readonly after: bigint;
  /** And not after this one. */
  readonly upTo?: bigint;
}

/**
 * Were events of a time accepted between two others (`usageMark`), for subjects with late usage? Cheap where nothing
 * came late: then nothing else has to be asked.
 */
export async function hasLateUsage(tx: Tx, range: Range, after: bigint, upTo: bigint): Promise<boolean> {
  const { found } = await tx.one<{ found: boolean }>(sql`
    select exists (
      select from (select subject_id, min(at) as at from usage_late where merchant_id = ${range.merchantId}
                   group by 1) l
        join event e on e.merchant_id = ${range.merchantId} and e.subject_id = l.subject_id and e.at >= l.at
       where ${inRange({ ...range, after })} and e.seq > ${after} and e.seq <= ${upTo}) as found`);
  return found;
}

/** Late events, and their sum. */
export interface LateUsage extends EventSample {
  readonly eventCount: number;
  readonly quantity: Decimal;
}

/** The values of dimensions that are taken, by the dimension; null: all. */
type TakenValues = Readonly<Record<string, readonly string[]>> | null;

/** The filter of the events of a meter: the sources whose events are included and excluded, and the group. */
export interface SourcesFilter {
  readonly meter: Meter;
  readonly within?: readonly UsageSource[];
  readonly outside?: readonly UsageSource[];
  /** The values of dimensions; null means a missing one. */
  readonly group?: Readonly<Record<string, string | null>>;
}

/** @param range.after only events that were accepted after this one are looked at */
const inRange = ({ merchantId, from, to, after }: Range & { readonly after?: bigint }): Sql =>
  sql`e.merchant_id = ${merchantId} and e.at >= ${from} and e.at < ${to}
      and ${eventsAtHand({ merchantId, from, to, after })}`;

/**
 * Events of customers and subscriptions that a meter counts, by whose they are and when. Of each subject the first
 * event and the last few are read, in the order of an index: many events cost no more than few.
 */
export const selectOfSources = async (tx: Tx, range: Range, filter: SourcesFilter): Promise<EventSample> => {
  const { meter, within, outside, group } = filter;
  const wanted = allOf([
    inRange(range),
    sql`e.subject_id = a.id`,
    countsFor(meter),
    within && sql`e.at <@ a.within`,
    outside && sql`(a.outside is null or not e.at <@ a.outside)`,
    ...Object.entries(group ?? {}).map(
      ([name, value]) => sql`event_text(e.data, ${dimensionPath(meter, name)}) is not distinct from ${value}::text`,
    ),
  ]);
  return withIds(
    tx,
    await tx.one<EventSample>(sql`
    with asked as materialized (
      select s.id, w.times as within, o.times as outside
        from event_subject s
        ${within ? sql`join` : sql`left join`} (${timesOf(within ?? [])}) w on w.subject = s.addressee
        left join (${timesOf(outside ?? [])}) o on o.subject = s.addressee
       where s.merchant_id = ${range.merchantId} and s.addressee is not null
    ), latest as materialized (
      select l.* from asked a cross join lateral (
        select e.at, e.seq from event e where ${wanted} order by e.at desc, e.seq desc limit ${MOST_EXAMPLES}) l
    )
    select (select min(f.at) from asked a cross join lateral (
              select e.at from event e where ${wanted} order by e.at limit 1) f) as first_at,
           (select max(at) from latest) as last_at,
           ${examplesOf('latest')} as examples`),
  );
};

/** Events that a meter counts and that have no customer: of many subjects, a few each. */
export const selectOfNobody = (tx: Tx, range: Range, meter: Meter): Promise<EventSample> =>
  selectSample(tx, allOf([inRange(range), countsFor(meter), sql`s.addressee is null`]));

/** The times of sources, for each subject one set of ranges. */
const timesOf = (sources: readonly UsageSource[]): Sql => sql`
  select subject, range_agg(tstzrange(since, until)) as times
    from unnest(${sources.map(({ subject }) => subject)}::text[], ${sources.map(({ from }) => from)}::timestamptz[],
                ${sources.map(({ to }) => to)}::timestamptz[]) as t (subject, since, until)
   group by subject`;

/**
 * Events that a meter counts and that came too late, with what they add up to. Only subjects with late usage
 * (`usage_late`) are looked at, so this is cheap where nothing came late.
 * @param taken only events with these values
 */
export async function selectLateUsage(
  tx: Tx,
  range: Range,
  meter: Meter,
  late: readonly LateSource[],
  taken: readonly TakenValues[],
): Promise<LateUsage> {
  const none = { eventCount: 0, firstAt: null, lastAt: null, examples: [], quantity: ZERO };
  if (late.length === 0) return none;
  const after = late.map((each) => each.after).reduce((least, each) => (each < least ? each : least));
  const amount = ADDITIVE.has(meter.aggregation) && meter.aggregation !== 'COUNT' ? meterValue(meter) : sql`1`;
  const usage = await tx.one<LateUsage>(sql`
    with asked as materialized (
      select s.id, t.since, t.until, t.after, t.up_to
        from unnest(${late.map(({ subject }) => subject)}::text[], ${late.map(({ from }) => from)}::timestamptz[],
                    ${late.map(({ to }) => to)}::timestamptz[], ${late.map(({ after }) => after)}::bigint[],
                    ${late.map(({ upTo }) => upTo ?? null)}::bigint[])
             as t (subject, since, until, after, up_to)
        join event_subject s on s.merchant_id = ${range.merchantId} and s.addressee = t.subject
       where exists (select from usage_late l where l.merchant_id = ${range.merchantId} and l.subject_id = s.id)
    ), found as materialized (
      select e.at, e.seq, ${amount}::numeric as amount
        from asked a
        join event e on e.merchant_id = ${range.merchantId} and e.subject_id = a.id and e.at >= a.since
          and e.at < a.until
                    and e.seq > a.after and (a.up_to is null or e.seq <= a.up_to)
       where ${allOf([inRange({ ...range, after }), countsFor(meter), isTaken(meter, taken)])})
    select count(*)::int as event_count, min(at) as first_at, max(at) as last_at, coalesce(sum(amount), 0) as quantity,
           ${examplesOf('found')} as examples
      from found`);
  return withIds(tx, usage);
}

const isTaken = (meter: Meter, taken: readonly TakenValues[]): Sql | undefined => {
  if (taken.includes(null)) return undefined;
  const each = taken.map((values) =>
    allOf(
      Object.entries(values ?? {}).map(
        ([name, those]) => sql`event_text(e.data, ${dimensionPath(meter, name)}) = any (${[...those]}::text[])`,
      ),
    ),
  );
  return sql`(${sql.join(each, sql` or `)})`;
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

/** How many events of each type there are in a time. */
export async function countByType(tx: Tx, range: Range): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.rows<{ type: string; events: number }>(sql`
    select e.type, count(*)::int as events from event e where ${inRange(range)} group by e.type order by e.type`);
  return new Map(rows.map(({ type, events }) => [type, events]));
}

/** How many events of a type there are in a time; of those after an instant, where one is given. */
export async function countOfType(tx: Tx, range: Range, { eventType, eventFrom }: Meter): Promise<number> {
  const { events } = await tx.one<{ events: number }>(sql`
    select count(*)::int as events from event e
     where ${inRange(range)} and e.type = ${eventType} and (${eventFrom}::timestamptz is null or e.at > ${eventFrom})`);
  return events;
}

async function selectSample(tx: Tx, wanted: Sql): Promise<EventSample> {
  const sample = await tx.one<EventSample>(sql`
    with found as materialized (
      select e.at, e.seq from event e join event_subject s on s.merchant_id = e.merchant_id and s.id = e.subject_id
       where ${wanted})
    select min(at) as first_at, max(at) as last_at,
           ${examplesOf('found')} as examples
      from found`);
  return withIds(tx, sample);
}
