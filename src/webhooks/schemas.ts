import { AFTER_FORM } from '../db/index.ts';
import {
  type FieldWords,
  Formed,
  Id,
  ListQuery,
  MapOut,
  Nullable,
  OneOf,
  type Static,
  Strict,
  Text,
  TextsOut,
  Timestamp,
  Type,
} from '../http/index.ts';
import { DISABLED_REASONS, ENDPOINT_STATUSES } from './endpoint.ts';
import { casesOfDeliveries, casesOfEvents, TEST_TYPE } from './event-data.ts';
import { ALL_KINDS, EVENT_KINDS, EVENT_TYPES } from './kinds.ts';

const ENDPOINT_FIELDS: FieldWords = {
  url: [
    'The address that receives webhooks: https, port 443 or 8443, public. In the sandbox also this ' +
      'machine, by http and any port.',
    'https://hooks.acme.example/reckoner',
  ],
  eventTypes: [
    'The types of events that are sent. `*`, the default, is all of them, and new ones too.',
    ['invoice.paid.v0'],
  ],
  description: ['A description of the endpoint. Null: none.', 'Accounting'],
  status: '`enabled`: webhooks are sent. `disabled`: none are. Default: `enabled`.',
  disabledReason:
    '`request`: a call disabled it. `gone`: it answered 410. `failing`: every attempt of five days ' +
    'failed. Null: it is enabled.',
  failingSince: 'Since when every attempt has failed. Null: the last attempt succeeded.',
  secret: 'The secret of the signatures. Only the answers to the creation and to a rotation have it.',
  previousSecretUntil: 'Until when the secret before signs too. Null: there is none.',
};

const DELIVERY_FIELDS: FieldWords = {
  eventId: 'The id of the webhook event.',
  endpointId: 'The id of the webhook endpoint.',
  type: ['The type of the event.', 'invoice.paid.v0'],
  resourceId: ['The id of the resource of the event. Its `sequence` counts the event.', 'inv_8c3d5e0f1a2b4c6d'],
  data: [
    'The ids that the event is about. Only alerts and notices of balances have figures.',
    { merchantId: 'org_8c3d5e0f1a2b4c6d', invoiceId: 'inv_8c3d5e0f1a2b4c6d', sequence: 4 },
  ],
  deliveries: 'The endpoints to which the event is sent.',
  status: '`pending`: attempts go on. `delivered`: the endpoint has it. `exhausted`: all attempts failed.',
  attempts: ['The number of attempts.', 1],
  nextAttemptAt: 'The time of the next attempt. Null: none.',
  number: ['The number of the attempt; the first is 1.', 1],
  statusCode: ['The status of the answer. Null: there was no answer.', 200],
  error: 'The reason why there was no answer. Null: there was one.',
  reply: ['The first 2 KiB of the answer. Null: there was none.', 'ok'],
  durationMilliseconds: ['The duration of the attempt, in milliseconds. Null: not known.', 120],
  delivered: ['Was the answer a 2xx?', true],
  timestamp: 'When the event happened; on a test clock its time.',
  headers: ['The headers of the webhook.', { 'webhook-id': 'wev_8c3d5e0f1a2b4c6d' }],
};

const EVENT_FILTERS: FieldWords = {
  endpointId: 'Only attempts and webhooks of this endpoint.',
  eventId: 'Only webhooks of this event.',
  type: 'Only events of this type.',
  resourceId: 'Only events of this resource.',
  after:
    'The events after this one, in the order of their commits, oldest first. `start` is before the ' +
    'first. No event is added in between later.',
  status: 'Only endpoints in this status.',
};

const REDELIVERY_FIELDS: FieldWords = {
  from: 'The beginning of the time, inclusive.',
  to: 'The end of the time, exclusive.',
  endpointId: 'Only to this endpoint. Default: to every enabled endpoint that is subscribed to the type.',
  types: ['Only events of these types. Default: all.', ['invoice.paid.v0']],
  onlyFailed: '`true`: leaves out delivered and pending events.',
  deliveries: ['How many deliveries were started.', 12],
};

const EventTypeWord = OneOf(EVENT_TYPES);
const Types = Type.Array(OneOf([ALL_KINDS, ...EVENT_TYPES]), {
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
});
const StatusWord = OneOf(ENDPOINT_STATUSES);
const Url = Text({
  minLength: 1,
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
      }),
    ),
    failingSince: Nullable(Timestamp),
    secret: Type.Optional(Type.String()),
    previousSecretUntil: Nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'WebhookEndpoint', description: 'An address that receives webhooks.', 'x-fields': ENDPOINT_FIELDS },
);

export const EndpointBody = Strict(
  {
    url: Url,
    eventTypes: Type.Optional(Types),
    description: Type.Optional(Description),
    status: Type.Optional(StatusWord),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'WebhookEndpointCreate',
    'x-fields': ENDPOINT_FIELDS,
    examples: [{ url: 'http://localhost:4401/v0/webhookInbox', eventTypes: ['invoice.paid.v0'] }],
  },
);
export type EndpointBody = Static<typeof EndpointBody>;

export const EndpointUpdateBody = Strict(
  {
    url: Type.Optional(Url),
    eventTypes: Type.Optional(Types),
    description: Type.Optional(Description),
    status: Type.Optional(StatusWord),
  },
  { $id: 'WebhookEndpointUpdate', 'x-fields': ENDPOINT_FIELDS, examples: [{ status: 'enabled' }] },
);
export type EndpointUpdateBody = Static<typeof EndpointUpdateBody>;

export const EndpointsQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    status: Type.Optional(StatusWord),
  },
  { fields: EVENT_FILTERS },
);
export type EndpointsQuery = Static<typeof EndpointsQuery>;

export const TestReply = Type.Object(
  {
    object: Type.Literal('webhookTest'),
    endpointId: Id('webhookEndpoint'),
    eventId: Id('webhookEvent'),
    delivered: Type.Boolean(),
    statusCode: Nullable(Type.Integer()),
    reply: Nullable(Type.String()),
    error: Nullable(Type.String()),
  },
  { $id: 'WebhookTest', description: 'The result of a test of a webhook endpoint.', 'x-fields': DELIVERY_FIELDS },
);

const DELIVERY_STATUSES = ['pending', 'delivered', 'exhausted'] as const;

export const EventReply = Type.Object(
  {
    id: Id('webhookEvent'),
    object: Type.Literal('webhookEvent'),
    merchantId: Id('organization'),
    type: Type.String(),
    resourceId: Type.String(),
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
  {
    $id: 'WebhookEvent',
    description: 'An event of the merchant with its deliveries. `type` decides the form of `data`.',
    'x-fields': DELIVERY_FIELDS,
    'x-cases': casesOfEvents(false),
  },
);

/** The webhooks, for the document. */
export const DELIVERIES = {
  body: Type.Object(
    { type: Type.String(), timestamp: Timestamp, data: MapOut },
    {
      $id: 'WebhookDelivery',
      description: 'The body of a webhook. A later version can add types: ignore a type that you do not know.',
      'x-fields': DELIVERY_FIELDS,
      'x-cases': casesOfDeliveries,
    },
  ),
  descriptions: { ...EVENT_KINDS, [TEST_TYPE]: 'A test of an endpoint. No list of events has it.' },
};

/** The first event of all: where a reader begins. */
export const START = 'start';

export const EventsQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    type: Type.Optional(EventTypeWord),
    resourceId: Type.Optional(Text({ minLength: 1, maxLength: 100 })),
    after: Type.Optional(
      Formed(`^start$|${AFTER_FORM}`, 'must be the id of an event (wev_…), the nextAfter of a page, or `start`'),
    ),
  },
  { fields: EVENT_FILTERS },
);
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
    reply: Nullable(Type.String()),
    durationMilliseconds: Nullable(Type.Integer()),
    createdAt: Timestamp,
  },
  {
    $id: 'WebhookAttempt',
    description: 'One attempt to deliver an event to an endpoint.',
    'x-fields': { ...DELIVERY_FIELDS, status: '`delivered`: the answer was a 2xx. `failed`: it was not.' },
  },
);

export const AttemptsQuery = ListQuery({ endpointId: Type.Optional(Id('webhookEndpoint')) }, { fields: EVENT_FILTERS });
export type AttemptsQuery = Static<typeof AttemptsQuery>;

export const RedeliverBody = Strict(
  { endpointId: Type.Optional(Id('webhookEndpoint')) },
  { $id: 'WebhookRedelivery', 'x-fields': REDELIVERY_FIELDS, examples: [{ endpointId: 'whe_8c3d5e0f1a2b4c6d' }] },
);
export type RedeliverBody = Static<typeof RedeliverBody>;

export const RedeliverRangeBody = Strict(
  {
    from: Timestamp,
    to: Timestamp,
    endpointId: Type.Optional(Id('webhookEndpoint')),
    types: Type.Optional(Type.Array(EventTypeWord, { minItems: 1, maxItems: 100 })),
    onlyFailed: Type.Optional(Type.Boolean({ default: false })),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'WebhookRangeRedelivery',
    'x-fields': REDELIVERY_FIELDS,
    examples: [{ from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z', onlyFailed: true }],
  },
);
export type RedeliverRangeBody = Static<typeof RedeliverRangeBody>;

export const RangeReply = Type.Object(
  { object: Type.Literal('webhookRedelivery'), merchantId: Id('organization'), deliveries: Type.Integer() },
  {
    $id: 'WebhookRedeliveryCount',
    description: 'How many deliveries a request has started again.',
    'x-fields': REDELIVERY_FIELDS,
  },
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
    headers: TextsOut,
    createdAt: Timestamp,
  },
  {
    $id: 'WebhookReceipt',
    description: 'A webhook that the inbox of the sandbox has received.',
    'x-fields': DELIVERY_FIELDS,
    'x-cases': casesOfEvents(true),
  },
);

export const InboxQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    endpointId: Type.Optional(Id('webhookEndpoint')),
    eventId: Type.Optional(Id('webhookEvent')),
    type: Type.Optional(Text({ minLength: 1, maxLength: 100 })),
  },
  { fields: EVENT_FILTERS },
);
export type InboxQuery = Static<typeof InboxQuery>;
