import type { DueKind } from '../jobs/index.ts';
import { isAfter, isBefore } from '../kernel/time.ts';
import { openBilling } from './create.ts';
import { endSubscription } from './end.ts';
import type { SubscriptionParts } from './parts.ts';
import { lockSubscription, type SubscriptionRow } from './subscriptions.sql.ts';

/** What a subscription does by itself: billing starts when a future start or a trial's end comes, and it ends at its planned end. */
export const subscriptionDueKind = (parts: Pick<SubscriptionParts, 'source'>): DueKind => ({
  kind: 'subscription',
  step: async (tx, { merchantId, id }, now) => {
    const subscription = await lockSubscription(tx, merchantId, id);
    if (subscription?.status !== 'active') return;
    if (billingStartsFirst(subscription) && !isAfter(subscription.billing_starts_at, now)) {
      await openBilling(tx, subscription, now);
    } else if (subscription.ending_at !== null && !isAfter(subscription.ending_at, now)) {
      await endSubscription(
        tx,
        parts.source,
        subscription,
        { at: subscription.ending_at, by: null, reason: null },
        now,
      );
    }
  },
});

/** Not so where billing has started, and where a trial is longer than the subscription: then nothing is ever billed. */
const billingStartsFirst = ({ billing_opened, billing_starts_at, ending_at }: SubscriptionRow): boolean =>
  !billing_opened && (ending_at === null || isBefore(billing_starts_at, ending_at));
