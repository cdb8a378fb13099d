import { type CarriedFeature, type CatalogPrice, carriedFeatures } from '../../catalog/index.ts';
import type { Tx } from '../../db/index.ts';
import { newId } from '../../kernel/ids.ts';
import { invalidField, ok, type Result } from '../../kernel/result.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import { followsBilling, type PausedTime, termOf } from './entitlement.ts';
import { insertEntitlement, insertReset } from './entitlements.sql.ts';

/** A subscription as far as entitlements follow from it. */
export interface EntitlingSubscription {
  readonly merchantId: string;
  readonly subscriptionId: string;
  readonly customerId: string;
  readonly planId: string;
  readonly clockId: string | null;
  readonly startedAt: Instant;
  /** When a trial ends, else the start. */
  readonly billingStartsAt: Instant;
  /** When it will end; null while no end is set. */
  readonly endsAt: Instant | null;
  readonly pauses: readonly PausedTime[];
}

/** From where the periods are counted of the shortest of some series; null is the plan's own cadence. */
export type SeriesAnchor = (cadences: readonly (string | null)[]) => Instant;

/** Can a customer subscribe to these prices? @returns 400 if a metered feature has no metric left */
export async function checkEntitles(tx: Tx, prices: readonly CatalogPrice[]): Promise<Result<void>> {
  const unmeasured = (await carriedFeatures(tx, prices)).find((carried) => !isMeasured(carried));
  return unmeasured
    ? invalidField('planId', `has the metered feature ${unmeasured.feature.id}, which nothing measures`)
    : ok(undefined);
}

/**
 * Gives a subscription that becomes active what its plan promises: one entitlement for each feature that the prices of
 * its pinned version carry, from its start on (domain.md §5). What could be measured as it was made, and cannot any
 * more as it is paid, is left out: the money has come.
 */
export async function entitle(
  tx: Tx,
  subscription: EntitlingSubscription,
  prices: readonly CatalogPrice[],
  anchorOf: SeriesAnchor,
  now: Instant,
): Promise<void> {
  for (const carried of await carriedFeatures(tx, prices))
    if (isMeasured(carried)) await entitleTo(tx, subscription, carried, anchorOf, subscription.startedAt, now);
}

/** Can an entitlement be made of it? A metered feature measures something. */
export const isMeasured = ({ template, metricIds }: CarriedFeature): boolean =>
  template.type !== 'metered' || metricIds.length > 0;

/** Gives a subscription one feature of its plan, from an instant on. */
export async function entitleTo(
  tx: Tx,
  subscription: EntitlingSubscription,
  { feature, template, metricIds, cadences }: CarriedFeature,
  anchorOf: SeriesAnchor,
  from: Instant,
  now: Instant,
): Promise<void> {
  const made = await insertEntitlement(
    tx,
    {
      merchantId: subscription.merchantId,
      id: newId('entitlement'),
      customerId: subscription.customerId,
      featureId: feature.id,
      featureType: feature.type,
      productId: feature.productId,
      planId: subscription.planId,
      subscriptionId: subscription.subscriptionId,
      isFromPlan: true,
      clockId: subscription.clockId,
      activeFrom: from,
      activeTo: subscription.endsAt,
      billableMetricIds: metricIds,
      pauses: subscription.pauses,
      metadata: {},
      nextActionAt: feature.type === 'metered' ? from : null,
    },
    termOf(template, anchorOf(cadences)),
    now,
  );
  // a trial ends with a reset, wherever the billing periods are counted from
  const { billingStartsAt: at } = subscription;
  if (template.type === 'metered' && followsBilling(template) && isAfter(at, from))
    await insertReset(
      tx,
      made,
      { at, retainAnchor: true, preserveOverage: template.preserveOverageAtReset ?? false },
      now,
    );
}
