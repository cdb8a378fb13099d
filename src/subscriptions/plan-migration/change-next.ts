import { isAway, isStalePlan, sqlState, type Tx } from '../../db/index.ts';
import type { Refusal, Result } from '../../kernel/result.ts';
import { next } from '../../kernel/state-table.ts';
import type { Instant } from '../../kernel/time.ts';
import { type Changed, changePlans } from '../changes/changes.ts';
import { type HeldSubscription, holdAllForChange } from '../life/lock.ts';
import type { SubscriptionDependencies } from '../subscription/dependencies.ts';
import {
  concurrentLists,
  type MigrationMember,
  type MigrationOutcome,
  type PlanMigration,
  planMigrationStates,
} from './migration.ts';
import { selectNextMembers, updateOutcomes, updatePlanMigration } from './migrations.sql.ts';

/** Subscriptions in one transaction: it holds their locks, so it takes about half a second. */
const MOST_AT_ONCE = 50;

type Outcomes = (MigrationOutcome & { readonly position: number })[];

/**
 * Changes the next subscriptions of a migration that the caller has locked, and stores what became of each. It has
 * ended when none is left.
 */
export async function changeNext(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  migration: PlanMigration,
  wall: Instant,
): Promise<PlanMigration> {
  const members = await selectNextMembers(tx, migration, MOST_AT_ONCE);
  const outcomes: Outcomes = [];
  for (const list of concurrentLists(members))
    outcomes.push(...(await changeList(dependencies, tx, migration, list, wall)));
  await updateOutcomes(tx, migration, outcomes);
  const refused = outcomes.filter(({ outcome }) => outcome === 'refused').length;
  const done = migration.done + outcomes.length - refused;
  const failed = migration.failed + refused;
  const isOver = done + failed === migration.total;
  const moved = isOver ? next(planMigrationStates, migration.status, 'complete') : null;
  return updatePlanMigration(tx, migration, { status: moved?.ok ? moved.value : migration.status, done, failed }, wall);
}

/** In one go; where that goes wrong, one after another, so that the one at fault is refused alone. */
async function changeList(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  migration: PlanMigration,
  members: readonly MigrationMember[],
  wall: Instant,
): Promise<Outcomes> {
  try {
    return await tx.savepoint(
      () => changeAll(dependencies, tx, migration, members, wall),
      () => !migration.isDry,
    );
  } catch (error) {
    if (concernsAll(error)) throw error;
    const [first, ...others] = members;
    if (first && others.length === 0)
      return [{ position: first.position, ...refusedFor('INTERNAL_ERROR', String(error)) }];
  }
  const outcomes: Outcomes = [];
  for (const member of members) outcomes.push(...(await changeList(dependencies, tx, migration, [member], wall)));
  return outcomes;
}

async function changeAll(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  { planId, toVersion, fromVersionId, replacePrices, effective, proration, credit, isDry }: PlanMigration,
  members: readonly MigrationMember[],
  wall: Instant,
): Promise<Outcomes> {
  const order = { planId, versionNumber: toVersion, fromVersionId, replacePrices, effective, proration, credit };
  const ids = members.map(({ subscriptionId }) => subscriptionId);
  const held = await holdAllForChange(tx, { ids, planId: undefined }, wall);
  const free = held.flatMap((each) => (each.ok ? [each.value] : []));
  const changed = (await changePlans(dependencies, tx, free, order)).values();
  return members.map(({ position }, place) => {
    const each = held[place] as Result<HeldSubscription>;
    const result = each.ok ? (changed.next().value as Result<Changed>) : each;
    return { position, ...outcomeOf(result, isDry) };
  });
}

function outcomeOf(changed: Result<Changed>, isDry: boolean): MigrationOutcome {
  if (!changed.ok) return refusedFor(codeOf(changed.refusal), null);
  const { id, status, effectiveAt } = changed.value.change;
  const outcome = status === 'scheduled' ? 'scheduled' : 'applied'; // a change is never made cancelled
  return { outcome, effectiveAt, changeId: isDry ? null : id, reason: null, fault: null };
}

const codeOf = (refusal: Refusal): string => (refusal.kind === 'code' ? refusal.code : 'VALIDATION_FAILED');

const refusedFor = (reason: string, fault: string | null): MigrationOutcome => ({
  outcome: 'refused',
  effectiveAt: null,
  changeId: null,
  reason,
  fault,
});

/**
 * Is an error one of the transaction, and not of one subscription? Deadlocks, locks that somebody has too long, limits
 * of time and space, a plan from before a migration of the schema, events in the archive, and a database that is away:
 * all of it is tried again.
 */
const concernsAll = (error: unknown): boolean =>
  isAway(error) || isStalePlan(error) || /^(?:40|53|55|57|RK)/.test(sqlState(error));
