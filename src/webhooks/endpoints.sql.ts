import { allOf, type Database, insertion, pageOfRows, sql, type Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { Endpoint, EndpointStatus } from './endpoint.ts';

const INSERTED = sql`id, merchant_id, url, event_types, description, status, disabled_reason, secret, created_at,
  updated_at`;
const COLUMNS = sql`${INSERTED}, previous_secret, previous_secret_until, failing_since, told_at, failed_attempts`;

/** Endpoints are counted under this lock, so that two creations do not pass the limit together. */
export async function countEndpoints(tx: Tx): Promise<number> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`webhook endpoints of ${tx.merchantId}`}, 0))`);
  const { count } = await tx.one<{ count: number }>(sql`
    select count(*)::int as count from webhook_endpoint where merchant_id = ${tx.merchantId} and deleted_at is null`);
  return count;
}

export const insertEndpoint = (tx: Tx, endpoint: Endpoint) =>
  tx.one<Endpoint>(sql`${insertion('webhook_endpoint', endpoint, INSERTED)} returning ${COLUMNS}`);

export const selectEndpoint = (tx: Tx, id: string) =>
  tx.maybe<Endpoint>(sql`
    select ${COLUMNS} from webhook_endpoint where merchant_id = ${tx.merchantId} and id = ${id}
      and deleted_at is null`);

export const lockEndpoint = (tx: Tx, id: string) =>
  tx.maybe<Endpoint>(sql`
    select ${COLUMNS} from webhook_endpoint where merchant_id = ${tx.merchantId} and id = ${id} and deleted_at is null
       for no key update`);

/** In the order of their ids. */
export const lockEndpoints = (tx: Tx, ids: readonly string[]) =>
  tx.rows<Endpoint>(sql`
    select ${COLUMNS} from webhook_endpoint
     where merchant_id = any (string_to_array(current_setting('reckoner.merchants'), ',')) and id = any (${ids})
       and deleted_at is null
     order by id
       for no key update`);

export const updateEndpoint = (tx: Tx, endpoint: Endpoint) =>
  tx.one<Endpoint>(sql`
    update webhook_endpoint
       set url = ${endpoint.url}, event_types = ${endpoint.eventTypes}, description = ${endpoint.description},
           status = ${endpoint.status}, disabled_reason = ${endpoint.disabledReason}, secret = ${endpoint.secret},
           previous_secret = ${endpoint.previousSecret}, previous_secret_until = ${endpoint.previousSecretUntil},
           failing_since = ${endpoint.failingSince}, told_at = ${endpoint.toldAt},
           failed_attempts = ${endpoint.failedAttempts}, updated_at = ${endpoint.updatedAt}
     where merchant_id = ${endpoint.merchantId} and id = ${endpoint.id}
    returning ${COLUMNS}`);

/** Endpoints that took a webhook: those that did fail do no longer, and the first one is remembered. */
export const updateDelivered = (tx: Tx, ids: readonly string[], now: Instant) =>
  tx.run(sql`
    update webhook_endpoint set failing_since = null, told_at = null, failed_attempts = 0,
           first_delivered_at = coalesce(first_delivered_at, ${now})
     where merchant_id = any (string_to_array(current_setting('reckoner.merchants'), ',')) and id = any (${ids})
       and (failing_since is not null or first_delivered_at is null)`);

/** The standing of a merchant's endpoints. */
export interface EndpointHealth {
  /** Enabled, and the last attempt failed. */
  readonly failing: number;
  /** Disabled, because they failed or answered 410. */
  readonly disabled: number;
  /** When the first webhook was taken; null: none yet. */
  readonly firstDeliveredAt: Instant | null;
}

/** How the endpoints of the merchant stand. */
export const selectEndpointHealth = (tx: Tx): Promise<EndpointHealth> =>
  tx.one<EndpointHealth>(sql`
    select count(*) filter (where status = 'enabled' and failing_since is not null)::int as failing,
           count(*) filter (where deleted_at is null and disabled_reason in ('gone', 'failing'))::int as disabled,
           min(first_delivered_at) as first_delivered_at
      from webhook_endpoint where merchant_id = ${tx.merchantId}`);

/** Its deliveries need it until they are deleted; its secrets are no longer needed. */
export const deleteEndpoint = (tx: Tx, id: string, now: Instant) =>
  tx.run(sql`
    update webhook_endpoint
       set status = 'disabled', disabled_reason = 'request', secret = '', previous_secret = null,
           previous_secret_until = null, deleted_at = ${now}, updated_at = ${now}
     where merchant_id = ${tx.merchantId} and id = ${id} and deleted_at is null`);

export const selectEndpoints = (
  tx: Tx,
  merchantId: string | null,
  filter: { readonly status?: EndpointStatus | undefined },
  page: PageRequest,
) =>
  pageOfRows<Endpoint>(
    tx,
    {
      kind: 'webhookEndpoint',
      select: COLUMNS,
      from: sql`webhook_endpoint`,
      exists: sql`deleted_at is null`,
      where: allOf([
        merchantId !== null && sql`merchant_id = ${merchantId}`,
        filter.status !== undefined && sql`status = ${filter.status}`,
      ]),
    },
    page,
  );

/** The program runs. Of several processes each says so. */
export const noteProgramRun = (database: Database, now: Instant) =>
  database.transaction('nobody', (tx) => tx.one(sql`select note_program_run(${now})`));

/** How long the program was off between two instants. */
export const selectSecondsOff = (tx: Tx, since: Instant, until: Instant): Promise<number> =>
  tx.value<number>(sql`select seconds_off(${since}, ${until}) as seconds`);
