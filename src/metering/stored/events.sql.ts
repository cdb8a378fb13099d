import { allOf, type PageRequest, pageOfRows, type Sql, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { eventsAtHand } from '../events/at-hand.sql.ts';
import { selectEventIds } from '../events/event-id.sql.ts';
import type { EventIds, EventPlace } from '../events/event-id.ts';
import type { EventRecord } from '../events/event-record.ts';
import type { UnmatchedReason } from '../events/schemas.ts';
import { countEvents } from '../intake/tally.sql.ts';
import { aggregationOfEvents, type Meter } from '../meter/meter.ts';
import { countsFor } from '../usage/usage.sql.ts';

/** The columns of a `StoredEvent`; `e` is the event, `s` its subject. */
const EVENT_COLUMNS: Sql = sql`
  e.seq, e.merchant_id, e.type, e.source, coalesce(s.customer_id, s.addressee) as subject,
  coalesce(e.external_subject, case s.kind when 'external' then s.key end) as external_subject,
  e.external_id, e.at, e.idempotency_key`;

/** The subject as it was sent; null where an event had an externalSubject alone. */
const SENT_SUBJECT: Sql = sql`case s.kind when 'direct' then s.key end as sent_subject`;

/** Joins the subject to `e`. */
const EVENT_TABLES: Sql = sql`join event_subject s on s.merchant_id = e.merchant_id and s.id = e.subject_id`;

/** A meter with its owner; for an operator's list there are several merchants. */
export interface OwnedMeter {
  /** The metric's or cost's. */
  readonly id: string;
  readonly merchantId: string;
  readonly meter: Meter;
}

export interface EventFilter {
  readonly merchantId: string | null;
  readonly type?: string | undefined;
  /** The customer, or the direct addressee of the event. */
  readonly subject?: string | undefined;
  readonly externalSubject?: string | undefined;
  readonly externalId?: string | undefined;
  readonly from?: Instant | undefined;
  readonly to?: Instant | undefined;
  /** Accepted at this time or later. */
  readonly acceptedFrom?: Instant | undefined;
}

/** A row of an event: its id is made of its time and its number. */
type StoredEvent = Omit<EventRecord, 'id'> & { readonly at: Instant; readonly seq: bigint };

export interface ReadEvent extends StoredEvent {
  readonly id: string;
  readonly reason: UnmatchedReason | null;
  /** The subject as sent; null if there was none. */
  readonly sentSubject: string | null;
  readonly data: unknown;
}

const given = (value: unknown, condition: Sql): Sql | undefined => (value === undefined ? undefined : condition);

const matching = (filter: EventFilter): Sql =>
  allOf([
    filter.merchantId === null ? undefined : sql`e.merchant_id = ${filter.merchantId}`,
    given(filter.type, sql`e.type = ${filter.type}`),
    given(
      filter.subject,
      sql`(s.customer_id = ${filter.subject} or s.addressee = ${filter.subject}
           or (s.kind = 'direct' and s.key = ${filter.subject}))`,
    ),
    given(
      filter.externalSubject,
      sql`(e.external_subject = ${filter.externalSubject}
           or (s.kind = 'external' and s.key = ${filter.externalSubject}))`,
    ),
    given(filter.externalId, sql`e.external_id = ${filter.externalId}`),
    given(filter.from, sql`e.at >= ${filter.from}`),
    given(filter.to, sql`e.at < ${filter.to}`),
    (filter.from !== undefined || filter.to !== undefined) && eventsAtHand(filter),
    given(filter.acceptedFrom, acceptedSince(filter)),
  ]);

/**
 * Events are accepted about in the order of their numbers, so the first number since an instant tells where a list
 * ends. The sum keeps PostgreSQL from looking for that number in the order of all of them.
 */
const acceptedSince = ({ merchantId, acceptedFrom }: EventFilter): Sql => sql`
  e.accepted_at >= ${acceptedFrom}
  and e.seq >= (select min(f.seq + 0) from event f
                 where ${allOf([
                   merchantId !== null && sql`f.merchant_id = ${merchantId}`,
                   sql`f.accepted_at >= ${acceptedFrom}`,
                 ])})`;

/** Why the event `e` of the subject `s` counts nothing, null where it counts: the first reason that holds. */
function reasonOf(meters: readonly OwnedMeter[]): Sql {
  const column = (value: (meter: Meter) => unknown): Sql => sql`${meters.map(({ meter }) => value(meter))}`;
  const path = sql`string_to_array(m.path, '.')`;
  const inTime = sql`(m.event_from is null or e.at > m.event_from)`;
  const hasValue = sql`case when m.path is null then true
    when m.aggregation in ('COUNT', 'UNIQUE_COUNT') then event_text(e.data, ${path}) is not null
    else event_number(e.data, ${path}) is not null end`;
  return sql`case when s.addressee is null then 'UNKNOWN_SUBJECT' else (
    select case when count(*) = 0 then 'UNKNOWN_TYPE'
                when not bool_or(${inTime}) then 'BEFORE_EVENT_FROM'
                when not bool_or(${inTime} and ${hasValue}) then 'NO_VALUE' end
      from unnest(${meters.map(({ merchantId }) => merchantId)}::text[],
                  ${column(({ eventType }) => eventType)}::text[], ${column(aggregationOfEvents)}::text[],
                  ${column(({ valueProperty }) => valueProperty?.slice(2) ?? null)}::text[],
                  ${column(({ eventFrom }) => eventFrom)}::timestamptz[])
           as m (merchant_id, event_type, aggregation, path, event_from)
     where m.merchant_id = e.merchant_id and m.event_type = e.type) end`;
}

/** Rows with their ids. */
function withIds<Row extends StoredEvent>(ids: EventIds, rows: readonly Row[]): (Row & { id: string })[] {
  const texts = ids.idsOf(rows);
  return rows.map((row, index) => ({ ...row, id: texts[index] as string }));
}

/** Events as the rows of a list. An event's id is its place, so it is the next page's `after`, too. */
function listOf(ids: EventIds, merchantId: string | null) {
  return {
    kind: 'event',
    from: sql`event e ${EVENT_TABLES}`,
    alias: 'e',
    id: sql`e.seq`,
    hasId: (id: string) => {
      const place = ids.placeOf(id);
      return place && sql`e.seq = ${place.seq} and e.at >= ${place.from} and e.at < ${place.to}`;
    },
    ...(merchantId !== null && { exists: sql`e.merchant_id = ${merchantId}` }),
  } as const;
}

/** Rows with their ids, which the next page begins behind. */
function named<Row extends StoredEvent>(ids: EventIds, rows: readonly Row[], page: PageRequest) {
  const found = withIds(ids, rows);
  if (page.nextAfter) page.nextAfter = found.at(-1)?.id ?? null;
  return found;
}

/** Events in the reverse order of acceptance. `status` keeps those that count, or those that do not. */
export const selectEvents = async (
  tx: Tx,
  filter: EventFilter,
  status: 'matched' | 'unmatched' | undefined,
  meters: readonly OwnedMeter[],
  page: PageRequest,
): Promise<{ rows: ReadEvent[]; total: number }> => {
  const ids = await selectEventIds(tx);
  const reason = reasonOf(meters);
  const kept = status && (status === 'matched' ? sql`(${reason}) is null` : sql`(${reason}) is not null`);
  const { rows, total } = await pageOfRows<Omit<ReadEvent, 'id'>>(
    tx,
    {
      ...listOf(ids, filter.merchantId),
      select: sql`${EVENT_COLUMNS}, ${SENT_SUBJECT}, ${reason} as reason, e.data`,
      where: allOf([matching(filter), kept]),
    },
    page,
    isWide(filter) && status === undefined ? () => countEvents(tx, filter.merchantId, filter.type) : undefined,
  );
  return { rows: named(ids, rows, page), total };
};

/** Is all that came in wanted, or all of a type? */
const isWide = ({ subject, externalSubject, externalId, from, to, acceptedFrom }: EventFilter): boolean =>
  [subject, externalSubject, externalId, from, to, acceptedFrom].every((value) => value === undefined);

/** One event, in the month that its id names. */
export async function selectEvent(
  tx: Tx,
  merchantId: string | null,
  { seq, from, to }: EventPlace,
  meters: readonly OwnedMeter[],
): Promise<ReadEvent | undefined> {
  const rows = await tx.rows<Omit<ReadEvent, 'id'>>(sql`
    select ${EVENT_COLUMNS}, ${SENT_SUBJECT}, ${reasonOf(meters)} as reason, e.data from event e ${EVENT_TABLES}
     where ${merchantId === null ? sql`true` : sql`e.merchant_id = ${merchantId}`}
       and e.at >= ${from} and e.at < ${to} and e.seq = ${seq}
       and ${eventsAtHand({ merchantId, from, to, after: seq - 1n, upTo: seq })}`);
  return withIds(await selectEventIds(tx), rows)[0];
}

/** The events that a meter counts, in the reverse order of acceptance. */
export const selectMeterEvents = async (
  tx: Tx,
  meter: Meter,
  filter: EventFilter,
  page: PageRequest,
): Promise<{ rows: (EventRecord & { data: unknown })[]; total: number }> => {
  const ids = await selectEventIds(tx);
  const { rows, total } = await pageOfRows<StoredEvent & { data: unknown }>(
    tx,
    {
      ...listOf(ids, filter.merchantId),
      select: sql`${EVENT_COLUMNS}, e.data`,
      where: allOf([matching(filter), countsFor(meter)]),
    },
    page,
  );
  return { rows: named(ids, rows, page), total };
};
