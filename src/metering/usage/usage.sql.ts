import { allOf, type Sql, sql } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { EARLIEST, type Instant, isBefore, latest } from '../../kernel/time.ts';
import { eventsAtHand } from '../events/at-hand.sql.ts';
import { hoursOf, type Interval, type Remainder } from '../meter/hours.ts';
import {
  type Aggregation,
  aggregationOfEvents,
  dimensionPath,
  isLevel,
  type Meter,
  pathSegments,
} from '../meter/meter.ts';
import type { RollupDefinition } from '../meter/rollup-definition.ts';
import { type SampleWindow, secondsOf } from '../meter/samples.ts';
import { disjointSources, type EventRule, type UsageScope } from '../meter/usage-request.ts';
import type { WindowSize } from '../meter/windows.ts';
import { contentOf } from './rollup-definitions.sql.ts';

/** The columns that rows are grouped by; `d0`, `d1` … are the dimensions in the order asked. */
export interface UsageColumns {
  readonly dimensions: readonly string[];
  readonly byCustomer: boolean;
  readonly window: WindowSize | null;
  /** Rows of counted events also say their window of a percentile, as the last column. Absent: of another figure. */
  readonly sample?: SampleWindow;
}

export interface MeasuredRow {
  /**
   * The columns over which this row is summed, in the bits of PostgreSQL's `grouping`: a bit for each, the first the
   * highest.
   */
  readonly summedOver: number;
  readonly value: Decimal | null;
  readonly eventCount: bigint;
  /** Did the roll-ups hold all events, at the moment of the statement? */
  readonly isComplete: boolean;
  readonly customerId: string | null;
  readonly windowStart: Instant | null;
  /** Of LATEST in windows: the time and place of the event that has the value. */
  readonly latestAt?: Instant | null;
  readonly latestSeq?: bigint | null;
  readonly [dimension: `d${number}`]: string | null;
}

const NUMERIC: ReadonlySet<Aggregation> = new Set<Aggregation>([
  ...(['SUM', 'AVG', 'MIN', 'MAX', 'LATEST', 'TIME_WEIGHTED'] as const),
]);

/** For these, a sum can be subtracted. */
export const ADDITIVE: ReadonlySet<Aggregation> = new Set<Aggregation>(['SUM', 'AVG', 'COUNT']);

/** The contribution of an event to a meter, null if it has no usable value. `e` is the event. */
export function meterValue(meter: Meter): Sql {
  if (meter.valueProperty === null) return sql`1`;
  const path = pathSegments(meter.valueProperty);
  return NUMERIC.has(aggregationOfEvents(meter))
    ? sql`event_number(e.data, ${path})`
    : sql`event_text(e.data, ${path})`;
}

/** Does an event contribute? `e` is the event. */
export const countsFor = (meter: Meter): Sql =>
  allOf([
    meter.eventType === null ? sql`false` : sql`e.type = ${meter.eventType}`,
    meter.eventFrom !== null && sql`e.at > ${meter.eventFrom}`,
    sql`${meterValue(meter)} is not null`,
  ]);

/** AVG is divided outside, where the number of digits is ours; MIN and MAX compare numbers, not texts. */
const AGGREGATES: Readonly<Record<Exclude<Aggregation, 'TIME_WEIGHTED' | 'PERCENTILE'>, Sql>> = {
  SUM: sql`sum(value)`,
  AVG: sql`sum(value)`,
  COUNT: sql`sum(event_count)`,
  MIN: sql`min(value)`,
  MAX: sql`max(value)`,
  UNIQUE_COUNT: sql`count(distinct value)::numeric`,
  LATEST: sql`(array_agg(value order by at desc, seq desc))[1]`,
};

/** @throws for a figure over time or a percentile, which have statements of their own */
export function aggregateOf({ aggregation }: Meter): Sql {
  if (aggregation === 'TIME_WEIGHTED' || aggregation === 'PERCENTILE')
    throw new RangeError(`${aggregation} is no aggregate of rows.`);
  return AGGREGATES[aggregation];
}

/** The names of the columns to group by, in their order. */
export const columnNames = ({ dimensions, byCustomer, window }: UsageColumns): string[] => [
  ...dimensions.map((_, index) => `d${index}`),
  ...(byCustomer ? ['customer_id'] : []),
  ...(window === null ? [] : ['window_start']),
];

/** The ways to group, as grouping sets; the whole is always among them, so that there is always a row. */
export const groupedBy = (sets: readonly (readonly string[])[]): Sql =>
  sql.join(
    [...sets.filter((set) => set.length > 0), []].map((set) => sql`(${sql.join(set.map((name) => sql.ref(name)))})`),
    sql`, `,
  );

export const summedOver = (names: readonly string[]): Sql =>
  names.length === 0 ? sql`0` : sql`grouping(${sql.join(names.map((name) => sql.ref(name)))})`;

/** A group that was only added and removed again is no group. A level is one without any event, too. */
const isThere = (names: readonly string[], meter: Meter): Sql =>
  names.length === 0 || isLevel(meter)
    ? sql`true`
    : sql`(sum(event_count) > 0 or ${summedOver(names)} = ${2 ** names.length - 1})`;

export const listed = (columns: readonly (Sql | false | null)[]): Sql =>
  sql.join(
    columns.filter((column) => column !== false && column !== null).map((column) => sql`, ${column}`),
    sql``,
  );

const windowOf = ({ window }: UsageColumns, at: Sql): Sql | null =>
  window && sql`date_trunc(${window.toLowerCase()}, ${at}, 'UTC') as window_start`;

/** The window of a percentile: they begin with the epoch, so they lie in UTC as the days do. */
const sampleOf = ({ sample }: UsageColumns, at: Sql): Sql | false =>
  sample !== undefined &&
  sql`date_bin(make_interval(secs => ${secondsOf(sample)}), ${at}, to_timestamp(0)) as sample_at`;

const customerOf = ({ byCustomer }: UsageColumns): Sql | false =>
  byCustomer && sql`coalesce(s.customer_id, s.addressee) as customer_id`;

/** Joins the subjects of rows `c` where customers are named. */
const customers = ({ byCustomer }: UsageColumns, merchantId: string): Sql =>
  byCustomer ? sql`join event_subject s on s.merchant_id = ${merchantId} and s.id = c.subject_id` : sql``;

/** The dimensions as columns of `c`, and what cuts beside them. */
const cutBy = (columns: UsageColumns, at: Sql): Sql =>
  listed([
    ...columns.dimensions.map((_, index) => sql.ref(`c.d${index}`)),
    customerOf(columns),
    windowOf(columns, at),
    sampleOf(columns, at),
  ]);

const dimensionsAs = ({ dimensions }: UsageColumns, textOf: (dimension: string) => Sql): Sql =>
  listed(dimensions.map((dimension, index) => sql`${textOf(dimension)} as ${sql.ref(`d${index}`)}`));

/** Some time, of one subject or of all events. */
export type SubjectInterval<Time extends Interval> = Time & { readonly subject: string | null };

/** The time that is asked about, from the first event on that can count; no moment of a subject twice. */
export function intervalsOf({ meter, sources, from, to }: UsageScope): SubjectInterval<Interval>[] {
  const first = meter.eventFrom === null ? from : latest(from, afterIt(meter.eventFrom));
  return sources === null ? [{ subject: null, from: first, to }] : disjointSources(sources, first, to);
}

/**
 * The time before a part whose last event is the level with which the part begins; `hour` is the last full one in it.
 */
type Earlier = SubjectInterval<Interval> & { readonly hour: Instant };

/** The time before the parts of a question: none, except for a level, which continues (domain.md §5). */
function earlierThan(scope: UsageScope): Earlier[] {
  const { meter } = scope;
  if (!isLevel(meter)) return [];
  const from = meter.eventFrom === null ? EARLIEST : latest(EARLIEST, afterIt(meter.eventFrom));
  return intervalsOf(scope).flatMap(({ subject, from: to }) =>
    isBefore(from, to) ? [{ subject, from, to, hour: to.round({ smallestUnit: 'hour', roundingMode: 'floor' }) }] : [],
  );
}

export const afterIt = (at: Instant): Instant => at.add({ microseconds: 1 });

/** Of it what lies after the last full hour. */
const remainderOf = ({ subject, from, to, hour }: Earlier): SubjectInterval<Remainder>[] =>
  isBefore(hour, to) ? [{ subject, from: latest(from, hour), to, sign: 0 }] : [];

/** The parts of a question that roll-ups answer, and those for which events are read. */
function hoursIn(scope: UsageScope): { full: SubjectInterval<Interval>[]; remainder: SubjectInterval<Remainder>[] } {
  const cut = intervalsOf(scope).map((part) => ({ part, ...hoursOf(part, ADDITIVE.has(scope.meter.aggregation)) }));
  return {
    full: cut.flatMap(({ part, full }) => (full === null ? [] : [{ ...part, ...full }])),
    remainder: cut.flatMap(({ part, remainder }) => remainder.map((each) => ({ ...part, ...each }))),
  };
}

/** From the earliest beginning to the latest end. */
export const hullOf = (times: readonly Interval[]): { from: Instant | null; to: Instant | null } => ({
  from: times.map(({ from }) => from).toSorted(Temporal.Instant.compare)[0] ?? null,
  to:
    times
      .map(({ to }) => to)
      .toSorted(Temporal.Instant.compare)
      .at(-1) ?? null,
});

/**
 * The counted events in some parts of time, with their cut. The value is read once, though it is also tested. Each
 * subject is looked up by itself: a plan that knows too little reads those of all others, too.
 * @param kept what goes on of a value `c.value`; `a.sign` is that of its part
 * @param which of the events of a part: all, or the last one of each group
 */
function eventsIn(
  parts: readonly SubjectInterval<Remainder>[],
  scope: UsageScope,
  columns: UsageColumns,
  kept: Sql,
  which: 'all' | 'the last ones' = 'all',
): Sql[] {
  const { merchantId, meter, sources } = scope;
  const isLast = which === 'the last ones';
  const keys = [
    ...(sources === null && columns.byCustomer ? [sql.ref('subject_id')] : []),
    ...columns.dimensions.map((_, index) => sql.ref(`d${index}`)),
  ];
  const textOf = (dimension: string) => sql`event_text(e.data, ${dimensionPath(meter, dimension)})`;
  const inPart = sql`e.subject_id = a.subject_id and e.at >= a.from_at and e.at < a.to_at`;
  // The level from before a part counts from the part's beginning.
  const countsAt = isLevel(meter) ? sql`case a.sign when 0 then a.to_at else c.at end` : sql`c.at`;
  const valuesIn = (part: Sql, time: ReturnType<typeof hullOf>) => sql`
    select c.at, c.seq, ${kept}, a.sign::bigint${cutBy(columns, countsAt)}
      from ${part} a
     cross join lateral (
       select${isLast ? firstOfEach(keys) : sql``} e.at, e.seq, e.subject_id,
         ${meterValue(meter)} as value${dimensionsAs(columns, textOf)}
         from event e
        where e.merchant_id = ${merchantId} and e.type = ${meter.eventType} and e.at >= ${time.from}
          and e.at < ${time.to}
          and ${eventsAtHand({ merchantId, ...time })}
          and ${sources === null ? sql`true` : inPart} and ${acceptedIn(scope)} and ${filters(scope, textOf)}
       ${isLast ? sql`and ${meterValue(meter)} is not null ${latestFirst(keys)}` : sql`offset 0`}) c ${customers(columns, merchantId)}
     where c.value is not null`;
  if (sources !== null) return [valuesIn(addressed(merchantId, parts), hullOf(parts))];
  return parts.map((part) => valuesIn(sql`(select ${part.sign}::int as sign, ${part.to}::timestamptz as to_at)`, part));
}

/** Of each combination of some columns the first row; without keys one row alone. */
const firstOfEach = (keys: readonly Sql[]): Sql =>
  keys.length === 0 ? sql`` : sql` distinct on (${sql.join(keys, sql`, `)})`;

/** The latest event first, in each combination of the keys. One row goes by index, however long the history. */
const latestFirst = (keys: readonly Sql[]): Sql =>
  keys.length === 0
    ? sql`order by e.at desc, e.seq desc limit 1`
    : sql`order by ${sql.join([...keys, sql`e.at desc`, sql`e.seq desc`], sql`, `)}`;

/** The level with which each part begins, from roll-ups: up to the last full hour before it. */
function levelsIn(
  parts: readonly Earlier[],
  scope: UsageScope,
  columns: UsageColumns,
  definition: RollupDefinition,
): Sql {
  const { merchantId, meter, sources, groupFilters } = scope;
  const textOf = (dimension: string) => groupValueOf(meter, definition, dimension, 'l');
  const isByGroup = columns.dimensions.length > 0 || Object.keys(groupFilters ?? {}).length > 0;
  const asked = parts.map(({ subject, hour, to }) => ({ subject, from: hour, to, sign: 0 as const }));
  const before =
    sources === null
      ? sql`(select null::bigint as subject_id, ${asked[0]?.from}::timestamptz as from_at,
             ${asked[0]?.to}::timestamptz as to_at) a`
      : sql`${addressed(merchantId, asked)} a`;
  const first = meter.eventFrom === null ? sql`` : sql`l.at > ${meter.eventFrom} and`;
  return sql`
    select c.at, c.seq, c.value, 0::bigint as event_count${cutBy(columns, sql`c.to_at`)}
      from (select l.at, l.seq, l.value, l.subject_id, a.to_at${dimensionsAs(columns, textOf)}
              from ${before}
             cross join lateral usage_levels(${merchantId}, (select id from definition), a.subject_id, a.from_at,
                                             ${isByGroup}) l
             where ${first} ${filters(scope, textOf)}) c ${customers(columns, merchantId)}`;
}

export const groupValueOf = (
  meter: Meter,
  { dimensions }: RollupDefinition,
  dimension: string,
  alias: 'r' | 'l',
): Sql =>
  sql`${sql.ref(`${alias}.group_values`)}[${dimensions.indexOf(dimensionPath(meter, dimension).join('.')) + 1}::int]`;

export const acceptedIn = ({ acceptedUpTo: mark }: UsageScope): Sql =>
  mark === undefined ? sql`true` : sql`e.seq <= ${mark}`;

/** The same of the rows of a roll-up `r` in full hours. */
function rollupsIn(
  parts: readonly SubjectInterval<Interval>[],
  scope: UsageScope,
  columns: UsageColumns,
  definition: RollupDefinition,
  { table, at, kept, eventCount }: { table: string; at: Sql; kept: Sql; eventCount: Sql },
): Sql {
  const { merchantId, meter, sources } = scope;
  const textOf = (dimension: string) => groupValueOf(meter, definition, dimension, 'r');
  const { from, to } = hullOf(parts);
  const rows = sql`
      select ${at}, ${kept} as value, ${eventCount} as event_count, r.hour, r.subject_id${dimensionsAs(columns, textOf)}
        from ${sql.table(table)} r
       where r.merchant_id = ${merchantId} and r.definition_id = (select id from definition)
         and ${filters(scope, textOf)}`;
  return sql`
    select c.at, c.seq, c.value, c.event_count${cutBy(columns, sql`c.hour`)}
      from ${
        sources === null
          ? sql`(${rows} and r.hour >= ${from} and r.hour < ${to}) c`
          : sql`${addressed(merchantId, parts.map(added))} a
     cross join lateral (${rows} and r.subject_id = a.subject_id and r.hour >= a.from_at and r.hour < a.to_at offset 0) c`
      } ${customers(columns, merchantId)}`;
}

function figures(
  { meter, mostRows }: UsageScope,
  columns: UsageColumns,
  sets: readonly (readonly string[])[],
  counted: readonly Sql[],
  isComplete: Sql,
): Sql {
  const names = columnNames(columns);
  return sql`
    counted (at, seq, value, event_count${listed(names.map((name) => sql.ref(name)))})
      as (${sql.join(counted, sql` union all `)})
    select ${summedOver(names)} as summed_over, ${aggregateOf(meter)} as value,
           coalesce(sum(event_count), 0)::bigint as event_count, ${isComplete} as is_complete${listed([
             ...names.map((name) => sql.ref(name)),
             isLevel(meter) &&
               columns.window !== null &&
               sql`(array_agg(at order by at desc, seq desc))[1] as latest_at`,
             isLevel(meter) &&
               columns.window !== null &&
               sql`(array_agg(seq order by at desc, seq desc))[1] as latest_seq`,
           ])}
      from counted
     group by grouping sets (${groupedBy(sets)})
    having ${isThere(names, meter)}
    ${mostRows === undefined ? sql`` : sql`limit ${mostRows + 1}`}`; // one more tells that there are too many
}

const added = (part: SubjectInterval<Interval>): SubjectInterval<Remainder> => ({ ...part, sign: 1 });

/**
 * One pass over the events for all cuts: `sets` are lists of column names, each set a way to group (grouping sets).
 * The events of a subject come from the index (subject, type, at), those of all subjects by block (`event_blocks`).
 */
export function selectUsage(scope: UsageScope, columns: UsageColumns, sets: readonly (readonly string[])[]): Sql {
  return sql`with ${figures(scope, columns, sets, countedEvents(scope, columns), sql`true`)}`;
}

/** The counted events of a question with their cut, as statements: at, seq, value, event_count, then the columns. */
export function countedEvents(scope: UsageScope, columns: UsageColumns): Sql[] {
  const earlier = earlierThan(scope).map((part): SubjectInterval<Remainder> => ({ ...part, sign: 0 }));
  return [
    ...eventsIn(intervalsOf(scope).map(added), scope, columns, sql`c.value`),
    ...(earlier.length === 0 ? [] : eventsIn(earlier, scope, columns, sql`c.value`, 'the last ones')),
  ];
}

/** What the events of a sum or a count come to one by one, exact. Every event is read: a roll-up has no events. */
export function selectOfEach(scope: UsageScope, { part, fixed, least, most, free }: EventRule): Sql {
  const value = scope.meter.aggregation === 'COUNT' ? sql`1::numeric` : sql`c.value`;
  const counted = eventsIn(intervalsOf(scope).map(added), scope, columnsOfAll, value);
  return sql`
    with counted (at, seq, value, event_count) as (${sql.join(counted, sql` union all `)}),
    paid as (select value from counted ${free === 0n ? sql`` : sql`order by at, seq offset ${free}::bigint`})
    select coalesce(sum(
             case when value > 0
                  then least(greatest(value * ${part}::numeric + ${fixed}::numeric, ${least}::numeric), ${most}::numeric)
                  else greatest(value * ${part}::numeric, -${most}::numeric) end), 0) as amount
      from paid`;
}

const columnsOfAll: UsageColumns = { dimensions: [], byCustomer: false, window: null };

/**
 * The same from roll-ups, where hours are full, and from the events before and after them. Null where no hour is: then
 * the events are all there is to read. Unless `is_complete`, the figures are worth nothing.
 * @param definition what a meter that reads values by the same paths has rolled up
 */
export function selectRolledUsage(
  scope: UsageScope,
  columns: UsageColumns,
  sets: readonly (readonly string[])[],
  definition: RollupDefinition,
): Sql | null {
  const counted = countedRollups(scope, columns, definition);
  if (counted === null) return null;
  return sql`
    with definition as materialized (
      select id from rollup_definition
       where merchant_id = ${scope.merchantId} and event_type = ${definition.eventType}
         and content = text_hash(${contentOf(definition)})
         and is_ready),
    ${figures(scope, columns, sets, counted, sql`exists (select from definition)`)}`;
}

/** The same from roll-ups of `definition` (id), and from events beside full hours; null where no hour is full. */
export function countedRollups(scope: UsageScope, columns: UsageColumns, definition: RollupDefinition): Sql[] | null {
  const { meter } = scope;
  const inHours = columns.window === 'MINUTE' ? { full: [], remainder: intervalsOf(scope).map(added) } : hoursIn(scope);
  const { full } = inHours;
  const earlier = earlierThan(scope);
  if (full.length === 0 && earlier.length === 0) return null;
  const remainder = [...inHours.remainder, ...earlier.flatMap(remainderOf)];
  const isSet = meter.aggregation === 'UNIQUE_COUNT';
  return [
    ...(remainder.length === 0
      ? []
      : eventsIn(remainder, scope, columns, PASSED_ON[meter.aggregation] ?? sql`c.value`)),
    ...(earlier.length === 0 ? [] : [levelsIn(earlier, scope, columns, definition)]),
    ...(full.length === 0
      ? []
      : [
          rollupsIn(full, scope, columns, definition, {
            table: 'usage_rollup',
            at: sql`r.latest_at as at, r.latest_seq as seq`,
            kept: KEPT[meter.aggregation] ?? (isSet ? sql`null::uuid` : sql`null::numeric`),
            eventCount: sql`r.event_count`,
          }),
        ]),
    ...(isSet
      ? [
          rollupsIn(full, scope, columns, definition, {
            table: 'usage_value',
            at: sql`null::timestamptz as at, null::bigint as seq`,
            kept: sql`r.value_hash`,
            eventCount: sql`0::bigint`,
          }),
        ]
      : []),
  ];
}

/** The part of an event's value that a roll-up does not have. */
export const PASSED_ON: Readonly<Partial<Record<Aggregation, Sql>>> = {
  SUM: sql`c.value * a.sign`,
  AVG: sql`c.value * a.sign`,
  COUNT: sql`null::numeric`,
  UNIQUE_COUNT: sql`text_hash(c.value)`,
};

/** The column of a roll-up with the figure. */
export const KEPT: Readonly<Partial<Record<Aggregation, Sql>>> = {
  SUM: sql`r.total`,
  AVG: sql`r.total`,
  MIN: sql`r.least_value`,
  MAX: sql`r.greatest_value`,
  LATEST: sql`r.latest_value`,
};

/**
 * The subject rows of the sources with the times for which they count: what is addressed to the customer or
 * subscription, and what was sent with just this subject, though it names nobody.
 */
const addressed = (merchantId: string, parts: readonly SubjectInterval<Remainder>[]): Sql => sql`(
    select es.id as subject_id, w.from_at, w.to_at, w.sign
      from unnest(${parts.map(({ subject }) => subject)}::text[], ${parts.map(({ from }) => from)}::timestamptz[],
                  ${parts.map(({ to }) => to)}::timestamptz[], ${parts.map(({ sign }) => sign)}::int[])
                    as w (subject, from_at, to_at, sign)
     cross join lateral (
       select id from event_subject where merchant_id = ${merchantId} and addressee = w.subject
        union
       select id from event_subject where merchant_id = ${merchantId} and kind = 'direct' and key = w.subject) es)`;

export function filters({ groupFilters }: UsageScope, textOf: (dimension: string) => Sql): Sql {
  return allOf(
    Object.entries(groupFilters ?? {}).map(([dimension, values]) => {
      const text = textOf(dimension);
      const isOneOf = sql`${text} = any(${values.filter((value) => value !== null)}::text[])`;
      return values.includes(null) ? sql`(${isOneOf} or ${text} is null)` : isOneOf;
    }),
  );
}
