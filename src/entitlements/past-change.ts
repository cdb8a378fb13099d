import type { Tx } from '../db/index.ts';
import { markToBeReadAgain } from '../invoicing/index.ts';
import { type Instant, isAfter } from '../kernel/time.ts';
import type { EntitlementRow } from './entitlements.sql.ts';
import { forgetSnapshots } from './snapshots.sql.ts';

/**
 * Whoever changes what an entitlement grants says from when on. The balances that are remembered since then are forgotten. Where
 * that is in the past, closed periods of the subscription are read again: prices with `grantDiscountEnabled` bill only what no
 * grant covered (§5). Its plan's entitlements alone cover what it is billed for.
 */
export async function forgetSince(tx: Tx, entitlement: EntitlementRow, from: Instant, now: Instant): Promise<void> {
  await forgetSnapshots(tx, entitlement, from);
  const { merchant_id: merchantId, subscription_id: subscriptionId, is_from_plan: isFromPlan } = entitlement;
  if (isFromPlan && subscriptionId !== null && isAfter(now, from))
    await markToBeReadAgain(tx, merchantId, [subscriptionId], from);
}
