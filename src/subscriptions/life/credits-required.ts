import type { Tx } from '../../db/index.ts';
import { watchCredits } from '../../invoicing/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { type Agreement, termsUnder } from '../billing/agreement.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';

/** Has the credits of a subscription's customer looked at: it requires them, or no longer does (commercial.md §3). */
export async function watchRequired(
  tx: Tx,
  agreement: Agreement,
  subscription: SubscriptionRow,
  now: Instant,
): Promise<void> {
  const { customerId, currency, clockId: testClockId } = termsUnder(agreement, subscription);
  await watchCredits(tx, { customerId, currency, testClockId }, now);
}
