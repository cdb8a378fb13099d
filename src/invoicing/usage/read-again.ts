import type { Tx } from '../../db/index.ts';
import type { Instant, Period } from '../../kernel/time.ts';
import { lockBilling } from './billing-lock.sql.ts';
import { deleteTaken, selectCancelledPeriods, selectClosedPeriods, selectReadSeries } from './read-again.sql.ts';

/**
 * Marks closed periods whose bills should change without an event: their usage has another owner, or grants cover other
 * units. The next close reads the closed periods of some subscriptions that end after an instant again, and bills the
 * difference. Without a closed period nothing happens.
 *
 * A concurrent reading of one of these periods may have begun before the change, so the marks and the reading wait for
 * each other.
 */
export async function markToBeReadAgain(tx: Tx, subscriptionIds: readonly string[], from: Instant): Promise<void> {
  if (subscriptionIds.length === 0) return;
  await lockBilling(tx, subscriptionIds);
  await markHeldToBeReadAgain(tx, subscriptionIds, from);
}

/** The same for who has locked their billing by an earlier statement, and so sees what the lock waited for. */
export async function markHeldToBeReadAgain(tx: Tx, subscriptionIds: readonly string[], from: Instant): Promise<void> {
  if (subscriptionIds.length > 0) await deleteTaken(tx, subscriptionIds, from);
}

/** How far the usage of each series of some subscriptions was read; of those that have closed periods. */
export const findReadSeries = (tx: Tx, subscriptionIds: readonly string[]) => selectReadSeries(tx, subscriptionIds);

/** Periods of subscriptions that have ended, of which usage that comes now is not billed any more. */
export const findClosedPeriods = (tx: Tx, subscriptionIds: readonly string[]) =>
  selectClosedPeriods(tx, subscriptionIds);

/** Periods whose usage counts as billed by an invoice that is cancelled. */
export const findCancelledPeriods = (tx: Tx, period: Period) => selectCancelledPeriods(tx, period);
