import { BinaryArray, type Database, type ElementType, type Sql, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { inSlices } from '../meter/slices.ts';
import type { Entry, Flush, FlushedRow } from './flush.ts';

/** The caller's terms of a flush. */
export interface FlushTerms {
  /** Wait for ingest locks that are taken, or answer whose? */
  readonly mayWait: boolean;
  readonly now: Instant;
}

/** The columns of the entries, as the arguments of the function, each with what it takes of an entry. */
const COLUMNS = [
  ['uuid', (array, { prepared }) => array.addUuid(prepared.h)],
  ['int8', (array, { prepared }) => array.addBigint(prepared.fp)],
  ['int4', (array, { group }) => array.addInteger(group)],
  ['int4', (array, { kindPlace }) => array.addInteger(kindPlace)],
  ['int4', (array, { subjectPlace }) => array.addInteger(subjectPlace)],
  ['timestamptz', (array, { prepared }) => array.addInstant(prepared.event.at)],
  ['text', (array, { prepared: { event } }) => array.addText(event.subject === null ? null : event.externalSubject)],
  ['text', (array, { prepared }) => array.addText(prepared.event.externalId)],
  ['text', (array, { prepared }) => array.addText(prepared.event.idempotencyKey)],
  ['jsonb', (array, { prepared }) => array.addText(prepared.event.data)],
] as const satisfies readonly (readonly [ElementType, (array: BinaryArray, entry: Entry) => void])[];

/**
 * The arguments of a flush. Those of a large one are written in slices; a small one takes no turn of the event loop.
 */
async function flushArguments({ merchants, subjects, kinds, entries }: Flush, terms: FlushTerms): Promise<Sql> {
  const arrays = COLUMNS.map(([type]) => new BinaryArray(type));
  const dataOf = ({ prepared }: Entry): string => prepared.event.data;
  await inSlices(entries, dataOf, (slice) => {
    for (const [column, [, add]] of COLUMNS.entries())
      for (const entry of slice) add(arrays[column] as BinaryArray, entry);
  });
  const [h, fp, group, kindPlace, subjectPlace, at, externalSubject, externalId, key, data] = arrays.map((array) =>
    array.finished(),
  );
  return sql`
    ${texts(merchants, (id) => id)}::text[], ${terms.mayWait}::boolean, ${terms.now}::timestamptz,
    ${texts(subjects, ({ merchantId }) => merchantId)}::text[], ${texts(subjects, ({ kind }) => kind)}::text[],
    ${texts(subjects, (subject) => subject.key)}::text[],
    ${texts(kinds, ({ merchantId }) => merchantId)}::text[], ${texts(kinds, ({ type }) => type)}::text[],
    ${texts(kinds, ({ source }) => source)}::text[],
    ${h}::uuid[], ${fp}::bigint[], ${group}::int[], ${kindPlace}::int[], ${subjectPlace}::int[],
    ${at}::timestamptz[], ${externalSubject}::text[], ${externalId}::text[], ${key}::text[], ${data}::jsonb[]`;
}

function texts<Item>(items: readonly Item[], textOf: (item: Item) => string): Buffer {
  const array = new BinaryArray('text');
  for (const item of items) array.addText(textOf(item));
  return array.finished();
}

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
  readonly merchantId: string;
  readonly h: string;
  readonly fp: bigint;
  /** The number of its event, and the day of it. */
  readonly seq: bigint;
  readonly day: string;
}

/** The stored keys of a merchant, in any generation. */
export const selectStoredKeys = (tx: Tx, keys: readonly { merchantId: string; h: string }[]): Promise<StoredKey[]> =>
  tx.rows<StoredKey>(sql`
    select k.merchant_id, replace(k.h::text, '-', '') as h, stored.fp, stored.seq, stored.day::text as day
      from unnest(${keys.map(({ merchantId }) => merchantId)}::text[], ${keys.map(({ h }) => h)}::uuid[])
        as k (merchant_id, h)
      join merchant_number n on n.merchant_id = k.merchant_id
     cross join lateral (
       select a.fp, a.seq, a.day from event_key a where a.merchant_number = n.number and a.h = k.h
        union all
       select s.fp, s.seq, s.day from event_key_sealed s where s.merchant_number = n.number and s.h = k.h
        limit 1) stored`);
