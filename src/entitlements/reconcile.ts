import { type CarriedFeature, type CatalogPrice, carriedFeatures, findFeatures } from '../catalog/index.ts';
import type { Tx } from '../db/index.ts';
import { canonicalJson } from '../http/index.ts';
import { type Instant, latest } from '../kernel/time.ts';
import { type EntitlingSubscription, entitleTo, isMeasured } from './create.ts';
import { cancelEntitlement } from './end.ts';
import {
  changeEntitlement,
  type EntitlementRow,
  insertTerm,
  lockEntitlementsOfPlan,
  termsOf,
} from './entitlements.sql.ts';
import { forgetSnapshots } from './snapshots.sql.ts';

interface Named {
  readonly featureId: string;
  readonly featureKey: string;
}

/** What a reconciliation did with each feature, or would do. */
export interface ReconciledFeatures {
  /** `billed`: a price of the version that the subscription is pinned to carries it. */
  readonly added: readonly (Named & { readonly billed: boolean })[];
  readonly skipped: readonly Named[];
  readonly removed: readonly Named[];
  readonly failed: readonly (Named & { readonly reason: 'entitlement_failed' | 'grant_mint_failed' })[];
}

/**
 * Brings what a subscription's plan made into line with another version of the plan, which is the default one by now (§4): what
 * it carries and the subscription lacks begins now, what it no longer carries ends now, and where a template has changed, its new
 * words hold from now on; a new usage period or allowance from the next reset. Grants stay, whoever made them, and so does what
 * an entitlement measures. The prices stay pinned.
 * @param prices those of the version that the subscription is pinned to, and those to reconcile with
 * @param isDry nothing is written
 */
export async function reconcileEntitlements(
  tx: Tx,
  subscription: EntitlingSubscription,
  prices: { readonly pinned: readonly CatalogPrice[]; readonly current: readonly CatalogPrice[] },
  isDry: boolean,
  now: Instant,
): Promise<ReconciledFeatures> {
  const { merchantId, subscriptionId } = subscription;
  const carried = await carriedFeatures(tx, merchantId, prices.current);
  const held = await lockEntitlementsOfPlan(tx, merchantId, subscriptionId);
  const heldIds = new Set(held.map(({ feature_id }) => feature_id));
  const carriedIds = new Set(carried.map(({ feature }) => feature.id));
  const billedIds = new Set(prices.pinned.flatMap(({ features }) => features.map(({ featureId }) => featureId)));

  const missing = carried.filter(({ feature }) => !heldIds.has(feature.id));
  const kept = carried.filter(({ feature }) => heldIds.has(feature.id));
  const left = held.filter(({ feature_id }) => !carriedIds.has(feature_id));
  if (!isDry) {
    const from = latest(subscription.startedAt, now);
    for (const each of missing.filter(isMeasured)) await entitleTo(tx, subscription, each, from, now);
    for (const each of kept) await retell(tx, rowOf(held, each), each, now);
    for (const each of left) await cancelEntitlement(tx, each, now, now);
  }
  return {
    added: missing.filter(isMeasured).map((each) => ({ ...named(each), billed: billedIds.has(each.feature.id) })),
    skipped: kept.map(named),
    removed: await namedAll(tx, left),
    failed: missing
      .filter((each) => !isMeasured(each))
      .map((each) => ({ ...named(each), reason: 'entitlement_failed' as const })),
  };
}

const named = ({ feature }: CarriedFeature): Named => ({ featureId: feature.id, featureKey: feature.key });

async function namedAll(tx: Tx, entitlements: readonly EntitlementRow[]): Promise<Named[]> {
  const merchantIds = entitlements.map(({ merchant_id }) => merchant_id);
  const ids = entitlements.map(({ feature_id }) => feature_id);
  const features = new Map((await findFeatures(tx, merchantIds, ids)).map((feature) => [feature.id, feature]));
  return ids.map((id) => ({ featureId: id, featureKey: features.get(id)?.key ?? '' }));
}

const rowOf = (held: readonly EntitlementRow[], { feature }: CarriedFeature): EntitlementRow =>
  held.find(({ feature_id }) => feature_id === feature.id) as EntitlementRow;

/** Where the template says something else by now, its words hold from now on. */
async function retell(tx: Tx, row: EntitlementRow, { template }: CarriedFeature, now: Instant): Promise<void> {
  const said = (await termsOf(tx, [row.merchant_id], [row.id])).at(-1)?.template;
  if (canonicalJson(said) === canonicalJson(template)) return;
  const from = latest(row.active_from, now);
  await insertTerm(tx, row, from, template);
  await forgetSnapshots(tx, row, from);
  if (row.feature_type === 'metered') await changeEntitlement(tx, row, { next_action_at: from }, now);
}
