import {
  DecimalText,
  Id,
  ListQuery,
  MapOut,
  Metadata,
  Nullable,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  type TSchema,
  Type,
} from '../http/index.ts';
import { ORDER_TYPES } from './order.ts';
import { orderStatuses } from './states.ts';

/** Digits are limited so that the product of two of them is exact. */
const Figure = DecimalText({ minimum: '0', maximum: '999999999999', fractionDigits: 12 });
/** A product of two figures. */
const Product = DecimalText({ minimum: '0', fractionDigits: 24 });
const Amount = DecimalText({ minimum: '0', maximum: '999999999999999999' });
const PaymentTermDays = Type.Integer({ minimum: 0, maximum: 365 });
const Word = Text({ minLength: 1, maxLength: 255 });
const Description = Text({ maxLength: 1000 });
const NullableTime = Nullable(Timestamp);

/** Lines that one order can have. */
export const MOST_LINES = 500;
export const MOST_KEYS_OF_AN_ORDER = 10_000;

export const OrderLineItem = Type.Object(
  {
    id: Id('orderLineItem'),
    object: Type.Literal('order_line_item'),
    orderId: Id('order'),
    itemId: Nullable(Id('item')),
    description: Nullable(Type.String()),
    quantity: Type.String(),
    listUnitPrice: Type.String(),
    discountUnitAmount: Type.String(),
    unitPrice: Type.String({ description: 'listUnitPrice less discountUnitAmount.' }),
    totalPrice: Type.String({ description: 'quantity times unitPrice, in minor units of the currency.' }),
    termStartDate: Nullable({ ...Timestamp, description: "null: the order's." }),
    termEndDate: Nullable({ ...Timestamp, description: "null: the order's." }),
    metadata: MapOut,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'OrderLineItem' },
);

/** The reply of an order. @param schedule the schema of a billing schedule in it */
export const orderReply = (schedule: TSchema) =>
  Type.Object(
    {
      id: Id('order'),
      object: Type.Literal('order'),
      merchantId: Id('organization'),
      customerId: Id('customer'),
      resellerId: Nullable(Type.String()),
      taxExempt: Type.Boolean(),
      sellingEntity: Nullable(Type.String()),
      currency: Type.String(),
      approvalStatus: OneOf(orderStatuses),
      cancelledAt: NullableTime,
      type: Nullable(OneOf(ORDER_TYPES)),
      termStartDate: Timestamp,
      termEndDate: Timestamp,
      closeDate: NullableTime,
      totalAmount: Type.String({ description: 'The total contract value.' }),
      defaultPaymentTermDays: Type.Integer(),
      metadata: MapOut,
      lineItems: Type.Array(OrderLineItem),
      billingSchedules: Type.Array(schedule),
      dataSnapshotHash: Type.String({ description: 'What an approval of the order as it stands is given for.' }),
      testClockId: Nullable(Id('testClock')),
      createdAt: Timestamp,
      updatedAt: Timestamp,
    },
    { $id: 'Order' },
  );

const lineDetails = {
  itemId: Type.Optional(Nullable(Id('item'))),
  description: Type.Optional(Nullable(Description)),
  discountUnitAmount: Type.Optional(Figure),
  termStartDate: Type.Optional(NullableTime),
  termEndDate: Type.Optional(NullableTime),
  metadata: Type.Optional(Metadata),
};

export const OrderLineItemCreate = Strict(
  { quantity: Figure, listUnitPrice: Figure, unitPrice: Figure, totalPrice: Product, ...lineDetails },
  { $id: 'OrderLineItemCreate' },
);
export type OrderLineItemCreate = Static<typeof OrderLineItemCreate>;

export const OrderLineItemUpdate = Strict(
  {
    quantity: Type.Optional(Figure),
    listUnitPrice: Type.Optional(Figure),
    unitPrice: Type.Optional(Figure),
    totalPrice: Type.Optional(Product),
    ...lineDetails,
  },
  { $id: 'OrderLineItemUpdate' },
);
export type OrderLineItemUpdate = Static<typeof OrderLineItemUpdate>;

const details = {
  closeDate: Type.Optional(NullableTime),
  totalAmount: Type.Optional(Amount),
  defaultPaymentTermDays: Type.Optional(PaymentTermDays),
  metadata: Type.Optional(Metadata),
  resellerId: Type.Optional(Nullable(Word)),
  taxExempt: Type.Optional(Type.Boolean()),
  sellingEntity: Type.Optional(Nullable(Word)),
};

export const OrderCreate = Strict(
  {
    customerId: Id('customer'),
    currency: Type.String({ format: 'currency' }),
    termStartDate: Timestamp,
    termEndDate: Timestamp,
    type: Type.Optional(Nullable(OneOf(ORDER_TYPES))),
    lineItems: Type.Optional(Type.Array(OrderLineItemCreate, { maxItems: MOST_LINES })),
    ...details,
    testClockId: Type.Optional(Nullable(Id('testClock'))),
    merchantId: Type.Optional(Id('organization')),
  },
  { $id: 'OrderCreate', 'x-minor-units': ['totalAmount'] },
);
export type OrderCreate = Static<typeof OrderCreate>;

const LINES_HAVE_ROUTES = 'changes by /v0/orders/{orderId}/lineItems';

export const OrderUpdate = Strict(
  {
    termStartDate: Type.Optional(Timestamp),
    termEndDate: Type.Optional(Timestamp),
    cancelledAt: Type.Optional(Nullable({ ...Timestamp, description: 'Time from here on is not owed.' })),
    ...details,
  },
  { $id: 'OrderUpdate', 'x-hints': { lineItems: LINES_HAVE_ROUTES } },
);
export type OrderUpdate = Static<typeof OrderUpdate>;

const LISTED = 50; // api.md, Lists

export const OrderListQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    customerId: Type.Optional(Id('customer')),
    status: Type.Optional(OneOf([...orderStatuses, 'cancelled'])),
    type: Type.Optional(OneOf(ORDER_TYPES)),
  },
  { limit: LISTED },
);

export const OrderLineItemListQuery = ListQuery({}, { limit: LISTED });
