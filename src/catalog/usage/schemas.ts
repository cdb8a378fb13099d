import {
  Id,
  ListQuery,
  MapOut,
  Nullable,
  NumberOut,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { WINDOW_SIZES } from '../../metering/index.ts';

/** Comma-separated, repeated, or both. */
const Dimensions = Type.Union([Text(), Type.Array(Text())]);
const FilterGroupBy = Text({
  description: 'A JSON object of dimensions and lists of their values; null stands for a missing value.',
});

/** As long as an event can name it. */
const OutsideName = Text({ maxLength: 255 });

const Range = { from: Timestamp, to: Timestamp };

/** `groups`: the values of the dimensions asked for; null where events have none. */
const Figures = Type.Object({ windowStart: Timestamp, windowEnd: Timestamp, value: NumberOut });

export const MeterQuery = Strict({
  ...Range,
  subject: Type.Optional(OutsideName),
  windowSize: Type.Optional(OneOf(WINDOW_SIZES)),
  groupBy: Type.Optional(Dimensions),
  filterGroupBy: Type.Optional(FilterGroupBy),
  groupLimit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
  groupOffset: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0 })),
});
export type MeterQuery = Static<typeof MeterQuery>;

/** The figures of a meter. */
export const MeterOut = Type.Object(
  {
    object: Type.Literal('meter'),
    billableMetricId: Id('billableMetric'),
    totalValue: NumberOut,
    windowedValues: Type.Optional(Type.Array(Figures)),
    groupedValues: Type.Optional(
      Type.Array(Type.Object({ groupBy: MapOut, value: NumberOut, eventCount: Type.Integer() })),
    ),
    groupCount: Type.Optional(Type.Integer()),
  },
  { $id: 'UsageResponse' },
);

export const MetricEventsQuery = ListQuery(
  {
    ...Range,
    subject: Type.Optional(OutsideName),
    externalSubject: Type.Optional(OutsideName),
    externalId: Type.Optional(OutsideName),
  },
  { limit: 20 },
);
export type MetricEventsQuery = Static<typeof MetricEventsQuery>;

const MeterEventOut = Type.Object(
  {
    id: Id('event'),
    object: Type.Literal('meterEvent'),
    type: Type.String(),
    source: Type.String(),
    subject: Type.Optional(Type.String()),
    time: Timestamp,
    idempotencyKey: Type.String(),
    data: MapOut,
    externalId: Type.Optional(Type.String()),
    externalSubject: Type.Optional(Type.String()),
  },
  { $id: 'MeterEvent' },
);

/** The list envelope, with `events` as a second name of `data` (api.md, Catalog). */
export const MetricEventsOut = Type.Object(
  {
    object: Type.Literal('list'),
    billableMetricId: Id('billableMetric'),
    data: Type.Array(MeterEventOut),
    events: Type.Array(MeterEventOut),
    pagination: Type.Object({ limit: Type.Integer(), offset: Type.Integer(), total: Type.Integer() }),
  },
  { $id: 'MetricEvents' },
);

export const CostSummaryQuery = Strict({
  ...Range,
  subject: Type.Optional(OutsideName),
  groupBy: Type.Optional(Dimensions),
  window: Type.Optional(OneOf(['MINUTE', 'HOUR', 'DAY'])),
  filterGroupBy: Type.Optional(FilterGroupBy),
});
export type CostSummaryQuery = Static<typeof CostSummaryQuery>;

/** What the usage of a cost comes to. */
export const CostSummaryOut = Type.Object(
  {
    object: Type.Literal('cost'),
    id: Id('cost'),
    name: Type.String(),
    type: Type.Literal('metered'),
    currency: Type.String(),
    eventType: Type.Optional(Type.String()),
    totalCost: Nullable(Type.String()),
    totalQuantity: Nullable(NumberOut),
    groups: Type.Optional(Type.Array(Type.Object({ dimensions: MapOut, quantity: NumberOut, cost: Type.String() }))),
    timeSeries: Type.Optional(
      Type.Array(
        Type.Object({ windowStart: Timestamp, windowEnd: Timestamp, quantity: NumberOut, cost: Type.String() }),
      ),
    ),
  },
  { $id: 'CostUsageResponse' },
);

export const CostReportQuery = Strict({
  ...Range,
  merchantId: Type.Optional(Id('organization')),
  groupBy: Text({ minLength: 1, description: '`cost`, `customer`, or a dimension of the costs.' }),
  costId: Type.Optional(Id('cost')),
  subject: Type.Optional(OutsideName),
  filterGroupBy: Type.Optional(FilterGroupBy),
  topN: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 25,
      description: 'Groups that stand alone; by default 9, and all with `limit` or `offset`.',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Groups of this page; by default 10.' })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
  comparePriorPeriod: Type.Optional(Type.Boolean({ default: false })),
  windowSize: Type.Optional(Type.Unsafe<'HOUR' | 'DAY' | 'MONTH'>({ enum: ['HOUR', 'DAY', 'MONTH'], default: 'DAY' })),
  sort: Type.Optional(
    Type.Unsafe<'totalCost' | 'totalQuantity'>({ enum: ['totalCost', 'totalQuantity'], default: 'totalCost' }),
  ),
  sortDir: Type.Optional(Type.Unsafe<'asc' | 'desc'>({ enum: ['asc', 'desc'], default: 'desc' })),
  currency: Type.Optional(Type.String({ format: 'currency' })),
});
export type CostReportQuery = Static<typeof CostReportQuery>;

/** A group of the cost report. */
const CostReportGroup = Type.Object(
  {
    key: Type.String(),
    label: Type.String(),
    totalCost: Type.String(),
    totalQuantity: NumberOut,
    unit: Nullable(Type.String()),
    percentOfTotal: NumberOut,
    priorPeriod: Nullable(Type.Object({ cost: Type.String(), changePercent: Nullable(NumberOut) })),
    isOther: Type.Boolean(),
  },
  { $id: 'CostReportGroup' },
);

/** The cost report. */
export const CostReportOut = Type.Object(
  {
    object: Type.Literal('cost_report'),
    currency: Type.String(),
    period: Type.Object({ from: Timestamp, to: Timestamp }),
    groupBy: Type.String(),
    totalCost: Type.String(),
    totalQuantity: NumberOut,
    groups: Type.Array(CostReportGroup),
    timeSeries: Type.Array(Type.Object({ windowStart: Timestamp, windowEnd: Timestamp, groups: MapOut })),
    availableDimensions: Type.Array(Type.String()),
    warnings: Type.Array(Type.String()),
    pagination: Type.Object({ total: Type.Integer(), limit: Type.Integer(), offset: Type.Integer() }),
  },
  { $id: 'CostReport' },
);
