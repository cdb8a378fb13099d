import {
  type FieldWord,
  type FieldWords,
  Formed,
  GroupOut,
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
  TimestampWith,
  type TSchema,
  Type,
} from '../../http/index.ts';
import { OUTSIDE_ID } from '../../kernel/ids.ts';

/** §8: 1 to 255 letters, digits, underscores and hyphens. */
const OutsideId = Formed(OUTSIDE_ID, 'must be 1 to 255 letters, digits, underscores and hyphens, such as acme-1');

/** §4, POST /v0/events. What a schema cannot say is in `content.ts` and `read-batch.ts`. */
const EVENT_FIELDS: FieldWords = {
  type: ['The type of the event. It counts for metrics and costs with this `eventType`.', 'tokens.used'],
  source: ['The system that reports the event, as a URI or a name.', 'billing-worker'],
  subject: ['The id of a customer or a subscription.', 'cus_8c3d5e0f1a2b4c6d'],
  externalSubject: [
    'The `externalId` of the customer. If no customer has it yet, the event is kept until one does.',
    'workspace-1',
  ],
  data: [
    'The values of the event. Metrics read them by path: `$.tokens` is `data.tokens`.',
    { tokens: 1200, model: 'large' },
  ],
  namespace: 'The merchant of the event. Default: your own organization; only operators may name another.',
  timestamp: 'When the usage happened. It decides the billing period. Default: the time of the request.',
  idempotencyKey: ['The key that makes the event count once, for ever. Default: a generated one.', 'run-7f3a'],
  externalId: ['Your own id of the event, to find it again. Absent: none.', 'run-7f3a'],
};

const SENT_FIELDS: FieldWords = {
  ...EVENT_FIELDS,
  subject: [
    'The id of a customer or a subscription. Required without `externalSubject`; with both it decides.',
    'cus_8c3d5e0f1a2b4c6d',
  ],
};

const READ_FIELDS: FieldWords = {
  ...EVENT_FIELDS,
  subject: ['The id of the customer. Absent: the customer does not exist yet.', 'cus_8c3d5e0f1a2b4c6d'],
  sentSubject: 'The subject as sent, if no customer or subscription matches.',
  status: '`matched`: a metric or cost counts the event. `unmatched`: none does.',
  reason: 'Why nothing counts the event. Absent: something does.',
  outcome: 'The metrics that count the event, and the invoices that bill it, as of now.',
};

const OUTCOME_FIELDS: FieldWords = {
  counts: 'The metrics and costs of the type of the event.',
  id: ['The id of the metric or cost.', 'bm_8c3d5e0f1a2b4c6d'],
  value: ['The value that the event contributes. Absent: none.', 1200],
  group: ['The values of the event for the dimensions of the metric.', { model: 'large' }],
  reason: 'Why the event is not counted or billed here. Absent: it is.',
  billing: 'The prices that could bill the event, each with the invoice of its period.',
  invoiceStatus: ['The status of this invoice.', 'ACTIVE'],
  lineItemId: 'The line of this invoice. Null: the invoice has no lines yet.',
};

const EVENT_FILTERS: FieldWords = {
  type: 'Only events of this type.',
  subject: 'Only events of this customer or subscription.',
  externalSubject: 'Only events that named the customer by this `externalSubject`.',
  externalId: 'Only events with this id of your own.',
  from: 'Only events with this `timestamp` or a later one.',
  to: 'Only events with a `timestamp` before this time.',
  status: '`unmatched`: only events that nothing counts. `matched`: only the others.',
};

export const EventCreate = Strict(
  {
    type: Name,
    source: Text({ minLength: 1, maxLength: 2048 }),
    subject: Type.Optional(
      Text({
        minLength: 1,
        maxLength: 255,
      }),
    ),
    externalSubject: Type.Optional(OutsideId),
    data: Type.Optional(MapOut),
    namespace: Type.Optional(Id('organization')),
    timestamp: Type.Optional(Timestamp),
    idempotencyKey: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
    externalId: Type.Optional(OutsideId),
  },
  {
    $id: 'EventCreate',
    description: 'A usage event to report.',
    'x-fields': SENT_FIELDS,
    examples: [
      {
        type: 'tokens.used',
        source: 'billing-worker',
        externalSubject: 'workspace-1',
        idempotencyKey: 'run-7f3a',
        data: { tokens: 1200, model: 'large' },
      },
    ],
  },
);
export type EventCreate = Static<typeof EventCreate>;

export const MOST_EVENTS = 10_000;

/** One event, or up to 10,000 that are accepted together or not at all. */
export const EventsCreateBody = Type.Union([EventCreate, Type.Array(EventCreate, { maxItems: MOST_EVENTS })], {
  examples: [
    {
      type: 'tokens.used',
      source: 'billing-worker',
      externalSubject: 'workspace-1',
      idempotencyKey: 'run-7f3a',
      data: { tokens: 1200, model: 'large' },
    },
  ],
});

const CLOUD_FIELDS: FieldWords = {
  specversion: 'The version of CloudEvents.',
  id: ['The id of the event. Within its `source` it makes the event count once, for ever.', 'run-7f3a'],
  source: ['The system that reports the event, as a URI or a name.', '/workers/billing'],
  type: EVENT_FIELDS.type as FieldWord,
  subject: SENT_FIELDS.subject as FieldWord,
  time: 'When the usage happened. It decides the billing period. Default: the time of the request.',
  datacontenttype: 'The content type of `data`: a JSON type.',
  dataschema: 'The schema of `data`. It is not stored.',
  data: EVENT_FIELDS.data as FieldWord,
  externalsubject: 'The `externalSubject` of the event.',
  externalid: 'The `externalId` of the event.',
  namespace: EVENT_FIELDS.namespace as FieldWord,
};

const cloudAttributes = {
  specversion: Type.Literal('1.0'),
  id: Type.String(),
  source: Type.String(),
  type: Type.String(),
  subject: Type.Optional(Type.String()),
  time: Type.Optional(Timestamp),
  externalsubject: Type.Optional(Type.String()),
  externalid: Type.Optional(Type.String()),
  namespace: Type.Optional(Id('organization')),
};

/** A CloudEvent, for the document: `read-batch.ts` checks it as one of our own events. */
export const CloudEvent = Type.Object(
  {
    ...cloudAttributes,
    datacontenttype: Type.Optional(Type.String()),
    dataschema: Type.Optional(Type.String()),
    data: Type.Optional(MapOut),
  },
  {
    $id: 'CloudEvent',
    description: 'A CloudEvent 1.0 in its JSON format. Attributes of other names are accepted and not stored.',
    additionalProperties: true,
    'x-fields': CLOUD_FIELDS,
    examples: [
      {
        specversion: '1.0',
        id: 'run-7f3a',
        source: '/workers/billing',
        type: 'tokens.used',
        externalsubject: 'workspace-1',
        data: { tokens: 1200, model: 'large' },
      },
    ],
  },
);

export const CloudEvents = Type.Array(CloudEvent, { maxItems: MOST_EVENTS });

/** The headers of a report, for the document: the attributes are those of a CloudEvent in binary mode. */
export const EventHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({ description: 'The `idempotencyKey` of a single event that has none.' }),
  ),
  ...Object.fromEntries(
    Object.keys(cloudAttributes).map((name) => [
      `ce-${name}`,
      Type.Optional(Type.String({ description: `Of a CloudEvent in binary mode: its attribute \`${name}\`.` })),
    ]),
  ),
});

/** Why an event counts nothing; the first that holds. */
export const UNMATCHED_REASONS = ['UNKNOWN_SUBJECT', 'UNKNOWN_TYPE', 'BEFORE_EVENT_FROM', 'NO_VALUE'] as const;
export type UnmatchedReason = (typeof UNMATCHED_REASONS)[number];

/** Why usage that counts is on no invoice, or not on this one. */
export const UNBILLED_REASONS = [
  'GROUP_FILTERED',
  'OLDER_SUBSCRIPTION',
  'PERIOD_CLOSED',
  'INVOICE_CANCELLED',
  'SUPERSEDED',
  'NO_PERIOD',
  'NOT_PRICED',
] as const;
export type UnbilledReason = (typeof UNBILLED_REASONS)[number];

const eventFields = {
  id: Id('event'),
  object: Type.Literal('event'),
  type: Type.String(),
  source: Type.String(),
  subject: Type.Optional(Type.String()),
  externalSubject: Type.Optional(Type.String()),
  namespace: Id('organization'),
  timestamp: Timestamp,
  idempotencyKey: Type.String(),
  externalId: Type.Optional(Type.String()),
};

/** §2, Metering event. */
export const Event = Type.Object(eventFields, { $id: 'Event', description: 'A usage event.', 'x-fields': READ_FIELDS });

const readFields = {
  ...eventFields,
  sentSubject: Type.Optional(Type.String()),
  status: OneOf(['matched', 'unmatched']),
  reason: Type.Optional(OneOf(UNMATCHED_REASONS)),
};

/** An event as it is listed: with what became of it. */
export const ListedEventReply = Type.Object(readFields, {
  $id: 'ListedEvent',
  description: 'A usage event in a list: is it counted, and if not, why?',
  'x-fields': READ_FIELDS,
});

/** The outcome of an event, as of now. */
export const EventOutcome = Type.Object(
  {
    counts: Type.Array(
      Type.Object({
        id: Type.String(),
        value: Type.Optional(Type.Union([NumberOut, Type.String()])),
        group: GroupOut,
        reason: Type.Optional(OneOf(['BEFORE_EVENT_FROM', 'NO_VALUE'])),
      }),
    ),
    billing: Type.Array(
      Type.Object({
        billableMetricId: Id('billableMetric'),
        priceId: Id('price'),
        subscriptionId: Id('subscription'),
        invoiceId: Id('invoice'),
        invoiceStatus: Type.String(),
        lineItemId: Nullable(Id('lineItem')),
        reason: Type.Optional(OneOf(UNBILLED_REASONS)),
      }),
    ),
    reason: Type.Optional(OneOf([...UNMATCHED_REASONS, ...UNBILLED_REASONS])),
  },
  {
    $id: 'EventOutcome',
    description: 'The metrics that count the event, and the invoices that bill it, as of now.',
    'x-fields': OUTCOME_FIELDS,
  },
);

/** One event, with its content and its outcome. */
export const EventWithDataReply = Type.Object(
  { ...readFields, data: MapOut, outcome: EventOutcome },
  { $id: 'EventWithData', description: 'A usage event with its data and its outcome.', 'x-fields': READ_FIELDS },
);

/** The answers to one event and to an array. @param entitlement one of the balances that `expand` asks for */
export function acceptedSchemas(entitlement: TSchema) {
  const expanded = {
    entitlements: Type.Optional({
      ...Nullable(Type.Array(entitlement)),
      description:
        'The balances after the events, with `expand=entitlements`. Null: they could not be read; the events ' +
        'are stored.',
    }),
  };
  return {
    one: Type.Object(
      { ...eventFields, ...expanded },
      { $id: 'AcceptedEvent', description: 'An event that is stored on disk.', 'x-fields': READ_FIELDS },
    ),
    many: Type.Object(
      { object: Type.Literal('list'), data: Type.Array(Event), ...expanded },
      {
        $id: 'AcceptedEvents',
        description: 'The events of one request, all stored on disk.',
        'x-fields': { data: 'The stored events, in the order of the request.' },
      },
    ),
  };
}

export const EventListQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    type: Type.Optional(Text({ maxLength: 255 })),
    subject: Type.Optional(Text({ maxLength: 255 })),
    externalSubject: Type.Optional(Text({ maxLength: 255 })),
    externalId: Type.Optional(Text({ maxLength: 255 })),
    from: Type.Optional(Timestamp),
    to: Type.Optional(Timestamp),
    status: Type.Optional(OneOf(['matched', 'unmatched'])),
    updatedFrom: Type.Optional(TimestampWith({ description: 'Only events that were accepted at this time or later.' })),
  },
  { limit: 20, fields: EVENT_FILTERS },
);
export type EventListQuery = Static<typeof EventListQuery>;
