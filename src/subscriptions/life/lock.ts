import type { Tx } from '../../db/index.ts';
import type { EntitlingSubscription } from '../../entitlements/index.ts';
import { ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { SubscriptionStatus } from '../subscription/subscription.ts';
import { lockSubscription, lockSubscriptionNow } from '../subscription/subscriptions.sql.ts';
import { entitlingOf } from './activate.ts';
import { lockActive } from './patch.ts';

/**
 * An active subscription, held for what is given to it by hand, with its effective now. `wall` is wall time.
 * @returns 404; INVALID_TRANSITION where it has ended or waits for its payment
 */
export async function lockActiveSubscription(
  tx: Tx,
  merchantId: string,
  id: string,
  wall: Instant,
): Promise<Result<{ subscription: EntitlingSubscription; now: Instant }>> {
  const locked = await lockActive(tx, merchantId, id, 'entitle', wall);
  return locked.ok ? ok({ subscription: entitlingOf(locked.value.subscription), now: locked.value.now }) : locked;
}

/** Locks a subscription. @returns whether it waits for its payment, is active or has ended */
export async function lockStatus(tx: Tx, merchantId: string, id: string): Promise<SubscriptionStatus> {
  const subscription = await lockSubscription(tx, merchantId, id);
  if (!subscription) throw new Error(`Subscription ${id} no longer exists.`);
  return subscription.status;
}

/** Locks a subscription. @param wait false: throws 55P03 if another process has it */
export async function lockRow(tx: Tx, merchantId: string, id: string, wait: boolean): Promise<void> {
  await (wait ? lockSubscription : lockSubscriptionNow)(tx, merchantId, id);
}
