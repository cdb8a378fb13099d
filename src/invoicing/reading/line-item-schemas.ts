import {
  type CompactForms,
  DecimalOut,
  DecimalText,
  Id,
  ListQuery,
  Name,
  Nullable,
  OneOf,
  Pagination,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';

/** The limit of price × quantity: their product, with tax, keeps all its digits. */
const MOST = '1000000000000000';
const Amount = DecimalText({ minimum: `-${MOST}`, maximum: MOST, fractionDigits: 18, accept: 'both' });
const NullableText = Nullable(Type.String());

export const LineItemCreateBody = Strict(
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
    description: 'A negative `unitPrice` is a deduction.',
    'x-some-of': ['subscriptionId', 'invoiceId'],
    examples: [
      {
        subscriptionId: 'sub_8c3d5e0f1a2b4c6d',
        displayName: 'Workshop',
        currency: 'EUR',
        quantity: '1.5',
        unitPrice: '800',
        idempotencyKey: 'workshop-1',
      },
    ],
    'x-fields': {
      subscriptionId: 'The subscription that is billed. Required unless `invoiceId` is sent.',
      invoiceId:
        'The open invoice that gets the line. It is `ACTIVE` or `CLOSING`. Required unless `subscriptionId` ' +
        'is sent.',
      displayName: ['The text of the line, as on the document.', 'Workshop'],
      description: 'A longer text. Null: none.',
      currency: 'The currency of the invoice as an ISO 4217 code. Another currency is refused.',
      quantity: 'The number of units, as a number or a decimal string.',
      unitPrice: 'The price of one unit in major units, as a number or a decimal string. A negative one is a credit.',
      itemId: 'The sold item, for reports and external systems. Null: none.',
      periodStart: 'The start of the time that the line bills. Default: the period of the invoice.',
      periodEnd: 'The end of the time that the line bills. Default: the period of the invoice.',
      invoiceAt:
        'With `subscriptionId`: the line is on the first invoice that closes at this time or later. Default: ' +
        'the open invoice.',
      idempotencyKey: 'Your key of this line, valid for ever. The same key again answers 200 with the first line.',
    },
  },
);
export type LineItemCreateBody = Static<typeof LineItemCreateBody>;

const MOST_LINES = 1000;
export const LineItemListQuery = ListQuery(
  {
    subscriptionId: Type.Optional(Id('subscription')),
    invoiceId: Type.Optional(Id('invoice')),
    status: Type.Optional(OneOf(['pending', 'invoiced'])),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    limit: 100,
    mostLimit: MOST_LINES,
    fields: {
      subscriptionId: 'Only lines of this subscription.',
      invoiceId: 'Only lines of this invoice.',
      status: '`pending`: only lines of open and later invoices. `invoiced`: only the others. Default: both.',
    },
  },
);
export type LineItemListQuery = Static<typeof LineItemListQuery>;

export const LineItemReply = Type.Object(
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
    carriedFromLineItemId: Nullable(Type.String()),
    quantity: Nullable(DecimalOut),
    unitPrice: DecimalOut,
    meteredQuantity: Nullable(DecimalOut),
    paymentTerm: Nullable(OneOf(['in_advance', 'in_arrears'])),
    subtotal: DecimalOut,
    taxesTotal: Nullable(DecimalOut),
    total: DecimalOut,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    estimatedMeteredQuantity: Nullable(DecimalOut),
    estimatedSubtotal: Nullable(DecimalOut),
  },
  {
    $id: 'LineItem',
    'x-compact': { subscriptionId: 'text' } satisfies CompactForms,
    description: 'A line of a subscription or an invoice, pending or invoiced.',
    'x-fields': {
      id: 'The line. A pending line that was not added by hand has the id of its invoice and its place there.',
      subscriptionId: 'The subscription. Null: the invoice is of none.',
      customerId: 'The billed customer.',
      priceId: 'The price. Null: the line has no price.',
      itemId: 'The item. Null: none.',
      invoiceId: 'The invoice of the line. Null: it waits for a later invoice.',
      type: '`fee`, `metered` (usage), `manual` (added by hand) or `discount`.',
      status: '`pending`: its invoice is open, or a later one. `invoiced`: its invoice is calculated.',
      displayName: ['The text of the line, as on the document.', 'Workshop'],
      description: 'A longer text. Null: none.',
      periodStart: 'The start of the time that the line bills, inclusive.',
      periodEnd: 'The end of the time that the line bills, exclusive.',
      invoiceAt: 'The time from which it can be invoiced.',
      calculatedAt: 'The time at which its invoice was calculated. Null: it is pending.',
      carriedFromLineItemId: 'The earlier credit of which this line is the remainder. Null: it is not a remainder.',
      quantity: 'The number of units as a decimal string.',
      unitPrice: 'The price of one unit, in major units.',
      meteredQuantity: 'The billed usage as a decimal string. Null: it is pending, or no usage.',
      paymentTerm:
        '`in_advance`: for a time after the period. `in_arrears`: for the period. Null: the line has no price.',
      subtotal: 'The amount before tax, in major units. While it is pending, as of now.',
      taxesTotal: 'The tax, in major units. Null: it is not known before the line is on an invoice.',
      total: 'The amount with tax as far as the tax is known, in major units.',
      estimatedMeteredQuantity: 'The usage so far as a decimal string. Null: it is invoiced, or no usage.',
      estimatedSubtotal:
        'The amount of the usage so far before tax, in major units. Null: it is invoiced, or no usage.',
    },
  },
);

export const LineItemListReply = Type.Object(
  {
    object: Type.Literal('list'),
    pagination: Pagination,
    data: Type.Array(LineItemReply),
    totalCount: Type.Integer(),
    summary: Type.Object(
      {
        feeSubtotal: Type.Unsafe<string>({
          ...DecimalOut,
          description: 'Fees, minimums and lines by hand, before discounts and tax.',
        }),
        meteredEstimatedSubtotal: Type.Unsafe<string>({
          ...DecimalOut,
          description: 'Usage as of now, before discounts and tax.',
        }),
        currency: Type.String({ description: 'The currency of the sums: the one of most lines.' }),
      },
      { $id: 'LineItemsSummary', description: 'Sums over all lines in one currency, in major units.' },
    ),
  },
  {
    $id: 'LineItemsResponse',
    description: 'A page of lines with sums over all of them.',
    'x-fields': {
      pagination: 'The place of the page in the whole list.',
      limit: 'The most lines in the answer.',
      offset: 'The number of lines before this page.',
      total: 'The number of all lines.',
      data: 'The lines of this page.',
      totalCount: 'The number of all lines.',
      summary: 'Sums over all lines in its currency.',
    },
  },
);
