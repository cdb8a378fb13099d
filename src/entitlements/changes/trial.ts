import type { Tx } from '../../db/index.ts';
import { earliest, type Instant, isAfter, latest } from '../../kernel/time.ts';
import type { EntitlingSubscription } from '../entitlement/create.ts';
import { followsBilling } from '../entitlement/entitlement.ts';
import {
  deleteResetsAt,
  insertReset,
  lockEntitlementsOfPlan,
  selectTerms,
  updateEntitlement,
} from '../entitlement/entitlements.sql.ts';
import { forgetSince } from '../grants/past-change.ts';

/**
 * The trial of a subscription ends at another time: the reset at its end moves with it. One that has taken place stays.
 * @param before when billing was to start; the subscription says when it starts now
 */
export async function moveTrialReset(
  tx: Tx,
  { subscriptionId, billingStartsAt: at }: EntitlingSubscription,
  before: Instant,
  now: Instant,
): Promise<void> {
  const rows = await lockEntitlementsOfPlan(tx, [subscriptionId]);
  const ids = rows.map(({ id }) => id);
  const terms = Map.groupBy(
    ids.length === 0 ? [] : await selectTerms(tx, [tx.merchantId], ids),
    ({ entitlementId }) => entitlementId,
  );
  for (const row of rows) {
    const template = terms.get(row.id)?.at(-1)?.template;
    if (template?.type !== 'metered' || !followsBilling(template)) continue;
    await deleteResetsAt(tx, row, isAfter(before, now) ? [before, at] : [at]);
    if (isAfter(at, row.activeFrom)) {
      const preserveOverage = template.preserveOverageAtReset ?? false;
      await insertReset(tx, row, { at, retainAnchor: true, preserveOverage }, now);
    }
    await forgetSince(tx, row, earliest(at, now), now);
    await updateEntitlement(tx, row, { nextActionAt: latest(row.activeFrom, now) }, now);
  }
}
