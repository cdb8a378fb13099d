import {
  DecimalText,
  Formed,
  Id,
  ListOf,
  ListQuery,
  MapOut,
  Metadata,
  Name,
  Nullable,
  NumberOut,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { Percent } from '../../identity/index.ts';
import { invoiceStatuses } from './states.ts';

const Amount = Type.String({ description: 'A decimal string in major units.' });
const NullableTime = Nullable(Timestamp);

export const TierUsed = Type.Object(
  {
    above: Type.String(),
    upTo: Nullable(Type.String()),
    quantity: Type.String(),
    unitPrice: Type.String(),
    flatPrice: Type.String(),
    amount: Type.String(),
  },
  {
    $id: 'TierUsed',
    description:
      'The units of a line that fell into one tier: above `above`, up to and including `upTo`. Amounts are exact; where one does not ' +
      'end (a part of a period), all are rounded to the currency so that they sum to the line.',
  },
);

/** How an amount came about, as on the document. */
export const LineNotes = Type.Array(Type.String(), {
  description: 'How the amount came about, in sentences, as on the document: "14 of 31 days of 99.00".',
});

export const InvoiceLineItem = Type.Object(
  {
    id: Type.String(),
    eventType: OneOf(['usage', 'fee', 'discount']),
    eventId: Type.String({ description: "The line's own id." }),
    eventSourceId: Type.String({ description: "The metric's or fee's id; empty where there is none." }),
    lineItemType: OneOf(['charge', 'refund']),
    type: Type.String(),
    priceId: Nullable(Type.String()),
    billableMetricId: Type.String({ description: 'Empty where there is none.' }),
    itemId: Nullable(Type.String()),
    invoiceDisplayName: Type.String(),
    metricName: Type.String(),
    metricUnit: Type.String(),
    metricDescription: Type.String(),
    meterEventId: Type.String({ description: 'Empty: the line aggregates many events.' }),
    quantity: NumberOut,
    unitPrice: Amount,
    totalPrice: Amount,
    discountPrice: Amount,
    taxRate: NumberOut,
    totalTax: Amount,
    totalAmount: Amount,
    periodStart: Timestamp,
    periodEnd: Timestamp,
    group: Nullable(MapOut),
    tiers: Nullable(Type.Array(TierUsed)),
    notes: LineNotes,
    appliesToLineId: Nullable(Type.String()),
  },
  { $id: 'InvoiceLineItem' },
);

export const ResolvedItem = Type.Object(
  {
    id: Id('item'),
    name: Type.String(),
    catalogId: Nullable(Type.String()),
    archivedAt: NullableTime,
    externalReferences: Type.Array(MapOut),
  },
  { $id: 'ResolvedItem' },
);

export const InvoiceLineItems = Type.Object(
  {
    invoiceId: Id('invoice'),
    lineItems: Type.Array(InvoiceLineItem),
    items: Type.Optional(Type.Array(ResolvedItem)),
    nextPageToken: Nullable(Type.String()),
    totalCount: Type.Integer(),
  },
  { $id: 'InvoiceLineItemsResponse' },
);

export const Invoice = Type.Object(
  {
    id: Id('invoice'),
    object: Type.Literal('invoice'),
    kind: OneOf(['subscription', 'upfront', 'ad_hoc', 'order']),
    status: OneOf(invoiceStatuses),
    merchantId: Id('organization'),
    customerId: Id('customer'),
    subscriptionId: Nullable(Id('subscription')),
    currency: Type.String(),
    autoApprove: Type.Boolean(),
    billingAnchor: Timestamp,
    billingCadence: Type.String(),
    periodStart: Timestamp,
    periodEnd: Timestamp,
    gracePeriodEnd: Timestamp,
    subtotal: Amount,
    totalTax: Amount,
    grandTotal: Amount,
    paidAmount: Amount,
    unpaidAmount: Amount,
    walletApplied: Amount,
    invoiceNumber: Nullable(Type.String()),
    sequenceNumber: Type.Integer(),
    itemCount: Type.Integer(),
    lineItems: Nullable(InvoiceLineItems),
    tax: Nullable(MapOut),
    nextActionAt: NullableTime,
    issuedAt: NullableTime,
    dueAt: NullableTime,
    paidAt: NullableTime,
    paymentTermDays: Type.Integer(),
    paymentInFlight: Type.Boolean(),
    paymentUrl: Nullable(Type.String()),
    pdfUrl: Nullable(Type.String()),
    permalink: Nullable(Type.String()),
    pdfSource: Nullable(Type.String()),
    dataSnapshotHash: Nullable(Type.String({ description: 'What an approval is requested for; null before DRAFT.' })),
    documentWithheldReason: Nullable(Type.String()),
    failureReason: Type.Optional(Type.String()),
    failureDetail: Type.Optional(Type.String({ description: 'What the tax provider said, where that is the reason.' })),
    metadata: MapOut,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Invoice' },
);

export const InvoiceRefund = Type.Object(
  {
    id: Id('refund'),
    object: Type.Literal('invoice_refund'),
    invoiceId: Id('invoice'),
    merchantId: Id('organization'),
    amount: Amount,
    taxAmount: Amount,
    total: Amount,
    currency: Type.String(),
    status: OneOf(['ISSUED', 'VOIDED']),
    externalCreditNoteId: Type.String(),
    permalink: Nullable(Type.String()),
    pdfUrl: Nullable(Type.String()),
    reason: Nullable(Type.String()),
    createdAt: Timestamp,
    voidedAt: NullableTime,
  },
  { $id: 'InvoiceRefund' },
);

const MOST_LINES = 1000;
/** What a price and a quantity may come to: their product, with tax, keeps all its digits. */
const MOST = '1000000000000000';

const InvoiceLineCreate = Strict(
  {
    displayName: Name,
    quantity: DecimalText({ minimum: '0', maximum: MOST, fractionDigits: 18, accept: 'both' }),
    unitPrice: DecimalText({ minimum: `-${MOST}`, maximum: MOST, fractionDigits: 18, accept: 'both' }),
    itemId: Type.Optional(Nullable(Id('item'))),
    taxRate: Type.Optional(Nullable(Percent)),
  },
  { $id: 'InvoiceLineCreate', description: 'A negative `unitPrice` takes off. `taxRate` in percent.' },
);

export const InvoiceCreate = Strict(
  {
    customerId: Id('customer'),
    currency: Type.String({ format: 'currency' }),
    lines: Type.Array(InvoiceLineCreate, { minItems: 1, maxItems: MOST_LINES }),
    paymentTermDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 365, default: 0 })),
    autoApprove: Type.Optional(Type.Boolean({ default: false })),
    metadata: Type.Optional(Metadata),
    idempotencyKey: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
    merchantId: Type.Optional(Id('organization')),
  },
  { $id: 'InvoiceCreate' },
);
export type InvoiceCreate = Static<typeof InvoiceCreate>;

const reason = { reason: Type.Optional(Text({ minLength: 1, maxLength: 1000 })) };
const IN_FULL = 'is not taken: a refund is always of the whole invoice';

/** `{reason?}`, recorded on the credit note or in the audit log. */
export const ReasonBody = Strict(reason, { $id: 'Reason' });

/** The same of a refund, where callers try to give a part. */
export const RefundBody = Strict(reason, {
  $id: 'RefundCreate',
  'x-hints': { amount: IN_FULL, taxAmount: IN_FULL, total: IN_FULL, lineItems: IN_FULL },
});

const MOST_OFFSET = 10_000; // §8

export const InvoiceListQuery = ListQuery(
  {
    nextActionAt: Type.Optional(Type.Literal('ready')),
    status: Type.Optional(OneOf(invoiceStatuses)),
    subscriptionId: Type.Optional(Id('subscription')),
    customerId: Type.Optional(Id('customer')),
    merchantId: Type.Optional(Id('organization')),
    invoiceNumber: Type.Optional(Text({ minLength: 1, maxLength: 100 })),
    issuedFrom: Type.Optional(Timestamp),
    issuedTo: Type.Optional(Timestamp),
    dueFrom: Type.Optional(Timestamp),
    dueTo: Type.Optional(Timestamp),
    overdue: Type.Optional(Type.Boolean()),
    amountFrom: Type.Optional(DecimalText()),
    amountTo: Type.Optional(DecimalText()),
  },
  { mostOffset: MOST_OFFSET },
);
export type InvoiceListQuery = Static<typeof InvoiceListQuery>;

const PageToken = Formed('^[0-9]{1,9}$', 'must be the nextPageToken of the page before');

export const InvoiceQuery = Strict({
  expand: Type.Optional(Type.Literal('lineItems')),
  lineItemsLimit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  lineItemsPageToken: Type.Optional(PageToken),
});
export type InvoiceQuery = Static<typeof InvoiceQuery>;

export const LineItemsQuery = Strict({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  pageToken: Type.Optional(PageToken),
  expand: Type.Optional(Type.Literal('items')),
  provider: Type.Optional(
    Formed('^[a-z][a-z0-9_]*$', 'must be a word of lowercase letters, digits and underscores, such as salesforce', {
      maxLength: 64,
    }),
  ),
});

export const InvoiceList = ListOf(Invoice);
export const RefundList = ListOf(InvoiceRefund);
export const RefundListQuery = ListQuery({});

export const PaymentSessionBody = Strict(
  {
    redirectUrls: Type.Optional(
      Strict({
        onSuccess: Type.Optional(Text({ maxLength: 2048 })),
        onFailure: Type.Optional(Text({ maxLength: 2048 })),
      }),
    ),
    sessionExpiryMinutes: Type.Optional(Type.Integer({ minimum: 5, maximum: 43_200 })),
  },
  { $id: 'InvoicePaymentSessionCreate' },
);
