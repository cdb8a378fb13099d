import { findPlan, findPlanVersionByNumber } from '../../catalog/index.ts';
import { checkReference, type Tx } from '../../db/index.ts';
import { newId } from '../../kernel/ids.ts';
import { fail, invalid, invalidField, notFound, noVersion, ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { SubscriptionDependencies } from '../subscription/dependencies.ts';
import { replacementErrors } from '../subscription/quantities.ts';
import { changeNext } from './change-next.ts';
import type { PlanMigration } from './migration.ts';
import { insertMembers, insertPlanMigration, type NewPlanMigration, selectRunningOfVersion } from './migrations.sql.ts';
import type { PlanMigrationCreateBody } from './schemas.ts';

/** A migration of so many subscriptions is over when its request is answered. */
const MOST_IN_REQUEST = 50;

/**
 * POST /v0/plans/{id}/migrations: every subscription of a version that has not ended is changed to another one, each
 * alone, so that one that cannot be changed holds up no other. Few are changed at once, many by due work.
 * @param wall wall time
 * @returns 404; 403 and 404 for prices of others; 400 for a version that the plan has not, or that is not another
 *   one, and for prices that the versions have not; PLAN_MIGRATION_RUNNING where the version is being migrated
 */
export async function startPlanMigration(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  planId: string,
  body: PlanMigrationCreateBody,
  wall: Instant,
): Promise<Result<PlanMigration>> {
  const decided = await readMigration(tx, planId, body, wall);
  if (!decided.ok) return decided;
  const inserted = await insertPlanMigration(tx, decided.value);
  if (!inserted) {
    const running = await selectRunningOfVersion(tx, decided.value.fromVersionId);
    return fail('PLAN_MIGRATION_RUNNING', { migrationId: running?.id ?? null });
  }
  let migration = await insertMembers(tx, inserted);
  if (migration.total > MOST_IN_REQUEST) return ok(migration);
  while (migration.status === 'running') migration = await changeNext(dependencies, tx, migration, wall);
  return ok(migration);
}

/** The request of a body, checked. */
async function readMigration(
  tx: Tx,
  planId: string,
  body: PlanMigrationCreateBody,
  wall: Instant,
): Promise<Result<NewPlanMigration>> {
  const { fromVersion, toVersion, replacePrices = [] } = body;
  const plan = await findPlan(tx, planId);
  if (!plan) return notFound('plan');
  const from = await findPlanVersionByNumber(tx, planId, fromVersion);
  const to = await findPlanVersionByNumber(tx, planId, toVersion);
  if (!from) return noVersion(planId, fromVersion, 'fromVersion');
  if (!to) return noVersion(planId, toVersion, 'toVersion');
  if (from.id === to.id) return invalidField('toVersion', 'must be another version than fromVersion');
  if (to.status !== 'published') return invalidField('toVersion', 'must be a published version');
  for (const [index, replacement] of replacePrices.entries())
    for (const field of ['replacesPriceId', 'withPriceId'] as const) {
      const named = `replacePrices.${index}.${field}`;
      const owned = await checkReference(tx, 'price', replacement[field], named);
      if (!owned.ok) return owned;
    }
  const wrong = replacementErrors(replacePrices, from.prices, to.prices);
  if (wrong.length > 0) return invalid(wrong);
  return ok({
    merchantId: tx.merchantId,
    id: newId('planMigration'),
    planId,
    fromVersionId: from.id,
    fromVersion,
    toVersionId: to.id,
    toVersion,
    replacePrices,
    effective: body.effective ?? 'now',
    proration: body.proration ?? 'second',
    credit: body.credit ?? 'invoice',
    isDry: body.dryRun ?? false,
    createdAt: wall,
  });
}
