import {
  DecimalOut,
  DecimalText,
  Id,
  ListQuery,
  Metadata,
  MetadataOut,
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

export const OrderLineItemReply = Type.Object(
  {
    id: Id('orderLineItem'),
    object: Type.Literal('order_line_item'),
    orderId: Id('order'),
    itemId: Nullable(Id('item')),
    description: Nullable(Type.String()),
    quantity: DecimalOut,
    listUnitPrice: DecimalOut,
    discountUnitAmount: DecimalOut,
    unitPrice: DecimalOut,
    totalPrice: DecimalOut,
    termStartDate: Nullable(Timestamp),
    termEndDate: Nullable(Timestamp),
    metadata: MetadataOut,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'OrderLineItem',
    description: 'A line of an order: an item, a quantity and a price for a term.',
    'x-fields': {
      metadata: 'Your own keys and values.',
      itemId: 'The item that is sold. Null: none.',
      description: 'The text of the line. Null: none.',
      quantity: 'The number of units as a decimal string.',
      listUnitPrice: 'The price of one unit before the discount, in major units.',
      discountUnitAmount: 'The discount on one unit, in major units.',
      unitPrice: 'The price of one unit after the discount: `listUnitPrice` less `discountUnitAmount`.',
      totalPrice: '`quantity` times `unitPrice`, rounded once to the digits of the currency.',
      termStartDate: 'The start of the term of the line, inclusive. Null: the one of the order.',
      termEndDate: 'The end of the term of the line, exclusive. Null: the one of the order.',
    },
  },
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
      totalAmount: DecimalOut,
      defaultPaymentTermDays: Type.Integer(),
      metadata: MetadataOut,
      lineItems: Type.Array(OrderLineItemReply),
      billingSchedules: Type.Array(schedule),
      dataSnapshotHash: Type.String(),
      testClockId: Nullable(Id('testClock')),
      createdAt: Timestamp,
      updatedAt: Timestamp,
    },
    {
      $id: 'Order',
      description: 'A contract: a customer buys items over a term. Billing schedules invoice it once it is approved.',
      'x-fields': {
        metadata: 'Your own keys and values.',
        resellerId: 'Your own id of a reseller. No rule reads it. Null: none.',
        taxExempt: '`true`: invoices of the order have no tax.',
        sellingEntity: 'Your own name of the selling company. No rule reads it. Null: none.',
        approvalStatus:
          '`draft`: it can be edited and submitted. `pending`: approvals are requested. `approved`: it can be ' +
          'invoiced. `rejected`: a reviewer rejected it.',
        cancelledAt: 'The time from which nothing is owed. Null: the order is not cancelled.',
        type: '`new_business`, `renewal` or `expansion`. Null: none was named.',
        termStartDate: 'The start of the term, inclusive.',
        termEndDate: 'The end of the term, exclusive.',
        closeDate: 'The day on which the deal was closed. No rule reads it. Null: none.',
        totalAmount: 'The total contract value, in major units.',
        defaultPaymentTermDays:
          'The days from the issue of an invoice to its due date, unless a schedule names other ones.',
        lineItems: 'The lines of the order.',
        billingSchedules: 'The billing schedules of the order.',
        dataSnapshotHash: 'The SHA-256 of the content that an approval is given for.',
        testClockId: 'The test clock of the order. Null: none.',
      },
    },
  );

const lineDetails = {
  itemId: Type.Optional(Nullable(Id('item'))),
  description: Type.Optional(Nullable(Description)),
  discountUnitAmount: Type.Optional(Figure),
  termStartDate: Type.Optional(NullableTime),
  termEndDate: Type.Optional(NullableTime),
  metadata: Type.Optional(Metadata),
};
const lineDetailsWords = {
  itemId: 'The item that is sold. Null: none.',
  description: 'The text of the line. Null: none.',
  discountUnitAmount: 'The discount on one unit, in major units, at most `listUnitPrice`. Default of a new line: 0.',
  termStartDate: 'The start of the term of the line, inclusive. Null: the one of the order.',
  termEndDate: 'The end of the term of the line, exclusive. Null: the one of the order.',
} as const;

export const OrderLineItemCreateBody = Strict(
  { quantity: Figure, listUnitPrice: Figure, unitPrice: Figure, totalPrice: Product, ...lineDetails },
  {
    $id: 'OrderLineItemCreate',
    examples: [
      {
        description: 'Seats',
        quantity: '120',
        listUnitPrice: '30',
        discountUnitAmount: '4.50',
        unitPrice: '25.50',
        totalPrice: '3060',
      },
    ],
    'x-fields': {
      ...lineDetailsWords,
      quantity: 'The number of units, 0 or more.',
      listUnitPrice: 'The price of one unit before the discount, in major units.',
      unitPrice: 'The price of one unit: `listUnitPrice` less `discountUnitAmount`. Another price is refused.',
      totalPrice:
        '`quantity` times `unitPrice`, exact or rounded to the digits of the currency. Another price is refused.',
    },
  },
);
export type OrderLineItemCreateBody = Static<typeof OrderLineItemCreateBody>;

export const OrderLineItemUpdateBody = Strict(
  {
    quantity: Type.Optional(Figure),
    listUnitPrice: Type.Optional(Figure),
    unitPrice: Type.Optional(Figure),
    totalPrice: Type.Optional(Product),
    ...lineDetails,
  },
  {
    $id: 'OrderLineItemUpdate',
    examples: [{ discountUnitAmount: '10' }],
    'x-fields': {
      ...lineDetailsWords,
      quantity: 'The number of units, 0 or more.',
      listUnitPrice: 'The price of one unit before the discount, in major units.',
      unitPrice: 'The price of one unit. Default: it follows from `listUnitPrice` and `discountUnitAmount`.',
      totalPrice: 'The price of the line. Default: it follows from `quantity` and `unitPrice`.',
    },
  },
);
export type OrderLineItemUpdateBody = Static<typeof OrderLineItemUpdateBody>;

const details = {
  closeDate: Type.Optional(NullableTime),
  totalAmount: Type.Optional(Amount),
  defaultPaymentTermDays: Type.Optional(PaymentTermDays),
  metadata: Type.Optional(Metadata),
  resellerId: Type.Optional(Nullable(Word)),
  taxExempt: Type.Optional(Type.Boolean()),
  sellingEntity: Type.Optional(Nullable(Word)),
};
const detailsWords = {
  closeDate: 'The day on which the deal was closed. No rule reads it. Null: none.',
  totalAmount: 'The total contract value, in major units. Default of a new order: the sum of the lines.',
  defaultPaymentTermDays:
    'The days from the issue of an invoice to its due date, unless a schedule names other ones. ' +
    'Default of a new order: 0.',
  resellerId: 'Your own id of a reseller. No rule reads it. Null: none.',
  taxExempt: '`true`: invoices of the order have no tax. Default of a new order: `false`.',
  sellingEntity: 'Your own name of the selling company. No rule reads it. Null: none.',
} as const;

export const OrderCreateBody = Strict(
  {
    customerId: Id('customer'),
    currency: Type.String({ format: 'currency' }),
    termStartDate: Timestamp,
    termEndDate: Timestamp,
    type: Type.Optional(Nullable(OneOf(ORDER_TYPES))),
    lineItems: Type.Optional(Type.Array(OrderLineItemCreateBody, { maxItems: MOST_LINES })),
    ...details,
    testClockId: Type.Optional(Nullable(Id('testClock'))),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'OrderCreate',
    'x-minor-units': ['totalAmount'],
    examples: [
      {
        customerId: 'cus_8c3d5e0f1a2b4c6d',
        currency: 'USD',
        type: 'new_business',
        termStartDate: '2026-01-01T00:00:00Z',
        termEndDate: '2029-01-01T00:00:00Z',
        defaultPaymentTermDays: 30,
        lineItems: [
          {
            description: 'Seats',
            quantity: '120',
            listUnitPrice: '30',
            discountUnitAmount: '4.50',
            unitPrice: '25.50',
            totalPrice: '3060',
          },
        ],
      },
    ],
    'x-fields': {
      ...detailsWords,
      customerId: 'The buyer. It never changes.',
      termStartDate: 'The start of the term, inclusive.',
      termEndDate: 'The end of the term, exclusive.',
      type: '`new_business`, `renewal` or `expansion`. It never changes. Null: none.',
      lineItems: 'The lines of the order. More lines can be added later. Default: none.',
      testClockId: 'Sandbox only. The order follows this test clock. Null: real time.',
    },
  },
);
export type OrderCreateBody = Static<typeof OrderCreateBody>;

const LINES_HAVE_ROUTES = 'changes by /v0/orders/{orderId}/lineItems';

export const OrderUpdateBody = Strict(
  {
    termStartDate: Type.Optional(Timestamp),
    termEndDate: Type.Optional(Timestamp),
    cancelledAt: Type.Optional(Nullable(Timestamp)),
    ...details,
  },
  {
    $id: 'OrderUpdate',
    'x-hints': { lineItems: LINES_HAVE_ROUTES },
    examples: [{ termEndDate: '2029-07-01T00:00:00Z' }],
    'x-fields': {
      ...detailsWords,
      termStartDate: 'The start of the term, inclusive.',
      termEndDate: 'The end of the term, exclusive.',
      cancelledAt:
        'Cancels the order at this time, once. Time from then on is not owed. It may lie in the past or in ' +
        'the future.',
    },
  },
);
export type OrderUpdateBody = Static<typeof OrderUpdateBody>;

const LISTED = 50; // api.md, Lists

export const OrderListQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    customerId: Type.Optional(Id('customer')),
    status: Type.Optional(OneOf([...orderStatuses, 'cancelled'])),
    type: Type.Optional(OneOf(ORDER_TYPES)),
  },
  {
    limit: LISTED,
    fields: {
      status:
        'Only orders with this `approvalStatus`, without cancelled ones. `cancelled`: only orders with ' +
        '`cancelledAt`.',
      type: 'Only orders of this type.',
    },
  },
);

export const OrderLineItemListQuery = ListQuery({}, { limit: LISTED });
