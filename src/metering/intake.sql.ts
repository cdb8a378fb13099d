import { type Database, type Sql, sql, type Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import { monthOfEvent } from './event-id.ts';
import type { EventRecord } from './event-record.ts';
import { eventColumns } from './events.sql.ts';
import type { Flush, FlushedRow } from './flush.ts';

/** What the caller decides about a flush. */
export interface FlushTerms {
  /** Wait for ingest locks that are taken, or answer whose? */
  readonly mayWait: boolean;
  /** 0 to 32767; two who flush at the same time should have different ones. */
  readonly lane: number;
  readonly now: Instant;
}

function flushArguments({ merchants, subjects, entries }: Flush, { mayWait, lane, now }: FlushTerms): Sql {
  return sql`
    ${merchants}::text[], ${mayWait}::boolean, ${lane}::int, ${now}::timestamptz,
    ${texts(subjects, ({ merchantId }) => merchantId)}::text[], ${texts(subjects, ({ kind }) => kind)}::text[],
    ${texts(subjects, ({ key }) => key)}::text[],
    ${texts(entries, ({ event }) => event.merchantId)}::text[], ${plains(entries, ({ h }) => h)}::uuid[],
    ${plains(entries, ({ fp }) => fp)}::bigint[], ${texts(entries, ({ id }) => id)}::text[],
    ${plains(entries, ({ group }) => group)}::int[], ${plains(entries, ({ place }) => place)}::int[],
    ${plains(entries, ({ subjectPlace }) => subjectPlace)}::int[], ${plains(entries, ({ at }) => at)}::timestamptz[],
    ${texts(entries, ({ event }) => event.type)}::text[], ${texts(entries, ({ event }) => event.source)}::text[],
    ${texts(entries, ({ event }) => (event.subject === null ? null : event.externalSubject))}::text[],
    ${texts(entries, ({ event }) => event.externalId)}::text[], ${texts(entries, ({ event }) => event.idempotencyKey)}::text[],
    ${texts(entries, ({ data }) => data)}::jsonb[]`;
}

/** An array as PostgreSQL reads it. The driver would write the same, element by element, in five times the time. */
const texts = <Item>(items: readonly Item[], textOf: (item: Item) => string | null): string => {
  let array = '';
  for (const item of items) {
    const text = textOf(item);
    array += array === '' ? '{' : ',';
    array += text === null ? 'NULL' : `"${TO_ESCAPE.test(text) ? text.replace(ALL_TO_ESCAPE, '\\$&') : text}"`;
  }
  return array === '' ? '{}' : `${array}}`;
};

const TO_ESCAPE = /["\\]/;
const ALL_TO_ESCAPE = /["\\]/g;

/** The same of what has no character that means something there: numbers, UUIDs, instants. */
const plains = <Item>(items: readonly Item[], partOf: (item: Item) => string | number | bigint): string =>
  `{${items.map(partOf).join()}}`;

const MERCHANT = /^[A-Za-z0-9_]+$/;

/** A flush as a transaction of its own, in one round trip. */
export async function flushAlone(database: Database, flush: Flush, terms: FlushTerms): Promise<FlushedRow> {
  for (const id of flush.merchants) if (!MERCHANT.test(id)) throw new TypeError('A merchant id is letters and digits.');
  const [row] = await database.call<FlushedRow>(
    'ingest',
    sql`select * from ingest_transaction(${flushArguments(flush, terms)})`,
  );
  return row as FlushedRow;
}

/** A flush within the caller's transaction. */
export const flushWithin = (tx: Tx, flush: Flush, terms: FlushTerms): Promise<FlushedRow> =>
  tx.one<FlushedRow>(sql`select * from ingest_flush(${flushArguments(flush, terms)})`);

export interface StoredKey {
  readonly h: string;
  readonly fp: bigint;
}

/** What is stored of some keys of a merchant, in whatever generation. */
export const storedKeys = (tx: Tx, keys: readonly { merchantId: string; h: string }[]): Promise<StoredKey[]> =>
  tx.rows<StoredKey>(sql`
    select k.h, stored.fp
      from unnest(${keys.map(({ merchantId }) => merchantId)}::text[], ${keys.map(({ h }) => h)}::uuid[]) as k (merchant_id, h)
     cross join lateral (
       select a.fp from event_key a where a.merchant_id = k.merchant_id and a.h = k.h
        union all
       select s.fp from event_key_sealed s where s.merchant_id = k.merchant_id and s.h = k.h
        limit 1) stored`);

/** Where a stored event is. */
export interface StoredPlace {
  readonly merchantId: string;
  readonly id: string;
}

/**
 * Stored events: a statement for each month that their ids name (mostly one), and in it a look-up for each id. With the ids
 * as a list, a database that has no statistics yet reads all events of the merchant.
 */
export async function storedEvents(tx: Tx, places: readonly StoredPlace[]): Promise<EventRecord[]> {
  const found: EventRecord[] = [];
  for (const [start, inMonth] of Map.groupBy(places, ({ id }) => monthOfEvent(id)?.from.toString())) {
    const month = monthOfEvent((inMonth[0] as StoredPlace).id);
    if (start === undefined || month === null) throw new Error('A key was claimed by what is no event.');
    found.push(
      ...(await tx.rows<EventRecord>(sql`
        select ${eventColumns}
          from events_of_month(${texts(inMonth, ({ merchantId }) => merchantId)}::text[],
                               ${texts(inMonth, ({ id }) => id)}::text[], ${month.from}, ${month.to}) e
         cross join lateral (
           select * from event_subject known where known.merchant_id = e.merchant_id and known.id = e.subject_id limit 1) s`)),
    );
  }
  return found;
}
