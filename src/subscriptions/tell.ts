import type { Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import { type EventType, publish } from '../webhooks/index.ts';
import type { SubscriptionRow } from './subscriptions.sql.ts';

/** Writes a webhook about a subscription into the outbox. */
export const tell = (
  tx: Tx,
  subscription: SubscriptionRow,
  type: EventType & `subscription.${string}`,
  now: Instant,
): Promise<string> =>
  publish(
    tx,
    {
      merchantId: subscription.merchant_id,
      type,
      data: {
        merchantId: subscription.merchant_id,
        subscriptionId: subscription.id,
        customerId: subscription.customer_id,
      },
    },
    now,
  );
