import type { Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { type EventType, publishAll } from '../../webhooks/index.ts';
import type { SubscriptionRow } from './subscription.ts';

type SubscriptionEvent = EventType & `subscription.${string}`;

/** Writes a webhook about a subscription into the outbox. */
export const publishSubscriptionEvent = (
  tx: Tx,
  subscription: SubscriptionRow,
  type: SubscriptionEvent,
  now: Instant,
): Promise<void> => publishSubscriptionEvents(tx, [subscription], type, now);

/** The same about each of several. */
export async function publishSubscriptionEvents(
  tx: Tx,
  subscriptions: readonly SubscriptionRow[],
  type: SubscriptionEvent,
  now: Instant,
): Promise<void> {
  const events = subscriptions.map(({ merchantId, id: subscriptionId, customerId }) => ({
    merchantId,
    type,
    data: { merchantId, subscriptionId, customerId },
  }));
  await publishAll(tx, events, now);
}
