import {
  Id,
  ListQuery,
  MapOut,
  Name,
  Nullable,
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
    config: MapOut,
    hasWebhookSecret: Type.Boolean({ description: 'The secret itself is never answered.' }),
    enabled: Type.Boolean(),
    metadata: MapOut,
    processingMode: ModeWord,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Source' },
);

const ConfigBody = Type.Unsafe<{ projectId: string; webhookSecret?: string | null }>({
  type: 'object',
  required: ['projectId'],
  properties: {
    projectId: { ...Name, description: 'The project in the outside system.' },
    webhookSecret: Nullable(
      Text({ minLength: 1, maxLength: 500, description: 'What webhooks are signed with. It is never answered.' }),
    ),
  },
  maxProperties: 50,
  'x-free': true,
  description: 'Other fields are kept and answered as they are.',
});

const MetadataBody = Type.Unsafe<{ billableMetricMapping: { revenue: string } }>({
  type: 'object',
  required: ['billableMetricMapping'],
  properties: { billableMetricMapping: Strict({ revenue: Id('billableMetric') }) },
  maxProperties: 50,
  'x-free': true,
  description: 'Other fields are yours.',
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
  { $id: 'SourceCreate' },
);
export type SourceBody = Static<typeof SourceBody>;

export const SourcePatchBody = Strict(
  {
    name: Type.Optional(Name),
    planId: Type.Optional(Id('plan')),
    config: Type.Optional(ConfigBody),
    metadata: Type.Optional(MetadataBody),
    description: Type.Optional(Description),
    enabled: Type.Optional(Type.Boolean()),
    processingMode: Type.Optional(ModeWord),
  },
  { $id: 'SourceUpdate' },
);
export type SourcePatchBody = Static<typeof SourcePatchBody>;

export const SourcesQuery = ListQuery({
  merchantId: Type.Optional(Id('organization')),
  planId: Type.Optional(Id('plan')),
  type: Type.Optional(SourceTypeWord),
  enabled: Type.Optional(Type.Boolean()),
  processingMode: Type.Optional(ModeWord),
});
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
    amount: Type.String({ description: 'In major units; negative where revenue is taken back.' }),
    currency: Type.String(),
    occurredAt: Timestamp,
    rawData: MapOut,
    errorMessage: Nullable(Type.String()),
    usageEventIds: Type.Array(Id('event')),
    processedAt: Type.Optional(Timestamp),
    processedBy: Type.Optional(Type.String({ description: 'The id of a user or of a rule, or `system`.' })),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'SourceEvent' },
);

/** The answer to a webhook that is no revenue. */
export const SourceReceiptReply = Type.Object(
  {
    object: Type.Literal('sourceEventReceipt'),
    sourceId: Id('source'),
    recorded: Type.Literal(false),
    reason: Type.String({ description: 'Why nothing was recorded.' }),
  },
  { $id: 'SourceEventReceipt' },
);

export const SourceEventsQuery = ListQuery({
  status: Type.Optional(OneOf(SOURCE_EVENT_STATUSES)),
  customerId: Type.Optional(Id('customer')),
  externalEventId: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
});
export type SourceEventsQuery = Static<typeof SourceEventsQuery>;

export const BulkBody = Strict(
  {
    eventIds: Type.Array(Id('sourceEvent'), { minItems: 1, maxItems: MOST_EVENTS_AT_ONCE }),
  },
  { $id: 'SourceEventIds' },
);
export type BulkBody = Static<typeof BulkBody>;

const Refused = Type.Array(Type.Object({ id: Type.String(), error: Type.String() }));

export const BulkApproveReply = Type.Object(
  {
    processed: Type.Integer(),
    failed: Type.Integer(),
    details: Type.Object({ processed: Type.Array(Type.String()), failed: Refused }),
  },
  { $id: 'SourceEventsApproved' },
);

export const BulkRejectReply = Type.Object(
  {
    rejected: Type.Integer(),
    failed: Type.Integer(),
    details: Type.Object({ rejected: Type.Array(Type.String()), failed: Refused }),
  },
  { $id: 'SourceEventsRejected' },
);

const ONE_VALUE = [
  { type: 'string', maxLength: 255, 'x-text': true },
  { 'x-type': 'number', 'x-decimal': { accept: 'number' } },
];

const ConditionBody = Strict({
  type: OneOf(['date', 'customerName', 'customerEmail', 'amount']),
  operator: OneOf(['equals', 'contains', 'between', 'greaterThan', 'lessThan', 'domain']),
  value: Type.Unsafe<RuleCondition['value']>({
    anyOf: [
      ...ONE_VALUE,
      {
        type: 'object',
        required: ['from', 'to'],
        properties: { from: { anyOf: ONE_VALUE }, to: { anyOf: ONE_VALUE } },
        additionalProperties: false,
      },
    ],
  }),
});
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
      Type.Object({ type: Type.String(), operator: Type.String(), value: Type.Unsafe<unknown>({}) }),
    ),
    order: Type.Integer({ description: 'Rules are asked in this order; the first that matches approves.' }),
    enabled: Type.Boolean(),
    evaluationCount: Type.Integer({ description: 'How many events it was asked about.' }),
    matchCount: Type.Integer(),
    lastEvaluatedAt: Nullable(Timestamp),
    createdBy: Nullable(Type.String()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'SourceRule' },
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
  { $id: 'SourceRuleCreate' },
);
export type SourceRuleBody = Static<typeof SourceRuleBody>;

export const SourceRulePatchBody = Strict(
  {
    name: Type.Optional(Name),
    conditions: Type.Optional(Conditions),
    description: Type.Optional(Description),
    order: Type.Optional(Order),
    enabled: Type.Optional(Type.Boolean()),
  },
  { $id: 'SourceRuleUpdate' },
);
export type SourceRulePatchBody = Static<typeof SourceRulePatchBody>;

export const SourceRulesQuery = ListQuery({
  merchantId: Type.Optional(Id('organization')),
  sourceId: Type.Optional(Id('source')),
  enabled: Type.Optional(Type.Boolean()),
});
export type SourceRulesQuery = Static<typeof SourceRulesQuery>;
