import {
  Formed,
  Id,
  ListOf,
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
  type TSchema,
  Type,
} from '../../http/index.ts';
import { OUTSIDE_ID } from '../../kernel/ids.ts';

/** §8: 1 to 255 letters, digits, underscores and hyphens. */
const OutsideId = Formed(OUTSIDE_ID, 'must be 1 to 255 letters, digits, underscores and hyphens, such as acme-1');

/** §4, POST /v0/events. What a schema cannot say is in `content.ts` and `read-batch.ts`. */
export const EventCreate = Strict(
  {
    type: Name,
    source: Text({ minLength: 1, maxLength: 2048, description: 'The URI of what reports the event.' }),
    subject: Type.Optional(
      Text({
        minLength: 1,
        maxLength: 255,
        description: 'A customer or a subscription. Required without externalSubject.',
      }),
    ),
    externalSubject: Type.Optional(OutsideId),
    data: Type.Optional(MapOut),
    namespace: Type.Optional(Id('organization')),
    timestamp: Type.Optional(Timestamp),
    idempotencyKey: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
    externalId: Type.Optional(OutsideId),
  },
  { $id: 'EventCreate' },
);
export type EventCreate = Static<typeof EventCreate>;

export const MOST_EVENTS = 10_000;

/** One event, or up to 10,000 that are accepted together or not at all. */
export const EventsCreate = Type.Union([EventCreate, Type.Array(EventCreate, { maxItems: MOST_EVENTS })]);

/** Why an event counts nothing; the first that holds. */
const UNMATCHED_REASONS = ['UNKNOWN_SUBJECT', 'UNKNOWN_TYPE', 'BEFORE_EVENT_FROM', 'NO_VALUE'] as const;
export type UnmatchedReason = (typeof UNMATCHED_REASONS)[number];

/** Why usage that counts is on no invoice, or not on this one. */
const UNBILLED_REASONS = [
  'GROUP_FILTERED',
  'OLDER_SUBSCRIPTION',
  'PERIOD_CLOSED',
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
  subject: Type.Optional(Type.String({ description: 'The customer; absent while there is none.' })),
  externalSubject: Type.Optional(Type.String()),
  namespace: Id('organization'),
  timestamp: Timestamp,
  idempotencyKey: Type.String(),
  externalId: Type.Optional(Type.String()),
};

/** §2, Metering event. */
export const Event = Type.Object(eventFields, { $id: 'Event' });

const readFields = {
  ...eventFields,
  sentSubject: Type.Optional(
    Type.String({ description: 'The subject as it was sent, also where it is no customer or subscription.' }),
  ),
  status: OneOf(['matched', 'unmatched']),
  reason: Type.Optional(OneOf(UNMATCHED_REASONS)),
};

/** An event as it is listed: with what became of it. */
export const ListedEvent = Type.Object(readFields, { $id: 'ListedEvent' });

/** What became of an event, as of now. */
export const EventOutcome = Type.Object(
  {
    counts: Type.Array(
      Type.Object({
        id: Type.String({ description: 'The metric or cost of this type.' }),
        value: Type.Optional(Type.Union([NumberOut, Type.String()])),
        group: MapOut,
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
  { $id: 'EventOutcome' },
);

/** One event, with what was sent in it and what became of it. */
export const EventWithData = Type.Object(
  { ...readFields, data: MapOut, outcome: EventOutcome },
  { $id: 'EventWithData' },
);

/** The answers to one event and to an array. @param entitlement one of the balances that `expand` asks for */
export function acceptedSchemas(entitlement: TSchema) {
  const expanded = {
    entitlements: Type.Optional({
      ...Nullable(Type.Array(entitlement)),
      description:
        'With expand=entitlements: the balances after the events. null: they could not be read; the events are stored.',
    }),
  };
  return {
    one: Type.Object({ ...eventFields, ...expanded }, { $id: 'AcceptedEvent' }),
    many: Type.Object(
      { object: Type.Literal('list'), data: Type.Array(Event), ...expanded },
      { $id: 'AcceptedEvents' },
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
  },
  { limit: 20 },
);
export type EventListQuery = Static<typeof EventListQuery>;

export const EventList = ListOf(ListedEvent);
