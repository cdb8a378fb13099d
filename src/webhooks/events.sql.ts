import { allOf, isOfOrder, newestFirst, type Order, pageOfRows, sql, type Tx } from '../db/index.ts';
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

export const selectEvent = (tx: Tx, id: string) =>
  tx.maybe<RecordedEvent>(sql`select ${COLUMNS} from outbox o where o.merchant_id = ${tx.merchantId} and o.id = ${id}`);

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

const EVENTS = { kind: 'webhookEvent', from: sql`outbox o`, alias: 'o' } as const;
const NEWEST_FIRST = newestFirst(sql`o.seq`);
const BY_COMMIT: Order = {
  keys: [
    { by: sql`o.transaction_id`, type: 'xid8' },
    { by: sql`o.seq`, type: 'bigint' },
  ],
  direction: 'asc',
};

/** Newest first; behind an id alone in the order of commits. */
export const selectEvents = async (tx: Tx, filter: EventFilter, page: PageRequest) => {
  if (page.after !== undefined && !(await isOfOrder(tx, page.after, NEWEST_FIRST)))
    return selectEventsByCommit(tx, filter, page);
  const where = allOf(conditions(filter));
  return pageOfRows<RecordedEvent>(tx, { ...EVENTS, select: COLUMNS, where, order: NEWEST_FIRST }, page);
};

/**
 * Events in the order of their transactions. Those of transactions that are running, and of all that began after one of
 * these, are left for later: so nothing is committed in between what was answered.
 */
export const selectEventsByCommit = (tx: Tx, filter: EventFilter, page: PageRequest) =>
  pageOfRows<RecordedEvent>(
    tx,
    {
      ...EVENTS,
      select: COLUMNS,
      where: allOf([...conditions(filter), sql`o.transaction_id < pg_snapshot_xmin(pg_current_snapshot())`]),
      order: BY_COMMIT,
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
      kind: 'webhookAttempt',
      select: sql`merchant_id, id, event_id, endpoint_id, number, status,
        status_code, error, reply, duration_milliseconds,
        created_at`,
      from: sql`webhook_attempt`,
      exists: sql`merchant_id = ${merchantId} and event_id = ${eventId}`,
      where: allOf([endpointId !== undefined && sql`endpoint_id = ${endpointId}`]),
      order: {
        keys: [
          { by: sql`created_at`, type: 'timestamptz' },
          { by: sql`endpoint_id`, type: 'text' },
          { by: sql`number`, type: 'int' },
        ],
        direction: 'desc',
      },
    },
    page,
  );
