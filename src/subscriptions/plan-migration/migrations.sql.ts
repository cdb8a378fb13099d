import { allOf, jsonb, pageOfRows, recordset, sql, type Tx } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { MigrationMember, MigrationOutcome, PlanMigration } from './migration.ts';

const COLUMNS = sql`merchant_id, id, plan_id, from_version_id,
  from_version, to_version_id, to_version,
  replace_prices, effective, proration, credit, is_dry, status, total, done, failed,
  created_at, updated_at, ended_at`;

export type NewPlanMigration = Omit<PlanMigration, 'status' | 'total' | 'done' | 'failed' | 'updatedAt' | 'endedAt'>;

/**
 * Stores a migration that is due at once, without subscriptions.
 * @returns null where another migration of the version is running; one that is about to end is waited for
 */
export async function insertPlanMigration(tx: Tx, row: NewPlanMigration): Promise<PlanMigration | null> {
  const inserted = await tx.maybe<PlanMigration>(sql`
    insert into plan_migration (merchant_id, id, plan_id, from_version_id, from_version, to_version_id, to_version,
                                replace_prices, effective, proration, credit, is_dry, status, total, next_action_at,
                                created_at, updated_at)
    values (${row.merchantId}, ${row.id}, ${row.planId}, ${row.fromVersionId}, ${row.fromVersion}, ${row.toVersionId},
            ${row.toVersion}, ${jsonb(row.replacePrices)}, ${row.effective}, ${row.proration}, ${row.credit},
            ${row.isDry}, 'running', 0, ${row.createdAt}, ${row.createdAt}, ${row.createdAt})
    on conflict (merchant_id, from_version_id) where status = 'running' and not is_dry do nothing
    returning ${COLUMNS}`);
  return inserted ?? null;
}

/** The migration of a version that is running; at most one (unique index `plan_migration_running`). */
export const selectRunningOfVersion = (tx: Tx, fromVersionId: string): Promise<PlanMigration | undefined> =>
  tx.maybe<PlanMigration>(sql`
    select ${COLUMNS} from plan_migration
     where merchant_id = ${tx.merchantId} and from_version_id = ${fromVersionId} and status = 'running'
       and not is_dry`);

/**
 * Adds the subscriptions of the version that have not ended to a new migration. @returns the migration with their
 * number
 */
export async function insertMembers(tx: Tx, migration: PlanMigration): Promise<PlanMigration> {
  const { merchantId, id, planId, fromVersionId } = migration;
  const total = await tx.run(sql`
    insert into plan_migration_subscription (merchant_id, migration_id, position, subscription_id)
    select merchant_id, ${id}, row_number() over (order by seq), id from subscription
     where merchant_id = ${merchantId} and plan_id = ${planId} and plan_version_id = ${fromVersionId}
       and status <> 'terminated'`);
  return tx.one<PlanMigration>(sql`
    update plan_migration set total = ${total} where merchant_id = ${merchantId} and id = ${id} returning ${COLUMNS}`);
}

export const selectPlanMigration = (tx: Tx, id: string): Promise<PlanMigration | undefined> =>
  tx.maybe<PlanMigration>(sql`
    select ${COLUMNS} from plan_migration where merchant_id = ${tx.merchantId} and id = ${id}`);

/** The same, locked: a worker that has it in hand ends its transaction first. */
export const lockPlanMigration = (tx: Tx, id: string): Promise<PlanMigration | undefined> =>
  tx.maybe<PlanMigration>(sql`
    select ${COLUMNS} from plan_migration where merchant_id = ${tx.merchantId} and id = ${id} for no key update`);

/** The next subscriptions of a migration, in their order: all before them have an outcome. */
export const selectNextMembers = (
  tx: Tx,
  { merchantId, id, done, failed }: PlanMigration,
  most: number,
): Promise<MigrationMember[]> =>
  tx.rows<MigrationMember>(sql`
    select m.position, m.subscription_id, s.customer_id
      from plan_migration_subscription m
      join subscription s on s.merchant_id = m.merchant_id and s.id = m.subscription_id
     where m.merchant_id = ${merchantId} and m.migration_id = ${id}
       and m.position > ${done + failed}::int and m.position <= ${done + failed + most}::int
     order by m.position`);

/** Stores what became of some subscriptions. @throws where one of them has an outcome already */
export async function updateOutcomes(
  tx: Tx,
  { merchantId, id }: PlanMigration,
  outcomes: readonly (MigrationOutcome & { readonly position: number })[],
): Promise<void> {
  const updated = await tx.run(sql`
    update plan_migration_subscription m
       set outcome = o.outcome, effective_at = o.effective_at, change_id = o.change_id, reason = o.reason,
         fault = o.fault
      from jsonb_to_recordset(${recordset(outcomes)})
           as o (position int, outcome text, effective_at timestamptz, change_id text, reason text, fault text)
     where m.merchant_id = ${merchantId} and m.migration_id = ${id} and m.position = o.position and m.outcome is null`);
  if (updated !== outcomes.length) throw new Error(`A subscription of migration ${id} has an outcome already.`);
}

/** How far a migration is; one that ended is not due any more. */
export const updatePlanMigration = (
  tx: Tx,
  { merchantId, id }: PlanMigration,
  { status, done, failed }: Pick<PlanMigration, 'status' | 'done' | 'failed'>,
  now: Instant,
): Promise<PlanMigration> =>
  tx.one<PlanMigration>(sql`
    update plan_migration
       set status = ${status}, done = ${done}, failed = ${failed}, updated_at = ${now},
           ended_at = ${status === 'running' ? null : now}, next_action_at = ${status === 'running' ? now : null}
     where merchant_id = ${merchantId} and id = ${id} and status = 'running' returning ${COLUMNS}`);

/** The migrations of a plan, newest first. */
export const selectPlanMigrationPage = (tx: Tx, planId: string, page: PageRequest) =>
  pageOfRows<PlanMigration>(
    tx,
    {
      kind: 'planMigration',
      select: COLUMNS,
      from: sql`plan_migration`,
      exists: sql`merchant_id = ${tx.merchantId} and plan_id = ${planId}`,
    },
    page,
  );

/** A subscription of a migration, with its outcome if it has one. */
export type MemberRow = Omit<MigrationOutcome, 'outcome' | 'fault'> & {
  readonly subscriptionId: string;
  readonly outcome: MigrationOutcome['outcome'] | null;
};

/** The subscriptions of a migration, in the order of their creation. @param outcome null: those that have none */
export const selectMemberPage = (
  tx: Tx,
  { merchantId, id, total }: PlanMigration,
  outcome: MigrationOutcome['outcome'] | null | undefined,
  page: PageRequest,
) =>
  pageOfRows<MemberRow>(
    tx,
    {
      kind: 'subscription',
      select: sql`subscription_id, outcome, effective_at, change_id, reason`,
      from: sql`plan_migration_subscription`,
      id: sql`subscription_id`,
      exists: sql`merchant_id = ${merchantId} and migration_id = ${id}`,
      where: allOf([outcome !== undefined && sql`outcome is not distinct from ${outcome}`]),
      order: { keys: [{ by: sql`position`, type: 'int' }], direction: 'asc' },
    },
    page,
    outcome === undefined ? async () => total : undefined,
  );
