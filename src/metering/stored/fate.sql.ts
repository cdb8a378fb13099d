import { type Sql, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { aggregationOfEvents } from '../meter/meter.ts';
import { lastSeq } from '../usage/rollup-definitions.sql.ts';
import type { OwnedMeter } from './events.sql.ts';

/** The reading of an event by one meter. */
export interface MeterReading {
  readonly id: string;
  /** Null where it counts. */
  readonly reason: 'BEFORE_EVENT_FROM' | 'NO_VALUE' | null;
  /** Its contribution: a decimal, 1 for a plain COUNT, the text of a UNIQUE_COUNT; null if it does not count. */
  readonly value: string | null;
  readonly group: Readonly<Record<string, string | null>>;
}

export interface EventReadings {
  readonly readings: readonly MeterReading[];
  /** The customer or subscription of the event; null while it has none. */
  readonly addressee: string | null;
}

/** The readings of an event by some meters of its type, by the same functions that add up usage. */
export async function selectReadings(
  tx: Tx,
  event: { readonly merchantId: string; readonly seq: bigint; readonly at: Instant },
  meters: readonly OwnedMeter[],
): Promise<EventReadings> {
  const column = (value: (meter: OwnedMeter['meter']) => unknown): Sql =>
    sql`${meters.map(({ meter }) => value(meter))}`;
  const { addressee, readings } = await tx.one<{
    addressee: string | null;
    readings: (MeterReading & { isInTime: boolean })[];
  }>(sql`
    select s.addressee, coalesce((
        select jsonb_agg(jsonb_build_object(
                 'id', m.id, 'isInTime', m.event_from is null or e.at > m.event_from,
                 'value', case when m.path is null then '1'
                               when m.aggregation = 'UNIQUE_COUNT' then event_text(e.data, string_to_array(m.path, '.'))
                               when m.aggregation = 'COUNT'
                                 then case when event_text(e.data, string_to_array(m.path, '.')) is not null
                                   then '1' end
                               else event_number(e.data, string_to_array(m.path, '.'))::text end,
                 'group', coalesce((
                   select jsonb_object_agg(d.key, event_text(e.data, string_to_array(substr(d.value, 3), '.')))
                     from jsonb_each_text(m.dimensions::jsonb) d), '{}')) order by m.place)
          from unnest(${meters.map(({ id }) => id)}::text[], ${column(aggregationOfEvents)}::text[],
                      ${column(({ valueProperty }) => valueProperty?.slice(2) ?? null)}::text[],
                      ${column(({ eventFrom }) => eventFrom)}::timestamptz[],
                      ${column(({ groupBy }) => JSON.stringify(groupBy ?? {}))}::text[])
               with ordinality as m (id, aggregation, path, event_from, dimensions, place)), '[]') as readings
      from event e join event_subject s on s.merchant_id = e.merchant_id and s.id = e.subject_id
     where e.merchant_id = ${event.merchantId} and e.seq = ${event.seq} and e.at = ${event.at}`);
  return {
    addressee,
    readings: readings.map(({ id, isInTime, value, group }) => {
      if (!isInTime) return { id, group, value: null, reason: 'BEFORE_EVENT_FROM' };
      return { id, group, value, reason: value === null ? 'NO_VALUE' : null };
    }),
  };
}

/**
 * Up to where a merchant's events have been accepted: those with a higher `seq` came later. Exact while the caller
 * holds the ingest lock exclusively, because `seq` is drawn under the shared one.
 */
export const selectUsageMark = async (tx: Tx): Promise<bigint> => {
  const { mark } = await tx.one<{ mark: bigint }>(sql`select ${lastSeq(tx.merchantId)} as mark`);
  return mark;
};
