import type { PageRequest, Tx } from '../../db/index.ts';
import type { Static } from '../../http/index.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import { type Instant, type InstantText, instantOf } from '../../kernel/time.ts';
import { selectEventIds } from '../events/event-id.sql.ts';
import { toEventReply } from '../events/event-record.ts';
import type { EventListQuery, EventWithDataReply, ListedEventReply } from '../events/schemas.ts';
import type { Meter } from '../meter/meter.ts';
import {
  type EventFilter,
  type OwnedMeter,
  type ReadEvent,
  selectEvent,
  selectEvents,
  selectMeterEvents,
} from './events.sql.ts';
import { type EventFate, type FindBilling, fateOf, toOutcomeReply } from './fate.ts';

/**
 * All meters of a merchant (null: of every merchant). They are the catalog's, which stands upstream; `app.ts` hands
 * this in.
 */
export type MeterRegistry = (tx: Tx, merchantId: string | null) => Promise<OwnedMeter[]>;

/**
 * What became of an event is worked out from its content and today's meters, so a list by it is of new events, unless
 * it names a time.
 */
const FATES_SHOWN = Temporal.Duration.from({ hours: 7 * 24 });

/** GET /v0/events: what came in, and what became of it. */
export async function listEvents(
  tx: Tx,
  merchantId: string | null,
  query: EventListQuery,
  page: PageRequest,
  metersOf: MeterRegistry,
  now: Instant,
): Promise<{ data: Static<typeof ListedEventReply>[]; total: number }> {
  const [from, to, updatedFrom] = [query.from, query.to, query.updatedFrom].map(readTime);
  const isBounded = from !== undefined || to !== undefined || query.status === undefined;
  const acceptedFrom = updatedFrom ?? (isBounded ? undefined : now.subtract(FATES_SHOWN));
  const filter = { ...query, merchantId, from, to, acceptedFrom };
  const { rows, total } = await selectEvents(tx, filter, query.status, await metersOf(tx, merchantId), page);
  return { data: rows.map(toListedEventReply), total };
}

/**
 * An event as GET /v0/events/{id} shows it, and what became of it. Another merchant's event is as unknown as one that
 * does not exist (api.md, Everywhere).
 */
export async function findEvent(
  tx: Tx,
  merchantId: string | null,
  id: string,
  metersOf: MeterRegistry,
  findBilling: FindBilling,
): Promise<Result<{ event: Static<typeof EventWithDataReply>; fate: EventFate }>> {
  const place = (await selectEventIds(tx)).placeOf(id);
  if (place === null) return notFound('event');
  const meters = await metersOf(tx, merchantId);
  const row = await selectEvent(tx, merchantId, place, meters);
  if (!row) return notFound('event');
  const fate = await fateOf(tx, row, meters, findBilling);
  const data = row.data as Record<string, unknown>;
  return ok({ event: { ...toListedEventReply(row), data, outcome: toOutcomeReply(fate) }, fate });
}

const readTime = (text: InstantText | undefined): Instant | undefined =>
  text === undefined ? undefined : instantOf(text);

const toListedEventReply = (row: ReadEvent): Static<typeof ListedEventReply> => ({
  ...toEventReply(row),
  ...(row.sentSubject !== null && { sentSubject: row.sentSubject }),
  status: row.reason === null ? 'matched' : 'unmatched',
  ...(row.reason !== null && { reason: row.reason }),
});

/** An event as a metric lists it. */
export interface MeterEvent {
  id: string;
  object: 'meterEvent';
  type: string;
  source: string;
  subject?: string;
  time: InstantText;
  idempotencyKey: string;
  data: Record<string, unknown>;
  externalId?: string;
  externalSubject?: string;
}

/** The events that a meter counts, newest first: their values are its usage. */
export async function listMeterEvents(
  tx: Tx,
  meter: Meter,
  filter: EventFilter,
  page: PageRequest,
): Promise<{ data: MeterEvent[]; total: number }> {
  const { rows, total } = await selectMeterEvents(tx, meter, filter, page);
  const data = rows.map((row): MeterEvent => {
    const { namespace: _namespace, timestamp: time, ...event } = toEventReply(row);
    return { ...event, object: 'meterEvent', time, data: row.data as Record<string, unknown> };
  });
  return { data, total };
}
