import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { planOfTwoVersions } from '../support/plan-migrations.ts';
import { shopOf } from '../support/shop.ts';
import { openTables, type Tables } from '../support/tables.ts';

/**
 * A process of the version before works on a newer schema while an upgrade rolls. Its connections keep plans
 * (docs/decisions/0213), and a plan that answers all columns of a table is refused when the table has got another one.
 */
let env: TestEnvironment;
let tables: Tables;
beforeAll(async () => {
  env = await openTestEnvironment();
  tables = await openTables(env.url);
});
afterAll(async () => {
  await tables.close();
  await env.close();
});

/** A subscription is made, changed by a migration of its plan, read and ended. `upgrade` runs before the migration. */
async function live(upgrade: () => Promise<unknown>): Promise<unknown> {
  const shop = shopOf(await env.merchant());
  const { plan, subscriptions } = await planOfTwoVersions(shop, 1);
  await upgrade();
  const { progress } = await shop.create(`/v0/plans/${plan.id}/migrations`, { fromVersion: 1, toVersion: 2 });
  const { id } = subscriptions[0] as { id: string };
  const { planVersionNumber } = await shop.read(`/v0/subscriptions/${id}`);
  const { status } = await shop.act(`/v0/subscriptions/${id}/termination`, { reason: 'Over' });
  await env.runDueWork();
  return { progress, planVersionNumber, status };
}

it('a process goes on when a table of merchants gets another column', { timeout: 240_000 }, async () => {
  let before: unknown;
  for (let warm = 0; warm < 4; warm += 1) before = await live(async () => undefined);
  const named = await tables.query<{ name: string }>(
    `select a.attrelid::regclass::text as name
       from pg_attribute a join pg_class c on c.oid = a.attrelid
      where a.attname = 'merchant_id' and c.relkind in ('r', 'p') and not c.relispartition
        and c.relnamespace = 'public'::regnamespace order by 1`,
  );
  for (const { name } of named)
    expect(await live(() => tables.query(`alter table ${name} add column another text`)), name).toEqual(before);
});
