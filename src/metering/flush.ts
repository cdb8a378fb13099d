import { type Failure, fail } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import { newEventId } from './event-id.ts';
import type { EventRecord } from './event-record.ts';
import { contentPrint, keyHash } from './fingerprint.ts';
import type { IncomingEvent } from './incoming-event.ts';
import type { SubjectKey } from './subjects.sql.ts';

/** An event with all that is stored of it and can be known beforehand. */
export interface PreparedEvent {
  readonly event: IncomingEvent;
  /** Its key, by hash. */
  readonly h: string;
  /** Its content, by hash. */
  readonly fp: bigint;
  /** The id that it gets if it is new. */
  readonly id: string;
  readonly at: string;
  readonly data: string;
}

/** What is stored of an event, apart from who may see it. */
export function prepare(event: IncomingEvent, now: Instant): PreparedEvent {
  const at = event.at.toString();
  return {
    event,
    h: keyHash(event.merchantId, event.idempotencyKey, event.keySource),
    fp: contentPrint({
      type: event.type,
      source: event.source,
      subject: event.subject,
      externalSubject: event.externalSubject,
      externalId: event.externalId,
      data: event.data,
      ...(event.isTimeSent && { timestamp: at }),
    }),
    id: newEventId(event.at, now),
    at,
    data: JSON.stringify(event.data),
  };
}

/** The events of one request, accepted together or not at all. */
export interface Batch {
  readonly events: readonly PreparedEvent[];
}

/** A key of a flush, with the first event that has it. */
interface Entry extends PreparedEvent {
  /** The batches that share keys, directly or over others: they are stored together or not at all. */
  readonly group: number;
  readonly place: number;
  /** Its subject among those of the flush, from 1. */
  readonly subjectPlace: number;
}

/** Batches as the database takes them: each merchant, subject and key once, and sorted, because that is the order of locks. */
export interface Flush {
  readonly merchants: readonly string[];
  readonly subjects: readonly SubjectKey[];
  readonly entries: readonly Entry[];
}

/** What a flush came to. Places are those of its entries, from 1. */
export interface FlushedRow {
  /** Whose ingest lock is taken; then nothing was done. */
  readonly busy: string[] | null;
  /** Whom the answers of each subject name. */
  readonly addressees: (string | null)[] | null;
  /** Entries whose key was stored before, and the ids under which. */
  readonly repeated: number[] | null;
  readonly repeated_ids: string[] | null;
  /** Those of them that were stored with other content: nothing of their requests was stored. */
  readonly conflicting: number[] | null;
}

/** Does a key come twice with different contents? Then a batch is refused whatever is stored. */
export function contradictsItself({ events }: Batch): boolean {
  if (events.length < 2) return false;
  const prints = new Map<string, bigint>();
  for (const { h, fp } of events) {
    const known = prints.get(h);
    if (known !== undefined && known !== fp) return true;
    prints.set(h, fp);
  }
  return false;
}

/**
 * Which batches can go into one flush: those that agree about the content of every key that they share. What is
 * left over comes after them, so that it is compared with what was stored of them.
 */
export function agreeing<Item extends Batch>(batches: readonly Item[]): { together: Item[]; later: Item[] } {
  const prints = new Map<string, bigint>();
  const together: Item[] = [];
  const later: Item[] = [];
  for (const batch of batches) {
    const disagrees = batch.events.some(({ h, fp }) => (prints.get(h) ?? fp) !== fp);
    (disagrees ? later : together).push(batch);
    if (!disagrees) for (const { h, fp } of batch.events) prints.set(h, fp);
  }
  return { together, later };
}

/** @param batches that agree with each other, and none of which contradicts itself */
export function flushOf(batches: readonly Batch[]): Flush {
  const first = new Map<string, { prepared: PreparedEvent; batch: number; place: number }>();
  const groups = batches.map((_, batch) => batch);
  const groupOf = (batch: number): number => {
    let group = batch;
    while (groups[group] !== group) group = groups[group] as number;
    groups[batch] = group;
    return group;
  };
  let place = 0;
  for (const [batch, { events }] of batches.entries()) {
    for (const prepared of events) {
      place += 1;
      const known = first.get(prepared.h);
      if (known === undefined) first.set(prepared.h, { prepared, batch, place });
      else if (known.batch !== batch) groups[groupOf(batch)] = groupOf(known.batch);
    }
  }
  const keys = [...first.values()].toSorted(
    ({ prepared: a }, { prepared: b }) => compare(a.event.merchantId, b.event.merchantId) || compare(a.h, b.h),
  );
  const subjects = new Map(keys.map(({ prepared: { event } }) => [subjectTextOf(event), subjectOf(event)]));
  const sorted = [...subjects].toSorted(([a], [b]) => compare(a, b));
  const subjectPlaces = new Map(sorted.map(([text], index) => [text, index + 1]));
  return {
    merchants: [...new Set(keys.map(({ prepared }) => prepared.event.merchantId))],
    subjects: sorted.map(([, subject]) => subject),
    entries: keys.map(({ prepared, batch, place: order }) => ({
      ...prepared,
      group: groupOf(batch),
      place: order,
      subjectPlace: subjectPlaces.get(subjectTextOf(prepared.event)) as number,
    })),
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const subjectOf = ({ merchantId, subject, externalSubject }: IncomingEvent): SubjectKey =>
  subject !== null
    ? { merchantId, kind: 'direct', key: subject }
    : { merchantId, kind: 'external', key: externalSubject as string };

const subjectTextOf = ({ merchantId, subject, externalSubject }: IncomingEvent): string =>
  subject !== null ? `${merchantId} direct ${subject}` : `${merchantId} external ${externalSubject}`;

/** What became of one batch: its events, the refusal, or that it must be tried again because one that it shares keys with was refused. */
export type Outcome = { readonly records: (EventRecord | string)[] } | Failure | 'again';

/**
 * Reads off what became of each batch. In place of an event that was stored before stands its id: who wants it looks it up.
 */
export function outcomesOf(batches: readonly Batch[], flush: Flush, row: FlushedRow): Outcome[] {
  const conflicting = new Set(row.conflicting?.map((place) => flush.entries[place - 1]?.h));
  const refused = new Set(row.conflicting?.map((place) => flush.entries[place - 1]?.group));
  const found = new Map<string, EventRecord | string>();
  for (const { h, id, event, group, subjectPlace } of flush.entries)
    if (!refused.has(group)) found.set(h, recordOf(id, event, row.addressees?.[subjectPlace - 1] ?? null));
  for (const [index, place] of (row.repeated ?? []).entries()) {
    const { h, group } = flush.entries[place - 1] as Entry;
    if (!refused.has(group)) found.set(h, row.repeated_ids?.[index] as string);
  }
  return batches.map(({ events }) => {
    if (conflicting.size > 0 && events.some(({ h }) => conflicting.has(h)))
      return keysReused(events, ({ h }) => conflicting.has(h));
    const records = events.map(({ h }) => found.get(h));
    return records.includes(undefined) ? 'again' : { records: records as (EventRecord | string)[] };
  });
}

/** The refusal of a batch: which of its events have a key that is another event's. */
export const keysReused = (
  events: readonly PreparedEvent[],
  isReused: (event: PreparedEvent, index: number) => boolean,
): Failure =>
  fail('IDEMPOTENCY_KEY_REUSED', {
    conflicts: events
      .map((prepared, index) => ({ index, prepared }))
      .filter(({ index, prepared }) => isReused(prepared, index))
      .map(({ index, prepared }) => ({ index, idempotencyKey: prepared.event.idempotencyKey })),
  });

const recordOf = (id: string, event: IncomingEvent, addressee: string | null): EventRecord => ({
  id,
  merchantId: event.merchantId,
  type: event.type,
  source: event.source,
  subject: addressee,
  externalSubject: event.externalSubject,
  externalId: event.externalId,
  at: event.at,
  idempotencyKey: event.idempotencyKey,
});
