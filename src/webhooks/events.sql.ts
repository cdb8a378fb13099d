import { allOf, pageOfRows, sql, type Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { Attempt } from './deliveries.sql.ts';

/** A stored event. */
export interface RecordedEvent {
  readonly id: string;
  readonly merchantId: string;
  readonly type: string;
  readonly resourceId: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: Instant;
}

const COLUMNS = sql`o.id, o.merchant_id, o.type, o.resource_id, o.data,
  o.created_at`;

export const selectEvent = (tx: Tx, merchantId: string, id: string) =>
  tx.maybe<RecordedEvent>(sql`select ${COLUMNS} from outbox o where o.merchant_id = ${merchantId} and o.id = ${id}`);

export interface EventFilter {
  /** Null for an operator's list over all merchants. */
  readonly merchantId: string | null;
  readonly type?: string | undefined;
  readonly resourceId?: string | undefined;
}

const conditions = ({ merchantId, type, resourceId }: EventFilter) => [
  merchantId !== null && sql`o.merchant_id = ${merchantId}`,
  type !== undefined && sql`o.type = ${type}`,
  resourceId !== undefined && sql`o.resource_id = ${resourceId}`,
];

/** Newest first. */
export const selectEvents = (tx: Tx, filter: EventFilter, page: PageRequest) =>
  pageOfRows<RecordedEvent>(
    tx,
    { select: COLUMNS, from: sql`outbox o`, where: allOf(conditions(filter)), order: sql`o.seq desc` },
    page,
  );

/** The place of an event in the order of commits. */
export interface Place {
  readonly transactionId: string;
  readonly seq: bigint;
}

export const selectPlace = (tx: Tx, filter: EventFilter, id: string) =>
  tx.maybe<Place>(sql`
    select o.transaction_id::text as transaction_id, o.seq from outbox o
     where ${allOf([sql`o.id = ${id}`, filter.merchantId !== null && sql`o.merchant_id = ${filter.merchantId}`])}`);

/**
 * Events after a place, in the order of their transactions. Those of transactions that are running, and of all that
 * began after one of these, are left for later: so nothing is committed in between what was answered.
 */
export const selectEventsAfter = (tx: Tx, filter: EventFilter, after: Place | null, page: PageRequest) =>
  pageOfRows<RecordedEvent>(
    tx,
    {
      select: COLUMNS,
      from: sql`outbox o`,
      where: allOf([
        ...conditions(filter),
        sql`o.transaction_id < pg_snapshot_xmin(pg_current_snapshot())`,
        after !== null && sql`(o.transaction_id, o.seq) > (${after.transactionId}::xid8, ${after.seq})`,
      ]),
      order: sql`o.transaction_id, o.seq`,
    },
    page,
  );

/** The delivery of an event at an endpoint. */
export interface DeliveryRow {
  readonly eventId: string;
  readonly endpointId: string;
  readonly status: 'pending' | 'delivered' | 'exhausted';
  readonly attempts: number;
  /** Null where it is sent at once, or not at all. */
  readonly nextAttemptAt: Instant | null;
}

export const selectDeliveries = (tx: Tx, events: readonly RecordedEvent[]) =>
  tx.rows<DeliveryRow>(sql`
    select d.event_id, d.endpoint_id, d.status, d.attempts,
           case when d.begun_at is null then nullif(d.next_attempt_at, '-infinity') end as next_attempt_at
      from webhook_delivery d
     where d.merchant_id = any (${[...new Set(events.map(({ merchantId }) => merchantId))]})
       and d.event_id = any (${events.map(({ id }) => id)})
     order by d.event_id, d.endpoint_id`);

/** The attempts at an event, newest first. */
export const selectAttempts = (
  tx: Tx,
  { merchantId, eventId, endpointId }: { merchantId: string; eventId: string; endpointId?: string | undefined },
  page: PageRequest,
) =>
  pageOfRows<Attempt>(
    tx,
    {
      select: sql`merchant_id, id, event_id, endpoint_id, number, status,
        status_code, error, reply, duration_milliseconds,
        created_at`,
      from: sql`webhook_attempt`,
      where: allOf([
        sql`merchant_id = ${merchantId}`,
        sql`event_id = ${eventId}`,
        endpointId !== undefined && sql`endpoint_id = ${endpointId}`,
      ]),
      order: sql`created_at desc, endpoint_id desc, number desc`,
    },
    page,
  );
