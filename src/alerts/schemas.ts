import {
  DecimalText,
  Id,
  ListQuery,
  MapOut,
  Metadata,
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

const PERCENT_DESCRIPTION =
  'Per cent. Of a balance: of all there was to use in the usage period. Of an invoice total or usage: of `limit`.';

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
    threshold: Nullable(Type.String()),
    percent: Nullable({ ...NumberOut, description: PERCENT_DESCRIPTION }),
    limit: Nullable(Type.String({ description: 'What `percent` is of; null for a balance.' })),
    blocksAccess: Type.Boolean(),
    notifyCustomer: Type.Boolean(),
    currentValue: Nullable(
      Type.String({ description: 'The balance, the invoice total with tax, or the usage. Null: there is none now.' }),
    ),
    isReached: Type.Boolean({ description: 'Is `currentValue` at the threshold, or beyond it?' }),
    periodStart: Nullable(Timestamp),
    periodEnd: Nullable(Timestamp),
    lastTriggeredAt: Nullable(Timestamp),
    testClockId: Nullable(Id('testClock')),
    metadata: MapOut,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Alert' },
);

const Threshold = DecimalText({ minimum: '0' });
const Percent = DecimalText({ accept: 'both', exclusiveMinimum: '0', maximum: '10000' });
const Limit = DecimalText({ exclusiveMinimum: '0' });
const BLOCKS =
  'Makes the alert a budget: while it is reached, the customer has no access to what it covers. Not for balances.';

export const AlertBody = Strict(
  {
    type: OneOf(ALERT_TYPES),
    entitlementId: Type.Optional({ ...Id('entitlement'), description: 'Of type `balance`.' }),
    subscriptionId: Type.Optional({ ...Id('subscription'), description: 'Of type `invoice_total`.' }),
    customerId: Type.Optional({ ...Id('customer'), description: 'Of type `usage`.' }),
    billableMetricId: Type.Optional({ ...Id('billableMetric'), description: 'Of type `usage`.' }),
    period: Type.Optional({
      ...OneOf(USAGE_PERIODS),
      description:
        'Of type `usage`; default `billing`: the open period in which a subscription bills the metric, else the month ' +
        'in UTC.',
    }),
    threshold: Type.Optional({ ...Threshold, description: 'Exactly one of `threshold` and `percent`.' }),
    percent: Type.Optional({ ...Percent, description: PERCENT_DESCRIPTION }),
    limit: Type.Optional({ ...Limit, description: 'What `percent` is of: required for an invoice total and usage.' }),
    name: Type.Optional(Name),
    blocksAccess: Type.Optional(Type.Boolean({ default: false, description: BLOCKS })),
    notifyCustomer: Type.Optional(
      Type.Boolean({ default: false, description: 'Emails the customer too, not only the merchant.' }),
    ),
    metadata: Type.Optional(Metadata),
    merchantId: Type.Optional(Id('organization')),
  },
  { $id: 'AlertCreate' },
);
export type AlertBody = Static<typeof AlertBody>;

export const AlertPatchBody = Strict(
  {
    threshold: Type.Optional({ ...Threshold, description: 'In place of a percentage, where there was one.' }),
    percent: Type.Optional({ ...Percent, description: 'In place of a threshold, where there was one.' }),
    limit: Type.Optional(Limit),
    name: Type.Optional(Nullable(Name)),
    blocksAccess: Type.Optional(Type.Boolean()),
    notifyCustomer: Type.Optional(Type.Boolean()),
    metadata: Type.Optional(Metadata),
  },
  { $id: 'AlertUpdate' },
);
export type AlertPatchBody = Static<typeof AlertPatchBody>;

export const AlertsQuery = ListQuery({
  merchantId: Type.Optional(Id('organization')),
  type: Type.Optional(OneOf(ALERT_TYPES)),
  customerId: Type.Optional(Id('customer')),
  entitlementId: Type.Optional(Id('entitlement')),
  subscriptionId: Type.Optional(Id('subscription')),
  billableMetricId: Type.Optional(Id('billableMetric')),
});

export const AlertTriggerReply = Type.Object(
  {
    object: Type.Literal('alertTrigger'),
    alertId: Id('alert'),
    periodStart: Timestamp,
    periodEnd: Nullable(Timestamp),
    threshold: Nullable(Type.String()),
    percent: Nullable(NumberOut),
    limit: Nullable(Type.String()),
    value: Type.String({ description: 'The figure that was seen.' }),
    webhookEventId: Id('webhookEvent'),
    triggeredAt: Timestamp,
  },
  { $id: 'AlertTrigger' },
);

export const AlertTriggersQuery = ListQuery({});
