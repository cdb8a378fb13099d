import {
  type CompactForms,
  DecimalOut,
  type FieldWords,
  GroupOut,
  Id,
  ListQuery,
  MapOut,
  Nullable,
  NumberOut,
  OneOf,
  Pagination,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { WINDOW_SIZES } from '../../metering/index.ts';

const USAGE_FILTERS: FieldWords = {
  from: 'The beginning of the time, inclusive.',
  to: 'The end of the time, exclusive.',
  subject: 'Only usage of this customer or subscription.',
  externalSubject: 'Only events that named the customer by this `externalSubject`.',
  externalId: 'Only events with this id of your own.',
  windowSize: 'Adds the usage of each window of this size, in UTC. At most 10,000 windows.',
  window: 'Adds the usage of each window of this size, in UTC. At most 10,000 windows.',
  groupBy: 'Adds the usage by these dimensions: names with commas between them.',
  filterGroupBy:
    'Only usage with these values: a JSON object of dimensions with a value or a list of values. Null in a list stands ' +
    'for a missing value.',
  groupLimit: 'How many groups are answered at most.',
  groupOffset: 'How many groups come before those that are answered.',
};

const REPORT_FILTERS: FieldWords = {
  ...USAGE_FILTERS,
  merchantId: 'The merchant of the costs. Default: your own organization; an operator must send it.',
  groupBy: '`cost`, `customer`, or a dimension of the costs.',
  costId: 'Only this cost.',
  topN: 'The number of separate groups; the others are added up as one. Default: 9, and all with `limit` or `offset`.',
  limit: 'How many groups the page has at most. Default: 10.',
  offset: 'How many groups come before the page. Default: 0.',
  comparePriorPeriod: '`true`: each group is compared with the time of the same length before.',
  windowSize:
    'The size of the windows of the series, in UTC. Default: `DAY`, and `MONTH` above 1,000 days. At most 10,000 ' +
    'figures: windows times the groups in the answer.',
  sort: 'The figure by which the groups are sorted.',
  sortDir: '`desc`: the largest first. `asc`: the smallest first.',
  currency: 'Only costs in this currency: an ISO 4217 code. Default: the one of most costs.',
};

const USAGE_FIELDS: FieldWords = {
  totalValue: ['The usage of the whole time.', 2300.5],
  windowedValues: 'The usage of each window, where `windowSize` was sent. A window without events is left out.',
  windowStart: 'The beginning of the window, inclusive.',
  windowEnd: ['The end of the window, exclusive.', '2026-03-02T00:00:00Z'],
  value: ['The usage.', 2300.5],
  groupedValues: 'The usage of each group, where `groupBy` was sent.',
  groupBy: ['The values of the dimensions. Null: the events have none.', { model: 'large' }],
  eventCount: ['The number of events.', 3],
  groupCount: ['The number of all groups.', 1],
};

const METER_EVENT_FIELDS: FieldWords = {
  type: ['The type of the event.', 'tokens.used'],
  source: ['The system that reported the event.', 'billing-worker'],
  subject: ['The id of the customer. Absent: none has the `externalSubject` yet.', 'cus_8c3d5e0f1a2b4c6d'],
  time: 'When the usage happened.',
  idempotencyKey: ['The key that makes the event count once.', 'run-7f3a'],
  data: ['The values of the event.', { tokens: 1200, model: 'large' }],
  externalId: ['Your own id of the event. Absent: none.', 'run-7f3a'],
  externalSubject: ['The `externalId` of the customer, where the event named it.', 'workspace-1'],
  events: 'The same as `data`.',
};

const SUMMARY_FIELDS: FieldWords = {
  name: ['The name of the cost.', 'GPU seconds'],
  type: 'Every cost is `metered`.',
  eventType: ['The type of the events that count. Absent: none count.', 'gpu.used'],
  totalCost: ['The cost of the whole time, in major units. Null: the cost measures nothing.', '4.60'],
  totalQuantity: ['The usage of the whole time. Null: the cost measures nothing.', 2300],
  groups: 'The cost of each group, where `groupBy` was sent.',
  dimensions: ['The values of the dimensions. Null: the events have none.', { model: 'large' }],
  quantity: ['The usage.', 2300],
  cost: ['The cost, in major units.', '4.60'],
  timeSeries: 'The cost of each window, where `window` was sent.',
  windowStart: 'The beginning of the window, inclusive.',
  windowEnd: ['The end of the window, exclusive.', '2026-03-02T00:00:00Z'],
};

const REPORT_FIELDS: FieldWords = {
  currency: ['The currency of all amounts: an ISO 4217 code.', 'USD'],
  period: 'The time of the report.',
  from: 'The beginning of the time, inclusive.',
  to: ['The end of the time, exclusive.', '2026-04-01T00:00:00Z'],
  groupBy: ['The grouping: `cost`, `customer`, or a dimension.', 'customer'],
  totalCost: ['The cost, in major units.', '4.60'],
  totalQuantity: ['The usage. Different units are added up.', 2300],
  groups: 'The groups of this page; in a window the cost of each group by its key.',
  key: ['The key of the group: an id, or a value of the dimension.', 'cus_8c3d5e0f1a2b4c6d'],
  label: ['The name of the group.', 'Delft Design'],
  unit: ['The unit of the usage. Null: there are several, or none.', 'second'],
  percentOfTotal: ['The share of the whole cost, in percent.', 100],
  priorPeriod: 'The time of the same length before. Null: it was not asked for.',
  cost: ['The cost in that time, in major units.', '4.00'],
  changePercent: ['The change since then, in percent. Null: there was no cost.', 15],
  isOther: '`true`: this group is the sum of all other groups.',
  timeSeries: 'The cost of each window by group.',
  windowStart: 'The beginning of the window, inclusive.',
  windowEnd: ['The end of the window, exclusive.', '2026-03-02T00:00:00Z'],
  availableDimensions: ['The dimensions that `groupBy` and `filterGroupBy` can name.', ['model']],
  warnings: ['Remarks, such as costs in another currency that are left out.', []],
  pagination: 'The place of the page among all groups.',
  limit: ['How many groups the page has at most.', 10],
  offset: ['How many groups come before the page.', 0],
  total: ['How many groups there are.', 1],
};

const COSTS_AS_NUMBERS = { 'x-compact': { totalCost: 'number', cost: 'number' } satisfies CompactForms };

/** Comma-separated, repeated, or both. */
const Dimensions = Type.Union([Text(), Type.Array(Text())]);
const FilterGroupBy = Text();

/** As long as an event can name it. */
const OutsideName = Text({ maxLength: 255 });

const Range = { from: Timestamp, to: Timestamp };

/** `groups`: the values of the dimensions asked for; null where events have none. */
const Figures = Type.Object({ windowStart: Timestamp, windowEnd: Timestamp, value: NumberOut });

export const MeterQuery = Strict(
  {
    ...Range,
    subject: Type.Optional(OutsideName),
    windowSize: Type.Optional(OneOf(WINDOW_SIZES)),
    groupBy: Type.Optional(Dimensions),
    filterGroupBy: Type.Optional(FilterGroupBy),
    groupLimit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
    groupOffset: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0 })),
  },
  { 'x-fields': USAGE_FILTERS },
);
export type MeterQuery = Static<typeof MeterQuery>;

/** The figures of a meter. */
export const MeterReply = Type.Object(
  {
    object: Type.Literal('meter'),
    billableMetricId: Id('billableMetric'),
    totalValue: NumberOut,
    windowedValues: Type.Optional(Type.Array(Figures)),
    groupedValues: Type.Optional(
      Type.Array(Type.Object({ groupBy: GroupOut, value: NumberOut, eventCount: Type.Integer() })),
    ),
    groupCount: Type.Optional(Type.Integer()),
  },
  {
    $id: 'UsageResponse',
    description: 'The usage of a metric in a time, as totals or by windows and groups.',
    'x-fields': USAGE_FIELDS,
  },
);

export const MetricEventsQuery = ListQuery(
  {
    ...Range,
    subject: Type.Optional(OutsideName),
    externalSubject: Type.Optional(OutsideName),
    externalId: Type.Optional(OutsideName),
  },
  { limit: 20, fields: USAGE_FILTERS },
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
  {
    $id: 'MeterEvent',
    description: 'A usage event that a metric counts, with its value.',
    'x-fields': METER_EVENT_FIELDS,
    'x-compact': { subject: 'text' } satisfies CompactForms,
  },
);

/** The list envelope, with `events` as a second name of `data` (api.md, Catalog). */
export const MetricEventsReply = Type.Object(
  {
    object: Type.Literal('list'),
    billableMetricId: Id('billableMetric'),
    data: Type.Array(MeterEventOut),
    events: Type.Array(MeterEventOut),
    pagination: Pagination,
  },
  {
    $id: 'MetricEvents',
    description: 'The events that a metric counts.',
    'x-fields': { ...METER_EVENT_FIELDS, data: 'The events of this page.' },
  },
);

export const CostSummaryQuery = Strict(
  {
    ...Range,
    subject: Type.Optional(OutsideName),
    groupBy: Type.Optional(Dimensions),
    window: Type.Optional(OneOf(['MINUTE', 'HOUR', 'DAY'])),
    filterGroupBy: Type.Optional(FilterGroupBy),
  },
  { 'x-fields': USAGE_FILTERS },
);
export type CostSummaryQuery = Static<typeof CostSummaryQuery>;

/** The usage of a cost. */
export const CostSummaryReply = Type.Object(
  {
    object: Type.Literal('cost'),
    id: Id('cost'),
    name: Type.String(),
    type: Type.Literal('metered'),
    currency: Type.String(),
    eventType: Type.Optional(Type.String()),
    totalCost: Nullable(DecimalOut),
    totalQuantity: Nullable(NumberOut),
    groups: Type.Optional(
      Type.Array(Type.Object({ dimensions: GroupOut, quantity: NumberOut, cost: DecimalOut }, COSTS_AS_NUMBERS)),
    ),
    timeSeries: Type.Optional(
      Type.Array(
        Type.Object(
          { windowStart: Timestamp, windowEnd: Timestamp, quantity: NumberOut, cost: DecimalOut },
          COSTS_AS_NUMBERS,
        ),
      ),
    ),
  },
  {
    $id: 'CostUsageResponse',
    description: 'The cost of the usage in a time, by windows and groups.',
    'x-fields': SUMMARY_FIELDS,
    ...COSTS_AS_NUMBERS,
  },
);

export const CostReportQuery = Strict(
  {
    ...Range,
    merchantId: Type.Optional(Id('organization')),
    groupBy: Text({ minLength: 1 }),
    costId: Type.Optional(Id('cost')),
    subject: Type.Optional(OutsideName),
    filterGroupBy: Type.Optional(FilterGroupBy),
    topN: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 25,
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
    comparePriorPeriod: Type.Optional(Type.Boolean({ default: false })),
    windowSize: Type.Optional(Type.Unsafe<'HOUR' | 'DAY' | 'MONTH'>({ enum: ['HOUR', 'DAY', 'MONTH'] })),
    sort: Type.Optional(
      Type.Unsafe<'totalCost' | 'totalQuantity'>({ enum: ['totalCost', 'totalQuantity'], default: 'totalCost' }),
    ),
    sortDir: Type.Optional(Type.Unsafe<'asc' | 'desc'>({ enum: ['asc', 'desc'], default: 'desc' })),
    currency: Type.Optional(Type.String({ format: 'currency' })),
  },
  { 'x-fields': REPORT_FILTERS },
);
export type CostReportQuery = Static<typeof CostReportQuery>;

/** A group of the cost report. */
const CostReportGroup = Type.Object(
  {
    key: Type.String(),
    label: Type.String(),
    totalCost: DecimalOut,
    totalQuantity: NumberOut,
    unit: Nullable(Type.String()),
    percentOfTotal: NumberOut,
    priorPeriod: Nullable(
      Type.Object(
        { cost: DecimalOut, changePercent: Nullable(NumberOut) },
        { 'x-compact': { cost: 'number', changePercent: 'null' } satisfies CompactForms },
      ),
    ),
    isOther: Type.Boolean(),
  },
  {
    $id: 'CostReportGroup',
    description: 'The cost of one group of a cost report.',
    'x-fields': REPORT_FIELDS,
    ...COSTS_AS_NUMBERS,
  },
);

/** The cost of each group in a window, by the key of the group. */
const CostsByKey = Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: DecimalOut });

/** The cost report. */
export const CostReportReply = Type.Object(
  {
    object: Type.Literal('cost_report'),
    currency: Type.String(),
    period: Type.Object({ from: Timestamp, to: Timestamp }),
    groupBy: Type.String(),
    totalCost: DecimalOut,
    totalQuantity: NumberOut,
    groups: Type.Array(CostReportGroup),
    timeSeries: Type.Array(
      Type.Object(
        { windowStart: Timestamp, windowEnd: Timestamp, groups: CostsByKey },
        { 'x-compact': { groups: 'number' } satisfies CompactForms },
      ),
    ),
    availableDimensions: Type.Array(Type.String()),
    warnings: Type.Array(Type.String()),
    pagination: Type.Object({ total: Type.Integer(), limit: Type.Integer(), offset: Type.Integer() }),
  },
  {
    $id: 'CostReport',
    description: 'The cost of the usage in a time, by groups.',
    'x-fields': REPORT_FIELDS,
    ...COSTS_AS_NUMBERS,
  },
);
