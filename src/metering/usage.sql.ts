import { allOf, type Sql, sql } from '../db/index.ts';
import type { Decimal } from '../kernel/decimal.ts';
import { type Instant, latest } from '../kernel/time.ts';
import { hoursOf, type Interval } from './hours.ts';
import { type Aggregation, dimensionPath, type Meter, pathSegments } from './meter.ts';
import type { SeriesSpec } from './series-spec.ts';
import { disjointSources, type UsageScope, type UsageSource } from './usage-request.ts';
import type { WindowSize } from './windows.ts';

/** The columns that rows are grouped by; `d0`, `d1` … are the dimensions in the order asked. */
export interface UsageColumns {
  readonly dimensions: readonly string[];
  readonly byCustomer: boolean;
  readonly window: WindowSize | null;
}

export interface MeasuredRow {
  /** Which columns this row is summed over, as PostgreSQL's `grouping` counts them: a bit for each, the first the highest. */
  readonly summed_over: number;
  readonly value: Decimal | null;
  readonly event_count: bigint;
  readonly is_complete: boolean | null;
  readonly customer_id: string | null;
  readonly window_start: Instant | null;
  readonly [dimension: `d${number}`]: string | null;
}

const NUMERIC: ReadonlySet<Aggregation> = new Set<Aggregation>(['SUM', 'AVG', 'MIN', 'MAX', 'LATEST']);

/** What an event contributes to a meter, null where it has no usable value. `e` is the event. */
function meterValue(meter: Meter): Sql {
  if (meter.valueProperty === null) return sql`1`;
  const path = pathSegments(meter.valueProperty);
  return NUMERIC.has(meter.aggregation) ? sql`event_number(e.data, ${path})` : sql`event_text(e.data, ${path})`;
}

/** Does an event contribute? `e` is the event. */
export const countsFor = (meter: Meter): Sql =>
  allOf([
    meter.eventType === null ? sql`false` : sql`e.type = ${meter.eventType}`,
    meter.eventFrom !== null && sql`e.at > ${meter.eventFrom}`,
    sql`${meterValue(meter)} is not null`,
  ]);

/** AVG is divided outside, where the number of digits is ours; MIN and MAX compare numbers, not texts. */
const AGGREGATES: Readonly<Record<Aggregation, Sql>> = {
  SUM: sql`sum(value)`,
  AVG: sql`sum(value)`,
  COUNT: sql`sum(event_count)`,
  MIN: sql`min(value)`,
  MAX: sql`max(value)`,
  UNIQUE_COUNT: sql`count(distinct value)::numeric`,
  LATEST: sql`(array_agg(value order by at desc, seq desc))[1]`,
};

/** The names of the columns to group by, in their order. */
export const columnNames = ({ dimensions, byCustomer, window }: UsageColumns): string[] => [
  ...dimensions.map((_, index) => `d${index}`),
  ...(byCustomer ? ['customer_id'] : []),
  ...(window === null ? [] : ['window_start']),
];

/** The ways to group, as grouping sets; the whole is always among them, so that there is always a row. */
const groupedBy = (sets: readonly (readonly string[])[]): Sql =>
  sql.join(
    [...sets.filter((set) => set.length > 0), []].map((set) => sql`(${sql.join(set.map((name) => sql.ref(name)))})`),
    sql`, `,
  );

const summedOver = (names: readonly string[]): Sql =>
  names.length === 0 ? sql`0` : sql`grouping(${sql.join(names.map((name) => sql.ref(name)))})`;

const listed = (columns: readonly (Sql | false | null)[]): Sql =>
  sql.join(
    columns.filter((column) => column !== false && column !== null).map((column) => sql`, ${column}`),
    sql``,
  );

const windowOf = ({ window }: UsageColumns, at: Sql): Sql | null =>
  window && sql`date_trunc(${window.toLowerCase()}, ${at}, 'UTC') as window_start`;

const customerOf = ({ byCustomer }: UsageColumns): Sql | false =>
  byCustomer && sql`coalesce(s.customer_id, s.addressee) as customer_id`;

/** `e` with what of it is measured and how it is cut; all of `intervals`, of the sources' subjects if there are sources. */
function eventsOf(
  scope: UsageScope,
  columns: UsageColumns,
  intervals: readonly UsageSource[] | null,
  { from, to }: Interval,
  value: Sql,
): Sql {
  const { merchantId, meter } = scope;
  const dimensions = columns.dimensions.map(
    (dimension, index) => sql`event_text(e.data, ${dimensionPath(meter, dimension)}) as ${sql.ref(`d${index}`)}`,
  );
  return sql`
      select e.at, e.seq, ${value} as value, 1::bigint as event_count${listed([...dimensions, customerOf(columns), windowOf(columns, sql`e.at`)])}
        from event e
        ${intervals === null ? sql`` : sql`join ${addressed(merchantId, intervals)} a on a.subject_id = e.subject_id and e.at >= a.from_at and e.at < a.to_at`}
        ${columns.byCustomer ? sql`join event_subject s on s.merchant_id = e.merchant_id and s.id = e.subject_id` : sql``}
       where e.merchant_id = ${merchantId} and e.at >= ${from} and e.at < ${to}
         and ${countsFor(meter)} and ${filters(scope, (dimension) => sql`event_text(e.data, ${dimensionPath(meter, dimension)})`)}`;
}

function figures(
  meter: Meter,
  columns: UsageColumns,
  sets: readonly (readonly string[])[],
  counted: Sql,
  isComplete: Sql,
): Sql {
  const names = columnNames(columns);
  return sql`
    with counted (at, seq, value, event_count${listed(names.map((name) => sql.ref(name)))}) as (${counted})
    select ${summedOver(names)} as summed_over, ${AGGREGATES[meter.aggregation]} as value,
           coalesce(sum(event_count), 0)::bigint as event_count, ${isComplete} as is_complete${listed(names.map((name) => sql.ref(name)))}
      from counted
     group by grouping sets (${groupedBy(sets)})`;
}

/**
 * One pass over the events for all cuts: `sets` are lists of column names, each set a way to group (grouping sets).
 * The events come from the index (merchant, type, subject, at), for all subjects from its first two columns.
 */
export function selectUsage(scope: UsageScope, columns: UsageColumns, sets: readonly (readonly string[])[]): Sql {
  const sources = scope.sources && disjointSources(scope.sources, scope.from, scope.to);
  const counted = eventsOf(scope, columns, sources, scope, meterValue(scope.meter));
  return figures(scope.meter, columns, sets, counted, sql`true`);
}

/**
 * The same from roll-ups, where hours are full, and from the events before and after them. Null where no hour is: then the
 * events are all there is to read. `is_complete` says whether, at the moment of the statement, the roll-ups held all events.
 * @param series whose roll-ups; of a meter that reads values by the same paths
 */
export function selectRolledUsage(
  scope: UsageScope,
  columns: UsageColumns,
  sets: readonly (readonly string[])[],
  series: { readonly id: bigint; readonly spec: SeriesSpec },
): Sql | null {
  const { merchantId, meter, to } = scope;
  if (columns.window === 'MINUTE') return null;
  const from = meter.eventFrom === null ? scope.from : latest(scope.from, meter.eventFrom.add({ microseconds: 1 }));
  const sources = scope.sources && disjointSources(scope.sources, from, to);
  const whole = (sources ?? [{ subject: '', from, to }]).map((source) => ({ source, hours: hoursOf(source) }));
  const full = whole.flatMap(({ source, hours }) => (hours.full ? [{ ...source, ...hours.full }] : []));
  const rest = whole.flatMap(({ source, hours }) => hours.rest.map((part) => ({ ...source, ...part })));
  if (full.length === 0) return null;
  const isSet = meter.aggregation === 'UNIQUE_COUNT';
  const values: Partial<Record<Aggregation, Sql>> = {
    UNIQUE_COUNT: sql`text_hash(${meterValue(meter)})`,
    COUNT: sql`null::numeric`,
  };
  const value = values[meter.aggregation] ?? meterValue(meter);
  const raw = sources
    ? rest.length === 0
      ? []
      : [eventsOf(scope, columns, rest, { from, to }, value)]
    : rest.map((part) => eventsOf(scope, columns, null, part, value));
  const rolled = (table: 'usage_rollup' | 'usage_value', kept: Sql) => {
    const place = (dimension: string) =>
      sql`r.group_values[${series.spec.dimensions.indexOf(dimensionPath(meter, dimension).join('.')) + 1}::int]`;
    const dimensions = columns.dimensions.map(
      (dimension, index) => sql`${place(dimension)} as ${sql.ref(`d${index}`)}`,
    );
    const [all] = full;
    const inTime = sources
      ? sql`join ${addressed(merchantId, full)} a on a.subject_id = r.subject_id and r.hour >= a.from_at and r.hour < a.to_at`
      : sql``;
    return sql`
      select ${kept}${listed([...dimensions, customerOf(columns), windowOf(columns, sql`r.hour`)])}
        from ${sql.table(table)} r ${inTime}
        ${columns.byCustomer ? sql`join event_subject s on s.merchant_id = r.merchant_id and s.id = r.subject_id` : sql``}
       where r.merchant_id = ${merchantId} and r.series_id = ${series.id} and ${filters(scope, place)}
         ${sources ? sql`` : sql`and r.hour >= ${all?.from} and r.hour < ${all?.to}`}`;
  };
  const nothing = isSet ? sql`null::uuid` : sql`null::numeric`;
  const counted = sql.join(
    [
      ...raw,
      rolled('usage_rollup', sql`r.latest_at, r.latest_seq, ${KEPT[meter.aggregation] ?? nothing}, r.event_count`),
      ...(isSet ? [rolled('usage_value', sql`null::timestamptz, null::bigint, r.value_hash, 0::bigint`)] : []),
    ],
    sql` union all `,
  );
  const isComplete = sql`(select is_ready from usage_series where merchant_id = ${merchantId} and id = ${series.id})`;
  return figures(meter, columns, sets, counted, isComplete);
}

/** Where a roll-up has the figure. */
const KEPT: Readonly<Partial<Record<Aggregation, Sql>>> = {
  SUM: sql`r.total`,
  AVG: sql`r.total`,
  MIN: sql`r.least_value`,
  MAX: sql`r.greatest_value`,
  LATEST: sql`r.latest_value`,
};

/**
 * The subject rows of the sources with the times for which they count: what is addressed to the customer or subscription,
 * and what was sent with just this subject, though it names nobody.
 */
function addressed(merchantId: string, disjoint: readonly UsageSource[]): Sql {
  return sql`(
    select es.id as subject_id, w.from_at, w.to_at
      from unnest(${disjoint.map(({ subject }) => subject)}::text[], ${disjoint.map(({ from }) => from)}::timestamptz[],
                  ${disjoint.map(({ to }) => to)}::timestamptz[]) as w (subject, from_at, to_at)
     cross join lateral (
       select id from event_subject where merchant_id = ${merchantId} and addressee = w.subject
        union
       select id from event_subject where merchant_id = ${merchantId} and kind = 'direct' and key = w.subject) es)`;
}

function filters({ groupFilters }: UsageScope, textOf: (dimension: string) => Sql): Sql {
  return allOf(
    Object.entries(groupFilters ?? {}).map(([dimension, values]) => {
      const text = textOf(dimension);
      const isOneOf = sql`${text} = any(${values.filter((value) => value !== null)}::text[])`;
      return values.includes(null) ? sql`(${isOneOf} or ${text} is null)` : isOneOf;
    }),
  );
}
