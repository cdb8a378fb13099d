import type { Tx } from '../../db/index.ts';
import { orThrow } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { SubscriptionDependencies } from '../subscription/dependencies.ts';
import { holdLiving } from './lock.ts';
import { terminateSubscription } from './patch.ts';

/** The reason of a subscription's end after the last declined retry of a charge. */
const REASON = 'payment_failed';

/**
 * Ends a subscription whose invoice was not paid, as the merchant's settings say (domain.md §4, row 16); one that has
 * ended already is left alone. `now` is effective now for it.
 */
export async function endUnpaid(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  { subscriptionId }: { merchantId: string; subscriptionId: string },
  now: Instant,
): Promise<void> {
  const held = await holdLiving(tx, subscriptionId, 'terminate', now);
  const ended = held.ok ? await terminateSubscription(dependencies, tx, held.value, { reason: REASON }) : held;
  const isOver = !ended.ok && ended.refusal.kind === 'code' && ended.refusal.code === 'INVALID_TRANSITION';
  if (!isOver) orThrow(ended);
}
