import {
  DecimalOut,
  type FieldWords,
  Id,
  ListQuery,
  Name,
  Nullable,
  type Static,
  Strict,
  Text,
  TextsOut,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { DisplayUnitReply } from '../../invoicing/rating/index.ts';
import {
  AggregationWord,
  GroupBy,
  JsonPath,
  PercentileText,
  SampleAggregationWord,
  SampleWindowWord,
  TimeUnitWord,
} from '../meters/meter.ts';
import { DISPLAY_UNIT, DisplayUnitBody, EventType, Percent, PercentOut } from '../words.ts';

const METRIC_FIELDS: FieldWords = {
  name: ['The name of the metric, 1 to 255 characters.', 'Tokens'],
  description: ['The description of the metric, in your own words. Default: empty.', 'Generated tokens'],
  unit: ['The name of one unit on invoices. Default: empty.', 'token'],
  displayUnit: DISPLAY_UNIT,
  aggregation:
    'The quantity of a period: `SUM`, `AVG`, `MIN` and `MAX` of the values, the number of events ' +
    '(`COUNT`) or of different values (`UNIQUE_COUNT`), the `LATEST` value, that value over time ' +
    '(`TIME_WEIGHTED`), or a `PERCENTILE` of the figures of many windows.',
  timeUnit: [
    'Of `TIME_WEIGHTED`, which needs it: the value counts in `hour`s or `day`s that it holds, or on the average of a ' +
      '`period`. Null: of another aggregation.',
    'hour',
  ],
  percentile: [
    'Of `PERCENTILE`, which needs it: above 0, up to 100. Of N windows it is the ⌈percentile × N ÷ 100⌉-th from below. ' +
      'Null: of another aggregation.',
    '95',
  ],
  sampleWindow: [
    'Of `PERCENTILE`, which needs it: the length of a window. Windows lie in UTC, clipped to the period; one without ' +
      'events is 0. Null: of another aggregation.',
    'PT5M',
  ],
  sampleAggregation: ['Of `PERCENTILE`: the figure of a window. Default: `SUM`. Null: of another aggregation.', 'SUM'],
  eventType: ['The `type` of the events that count. Null: no event counts.', 'api.called'],
  valueProperty: [
    'The path of the value in the `data` of an event. Required for each aggregation but `COUNT`; null ' +
      'where there is none.',
    '$.tokens',
  ],
  groupBy: ['The dimensions of usage: names with paths in the `data` of an event. Null: none.', { model: '$.model' }],
  itemId: 'The item that the metric measures. Null: none. With an item, the product is the one of the item.',
  productId: 'The product of the metric. A creation needs it unless it names an item.',
  eventFrom: 'Only events after this time count. Null: all events count.',
  taxRate: ['The tax rate in percent: 20 is 20 %. The rate of a price comes first. Null: no rate of its own.', 20],
};

const METRIC_FILTERS: FieldWords = {
  eventType: 'Only metrics that count events of this type.',
};

export const MetricReply = Type.Object(
  {
    id: Id('billableMetric'),
    object: Type.Literal('billableMetric'),
    aggregation: AggregationWord,
    name: Type.String(),
    description: Type.String(),
    unit: Type.String(),
    displayUnit: Nullable(DisplayUnitReply),
    merchantId: Id('organization'),
    productId: Id('product'),
    itemId: Nullable(Id('item')),
    eventType: Nullable(Type.String()),
    valueProperty: Nullable(Type.String()),
    groupBy: Nullable(TextsOut),
    timeUnit: Nullable(TimeUnitWord),
    percentile: Nullable(DecimalOut),
    sampleWindow: Nullable(SampleWindowWord),
    sampleAggregation: Nullable(SampleAggregationWord),
    eventFrom: Nullable(Timestamp),
    taxRate: Nullable(PercentOut),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'BillableMetric',
    description: 'A measure of usage that prices can bill: which events count, and how.',
    'x-fields': METRIC_FIELDS,
  },
);

const fields = {
  name: Name,
  description: Type.Optional(Text()),
  unit: Type.Optional(Text({ maxLength: 255 })),
  displayUnit: Type.Optional(Nullable(DisplayUnitBody)),
  aggregation: AggregationWord,
  productId: Type.Optional(Id('product')),
  itemId: Type.Optional(Nullable(Id('item'))),
  eventType: Type.Optional(Nullable(EventType)),
  valueProperty: Type.Optional(Nullable(JsonPath)),
  groupBy: Type.Optional(Nullable(GroupBy)),
  timeUnit: Type.Optional(Nullable(TimeUnitWord)),
  percentile: Type.Optional(Nullable(PercentileText)),
  sampleWindow: Type.Optional(Nullable(SampleWindowWord)),
  sampleAggregation: Type.Optional(Nullable(SampleAggregationWord)),
  eventFrom: Type.Optional(Nullable(Timestamp)),
  taxRate: Type.Optional(Nullable(Percent)),
};

export const MetricCreateBody = Strict(
  { ...fields, merchantId: Type.Optional(Id('organization')) },
  {
    $id: 'BillableMetricCreate',
    'x-fields': METRIC_FIELDS,
    examples: [
      {
        name: 'Tokens',
        unit: 'token',
        aggregation: 'SUM',
        eventType: 'tokens.used',
        valueProperty: '$.tokens',
        groupBy: { model: '$.model' },
        productId: 'prod_8c3d5e0f1a2b4c6d',
      },
    ],
  },
);
export type MetricCreateBody = Static<typeof MetricCreateBody>;

const MOST_AT_ONCE = 100;

/** Metrics of one event type, made together. */
export const MetricsCreateBody = Strict(
  {
    metrics: Type.Array(MetricCreateBody, { minItems: 1, maxItems: MOST_AT_ONCE }),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'BillableMetricsCreate',
    'x-fields': { metrics: 'The metrics, 1 to 100, all of one `eventType`.' },
    examples: [
      {
        metrics: ['input', 'output'].map((kind) => ({
          name: `Tokens, ${kind}`,
          unit: 'token',
          aggregation: 'SUM',
          eventType: 'llm.request',
          valueProperty: `$.${kind}`,
          productId: 'prod_8c3d5e0f1a2b4c6d',
        })),
      },
    ],
  },
);
export type MetricsCreateBody = Static<typeof MetricsCreateBody>;

export const MetricsReply = Type.Object(
  { object: Type.Literal('list'), data: Type.Array(MetricReply) },
  {
    $id: 'BillableMetrics',
    description: 'Metrics that were created together.',
    'x-fields': {
      object: 'The name of the type: a list.',
      data: 'The metrics, in the order in which they were sent.',
    },
  },
);

export const MetricUpdateBody = Strict(
  { ...fields, name: Type.Optional(Name), aggregation: Type.Optional(AggregationWord) },
  {
    $id: 'BillableMetricUpdate',
    'x-fields': METRIC_FIELDS,
    examples: [{ name: 'Tokens', description: 'Generated tokens' }],
  },
);
export type MetricUpdateBody = Static<typeof MetricUpdateBody>;

export const MetricListQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    productId: Type.Optional(Id('product')),
    itemId: Type.Optional(Id('item')),
    eventType: Type.Optional(EventType),
  },
  { fields: METRIC_FILTERS },
);
