import { sql, type Tx } from '../../db/index.ts';
import type { Meter, OwnedMeter } from '../../metering/index.ts';

/** The meters of all metrics and living costs of a merchant (null: of every merchant) that events can match. */
export async function selectMeters(tx: Tx, merchantId: string | null): Promise<OwnedMeter[]> {
  const owned = merchantId === null ? sql`true` : sql`merchant_id = ${merchantId}`;
  const rows = await tx.rows<Meter & { id: string; merchantId: string }>(sql`
    select id, merchant_id, event_type, aggregation, value_property,
           group_by, time_unit, percentile, sample_window, sample_aggregation, event_from
      from billable_metric where event_type is not null and ${owned}
    union all
    select id, merchant_id, event_type, aggregation, value_property, group_by, time_unit, null, null, null, null
      from cost where event_type is not null and deleted_at is null and ${owned}`);
  return rows.map(({ id, merchantId: owner, ...meter }) => ({ id, merchantId: owner, meter }));
}

/** A metric by its meter. */
export interface MeteredMetric {
  readonly id: string;
  readonly name: string;
  readonly meter: Meter;
}

/** The metrics of a merchant that events can match, oldest first. */
export async function selectMeteredMetrics(tx: Tx): Promise<MeteredMetric[]> {
  const rows = await tx.rows<Meter & { id: string; name: string }>(sql`
    select id, name, event_type, aggregation, value_property, group_by, time_unit,
           percentile, sample_window, sample_aggregation, event_from
      from billable_metric where merchant_id = ${tx.merchantId} and event_type is not null order by seq`);
  return rows.map(({ id, name, ...meter }) => ({ id, name, meter }));
}
