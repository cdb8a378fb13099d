import { findPlanVersionByNumber } from '../../src/catalog/index.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { PlanMigration } from '../../src/subscriptions/plan-migration/migration.ts';
import {
  insertMembers,
  insertPlanMigration,
  type NewPlanMigration,
} from '../../src/subscriptions/plan-migration/migrations.sql.ts';
import type { TestEnvironment } from './environment.ts';
import type { Resource, Shop } from './shop.ts';

/** A plan with two versions, of which the second has a dearer price, and some subscriptions of the first. */
export async function planOfTwoVersions(shop: Shop, subscriptions: number, fields: object = {}) {
  const price = await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '30' } });
  const plan = await shop.plan([price], { gracePeriod: 'P0D', defaultTaxRate: 20 });
  const made: Resource[] = [];
  while (made.length < subscriptions)
    made.push(
      await shop.subscribe(plan, {
        bankTransferOnly: true,
        startedAt: Temporal.Now.instant().subtract({ hours: 24 }).toString(),
        ...fields,
      }),
    );
  await dearer(shop, plan, price);
  return { plan, subscriptions: made };
}

/** Makes a version of a plan in which a price is dearer. */
export async function dearer(shop: Shop, plan: Resource, price: Resource): Promise<Resource> {
  const dear = await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '60' } });
  await shop.create(`/v0/plans/${plan.id}/versions`, {
    replacePrices: [{ replacesPriceId: price.id, withPriceId: dear.id }],
  });
  return dear;
}

/**
 * A migration from version 1 to 2 that waits for due work, as one of many subscriptions does when its request is
 * answered.
 */
export async function waitingMigration(
  env: TestEnvironment,
  merchantId: string,
  planId: string,
  fields: Partial<NewPlanMigration> = {},
): Promise<PlanMigration> {
  return env.database.transaction({ merchants: [merchantId] }, async (tx) => {
    const from = await findPlanVersionByNumber(tx, planId, 1);
    const to = await findPlanVersionByNumber(tx, planId, 2);
    if (!from || !to) throw new Error('The plan has no two versions.');
    const inserted = await insertPlanMigration(tx, {
      merchantId,
      id: newId('planMigration'),
      planId,
      fromVersionId: from.id,
      fromVersion: 1,
      toVersionId: to.id,
      toVersion: 2,
      replacePrices: [],
      effective: 'now',
      proration: 'second',
      credit: 'invoice',
      isDry: false,
      createdAt: Temporal.Now.instant(),
      ...fields,
    });
    if (!inserted) throw new Error('The version is being migrated.');
    return insertMembers(tx, inserted);
  });
}
