import { type Sql, sql, type Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import { monthOfEvent } from './event-id.ts';
import type { EventRecord } from './event-record.ts';
import { eventColumns, eventTables } from './events.sql.ts';
import type { IncomingEvent } from './incoming-event.ts';

/** A key as claimed, or as claimed before by another event. */
export interface KeyClaim {
  readonly merchantId: string;
  readonly h: string;
  readonly eventId: string;
  readonly fp: bigint;
}

export interface NewEventRow {
  readonly id: string;
  readonly event: IncomingEvent;
  readonly subjectId: bigint;
}

/**
 * Claims keys, which must come sorted: twins in two transactions wait for each other here, the first one found first.
 * @returns the hashes that are new.
 */
export async function claimKeys(tx: Tx, claims: readonly KeyClaim[]): Promise<string[]> {
  const rows = await tx.rows<{ h: string }>(sql`
    insert into event_key (merchant_id, h, event_id, fp)
    select * from unnest(${claims.map(({ merchantId }) => merchantId)}::text[], ${claims.map(({ h }) => h)}::uuid[],
                         ${claims.map(({ eventId }) => eventId)}::text[], ${claims.map(({ fp }) => fp)}::bigint[])
        on conflict (merchant_id, h) do nothing
    returning h`);
  return rows.map(({ h }) => h);
}

/** What is stored of keys that were claimed before; a statement after the claim sees also a twin that has just committed. */
export const storedKeys = (tx: Tx, claims: readonly KeyClaim[]): Promise<KeyClaim[]> =>
  tx.rows<KeyClaim>(sql`
    select k.merchant_id as "merchantId", k.h, k.event_id as "eventId", k.fp
      from unnest(${claims.map(({ merchantId }) => merchantId)}::text[], ${claims.map(({ h }) => h)}::uuid[]) as c (merchant_id, h)
      join event_key k on k.merchant_id = c.merchant_id and k.h = c.h`);

/** Stores events in the order given, which their `seq` keeps. */
export const insertEvents = (tx: Tx, rows: readonly NewEventRow[], now: Instant): Promise<number> => {
  const column = (value: (event: IncomingEvent) => unknown): Sql => sql`${rows.map(({ event }) => value(event))}`;
  return tx.run(sql`
    insert into event (merchant_id, id, at, type, source, subject_id, external_subject, external_id, idempotency_key, data, accepted_at)
    select n.merchant_id, n.id, n.at, n.type, n.source, n.subject_id, n.external_subject, n.external_id, n.idempotency_key,
           n.data::jsonb, ${now}
      from unnest(${column(({ merchantId }) => merchantId)}::text[], ${rows.map(({ id }) => id)}::text[],
                  ${column(({ at }) => at)}::timestamptz[], ${column(({ type }) => type)}::text[],
                  ${column(({ source }) => source)}::text[], ${rows.map(({ subjectId }) => subjectId)}::bigint[],
                  ${column(({ subject, externalSubject }) => (subject === null ? null : externalSubject))}::text[],
                  ${column(({ externalId }) => externalId)}::text[], ${column(({ idempotencyKey }) => idempotencyKey)}::text[],
                  ${column(({ data }) => JSON.stringify(data))}::text[])
           with ordinality as n (merchant_id, id, at, type, source, subject_id, external_subject, external_id, idempotency_key, data, place)
     order by n.place`);
};

/**
 * The events of keys that were claimed before: a statement for each month that their ids name (mostly one), with the ids as
 * a list. Joined to a list of months, a database that has no statistics yet compares every event with every key.
 */
export async function storedEvents(tx: Tx, claims: readonly KeyClaim[]): Promise<EventRecord[]> {
  const found: EventRecord[] = [];
  for (const [start, inMonth] of Map.groupBy(claims, ({ eventId }) => monthOfEvent(eventId)?.from.toString())) {
    const month = monthOfEvent((inMonth[0] as KeyClaim).eventId);
    if (start === undefined || month === null) throw new Error('A key was claimed by what is no event.');
    const merchants = [...new Set(inMonth.map(({ merchantId }) => merchantId))];
    found.push(
      ...(await tx.rows<EventRecord>(sql`
        select ${eventColumns} from event e ${eventTables}
         where e.merchant_id = any(${merchants}::text[]) and e.id = any(${inMonth.map(({ eventId }) => eventId)}::text[])
           and e.at >= ${month.from} and e.at < ${month.to}`)),
    );
  }
  return found;
}
