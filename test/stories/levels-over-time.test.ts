import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** TIME_WEIGHTED: a level is billed by the time that it holds (commercial.md §5). Amounts are worked by hand. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let clock: Resource;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());
beforeEach(async () => {
  clock = await shop.clock(START);
});

const FEBRUARY = '2026-02-01T00:00:00Z';
const level = (timeUnit: string, fields: object = {}) =>
  shop.metric({ aggregation: 'TIME_WEIGHTED', timeUnit, ...fields });
const sell = async (metric: Resource, fields: object = {}): Promise<Resource> => {
  const price = await shop.usagePrice({ billableMetricId: metric.id, ...fields });
  return shop.subscribe(await shop.plan([price]), { clock });
};
const billed = async (subscription: Resource) =>
  (await shop.invoices(subscription)).map(({ lines }: Resource) =>
    lines.map(({ quantity, totalPrice }: Resource) => `${quantity} ${totalPrice}`).join(', '),
  );
const day = (number: number) => `2026-01-${String(number).padStart(2, '0')}T00:00:00Z`;

describe('a level over time', () => {
  it('counts the hours or days that each value holds, and goes on into the next period', async () => {
    const [hours, days, average] = await Promise.all(
      ['hour', 'day', 'period'].map(async (unit) => sell(await level(unit))),
    );
    const all = [hours, days, average] as Resource[];
    // 10 from the 11th, 4 from the 21st on: 10 × 10 + 4 × 11 days = 144 days of January; 4 × 28 of February.
    for (const { id } of all) await shop.use(id, day(11), 10);
    for (const { id } of all) await shop.use(id, day(21), 4);
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    expect((await billed(hours as Resource)).slice(0, 2)).toEqual(['3456 3456.00', '2688 2688.00']);
    expect((await billed(days as Resource)).slice(0, 2)).toEqual(['144 144.00', '112 112.00']);
    // 144 ÷ 31 = 4.645161290322…
    expect((await billed(average as Resource)).slice(0, 2)).toEqual(['4.645161290323 4.65', '4 4.00']);
  });

  it('is rated as its exact fraction', async () => {
    // 20 minutes of 1: a third of an hour at 0.015 is 0.005, which is a cent; 0.333333333333 × 0.015 would be none.
    const subscription = await sell(await level('hour'), { properties: { unitPrice: '0.015' } });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 1);
    await shop.use(subscription.id, '2026-01-10T00:20:00Z', 0);
    await shop.advance(clock, FEBRUARY);
    expect((await billed(subscription))[0]).toBe('0.333333333333 0.01');
  });

  it('of groups is the sum over them, after the filters of the price', async () => {
    const metric = await level('day', { groupBy: { region: '$.region' } });
    const all = await sell(metric);
    const one = await sell(metric, { groupFilters: { region: ['eu'] } });
    for (const { id } of [all, one])
      for (const [at, units, region] of [
        [day(1), 2, 'eu'],
        [day(2), 5, 'us'],
        [day(11), 3, 'eu'],
        [day(12), 0, 'us'],
      ] as const)
        await shop.use(id, at, units, { data: { units, region } });
    await shop.advance(clock, FEBRUARY);
    // eu: 2 × 10 + 3 × 21 = 83. us: 5 × 10 = 50.
    expect((await billed(all))[0]).toBe('133 133.00');
    expect((await billed(one))[0]).toBe('83 83.00');
  });

  it('adds up over cuts and late events, with the included units of one period', async () => {
    const subscription = await sell(await level('day'), { properties: { unitPrice: '1', includedUnits: '20' } });
    await shop.use(subscription.id, day(1), 3);
    await shop.advance(clock, day(11));
    const [open] = await shop.invoices(subscription);
    await shop.act(`/v2/invoices/${open.id}/closeNow`); // 30 days so far, of which 20 are free
    await shop.advance(clock, '2026-02-10T00:00:00Z'); // 63 more
    await shop.use(subscription.id, day(21), 4); // late: one more for 11 days; February has 4 × 28
    await shop.advance(clock, '2026-03-02T00:00:00Z');
    expect((await billed(subscription)).slice(0, 3)).toEqual(['30 10.00', '63 63.00', '112 92.00, 11 11.00']);
  });

  it('is shown by window and in all', async () => {
    const metric = await level('hour');
    const { id } = await shop.customer();
    await shop.use(id, '2026-01-10T10:30:00Z', 6);
    await shop.use(id, '2026-01-10T12:00:00Z', 1);
    const { totalValue, windowedValues } = await shop.read(
      `/v0/billableMetrics/${metric.id}/meter?subject=${id}&from=2026-01-10T00:00:00Z&to=2026-01-10T13:00:00Z&windowSize=HOUR`,
    );
    expect(totalValue).toBe(10); // 6 × 1.5 + 1
    expect(windowedValues.map(({ value }: Resource) => value)).toEqual([3, 6, 1]);
  });

  it('needs its unit, which no other aggregation has', async () => {
    const faults = async (fields: object) => {
      const { name, productId } = await shop.metric();
      const base = { name, productId, eventType: 'call', valueProperty: '$.units' };
      return (await merchant.post('/v0/billableMetrics', { ...base, ...fields })).body.errors;
    };
    expect(await faults({ aggregation: 'TIME_WEIGHTED' })).toEqual([
      { field: 'timeUnit', message: 'is required for TIME_WEIGHTED' },
    ]);
    expect(await faults({ aggregation: 'SUM', timeUnit: 'day' })).toEqual([
      { field: 'timeUnit', message: 'is for TIME_WEIGHTED' },
    ]);
  });
});

it('is found right by the auditor and by a second calculation', async () => {
  expect((await auditDatabase(env.url)).violations).toEqual([]);
  expect((await recomputeDatabase(env.url)).differing).toEqual([]);
});
