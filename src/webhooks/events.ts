import { checkReference, type Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import { fail, invalidField, notFound, ok } from '../kernel/result.ts';
import { formatInstant, instantOf, isBefore } from '../kernel/time.ts';
import { type Attempt, countRedelivered, insertDeliveriesAgain, type Redelivery } from './deliveries.sql.ts';
import { selectEndpoint } from './endpoints.sql.ts';
import {
  type DeliveryRow,
  type RecordedEvent,
  selectAttempts,
  selectDeliveries,
  selectEvent,
  selectEvents,
  selectEventsByCommit,
} from './events.sql.ts';
import { type AttemptsQuery, type EventsQuery, type RedeliverBody, type RedeliverRangeBody, START } from './schemas.ts';

const toEventReply = (event: RecordedEvent, deliveries: readonly DeliveryRow[]) => ({
  id: event.id,
  object: 'webhookEvent' as const,
  merchantId: event.merchantId,
  type: event.type,
  resourceId: event.resourceId,
  data: event.data,
  deliveries: deliveries.map(({ endpointId, status, attempts, nextAttemptAt }) => ({
    endpointId,
    status,
    attempts,
    nextAttemptAt: nextAttemptAt && formatInstant(nextAttemptAt),
  })),
  createdAt: formatInstant(event.createdAt),
});

const toAttemptReply = ({ merchantId: _, createdAt, id, ...attempt }: Attempt) => ({
  id,
  object: 'webhookAttempt' as const,
  ...attempt,
  createdAt: formatInstant(createdAt),
});

async function toEventReplies(tx: Tx, events: readonly RecordedEvent[]) {
  const deliveries = events.length === 0 ? [] : await selectDeliveries(tx, events);
  const byEvent = Map.groupBy(deliveries, ({ eventId }) => eventId);
  return events.map((event) => toEventReply(event, byEvent.get(event.id) ?? []));
}

/** One event with its deliveries; 404. */
export async function getEvent(tx: Tx, id: string) {
  const event = await selectEvent(tx, id);
  if (!event) return notFound('webhookEvent');
  const [shown] = await toEventReplies(tx, [event]);
  return ok(shown);
}

/** The events, newest first; after `start` or an event those after it, in the order of their commits. */
export async function listEvents(tx: Tx, merchantId: string | null, query: EventsQuery, page: PageRequest) {
  const { type, resourceId, after } = query;
  if (after === START) page.after = undefined;
  const select = after === START ? selectEventsByCommit : selectEvents;
  const { rows, total } = await select(tx, { merchantId, type, resourceId }, page);
  return { data: await toEventReplies(tx, rows), total };
}

/** The attempts at an event, newest first. */
export async function listAttempts(tx: Tx, eventId: string, query: AttemptsQuery, page: PageRequest) {
  const { rows, total } = await selectAttempts(
    tx,
    { merchantId: tx.merchantId, eventId, endpointId: query.endpointId },
    page,
  );
  return { data: rows.map(toAttemptReply), total };
}

/** Is the endpoint the merchant's, and does it take events? */
async function checkEndpoint(tx: Tx, id: string | undefined) {
  if (id === undefined) return ok(null);
  const owned = await checkReference(tx, 'webhookEndpoint', id, 'endpointId');
  if (!owned.ok) return owned;
  const endpoint = await selectEndpoint(tx, id);
  if (!endpoint) return notFound('webhookEndpoint', 'endpointId');
  return endpoint.status === 'enabled' ? ok(id) : fail('ENDPOINT_DISABLED');
}

/** Sends an event again: to one endpoint, or to all that want its kind or got it before. */
export async function redeliverEvent(tx: Tx, id: string, { endpointId }: RedeliverBody) {
  const endpoint = await checkEndpoint(tx, endpointId);
  if (!endpoint.ok) return endpoint;
  await insertDeliveriesAgain(tx, {
    merchantId: tx.merchantId,
    endpointId: endpoint.value,
    eventId: id,
    onlyFailed: false,
  });
  return getEvent(tx, id);
}

const MOST_DELIVERIES = 10_000;

/** Sends again what happened in a stretch of time, each event from the beginning of the schedule. */
export async function redeliverRange(tx: Tx, body: RedeliverRangeBody) {
  const [from, to] = [instantOf(body.from), instantOf(body.to)];
  if (!isBefore(from, to)) return invalidField('to', 'must be after from');
  const endpoint = await checkEndpoint(tx, body.endpointId);
  if (!endpoint.ok) return endpoint;
  const { types, onlyFailed = false } = body;
  const which: Redelivery = { merchantId: tx.merchantId, endpointId: endpoint.value, from, to, types, onlyFailed };
  if ((await countRedelivered(tx, which, MOST_DELIVERIES + 1)) > MOST_DELIVERIES) return fail('TOO_MANY_DELIVERIES');
  return ok({
    object: 'webhookRedelivery' as const,
    merchantId: tx.merchantId,
    deliveries: await insertDeliveriesAgain(tx, which),
  });
}
