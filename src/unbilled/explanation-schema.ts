import { GroupOut, Id, Nullable, OneOf, type Static, Type } from '../http/index.ts';
import { EventWithDataReply, UNBILLED_REASONS, UNMATCHED_REASONS } from '../metering/index.ts';

const EventReason = OneOf([...UNMATCHED_REASONS, ...UNBILLED_REASONS]);

const ExplainedPrice = Type.Object(
  {
    priceId: Id('price'),
    name: Type.String(),
    planId: Id('plan'),
    subscriptionId: Id('subscription'),
    invoiceId: Id('invoice'),
    invoiceStatus: Type.String(),
    lineItemId: Nullable(Id('lineItem')),
    entitlementId: Nullable(Id('entitlement')),
    reason: Nullable(EventReason),
  },
  {
    $id: 'ExplainedEventPrice',
    description: 'A price that could bill an event.',
    'x-fields': {
      name: ['The text of the price on invoices.', 'Messages'],
      planId: 'The plan of the subscription.',
      invoiceId: 'The invoice of the period at the time of the event.',
      invoiceStatus: ['The status of this invoice.', 'ACTIVE'],
      lineItemId: 'The line of this invoice. Null: the invoice has no lines yet, or does not bill the event.',
      entitlementId:
        'The entitlement of the subscription that measures the metric at the time of the event. Null: none.',
      reason: 'Why the price does not bill the event. Null: it does.',
    },
  },
);

const FIELDS = {
  name: ['The name of the metric or cost.', 'Storage'] as const,
  isMatched: '`true`: it counts the event.',
  value: 'The value that the event contributes, as text. Null: none.',
  group: ['The values of the event for its dimensions.', { region: 'eu' }] as const,
};

const ExplainedMetric = Type.Object(
  {
    billableMetricId: Id('billableMetric'),
    name: Type.String(),
    isMatched: Type.Boolean(),
    reason: Nullable(EventReason),
    value: Nullable(Type.String()),
    group: GroupOut,
    prices: Type.Array(ExplainedPrice),
  },
  {
    $id: 'ExplainedEventMetric',
    description: 'A metric of the type of an event.',
    'x-fields': {
      ...FIELDS,
      reason: 'Why no price bills the event for this metric. Null: one does.',
      prices: 'The prices for the metric that could bill the event.',
    },
  },
);

const ExplainedCost = Type.Object(
  {
    costId: Id('cost'),
    name: Type.String(),
    isMatched: Type.Boolean(),
    reason: Nullable(EventReason),
    value: Nullable(Type.String()),
    group: GroupOut,
  },
  {
    $id: 'ExplainedEventCost',
    description: 'A cost of the type of an event.',
    'x-fields': {
      ...FIELDS,
      costId: 'The id of the cost.',
      reason: 'Why the cost does not count the event. Null: it does.',
    },
  },
);

export const EventExplanationReply = Type.Object(
  {
    object: Type.Literal('eventExplanation'),
    event: EventWithDataReply,
    customer: Nullable(
      Type.Object(
        { id: Id('customer'), name: Type.String() },
        { 'x-fields': { id: 'The id of the customer.', name: ['The name of the customer.', 'Keeper Ltd'] } },
      ),
    ),
    isCounted: Type.Boolean(),
    reason: Nullable(EventReason),
    message: Type.String(),
    metrics: Type.Array(ExplainedMetric),
    costs: Type.Array(ExplainedCost),
  },
  {
    $id: 'EventExplanation',
    description: 'Why an event is billed or not, as of now.',
    'x-fields': {
      event: 'The event with its data and its outcome.',
      customer: 'The customer of the event. Null: the customer does not exist yet.',
      isCounted: '`true`: a price bills the event, on the invoice of its period.',
      reason: 'Why no price bills the event. The guide "Usage events" explains each. Null: one does.',
      message: ['The reason as a sentence, with what to do.', 'A price bills the event.'],
      metrics: 'The metrics of the type of the event.',
      costs: 'The costs of the type of the event. Costs are reported, not billed.',
    },
  },
);
export type EventExplanationReply = Static<typeof EventExplanationReply>;
