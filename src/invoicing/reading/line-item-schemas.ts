import {
  DecimalText,
  Id,
  ListQuery,
  Name,
  Nullable,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';

/** What a price and a quantity may come to: their product, with tax, keeps all its digits. */
const MOST = '1000000000000000';
const Amount = DecimalText({ minimum: `-${MOST}`, maximum: MOST, fractionDigits: 18, accept: 'both' });
const NullableText = Nullable(Type.String());

export const LineItemCreate = Strict(
  {
    subscriptionId: Type.Optional(Id('subscription')),
    invoiceId: Type.Optional(Id('invoice')),
    displayName: Name,
    description: Type.Optional(Nullable(Text({ maxLength: 1000 }))),
    currency: Type.String({ format: 'currency' }),
    quantity: Amount,
    unitPrice: Amount,
    itemId: Type.Optional(Nullable(Id('item'))),
    periodStart: Type.Optional(Timestamp),
    periodEnd: Type.Optional(Timestamp),
    invoiceAt: Type.Optional(Timestamp),
    idempotencyKey: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'LineItemCreate',
    description: 'A negative `unitPrice` takes off.',
    'x-some-of': ['subscriptionId', 'invoiceId'],
  },
);
export type LineItemCreate = Static<typeof LineItemCreate>;

const MOST_LINES = 1000;
export const LineItemListQuery = ListQuery(
  {
    subscriptionId: Type.Optional(Id('subscription')),
    invoiceId: Type.Optional(Id('invoice')),
    status: Type.Optional(OneOf(['pending', 'invoiced'])),
    merchantId: Type.Optional(Id('organization')),
  },
  { limit: 100, mostLimit: MOST_LINES },
);
export type LineItemListQuery = Static<typeof LineItemListQuery>;

export const LineItem = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('lineItem'),
    merchantId: Id('organization'),
    subscriptionId: Nullable(Id('subscription')),
    customerId: Id('customer'),
    priceId: NullableText,
    itemId: NullableText,
    invoiceId: NullableText,
    type: OneOf(['fee', 'metered', 'manual', 'discount']),
    status: OneOf(['pending', 'invoiced']),
    displayName: Type.String(),
    description: NullableText,
    currency: Type.String(),
    periodStart: Timestamp,
    periodEnd: Timestamp,
    invoiceAt: Timestamp,
    calculatedAt: Nullable(Timestamp),
    carriedFromLineItemId: Nullable(
      Type.String({ description: 'Of a line that is carried over: the line that its invoice could not take off.' }),
    ),
    quantity: NullableText,
    unitPrice: Type.String(),
    meteredQuantity: NullableText,
    paymentTerm: Nullable(OneOf(['in_advance', 'in_arrears'])),
    subtotal: Type.String(),
    taxesTotal: NullableText,
    total: Type.String(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    estimatedMeteredQuantity: NullableText,
    estimatedSubtotal: NullableText,
  },
  { $id: 'LineItem' },
);

export const LineItemList = Type.Object(
  {
    object: Type.Literal('list'),
    pagination: Type.Object({ limit: Type.Integer(), offset: Type.Integer(), total: Type.Integer() }),
    data: Type.Array(LineItem),
    totalCount: Type.Integer(),
    summary: Type.Object(
      {
        feeSubtotal: Type.String({ description: 'Fees, minimums and lines by hand, before discounts and tax.' }),
        meteredEstimatedSubtotal: Type.String({ description: 'Usage as of now, before discounts and tax.' }),
        currency: Type.String(),
      },
      { $id: 'LineItemsSummary' },
    ),
  },
  { $id: 'LineItemsResponse' },
);
