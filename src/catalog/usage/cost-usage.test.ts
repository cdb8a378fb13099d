import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { type Resource, type Shop, shopOf } from '../../../test/support/shop.ts';
import { decimal, sum } from '../../kernel/decimal.ts';

/** What usage cost at its time (docs/decisions/0182). */
let env: TestEnvironment;
beforeAll(async () => {
  env = await sharedEnvironment();
  env.setNow('2026-03-20T00:00:00Z');
});
afterAll(() => env.close());

const MARCH = 'from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z';
const AGGREGATIONS = ['SUM', 'COUNT', 'AVG', 'MIN', 'MAX', 'UNIQUE_COUNT', 'LATEST'];

async function shopWith(
  fields: object,
): Promise<{ shop: Shop; cost: Resource; customers: Resource[]; remove: () => Promise<unknown> }> {
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const cost = await shop.create('/v0/costs', {
    name: 'Disk',
    unitCost: 1,
    currency: 'EUR',
    productId: (await shop.product()).id,
    eventType: 'call',
    valueProperty: '$.units',
    groupBy: { region: '$.region' },
    ...fields,
  });
  const customers = [await shop.customer(), await shop.customer(), await shop.customer(), await shop.customer()];
  return { shop, cost, customers, remove: () => merchant.delete(`/v0/costs/${cost.id}`) };
}
const report = (shop: Shop, cost: Resource, query = 'groupBy=customer') =>
  shop.read(`/v0/costs/report?${MARCH}&costId=${cost.id}&${query}`);
const summary = (shop: Shop, cost: Resource, query = '') => shop.read(`/v0/costs/${cost.id}/summary?${MARCH}${query}`);

describe('a cost of a level', () => {
  it("is each customer's own, and the total is their sum", async () => {
    const { shop, cost, customers } = await shopWith({ aggregation: 'LATEST' });
    for (const [index, level] of [20, 11, 5, 4].entries())
      await shop.use(customers[index].id, `2026-03-0${index + 1}T00:00:00Z`, level);
    const all = await report(shop, cost);
    expect(all).toMatchObject({ totalCost: '40.00', totalQuantity: 40, warnings: [] });
    expect(all.groups.map((group: Resource) => [group.totalCost, group.percentOfTotal])).toEqual([
      ['20.00', 50],
      ['11.00', 27.5],
      ['5.00', 12.5],
      ['4.00', 10],
    ]);
    expect((await report(shop, cost, 'groupBy=customer&topN=1')).groups).toMatchObject([
      { totalCost: '20.00', percentOfTotal: 50 },
      { totalCost: '20.00', percentOfTotal: 50, isOther: true },
    ]);
    expect(await summary(shop, cost, '&window=DAY')).toMatchObject({
      totalCost: '40.00',
      timeSeries: expect.arrayContaining([
        expect.objectContaining({ windowStart: '2026-03-02T00:00:00Z', quantity: 31, cost: '31.00' }),
        expect.objectContaining({ windowStart: '2026-03-31T00:00:00Z', quantity: 40, cost: '40.00' }),
      ]),
    });
  });

  it.each(AGGREGATIONS)('of %s: groups, shares and profits add up to the total', async (aggregation) => {
    const { shop, cost, customers } = await shopWith({ aggregation });
    const uses = [3, 8, 8, 2, 7, 1, 6, 8];
    for (const [index, units] of uses.entries())
      await shop.use(customers[index % 3].id, `2026-03-0${index + 1}T00:00:00Z`, units, {
        data: { units, region: ['eu', 'us'][index % 2] },
      });
    const { totals } = await shop.read(`/v0/profitability?${MARCH}&currency=EUR`);
    for (const groupBy of ['cost', 'customer', 'region']) {
      const { totalCost, groups } = await report(shop, cost, `groupBy=${groupBy}&topN=2`);
      const share = sum(groups.map((group: Resource) => decimal(group.percentOfTotal)));
      expect(sum(groups.map((group: Resource) => decimal(group.totalCost))).equals(totalCost), groupBy).toBe(true);
      expect(share.minus(100).abs().lt('0.001'), groupBy).toBe(true);
      if (groupBy !== 'region') expect(decimal(totalCost).equals(totals.totalCost), groupBy).toBe(true);
    }
    expect(decimal((await summary(shop, cost)).totalCost).equals(totals.totalCost)).toBe(true);
  });
});

describe('a unit cost', () => {
  const days = async (shop: Shop, [customer]: Resource[]) => {
    for (const day of ['02', '09', '16', '23']) await shop.use(customer.id, `2026-03-${day}T12:00:00Z`, 100);
  };
  const totals = async (shop: Shop, cost: Resource) => [
    (await report(shop, cost)).totalCost,
    (await summary(shop, cost)).totalCost,
    (await shop.read(`/v0/profitability?${MARCH}&currency=EUR`)).totals.totalCost,
  ];

  it.each([
    { fields: {}, unitCost: '0.9', total: '240.00' }, // from the 20th on
    { fields: { effectiveFrom: '2026-03-09T12:00:00Z' }, unitCost: '0.9', total: '320.00' },
    { fields: { effectiveFrom: '2026-03-09T12:00:00.000001Z' }, unitCost: '0.9', total: '280.00' },
    { fields: { effectiveFrom: '2000-01-01T00:00:00Z' }, unitCost: '0.9', total: '360.00' },
    { fields: { effectiveFrom: '2026-03-23T00:00:00Z' }, unitCost: '0.5', total: '240.00' },
    { fields: { effectiveFrom: '2026-04-01T00:00:00Z' }, unitCost: '0.5', total: '200.00' },
  ])('holds from $fields on: $total', async ({ fields, unitCost, total }) => {
    const { shop, cost, customers } = await shopWith({ aggregation: 'SUM', unitCost: 0.5 });
    await days(shop, customers);
    expect(await totals(shop, cost)).toEqual(['200.00', '200.00', '200.00']);
    expect(await shop.change(`/v0/costs/${cost.id}`, { unitCost: 0.9, ...fields })).toMatchObject({ unitCost });
    expect(await totals(shop, cost)).toEqual([total, total, total]);
    const { timeSeries } = await report(shop, cost, 'groupBy=cost&windowSize=MONTH');
    expect(timeSeries).toEqual([
      { windowStart: '2026-03-01T00:00:00Z', windowEnd: '2026-04-01T00:00:00Z', groups: { [cost.id]: total } },
    ]);
  });

  it('that is set again replaces those of later times', async () => {
    const { shop, cost, customers } = await shopWith({ aggregation: 'COUNT', unitCost: 1 });
    await days(shop, customers);
    const set = (unitCost: number, day: string) =>
      shop.change(`/v0/costs/${cost.id}`, { unitCost, effectiveFrom: `2026-03-${day}T00:00:00Z` });
    await set(2, '08');
    await set(3, '15');
    expect((await report(shop, cost)).totalCost).toBe('9.00'); // 1 + 2 + 3 + 3
    await set(5, '15');
    expect((await report(shop, cost)).totalCost).toBe('13.00'); // 1 + 2 + 5 + 5
    await set(7, '10');
    expect((await report(shop, cost)).totalCost).toBe('17.00'); // 1 + 2 + 7 + 7
    await set(4, '01');
    expect((await report(shop, cost)).totalCost).toBe('16.00');
  });

  it('of a level is the one at the end of the time, and of each window', async () => {
    const { shop, cost, customers } = await shopWith({ aggregation: 'LATEST' });
    await shop.use(customers[0].id, '2026-03-02T00:00:00Z', 10);
    await shop.change(`/v0/costs/${cost.id}`, { unitCost: 3, effectiveFrom: '2026-03-16T00:00:00Z' });
    const { totalCost, timeSeries } = await report(shop, cost, 'groupBy=cost');
    expect(totalCost).toBe('30.00');
    expect([timeSeries[13], timeSeries[14]].map(({ groups }) => groups[cost.id])).toEqual(['10.00', '30.00']);
  });

  it('needs a unitCost beside effectiveFrom', async () => {
    const { shop, cost } = await shopWith({ aggregation: 'COUNT' });
    await expect(shop.change(`/v0/costs/${cost.id}`, { effectiveFrom: '2026-03-01T00:00:00Z' })).rejects.toThrow('400');
  });
});

it.each(AGGREGATIONS)('a deleted cost of %s keeps the expense of the time before', async (aggregation) => {
  const { shop, cost, customers, remove } = await shopWith({ aggregation });
  await shop.use(customers[0].id, '2026-03-02T12:00:00Z', 100);
  const before = await report(shop, cost);
  await remove();
  await shop.use(customers[0].id, '2026-03-21T12:00:00Z', 200);
  expect((await report(shop, cost)).totalCost).toBe(before.totalCost);
  expect((await summary(shop, cost)).totalCost).toBe(before.totalCost);
  expect((await shop.read(`/v0/profitability?${MARCH}&currency=EUR`)).totals.totalCost).toBe(before.totalCost);
  const april = await shop.read('/v0/costs/report?from=2026-04-01T00:00:00Z&to=2026-05-01T00:00:00Z&groupBy=cost');
  expect(april).toMatchObject({ totalCost: '0.00', groups: [], timeSeries: [], warnings: [] });
});
