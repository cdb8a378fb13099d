import { allOf, type Sql, sql } from '../../db/index.ts';
import type { Aggregation } from '../meter/meter.ts';
import {
  columnNames,
  filterPaths,
  goesOn,
  groupPaths,
  type Question,
  valuePath,
  WINDOW_MICROSECONDS,
} from './question.ts';

const microsecondsOf = (at: Sql): Sql => sql`(extract(epoch from ${at}) * 1000000)::bigint`;

type AddedUp = Exclude<Aggregation, 'UNIQUE_COUNT' | 'TIME_WEIGHTED' | 'PERCENTILE'>;

const AGGREGATES: Readonly<Record<AddedUp, Sql>> = {
  SUM: sql`sum(value)`,
  AVG: sql`sum(value)`,
  COUNT: sql`count(*)::numeric`,
  MIN: sql`min(value)`,
  MAX: sql`max(value)`,
  LATEST: sql`(array_agg(value order by event_at desc, event_seq desc))[1]`,
};

/**
 * The counting events after the mark, one row each: keys, value, place in time, and whether it is `inside` the
 * question.
 */
function counted(question: Question): Sql {
  const { scope, mark, addresses, columns } = question;
  const { meter } = scope;
  const path = valuePath(meter);
  const isText = meter.aggregation === 'COUNT' || meter.aggregation === 'UNIQUE_COUNT';
  const value = path === null ? sql`1` : isText ? sql`event_text(e.data, ${path})` : sql`event_number(e.data, ${path})`;
  const begin =
    addresses === null ? sql`${scope.from}::timestamptz` : sql`greatest(${scope.from}::timestamptz, a.from_at)`;
  const at = goesOn(question) ? sql`greatest(e.at, ${begin})` : sql`e.at`; // what goes on counts from the beginning
  const window =
    columns.window === 'MONTH'
      ? sql`(extract(year from ${at} at time zone 'UTC') * 12 + extract(month from ${at} at time zone 'UTC') - 1)::bigint`
      : columns.window !== null && sql`${microsecondsOf(at)} / ${WINDOW_MICROSECONDS[columns.window]}::bigint`;
  const keys = [
    ...groupPaths(question).map((each, index) => sql`event_text(e.data, ${each}) as ${sql.ref(`d${index}`)}`),
    ...(columns.bySubject ? [sql`e.subject_id as owner`] : []),
    ...(window === false ? [] : [sql`${window} as w`]),
  ];
  const list = addresses ?? [];
  const join = sql`
    join unnest(${list.map(({ subjectId }) => subjectId)}::bigint[], ${list.map(({ from }) => from)}::timestamptz[],
                ${list.map(({ to }) => to)}::timestamptz[]) as a (subject_id, from_at, to_at)
      on a.subject_id = e.subject_id and e.at < a.to_at`;
  return sql`
    select ${sql.join(
      [
        ...keys,
        ...[sql`${value} as value`, sql`${microsecondsOf(sql`e.at`)} as event_at`, sql`e.seq as event_seq`],
        sql`e.at >= ${begin} as inside`,
      ],
      sql`, `,
    )}
      from event e ${addresses === null ? sql`` : join}
     where ${allOf([
       sql`e.merchant_id = ${scope.merchantId} and e.seq > ${mark} and e.at < ${scope.to}`,
       !goesOn(question) && sql`e.at >= ${begin}`,
       meter.eventType === null ? sql`false` : sql`e.type = ${meter.eventType}`,
       meter.eventFrom !== null && sql`e.at > ${meter.eventFrom}`,
       sql`${value} is not null`,
       ...filterPaths(question).map(({ path: at, values }) => {
         const text = sql`event_text(e.data, ${at})`;
         const isOneOf = sql`coalesce(${text} = any(${values.filter((each) => each !== null)}::text[]), false)`;
         return values.includes(null) ? sql`(${isOneOf} or ${text} is null)` : isOneOf;
       }),
     ])}`;
}

const listed = (names: readonly string[]): Sql =>
  sql.join(
    names.map((name) => sql`, ${sql.ref(name)}`),
    sql``,
  );

/** The cells of all sets after the mark, of one moment. The events come from the index (merchant, seq). */
export function selectTail(question: Question): Sql {
  const names = columnNames(question.columns);
  const { aggregation } = question.scope.meter;
  const sets = question.sets.map((set) => sql`(${sql.join(set.map((name) => sql.ref(name)))})`);
  const latest =
    aggregation === 'LATEST'
      ? sql`, (array_agg(event_at order by event_at desc, event_seq desc))[1] as latest_at,
              (array_agg(event_seq order by event_at desc, event_seq desc))[1] as latest_seq`
      : sql``;
  return sql`
    select ${names.length === 0 ? sql`0` : sql`grouping(${sql.join(names.map((name) => sql.ref(name)))})`} as summed_over,
           count(*) filter (where inside) as event_count,
           ${AGGREGATES[aggregation as AddedUp]} as value ${latest} ${listed(names)}
      from (${counted(question)}) counted
     group by grouping sets (${sql.join(sets)})`;
}

/** The different values after the mark with their keys, and how many events have each. */
export function selectTailValues(question: Question): Sql {
  const names = columnNames(question.columns);
  return sql`
    select value::text as value, count(*) as event_count ${listed(names)}
      from (${counted(question)}) counted
     group by value ${listed(names)}`;
}
