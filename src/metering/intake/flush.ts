import { compareText } from '../../kernel/json.ts';
import { type Failure, fail } from '../../kernel/result.ts';
import type { EventIds } from '../events/event-id.ts';
import type { EventRecord } from '../events/event-record.ts';
import { contentFingerprint, keyHash } from '../events/fingerprint.ts';
import type { IncomingEvent } from '../events/incoming-event.ts';
import type { SubjectKey } from './subjects.sql.ts';

/** An event with all that is stored of it and can be known beforehand. */
export interface PreparedEvent {
  readonly event: IncomingEvent;
  /** Its key, by hash. */
  readonly h: string;
  /** Its content, by hash. */
  readonly fp: bigint;
}

/** The stored form of an event, without its visibility. */
export const prepare = (event: IncomingEvent): PreparedEvent => ({
  event,
  h: keyHash(event.merchantId, event.idempotencyKey, event.keySource),
  fp: contentFingerprint(contentOf(event)),
});

/** The content that a retry must repeat, as canonical JSON; the fingerprints of all stored events are of this text. */
const contentOf = ({
  type,
  source,
  subject,
  externalSubject,
  externalId,
  data,
  at,
  isTimeSent,
}: IncomingEvent): string =>
  `{"data":${data},"externalId":${JSON.stringify(externalId)},"externalSubject":${JSON.stringify(externalSubject)},"source":${JSON.stringify(source)},"subject":${JSON.stringify(subject)},${isTimeSent ? `"timestamp":"${at}",` : ''}"type":${JSON.stringify(type)}}`;

/** The events of one request, accepted together or not at all. */
export interface Batch {
  readonly events: readonly PreparedEvent[];
}

/** A merchant's type of events from one source: what many events of a flush have in common. */
interface EventKind {
  readonly merchantId: string;
  readonly type: string;
  readonly source: string;
}

/** A key of a flush, with the first event that has it. */
export interface Entry {
  readonly prepared: PreparedEvent;
  /** The batches that share keys, directly or over others: they are stored together or not at all. */
  readonly group: number;
  /** Its kind and its subject among those of the flush, from 1. */
  readonly kindPlace: number;
  readonly subjectPlace: number;
}

/**
 * Batches as the database takes them: each merchant, subject, kind and key once; merchants and subjects sorted, because
 * that is the order of locks.
 */
export interface Flush {
  readonly merchants: readonly string[];
  readonly subjects: readonly SubjectKey[];
  readonly kinds: readonly EventKind[];
  /** In the order of acceptance. */
  readonly entries: readonly Entry[];
  /** The places of the events of each batch among the entries, from 0. */
  readonly places: readonly (readonly number[])[];
}

/** The result of a flush. Places are those of its entries, from 1. */
export interface FlushedRow {
  /** The merchants whose ingest lock is taken; then nothing was done. */
  readonly busy: string[] | null;
  /** The addressees of each subject. */
  readonly addressees: (string | null)[] | null;
  /** The number of each entry in the order of acceptance, if it is new; one after the other. */
  readonly numbers: string | null;
  /** Entries with an earlier key; and the stored part of each that does not follow from the sent one. */
  readonly repeated: number[] | null;
  readonly repeatedNumbers: string | null;
  /** Null where the event is in the archive. */
  readonly repeatedTimes: (string | null)[] | null;
  readonly repeatedAddressees: (string | null)[] | null;
  /** Those of them that were stored with other content: nothing of their requests was stored. */
  readonly conflicting: number[] | null;
}

/** The entries with an earlier key whose event is not in its partition: it is in the archive. */
export const archivedIn = ({ entries }: Flush, { repeated, repeatedTimes }: FlushedRow): Entry[] =>
  (repeated ?? []).flatMap((place, index) => (repeatedTimes?.[index] === null ? [entries[place - 1] as Entry] : []));

/** Does a key occur twice with different contents? Then a batch is refused, regardless of stored events. */
export function contradictsItself({ events }: Batch): boolean {
  if (events.length < 2) return false;
  const fingerprints = new Map<string, bigint>();
  for (const { h, fp } of events) {
    const known = fingerprints.get(h);
    if (known !== undefined && known !== fp) return true;
    fingerprints.set(h, fp);
  }
  return false;
}

/**
 * The batches that fit into one flush: those that agree about the content of every key that they share. What is left
 * over comes after them, so that it is compared with what was stored of them.
 */
export function agreeing<Item extends Batch>(batches: readonly Item[]): { together: Item[]; later: Item[] } {
  if (batches.length === 1) return { together: [...batches], later: [] };
  const fingerprints = new Map<string, bigint>();
  const together: Item[] = [];
  const later: Item[] = [];
  for (const batch of batches) {
    const disagrees = batch.events.some(({ h, fp }) => (fingerprints.get(h) ?? fp) !== fp);
    (disagrees ? later : together).push(batch);
    if (!disagrees) for (const { h, fp } of batch.events) fingerprints.set(h, fp);
  }
  return { together, later };
}

/** @param batches that agree with each other, and none of which contradicts itself */
export function flushOf(batches: readonly Batch[]): Flush {
  const known = new Map<string, number>();
  const keys: { readonly prepared: PreparedEvent; readonly batch: number }[] = [];
  const groups = batches.map((_, batch) => batch);
  const groupOf = (batch: number): number => {
    let group = batch;
    while (groups[group] !== group) group = groups[group] as number;
    groups[batch] = group;
    return group;
  };
  const places = batches.map(({ events }, batch) =>
    events.map((prepared) => {
      const place = known.get(prepared.h);
      if (place === undefined) {
        known.set(prepared.h, keys.length);
        return keys.push({ prepared, batch }) - 1;
      }
      const first = keys[place] as (typeof keys)[number];
      if (first.batch !== batch) groups[groupOf(batch)] = groupOf(first.batch);
      return place;
    }),
  );
  const kinds = placesOf(keys, ({ prepared }) => kindTextOf(prepared.event));
  const subjects = placesOf(keys, ({ prepared }) => subjectTextOf(prepared.event));
  const order = subjects.texts
    .map((_, index) => index)
    .toSorted((a, b) => compareText(subjects.texts[a] ?? '', subjects.texts[b] ?? ''));
  const subjectPlaces = new Int32Array(order.length);
  for (const [place, index] of order.entries()) subjectPlaces[index] = place + 1;
  return {
    merchants: [...new Set(kinds.firsts.map(({ prepared }) => prepared.event.merchantId))].toSorted(compareText),
    subjects: order.map((index) => subjectOf((subjects.firsts[index] as { prepared: PreparedEvent }).prepared.event)),
    kinds: kinds.firsts.map(({ prepared }) => prepared.event),
    entries: keys.map(({ prepared, batch }, index) => ({
      prepared,
      group: groupOf(batch),
      kindPlace: (kinds.places[index] as number) + 1,
      subjectPlace: subjectPlaces[subjects.places[index] as number] as number,
    })),
    places,
  };
}

/** Different texts of items, each once: the item that had it first, and for each item which of them it has. */
function placesOf<Item>(
  items: readonly Item[],
  textOf: (item: Item) => string,
): { texts: string[]; firsts: Item[]; places: number[] } {
  const known = new Map<string, number>();
  const firsts: Item[] = [];
  const places = items.map((item) => {
    const text = textOf(item);
    const place = known.get(text);
    if (place !== undefined) return place;
    known.set(text, firsts.length);
    return firsts.push(item) - 1;
  });
  return { texts: [...known.keys()], firsts, places };
}

const subjectOf = ({ merchantId, subject, externalSubject }: IncomingEvent): SubjectKey =>
  subject !== null
    ? { merchantId, kind: 'direct', key: subject }
    : { merchantId, kind: 'external', key: externalSubject as string };

const subjectTextOf = ({ merchantId, subject, externalSubject }: IncomingEvent): string =>
  subject !== null ? `${merchantId} direct ${subject}` : `${merchantId} external ${externalSubject}`;

// no text of an event holds NUL
const kindTextOf = ({ merchantId, type, source }: IncomingEvent): string => `${merchantId} ${type}\0${source}`;

/** The result of one batch: its events, the refusal, or a retry because a batch with shared keys was refused. */
export type Outcome = { readonly records: EventRecord[] } | Failure | 'again';

/** Reads off what became of each batch. */
export function outcomesOf(batches: readonly Batch[], flush: Flush, row: FlushedRow, ids: EventIds): Outcome[] {
  const entryAt = (place: number): Entry => flush.entries[place - 1] as Entry;
  const conflicting = new Set(row.conflicting?.map((place) => entryAt(place).prepared.h));
  const refused = new Set(row.conflicting?.map((place) => entryAt(place).group));
  const repeated = new Map(row.repeated?.map((place, index) => [place, index]));
  const [numbers, repeatedNumbers] = [listOf(row.numbers), listOf(row.repeatedNumbers)];
  const stored = flush.entries.map(({ prepared, subjectPlace }, entry) => {
    const index = repeated.get(entry + 1);
    const [subject, at, seq] =
      index === undefined
        ? [row.addressees?.[subjectPlace - 1], prepared.event.at, numbers[entry]]
        : [row.repeatedAddressees?.[index], row.repeatedTimes?.[index], repeatedNumbers[index]];
    if (seq === undefined || at === undefined || at === null)
      throw new Error('An idempotency key is stored without its event.');
    return { subject: subject ?? null, at, seq };
  });
  const found = ids.idsOf(stored).map((id, entry) => {
    const { prepared, group } = flush.entries[entry] as Entry;
    const { subject, at } = stored[entry] as (typeof stored)[number];
    return refused.has(group) ? undefined : recordOf(prepared.event, id, subject, at);
  });
  return batches.map(({ events }, batch) => {
    if (conflicting.size > 0 && events.some(({ h }) => conflicting.has(h)))
      return keysReused(events, ({ h }) => conflicting.has(h));
    const records = (flush.places[batch] as readonly number[]).map((place) => found[place]);
    return records.includes(undefined) ? 'again' : { records: records as EventRecord[] };
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

const listOf = (numbers: string | null): string[] => (numbers === null ? [] : numbers.split(','));

const recordOf = (event: IncomingEvent, id: string, addressee: string | null, at: string): EventRecord => ({
  id,
  merchantId: event.merchantId,
  type: event.type,
  source: event.source,
  subject: addressee,
  externalSubject: event.externalSubject,
  externalId: event.externalId,
  at,
  idempotencyKey: event.idempotencyKey,
});
