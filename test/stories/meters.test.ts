import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { shopOf } from '../support/shop.ts';

/** Roll-ups exist for the definitions of the present meters. The figures equal those of the events in any case. */
let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment();
  env.setNow('2026-03-01T00:00:00Z');
});
afterAll(() => env.close());

const definitionsOf = ({ id }: Merchant) =>
  env.database.transaction({ merchants: [id] }, async (tx) => {
    const rows = await tx.rows<{ path: string | null }>(
      sql`select path from rollup_definition where merchant_id = ${id} order by path nulls first`,
    );
    return rows.map(({ path }) => path);
  });

it('events are added up for a metric as it was made, as it was changed, and for a cost until it is deleted', async () => {
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const metric = await shop.metric();
  const cost = await merchant.post('/v0/costs', {
    name: 'Calls',
    unitCost: 1,
    currency: 'USD',
    productId: metric.productId,
    eventType: 'call',
    aggregation: 'COUNT',
  });
  expect(cost.status).toBe(201);
  const used = () =>
    merchant.get(`/v0/billableMetrics/${metric.id}/meter?from=2026-02-01T00:00:00Z&to=2026-03-01T00:00:00Z`);
  for (const day of ['02-01', '02-14', '02-28']) await shop.use('cus_nobody', `2026-${day}T12:30:00Z`, 2);
  const before = await used();
  expect(before.status).toBe(200);
  expect(await definitionsOf(merchant)).toEqual([null, 'units']);

  expect((await merchant.delete(`/v0/costs/${cost.body.id}`)).status).toBe(204);
  const change = { valueProperty: '$.other' };
  expect((await merchant.patch(`/v0/billableMetrics/${metric.id}`, change)).status).toBe(200);
  env.startWorker();
  await expect.poll(() => definitionsOf(merchant), { timeout: 20_000 }).toEqual(['other']);

  const back = { valueProperty: '$.units' };
  expect((await merchant.patch(`/v0/billableMetrics/${metric.id}`, back)).status).toBe(200);
  expect((await used()).body).toEqual(before.body);
});

it('UNIQUE_COUNT compares texts, and numbers by their plain form: in meters, balances, events and bills', async () => {
  env.setNow(null);
  const shop = shopOf(await env.merchant());
  const metric = await shop.metric({ aggregation: 'UNIQUE_COUNT' });
  const feature = await shop.create('/v0/features', {
    ...{ key: 'texts', name: 'Texts', productId: metric.productId, type: 'metered' },
  });
  const clock = await shop.clock('2026-02-01T00:00:00Z');
  const entitlementTemplate = { type: 'metered', usagePeriod: { interval: 'P1M' }, issueAfterReset: 100 };
  const price = await shop.usagePrice({
    billableMetricId: metric.id,
    feature: { featureId: feature.id, entitlementTemplate },
  });
  const subscription = await shop.subscribe(await shop.plan([price]), { clock });
  const sent = ['1000', '1E3', '1000.0', '"1000"', '1e-9', '0.000000001', '2.50', '2.5', '"2.50"', '0', '-0', '-0.0'];
  const texts = ['1000', '1000', '1000', '1000', '0.000000001', '0.000000001', '2.5', '2.5', '2.50', '0', '0', '0'];
  for (const [index, value] of sent.entries()) {
    const at = `2026-02-${String(index * 2 + 1).padStart(2, '0')}T10:30:00Z`;
    const { id } = await shop.use(subscription.id, at, 0, {
      data: { units: value.startsWith('"') ? value.slice(1, -1) : JSON.rawJSON(value) },
    });
    const { counts } = (await shop.read(`/v0/events/${id}`)).outcome;
    expect(counts[0].value, value).toBe(texts[index]);
  }
  const range = 'from=2026-02-01T00:00:00Z&to=2026-03-01T00:00:00Z';
  const { totalValue } = await shop.read(`/v0/billableMetrics/${metric.id}/meter?${range}`);
  expect(totalValue).toBe(5);
  const [{ entitlementId }] = (await shop.read(`/v1/entitlements?subscriptionId=${subscription.id}`)).data;
  expect(await shop.read(`/v1/entitlements/${entitlementId}`)).toMatchObject({ usageInPeriod: 5, balance: 95 });
  await shop.advance(clock, '2026-03-01T00:00:00Z');
  expect((await shop.invoices(subscription))[0]).toMatchObject({ grandTotal: '5.00' });
});
