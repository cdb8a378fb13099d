import {
  DecimalOut,
  Id,
  ListQuery,
  MapOut,
  Name,
  Nullable,
  NumberOut,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../http/index.ts';
import { SOURCE_EVENT_STATUSES } from './event-states.ts';
import { PROCESSING_MODES, type RuleCondition, SOURCE_TYPES } from './source.ts';

const MOST_CONDITIONS = 20;
const MOST_EVENTS_AT_ONCE = 1000;
const MOST_ORDER = 2_147_483_647;

const SourceTypeWord = OneOf(SOURCE_TYPES);
const ModeWord = OneOf(PROCESSING_MODES);

export const SourceReply = Type.Object(
  {
    id: Id('source'),
    object: Type.Literal('source'),
    merchantId: Id('organization'),
    name: Type.String(),
    description: Type.Optional(Type.String()),
    planId: Id('plan'),
    type: SourceTypeWord,
    config: Type.Object(
      { projectId: Type.String() },
      { additionalProperties: true, 'x-fields': { projectId: 'The project in the outside system.' } },
    ),
    hasWebhookSecret: Type.Boolean(),
    enabled: Type.Boolean(),
    metadata: Type.Object(
      {
        billableMetricMapping: Type.Object(
          { revenue: Id('billableMetric') },
          { 'x-fields': { revenue: 'A `SUM` metric. It adds the amounts up.' } },
        ),
      },
      {
        additionalProperties: true,
        'x-fields': { billableMetricMapping: 'The metrics for the figures of an event.' },
      },
    ),
    processingMode: ModeWord,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'Source',
    description: 'An external system with revenue of customers. Each revenue becomes a usage event.',
    'x-fields': {
      name: 'The name of the source.',
      description: 'A text for people. Absent: none.',
      planId: 'The plan that bills the revenue.',
      type:
        'The external system: `stripe_revenue`, `revenuecat_revenue`, or `generic_revenue` for a system of ' +
        'your own.',
      config: 'The project in the external system, and your own fields. Without the secret.',
      hasWebhookSecret: '`true`: a secret for webhooks is stored. It is never answered.',
      enabled: '`false`: webhooks are refused with 409 `SOURCE_DISABLED`.',
      metadata: 'The metric for the revenue in `billableMetricMapping.revenue`, and fields of your own.',
      processingMode: '`automatic`: an event is processed as it arrives. `manual`: it waits for a decision or a rule.',
    },
  },
);

const ConfigBody = Type.Unsafe<{ projectId: string; webhookSecret?: string | null }>({
  type: 'object',
  required: ['projectId'],
  properties: {
    projectId: { ...Name, description: 'The project in the external system.' },
    webhookSecret: Nullable(Text({ minLength: 1, maxLength: 500 })),
  },
  maxProperties: 50,
  'x-free': true,
  description: 'Other fields are stored and returned unchanged.',
  'x-fields': {
    webhookSecret:
      'The secret with which webhooks are signed. It is stored encrypted and never answered. Null removes it.',
  },
});

const MetadataBody = Type.Unsafe<{ billableMetricMapping: { revenue: string } }>({
  type: 'object',
  required: ['billableMetricMapping'],
  properties: {
    billableMetricMapping: Strict(
      { revenue: Id('billableMetric') },
      {
        'x-fields': {
          revenue: 'A `SUM` metric. It adds the amounts up.',
        },
      },
    ),
  },
  maxProperties: 50,
  'x-free': true,
  description: 'Other fields are yours.',
  'x-fields': {
    billableMetricMapping: 'The metrics for the figures of an event.',
  },
});

const Description = Nullable(Text({ maxLength: 1000 }));

export const SourceBody = Strict(
  {
    name: Name,
    planId: Id('plan'),
    type: SourceTypeWord,
    config: ConfigBody,
    metadata: MetadataBody,
    description: Type.Optional(Description),
    enabled: Type.Optional(Type.Boolean({ default: true })),
    processingMode: Type.Optional(OneOf(PROCESSING_MODES)),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'SourceCreate',
    examples: [
      {
        name: 'Shop',
        planId: 'plan_8c3d5e0f1a2b4c6d',
        type: 'generic_revenue',
        config: { projectId: 'shop', webhookSecret: 'whsec_c2VjcmV0IG9mIHRoZSBzaG9w' },
        metadata: { billableMetricMapping: { revenue: 'bm_8c3d5e0f1a2b4c6d' } },
      },
    ],
    'x-fields': {
      name: 'The name of the source.',
      planId: 'The plan that bills the revenue.',
      type:
        'The external system: `stripe_revenue`, `revenuecat_revenue`, or `generic_revenue` for a system of ' +
        'your own. It never changes.',
      description: 'A text for people. Null: none.',
      enabled: '`false`: webhooks are refused with 409 `SOURCE_DISABLED`.',
      processingMode:
        '`automatic` (default): an event is processed as it arrives. `manual`: it waits for a decision or a rule.',
    },
  },
);
export type SourceBody = Static<typeof SourceBody>;

export const SourceUpdateBody = Strict(
  {
    name: Type.Optional(Name),
    planId: Type.Optional(Id('plan')),
    config: Type.Optional(ConfigBody),
    metadata: Type.Optional(MetadataBody),
    description: Type.Optional(Description),
    enabled: Type.Optional(Type.Boolean()),
    processingMode: Type.Optional(ModeWord),
  },
  {
    $id: 'SourceUpdate',
    examples: [{ processingMode: 'manual' }],
    'x-fields': {
      name: 'The name of the source.',
      planId: 'The plan that bills the revenue.',
      description: 'A text for people. Null: none.',
      enabled: '`false`: webhooks are refused with 409 `SOURCE_DISABLED`.',
      processingMode: '`automatic`: an event is processed as it arrives. `manual`: it waits for a decision or a rule.',
    },
  },
);
export type SourceUpdateBody = Static<typeof SourceUpdateBody>;

export const SourcesQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    planId: Type.Optional(Id('plan')),
    type: Type.Optional(SourceTypeWord),
    enabled: Type.Optional(Type.Boolean()),
    processingMode: Type.Optional(ModeWord),
  },
  {
    fields: {
      type: 'Only sources of this type.',
      enabled: 'Only sources that are enabled, or disabled.',
      processingMode: 'Only sources with this mode.',
    },
  },
);
export type SourcesQuery = Static<typeof SourcesQuery>;

export const SourceEventReply = Type.Object(
  {
    id: Id('sourceEvent'),
    object: Type.Literal('sourceEvent'),
    merchantId: Id('organization'),
    sourceId: Id('source'),
    status: OneOf(SOURCE_EVENT_STATUSES),
    externalEventId: Type.String(),
    customerExternalId: Nullable(Type.String()),
    customerId: Type.Optional(Id('customer')),
    subscriptionId: Type.Optional(Id('subscription')),
    amount: DecimalOut,
    currency: Type.String(),
    occurredAt: Timestamp,
    rawData: MapOut,
    errorMessage: Nullable(Type.String()),
    usageEventIds: Type.Array(Id('event')),
    processedAt: Type.Optional(Timestamp),
    processedBy: Type.Optional(Type.String()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'SourceEvent',
    description: 'A revenue from an external system, and its outcome.',
    'x-fields': {
      sourceId: 'The source.',
      status:
        '`pending`: it waits for a decision. `processed`: a usage event was created. `failed`: none could be ' +
        'created. `rejected`: it is not billed.',
      externalEventId: ['The id of the event in the external system. The same id is the same event.', 'sale-1'],
      customerExternalId: ['The customer id in the external system. Null: the event has none.', 'acme-1'],
      customerId: 'The customer. Absent: no customer has this name yet.',
      subscriptionId: 'The subscription that bills the revenue. Absent: none was found.',
      amount: 'The revenue in major units. Below 0: a reversal.',
      occurredAt: 'The time at which the revenue was earned. It decides the billing period.',
      rawData: 'The event as the external system sent it.',
      errorMessage: 'Why it failed. Null: it did not.',
      usageEventIds: 'The created usage event. Empty: none.',
      processedAt: 'The time of the decision. Absent: it is pending.',
      processedBy: 'The id of the user or of the rule that decided, or `system`. Absent: it is pending.',
    },
  },
);

/** The answer to a webhook that is no revenue. */
export const SourceReceiptReply = Type.Object(
  {
    object: Type.Literal('sourceEventReceipt'),
    sourceId: Id('source'),
    recorded: Type.Literal(false),
    reason: Type.String({ description: 'Why nothing was recorded.' }),
  },
  {
    $id: 'SourceEventReceipt',
    description: 'The answer to a webhook that is no revenue.',
    'x-fields': {
      sourceId: 'The source.',
      recorded: 'Nothing was recorded.',
    },
  },
);

export const SourceEventsQuery = ListQuery(
  {
    status: Type.Optional(OneOf(SOURCE_EVENT_STATUSES)),
    customerId: Type.Optional(Id('customer')),
    subscriptionId: Type.Optional(Id('subscription')),
    externalEventId: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
    from: Type.Optional(Timestamp),
    to: Type.Optional(Timestamp),
  },
  {
    fields: {
      status: 'Only events with this status.',
      subscriptionId: 'Only events that this subscription bills.',
      externalEventId: 'Only the event with this id of the external system.',
      from: 'Only events that arrived at this time or later.',
      to: 'Only events that arrived before this time.',
    },
  },
);
export type SourceEventsQuery = Static<typeof SourceEventsQuery>;

export const BulkBody = Strict(
  {
    eventIds: Type.Array(Id('sourceEvent'), { minItems: 1, maxItems: MOST_EVENTS_AT_ONCE }),
  },
  {
    $id: 'SourceEventIds',
    examples: [{ eventIds: ['sev_8c3d5e0f1a2b4c6d'] }],
    'x-fields': {
      eventIds: 'The events. Each has an outcome of its own.',
    },
  },
);
export type BulkBody = Static<typeof BulkBody>;

const Refused = Type.Array(
  Type.Object({ id: Type.String(), error: Type.String() }, { 'x-fields': { error: 'Why the event was refused.' } }),
  { description: 'The events that were refused, each with its reason.' },
);

export const BulkApproveReply = Type.Object(
  {
    processed: Type.Integer(),
    failed: Type.Integer(),
    details: Type.Object(
      { processed: Type.Array(Type.String()), failed: Refused },
      {
        'x-fields': {
          processed: 'The events that were processed.',
        },
      },
    ),
  },
  {
    $id: 'SourceEventsApproved',
    description: 'The outcomes of an approval of several events.',
    'x-fields': {
      processed: 'The number of events that were processed.',
      failed: 'The number of events that could not be approved.',
      details: 'The ids behind the two numbers.',
    },
  },
);

export const BulkRejectReply = Type.Object(
  {
    rejected: Type.Integer(),
    failed: Type.Integer(),
    details: Type.Object(
      { rejected: Type.Array(Type.String()), failed: Refused },
      {
        'x-fields': {
          rejected: 'The events that were rejected.',
        },
      },
    ),
  },
  {
    $id: 'SourceEventsRejected',
    description: 'The outcomes of a rejection of several events.',
    'x-fields': {
      rejected: 'The number of events that were rejected.',
      failed: 'The number of events that could not be rejected.',
      details: 'The ids behind the two numbers.',
    },
  },
);

const ONE_VALUE = [
  { type: 'string', maxLength: 255, 'x-text': true },
  { 'x-type': 'number', 'x-decimal': { accept: 'number' } },
];

const CONDITION_TYPES = ['date', 'customerName', 'customerEmail', 'amount'] as const;
const OPERATORS = ['equals', 'contains', 'between', 'greaterThan', 'lessThan', 'domain'] as const;

const OneValue = Type.Union([Type.String(), NumberOut]);
const ConditionValue = Type.Union([
  Type.String(),
  NumberOut,
  Type.Object(
    { from: OneValue, to: OneValue },
    { 'x-fields': { from: 'The lower bound, inclusive.', to: 'The upper bound, inclusive.' } },
  ),
]);

const ConditionBody = Strict(
  {
    type: OneOf(CONDITION_TYPES),
    operator: OneOf(OPERATORS),
    value: Type.Unsafe<RuleCondition['value']>({
      anyOf: [
        ...ONE_VALUE,
        {
          type: 'object',
          required: ['from', 'to'],
          properties: {
            from: { anyOf: ONE_VALUE, description: 'The lower bound, inclusive.' },
            to: { anyOf: ONE_VALUE, description: 'The upper bound, inclusive.' },
          },
          additionalProperties: false,
        },
      ],
    }),
  },
  {
    'x-fields': {
      type: 'The property that is compared: `amount`, `date` (of `occurredAt`), `customerName` or `customerEmail`.',
      operator:
        'The comparison. `contains` is for names and emails, `domain` for emails, the others for amounts and ' +
        'dates; `equals` is for all.',
      value:
        'The value: a text, a number or a date. With `between`: `{from, to}`, both inclusive. Texts are ' +
        'compared without case.',
    },
  },
);
const Conditions = Type.Array(ConditionBody, { minItems: 1, maxItems: MOST_CONDITIONS });
const Order = Type.Integer({ minimum: 0, maximum: MOST_ORDER });

export const SourceRuleReply = Type.Object(
  {
    id: Id('sourceRule'),
    object: Type.Literal('sourceRule'),
    merchantId: Id('organization'),
    sourceId: Id('source'),
    name: Type.String(),
    description: Type.String(),
    conditions: Type.Array(
      Type.Object(
        { type: OneOf(CONDITION_TYPES), operator: OneOf(OPERATORS), value: ConditionValue },
        {
          'x-fields': {
            type: 'The property that is compared: `amount`, `date`, `customerName` or `customerEmail`.',
            operator: 'The comparison.',
            value: 'The value that is compared with.',
          },
        },
      ),
    ),
    order: Type.Integer(),
    enabled: Type.Boolean(),
    evaluationCount: Type.Integer(),
    matchCount: Type.Integer(),
    lastEvaluatedAt: Nullable(Timestamp),
    createdBy: Nullable(Type.String()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'SourceRule',
    description: 'A rule that approves events of a source in mode `manual`.',
    'x-fields': {
      sourceId: 'The source.',
      name: 'The name of the rule.',
      description: 'A text for people. Empty: none.',
      conditions: 'The conditions. The rule matches if all are true.',
      order: 'The place of the rule. Rules are asked in ascending order, and the first match approves.',
      enabled: '`false`: the rule is not asked.',
      evaluationCount: 'The number of events for which the rule was asked.',
      matchCount: 'The number of events that the rule approved.',
      lastEvaluatedAt: 'The last time at which the rule was asked. Null: never.',
      createdBy: 'The author of the rule. Null: not known.',
    },
  },
);

export const SourceRuleBody = Strict(
  {
    sourceId: Id('source'),
    name: Name,
    conditions: Conditions,
    description: Type.Optional(Description),
    order: Type.Optional(Order),
    enabled: Type.Optional(Type.Boolean({ default: true })),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'SourceRuleCreate',
    examples: [
      {
        sourceId: 'src_8c3d5e0f1a2b4c6d',
        name: 'Small ones',
        conditions: [{ type: 'amount', operator: 'between', value: { from: 0, to: 50 } }],
      },
    ],
    'x-fields': {
      sourceId: 'The source.',
      name: 'The name of the rule.',
      conditions: 'The conditions. The rule matches if all are true.',
      description: 'A text for people. Null: none.',
      order:
        'The place of the rule. Rules are asked in ascending order, and the first match approves. Default: ' +
        'after all others.',
      enabled: '`false`: the rule is not asked.',
    },
  },
);
export type SourceRuleBody = Static<typeof SourceRuleBody>;

export const SourceRuleUpdateBody = Strict(
  {
    name: Type.Optional(Name),
    conditions: Type.Optional(Conditions),
    description: Type.Optional(Description),
    order: Type.Optional(Order),
    enabled: Type.Optional(Type.Boolean()),
  },
  {
    $id: 'SourceRuleUpdate',
    examples: [{ enabled: false }],
    'x-fields': {
      name: 'The name of the rule.',
      conditions: 'The conditions. The rule matches if all are true.',
      description: 'A text for people. Null: none.',
      order: 'The place of the rule. Rules are asked in ascending order, and the first match approves.',
      enabled: '`false`: the rule is not asked.',
    },
  },
);
export type SourceRuleUpdateBody = Static<typeof SourceRuleUpdateBody>;

export const SourceRulesQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    sourceId: Type.Optional(Id('source')),
    enabled: Type.Optional(Type.Boolean()),
  },
  {
    fields: {
      sourceId: 'Only rules of this source.',
      enabled: 'Only rules that are enabled, or disabled.',
    },
  },
);
export type SourceRulesQuery = Static<typeof SourceRulesQuery>;
