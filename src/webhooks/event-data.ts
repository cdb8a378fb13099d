import {
  type Cases,
  DecimalOut,
  type FieldWords,
  Id,
  Nullable,
  NumberOut,
  OneOf,
  Timestamp,
  type TSchema,
  Type,
} from '../http/index.ts';
import { EVENT_TYPES, type EventType } from './kinds.ts';

/** The type of the event that a test sends. It is no kind of event: nothing lists it. */
export const TEST_TYPE = 'webhook_endpoint.test.v0';

const DATA_FIELDS: FieldWords = {
  sequence: ['The number of the event among those of its resource; the first is 1.', 4],
  refundId: 'Of a refund: its id.',
  creditNoteId: 'Of a credit note over a part: its id.',
  paymentId: 'Of a reversed payment: its id.',
  available: 'Of billing credits: what is left of all that the customer has, in major units.',
  declines: 'Of a top-up: the declined charges in a row.',
  billingCreditId: 'The id of the billing credit. Of an invoice: the credit that its payment made.',
  groupedIntoId: 'Of an invoice whose lines stand on a grouped one: the id of that.',
  grantId: 'The id of the grant. Of an invoice: the grant that its payment made.',
  subscriptionId: 'The id of the subscription. Absent or null: there is none.',
  approvalId: 'The id of the approval.',
  externalReferences: 'The default references of the resource and its customer in outside systems.',
  entityType: 'The kind of the resource that is paid.',
  entityId: 'The id of the resource that is paid.',
  paymentMethodId: 'The id of the stored payment method. Absent: none.',
  resourceType: 'The kind of the resource of the approval.',
  resourceId: 'The id of the resource of the approval.',
  kind: 'The kind of the approval.',
  decision: 'The decision.',
  sourceEventId: 'The id of the source event.',
  sourceId: 'The id of the source.',
  customerId: 'The id of the customer. Absent or null: it is not known.',
  consumerId: 'The id of the consumer.',
  reason: 'The reason.',
  day: ['The day, in UTC.', '2026-03-01'],
  alertId: 'The id of the alert.',
  entitlementId: 'The id of the entitlement. Null: the alert watches something else.',
  billableMetricId: 'The id of the metric. Null: the alert watches something else.',
  periodStart: 'The beginning of the period of the figure.',
  type: ['What is watched: `balance`, `invoice_total`, `usage` or `billing_credits`.', 'balance'],
  name: ['The name of the alert; of a low or spent balance the name of the feature. Null: none.', 'Tokens'],
  value: ['The figure that was seen: the balance, the invoice total with tax, or the usage.', '18'],
  threshold: ['The figure that was reached. Null: it is a percentage.', '0'],
  percent: [
    'The percentage that was reached; of a balance the used part of all units of the period. Null: it is a threshold.',
    80,
  ],
  currency: ['The currency of an invoice total or of billing credits. Null: the figure is no amount of money.', 'USD'],
  paymentSessionId: 'The id of the payment session.',
  orderId: 'The id of the order.',
  webhookEndpointId: 'The id of the webhook endpoint.',
};

const customer = { customerId: Id('customer') };
const subscription = { subscriptionId: Type.Optional(Nullable(Id('subscription'))) };
const figure = {
  type: OneOf(['balance', 'invoice_total', 'usage', 'billing_credits']),
  name: Nullable(Type.String()),
  value: DecimalOut,
  threshold: Nullable(DecimalOut),
  percent: Nullable(NumberOut),
  currency: Nullable(Type.String()),
  periodStart: Timestamp,
};
const entitled = { entitlementId: Id('entitlement'), ...customer, ...subscription };
const pushed = {
  approvalId: Type.Optional(Id('approval')),
  externalReferences: Type.Optional(
    Type.Array(
      Type.Object(
        { entityType: Type.String(), entityId: Type.String(), provider: Type.String(), externalId: Type.String() },
        {
          'x-fields': {
            entityType: 'The kind of the resource.',
            entityId: 'The id of the resource.',
            provider: 'The outside system.',
            externalId: 'The id of the record there.',
          },
        },
      ),
    ),
  ),
};

/** The data of the events about one kind of resource, beside the merchant and the sequence. */
const DATA: Readonly<Record<string, Readonly<Record<string, TSchema>>>> = {
  invoice: {
    invoiceId: Id('invoice'),
    ...customer,
    ...subscription,
    grantId: Type.Optional(Id('grant')),
    billingCreditId: Type.Optional(Id('billingCredit')),
    refundId: Type.Optional(Type.String()),
    creditNoteId: Type.Optional(Type.String()),
    paymentId: Type.Optional(Id('payment')),
    groupedIntoId: Type.Optional(Id('invoice')),
    ...pushed,
  },
  subscription: { subscriptionId: Id('subscription'), ...customer },
  billing_credit: {
    billingCreditId: Type.Optional(Id('billingCredit')),
    ...customer,
    currency: Type.Optional(Type.String()),
    available: Type.Optional(DecimalOut),
  },
  credit_top_up: { ...customer, currency: Type.String(), declines: Type.Integer(), available: DecimalOut },
  grant: { grantId: Id('grant'), ...entitled },
  /** A reset has no figure. */
  entitlement: {
    ...entitled,
    ...Object.fromEntries(Object.entries(figure).map(([name, schema]) => [name, Type.Optional(schema)])),
  },
  payment_session: {
    paymentSessionId: Id('paymentSession'),
    entityType: Type.String(),
    entityId: Type.String(),
    invoiceId: Type.Optional(Id('invoice')),
    customerId: Type.Optional(Id('customer')),
    ...subscription,
    paymentMethodId: Type.Optional(Type.String()),
  },
  order: { orderId: Id('order'), ...customer, ...pushed },
  approval: {
    approvalId: Id('approval'),
    resourceType: OneOf(['order', 'invoice']),
    resourceId: Type.String(),
    kind: Type.String(),
    decision: Type.String(),
  },
  source_event: {
    sourceEventId: Id('sourceEvent'),
    sourceId: Id('source'),
    customerId: Type.Optional(Nullable(Id('customer'))),
    ...subscription,
  },
  usage: {
    billableMetricId: Type.Optional(Id('billableMetric')),
    reason: Type.Optional(Type.String()),
    day: Type.String(),
  },
  customer: { ...customer, consumerId: Id('organization') },
  alert: {
    alertId: Id('alert'),
    ...customer,
    entitlementId: Nullable(Id('entitlement')),
    ...subscription,
    billableMetricId: Nullable(Id('billableMetric')),
    ...figure,
  },
  webhook_endpoint: { webhookEndpointId: Id('webhookEndpoint'), reason: Type.Optional(Type.String()) },
};

const resourceOf = (type: string): string => type.split('.')[0] as string;

const typesOf = (resource: string, isReceived: boolean): readonly string[] => [
  ...EVENT_TYPES.filter((type: EventType) => resourceOf(type) === resource),
  ...(isReceived && resourceOf(TEST_TYPE) === resource ? [TEST_TYPE] : []),
];

const dataOf = (resource: string): TSchema =>
  Type.Object(
    { merchantId: Id('organization'), ...DATA[resource], sequence: Type.Optional(Type.Integer()) },
    {
      $id: `${resource.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}EventData`,
      description: 'The ids that the event is about. Only alerts and notices of balances have figures.',
      'x-fields': DATA_FIELDS,
    },
  );

const SCHEMAS = new Map(Object.keys(DATA).map((resource) => [resource, dataOf(resource)]));

/**
 * The kinds of a webhook event by its type, for the document: the events about one kind of resource have the same data.
 * @param isReceived with the event of a test
 */
export const casesOfEvents = (isReceived: boolean): Cases => ({
  by: 'type',
  of: Object.fromEntries(
    [...SCHEMAS].map(([resource, data]) => [resource, { words: typesOf(resource, isReceived), fields: { data } }]),
  ),
});

/** The kinds of the body of a webhook: one for each type, with that of a test. */
export const casesOfDeliveries: Cases = {
  by: 'type',
  of: Object.fromEntries(
    [...SCHEMAS].flatMap(([resource, data]) => typesOf(resource, true).map((type) => [type, { fields: { data } }])),
  ),
};
