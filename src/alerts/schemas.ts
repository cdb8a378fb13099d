import {
  DecimalOut,
  DecimalText,
  type FieldWords,
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
  Timestamp,
  Type,
} from '../http/index.ts';
import { ALERT_TYPES, USAGE_PERIODS } from './alert.ts';

const ALERT_FIELDS: FieldWords = {
  type: [
    '`balance`: the balance of an entitlement. `invoice_total`: the open invoice of a subscription. ' +
      '`usage`: the usage of a metric by a customer. `billing_credits`: the billing credits of a customer that are left.',
    'usage',
  ],
  name: ['The name of the alert. The email shows it. Null: none.', 'Most of the pages'],
  entitlementId: 'The entitlement of an alert of type `balance`. Null: another type.',
  subscriptionId: 'The subscription of an alert of type `invoice_total`. Null: another type.',
  customerId: 'The customer of the balance, the invoice or the usage.',
  billableMetricId: ['The metric of an alert of type `usage`. Null: another type.', 'bm_8c3d5e0f1a2b4c6d'],
  period: [
    'The period of an alert of type `usage`: `day`, `week`, `month` (in UTC), or `billing`, the billing ' +
      'period. Null: another type.',
    'month',
  ],
  currency: ['The currency of an alert of type `billing_credits`. Null: another type.', 'USD'],
  threshold: 'The figure at which the alert triggers, a decimal string. Null: it has a `percent`.',
  percent: [
    'The percentage at which the alert triggers. Of a balance: of all units of the usage period; of billing credits: of what was granted. ' +
      'Otherwise: of `limit`. Null: it has a `threshold`.',
    80,
  ],
  limit: ['The whole of `percent`, a decimal string. Null: there is none.', '1000'],
  blocksAccess:
    '`true`: the alert is a budget. While it is reached, the customer has no access to the features that it covers. ' +
    'Not for the types `balance` and `billing_credits`. Default: `false`.',
  notifyCustomer: '`true`: the customer gets an email too. Default: `false`.',
  currentValue: [
    'The figure now: the balance, the invoice total with tax, or the usage. Null: there is none now.',
    '850',
  ],
  isReached: ['Has the figure reached the threshold?', true],
  periodStart: ['The beginning of the current period. Null: there is none.', '2026-03-01T00:00:00Z'],
  periodEnd: ['The end of the current period. Null: it has no end.', '2026-04-01T00:00:00Z'],
  lastTriggeredAt: 'When the alert last triggered. Null: never.',
  testClockId: 'The test clock of the entitlement or subscription. Null: none.',
  metadata: ['Data of your own. A change replaces all of it.', { team: 'north' }],
};

const TRIGGER_FIELDS: FieldWords = {
  ...ALERT_FIELDS,
  alertId: 'The id of the alert.',
  periodStart: 'The beginning of the period in which it triggered.',
  value: ['The figure that was seen.', '850'],
  webhookEventId: 'The webhook event of this trigger.',
  triggeredAt: 'When the alert triggered.',
};

const none = Type.Null();

export const AlertReply = Type.Object(
  {
    id: Id('alert'),
    object: Type.Literal('alert'),
    merchantId: Id('organization'),
    type: OneOf(ALERT_TYPES),
    name: Nullable(Type.String()),
    customerId: Id('customer'),
    entitlementId: Nullable(Id('entitlement')),
    subscriptionId: Nullable(Id('subscription')),
    billableMetricId: Nullable(Id('billableMetric')),
    period: Nullable(OneOf(USAGE_PERIODS)),
    currency: Nullable(Type.String()),
    threshold: Nullable(DecimalOut),
    percent: Nullable(NumberOut),
    limit: Nullable(DecimalOut),
    blocksAccess: Type.Boolean(),
    notifyCustomer: Type.Boolean(),
    currentValue: Nullable(DecimalOut),
    isReached: Type.Boolean(),
    periodStart: Nullable(Timestamp),
    periodEnd: Nullable(Timestamp),
    lastTriggeredAt: Nullable(Timestamp),
    testClockId: Nullable(Id('testClock')),
    metadata: MetadataOut,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'Alert',
    description: 'A threshold that is watched. `type` decides what is watched.',
    'x-fields': ALERT_FIELDS,
    'x-cases': {
      by: 'type',
      of: {
        balance: {
          fields: {
            entitlementId: Id('entitlement'),
            subscriptionId: none,
            billableMetricId: none,
            period: none,
            currency: none,
          },
        },
        invoice_total: {
          fields: {
            entitlementId: none,
            subscriptionId: Id('subscription'),
            billableMetricId: none,
            period: none,
            currency: none,
          },
        },
        usage: {
          fields: {
            entitlementId: none,
            subscriptionId: none,
            billableMetricId: Id('billableMetric'),
            period: OneOf(USAGE_PERIODS),
            currency: none,
          },
        },
        billing_credits: {
          fields: {
            entitlementId: none,
            subscriptionId: none,
            billableMetricId: none,
            period: none,
            currency: Type.String(),
          },
        },
      },
    },
  },
);

const Threshold = DecimalText({ minimum: '0' });
const Percent = DecimalText({ accept: 'both', exclusiveMinimum: '0', maximum: '10000' });
const Limit = DecimalText({ exclusiveMinimum: '0' });

const SENT_FIELDS: FieldWords = {
  ...ALERT_FIELDS,
  entitlementId: 'Required for type `balance`: the entitlement.',
  subscriptionId: 'Required for type `invoice_total`: the subscription.',
  customerId: 'Required for the types `usage` and `billing_credits`: the customer.',
  currency: ['Required for type `billing_credits`: the currency.', 'USD'],
  billableMetricId: 'Required for type `usage`: the metric.',
  period: 'For type `usage`. Default: `billing`, the open billing period of the metric, or else the month in UTC.',
  threshold: 'The figure at which the alert triggers. Send exactly one of `threshold` and `percent`.',
  limit: 'The whole of `percent`. Required with it for the types `invoice_total` and `usage`.',
};

const CHANGED_FIELDS: FieldWords = {
  ...ALERT_FIELDS,
  threshold: 'The figure at which the alert triggers. It replaces a percentage.',
  percent: 'The percentage at which the alert triggers. It replaces a threshold.',
};

export const AlertBody = Strict(
  {
    type: OneOf(ALERT_TYPES),
    entitlementId: Type.Optional(Id('entitlement')),
    subscriptionId: Type.Optional(Id('subscription')),
    customerId: Type.Optional(Id('customer')),
    billableMetricId: Type.Optional(Id('billableMetric')),
    period: Type.Optional(OneOf(USAGE_PERIODS)),
    currency: Type.Optional(Type.String({ format: 'currency' })),
    threshold: Type.Optional(Threshold),
    percent: Type.Optional(Percent),
    limit: Type.Optional(Limit),
    name: Type.Optional(Name),
    blocksAccess: Type.Optional(Type.Boolean({ default: false })),
    notifyCustomer: Type.Optional(Type.Boolean({ default: false })),
    metadata: Type.Optional(Metadata),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'AlertCreate',
    'x-fields': SENT_FIELDS,
    'x-cases': {
      by: 'type',
      of: {
        balance: {
          fields: { entitlementId: Id('entitlement') },
          without: ['subscriptionId', 'customerId', 'billableMetricId', 'period', 'currency', 'limit'],
        },
        invoice_total: {
          fields: { subscriptionId: Id('subscription') },
          without: ['entitlementId', 'customerId', 'billableMetricId', 'period', 'currency'],
        },
        usage: {
          fields: { customerId: Id('customer'), billableMetricId: Id('billableMetric') },
          without: ['entitlementId', 'subscriptionId', 'currency'],
        },
        billing_credits: {
          fields: { customerId: Id('customer'), currency: Type.String() },
          without: ['entitlementId', 'subscriptionId', 'billableMetricId', 'period', 'limit'],
        },
      },
    },
    examples: [
      {
        type: 'usage',
        customerId: 'cus_8c3d5e0f1a2b4c6d',
        billableMetricId: 'bm_8c3d5e0f1a2b4c6d',
        period: 'month',
        percent: 80,
        limit: '1000',
        name: 'Most of the pages',
      },
    ],
  },
);
export type AlertBody = Static<typeof AlertBody>;

export const AlertUpdateBody = Strict(
  {
    threshold: Type.Optional(Threshold),
    percent: Type.Optional(Percent),
    limit: Type.Optional(Limit),
    name: Type.Optional(Nullable(Name)),
    blocksAccess: Type.Optional(Type.Boolean()),
    notifyCustomer: Type.Optional(Type.Boolean()),
    metadata: Type.Optional(Metadata),
  },
  { $id: 'AlertUpdate', 'x-fields': CHANGED_FIELDS, examples: [{ limit: '2000' }] },
);
export type AlertUpdateBody = Static<typeof AlertUpdateBody>;

export const AlertsQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    type: Type.Optional(OneOf(ALERT_TYPES)),
    customerId: Type.Optional(Id('customer')),
    entitlementId: Type.Optional(Id('entitlement')),
    subscriptionId: Type.Optional(Id('subscription')),
    billableMetricId: Type.Optional(Id('billableMetric')),
  },
  { fields: { type: 'Only alerts of this type.' } },
);

export const AlertTriggerReply = Type.Object(
  {
    object: Type.Literal('alertTrigger'),
    alertId: Id('alert'),
    periodStart: Timestamp,
    periodEnd: Nullable(Timestamp),
    threshold: Nullable(DecimalOut),
    percent: Nullable(NumberOut),
    limit: Nullable(DecimalOut),
    value: DecimalOut,
    webhookEventId: Id('webhookEvent'),
    triggeredAt: Timestamp,
  },
  { $id: 'AlertTrigger', description: 'One time that an alert triggered.', 'x-fields': TRIGGER_FIELDS },
);
