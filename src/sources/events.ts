import type { Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import { plain } from '../kernel/decimal.ts';
import { invalidField, notFound, ok, type Result } from '../kernel/result.ts';
import { next } from '../kernel/state-table.ts';
import { formatInstant, type Instant, isBefore } from '../kernel/time.ts';
import { type SourceEventTrigger, sourceEventStates } from './event-states.ts';
import {
  lockSourceEvents,
  type Outcome,
  type SourceEventFilter,
  selectSourceEvent,
  selectSourceEvents,
  updateOutcomes,
  updateToRetry,
} from './events.sql.ts';
import { processArrived, processEvents } from './process.ts';
import type { Source, SourceEvent } from './source.ts';
import { lockSourceShared } from './sources.sql.ts';

/** A source event as it is answered (§2). */
export const toSourceEventReply = (event: SourceEvent) => ({
  id: event.id,
  object: 'sourceEvent' as const,
  merchantId: event.merchantId,
  sourceId: event.sourceId,
  status: event.status,
  externalEventId: event.externalEventId,
  customerExternalId: event.customerExternalId,
  ...(event.customerId !== null && { customerId: event.customerId }),
  ...(event.subscriptionId !== null && { subscriptionId: event.subscriptionId }),
  amount: plain(event.amount),
  currency: event.currency,
  occurredAt: formatInstant(event.occurredAt),
  rawData: event.rawData,
  errorMessage: event.errorMessage,
  usageEventIds: event.usageEventIds,
  ...(event.processedAt !== null && { processedAt: formatInstant(event.processedAt) }),
  ...(event.processedBy !== null && { processedBy: event.processedBy }),
  createdAt: formatInstant(event.createdAt),
  updatedAt: formatInstant(event.updatedAt),
});
export type SourceEventReply = ReturnType<typeof toSourceEventReply>;

/** An event of a source, as a path names it. */
interface EventKey {
  readonly merchantId: string;
  readonly sourceId: string;
  readonly eventId: string;
}

/** One event of a source; 404. */
export async function getSourceEvent(tx: Tx, { sourceId, eventId }: EventKey): Promise<Result<SourceEventReply>> {
  const event = await selectSourceEvent(tx, sourceId, eventId);
  return event ? ok(toSourceEventReply(event)) : notFound('sourceEvent');
}

/** The events of a source, newest first. */
export async function listSourceEvents(tx: Tx, sourceId: string, filter: SourceEventFilter, page: PageRequest) {
  const { from, to } = filter;
  const isBackwards = from !== undefined && to !== undefined && isBefore(instant(to), instant(from));
  if (isBackwards) return invalidField('to', 'must not be before from');
  const { rows, total } = await selectSourceEvents(tx, sourceId, filter, page);
  return ok({ data: rows.map(toSourceEventReply), total });
}

const instant = (text: string): Instant => Temporal.Instant.from(text);

/** Locks one event in a state that allows this, and holds its source as it is. */
async function lockFor(
  tx: Tx,
  { sourceId, eventId }: EventKey,
  trigger: SourceEventTrigger,
): Promise<Result<{ source: Source; event: SourceEvent }>> {
  const source = await lockSourceShared(tx, sourceId);
  if (!source) return notFound('source');
  const [event] = await lockSourceEvents(tx, sourceId, [eventId]);
  if (!event) return notFound('sourceEvent');
  const to = next(sourceEventStates, event.status, trigger);
  return to.ok ? ok({ source, event }) : to;
}

/** Processes a pending event; one that cannot be processed is `failed` with the reason. @param userId who approves */
export async function approveEvent(
  tx: Tx,
  key: EventKey,
  userId: string,
  now: Instant,
): Promise<Result<SourceEventReply>> {
  const found = await lockFor(tx, key, 'process');
  if (!found.ok) return found;
  const { source, event } = found.value;
  return onlyOne(await processEvents(tx, source, [event], () => userId, now));
}

/** §3: a pending event is `rejected`, and no usage comes of it. */
export async function rejectEvent(
  tx: Tx,
  key: EventKey,
  userId: string,
  now: Instant,
): Promise<Result<SourceEventReply>> {
  const found = await lockFor(tx, key, 'reject');
  if (!found.ok) return found;
  return onlyOne(await updateOutcomes(tx, [rejectionOf(found.value.event, userId)], now));
}

const rejectionOf = ({ id, customerId, subscriptionId }: SourceEvent, processedBy: string): Outcome => ({
  id,
  status: 'rejected',
  customerId,
  subscriptionId,
  errorMessage: null,
  usageEventIds: [],
  processedBy,
});

/** A failed event is pending again, and goes the way of one that has just come in. */
export async function retryEvent(tx: Tx, key: EventKey, now: Instant): Promise<Result<SourceEventReply>> {
  const found = await lockFor(tx, key, 'retry');
  if (!found.ok) return found;
  const { source, event } = found.value;
  return onlyOne(await processArrived(tx, source, [await updateToRetry(tx, event, now)], now));
}

function onlyOne([event]: readonly SourceEvent[]): Result<SourceEventReply> {
  if (!event) throw new Error('A locked source event was deleted.');
  return ok(toSourceEventReply(event));
}

interface Refused {
  readonly id: string;
  readonly error: string;
}

/** Locks events of a source, and tells those apart that a trigger leads nowhere from. */
async function lockMany(
  tx: Tx,
  { sourceId }: Omit<EventKey, 'eventId'>,
  eventIds: readonly string[],
  trigger: SourceEventTrigger,
): Promise<Result<{ source: Source; ready: SourceEvent[]; refused: Refused[] }>> {
  const source = await lockSourceShared(tx, sourceId);
  if (!source) return notFound('source');
  const ids = [...new Set(eventIds)];
  const found = new Map((await lockSourceEvents(tx, sourceId, ids)).map((event) => [event.id, event]));
  const [ready, refused]: [SourceEvent[], Refused[]] = [[], []];
  for (const id of ids) {
    const event = found.get(id);
    const to = event && next(sourceEventStates, event.status, trigger);
    if (event && to?.ok) ready.push(event);
    else refused.push({ id, error: event ? `The event is ${event.status}, not pending.` : 'No such source event.' });
  }
  return ok({ source, ready, refused });
}

/** Approves pending events, each with an outcome of its own. */
export async function approveEvents(
  tx: Tx,
  key: Omit<EventKey, 'eventId'>,
  eventIds: readonly string[],
  userId: string,
  now: Instant,
) {
  const found = await lockMany(tx, key, eventIds, 'process');
  if (!found.ok) return found;
  const { source, ready, refused } = found.value;
  const done = new Map((await processEvents(tx, source, ready, () => userId, now)).map((event) => [event.id, event]));
  const processed = ready.filter(({ id }) => done.get(id)?.status === 'processed').map(({ id }) => id);
  const failed = ready.flatMap(({ id }): Refused[] => {
    const error = done.get(id)?.errorMessage;
    return error ? [{ id, error }] : [];
  });
  const all = [...failed, ...refused];
  return ok({ processed: processed.length, failed: all.length, details: { processed, failed: all } });
}

/** Rejects pending events; the others are named. */
export async function rejectEvents(
  tx: Tx,
  key: Omit<EventKey, 'eventId'>,
  eventIds: readonly string[],
  userId: string,
  now: Instant,
) {
  const found = await lockMany(tx, key, eventIds, 'reject');
  if (!found.ok) return found;
  const { ready, refused } = found.value;
  if (ready.length > 0)
    await updateOutcomes(
      tx,
      ready.map((event) => rejectionOf(event, userId)),
      now,
    );
  const rejected = ready.map(({ id }) => id);
  return ok({ rejected: rejected.length, failed: refused.length, details: { rejected, failed: refused } });
}
