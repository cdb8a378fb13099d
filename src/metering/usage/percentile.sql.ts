import { type Sql, sql } from '../../db/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { aggregationOfEvents } from '../meter/meter.ts';
import type { RollupDefinition } from '../meter/rollup-definition.ts';
import { type SampleWindow, samplesIn, secondsOf } from '../meter/samples.ts';
import type { UsageScope } from '../meter/usage-request.ts';
import { readyDefinition } from './figure-sets.sql.ts';
import { UNITS } from './over-time.sql.ts';
import {
  aggregateOf,
  columnNames,
  countedEvents,
  countedRollups,
  groupedBy,
  listed,
  summedOver,
  type UsageColumns,
} from './usage.sql.ts';

/**
 * The digits behind the point of an average that is compared with others. Two different ones differ in an earlier
 * digit: values have at most 76 digits there, and a window has fewer than 10^20 events.
 */
const AVERAGE_PLACES = 120;

/**
 * The percentiles of the figures of windows in the time that is asked about, for each way to group: of all windows in
 * order from below the one at the rank. A window without events has no row, and is 0: it comes after those below 0.
 * @param definition the roll-up for full hours; null: every event is read. Unless `is_complete`, the figures are worth
 *   nothing.
 * @returns null where no hour is full
 */
export function selectPercentile(
  scope: UsageScope,
  columns: UsageColumns,
  sets: readonly (readonly string[])[],
  definition: RollupDefinition | null,
): Sql | null {
  const { merchantId, mostRows } = scope;
  const sample = scope.meter.sampleWindow as SampleWindow;
  const meter = { ...scope.meter, aggregation: aggregationOfEvents(scope.meter) };
  const [of, inWindows] = [
    { ...scope, meter },
    { ...columns, sample },
  ];
  const counted = definition === null ? countedEvents(of, inWindows) : countedRollups(of, inWindows, definition);
  if (counted === null) return null;
  const names = columnNames(columns);
  const refs = names.map((name) => sql.ref(name));
  const figure =
    meter.aggregation === 'AVG'
      ? sql`round(sum(value), ${AVERAGE_PLACES}::int) / sum(event_count)`
      : aggregateOf(meter);
  return sql`
    with ${definition === null ? sql`` : sql`${readyDefinition(merchantId, definition)},`}
    counted (at, seq, value, event_count${listed(refs)}, sample_at) as (${sql.join(counted, sql` union all `)}),
    sampled as (
      select ${summedOver(names)} as summed_over, ${figure} as value, sum(event_count) as event_count${listed(refs)}
        from counted
       group by sample_at, grouping sets (${groupedBy(sets)})
      having sum(event_count) > 0),
    placed as (
      select s.*, ${samplesOf(scope, columns)} as samples,
             row_number() over (${withinEach(refs)} order by value) as place, count(*) over (${withinEach(refs)}) as used
        from sampled s)
    select coalesce(summed_over, ${2 ** names.length - 1}::int) as summed_over,
           max(value) filter (where place + case when value < 0 then 0 else samples - used end
                                    = ceil(samples * ${scope.meter.percentile ?? decimal(0)}::numeric * 0.01)) as value,
           coalesce(sum(event_count), 0)::bigint as event_count, is_complete${listed(refs)}
      from (select ${definition === null ? sql`true` : sql`exists (select from definition)`} as is_complete) d
      left join placed on true
     group by summed_over, is_complete${listed(refs)}
    ${mostRows === undefined ? sql`` : sql`limit ${mostRows + 1}`}`; // one more tells that there are too many
}

const withinEach = (refs: readonly Sql[]): Sql => sql`partition by summed_over${listed(refs)}`;

/** How many windows the figure of a row is of: those in its own window, or all that are asked about. */
function samplesOf({ meter, from, to, sampled }: UsageScope, { window }: UsageColumns): Sql {
  const sample = meter.sampleWindow as SampleWindow;
  const all = sql`${samplesIn(sample, sampled ?? [{ start: from, end: to }])}::bigint`;
  if (window === null) return all;
  const beginOf = (at: Sql) =>
    sql`epoch_microseconds(date_bin(make_interval(secs => ${secondsOf(sample)}), ${at}, to_timestamp(0)))`;
  const first = sql`greatest(window_start, ${from}::timestamptz)`;
  const end = sql`least(date_add(window_start, ${UNITS[window].length}::interval, 'UTC'), ${to}::timestamptz)`;
  const last = sql`${end} - interval '1 microsecond'`;
  return sql`case when window_start is null then ${all}
    else (${beginOf(last)} - ${beginOf(first)}) / ${BigInt(secondsOf(sample)) * 1_000_000n}::bigint + 1 end`;
}
