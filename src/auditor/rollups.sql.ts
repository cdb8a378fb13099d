import { type Sql, sql, type Tx } from '../db/index.ts';
import type { BrokenRow } from './check.ts';

/** A subject of events. */
export interface Subject {
  readonly merchantId: string;
  readonly id: bigint;
}

/** The next subjects, of any merchant, whose events are rolled up. */
export const selectSubjects = (tx: Tx, after: Subject | undefined, most: number): Promise<Subject[]> =>
  tx.rows<Subject>(sql`
    select s.merchant_id, s.id
      from event_subject s
     where (s.merchant_id, s.id) > (${after?.merchantId ?? ''}, ${after?.id ?? -1n}::bigint)
       and exists (select from rollup_definition u where u.merchant_id = s.merchant_id and u.is_ready)
     order by s.merchant_id, s.id limit ${most}`);

/**
 * The first instants of the months that have partitions of events: a statement between two of them opens one partition.
 */
export async function selectMonths(tx: Tx): Promise<string[]> {
  const rows = await tx.rows<{ month: string }>(sql`
    select distinct to_date(right(c.relname, 6), 'YYYYMM')::text as month
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'event'::regclass and c.relname ~ '^event_[0-9]{6}$'
     order by 1`);
  return rows.map(({ month }) => `${month}T00:00:00Z`);
}

/** Subjects in a stretch of time that begins and ends with an hour. */
export interface Slice {
  readonly subjects: readonly Subject[];
  readonly from: string;
  readonly to: string;
}

/** Differing rows of one slice that are counted at most. */
const MOST_ROWS = 1_000;

/**
 * The values of the events of a slice, as each definition reads them: the same rules as in `roll_up_events`, of one
 * event at a time.
 */
const valuesOf = ({ subjects, from, to }: Slice): Sql => sql`
  definition as materialized (
    select s.merchant_id, s.id as definition_id, c.subject_id, s.event_type, s.kind, string_to_array(s.path,
      '.') as path,
      s.dimensions
      from unnest(${subjects.map(({ merchantId }) => merchantId)}::text[],
                  ${subjects.map(({ id }) => String(id))}::bigint[]) c (merchant_id, subject_id)
      join rollup_definition s on s.merchant_id = c.merchant_id and s.is_ready),
  valued as (
    select s.merchant_id, s.definition_id, s.kind, s.subject_id, date_trunc('hour', e.at, 'UTC') as hour, e.at, e.seq,
           array(select event_text(e.data, string_to_array(d.path, '.'))
                 from unnest(s.dimensions) with ordinality d (path, place) order by d.place) as group_values,
           case when s.kind in ('number', 'latest') then event_number(e.data, s.path) end as number,
           case when s.path is null then '' when s.kind in ('count', 'set') then event_text(e.data, s.path) end as text
      from definition s
      join event e on e.merchant_id = s.merchant_id and e.type = s.event_type and e.subject_id = s.subject_id
       and e.at >= ${from}::timestamptz and e.at < ${to}::timestamptz),
  usable as (
    select *, case when group_values = '{}' then '00000000-0000-0000-0000-000000000000'::uuid
      else text_hash(group_values::text) end as group_hash
      from valued where number is not null or text is not null)`;

const KEY = sql`merchant_id, definition_id, subject_id, hour, group_hash`;

const keptOf = (table: 'usage_rollup' | 'usage_value', { from, to }: Slice): Sql => sql`
  (select r.* from definition s join ${sql.table(table)} r on r.merchant_id = s.merchant_id
    and r.definition_id = s.definition_id
      and r.subject_id = s.subject_id and r.hour >= ${from}::timestamptz and r.hour < ${to}::timestamptz) r`;

const nameOf = sql`format('definition %s, subject %s, %s, group %s', definition_id, subject_id, hour,
                          coalesce(k.group_values, e.group_values))`;

/** Are events of this hour in files of the archive? Then there is nothing to compare with. */
const IS_AWAY = sql`exists (
  select from event_archive a
   where a.merchant_id = coalesce(e.merchant_id, k.merchant_id) and a.state = 'away'
     and a.month = date_trunc('month', coalesce(e.hour, k.hour) at time zone 'UTC')::date)`;

/**
 * Hours of a slice whose roll-ups differ from their events. One statement sees events and roll-ups as of one instant,
 * so that events which are stored meanwhile do not matter.
 */
export const selectDifferingRollups = (tx: Tx, slice: Slice): Promise<BrokenRow[]> =>
  tx.rows<BrokenRow>(sql`
    with ${valuesOf(slice)},
    counted as (
      select ${KEY}, min(group_values) as group_values,
             (count(*), min(at) filter (where kind <> 'latest'), max(at) filter (where kind <> 'latest'),
              sum(number) filter (where kind <> 'latest'), min(number) filter (where kind <> 'latest'),
              max(number) filter (where kind <> 'latest'),
              max(row(at, seq, number)) filter (where kind = 'latest')) as figures
        from usable group by ${KEY}),
    kept as (
      select ${KEY}, min(group_values) as group_values,
             (sum(event_count)::bigint, min(first_at), max(last_at), sum(total), min(least_value), max(greatest_value),
              max(row(latest_at, latest_seq, latest_value)) filter (where latest_at is not null)) as figures
        from ${keptOf('usage_rollup', slice)} group by ${KEY})
    select merchant_id, ${nameOf} as id,
           format('kept %s, its events make %s', k.figures, e.figures) as detail
      from counted e full join kept k using (${KEY})
     where (e.figures is distinct from k.figures or e.group_values is distinct from k.group_values) and not ${IS_AWAY}
     limit ${MOST_ROWS}`);

/** Hours of a slice whose different values are not those of their events. */
export const selectDifferingValues = (tx: Tx, slice: Slice): Promise<BrokenRow[]> =>
  tx.rows<BrokenRow>(sql`
    with ${valuesOf(slice)},
    counted as (
      select ${KEY}, text_hash(text) as value_hash, min(group_values) as group_values
        from usable where kind = 'set' group by ${KEY}, text_hash(text)),
    kept as (
      select ${KEY}, value_hash, group_values from ${keptOf('usage_value', slice)})
    select merchant_id, ${nameOf} as id,
           case when k.value_hash is null then 'a value of its events is not kept'
             else 'no event has a value that is kept' end as detail
      from counted e full join kept k using (${KEY}, value_hash)
     where (e.value_hash is null or k.value_hash is null or e.group_values is distinct from k.group_values)
       and not ${IS_AWAY}
     limit ${MOST_ROWS}`);
