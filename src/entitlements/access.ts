import type { Tx } from '../db/index.ts';
import { decimal, jsonNumber, sum } from '../kernel/decimal.ts';
import type { Instant } from '../kernel/time.ts';
import { instantOf } from './balances.ts';
import { loadInputs } from './inputs.ts';
import { presentLoaded } from './present.ts';
import { allActive, type TimedEntitlement } from './reading.sql.ts';
import type { CustomerAccess, EntitlementDetail } from './schemas.ts';

/** Some entitlements as answered, each at its effective now or all at one instant, in the order given. */
export async function presentAll(
  tx: Tx,
  entitlements: readonly TimedEntitlement[],
  at: Instant | null,
): Promise<EntitlementDetail[]> {
  const loaded = await loadInputs(
    tx,
    entitlements.map((entitlement) => ({ entitlement, at: instantOf({ at }, entitlement.effective_now) })),
  );
  const shown: EntitlementDetail[] = [];
  for (const [index, each] of loaded.entries())
    shown.push(await presentLoaded(tx, each, { at }, (entitlements[index] as TimedEntitlement).effective_now));
  return shown;
}

/**
 * What a customer may use, every feature at once (api.md, Entitlements): of several active entitlements to one feature any can
 * give access, balances are added up, and the newest says the config.
 */
export async function accessOf(
  tx: Tx,
  merchantId: string,
  of: { customerId: string; productId?: string | undefined },
  at: Instant | null,
  now: Instant,
): Promise<CustomerAccess> {
  const shown = await presentAll(tx, await allActive(tx, merchantId, of, at, now), at);
  const byFeature = Map.groupBy(shown, ({ featureId }) => featureId);
  return { features: [...byFeature.values()].map(accessToFeature) };
}

function accessToFeature(details: readonly EntitlementDetail[]): CustomerAccess['features'][number] {
  const newest = details.at(-1) as EntitlementDetail;
  const balances = details.flatMap((each) => (each.featureType === 'metered' ? [decimal(each.balance)] : []));
  return {
    featureKey: newest.featureKey,
    featureId: newest.featureId,
    productId: newest.productId,
    type: newest.featureType,
    hasAccess: details.some(({ hasAccess }) => hasAccess),
    ...(newest.featureType === 'metered' && { balance: jsonNumber(sum(balances)) }),
    ...(newest.featureType === 'static' && { config: newest.config }),
    entitlementIds: details.map(({ id }) => id),
  };
}
