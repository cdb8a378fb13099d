import type { Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Period } from '../../kernel/time.ts';
import { selectPlanEntitlementsMeasuring, type UsageOfSubscription } from './burnt.sql.ts';
import { burntOf } from './history.ts';

/** How many units grants of an entitlement burnt, of all metrics that it measures. */
export interface BurntOfEntitlement {
  readonly entitlementId: string;
  readonly metricIds: readonly string[];
  readonly units: Decimal;
}

/**
 * How many units grants of the subscription's entitlements burnt in a period: what prices with `grantDiscountEnabled`
 * do not charge (domain.md §5). A late event changes it.
 */
export async function burntUnits(
  tx: Tx,
  usage: UsageOfSubscription,
  { start, end }: Period,
): Promise<BurntOfEntitlement[]> {
  const burnt: BurntOfEntitlement[] = [];
  for (const entitlement of await selectPlanEntitlementsMeasuring(tx, usage))
    burnt.push({
      entitlementId: entitlement.id,
      metricIds: entitlement.billableMetricIds ?? [],
      units: await burntOf(tx, entitlement, { from: start, to: end }),
    });
  return burnt;
}
