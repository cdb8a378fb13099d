import {
  DecimalNumber,
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
import { CostAggregationWord, GroupBy, JsonPath, TimeUnitWord } from '../meters/meter.ts';
import { Currency, EventType } from '../words.ts';

const COST_FIELDS: FieldWords = {
  type: 'Every cost is `metered`.',
  name: ['The name of the cost, 1 to 255 characters.', 'GPU seconds'],
  unitCost: 'Your expense for one unit now, in major units of the currency. At least 0.',
  effectiveFrom:
    'From when on `unitCost` holds; values for later times are replaced. Usage before it keeps its cost. Default: now.',
  unit: ['The name of one unit. Null: none.', 'second'],
  aggregation:
    'The quantity of a period: `SUM`, `AVG`, `MIN` and `MAX` of the values, the number of events ' +
    '(`COUNT`) or of different values (`UNIQUE_COUNT`), the `LATEST` value, or that value over time ' +
    '(`TIME_WEIGHTED`).',
  timeUnit: [
    'Of `TIME_WEIGHTED`, which needs it: the value counts in `hour`s or `day`s that it holds, or on the average of a ' +
      '`period`. Null: of another aggregation.',
    'hour',
  ],
  eventType: ['The `type` of the events that count. Null: no event counts.', 'api.called'],
  valueProperty: [
    'The path of the value in the `data` of an event. Required for each aggregation but `COUNT`; null ' +
      'where there is none.',
    '$.tokens',
  ],
  groupBy: ['The dimensions of usage: names with paths in the `data` of an event. Null: none.', { model: '$.model' }],
  deletedAt: 'Null: a deleted cost is never answered.',
};

const COST_FILTERS: FieldWords = {
  eventType: 'Only costs that count events of this type.',
};

export const CostReply = Type.Object(
  {
    id: Id('cost'),
    object: Type.Literal('cost'),
    type: Type.Literal('metered'),
    name: Type.String(),
    currency: Type.String(),
    unitCost: Type.Unsafe<string>({ ...DecimalOut, examples: ['0.002'] }),
    unit: Nullable(Type.String()),
    aggregation: Nullable(CostAggregationWord),
    eventType: Nullable(Type.String()),
    valueProperty: Nullable(Type.String()),
    groupBy: Nullable(TextsOut),
    timeUnit: Nullable(TimeUnitWord),
    productId: Id('product'),
    merchantId: Id('organization'),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    deletedAt: Type.Null(),
  },
  { $id: 'Cost', description: 'A measure of what usage costs the merchant.', 'x-fields': COST_FIELDS },
);

const fields = {
  name: Name,
  unitCost: DecimalNumber({ minimum: '0' }),
  currency: Currency,
  productId: Id('product'),
};
const meter = {
  aggregation: Type.Optional(Nullable(CostAggregationWord)),
  eventType: Type.Optional(Nullable(EventType)),
  unit: Type.Optional(Nullable(Text({ maxLength: 255 }))),
  valueProperty: Type.Optional(Nullable(JsonPath)),
  groupBy: Type.Optional(Nullable(GroupBy)),
  timeUnit: Type.Optional(Nullable(TimeUnitWord)),
};

export const CostCreateBody = Strict(
  {
    type: Type.Optional(Type.Literal('metered', { default: 'metered' })),
    ...fields,
    ...meter,
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'CostCreate',
    'x-fields': COST_FIELDS,
    examples: [
      {
        name: 'GPU seconds',
        unitCost: 0.002,
        currency: 'USD',
        unit: 'second',
        aggregation: 'SUM',
        eventType: 'gpu.used',
        valueProperty: '$.seconds',
        productId: 'prod_8c3d5e0f1a2b4c6d',
      },
    ],
  },
);
export type CostCreateBody = Static<typeof CostCreateBody>;

export const CostUpdateBody = Strict(
  {
    name: Type.Optional(fields.name),
    unitCost: Type.Optional(fields.unitCost),
    effectiveFrom: Type.Optional(Timestamp),
    currency: Type.Optional(fields.currency),
    productId: Type.Optional(fields.productId),
    ...meter,
  },
  {
    $id: 'CostUpdate',
    'x-fields': COST_FIELDS,
    examples: [{ unitCost: 0.0018, effectiveFrom: '2026-04-01T00:00:00Z' }],
  },
);
export type CostUpdateBody = Static<typeof CostUpdateBody>;

export const CostListQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    productId: Type.Optional(Id('product')),
    eventType: Type.Optional(EventType),
  },
  { fields: COST_FILTERS },
);
