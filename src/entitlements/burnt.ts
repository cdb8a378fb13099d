import type { Tx } from '../db/index.ts';
import { type Decimal, sum } from '../kernel/decimal.ts';
import type { Period } from '../kernel/time.ts';
import { planEntitlementsMeasuring, type UsageOfSubscription } from './burnt.sql.ts';
import { burntOf } from './history.ts';

/**
 * How many units grants of the subscription's entitlements burnt in a period: what a price with `grantDiscountEnabled` does not
 * charge (domain.md §5). A late event changes it.
 */
export async function burntUnits(tx: Tx, usage: UsageOfSubscription, { start, end }: Period): Promise<Decimal> {
  const burnt: Decimal[] = [];
  for (const entitlement of await planEntitlementsMeasuring(tx, usage))
    burnt.push(await burntOf(tx, entitlement, { from: start, to: end }));
  return sum(burnt);
}
