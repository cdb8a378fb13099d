import {
  type CompactForms,
  DecimalOut,
  DecimalText,
  Formed,
  GroupOut,
  Id,
  ListQuery,
  Metadata,
  MetadataOut,
  Name,
  Nullable,
  NumberOut,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
  UpdatedFrom,
} from '../../http/index.ts';
import { Percent } from '../../identity/index.ts';
import { ExternalReferenceReply } from '../../references/index.ts';
import { DisplayUnitReply } from '../rating/index.ts';
import { invoiceStatuses } from './states.ts';

const Amount = DecimalOut;
const NullableTime = Nullable(Timestamp);

export const TierUsed = Type.Object(
  {
    above: DecimalOut,
    upTo: Nullable(DecimalOut),
    quantity: DecimalOut,
    unitPrice: DecimalOut,
    flatPrice: DecimalOut,
    amount: DecimalOut,
  },
  {
    $id: 'TierUsed',
    description:
      'The units of a line that fell into one tier: above `above`, up to and including `upTo`. Amounts are exact; ' +
      'where one does not end (a part of a period), all are rounded to the currency so that they sum to the line.',
    'x-fields': {
      above: 'The lower bound of the tier, exclusive.',
      upTo: 'The upper bound of the tier, inclusive. Null: the last tier has no upper bound.',
      quantity: 'The units of the line in this tier.',
      unitPrice: 'The price of one unit in this tier, in major units.',
      flatPrice: 'The price of the tier itself, in major units. 0: there is none.',
      amount: 'The amount of the tier, in major units.',
    },
  },
);

/** The calculation of an amount, as on the document. */
export const LineNotes = Type.Array(Type.String(), {
  description: 'The calculation of the amount in words, as on the document: "14 of 31 days of 99.00".',
});

export const InvoiceLineItem = Type.Object(
  {
    id: Type.String(),
    eventType: OneOf(['usage', 'fee', 'discount']),
    eventId: Type.String({ description: "The line's own id." }),
    eventSourceId: Type.String({ description: 'The id of the metric or fee; empty: none.' }),
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
    listUnitPrice: Nullable(DecimalOut),
    displayUnit: Nullable(DisplayUnitReply),
    totalPrice: Amount,
    discountPrice: Amount,
    taxRate: NumberOut,
    totalTax: Amount,
    totalAmount: Amount,
    periodStart: Timestamp,
    periodEnd: Timestamp,
    group: Nullable(GroupOut),
    tiers: Nullable(Type.Array(TierUsed)),
    notes: LineNotes,
    appliesToLineId: Nullable(Type.String()),
    couponId: Nullable(Id('coupon')),
    redemptionId: Nullable(Id('redemption')),
    billingCreditId: Nullable(Id('billingCredit')),
    commitmentId: Nullable(Id('commitment')),
    subscriptionId: Nullable(Id('subscription')),
    customerId: Type.String(),
  },
  {
    $id: 'InvoiceLineItem',
    description: 'A line of an invoice: a charge, a discount, or a credit of a charge that was billed before.',
    'x-fields': {
      eventType:
        '`usage`: of a metric, also late usage. `fee`: of a fee, a minimum, a manual line or a top-up. ' +
        '`discount`: an adjustment, a maximum or units that grants cover.',
      lineItemType: '`refund`: a credit of a charge that was billed before. `charge`: every other line.',
      type: 'The kind of the line in detail, such as `usage`, `fee`, `manual` or `wallet_top_up`.',
      priceId: 'The price of the line. Null: the line has no price.',
      itemId: 'The item of the line. Null: it has none.',
      invoiceDisplayName: ['The text of the line, as on the document.', 'Messages'],
      metricName: ['The name of the metric. Empty: the line has none.', 'Messages'],
      metricUnit: ['The unit of the metric. Empty: the line has none.', 'message'],
      metricDescription: ['The description of the metric. Empty: the line has none.', ''],
      quantity: 'The number of units, with all its digits.',
      unitPrice:
        'The price of one unit, in major units. With tiers: `totalPrice` divided by `quantity`, with at most ' +
        'nine digits.',
      displayUnit:
        'The unit in which documents and pages say the line, as it was at the issue. Quantity and price of the line are ' +
        'of one unit. Null: the unit itself.',
      listUnitPrice: 'The price of one unit in the catalog, where a negotiated price holds. Null: none holds.',
      totalPrice: 'The amount before tax, in major units. Below 0: a deduction.',
      discountPrice: 'On a discount line: the amount of the discount, in major units. 0 on every other line.',
      taxRate: 'The tax rate in percent: 20 is 20 %.',
      totalTax: 'The tax of the line, in major units.',
      totalAmount: 'The amount with tax, in major units.',
      periodStart: 'The start of the time that the line bills, inclusive.',
      periodEnd: 'The end of the time that the line bills, exclusive.',
      group: 'The values of the dimensions, where the price bills each combination by itself. Null: it does not.',
      tiers: 'The part of the line in each tier. Null: the price has no tiers.',
      appliesToLineId: 'Of a discount or a credit: the line that it reduces. Null: none.',
      couponId: 'The coupon that made the line. Null: none did.',
      redemptionId: 'The redemption of the coupon by the subscription. Null: no coupon made the line.',
      billingCreditId: 'The billing credit that pays by the line, or has something back. Null: none.',
      commitmentId: 'The commitment over a term that made the line. Null: none did.',
      subscriptionId: 'The subscription of the line. Null: of none.',
      customerId: ['The customer of the line. Empty: a simulation without a customer.', 'cus_8c3d5e0f1a2b4c6d'],
    },
  },
);

export const ResolvedItem = Type.Object(
  {
    id: Id('item'),
    name: Type.String(),
    catalogId: Nullable(Type.String()),
    archivedAt: NullableTime,
    externalReferences: Type.Array(ExternalReferenceReply),
  },
  {
    $id: 'ResolvedItem',
    description: 'An item of a line, with its ids in external systems.',
    'x-fields': {
      name: 'The name of the item.',
      catalogId: 'The product of the item. Null: it has none.',
      archivedAt: 'The time at which the item was archived. Null: it is in use.',
      externalReferences: 'The external references of the item.',
    },
  },
);

export const InvoiceLineItemsReply = Type.Object(
  {
    invoiceId: Id('invoice'),
    lineItems: Type.Array(InvoiceLineItem),
    items: Type.Optional(Type.Array(ResolvedItem)),
    nextPageToken: Nullable(Type.String()),
    totalCount: Type.Integer(),
  },
  {
    $id: 'InvoiceLineItemsResponse',
    description: 'A page of the lines of an invoice.',
    'x-fields': {
      lineItems: 'The lines of this page, in the order of the document.',
      items: 'The items of the lines. Present with `expand=items`.',
      nextPageToken: 'Send it as `pageToken` for the next page. Null: this is the last page.',
      totalCount: 'The number of all lines of the invoice.',
    },
  },
);

const OutsideTax = Type.Object(
  {
    estimatedTax: Amount,
    adjustmentApplied: Type.Boolean(),
    actualTax: Type.Optional(Amount),
    difference: Type.Optional(Amount),
    adjustmentNeeded: Type.Boolean(),
    reconciled: Type.Boolean(),
    reconciledAt: Type.Optional(Timestamp),
    problem: Type.Optional(Type.String()),
  },
  {
    $id: 'OutsideTax',
    description: 'The tax that an outside provider calculated and recorded.',
    'x-fields': {
      estimatedTax: 'The tax as it was calculated and billed, in major units.',
      adjustmentApplied: 'Always `false`: an issued invoice is never changed.',
      actualTax: 'The tax as the provider recorded it. Absent: it has not recorded it yet.',
      difference: 'The recorded tax less the billed one. Absent: the provider has not recorded it yet.',
      adjustmentNeeded: '`true`: the two differ.',
      reconciled: '`true`: the two are the same.',
      reconciledAt: 'When they were compared. Absent: not yet.',
      problem: 'Why the provider could not record the tax. Absent: there is no problem.',
    },
  },
);

/** A subscription on a grouped invoice. */
const InvoiceSection = Type.Object(
  {
    subscriptionId: Id('subscription'),
    customerId: Id('customer'),
    name: Type.String(),
    subtotal: Amount,
  },
  {
    $id: 'InvoiceSection',
    description: 'A subscription on a grouped invoice.',
    'x-fields': {
      subscriptionId: 'The subscription.',
      customerId: 'The customer of the subscription.',
      name: ['The name of the section, as on the document.', 'Team'],
      subtotal: 'The sum of the lines of the section before tax, in major units.',
    },
  },
);

export const InvoiceReply = Type.Object(
  {
    id: Id('invoice'),
    object: Type.Literal('invoice'),
    kind: OneOf(['subscription', 'upfront', 'ad_hoc', 'order', 'grouped']),
    status: OneOf(invoiceStatuses),
    merchantId: Id('organization'),
    customerId: Id('customer'),
    payerId: Nullable(Id('customer')),
    reissueOfId: Nullable(Id('invoice')),
    reissuedAsId: Nullable(Id('invoice')),
    groupedIntoId: Nullable(Id('invoice')),
    sections: Type.Array(InvoiceSection),
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
    lineItems: Nullable(InvoiceLineItemsReply),
    tax: Nullable(OutsideTax),
    nextActionAt: NullableTime,
    issuedAt: NullableTime,
    dueAt: NullableTime,
    paidAt: NullableTime,
    paymentTermDays: Type.Integer(),
    serviceFrom: NullableTime,
    serviceTo: NullableTime,
    paymentInFlight: Type.Boolean(),
    paymentUrl: Nullable(Type.String()),
    pdfUrl: Nullable(Type.String()),
    permalink: Nullable(Type.String()),
    pdfSource: Nullable(Type.String()),
    dataSnapshotHash: Nullable(Type.String()),
    documentWithheldReason: Nullable(Type.String()),
    failureReason: Type.Optional(Type.String()),
    failureDetail: Type.Optional(Type.String()),
    metadata: MetadataOut,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'Invoice',
    'x-compact': { subscriptionId: 'text' } satisfies CompactForms,
    description: 'An invoice. After its issue it is never edited; credit notes correct it.',
    'x-fields': {
      metadata: 'Your own keys and values.',
      kind:
        '`subscription`: for a period. `upfront`: the first payment of a subscription. `order`: of a billing ' +
        'schedule. `ad_hoc`: a one-off invoice, a top-up or the purchase of a grant. `grouped`: several invoices of ' +
        'periods in one.',
      reissueOfId: 'The invoice that this one replaces. Null: none.',
      reissuedAsId: 'The invoice that replaces this one. Null: none.',
      groupedIntoId: 'The grouped invoice that has its lines. Null: it has them itself.',
      sections: 'Of a grouped invoice: each of its subscriptions. Empty of every other.',
      status:
        '`ACTIVE`: the period is open. `CLOSING`: the grace period runs. `CLOSED`, `CALCULATING`: the ' +
        'amounts are being calculated. `DRAFT`: it waits for approval. `ISSUED`: it is due for payment. ' +
        '`PAYMENT_FAILED`: a charge was declined. `PAID`, `CANCELLED`, `WRITTEN_OFF`. `FAILED`: the ' +
        'calculation failed.',
      customerId: 'The billed customer.',
      payerId: 'The customer that pays it, and to which it is addressed. Fixed at its issue. Null: `customerId` pays.',
      subscriptionId: 'The subscription. Null: a one-off invoice, one of an order, or a grouped one.',
      autoApprove: '`true`: it is issued when it is calculated. `false`: it stays `DRAFT` until it is approved.',
      billingAnchor: 'The time from which periods are counted.',
      billingCadence: 'The length of the period as an ISO 8601 duration: `P1M` is a month. `P0D`: it bills no period.',
      periodStart: 'The start of the period, inclusive.',
      periodEnd: 'The end of the period, exclusive.',
      gracePeriodEnd: 'Usage of the period that arrives before this time is on this invoice.',
      subtotal: 'The sum of the lines before tax, in major units. While the period is open, as of now.',
      totalTax: 'The tax, in major units.',
      grandTotal: 'The sum with tax, in major units.',
      paidAmount: 'The amount that is paid or credited so far, in major units.',
      unpaidAmount: 'The amount that is left to pay, in major units.',
      walletApplied: 'The part of `paidAmount` that the wallet of the customer paid, in major units.',
      invoiceNumber:
        'The number, without gaps for the merchant. Null: it has none before its issue, or before its ' +
        'payment where it is cancelled if it is not paid.',
      sequenceNumber: 'The number of the period within its series of invoices. 0: it bills no period.',
      itemCount: 'The number of lines.',
      lineItems: 'The lines, where they were asked for with `expand=lineItems`. Null: they were not, as in lists.',
      tax:
        'The tax of an external provider: `estimatedTax`, `actualTax`, `difference`, ' +
        '`reconciled`. Null: Reckoner calculates the tax itself.',
      nextActionAt:
        'The time at which a background job takes it up next, such as the end of the period or the next ' +
        'charge. Null: none does.',
      issuedAt: 'The time of its issue. Null: it is not issued.',
      dueAt: 'The due time: `paymentTermDays` after its issue. Null: it is not issued.',
      paidAt: 'The time at which it was paid in full. Null: it is not.',
      paymentTermDays: 'The days from its issue to `dueAt`.',
      serviceFrom:
        'The start of the supply of a one-off invoice, inclusive. Null: not issued yet, and no time was sent; also of ' +
        'a top-up, which is no supply, and of a subscription, whose lines have periods.',
      serviceTo: 'The end of the supply, exclusive; the same as `serviceFrom`: a point of time.',
      paymentInFlight: '`true`: a charge is in progress. Until it ends, nothing else can pay or cancel the invoice.',
      paymentUrl: 'The page on which the customer pays. Null: it cannot be paid online now.',
      pdfUrl: 'The address of the PDF. It needs a key. Null: no document.',
      permalink: 'The page of the invoice for the customer, without a key. Null: it is not issued.',
      pdfSource:
        '`tax_provider`: the document is the one of the tax provider; Stripe Tax makes none. Null: it is rendered here.',
      dataSnapshotHash:
        'The SHA-256 of the content for which an approval is requested. Null: it is not calculated yet.',
      documentWithheldReason: 'Why there is no document, such as `not_issued` or `too_many_lines`. Null: there is one.',
      failureReason: 'Why the last charge was declined or the calculation failed. Absent: nothing failed.',
      failureDetail: 'The message of the tax provider, where it is the reason. Absent otherwise.',
    },
  },
);

export const InvoiceRefundReply = Type.Object(
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
    voidReason: Nullable(Type.String()),
    createdAt: Timestamp,
    voidedAt: NullableTime,
  },
  {
    $id: 'InvoiceRefund',
    description: 'A refund of a whole paid invoice. It is a credit note with a number of its own.',
    'x-fields': {
      invoiceId: 'The invoice that was refunded.',
      amount: 'The refunded amount before tax, in major units.',
      taxAmount: 'The tax that is reversed, in major units.',
      total: 'The sum of `amount` and `taxAmount`, in major units.',
      status: '`ISSUED`: it is valid. `VOIDED`: it was voided, permanently.',
      externalCreditNoteId: [
        'The id of the credit note at the tax provider. Without one, the number of the credit note.',
        'CN-000007',
      ],
      permalink: 'The page of the credit note at the tax provider. Null: it has none.',
      pdfUrl: 'The address of the PDF. Without a tax provider it needs a key.',
      reason: 'The reason that was sent with the refund. Null: none was.',
      voidReason: 'The reason that was sent with the void. Null: none was.',
      voidedAt: 'The time of the void. Null: it is not voided.',
    },
  },
);

const MOST_LINES = 1000;
/** The limit of price × quantity: their product, with tax, keeps all its digits. */
const MOST = '1000000000000000';

const serviceTime = {
  serviceFrom: Type.Optional(Nullable(Timestamp)),
  serviceTo: Type.Optional(Nullable(Timestamp)),
};
const ONE_END = 'The two may be the same. One of them alone is a point of time.';

const InvoiceLineCreate = Strict(
  {
    displayName: Name,
    quantity: DecimalText({ minimum: '0', maximum: MOST, fractionDigits: 18, accept: 'both' }),
    unitPrice: DecimalText({ minimum: `-${MOST}`, maximum: MOST, fractionDigits: 18, accept: 'both' }),
    itemId: Type.Optional(Nullable(Id('item'))),
    taxRate: Type.Optional(Nullable(Percent)),
    ...serviceTime,
  },
  {
    $id: 'InvoiceLineCreate',
    description: 'A negative `unitPrice` is a deduction. `taxRate` in percent.',
    'x-fields': {
      displayName: ['The text of the line, as on the document.', 'Workshop'],
      quantity: 'The number of units, 0 or more, as a number or a decimal string.',
      unitPrice: 'The price of one unit in major units, as a number or a decimal string. A negative one is a credit.',
      itemId: 'The sold item, for reports and external systems. Null: none.',
      taxRate: 'The tax rate in percent: 19 is 19 %. Null: the rate of the merchant. A rate of the customer wins.',
      serviceFrom: 'The start of the supply of this line, inclusive. Null or absent: the time of the invoice.',
      serviceTo: `The end of the supply of this line, exclusive. ${ONE_END}`,
    },
  },
);

export const InvoiceCreateBody = Strict(
  {
    customerId: Id('customer'),
    currency: Type.String({ format: 'currency' }),
    lines: Type.Array(InvoiceLineCreate, { minItems: 1, maxItems: MOST_LINES }),
    ...serviceTime,
    taxExempt: Type.Optional(Type.Boolean()),
    paymentTermDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 365, default: 0 })),
    autoApprove: Type.Optional(Type.Boolean({ default: false })),
    metadata: Type.Optional(Metadata),
    idempotencyKey: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'InvoiceCreate',
    examples: [
      {
        customerId: 'cus_8c3d5e0f1a2b4c6d',
        currency: 'EUR',
        paymentTermDays: 14,
        lines: [
          { displayName: 'Workshop', quantity: '1.5', unitPrice: '800' },
          { displayName: 'Goodwill', quantity: 1, unitPrice: '-100' },
        ],
        serviceFrom: '2026-03-02T00:00:00Z',
        serviceTo: '2026-03-04T00:00:00Z',
      },
    ],
    'x-fields': {
      customerId: 'The billed customer.',
      lines: 'The lines, in the order of the document. Their sum with tax is 0 or more.',
      serviceFrom:
        'The start of the supply, inclusive: the date of supply on the document. Default: from the first to the last ' +
        'time of the lines, else the day of the issue.',
      serviceTo: `The end of the supply, exclusive. Its last day decides the tax. ${ONE_END}`,
      taxExempt:
        '`true`: no line has tax. `false`: the lines have tax, also if the customer is exempt. Default: `taxExempt` ' +
        'of the customer.',
      paymentTermDays: 'The days from the issue to the due date.',
      autoApprove: '`true`: it is issued at once, unless the merchant requires an approval. `false`: it is a draft.',
      idempotencyKey:
        'Your key of this invoice, valid for ever. The same key again answers 200 with the first invoice.',
    },
  },
);
export type InvoiceCreateBody = Static<typeof InvoiceCreateBody>;

const reason = { reason: Type.Optional(Text({ minLength: 1, maxLength: 1000 })) };
const reasonWords = {
  reason: 'The reason, for people.',
} as const;

const IN_FULL = 'is not taken: a refund is always of the whole invoice';

/** `{reason?}`, recorded on the credit note or in the audit log. */
export const ReasonBody = Strict(reason, {
  $id: 'Reason',
  examples: [{ reason: 'Agreed by telephone' }],
  'x-fields': reasonWords,
});

/** How an issued invoice is replaced. */
export const ReissueBody = Strict(
  {
    reason: Text({ minLength: 1, maxLength: 1000 }),
    recalculate: Type.Optional(Type.Boolean({ default: false })),
  },
  {
    $id: 'InvoiceReissue',
    examples: [{ reason: 'The address was wrong' }, { reason: 'Usage was missing', recalculate: true }],
    'x-fields': {
      reason: 'The reason. It stands on the credit note.',
      recalculate:
        '`true`: the new invoice is rated anew, with the usage and the tax rates of now. `false`: it has the same lines.',
    },
  },
);

/** The same of a cancellation. */
export const CancelBody = Strict(
  { ...reason, rebill: Type.Optional(Type.Boolean({ default: false })) },
  {
    $id: 'InvoiceCancel',
    examples: [{ reason: 'The period was cut by mistake', rebill: true }],
    'x-fields': {
      ...reasonWords,
      rebill:
        'Only for invoices of subscriptions: the next invoice bears the fees and the usage of this one, at the prices ' +
        'that hold now for each time. Lines that were added by hand are not repeated.',
    },
  },
);

/** The same of a refund, where callers try to give a part. */
export const RefundBody = Strict(reason, {
  $id: 'RefundCreate',
  'x-hints': { amount: IN_FULL, taxAmount: IN_FULL, total: IN_FULL, lineItems: IN_FULL },
  examples: [{ reason: 'The service was not available' }],
  'x-fields': reasonWords,
});

const MOST_OFFSET = 10_000; // §8

export const InvoiceListQuery = ListQuery(
  {
    nextActionAt: Type.Optional(Type.Literal('ready')),
    status: Type.Optional(OneOf(invoiceStatuses)),
    subscriptionId: Type.Optional(Id('subscription')),
    customerId: Type.Optional(Id('customer')),
    payerId: Type.Optional(Id('customer')),
    merchantId: Type.Optional(Id('organization')),
    invoiceNumber: Type.Optional(Text({ minLength: 1, maxLength: 100 })),
    issuedFrom: Type.Optional(Timestamp),
    issuedTo: Type.Optional(Timestamp),
    dueFrom: Type.Optional(Timestamp),
    dueTo: Type.Optional(Timestamp),
    unpaid: Type.Optional(Type.Boolean()),
    overdue: Type.Optional(Type.Boolean()),
    amountFrom: Type.Optional(DecimalText()),
    amountTo: Type.Optional(DecimalText()),
    updatedFrom: Type.Optional(UpdatedFrom),
  },
  {
    mostOffset: MOST_OFFSET,
    fields: {
      nextActionAt: '`ready` lists invoices that are due for their next step. For platform operators.',
      status: 'Only invoices with this status.',
      customerId: 'Only invoices of this customer. It wins over `merchantId`.',
      payerId: 'Only invoices that this customer pays for others.',
      invoiceNumber: 'Only the invoice with exactly this number.',
      issuedFrom: 'Only invoices that were issued at this time or later.',
      issuedTo: 'Only invoices that were issued before this time.',
      dueFrom: 'Only invoices that are due at this time or later.',
      dueTo: 'Only invoices that are due before this time.',
      unpaid:
        '`true`: only issued invoices for which money is still asked, also after a declined charge. `false`: only ' +
        'the others.',
      overdue: '`true`: only unpaid invoices after the UTC day of `dueAt`. `false`: only the others.',
      amountFrom:
        'Only invoices with a `grandTotal` of at least this amount, in their own currency. It finds no open ' +
        'period.',
      amountTo:
        'Only invoices with a `grandTotal` of at most this amount, in their own currency. It finds no open ' +
        'period.',
    },
  },
);
export type InvoiceListQuery = Static<typeof InvoiceListQuery>;

const PageToken = Formed('^[0-9]{1,9}$', 'must be the nextPageToken of the page before');

export const InvoiceQuery = Strict(
  {
    expand: Type.Optional(Type.Literal('lineItems')),
    lineItemsLimit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
    lineItemsPageToken: Type.Optional(PageToken),
  },
  {
    'x-fields': {
      expand: '`lineItems` adds the lines to the invoice.',
      lineItemsLimit: 'The most lines in the answer.',
      lineItemsPageToken: 'The `nextPageToken` of the page before. Default: the first page.',
    },
  },
);
export type InvoiceQuery = Static<typeof InvoiceQuery>;

export const LineItemsQuery = Strict(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
    pageToken: Type.Optional(PageToken),
    expand: Type.Optional(Type.Literal('items')),
    provider: Type.Optional(
      Formed('^[a-z][a-z0-9_]*$', 'must be a word of lowercase letters, digits and underscores, such as salesforce', {
        maxLength: 64,
      }),
    ),
  },
  {
    'x-fields': {
      limit: 'The most lines in the answer.',
      pageToken: 'The `nextPageToken` of the page before. Default: the first page.',
      expand: '`items` adds the items of the lines, with their external references.',
      provider: 'With `expand=items`: only references to this external system.',
    },
  },
);

export const PaymentSessionBody = Strict(
  {
    redirectUrls: Type.Optional(
      Strict(
        {
          onSuccess: Type.Optional(Text({ maxLength: 2048 })),
          onFailure: Type.Optional(Text({ maxLength: 2048 })),
        },
        {
          'x-fields': {
            onSuccess: 'The address after a payment. `https`, or `http` to localhost in the sandbox.',
            onFailure: 'The address after the customer leaves the page without a payment.',
          },
        },
      ),
    ),
    sessionExpiryMinutes: Type.Optional(Type.Integer({ minimum: 5, maximum: 43_200 })),
  },
  {
    $id: 'InvoicePaymentSessionCreate',
    examples: [{ redirectUrls: { onSuccess: 'https://app.example/paid' }, sessionExpiryMinutes: 60 }],
    'x-fields': {
      redirectUrls: 'Addresses to which the payment page leads.',
      sessionExpiryMinutes: 'How long the page can be used, in minutes. Default: 1,440, which is a day.',
    },
  },
);
