import { findFeatures } from '../../catalog/index.ts';
import { effectiveNowForReading } from '../../clocks/index.ts';
import type { Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';
import { selectEntitlementsEndingAfter } from '../entitlement/entitlements.sql.ts';
import { hasEnded } from '../entitlement/lock.ts';

/**
 * The entitlements of a customer, or to a feature, that have not ended, by the feature's key: what keeps either from
 * being deleted. `wall` is wall time; those on a test clock end by their clock.
 */
export async function unendedEntitlements(
  tx: Tx,
  by: { customerId: string } | { featureId: string },
  wall: Instant,
): Promise<{ id: string; featureKey: string }[]> {
  const found: EntitlementRow[] = [];
  for (const each of await selectEntitlementsEndingAfter(tx, by, wall)) {
    const now = await effectiveNowForReading(tx, each.clockId, wall);
    if (!hasEnded(each, now)) found.push(each);
  }
  const ids = found.map(({ featureId }) => featureId);
  const keys = new Map((await findFeatures(tx, [tx.merchantId], ids)).map(({ id, key }) => [id, key]));
  return found.map(({ id, featureId }) => ({ id, featureKey: keys.get(featureId) ?? '' }));
}
