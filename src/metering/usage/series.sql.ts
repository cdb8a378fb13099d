import { sql, type Tx } from '../../db/index.ts';
import type { SeriesSpec } from '../meter/series-spec.ts';

/** A series by its content. */
export const contentOf = ({ kind, path, dimensions }: SeriesSpec): string => JSON.stringify([kind, path, dimensions]);

export interface SeriesRow {
  readonly id: bigint;
  readonly isReady: boolean;
}

export const selectSeries = (tx: Tx, merchantId: string, spec: SeriesSpec): Promise<SeriesRow | undefined> =>
  tx.maybe<SeriesRow>(sql`
    select id, is_ready from usage_series
     where merchant_id = ${merchantId} and event_type = ${spec.eventType} and content = text_hash(${contentOf(spec)})`);

/**
 * The same, and it is not given up before the end of the transaction. During the end of a series this waits, and finds
 * it missing.
 */
export const lockSeriesShared = (tx: Tx, merchantId: string, spec: SeriesSpec): Promise<SeriesRow | undefined> =>
  tx.maybe<SeriesRow>(sql`
    select id, is_ready from usage_series
     where merchant_id = ${merchantId} and event_type = ${spec.eventType} and content = text_hash(${contentOf(spec)})
       for key share`);

/** The caller holds the merchant's ingest lock exclusively: the last event is the last one before the series. */
export const insertSeries = (tx: Tx, merchantId: string, spec: SeriesSpec): Promise<number> =>
  tx.run(sql`
    insert into usage_series (merchant_id, event_type, kind, path, dimensions, content, boundary, is_ready)
    select ${merchantId}, ${spec.eventType}, ${spec.kind}, ${spec.path}, ${spec.dimensions}::text[],
      text_hash(${contentOf(spec)}),
           coalesce((select max(seq) from event where merchant_id = ${merchantId}), 0),
           not exists (select from event where merchant_id = ${merchantId} and type = ${spec.eventType})
        on conflict do nothing`);

export const selectPendingSeries = (tx: Tx): Promise<{ merchantId: string; id: bigint }[]> =>
  tx.rows<{ merchantId: string; id: bigint }>(sql`
    select merchant_id, id from usage_series where not is_ready order by merchant_id, id`);

/** @returns whether there are more events to add */
export async function backfillSeries(tx: Tx, merchantId: string, id: bigint, most: number): Promise<boolean> {
  const { hasMore } = await tx.one<{ hasMore: boolean }>(
    sql`select backfill_series(${merchantId}, ${id}, ${most}) as has_more`,
  );
  return hasMore;
}

export async function deleteRollupsOfMerchant(tx: Tx, merchantId: string): Promise<void> {
  await tx.run(sql`delete from usage_rollup where merchant_id = ${merchantId}`);
  await tx.run(sql`delete from usage_value where merchant_id = ${merchantId}`);
  await tx.run(sql`
    update usage_series
       set is_ready = false, done = 0, boundary = coalesce((select max(seq) from event
                                                            where merchant_id = ${merchantId}), 0)
     where merchant_id = ${merchantId}`);
}

export interface OwnedSeries extends SeriesSpec {
  readonly merchantId: string;
  readonly id: bigint;
}

const OWNED_SERIES = sql`merchant_id, id, event_type, kind, path, dimensions`;

/** All series of the next merchants that have any, in the order of their ids. */
export const selectSeriesOfMerchants = (tx: Tx, after: string, merchants: number): Promise<OwnedSeries[]> =>
  tx.rows<OwnedSeries>(sql`
    select ${OWNED_SERIES} from usage_series
     where merchant_id in (
       select distinct merchant_id from usage_series where merchant_id > ${after} order by merchant_id
         limit ${merchants})
     order by merchant_id, id`);

/** Locks series of a merchant, in the order of their ids. @returns those that are still there */
export const lockSeries = (tx: Tx, merchantId: string, ids: readonly bigint[]): Promise<OwnedSeries[]> =>
  tx.rows<OwnedSeries>(sql`
    select ${OWNED_SERIES} from usage_series
     where merchant_id = ${merchantId} and id = any (${ids}::bigint[]) order by id for update`);

/** Nothing is added up for them any more, and their sums wait to be deleted. */
export const deleteSeries = (tx: Tx, merchantId: string, ids: readonly bigint[]): Promise<number> =>
  tx.run(sql`
    with given_up as (
      delete from usage_series where merchant_id = ${merchantId} and id = any (${ids}::bigint[])
        returning merchant_id, id)
    insert into usage_series_dropped (merchant_id, series_id) select merchant_id, id from given_up`);

export const selectDroppedSeries = (tx: Tx): Promise<{ merchantId: string; id: bigint }[]> =>
  tx.rows<{ merchantId: string; id: bigint }>(sql`
    select merchant_id, series_id as id from usage_series_dropped order by merchant_id, series_id`);

/**
 * Deletes some of the sums of an abandoned series. @returns whether there are more; false if another process deletes
 * them
 */
export async function deleteRollups(tx: Tx, merchantId: string, id: bigint, most: number): Promise<boolean> {
  const isOurs = await tx.maybe(sql`
    select 1 from usage_series_dropped where merchant_id = ${merchantId} and series_id = ${id} for update skip locked`);
  if (isOurs === undefined) return false;
  const ofSeries = sql`merchant_id = ${merchantId} and series_id = ${id}`;
  const deleted =
    (await tx.run(sql`
      delete from usage_rollup where ${ofSeries} and (subject_id, hour, group_hash, lane) in (
        select subject_id, hour, group_hash, lane from usage_rollup where ${ofSeries} limit ${most})`)) +
    (await tx.run(sql`
      delete from usage_value where ${ofSeries} and (subject_id, hour, group_hash, value_hash) in (
        select subject_id, hour, group_hash, value_hash from usage_value where ${ofSeries} limit ${most})`));
  if (deleted > 0) return true;
  await tx.run(sql`delete from usage_series_dropped where merchant_id = ${merchantId} and series_id = ${id}`);
  return false;
}
