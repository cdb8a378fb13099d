import { type Database, recordset, type Sql, sql, type Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';

/** An event that goes to an endpoint: an attempt at it has been begun. */
export interface Begun {
  readonly merchantId: string;
  readonly eventId: string;
  readonly endpointId: string;
  /** Attempts with this one. */
  readonly attempts: number;
  /** The same since it was put into the queue. */
  readonly slot: number;
  /** When the attempt before began, where that was lost. */
  readonly lostAt: Instant | null;
  readonly url: string;
  readonly secret: string;
  /** Null where it is not valid any more. */
  readonly previousSecret: string | null;
  readonly type: string;
  readonly data: unknown;
  readonly happenedAt: Instant;
}

/**
 * Begins attempts that are due, for all merchants; no other worker begins them before the lease is over, or this one is
 * gone.
 */
export const claimDeliveries = (
  database: Database,
  {
    at,
    leaseUntil,
    most,
    mostEach,
    worker,
  }: {
    at: Instant;
    leaseUntil: Instant;
    most: number;
    mostEach: number;
    worker: number | null;
  },
): Promise<Begun[]> =>
  database.transaction('nobody', (tx) =>
    tx.rows<Begun>(
      sql`
      select merchant_id, event_id, endpoint_id, attempts, slot,
             lost_at, url, secret, previous_secret, type, data,
             happened_at
        from claim_webhook_deliveries(${at}, ${leaseUntil}, ${most}, ${mostEach}, ${worker}::int)`,
      'claim_webhook_deliveries',
    ),
  );

/** Gives up what waits for disabled endpoints, a piece at a time. @returns how many */
export const exhaustDeliveries = (database: Database, at: Instant, most: number): Promise<number> =>
  counted(database, sql`select exhaust_webhook_deliveries(${at}, ${most}) as count`);

/**
 * Forgets events, deliveries and attempts that were recorded before a time, a piece at a time. @returns how many events
 */
export const forgetEvents = (database: Database, olderThan: Instant, most: number): Promise<number> =>
  counted(database, sql`select forget_webhook_events(${olderThan}, ${most}) as count`);

/** Gives events that were restored from another cluster a place in the order of commits here. */
export const adoptEvents = (database: Database): Promise<number> =>
  counted(database, sql`select adopt_webhook_events() as count`);

const counted = async (database: Database, query: Sql): Promise<number> =>
  Number((await database.transaction('nobody', (tx) => tx.one<{ count: bigint }>(query))).count);

/** The result of an attempt. */
export interface Attempt {
  readonly merchantId: string;
  readonly id: string;
  readonly eventId: string;
  readonly endpointId: string;
  readonly number: number;
  readonly status: 'delivered' | 'failed';
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly reply: string | null;
  readonly durationMilliseconds: number | null;
  readonly createdAt: Instant;
}

/** Nothing happens where the attempt has been written down. */
export const insertAttempts = (tx: Tx, attempts: readonly Attempt[]) =>
  tx.run(sql`
    insert into webhook_attempt (merchant_id, id, event_id, endpoint_id, number, status, status_code, error, reply,
                                 duration_milliseconds, created_at)
    select merchant_id, id, event_id, endpoint_id, number, status, status_code, error, reply,
           duration_milliseconds, created_at
      from jsonb_to_recordset(${recordset(attempts)})
        as r (merchant_id text, id text, event_id text, endpoint_id text, number int, status text, status_code int,
              error text, reply text, duration_milliseconds int, created_at timestamptz)
    on conflict (merchant_id, event_id, endpoint_id, number) do nothing`);

/** The consequence of an attempt for a delivery. */
export interface DeliveryChange {
  readonly merchantId: string;
  readonly eventId: string;
  readonly endpointId: string;
  readonly number: number;
  readonly status: 'pending' | 'delivered' | 'exhausted';
  readonly nextAttemptAt: Instant | null;
}

/** Only if that attempt is the last one, and running: the result of a lost attempt is ignored. */
export const updateDeliveries = (tx: Tx, changes: readonly DeliveryChange[]) =>
  tx.run(sql`
    update webhook_delivery d
       set status = r.status, next_attempt_at = r.next_attempt_at, begun_at = null
      from jsonb_to_recordset(${recordset(changes)})
        as r (merchant_id text, event_id text, endpoint_id text, number int, status text, next_attempt_at timestamptz)
     where d.merchant_id = r.merchant_id and d.event_id = r.event_id and d.endpoint_id = r.endpoint_id
       and d.attempts = r.number and d.begun_at is not null`);

/** The deliveries to put into the queue again. */
export interface Redelivery {
  readonly merchantId: string;
  readonly endpointId: string | null;
  readonly eventId?: string;
  readonly from?: Instant;
  readonly to?: Instant;
  readonly types?: readonly string[] | undefined;
  /** Leave out those that were delivered, or wait already. */
  readonly onlyFailed: boolean;
}

/** Events and the endpoints that they go to: that want their kind, or got them before. */
const redelivered = ({ merchantId, endpointId, eventId, from, to, types, onlyFailed }: Redelivery): Sql => sql`
  select o.merchant_id, o.id as event_id, w.id as endpoint_id, o.seq
    from outbox o
    join webhook_endpoint w on w.merchant_id = o.merchant_id and w.status = 'enabled'
    left join webhook_delivery d on d.merchant_id = o.merchant_id and d.event_id = o.id and d.endpoint_id = w.id
   where o.merchant_id = ${merchantId}
     and (${eventId ?? null}::text is null or o.id = ${eventId ?? null})
     and (${endpointId}::text is null or w.id = ${endpointId})
     and (${from ?? null}::timestamptz is null or o.created_at >= ${from ?? null})
     and (${to ?? null}::timestamptz is null or o.created_at < ${to ?? null})
     and (${types ?? null}::text[] is null or o.type = any (${types ?? null}))
     and (d.event_id is not null or w.event_types && array['*', o.type]
          or (${eventId ?? null}::text is not null and ${endpointId}::text is not null))
     and (not ${onlyFailed} or coalesce(d.status, 'exhausted') = 'exhausted')`;

export const countRedelivered = (tx: Tx, which: Redelivery, most: number): Promise<number> =>
  tx.value<number>(sql`select count(*)::int as count from (${redelivered(which)} limit ${most}) r`);

/** Puts deliveries into the queue, from the beginning of the schedule. @returns how many */
export const insertDeliveriesAgain = (tx: Tx, which: Redelivery): Promise<number> =>
  tx.run(sql`
    insert into webhook_delivery (merchant_id, event_id, endpoint_id, seq)
    ${redelivered(which)} order by event_id, endpoint_id
    on conflict (merchant_id, event_id, endpoint_id)
      do update set status = 'pending', slot = 0, next_attempt_at = '-infinity', begun_at = null`);

/** Deliveries that wait, and endpoints by how they stand, of all merchants: for the metrics. */
export const countWaiting = async (tx: Tx): Promise<{ pending: number; failing: number; disabled: number }> =>
  tx.one<{ pending: number; failing: number; disabled: number }>(sql`
    select (select count(*)::int from webhook_delivery where status = 'pending') as pending,
           (select count(*)::int from webhook_endpoint where status = 'enabled'
              and failing_since is not null) as failing,
           (select count(*)::int from webhook_endpoint
             where deleted_at is null and disabled_reason in ('gone', 'failing')) as disabled`);
