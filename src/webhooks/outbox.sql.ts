import { recordset, sql, type Tx } from '../db/index.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';
import { type EventType, isOfTime } from './kinds.ts';

/** An event for a merchant's webhook endpoints. */
export interface OutboxEvent {
  readonly merchantId: string;
  readonly type: EventType;
  /**
   * Ids, first of all the resource's own (`customerId` for `customer.…`); figures only of alerts and of notices about
   * balances, and never addresses.
   */
  readonly data: Readonly<Record<string, string | number | null | readonly Readonly<Record<string, string>>[]>>;
}

/**
 * Writes an event into the outbox, in the transaction of the change that it tells of: it leaves if and only if the
 * change was committed. `data` gets the merchant's id and `sequence`, which counts the events of one resource from 1;
 * events of one resource wait for each other here, so the numbers are in the order of the commits.
 * @returns the event's id (`wev_`), which stays the same over all deliveries; of an event of time also over all lives
 * of the database.
 */
export async function publish(tx: Tx, event: OutboxEvent, now: Instant): Promise<string> {
  const [id] = await publishAll(tx, [event], now);
  return id as string;
}

/** The same of several, in their order. @returns their ids */
export async function publishAll(tx: Tx, events: readonly OutboxEvent[], now: Instant): Promise<string[]> {
  if (events.length === 0) return [];
  const rows = events.map((event, place) => ({
    place,
    merchant: event.merchantId,
    resource: resourceOf(event),
    id: isOfTime(event.type) ? null : newId('webhookEvent'),
    type: event.type,
    data: { merchantId: event.merchantId, ...event.data },
  }));
  const { ids } = await tx.one<{ ids: string[] }>(sql`select publish_events(${recordset(rows)}, ${now}) as ids`);
  return ids;
}

/**
 * `payment_session.completed.v0` is about `data.paymentSessionId`; an event about no one resource is the merchant's.
 */
function resourceOf({ merchantId, type, data }: OutboxEvent): string {
  const [noun = ''] = type.split('.');
  const field = `${noun.replace(/_[a-z]/g, (part) => part.slice(1).toUpperCase())}Id`;
  const id = data[field];
  return typeof id === 'string' ? id : merchantId;
}
