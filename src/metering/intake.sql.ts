import { type Database, type Sql, sql, type Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import { monthOfEvent } from './event-id.ts';
import type { EventRecord } from './event-record.ts';
import { eventColumns, eventTables } from './events.sql.ts';
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
    ${subjects.map(({ merchantId }) => merchantId)}::text[], ${subjects.map(({ kind }) => kind)}::text[],
    ${subjects.map(({ key }) => key)}::text[],
    ${entries.map(({ event }) => event.merchantId)}::text[], ${entries.map(({ h }) => h)}::uuid[],
    ${entries.map(({ fp }) => fp)}::bigint[], ${entries.map(({ id }) => id)}::text[],
    ${entries.map(({ group }) => group)}::int[], ${entries.map(({ place }) => place)}::int[],
    ${entries.map(({ subjectPlace }) => subjectPlace)}::int[], ${entries.map(({ at }) => at)}::timestamptz[],
    ${entries.map(({ event }) => event.type)}::text[], ${entries.map(({ event }) => event.source)}::text[],
    ${entries.map(({ event }) => (event.subject === null ? null : event.externalSubject))}::text[],
    ${entries.map(({ event }) => event.externalId)}::text[], ${entries.map(({ event }) => event.idempotencyKey)}::text[],
    ${entries.map(({ data }) => data)}::jsonb[]`;
}

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

/**
 * Stored events by id: a statement for each month that the ids name (mostly one), with the ids as a list. Joined to a list
 * of months, a database that has no statistics yet compares every event with every id.
 */
export async function storedEvents(
  tx: Tx,
  merchants: readonly string[],
  ids: readonly string[],
): Promise<EventRecord[]> {
  const found: EventRecord[] = [];
  for (const [start, inMonth] of Map.groupBy(ids, (id) => monthOfEvent(id)?.from.toString())) {
    const month = monthOfEvent(inMonth[0] as string);
    if (start === undefined || month === null) throw new Error('A key was claimed by what is no event.');
    found.push(
      ...(await tx.rows<EventRecord>(sql`
        select ${eventColumns} from event e ${eventTables}
         where e.merchant_id = any(${merchants}::text[]) and e.id = any(${inMonth}::text[])
           and e.at >= ${month.from} and e.at < ${month.to}`)),
    );
  }
  return found;
}
