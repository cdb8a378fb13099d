import type { Tx } from '../db/index.ts';
import { decimal, jsonNumber, sum } from '../kernel/decimal.ts';
import { ok, type Result } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import type { Budget } from './balance/index.ts';
import { type BalanceQuestion, instantOf } from './balances.ts';
import { within } from './bounds.ts';
import { loadInputs } from './inputs.ts';
import { presentLoaded } from './present.ts';
import { allActive, type TimedEntitlement } from './reading.sql.ts';
import type { CustomerAccess, EntitlementDetail } from './schemas.ts';

/**
 * Some entitlements as answered, each at its effective now or all at one instant, in the order given.
 * @returns 400 where that instant is so far away that too much happens before it
 */
export async function presentAll(
  tx: Tx,
  entitlements: readonly TimedEntitlement[],
  question: BalanceQuestion,
): Promise<Result<EntitlementDetail[]>> {
  const loaded = await loadInputs(
    tx,
    entitlements.map((entitlement) => ({ entitlement, at: instantOf(question, entitlement.effective_now) })),
  );
  const present = async (budget?: Budget): Promise<Result<EntitlementDetail[]>> => {
    const shown: EntitlementDetail[] = [];
    for (const [index, each] of loaded.entries()) {
      const { effective_now: now } = entitlements[index] as TimedEntitlement;
      shown.push(await presentLoaded(tx, each, { ...question, budget }, now));
    }
    return ok(shown);
  };
  return question.at === null ? present() : within('at', present);
}

/**
 * What a customer may use, every feature at once (api.md, Entitlements): of several active entitlements to one feature any can
 * give access, balances are added up, and the newest says the config.
 */
export async function accessOf(
  tx: Tx,
  merchantId: string,
  of: { customerId: string; productId?: string | undefined; featureIds?: readonly string[] },
  question: BalanceQuestion,
  now: Instant,
): Promise<Result<CustomerAccess>> {
  const shown = await presentAll(tx, await allActive(tx, merchantId, of, question.at, now), question);
  if (!shown.ok) return shown;
  const byFeature = Map.groupBy(shown.value, ({ featureId }) => featureId);
  return ok({
    object: 'customerAccess',
    customerId: of.customerId,
    features: [...byFeature.values()].map(accessToFeature),
  });
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
