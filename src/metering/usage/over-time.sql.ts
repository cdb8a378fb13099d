import { type Sql, sql } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { EARLIEST, type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import { eventsAtHand } from '../events/at-hand.sql.ts';
import { dimensionPath, dimensionsOf } from '../meter/meter.ts';
import type { RollupDefinition } from '../meter/rollup-definition.ts';
import type { UsageScope } from '../meter/usage-request.ts';
import type { WindowSize } from '../meter/windows.ts';
import { readyDefinition } from './figure-sets.sql.ts';
import {
  acceptedIn,
  afterIt,
  columnNames,
  filters,
  groupedBy,
  groupValueOf,
  intervalsOf,
  listed,
  meterValue,
  summedOver,
  type UsageColumns,
} from './usage.sql.ts';

/** A stretch of time in which the same subjects count. Null: all of them. */
interface Stretch {
  readonly number: number;
  readonly subject: string | null;
  readonly from: Instant;
  readonly to: Instant;
}

/** The parts of a question, cut where any of them begins or ends: a level passes on with the subjects that set it. */
function stretchesIn(scope: UsageScope): Stretch[] {
  const parts = intervalsOf(scope).filter(({ from, to }) => isBefore(from, to));
  const bounds = parts.flatMap(({ from, to }) => [from, to]).toSorted(Temporal.Instant.compare);
  const starts = bounds.filter((at, index) => index === 0 || isAfter(at, bounds[index - 1] as Instant));
  return starts.slice(1).flatMap((to, number) => {
    const from = starts[number] as Instant;
    const within = parts.filter((part) => !isAfter(part.from, from) && !isBefore(part.to, to));
    return within.map(({ subject }) => ({ number, subject, from, to }));
  });
}

/** Of windows, for PostgreSQL. */
export const UNITS: Readonly<Record<WindowSize, { readonly unit: string; readonly length: string }>> = {
  MINUTE: { unit: 'minute', length: '1 minute' },
  HOUR: { unit: 'hour', length: '1 hour' },
  DAY: { unit: 'day', length: '24 hours' },
  MONTH: { unit: 'month', length: '1 month' },
};

/**
 * The common table expressions up to `laid`: the levels in a question, each from `begins` to `ends`, of each customer
 * and each combination of the meter's dimensions. The level before a stretch is that of the last event before it.
 * @param definition the roll-up with the earlier levels; null: they are read from the events
 */
function levelsLaid(scope: UsageScope, definition: RollupDefinition | null): Sql {
  const { merchantId, meter, sources } = scope;
  const stretches = stretchesIn(scope);
  const dimensions = dimensionsOf(meter);
  const level = dimensions.map((_, index) => sql.ref(`g${index}`));
  const [from, to] = [stretches[0]?.from ?? scope.from, stretches.at(-1)?.to ?? scope.from];
  const first = meter.eventFrom === null ? EARLIEST : afterIt(meter.eventFrom);
  const textOf = (dimension: string) => sql`event_text(e.data, ${dimensionPath(meter, dimension)})`;
  const as = (of: (dimension: string) => Sql) =>
    listed(dimensions.map((dimension, index) => sql`${of(dimension)} as ${sql.ref(`g${index}`)}`));
  const ofSubject = sources === null ? sql`true` : sql`e.subject_id = a.subject_id`;
  /** Events of a stretch between two instants; the value is read once, though it is also tested. */
  const events = (begin: Sql, end: Sql, hull: { from: Instant; to: Instant }, isInside: boolean) => {
    const keys = sql.join([sql`subject_id`, ...level]);
    return sql`
      select a.stretch, a.from_at, a.to_at, c.at, c.seq, c.subject_id, c.value,
             ${isInside}::boolean as is_inside${listed(level.map((name) => sql`c.${name}`))}
        from asked a cross join lateral (
          select${isInside ? sql`` : sql` distinct on (${keys})`} e.at, e.seq, e.subject_id,
                 ${meterValue(meter)} as value${as(textOf)}
            from event e
           where e.merchant_id = ${merchantId} and e.type = ${meter.eventType} and ${ofSubject}
             and e.at >= ${begin} and e.at < ${end} and e.at >= ${hull.from} and e.at < ${hull.to}
             and ${eventsAtHand({ merchantId, ...hull })} and ${acceptedIn(scope)} and ${filters(scope, textOf)}
          ${
            isInside ? sql`offset 0` : sql`and ${meterValue(meter)} is not null order by ${keys}, e.at desc, e.seq desc`
          }) c
       where c.value is not null`;
  };
  const hourOf = (at: Instant) => at.round({ smallestUnit: 'hour', roundingMode: 'floor' });
  const last = stretches.at(-1)?.from ?? from;
  const before =
    definition === null
      ? [events(sql`${first}::timestamptz`, sql`a.from_at`, { from: first, to: last }, false)]
      : [
          events(sql`a.hour`, sql`a.from_at`, { from: hourOf(from), to: last }, false),
          sql`
      select a.stretch, a.from_at, a.to_at, l.at, l.seq, l.subject_id, l.value, false${as((dimension) =>
        groupValueOf(meter, definition, dimension, 'l'),
      )}
        from asked a
       cross join lateral usage_levels(${merchantId}, (select id from definition), a.subject_id, a.hour, true) l
       where l.at >= ${first} and ${filters(scope, (dimension) => groupValueOf(meter, definition, dimension, 'l'))}`,
        ];
  const subjects =
    sources === null
      ? sql``
      : sql`
     cross join lateral (
       select id from event_subject where merchant_id = ${merchantId} and addressee = w.subject
        union
       select id from event_subject where merchant_id = ${merchantId} and kind = 'direct' and key = w.subject) es`;
  return sql`
    ${definition === null ? sql`` : sql`${readyDefinition(merchantId, definition)},`}
    asked (stretch, subject_id, from_at, to_at, hour) as materialized (
      select w.stretch, ${sources === null ? sql`null::bigint` : sql`es.id`}, w.from_at, w.to_at,
             greatest(date_trunc('hour', w.from_at, 'UTC'), ${first}::timestamptz)
        from unnest(${stretches.map(({ number }) => number)}::int[], ${stretches.map(({ subject }) => subject)}::text[],
                    ${stretches.map((each) => each.from)}::timestamptz[],
                    ${stretches.map((each) => each.to)}::timestamptz[]) w (stretch, subject, from_at, to_at)${subjects}),
    held as (
      ${sql.join([events(sql`a.from_at`, sql`a.to_at`, { from, to }, true), ...before], sql` union all `)}),
    laid as (
      select h.*, coalesce(s.customer_id, s.addressee) as customer_id, greatest(h.at, h.from_at) as begins,
             coalesce(lead(greatest(h.at, h.from_at)) over (
               partition by ${sql.join([sql`h.stretch`, sql`coalesce(s.customer_id, s.addressee, s.id::text)`, ...level.map((name) => sql`h.${name}`)])}
                   order by h.at, h.seq), h.to_at) as ends
        from held h join event_subject s on s.merchant_id = ${merchantId} and s.id = h.subject_id)`;
}

/**
 * The integrals of a level over time, in units × microseconds: of each customer and each combination of the meter's
 * dimensions, then added up in the cut.
 * @param definition the roll-up with the earlier levels; null: they are read from the events
 */
export function selectOverTime(
  scope: UsageScope,
  columns: UsageColumns,
  sets: readonly (readonly string[])[],
  definition: RollupDefinition | null,
): Sql {
  const { meter, mostRows } = scope;
  const dimensions = dimensionsOf(meter);
  const names = columnNames(columns);
  const size = columns.window && UNITS[columns.window];
  const start = size ? sql`date_trunc(${size.unit}, h.begins, 'UTC')` : sql``;
  const [begins, ends] = size
    ? [sql`greatest(h.begins, w.start_at)`, sql`least(h.ends, w.end_at)`]
    : [sql`h.begins`, sql`h.ends`];
  const cut = [
    ...columns.dimensions.map(
      (name, index) => sql`h.${sql.ref(`g${dimensions.indexOf(name)}`)} as ${sql.ref(`d${index}`)}`,
    ),
    columns.byCustomer && sql`h.customer_id`,
    size && sql`w.start_at as window_start`,
  ];
  return sql`
    with ${levelsLaid(scope, definition)},
    counted as (
      select h.value * (epoch_microseconds(${ends}) - epoch_microseconds(${begins})) as value,
             (h.is_inside${size ? sql` and w.start_at = ${start}` : sql``})::int as event_count${listed(cut)}
        from laid h${
          size
            ? sql`
       cross join lateral (
         select g as start_at, date_add(g, ${size.length}::interval, 'UTC') as end_at
           from generate_series(${start}, greatest(h.ends - interval '1 microsecond', h.begins),
                                ${size.length}::interval, 'UTC') g) w`
            : sql``
        })
    select ${summedOver(names)} as summed_over, sum(value) as value,
           coalesce(sum(event_count), 0)::bigint as event_count,
           ${isComplete(definition)} as is_complete${listed(names.map((name) => sql.ref(name)))}
      from counted
     group by grouping sets (${groupedBy(sets)})
    ${mostRows === undefined ? sql`` : sql`limit ${mostRows + 1}`}`;
}

const isComplete = (definition: RollupDefinition | null): Sql =>
  definition === null ? sql`true` : sql`exists (select from definition)`;

/** The sum of all levels of a question from an instant on, and its integral until then. */
export interface LevelRow {
  /** Microseconds since 1970. */
  readonly at: bigint;
  readonly level: Decimal;
  /** From the start of the question, in units × microseconds. */
  readonly integral: Decimal;
  readonly isComplete: boolean;
}

/**
 * The sum of all levels at some instants, in their order; of equal ones once. A level adds `value × (instant − begin)`
 * once it has begun, and takes `value × (instant − end)` away once it has ended. So one pass in the order of time
 * answers for any number of instants.
 * @param instants from the start of the question to its end
 * @param changes also the first so many changes after the first instant; by default none
 */
export const selectIntegrals = (
  scope: UsageScope,
  instants: readonly Instant[],
  definition: RollupDefinition | null,
  changes = 0,
): Sql => sql`
    with ${levelsLaid(scope, definition)},
    marked (at, rise, is_asked) as (
      select begins, value, false from laid where begins < ends
       union all
      select ends, -value, false from laid where begins < ends
       union all
      select w.at, 0, true from unnest(${[...instants]}::timestamptz[]) w (at)),
    risen as (
      select epoch_microseconds(at) as at, bool_or(is_asked) as is_asked, sum(rise) as rise from marked group by 1),
    run as (
      select at, is_asked, sum(rise) over (order by at) as level, sum(rise * at) over (order by at) as moment
        from risen)
    select at, level, level * at - moment as integral, ${isComplete(definition)} as is_complete
      from run where is_asked or ${
        changes === 0
          ? sql`false`
          : sql`at in (
        select at from risen where at > epoch_microseconds(${instants[0]}::timestamptz) order by at limit ${changes})`
      }
     order by at`;
