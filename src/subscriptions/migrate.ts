import { findPlan, findPlanVersionByNumber } from '../catalog/index.ts';
import { checkReference, type Tx } from '../db/index.ts';
import { invalid, invalidField, notFound, noVersion, ok, type Result } from '../kernel/result.ts';
import { formatInstant, type Instant } from '../kernel/time.ts';
import type { MigrationCreate } from './change-schemas.ts';
import { changePlan } from './changes.ts';
import type { SubscriptionParts } from './parts.ts';
import { replacementErrors } from './quantities.ts';
import { unendedOfVersion } from './subscriptions.sql.ts';

/**
 * POST /v0/plans/{id}/migrations: every subscription of a version that has not ended is changed to another one, each alone, so
 * that one that cannot be changed holds up no other. `wall` is wall time.
 * @returns 404; 403 and 404 for prices of others; 400 for a version that the plan has not, or that is not another one, and for prices that the versions have not
 */
export async function migratePlan(
  parts: SubscriptionParts,
  tx: Tx,
  merchantId: string,
  planId: string,
  { fromVersion, toVersion, dryRun = false, ...order }: MigrationCreate,
  wall: Instant,
): Promise<Result<unknown>> {
  const plan = await findPlan(tx, merchantId, planId);
  if (!plan) return notFound('plan');
  const from = await findPlanVersionByNumber(tx, merchantId, planId, fromVersion);
  const to = await findPlanVersionByNumber(tx, merchantId, planId, toVersion);
  if (!from) return noVersion(planId, fromVersion, 'fromVersion');
  if (!to) return noVersion(planId, toVersion, 'toVersion');
  if (from.id === to.id) return invalidField('toVersion', 'must be another version than fromVersion');
  if (to.status !== 'published') return invalidField('toVersion', 'must be a published version');
  for (const [index, replacement] of (order.replacePrices ?? []).entries())
    for (const field of ['replacesPriceId', 'withPriceId'] as const) {
      const owned = await checkReference(
        tx,
        merchantId,
        'price',
        replacement[field],
        `replacePrices.${index}.${field}`,
      );
      if (!owned.ok) return owned;
    }
  const wrong = replacementErrors(order.replacePrices ?? [], from.prices, to.prices);
  if (wrong.length > 0) return invalid(wrong);
  const subscriptions = [];
  for (const { id } of await unendedOfVersion(tx, merchantId, from.id)) {
    const target = { ...order, planId, versionNumber: toVersion };
    const changed = await tx.part(
      () => changePlan(parts, tx, merchantId, id, target, wall),
      ({ ok: isDone }) => isDone,
    );
    subscriptions.push(
      changed.ok
        ? {
            subscriptionId: id,
            outcome: changed.value.change.status,
            effectiveAt: formatInstant(changed.value.change.effective_at),
            changeId: dryRun ? null : changed.value.change.id,
            reason: null,
          }
        : {
            subscriptionId: id,
            outcome: 'refused',
            effectiveAt: null,
            changeId: null,
            reason: changed.refusal.kind === 'code' ? changed.refusal.code : 'VALIDATION_FAILED',
          },
    );
  }
  return ok({ object: 'plan_migration', planId, fromVersion, toVersion, dryRun, subscriptions });
}
