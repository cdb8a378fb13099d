import { defaultVersionOf } from '../../catalog/index.ts';
import type { Tx } from '../../db/index.ts';
import { type ReconciledFeatures, reconcileEntitlements } from '../../entitlements/index.ts';
import { ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { termsUnder } from '../billing/agreement.ts';
import { entitlingOf, seriesAnchors } from './activate.ts';
import { holdActive } from './lock.ts';

/** The result of a reconciliation, or (dry) its preview. */
export interface Reconciliation {
  readonly object: 'subscriptionReconciliation';
  readonly dryRun: boolean;
  readonly features: ReconciledFeatures;
  /** None: a subscription keeps the prices that it is pinned to. */
  readonly lineItems: { readonly created: number; readonly removed: number };
}

/**
 * Re-syncs what a subscription entitles to with the plan's default version, which may be newer than the one that it is
 * billed by (§4). `wall` is wall time.
 * @returns 404; INVALID_TRANSITION where the subscription has ended or waits for its payment
 */
export async function reconcileSubscription(
  tx: Tx,
  id: string,
  dryRun: boolean,
  wall: Instant,
): Promise<Result<Reconciliation>> {
  const held = await holdActive(tx, id, 'reconcile', wall);
  if (!held.ok) return held;
  const { subscription, agreement, now } = held.value;
  const { plan, version } = agreement.at(subscription);
  const current = plan.defaultVersionId === version.id ? version : await defaultVersionOf(tx, plan);
  const prices = { pinned: version.prices, current: current.prices };
  const anchorOf = seriesAnchors(termsUnder(agreement, subscription), now);
  const [features] = await reconcileEntitlements(
    tx,
    [{ subscription: entitlingOf(subscription), prices, anchorOf }],
    { isDry: dryRun, grantsNow: true },
    now,
  );
  const lineItems = { created: 0, removed: 0 };
  return ok({
    object: 'subscriptionReconciliation',
    dryRun,
    features: features as ReconciledFeatures,
    lineItems,
  });
}
