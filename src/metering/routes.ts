import type { Database } from '../db/index.ts';
import { ownerOf } from '../db/index.ts';
import { type Caller, JSON_SUFFIX, JsonParts, type Place, type Route, routesOf, Type } from '../http/index.ts';
import { fail, invalidField, mapped, notFound, ok, type Result } from '../kernel/result.ts';
import { BATCH_TYPE, type EventForm, formOf, type Headers, STRUCTURED_TYPE } from './events/cloud-events.ts';
import { type EventRecord, toEventReply } from './events/event-record.ts';
import { balancesAfter, checkSubjects, type EventBalances, EventsCreateQuery } from './events/expand.ts';
import type { IncomingEvent } from './events/incoming-event.ts';
import { BODY_LIMITS, type EventDefaults, readBatch, readBinary, readCloudEvents } from './events/read-batch.ts';
import {
  acceptedSchemas,
  CloudEvent,
  CloudEvents,
  EventHeaders,
  EventListQuery,
  EventsCreateBody,
  EventWithDataReply,
  ListedEventReply,
} from './events/schemas.ts';
import { admissionOf } from './intake/admission.ts';
import { createIntakes, type EventIntake } from './intake/intake.ts';
import { findEvent, listEvents, type MeterRegistry } from './stored/events.ts';
import type { FindBilling } from './stored/fate.ts';

const MOST_BODY_BYTES = 8 * 1024 * 1024;

const api = routesOf('Metering');

/** The dependencies of the routes of events on other domains; `wiring.ts` binds them. */
export interface EventParts {
  /** The meters for the status of an event. */
  readonly metersOf: MeterRegistry;
  /** Finds the bill of an event. */
  readonly findBilling: FindBilling;
  readonly balances: EventBalances;
}

/** The routes of events. */
export const eventRoutes = (
  { metersOf, findBilling, balances }: EventParts,
  intakeOf: (database: Database) => EventIntake = createIntakes(),
): readonly Route[] => [
  api.post('/v0/events', 'createEvents', {
    summary: 'Report usage',
    description:
      'Answers 202 when the events are on disk. An array is accepted whole or not at all. The same `idempotencyKey` ' +
      'with the same content is the same event, for ever; other content is a 409. The `Idempotency-Key` header ' +
      'replaces a missing `idempotencyKey` of a single event. CloudEvents 1.0 are accepted as ' +
      '`application/cloudevents+json`, as `application/cloudevents-batch+json`, and in binary mode (`ce-*` headers). ' +
      'Their `id` is the key within their `source`, and `time` is the `timestamp`. The extensions `externalsubject`, ' +
      '`externalid` and `namespace` are the fields of these names. `expand=entitlements` adds the balances that the ' +
      'events change.',
    access: { role: 'member', merchant: 'caller' },
    headers: EventHeaders,
    body: EventsCreateBody,
    bodyForms: { [STRUCTURED_TYPE]: CloudEvent, [BATCH_TYPE]: CloudEvents },
    bodyChecked: 'by the handler',
    query: EventsCreateQuery,
    replies: { 202: acceptedSchema(balances.schema) },
    errors: [409],
    bodyLimit: MOST_BODY_BYTES,
    makesDue: false,
    endsByItself: true, // by the time limits of the statements that it waits for
    bodyParts: BODY_LIMITS,
    contentTypes: [STRUCTURED_TYPE, BATCH_TYPE, JSON_SUFFIX],
    admit: ({ caller, database, bytes, now }) => {
      const place = admissionOf(database).admit(caller.organizationId, bytes, now);
      return place instanceof Promise ? place.then(toAdmission) : ok(place);
    },
    rateLimit: 'events',
    idempotent: false,
    audited: false,
    free: async ({ body: sent, query, caller, now, database, request, place, signal }) => {
      const form = formOf(request.headers);
      if (form === null) return fail('UNSUPPORTED_MEDIA_TYPE', undefined, UNREADABLE);
      const body = sent instanceof JsonParts ? sent : undefined;
      const isBatch = body?.isArray === true && form !== 'binary';
      const headerKey = request.headers['idempotency-key'];
      const defaults = {
        namespace: caller.organizationId,
        now,
        headerKey: Array.isArray(headerKey) ? headerKey[0] : headerKey,
        mayNameAny: caller.isOperator,
      };
      const read = await readForm(form, request.headers, body, defaults);
      if (!read.ok) return read;
      const known = await checkNamespaces(database, caller, read.value, isBatch);
      if (!known.ok) return known;
      const isExpanded = query.expand !== undefined;
      const few = isExpanded ? checkSubjects(read.value) : ok(undefined);
      if (!few.ok) return few;
      if (place?.resize(read.value.length) === false) return fail('INGEST_QUEUE_FULL');
      const accepted = await intakeOf(database).accept(read.value, now);
      const answer = isBatch
        ? { object: 'list', data: accepted.map(toEventReply) }
        : toEventReply(accepted[0] as EventRecord);
      if (!isExpanded) return ok(answer);
      // The events are stored: a client that heard of a fault would send them again.
      const entitlements = await balancesAfter(
        balances,
        { database, now, signal },
        { sent: read.value, accepted },
      ).catch(() => null);
      return ok({ ...answer, entitlements });
    },
  }),
  api.list('/v0/events', 'listEvents', {
    summary: 'List events',
    description:
      'Newest first. `status=unmatched` finds events that nothing counts, each with its `reason`. Without `from`, ' +
      '`to` or `updatedFrom`, a list by `status` has the events that were accepted in the last seven days. Without ' +
      '`from` and `to`, archived events are not listed.',
    access: { role: 'viewer', merchant: 'query' },
    query: EventListQuery,
    of: ListedEventReply,
    list: ({ tx, merchantId, query, now, page }) => listEvents(tx, merchantId, query, page, metersOf, now),
  }),
  api.get('/v0/events/:id', 'getEvent', {
    summary: 'Retrieve an event and its outcome',
    description:
      '`outcome.counts` lists the metrics and costs that count the event, with its value. `outcome.billing` lists ' +
      'the invoices that bill it. `outcome.reason` has the reason if none does.',
    access: { role: 'viewer', merchant: 'query', ownerless: true },
    replies: { 200: EventWithDataReply },
    handler: async ({ tx, merchantId, params }) =>
      mapped(await findEvent(tx, merchantId, params.id, metersOf, findBilling), ({ event }) => event),
  }),
];

const toAdmission = (place: Place | null): Result<Place> => (place === null ? fail('INGEST_QUEUE_FULL') : ok(place));

function acceptedSchema(entitlement: EventBalances['schema']) {
  const { one, many } = acceptedSchemas(entitlement);
  return Type.Union([one, many]);
}

const UNREADABLE =
  'CloudEvents in JSON are UTF-8. Other events are sent with Content-Type: application/json, or in binary mode with the ' +
  'ce- headers.';

/** One event, or a batch: CloudEvents have a content type for each. */
async function readForm(
  form: EventForm,
  headers: Headers,
  body: JsonParts | undefined,
  defaults: EventDefaults,
): Promise<Result<IncomingEvent[]>> {
  if (form === 'binary') return readBinary(headers, body, defaults);
  if (form === 'structured' && body?.isArray === true)
    return invalidField('body', `must be an object; an array is ${BATCH_TYPE}`);
  if (form === 'batch' && body?.isArray !== true)
    return invalidField('body', `must be an array; one event is ${STRUCTURED_TYPE}`);
  return (form === 'own' ? readBatch : readCloudEvents)(body, defaults);
}

/** An operator's namespaces must be organizations that own themselves: merchants, or the platform. */
async function checkNamespaces(
  database: Database,
  caller: Caller,
  events: readonly IncomingEvent[],
  isBatch: boolean,
): Promise<Result<null>> {
  const named = new Map<string, number>();
  for (const [index, { merchantId }] of events.entries())
    if (merchantId !== caller.organizationId && !named.has(merchantId)) named.set(merchantId, index);
  if (named.size === 0) return ok(null);
  return database.transaction('nobody', async (tx) => {
    for (const [namespace, index] of named)
      if ((await ownerOf(tx, namespace)) !== namespace)
        return notFound('organization', isBatch ? `${index}.namespace` : 'namespace');
    return ok(null);
  });
}
