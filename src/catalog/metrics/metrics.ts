import type { Tx } from '../../db/index.ts';
import { type PageRequest, validate } from '../../http/index.ts';
import { decimalOrNull, plain } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { type FieldError, fail, forbidden, invalid, notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant, instantOf, instantOrNull } from '../../kernel/time.ts';
import { isPercentile } from '../../metering/index.ts';
import { checkMeter } from '../meters/meter.ts';
import type { CatalogOptions } from '../options.ts';
import { resolveProduct } from '../product-of-item.ts';
import { isSame } from '../same.ts';
import { displayUnitIn, percentNumber, toDecimal } from '../words.ts';
import type { Metric } from './metric.ts';
import {
  insertMetric,
  isMetricPriced,
  lockMetric,
  type MetricChange,
  selectMetric,
  selectMetrics,
  updateMetric,
} from './metrics.sql.ts';
import { type MetricCreateBody, MetricsCreateBody, type MetricUpdateBody } from './schema.ts';

/** A metric as it is answered (§2). */
export const toMetricReply = (metric: Metric) => ({
  id: metric.id,
  object: 'billableMetric' as const,
  aggregation: metric.aggregation,
  name: metric.name,
  description: metric.description,
  unit: metric.unit,
  displayUnit: metric.displayUnit,
  merchantId: metric.merchantId,
  productId: metric.productId,
  itemId: metric.itemId,
  eventType: metric.eventType,
  valueProperty: metric.valueProperty,
  groupBy: metric.groupBy,
  timeUnit: metric.timeUnit ?? null,
  percentile: metric.percentile ? plain(metric.percentile) : null,
  sampleWindow: metric.sampleWindow ?? null,
  sampleAggregation: metric.sampleAggregation ?? null,
  eventFrom: metric.eventFrom && formatInstant(metric.eventFrom),
  taxRate: percentNumber(metric.taxRate) ?? null,
  createdAt: formatInstant(metric.createdAt),
  updatedAt: formatInstant(metric.updatedAt),
});
type MetricReply = ReturnType<typeof toMetricReply>;

/** Makes a metric by the rules of §4. */
export async function createMetric(
  tx: Tx,
  body: MetricCreateBody,
  now: Instant,
  { onMeterChanged }: CatalogOptions,
): Promise<Result<MetricReply>> {
  const meter = {
    aggregation: body.aggregation,
    valueProperty: body.valueProperty ?? null,
    timeUnit: body.timeUnit ?? null,
    percentile: decimalOrNull(body.percentile),
    sampleWindow: body.sampleWindow ?? null,
    sampleAggregation: body.sampleAggregation ?? (isPercentile(body) ? 'SUM' : null),
  };
  const errors = checkMeter(meter);
  if (errors.length > 0) return invalid(errors);
  const productId = await resolveProduct(tx, body);
  if (!productId.ok) return productId;
  const metric = await insertMetric(tx, {
    id: newId('billableMetric'),
    merchantId: tx.merchantId,
    productId: productId.value,
    itemId: body.itemId ?? null,
    name: body.name,
    description: body.description ?? '',
    unit: body.unit ?? '',
    displayUnit: displayUnitIn(body.displayUnit) ?? null,
    ...meter,
    eventType: body.eventType ?? null,
    groupBy: body.groupBy ?? null,
    eventFrom: instantOrNull(body.eventFrom),
    taxRate: decimalOrNull(body.taxRate),
    createdAt: now,
    updatedAt: now,
  });
  await onMeterChanged?.(tx, metric);
  return ok(toMetricReply(metric));
}

/**
 * Makes the metrics of one event type, all or none (commercial.md §12). The field of a fault begins with the place of
 * its metric in the list.
 */
export async function createMetrics(
  tx: Tx,
  body: MetricsCreateBody,
  now: Instant,
  options: CatalogOptions,
): Promise<Result<{ object: 'list'; data: MetricReply[] }>> {
  const faults = validate('body', MetricsCreateBody, body).map((each) => ({ ...each, field: placed(each.field) }));
  if (faults.length > 0) return invalid(faults);
  const [first] = body.metrics;
  const errors: FieldError[] = body.metrics.flatMap(({ eventType = null }, place) =>
    eventType !== null && eventType === first?.eventType
      ? []
      : [{ field: `${place}.eventType`, message: 'is required, and the same in each metric' }],
  );
  if (body.metrics.some(({ merchantId = tx.merchantId }) => merchantId !== tx.merchantId))
    return forbidden('This resource is not yours.');
  const data: MetricReply[] = [];
  for (const [place, metric] of body.metrics.entries()) {
    const made = await createMetric(tx, metric, now, options);
    if (made.ok) data.push(made.value);
    else if (made.refusal.kind === 'validation')
      errors.push(...made.refusal.errors.map((error) => ({ ...error, field: `${place}.${error.field}` })));
    else return made;
  }
  return errors.length === 0 ? ok({ object: 'list', data }) : invalid(errors);
}

const placed = (field: string): string => field.replace(/^metrics\.(?=\d)/, '');

/** Metrics of one merchant, or (null, for operators) of all, newest first. */
export async function listMetrics(
  tx: Tx,
  merchantId: string | null,
  filter: { productId?: string; itemId?: string; eventType?: string },
  page: PageRequest,
) {
  const { rows, total } = await selectMetrics(tx, merchantId, filter, page);
  return { data: rows.map(toMetricReply), total };
}

/** One metric; 404. */
export async function getMetric(tx: Tx, id: string): Promise<Result<MetricReply>> {
  const metric = await selectMetric(tx, id);
  return metric ? ok(toMetricReply(metric)) : notFound('billable metric');
}

/**
 * Changes what the body names, under the rules of §4. Once the metric is priced, its names, unit and tax rate can still
 * change; what it measures and where it belongs cannot, because invoices stand on it: `METRIC_IN_USE`.
 */
export async function changeMetric(
  tx: Tx,
  id: string,
  body: MetricUpdateBody,
  now: Instant,
  { onMeterChanged, isMeasured }: CatalogOptions,
): Promise<Result<MetricReply>> {
  const metric = await lockMetric(tx, id);
  if (!metric) return notFound('billable metric');
  const change: MetricChange = changeOf(body, metric);
  const errors = checkMeter({ ...metric, ...change });
  if (errors.length > 0) return invalid(errors);
  if (body.itemId !== undefined || body.productId !== undefined) {
    const itemId = body.itemId === undefined ? metric.itemId : body.itemId;
    const placed = body.productId ?? (body.itemId ? undefined : metric.productId); // an item's catalog decides alone
    const productId = await resolveProduct(tx, { itemId, productId: placed });
    if (!productId.ok) return productId;
    Object.assign(change, { productId: productId.value, itemId });
  }
  const held = HELD_BY_PRICES.filter((field) => change[field] !== undefined && !isSame(metric[field], change[field]));
  if (held.length > 0) {
    const isInUse = (await isMetricPriced(tx, id)) || (await isMeasured?.(tx, id));
    if (isInUse) return fail('METRIC_IN_USE', { fields: held });
  }
  const changed = await updateMetric(tx, id, change, now);
  if (held.length > 0) await onMeterChanged?.(tx, changed);
  return ok(toMetricReply(changed));
}

const HELD_BY_PRICES = [
  'aggregation',
  'eventType',
  'valueProperty',
  'groupBy',
  'timeUnit',
  'percentile',
  'sampleWindow',
  'sampleAggregation',
  'eventFrom',
  'productId',
] as const;

const changeOf = (body: MetricUpdateBody, metric: Metric): MetricChange => {
  const { name, description, unit, displayUnit, aggregation, eventType, valueProperty, groupBy, timeUnit } = body;
  const sampleAggregation = (body.sampleAggregation === undefined ? metric : body).sampleAggregation ?? 'SUM';
  const given = {
    name,
    description,
    unit,
    displayUnit: displayUnitIn(displayUnit),
    aggregation,
    eventType,
    valueProperty,
    groupBy,
    timeUnit,
    percentile: toDecimal(body.percentile),
    sampleWindow: body.sampleWindow,
    sampleAggregation: isPercentile({ ...metric, ...body }) ? sampleAggregation : body.sampleAggregation,
    eventFrom: body.eventFrom && instantOf(body.eventFrom),
    taxRate: toDecimal(body.taxRate),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
};
