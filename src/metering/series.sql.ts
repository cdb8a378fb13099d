import { sql, type Tx } from '../db/index.ts';
import type { SeriesSpec } from './series-spec.ts';

/** A series by its content. */
export const contentOf = ({ kind, path, dimensions }: SeriesSpec): string => JSON.stringify([kind, path, dimensions]);

export interface SeriesRow {
  readonly id: bigint;
  readonly isReady: boolean;
}

export const findSeries = (tx: Tx, merchantId: string, spec: SeriesSpec): Promise<SeriesRow | undefined> =>
  tx.maybe<SeriesRow>(sql`
    select id, is_ready as "isReady" from usage_series
     where merchant_id = ${merchantId} and event_type = ${spec.eventType} and content = text_hash(${contentOf(spec)})`);

/** The caller holds the merchant's ingest lock exclusively: the last event is the last one before the series. */
export const insertSeries = (tx: Tx, merchantId: string, spec: SeriesSpec): Promise<number> =>
  tx.run(sql`
    insert into usage_series (merchant_id, event_type, kind, path, dimensions, content, boundary, is_ready)
    select ${merchantId}, ${spec.eventType}, ${spec.kind}, ${spec.path}, ${spec.dimensions}::text[], text_hash(${contentOf(spec)}),
           coalesce((select max(seq) from event where merchant_id = ${merchantId}), 0),
           not exists (select from event where merchant_id = ${merchantId} and type = ${spec.eventType})
        on conflict do nothing`);

export const pendingSeries = (tx: Tx): Promise<{ merchantId: string; id: bigint }[]> =>
  tx.rows<{ merchantId: string; id: bigint }>(sql`
    select merchant_id as "merchantId", id from usage_series where not is_ready order by merchant_id, id`);

/** @returns whether there are more events to add */
export async function backfillSeries(tx: Tx, merchantId: string, id: bigint, most: number): Promise<boolean> {
  const { hasMore } = await tx.one<{ hasMore: boolean }>(
    sql`select backfill_series(${merchantId}, ${id}, ${most}) as "hasMore"`,
  );
  return hasMore;
}

export async function forgetRollups(tx: Tx, merchantId: string): Promise<void> {
  await tx.run(sql`delete from usage_rollup where merchant_id = ${merchantId}`);
  await tx.run(sql`delete from usage_value where merchant_id = ${merchantId}`);
  await tx.run(sql`
    update usage_series
       set is_ready = false, done = 0, boundary = coalesce((select max(seq) from event where merchant_id = ${merchantId}), 0)
     where merchant_id = ${merchantId}`);
}
