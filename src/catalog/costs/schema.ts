import {
  DecimalNumber,
  Id,
  ListQuery,
  MapOut,
  Name,
  Nullable,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { AggregationWord, GroupBy, JsonPath } from '../meters/meter.ts';
import { Currency, EventType } from '../words.ts';

export const CostOut = Type.Object(
  {
    id: Id('cost'),
    object: Type.Literal('cost'),
    type: Type.Literal('metered'),
    name: Type.String(),
    currency: Type.String(),
    unitCost: Type.String({ description: 'A decimal string, in major units.' }),
    unit: Nullable(Type.String()),
    aggregation: Nullable(AggregationWord),
    eventType: Nullable(Type.String()),
    valueProperty: Nullable(Type.String()),
    groupBy: Nullable(MapOut),
    productId: Id('product'),
    merchantId: Id('organization'),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    deletedAt: Type.Null(),
  },
  { $id: 'Cost' },
);

const fields = {
  name: Name,
  unitCost: DecimalNumber({ minimum: '0' }),
  currency: Currency,
  productId: Id('product'),
};
const meter = {
  aggregation: Type.Optional(Nullable(AggregationWord)),
  eventType: Type.Optional(Nullable(EventType)),
  unit: Type.Optional(Nullable(Text({ maxLength: 255 }))),
  valueProperty: Type.Optional(Nullable(JsonPath)),
  groupBy: Type.Optional(Nullable(GroupBy)),
};

export const CostCreate = Strict(
  {
    type: Type.Optional(Type.Literal('metered', { default: 'metered' })),
    ...fields,
    ...meter,
    merchantId: Type.Optional(Id('organization')),
  },
  { $id: 'CostCreate' },
);
export type CostCreate = Static<typeof CostCreate>;

export const CostUpdate = Strict(
  {
    name: Type.Optional(fields.name),
    unitCost: Type.Optional(fields.unitCost),
    currency: Type.Optional(fields.currency),
    productId: Type.Optional(fields.productId),
    ...meter,
  },
  { $id: 'CostUpdate' },
);
export type CostUpdate = Static<typeof CostUpdate>;

export const CostListQuery = ListQuery({
  merchantId: Type.Optional(Id('organization')),
  productId: Type.Optional(Id('product')),
  eventType: Type.Optional(EventType),
});
