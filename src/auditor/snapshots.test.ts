import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { shopOf } from '../../test/support/shop.ts';
import { auditChecks } from '../wiring.ts';
import { audit } from './audit.ts';

let env: TestEnvironment;
let client: pg.Client;
beforeAll(async () => {
  env = await openTestEnvironment();
  client = new pg.Client({ connectionString: env.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await env.close();
});

/** Monthly units that roll over, partly used, after two resets with snapshots. */
async function keepSnapshots(): Promise<void> {
  env.setNow('2026-01-01T00:00:00Z');
  const shop = shopOf(await env.merchant());
  const product = await shop.product();
  const metric = await shop.metric({ productId: product.id });
  const feature = await shop.create('/v0/features', {
    ...{ key: 'kept', name: 'Kept', productId: product.id, type: 'metered' },
  });
  const customer = await shop.customer();
  await shop.create('/v1/entitlements', {
    customerId: customer.id,
    featureId: feature.id,
    template: {
      type: 'metered',
      billableMetricIds: [metric.id],
      usagePeriod: { interval: 'P1M' },
      issueAfterReset: 10,
      resetMaxRollover: 100,
    },
  });
  await shop.use(customer.id, '2026-01-10T00:00:00Z', 4);
  for (const now of ['2026-02-01T00:00:01Z', '2026-02-02T00:00:00Z', '2026-03-01T00:00:01Z', '2026-03-02T00:00:00Z']) {
    env.setNow(now);
    await env.runDueWork();
  }
}

it('the auditor finds a snapshot that is not its usage', async () => {
  await keepSnapshots();
  const { rows } = await client.query<{ state: string }>('select state::text from entitlement_snapshot order by at');
  expect(rows).toHaveLength(2);
  const broken = await client.query(
    `update entitlement_snapshot set state = replace(state::text, '"6"', '"7"')::jsonb`,
  );
  expect(broken.rowCount).toBe(2);
  const found = await audit(env.database, auditChecks);
  await client.query(`update entitlement_snapshot set state = replace(state::text, '"7"', '"6"')::jsonb`);
  expect(found.map(({ name, count }) => ({ name, count }))).toEqual([{ name: 'snapshots-are-their-usage', count: 2 }]);
  expect(found[0]?.examples.map(({ detail }) => detail)).toEqual([
    'at 2026-02-01T00:00:00Z stored 17 left, 0 beyond, 0 used, computed 16 left, 0 beyond, 0 used',
    'at 2026-03-01T00:00:00Z stored 27 left, 0 beyond, 0 used, computed 26 left, 0 beyond, 0 used',
  ]);
  expect(await audit(env.database, auditChecks)).toEqual([]);
});
