import { type Database, type Sql, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { inSlices } from '../meter/slices.ts';
import type { Entry, Flush, FlushedRow } from './flush.ts';

/** The caller's terms of a flush. */
export interface FlushTerms {
  /** Wait for ingest locks that are taken, or answer whose? */
  readonly mayWait: boolean;
  readonly now: Instant;
}

/**
 * The arguments of a flush. Those of a large one are written in slices; a small one takes no turn of the event loop.
 */
async function flushArguments({ merchants, subjects, kinds, entries }: Flush, terms: FlushTerms): Promise<Sql> {
  const dataOf = ({ prepared }: Entry): string => prepared.event.data;
  const slices = await inSlices(entries, dataOf, (slice) => COLUMNS.map((column) => column(slice)));
  const [h, fp, group, kindPlace, subjectPlace, at, externalSubject, externalId, key, data] = COLUMNS.map(
    (_, index) => `{${slices.map((columns) => columns[index]).join()}}`,
  );
  return sql`
    ${merchants}::text[], ${terms.mayWait}::boolean, ${terms.now}::timestamptz,
    ${texts(subjects, ({ merchantId }) => merchantId)}::text[], ${texts(subjects, ({ kind }) => kind)}::text[],
    ${texts(subjects, (subject) => subject.key)}::text[],
    ${texts(kinds, ({ merchantId }) => merchantId)}::text[], ${texts(kinds, ({ type }) => type)}::text[],
    ${texts(kinds, ({ source }) => source)}::text[],
    ${h}::uuid[], ${fp}::bigint[], ${group}::int[], ${kindPlace}::int[], ${subjectPlace}::int[],
    ${at}::timestamptz[], ${externalSubject}::text[], ${externalId}::text[], ${key}::text[], ${data}::jsonb[]`;
}

const texts = <Item>(items: readonly Item[], textOf: (item: Item) => string | null): string =>
  `{${elements(items, textOf)}}`;

/**
 * The elements of an array as PostgreSQL reads it. The driver would write the same, one by one, in five times the time.
 */
function elements<Item>(items: readonly Item[], textOf: (item: Item) => string | null): string {
  let array = '';
  for (const [index, item] of items.entries()) {
    const text = textOf(item);
    if (index > 0) array += ',';
    array += text === null ? 'NULL' : `"${TO_ESCAPE.test(text) ? text.replace(ALL_TO_ESCAPE, '\\$&') : text}"`;
  }
  return array;
}

const TO_ESCAPE = /["\\]/;
const ALL_TO_ESCAPE = /["\\]/g;

/** The same for values without special characters: numbers, hashes, instants. */
const plains = <Item>(items: readonly Item[], partOf: (item: Item) => string | number | bigint): string =>
  items.map(partOf).join();

/** The columns of each entry, as the arguments of the function. */
const COLUMNS: readonly ((entries: readonly Entry[]) => string)[] = [
  (entries) => plains(entries, ({ prepared }) => prepared.h),
  (entries) => plains(entries, ({ prepared }) => prepared.fp),
  (entries) => plains(entries, ({ group }) => group),
  (entries) => plains(entries, ({ kindPlace }) => kindPlace),
  (entries) => plains(entries, ({ subjectPlace }) => subjectPlace),
  (entries) => plains(entries, ({ prepared }) => prepared.event.at),
  (entries) => elements(entries, ({ prepared: { event } }) => (event.subject === null ? null : event.externalSubject)),
  (entries) => elements(entries, ({ prepared }) => prepared.event.externalId),
  (entries) => elements(entries, ({ prepared }) => prepared.event.idempotencyKey),
  (entries) => elements(entries, ({ prepared }) => prepared.event.data),
];

const MERCHANT = /^[A-Za-z0-9_]+$/;

/** A flush as a transaction of its own, in one round trip. */
export async function ingestAlone(database: Database, flush: Flush, terms: FlushTerms): Promise<FlushedRow> {
  for (const id of flush.merchants) if (!MERCHANT.test(id)) throw new TypeError('A merchant id is letters and digits.');
  const [row] = await database.call<FlushedRow>(
    'ingest',
    sql`select * from ingest_transaction(${await flushArguments(flush, terms)})`,
  );
  return row as FlushedRow;
}

/** A flush within the caller's transaction. */
export const ingestWithin = async (tx: Tx, flush: Flush, terms: FlushTerms): Promise<FlushedRow> =>
  tx.one<FlushedRow>(sql`select * from ingest_flush(${await flushArguments(flush, terms)})`);

export interface StoredKey {
  readonly h: string;
  readonly fp: bigint;
}

/** The stored keys of a merchant, in any generation. */
export const selectStoredKeys = (tx: Tx, keys: readonly { merchantId: string; h: string }[]): Promise<StoredKey[]> =>
  tx.rows<StoredKey>(sql`
    select replace(k.h::text, '-', '') as h, stored.fp
      from unnest(${keys.map(({ merchantId }) => merchantId)}::text[], ${keys.map(({ h }) => h)}::uuid[])
        as k (merchant_id, h)
      join merchant_number n on n.merchant_id = k.merchant_id
     cross join lateral (
       select a.fp from event_key a where a.merchant_number = n.number and a.h = k.h
        union all
       select s.fp from event_key_sealed s where s.merchant_number = n.number and s.h = k.h
        limit 1) stored`);
