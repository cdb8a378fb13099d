import type { Tx } from '../../db/index.ts';
import { normaliseCadence } from '../../kernel/time.ts';
import { isPercentile } from '../../metering/index.ts';
import { type Fee, selectFeesById } from '../fees/fees.sql.ts';
import type { Meter } from '../meters/meter.ts';
import type { Metric } from '../metrics/metric.ts';
import { selectMetricsById } from '../metrics/metrics.sql.ts';
import type { Price } from './price.ts';

/** The subject of a usage price: the meter, and its name on a line. */
export interface PricedMetric
  extends Pick<Metric, 'id' | 'productId' | 'itemId' | 'name' | 'description' | 'unit' | 'displayUnit' | 'taxRate'> {
  readonly meter: Meter;
}

/** A price with everything that rating and an invoice line need. */
export interface CatalogPrice extends Price {
  /** Normalised (P12M = P1Y), so that cadences compare as texts; null: the plan's. */
  readonly billingCadence: string | null;
  readonly metric: PricedMetric | null;
  readonly fee: Pick<Fee, 'id' | 'productId' | 'itemId' | 'name' | 'description'> | null;
  /** The item that the metric or the fee is tagged with. */
  readonly itemId: string | null;
}

const pricedMetric = ({
  id,
  productId,
  itemId,
  name,
  description,
  unit,
  displayUnit,
  taxRate,
  ...meter
}: Metric): PricedMetric => ({
  id,
  productId,
  itemId,
  name,
  description,
  unit,
  displayUnit,
  taxRate,
  meter: {
    eventType: meter.eventType,
    aggregation: meter.aggregation,
    valueProperty: meter.valueProperty,
    groupBy: meter.groupBy,
    ...(meter.timeUnit && { timeUnit: meter.timeUnit }),
    ...(isPercentile(meter) && {
      percentile: meter.percentile,
      sampleWindow: meter.sampleWindow,
      sampleAggregation: meter.sampleAggregation,
    }),
    eventFrom: meter.eventFrom,
  },
});

/** Prices of one merchant with the metrics and fees that they are for, in their order. */
export async function withWhatTheyPrice(tx: Tx, prices: readonly Price[]): Promise<CatalogPrice[]> {
  const idsOf = (key: 'billableMetricId' | 'feeId') => prices.map((price) => price[key]).filter((id) => id !== null);
  const metrics = new Map(
    (await selectMetricsById(tx, [tx.merchantId], idsOf('billableMetricId'))).map((m) => [m.id, m]),
  );
  const fees = new Map((await selectFeesById(tx, [tx.merchantId], idsOf('feeId'))).map((fee) => [fee.id, fee]));
  return prices.map((price) => {
    const metric = metrics.get(price.billableMetricId ?? '');
    const fee = fees.get(price.feeId ?? '') ?? null;
    return {
      ...price,
      billingCadence: price.billingCadence && normaliseCadence(price.billingCadence),
      metric: metric ? pricedMetric(metric) : null,
      fee,
      itemId: metric?.itemId ?? fee?.itemId ?? null,
    };
  });
}
