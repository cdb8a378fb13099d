import { allOf, type Sql, sql } from '../db/index.ts';
import type { Decimal } from '../kernel/decimal.ts';
import type { Instant } from '../kernel/time.ts';
import { type Aggregation, dimensionPath, type Meter, pathSegments } from './meter.ts';
import { disjointSources, type UsageScope } from './usage-request.ts';
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
  COUNT: sql`count(value)::numeric`,
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

/**
 * One pass over the events for all cuts: `sets` are lists of column names, each set a way to group (grouping sets).
 * The events come from the index (merchant, type, subject, at), for all subjects from its first two columns.
 */
export function selectUsage(scope: UsageScope, columns: UsageColumns, sets: readonly (readonly string[])[]): Sql {
  const { merchantId, meter, from, to } = scope;
  const names = columnNames(columns);
  const dimensions = columns.dimensions.map(
    (dimension, index) => sql`event_text(e.data, ${dimensionPath(meter, dimension)}) as ${sql.ref(`d${index}`)}`,
  );
  const window = columns.window && sql`date_trunc(${columns.window.toLowerCase()}, e.at, 'UTC') as window_start`;
  const customer = columns.byCustomer && sql`coalesce(s.customer_id, s.addressee) as customer_id`;
  const selected = [...dimensions, customer, window].filter((column) => column !== false && column !== null);
  const grouped = sql.join(
    sets.map((set) => sql`(${sql.join(set.map((name) => sql.ref(name)))})`),
    sql`, `,
  );
  return sql`
    with counted as (
      select e.at, e.seq, ${meterValue(meter)} as value${sql.join(
        selected.map((column) => sql`, ${column}`),
        sql``,
      )}
        from event e
        ${scope.sources === null ? sql`` : sql`join ${addressed(scope)} a on a.subject_id = e.subject_id and e.at >= a.from_at and e.at < a.to_at`}
        ${columns.byCustomer ? sql`join event_subject s on s.merchant_id = e.merchant_id and s.id = e.subject_id` : sql``}
       where e.merchant_id = ${merchantId} and e.at >= ${from} and e.at < ${to}
         and ${countsFor(meter)} and ${filters(scope)}
    )
    select ${names.length === 0 ? sql`0` : sql`grouping(${sql.join(names.map((name) => sql.ref(name)))})`} as summed_over,
           ${AGGREGATES[meter.aggregation]} as value, count(*) as event_count
           ${sql.join(
             names.map((name) => sql`, ${sql.ref(name)}`),
             sql``,
           )}
      from counted
     group by grouping sets (${grouped})`;
}

/**
 * The subject rows of the sources with the times for which they count: what is addressed to the customer or subscription,
 * and what was sent with just this subject, though it names nobody.
 */
function addressed({ merchantId, sources, from, to }: UsageScope): Sql {
  const disjoint = disjointSources(sources ?? [], from, to);
  return sql`(
    select es.id as subject_id, w.from_at, w.to_at
      from unnest(${disjoint.map(({ subject }) => subject)}::text[], ${disjoint.map((source) => source.from)}::timestamptz[],
                  ${disjoint.map((source) => source.to)}::timestamptz[]) as w (subject, from_at, to_at)
     cross join lateral (
       select id from event_subject where merchant_id = ${merchantId} and addressee = w.subject
        union
       select id from event_subject where merchant_id = ${merchantId} and kind = 'direct' and key = w.subject) es)`;
}

function filters({ meter, groupFilters }: UsageScope): Sql {
  return allOf(
    Object.entries(groupFilters ?? {}).map(([dimension, values]) => {
      const text = sql`event_text(e.data, ${dimensionPath(meter, dimension)})`;
      const isOneOf = sql`${text} = any(${values.filter((value) => value !== null)}::text[])`;
      return values.includes(null) ? sql`(${isOneOf} or ${text} is null)` : isOneOf;
    }),
  );
}
