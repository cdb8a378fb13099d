import { type Database, type Sql, sql, type Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { Flush, FlushedRow } from './flush.ts';

/** What the caller decides about a flush. */
export interface FlushTerms {
  /** Wait for ingest locks that are taken, or answer whose? */
  readonly mayWait: boolean;
  readonly now: Instant;
}

function flushArguments({ merchants, subjects, kinds, entries }: Flush, { mayWait, now }: FlushTerms): Sql {
  return sql`
    ${merchants}::text[], ${mayWait}::boolean, ${now}::timestamptz,
    ${texts(subjects, ({ merchantId }) => merchantId)}::text[], ${texts(subjects, ({ kind }) => kind)}::text[],
    ${texts(subjects, ({ key }) => key)}::text[],
    ${texts(kinds, ({ merchantId }) => merchantId)}::text[], ${texts(kinds, ({ type }) => type)}::text[],
    ${texts(kinds, ({ source }) => source)}::text[],
    ${plains(entries, ({ prepared }) => prepared.h)}::uuid[], ${plains(entries, ({ prepared }) => prepared.fp)}::bigint[],
    ${plains(entries, ({ prepared }) => prepared.id)}::text[], ${plains(entries, ({ group }) => group)}::int[],
    ${plains(entries, ({ kindPlace }) => kindPlace)}::int[], ${plains(entries, ({ subjectPlace }) => subjectPlace)}::int[],
    ${plains(entries, ({ prepared }) => prepared.event.at)}::timestamptz[],
    ${texts(entries, ({ prepared: { event } }) => (event.subject === null ? null : event.externalSubject))}::text[],
    ${texts(entries, ({ prepared }) => prepared.event.externalId)}::text[],
    ${texts(entries, ({ prepared }) => prepared.event.idempotencyKey)}::text[],
    ${texts(entries, ({ prepared }) => prepared.event.data)}::jsonb[]`;
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

/** The same of what has no character that means something there: numbers, hashes, ids, instants. */
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
    select replace(k.h::text, '-', '') as h, stored.fp
      from unnest(${keys.map(({ merchantId }) => merchantId)}::text[], ${keys.map(({ h }) => h)}::uuid[]) as k (merchant_id, h)
     cross join lateral (
       select a.fp from event_key a where a.merchant_id = k.merchant_id and a.h = k.h
        union all
       select s.fp from event_key_sealed s where s.merchant_id = k.merchant_id and s.h = k.h
        limit 1) stored`);
