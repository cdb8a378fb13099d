import { allOf, assignments, insertion, jsonb, pageOfRows, type Sql, sql, type Tx, withJsonb } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { equals, FOR_UPDATE, ofMerchant, UNLOCKED } from '../scope.sql.ts';
import type { Metric } from './metric.ts';

const COLUMNS = sql`id, merchant_id, product_id, item_id, name, description, unit,
  display_unit, aggregation, event_type, value_property, group_by, time_unit,
  percentile, sample_window, sample_aggregation, event_from, tax_rate, created_at, updated_at`;

export const insertMetric = (tx: Tx, metric: Metric) =>
  tx.one<Metric>(
    sql`${insertion('billable_metric', withJsonb(metric, 'groupBy', 'displayUnit'), COLUMNS)} returning ${COLUMNS}`,
  );

const selectOne = (tx: Tx, id: string, lock: Sql) =>
  tx.maybe<Metric>(sql`
    select ${COLUMNS} from billable_metric where merchant_id = ${tx.merchantId} and id = ${id} ${lock}`);

export const selectMetric = (tx: Tx, id: string) => selectOne(tx, id, UNLOCKED);
export const lockMetric = (tx: Tx, id: string) => selectOne(tx, id, FOR_UPDATE);
/** Locks the metrics against changes: a price needs the present meters. In id order, against deadlocks. */
export const lockMetricsShared = (tx: Tx, ids: readonly string[]) =>
  tx.rows<Metric>(sql`
    select ${COLUMNS} from billable_metric
     where merchant_id = ${tx.merchantId} and id = any(${[...ids]}) order by id for share`);

export const selectMetricsById = async (tx: Tx, merchantIds: readonly string[], ids: readonly string[]) =>
  ids.length === 0
    ? []
    : tx.rows<Metric>(sql`
        select ${COLUMNS} from billable_metric where merchant_id = any(${[...merchantIds]}) and id = any(${[...ids]})`);

export const selectMetricsByEventType = (tx: Tx, eventTypes: readonly string[]) =>
  tx.rows<Metric>(sql`
    select ${COLUMNS} from billable_metric
     where merchant_id = ${tx.merchantId} and event_type = any(${[...eventTypes]}) order by seq`);

export const selectMetrics = (
  tx: Tx,
  merchantId: string | null,
  filter: { productId?: string | undefined; itemId?: string | undefined; eventType?: string | undefined },
  page: PageRequest,
) =>
  pageOfRows<Metric>(
    tx,
    {
      kind: 'billableMetric',
      select: COLUMNS,
      from: sql`billable_metric`,
      where: allOf([
        ofMerchant(merchantId),
        equals('product_id', filter.productId),
        equals('item_id', filter.itemId),
        equals('event_type', filter.eventType),
      ]),
    },
    page,
  );

/** The fields that a change may set; absent fields stay unchanged. */
export type MetricChange = Partial<Omit<Metric, 'id' | 'merchantId' | 'createdAt' | 'updatedAt'>>;

export const updateMetric = (tx: Tx, id: string, change: MetricChange, now: Instant) =>
  tx.one<Metric>(sql`
    update billable_metric set ${assignments({
      productId: change.productId,
      itemId: change.itemId,
      name: change.name,
      description: change.description,
      unit: change.unit,
      displayUnit: change.displayUnit && jsonb(change.displayUnit),
      aggregation: change.aggregation,
      eventType: change.eventType,
      valueProperty: change.valueProperty,
      groupBy: change.groupBy && jsonb(change.groupBy),
      timeUnit: change.timeUnit,
      percentile: change.percentile,
      sampleWindow: change.sampleWindow,
      sampleAggregation: change.sampleAggregation,
      eventFrom: change.eventFrom,
      taxRate: change.taxRate,
      updatedAt: now,
    })}
     where merchant_id = ${tx.merchantId} and id = ${id}
    returning ${COLUMNS}`);

/**
 * Does a price use the metric, by charging for it or by a feature that it measures? Deleted prices count, too: an
 * archived version may still bill by them.
 */
export const isMetricPriced = async (tx: Tx, id: string): Promise<boolean> => {
  const { isPriced } = await tx.one<{ isPriced: boolean }>(sql`
    select exists (select from price where merchant_id = ${tx.merchantId} and billable_metric_id = ${id})
        or exists (select from price_feature
                    where merchant_id = ${tx.merchantId}
                      and entitlement_template -> 'billableMetricIds' ? ${id}) as is_priced`);
  return isPriced;
};
