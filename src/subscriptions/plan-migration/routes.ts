import type { Tx } from '../../db/index.ts';
import { type PageRequest, Reply, type Route, routesOf } from '../../http/index.ts';
import { mapped, notFound, ok, type Result } from '../../kernel/result.ts';
import { next } from '../../kernel/state-table.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import type { SubscriptionDependencies } from '../subscription/dependencies.ts';
import { type PlanMigration, planMigrationStates } from './migration.ts';
import {
  lockPlanMigration,
  type MemberRow,
  selectMemberPage,
  selectPlanMigration,
  selectPlanMigrationPage,
  updatePlanMigration,
} from './migrations.sql.ts';
import {
  PlanMigrationCreateBody,
  PlanMigrationReply,
  PlanMigrationStartedReply,
  PlanMigrationSubscriptionListQuery,
  PlanMigrationSubscriptionReply,
} from './schemas.ts';
import { startPlanMigration } from './start.ts';

const api = routesOf('Plans');
const ofPlan = (role: 'viewer' | 'member') => ({ role, merchant: { of: 'id', kind: 'plan' } }) as const;

/** Migrations of plans: they change all subscriptions of a version (domain.md §3, Plan change). */
export const planMigrationRoutes = (dependencies: SubscriptionDependencies): readonly Route[] => [
  api.post('/v0/plans/:id/migrations', 'migratePlan', {
    summary: 'Change all subscriptions of one version of a plan to another version',
    description:
      'Each subscription is changed as by `POST /v0/subscriptions/{id}/changes`. A subscription that cannot be ' +
      'changed stays unchanged, with the reason in `reason`. A migration of up to 50 subscriptions is `completed` in ' +
      'the answer. A larger one is `running` and continues automatically; `GET ' +
      '/v0/plans/{id}/migrations/{migrationId}` has its progress. With `dryRun` no subscription is changed, and the ' +
      'answer is 200. A version has one running migration at a time: 409 `PLAN_MIGRATION_RUNNING`.',
    access: ofPlan('member'),
    body: PlanMigrationCreateBody,
    replies: { 201: PlanMigrationStartedReply, 200: PlanMigrationStartedReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) => {
      const started = await startPlanMigration(dependencies, tx, params.id, body, now);
      if (!started.ok) return started;
      const { status, isDry, total } = started.value;
      const all = { limit: total, offset: 0 };
      const { rows } = status === 'running' ? { rows: [] } : await selectMemberPage(tx, started.value, undefined, all);
      const subscriptions = rows.map((row) => toOutcomeReply(started.value, row));
      return ok(new Reply(isDry ? 200 : 201, { ...toMigrationReply(started.value), subscriptions }));
    },
  }),
  api.list('/v0/plans/:id/migrations', 'listPlanMigrations', {
    summary: 'List the migrations of a plan',
    description: 'The newest migration comes first. Dry runs are in the list, too.',
    access: ofPlan('viewer'),
    of: PlanMigrationReply,
    list: ({ tx, params, page }) => selectPlanMigrationPage(tx, params.id, page),
    each: toMigrationReply,
  }),
  api.get('/v0/plans/:id/migrations/:migrationId', 'getPlanMigration', {
    summary: 'Retrieve a migration and its progress',
    description: '`progress` counts the subscriptions with an outcome. The status is `running` until all have one.',
    access: ofPlan('viewer'),
    replies: { 200: PlanMigrationReply },
    handler: async ({ tx, params }) => mapped(await findOfPlan(selectPlanMigration, tx, params), toMigrationReply),
  }),
  api.delete('/v0/plans/:id/migrations/:migrationId', 'cancelPlanMigration', {
    summary: 'Cancel a running migration',
    description:
      'Changed subscriptions stay changed. The others stay as they are. A migration that is not `running` is a 409.',
    access: ofPlan('member'),
    replies: { 200: PlanMigrationReply },
    errors: [409],
    handler: async ({ tx, params, now }) => {
      const found = await findOfPlan(lockPlanMigration, tx, params);
      if (!found.ok) return found;
      const status = next(planMigrationStates, found.value.status, 'cancel');
      if (!status.ok) return status;
      const { done, failed } = found.value;
      const cancelled = await updatePlanMigration(tx, found.value, { status: status.value, done, failed }, now);
      return ok(toMigrationReply(cancelled));
    },
  }),
  api.list('/v0/plans/:id/migrations/:migrationId/subscriptions', 'listPlanMigrationSubscriptions', {
    summary: 'List the subscriptions of a migration',
    description:
      'The oldest subscription comes first. `waiting`: not processed yet. `cancelled`: the migration was cancelled ' +
      'before its turn.',
    access: ofPlan('viewer'),
    query: PlanMigrationSubscriptionListQuery,
    of: PlanMigrationSubscriptionReply,
    list: async ({ tx, params, query, page }) => {
      const found = await findOfPlan(selectPlanMigration, tx, params);
      if (!found.ok) return found;
      const { rows, total } = await listMembers(tx, found.value, query.outcome, page);
      return { rows: rows.map((row) => toMemberReply(found.value, row)), total };
    },
  }),
];

/** The migration that a path names, where it is of the plan that the path names. */
async function findOfPlan(
  select: typeof selectPlanMigration,
  tx: Tx,
  { id, migrationId }: Readonly<Record<string, string>>,
): Promise<Result<PlanMigration>> {
  const found = await select(tx, migrationId as string);
  return found && found.planId === id ? ok(found) : notFound('planMigration');
}

type MemberOutcome = NonNullable<MemberRow['outcome']> | 'waiting' | 'cancelled';

/** The status of a subscription without an outcome. */
const withoutOutcome = ({ status }: PlanMigration): 'waiting' | 'cancelled' =>
  status === 'cancelled' ? 'cancelled' : 'waiting';

function listMembers(tx: Tx, migration: PlanMigration, outcome: MemberOutcome | undefined, page: PageRequest) {
  if (outcome !== 'waiting' && outcome !== 'cancelled') return selectMemberPage(tx, migration, outcome, page);
  return outcome === withoutOutcome(migration)
    ? selectMemberPage(tx, migration, null, page)
    : { rows: [] as MemberRow[], total: 0 };
}

const textOf = (instant: Instant | null): string | null => instant && formatInstant(instant);

const toMigrationReply = (migration: PlanMigration) => ({
  id: migration.id,
  object: 'plan_migration' as const,
  planId: migration.planId,
  fromVersion: migration.fromVersion,
  toVersion: migration.toVersion,
  replacePrices: migration.replacePrices,
  effective: migration.effective,
  proration: migration.proration,
  credit: migration.credit,
  dryRun: migration.isDry,
  status: migration.status,
  progress: { total: migration.total, done: migration.done, failed: migration.failed },
  createdAt: formatInstant(migration.createdAt),
  updatedAt: formatInstant(migration.updatedAt),
  endedAt: textOf(migration.endedAt),
});

const toMemberReply = (migration: PlanMigration, row: MemberRow) => ({
  object: 'plan_migration_subscription' as const,
  ...toOutcomeReply(migration, row),
});

const toOutcomeReply = (migration: PlanMigration, row: MemberRow) => ({
  subscriptionId: row.subscriptionId,
  outcome: row.outcome ?? withoutOutcome(migration),
  effectiveAt: textOf(row.effectiveAt),
  changeId: row.changeId,
  reason: row.reason,
});
