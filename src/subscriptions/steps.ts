import type { Tx } from '../db/index.ts';
import { merchantSettings } from '../identity/index.ts';
import { billLateUsage, creditCarriedLines, lateUsageDueAt } from '../invoicing/index.ts';
import type { DueKind } from '../jobs/index.ts';
import { type Instant, isAfter, isBefore } from '../kernel/time.ts';
import { startBilling } from './activate.ts';
import { applyScheduled } from './changes.ts';
import { endSubscription } from './end.ts';
import type { SubscriptionParts } from './parts.ts';
import { remind } from './reminders.ts';
import {
  changeSubscription,
  customerOfSubscription,
  lockSubscription,
  type SubscriptionRow,
} from './subscriptions.sql.ts';
import { lockToBill } from './usage-claims.ts';

/** Subscriptions of one merchant in one transaction; those of one customer bill the usage of one another. */
const SUBSCRIPTIONS_TOGETHER = 200;

/**
 * What a subscription does by itself: billing starts when a future start or a trial's end comes, its renewals are told of, it
 * ends at its planned end, and at last what came late for it is billed.
 */
export const subscriptionDueKind = (
  parts: Pick<SubscriptionParts, 'source' | 'invoicing' | 'remindCustomer'>,
): DueKind => ({
  kind: 'subscription',
  together: {
    most: SUBSCRIPTIONS_TOGETHER,
    apart: (tx, { merchantId, id }) => customerOfSubscription(tx, merchantId, id),
  },
  step: async (tx, { merchantId, id }, now) => {
    const subscription = await lockSubscription(tx, merchantId, id);
    if (subscription?.status === 'terminated') {
      await lockToBill(tx, subscription, now, now);
      const again = await billLateUsage(parts.invoicing, tx, { merchantId, subscriptionId: id }, now);
      await creditCarriedLines(parts.invoicing, tx, merchantId, id, now);
      await changeSubscription(
        tx,
        subscription,
        { next_action_at: again ?? (await lateUsageAfter(tx, subscription, now)) },
        now,
      );
      return;
    }
    if (subscription?.status !== 'active') return;
    if (billingStartsFirst(subscription) && !isAfter(subscription.billing_starts_at, now)) {
      await startBilling(parts, tx, subscription, now);
    } else if (subscription.ending_at !== null && !isAfter(subscription.ending_at, now)) {
      await endSubscription(tx, parts, subscription, { at: subscription.ending_at, by: null, reason: null }, now);
    } else {
      await remind(parts, tx, subscription, now);
    }
  },
});

/** When what comes late is still to be billed: one that ended is also looked at before, where somebody else takes over its usage. */
async function lateUsageAfter(tx: Tx, { merchant_id, terminated_at: end }: SubscriptionRow, now: Instant) {
  const { lateUsageDays } = await merchantSettings(tx, merchant_id);
  const due = end && lateUsageDueAt(end, lateUsageDays);
  return due && isBefore(now, due) ? due : null;
}

/** A change of the plan that was scheduled for the end of a period comes. */
export const subscriptionChangeDueKind = (parts: SubscriptionParts): DueKind => ({
  kind: 'subscription_change',
  step: (tx, record, now) => applyScheduled(parts, tx, record, now),
});

/** Not so where billing has started, and where a trial is longer than the subscription: then nothing is ever billed. */
const billingStartsFirst = ({ billing_opened, billing_starts_at, ending_at }: SubscriptionRow): boolean =>
  !billing_opened && (ending_at === null || isBefore(billing_starts_at, ending_at));
