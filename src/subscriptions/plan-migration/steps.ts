import type { DueKind } from '../../jobs/index.ts';
import type { SubscriptionDependencies } from '../subscription/dependencies.ts';
import { changeNext } from './change-next.ts';
import { selectPlanMigration } from './migrations.sql.ts';

/** A migration continues with its next subscriptions, each time in its own transaction, until none is left. */
export const planMigrationDueKind = (dependencies: SubscriptionDependencies): DueKind => ({
  kind: 'plan_migration',
  step: async (tx, { id }, now) => {
    const migration = await selectPlanMigration(tx, id);
    if (migration?.status === 'running') await changeNext(dependencies, tx, migration, now);
  },
});
