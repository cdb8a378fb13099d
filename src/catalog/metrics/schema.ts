import { Id, ListQuery, MapOut, Name, Nullable, type Static, Strict, Text, Timestamp, Type } from '../../http/index.ts';
import { AggregationWord, GroupBy, JsonPath } from '../meters/meter.ts';
import { EventType, Percent, PercentOut } from '../words.ts';

export const MetricOut = Type.Object(
  {
    id: Id('billableMetric'),
    object: Type.Literal('billableMetric'),
    aggregation: AggregationWord,
    name: Type.String(),
    description: Type.String(),
    unit: Type.String(),
    merchantId: Id('organization'),
    productId: Id('product'),
    itemId: Nullable(Id('item')),
    eventType: Nullable(Type.String()),
    valueProperty: Nullable(Type.String()),
    groupBy: Nullable(MapOut),
    eventFrom: Nullable(Timestamp),
    taxRate: Type.Optional(PercentOut),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'BillableMetric' },
);

const fields = {
  name: Name,
  description: Type.Optional(Text()),
  unit: Type.Optional(Text({ maxLength: 255 })),
  aggregation: AggregationWord,
  productId: Type.Optional(Id('product')),
  itemId: Type.Optional(Nullable(Id('item'))),
  eventType: Type.Optional(Nullable(EventType)),
  valueProperty: Type.Optional(Nullable(JsonPath)),
  groupBy: Type.Optional(Nullable(GroupBy)),
  eventFrom: Type.Optional(Nullable(Timestamp)),
  taxRate: Type.Optional(Nullable(Percent)),
};

export const MetricCreate = Strict(
  { ...fields, merchantId: Type.Optional(Id('organization')) },
  { $id: 'BillableMetricCreate' },
);
export type MetricCreate = Static<typeof MetricCreate>;

export const MetricUpdate = Strict(
  { ...fields, name: Type.Optional(Name), aggregation: Type.Optional(AggregationWord) },
  { $id: 'BillableMetricUpdate' },
);
export type MetricUpdate = Static<typeof MetricUpdate>;

export const MetricListQuery = ListQuery({
  merchantId: Type.Optional(Id('organization')),
  productId: Type.Optional(Id('product')),
  itemId: Type.Optional(Id('item')),
  eventType: Type.Optional(EventType),
});
