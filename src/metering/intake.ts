import type { Database, Tx } from '../db/index.ts';
import { fail, ok, orThrow, type Result } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import { newEventId } from './event-id.ts';
import type { EventRecord } from './event-record.ts';
import { contentPrint, keyHash } from './fingerprint.ts';
import type { IncomingEvent } from './incoming-event.ts';
import { claimKeys, insertEvents, type KeyClaim, type NewEventRow, storedEvents, storedKeys } from './intake.sql.ts';
import { lockIngest } from './lock.ts';
import { currentSubjects, insertSubjects, type SubjectKey, type SubjectRow } from './subjects.sql.ts';

/** The port of performance.md §6.3 through which events come in: one batch, one transaction, answered after its commit. */
export interface EventIntake {
  /** @returns the events in the order given, a repeated one as it was first accepted; see `acceptEvents`. @throws RefusalError */
  accept(events: readonly IncomingEvent[], now: Instant): Promise<EventRecord[]>;
}

/** Each batch in a transaction of its own, straight into PostgreSQL. */
export const createIntake = (database: Database): EventIntake => ({
  accept: (events, now) => {
    const merchants = [...new Set(events.map(({ merchantId }) => merchantId))];
    return database.transaction({ merchants }, async (tx) => orThrow(await acceptEvents(tx, events, now)));
  },
});

/**
 * Accepts events in the caller's transaction, all or none: on a refusal the caller must roll back.
 * The same key with the same content is the same event, now and for ever, also twice in one batch; with other content the
 * batch is refused with `IDEMPOTENCY_KEY_REUSED` and each conflict.
 *
 * Everybody takes locks in one order: the ingest locks of the merchants, new subjects, keys, each sorted. So twins wait
 * for each other, and nobody waits in a circle.
 */
export async function acceptEvents(
  tx: Tx,
  events: readonly IncomingEvent[],
  now: Instant,
): Promise<Result<EventRecord[]>> {
  if (events.length === 0) return ok([]);
  for (const merchantId of [...new Set(events.map((event) => event.merchantId))].toSorted())
    await lockIngest(tx, merchantId, 'shared');
  const subjects = await resolveSubjects(tx, events, now);

  const prints = events.map((event) => printOf(event, now));
  const claims = new Map<string, KeyClaim>();
  for (const claim of prints) if (!claims.has(claim.h)) claims.set(claim.h, claim);
  const sorted = [...claims.values()].toSorted(byKey);
  const isNew = new Set(await claimKeys(tx, sorted));
  const repeated = sorted.filter(({ h }) => !isNew.has(h));
  for (const stored of repeated.length === 0 ? [] : await storedKeys(tx, repeated)) claims.set(stored.h, stored);

  const conflicts = prints
    .map(({ h, fp }, index) => ({ index, isConflict: claims.get(h)?.fp !== fp }))
    .filter(({ isConflict }) => isConflict)
    .map(({ index }) => ({ index, idempotencyKey: events[index]?.idempotencyKey }));
  if (conflicts.length > 0) return fail('IDEMPOTENCY_KEY_REUSED', { conflicts });

  const rows: NewEventRow[] = [];
  const records = new Map<string, EventRecord>();
  for (const [index, event] of events.entries()) {
    const { h, eventId } = prints[index] as KeyClaim;
    if (!isNew.has(h) || records.has(h)) continue;
    const subject = subjects.get(subjectText(subjectOf(event))) as SubjectRow;
    rows.push({ id: eventId, event, subjectId: subject.id });
    records.set(h, recordOf(eventId, event, subject));
  }
  if (rows.length > 0) await insertEvents(tx, rows, now);
  const first = new Map<string, EventRecord>();
  const known = repeated.map(({ h }) => claims.get(h) as KeyClaim);
  for (const record of known.length === 0 ? [] : await storedEvents(tx, known)) first.set(record.id, record);
  return ok(prints.map(({ h }) => (records.get(h) ?? first.get((claims.get(h) as KeyClaim).eventId)) as EventRecord));
}

const printOf = (event: IncomingEvent, now: Instant): KeyClaim => ({
  merchantId: event.merchantId,
  h: keyHash(event.merchantId, event.idempotencyKey, event.keySource),
  eventId: newEventId(event.at, now),
  fp: contentPrint({
    type: event.type,
    source: event.source,
    subject: event.subject,
    externalSubject: event.externalSubject,
    externalId: event.externalId,
    data: event.data,
    ...(event.isTimeSent && { timestamp: event.at.toString() }),
  }),
});

const byKey = (a: KeyClaim, b: KeyClaim): number => compare(a.merchantId, b.merchantId) || compare(a.h, b.h);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const subjectOf = ({ merchantId, subject, externalSubject }: IncomingEvent): SubjectKey =>
  subject !== null
    ? { merchantId, kind: 'direct', key: subject }
    : { merchantId, kind: 'external', key: externalSubject as string };

const subjectText = (key: { merchantId?: string; merchant_id?: string; kind: string; key: string }): string =>
  `${key.merchantId ?? key.merchant_id} ${key.kind} ${key.key}`;

/** The subject row of each event, made at first sight. */
async function resolveSubjects(
  tx: Tx,
  events: readonly IncomingEvent[],
  now: Instant,
): Promise<Map<string, SubjectRow>> {
  const wanted = new Map(events.map(subjectOf).map((key) => [subjectText(key), key]));
  const found = new Map<string, SubjectRow>();
  const look = async (keys: readonly SubjectKey[]) => {
    for (const row of await currentSubjects(tx, keys)) found.set(subjectText(row), row);
  };
  await look([...wanted.values()]);
  const missing = [...wanted].filter(([text]) => !found.has(text)).map(([, key]) => key);
  if (missing.length > 0) {
    await insertSubjects(tx, missing, now);
    await look(missing);
  }
  return found;
}

const recordOf = (id: string, event: IncomingEvent, subject: SubjectRow): EventRecord => ({
  id,
  merchantId: event.merchantId,
  type: event.type,
  source: event.source,
  subject: subject.customer_id ?? subject.addressee,
  externalSubject: event.externalSubject,
  externalId: event.externalId,
  at: event.at,
  idempotencyKey: event.idempotencyKey,
});
