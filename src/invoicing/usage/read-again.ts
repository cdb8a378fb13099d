import type { Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { lockBilling } from './billing-lock.sql.ts';
import { deleteTaken, selectClosedPeriods, selectReadSeries } from './read-again.sql.ts';

/**
 * Something other than an event changes what closed periods should have billed: whose usage is whose, or what grants
 * covered. The closed periods of some subscriptions that end after an instant are read again at the next close, and the
 * difference is billed. Where no period is closed nothing happens.
 *
 * Who is reading one of these periods at this moment may have begun before the change, so the marks wait for it, and it
 * for them.
 */
export async function markToBeReadAgain(
  tx: Tx,
  merchantId: string,
  subscriptionIds: readonly string[],
  from: Instant,
): Promise<void> {
  if (subscriptionIds.length === 0) return;
  await lockBilling(tx, merchantId, subscriptionIds);
  // a statement of its own: it must see what the lock waited for
  await deleteTaken(tx, merchantId, subscriptionIds, from);
}

/** How far the usage of each series of some subscriptions was read; of those that have closed periods. */
export const findReadSeries = (tx: Tx, merchantId: string, subscriptionIds: readonly string[]) =>
  selectReadSeries(tx, merchantId, subscriptionIds);

/** Periods of subscriptions that have ended, of which usage that comes now is not billed any more. */
export const findClosedPeriods = (tx: Tx, merchantId: string, subscriptionIds: readonly string[]) =>
  selectClosedPeriods(tx, merchantId, subscriptionIds);
