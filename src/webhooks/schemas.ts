import { Id, ListQuery, MapOut, Nullable, OneOf, type Static, Strict, Text, Timestamp, Type } from '../http/index.ts';
import { DISABLED_REASONS, ENDPOINT_STATUSES } from './endpoint.ts';
import { ALL_KINDS, EVENT_TYPES } from './kinds.ts';

const EventTypeWord = OneOf(EVENT_TYPES);
const Types = Type.Array(OneOf([ALL_KINDS, ...EVENT_TYPES]), {
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  description: 'Kinds of events; `*`, the default, stands for all of them, also those to come.',
});
const StatusWord = OneOf(ENDPOINT_STATUSES);
const Url = Text({
  minLength: 1,
  description:
    'https, on port 443 or 8443, at a public address. In the sandbox also this machine, by http and any port.',
});
const Description = Nullable(Text({ maxLength: 1000 }));

export const EndpointReply = Type.Object(
  {
    id: Id('webhookEndpoint'),
    object: Type.Literal('webhookEndpoint'),
    merchantId: Id('organization'),
    url: Type.String(),
    eventTypes: Type.Array(Type.String()),
    description: Nullable(Type.String()),
    status: StatusWord,
    disabledReason: Nullable(
      Type.Unsafe<(typeof DISABLED_REASONS)[number]>({
        ...OneOf(DISABLED_REASONS),
        description: '`request`: by somebody; `gone`: it answered 410; `failing`: every attempt of five days failed.',
      }),
    ),
    failingSince: Nullable(Timestamp),
    secret: Type.Optional(Type.String({ description: 'Only when it was created, and when its secret was rotated.' })),
    previousSecretUntil: Nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'WebhookEndpoint' },
);

export const EndpointBody = Strict(
  {
    url: Url,
    eventTypes: Type.Optional(Types),
    description: Type.Optional(Description),
    status: Type.Optional(StatusWord),
    merchantId: Type.Optional(Id('organization')),
  },
  { $id: 'WebhookEndpointCreate' },
);
export type EndpointBody = Static<typeof EndpointBody>;

export const EndpointPatchBody = Strict(
  {
    url: Type.Optional(Url),
    eventTypes: Type.Optional(Types),
    description: Type.Optional(Description),
    status: Type.Optional(StatusWord),
  },
  { $id: 'WebhookEndpointUpdate' },
);
export type EndpointPatchBody = Static<typeof EndpointPatchBody>;

export const EndpointsQuery = ListQuery({
  merchantId: Type.Optional(Id('organization')),
  status: Type.Optional(StatusWord),
});
export type EndpointsQuery = Static<typeof EndpointsQuery>;

export const TestReply = Type.Object(
  {
    object: Type.Literal('webhookTest'),
    endpointId: Id('webhookEndpoint'),
    eventId: Id('webhookEvent'),
    delivered: Type.Boolean(),
    statusCode: Nullable(Type.Integer({ description: 'Of the answer; null where there was none.' })),
    reply: Nullable(Type.String({ description: 'The beginning of the answer.' })),
    error: Nullable(Type.String()),
  },
  { $id: 'WebhookTest' },
);

const DELIVERY_STATUSES = ['pending', 'delivered', 'exhausted'] as const;

export const EventReply = Type.Object(
  {
    id: Id('webhookEvent'),
    object: Type.Literal('webhookEvent'),
    merchantId: Id('organization'),
    type: Type.String(),
    resourceId: Type.String({ description: 'Whose `sequence` counts this event.' }),
    data: MapOut,
    deliveries: Type.Array(
      Type.Object({
        endpointId: Id('webhookEndpoint'),
        status: OneOf(DELIVERY_STATUSES),
        attempts: Type.Integer(),
        nextAttemptAt: Nullable(Timestamp),
      }),
    ),
    createdAt: Timestamp,
  },
  { $id: 'WebhookEvent' },
);

/** The first event of all: where a reader begins. */
export const START = 'start';

export const EventsQuery = ListQuery({
  merchantId: Type.Optional(Id('organization')),
  type: Type.Optional(EventTypeWord),
  resourceId: Type.Optional(Text({ minLength: 1, maxLength: 100 })),
  after: Type.Optional(
    Type.String({
      pattern: '^(?:start|wev_[0-9A-Za-z]{1,64})$',
      'x-words': 'the id of an event (wev_…), or `start`',
      description:
        'The events after this one, oldest first, in the order in which they were committed; `start` is before the ' +
        'first. Nothing comes later in between.',
    }),
  ),
});
export type EventsQuery = Static<typeof EventsQuery>;

export const AttemptReply = Type.Object(
  {
    id: Id('webhookAttempt'),
    object: Type.Literal('webhookAttempt'),
    eventId: Id('webhookEvent'),
    endpointId: Id('webhookEndpoint'),
    number: Type.Integer(),
    status: OneOf(['delivered', 'failed']),
    statusCode: Nullable(Type.Integer()),
    error: Nullable(Type.String()),
    reply: Nullable(Type.String({ description: 'The first 2 KiB of the answer.' })),
    durationMilliseconds: Nullable(Type.Integer()),
    createdAt: Timestamp,
  },
  { $id: 'WebhookAttempt' },
);

export const AttemptsQuery = ListQuery({ endpointId: Type.Optional(Id('webhookEndpoint')) });
export type AttemptsQuery = Static<typeof AttemptsQuery>;

export const RedeliverBody = Strict({ endpointId: Type.Optional(Id('webhookEndpoint')) }, { $id: 'WebhookRedelivery' });
export type RedeliverBody = Static<typeof RedeliverBody>;

export const RedeliverRangeBody = Strict(
  {
    from: Timestamp,
    to: Timestamp,
    endpointId: Type.Optional(Id('webhookEndpoint')),
    types: Type.Optional(Type.Array(EventTypeWord, { minItems: 1, maxItems: 100 })),
    onlyFailed: Type.Optional(
      Type.Boolean({ default: false, description: 'Leave out what was delivered, or is on its way.' }),
    ),
    merchantId: Type.Optional(Id('organization')),
  },
  { $id: 'WebhookRangeRedelivery' },
);
export type RedeliverRangeBody = Static<typeof RedeliverRangeBody>;

export const RangeReply = Type.Object(
  { object: Type.Literal('webhookRedelivery'), merchantId: Id('organization'), deliveries: Type.Integer() },
  { $id: 'WebhookRedeliveryCount' },
);

export const InboxReply = Type.Object(
  {
    id: Id('webhookReceipt'),
    object: Type.Literal('webhookReceipt'),
    merchantId: Id('organization'),
    endpointId: Id('webhookEndpoint'),
    eventId: Id('webhookEvent'),
    type: Type.String(),
    timestamp: Timestamp,
    data: MapOut,
    headers: MapOut,
    createdAt: Timestamp,
  },
  { $id: 'WebhookReceipt' },
);

export const InboxQuery = ListQuery({
  merchantId: Type.Optional(Id('organization')),
  endpointId: Type.Optional(Id('webhookEndpoint')),
  eventId: Type.Optional(Id('webhookEvent')),
  type: Type.Optional(Text({ minLength: 1, maxLength: 100 })),
});
export type InboxQuery = Static<typeof InboxQuery>;
