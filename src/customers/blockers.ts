import type { Blocker } from '../clocks/index.ts';
import type { Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';

export type { Blocker };

/**
 * A check that another domain registers: its subscriptions, open invoices, entitlements or wallets of the customer as a
 * blocker, null where it has none. `now` is wall time. It runs while the customer is locked against anything new.
 */
export type CustomerBlocker = (tx: Tx, customerId: string, now: Instant) => Promise<Blocker | null>;

/** All that keeps the customer, in the order of the checks. */
export async function findBlockers(
  tx: Tx,
  checks: readonly CustomerBlocker[],
  customerId: string,
  now: Instant,
): Promise<Blocker[]> {
  const found: Blocker[] = [];
  for (const check of checks) {
    const blocker = await check(tx, customerId, now); // one connection: one after the other
    if (blocker && blocker.count > 0) found.push(blocker);
  }
  return found;
}
