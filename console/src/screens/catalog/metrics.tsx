import { useNavigate } from '@tanstack/react-router';
import type { BillableMetric } from '../../api/types.ts';
import { usePlace } from '../../frame/places.ts';
import { Ref } from '../../frame/to.tsx';
import { Deed } from '../../shape/deed.tsx';
import { type Column, List } from '../../shape/list.tsx';
import { Page } from '../../shape/page.tsx';
import { useProductFilter } from './product-filter.ts';

export const METRIC_FIELDS = ['name', 'productId', 'eventType', 'aggregation', 'valueProperty', 'unit', 'groupBy'];
export const METRIC_MORE = [
  'displayUnit.*',
  'description',
  'timeUnit',
  'percentile',
  'sampleWindow',
  'sampleAggregation',
  'eventFrom',
  'taxRate',
  'itemId',
];
export const METRIC_LABELS = {
  productId: 'Product',
  'displayUnit.per': 'Shown in so many units at once',
  'displayUnit.name': 'Name of that many units',
  eventType: 'Type of the events',
  valueProperty: 'Path of the value',
  groupBy: 'Dimensions (JSON: name and path)',
  timeUnit: 'Unit of time of TIME_WEIGHTED',
  percentile: 'Percentile of PERCENTILE',
  sampleWindow: 'Its windows',
  sampleAggregation: 'The figure of a window',
  eventFrom: 'Only events after',
  taxRate: 'Tax rate in percent',
  itemId: 'Item',
};

const VERBS: Readonly<Record<BillableMetric['aggregation'], string>> = {
  SUM: 'Adds up',
  COUNT: 'Counts',
  AVG: 'Takes the average of',
  MIN: 'Takes the smallest of',
  MAX: 'Takes the largest of',
  UNIQUE_COUNT: 'Counts the different values of',
  LATEST: 'Takes the last value of',
  TIME_WEIGHTED: 'Counts over time the level of',
  PERCENTILE: 'Adds up',
};

/**
 * What a metric counts: `Adds up tokens of the events tokens.used, by model`; of a percentile, what each window does
 * first.
 */
export function metricWords(metric: BillableMetric): string {
  const { eventType, valueProperty, groupBy, percentile, sampleWindow } = metric;
  const aggregation = metric.sampleAggregation ?? metric.aggregation;
  if (eventType === null) return 'Counts no event: it has no type of events yet.';
  const value = valueProperty?.replace(/^\$\./, '');
  const dimensions = Object.keys(groupBy ?? {});
  return [
    aggregation === 'COUNT'
      ? `Counts the events ${eventType}`
      : `${VERBS[aggregation]} ${value} ${aggregation === 'SUM' ? 'of' : 'in'} the events ${eventType}`,
    ...(percentile === null ? [] : [`at percentile ${percentile} of the windows of ${sampleWindow}`]),
    ...(dimensions.length > 0 ? [`by ${dimensions.join(' and ')}`] : []),
  ].join(', ');
}

/** The columns of metrics wherever they are listed. */
export const METRIC_COLUMNS = {
  name: { name: 'Name', cell: ({ id, name }) => <Ref id={id} name={name} />, value: ({ name }) => name },
  counts: { name: 'What it counts', cell: metricWords, value: metricWords },
  unit: { name: 'Unit', cell: ({ unit }) => unit || '—', value: ({ unit }) => unit },
  product: {
    name: 'Product',
    cell: ({ productId }) => <Ref id={productId} />,
    value: ({ productId }) => productId,
  },
} as const satisfies Record<string, Column<BillableMetric>>;

/** Every billable metric of the merchant. */
export function Metrics() {
  const navigate = useNavigate();
  const place = usePlace();
  const product = useProductFilter();
  const { name, counts, unit, product: productColumn } = METRIC_COLUMNS;
  return (
    <Page
      title="Metrics"
      actions={
        <Deed
          label="New metric"
          operation="POST /v0/billableMetrics"
          fields={METRIC_FIELDS}
          more={METRIC_MORE}
          labels={METRIC_LABELS}
          isPrimary
          done={({ id }) => void navigate({ to: place(`/catalog/metrics/${id}`) })}
        />
      }
    >
      <List
        operation="GET /v0/billableMetrics"
        file="metrics"
        rowKey={({ id }) => id}
        filters={[product, { name: 'eventType', label: 'Type of the events' }]}
        columns={[name, counts, unit, productColumn]}
        empty={{
          text: 'A metric counts usage: it says which events count, and what of them is added up. Prices bill its quantity.',
          example: {
            method: 'POST',
            path: '/v0/billableMetrics',
            body: {
              productId: 'prod_…',
              name: 'Messages',
              unit: 'message',
              aggregation: 'SUM',
              eventType: 'message.sent',
              valueProperty: '$.parts',
            },
          },
        }}
      />
    </Page>
  );
}
