import { isAway, sqlState, type Tx } from '../../db/index.ts';
import type { Refusal, Result } from '../../kernel/result.ts';
import { next } from '../../kernel/state-table.ts';
import type { Instant } from '../../kernel/time.ts';
import { type Changed, changePlan } from '../changes/changes.ts';
import { holdForChange } from '../life/lock.ts';
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

/** Side by side; where that goes wrong, one after another, so that the one at fault is refused alone. */
async function changeList(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  migration: PlanMigration,
  members: readonly MigrationMember[],
  wall: Instant,
): Promise<Outcomes> {
  const inOrder = members.toSorted((one, other) => (one.subscriptionId < other.subscriptionId ? -1 : 1)); // of locks
  try {
    return await tx.savepoint(
      () =>
        tx.beside(inOrder.map((member) => (beside: Tx) => changeOne(dependencies, beside, migration, member, wall))),
      () => !migration.isDry,
    );
  } catch (error) {
    if (concernsAll(error)) throw error;
  }
  const outcomes: Outcomes = [];
  for (const member of inOrder) outcomes.push(await changeAlone(dependencies, tx, migration, member, wall));
  return outcomes;
}

async function changeAlone(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  migration: PlanMigration,
  member: MigrationMember,
  wall: Instant,
): Promise<Outcomes[number]> {
  try {
    return await tx.savepoint(
      () => changeOne(dependencies, tx, migration, member, wall),
      ({ outcome }) => outcome !== 'refused' && !migration.isDry,
    );
  } catch (error) {
    if (concernsAll(error)) throw error;
    return { position: member.position, ...refusedFor('INTERNAL_ERROR', String(error)) };
  }
}

async function changeOne(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  { merchantId, planId, toVersion, fromVersionId, replacePrices, effective, proration, credit, isDry }: PlanMigration,
  { position, subscriptionId }: MigrationMember,
  wall: Instant,
): Promise<Outcomes[number]> {
  const order = { planId, versionNumber: toVersion, fromVersionId, replacePrices, effective, proration, credit };
  const held = await holdForChange(tx, merchantId, { id: subscriptionId, planId: undefined }, wall);
  const changed = held.ok ? await changePlan(dependencies, tx, held.value, order) : held;
  return { position, ...outcomeOf(changed, isDry) };
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
 * of time and space, and a database that is away: all of it is tried again.
 */
const concernsAll = (error: unknown): boolean => isAway(error) || /^(?:40|53|55|57)/.test(sqlState(error));
