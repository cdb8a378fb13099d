import type { Tx } from '../../db/index.ts';
import { moveTrialReset, reconcileEntitlements } from '../../entitlements/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { type Agreement, loadAgreement, termsUnder } from '../billing/agreement.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import { updateAnchors } from '../subscription/versions.sql.ts';
import { entitlingOf, seriesAnchors } from './activate.ts';

/**
 * What was counted from the end of a trial follows where billing starts at another time: the periods of all versions,
 * and the usage periods of entitlements.
 * @param before when it was to start
 * @returns the agreement with those versions
 */
export async function followBillingStart(
  tx: Tx,
  subscription: SubscriptionRow,
  agreement: Agreement,
  before: Instant,
  now: Instant,
): Promise<Agreement> {
  const { id, billingStartsAt: at } = subscription;
  const hasMoved = agreement.history.length > 0 && (await updateAnchors(tx, id, before, at)) > 0;
  const current = hasMoved ? await loadAgreement(tx, subscription) : agreement;
  const entitling = entitlingOf(subscription);
  await moveTrialReset(tx, entitling, before, now);
  const { prices } = current.at(subscription).version;
  const anchorOf = seriesAnchors(termsUnder(current, subscription), at);
  await reconcileEntitlements(
    tx,
    [{ subscription: entitling, prices: { pinned: prices, current: prices }, anchorOf }],
    { isDry: false, grantsNow: false },
    now,
  );
  return current;
}
