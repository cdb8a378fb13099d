import type { Tx } from '../../db/index.ts';
import { lockBilling, markToBeReadAgain } from '../../invoicing/index.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';
import { selectEntitlement } from '../entitlement/entitlements.sql.ts';
import type { EntitlementKey } from '../entitlement/lock.ts';
import { deleteSnapshotsFrom } from '../inputs/snapshots.sql.ts';

/**
 * Locks the billing of an entitlement's subscription, if it has one, before the entitlement: for changes of past
 * grants.
 */
export async function lockBillingBefore(tx: Tx, { entitlementId }: EntitlementKey): Promise<void> {
  const found = await selectEntitlement(tx, entitlementId);
  if (found?.isFromPlan && found.subscriptionId !== null) await lockBilling(tx, [found.subscriptionId]);
}

/**
 * Every change of grants has a first instant. The stored balances since then are deleted. If it is in the past, closed
 * periods of the subscription are read again: prices with `grantDiscountEnabled` bill only usage that no grant covered
 * (§5). Only the entitlements of its plan cover its billed usage.
 * @returns whether a balance was stored: a step stores a new one
 */
export async function forgetSince(tx: Tx, entitlement: EntitlementRow, from: Instant, now: Instant): Promise<boolean> {
  const forgotten = await deleteSnapshotsFrom(tx, entitlement, from);
  const { subscriptionId, isFromPlan } = entitlement;
  if (isFromPlan && subscriptionId !== null && isAfter(now, from)) await markToBeReadAgain(tx, [subscriptionId], from);
  return forgotten > 0;
}
