import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** PERCENTILE: of the figures of many windows one is billed (commercial.md §5). Amounts are worked by hand. */
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

/** January has 744 hours: the 737th from below (736.56) is the 8th from above. */
const HOSTS = { percentile: '99', sampleWindow: 'PT1H', sampleAggregation: 'MAX' };
/** A week has 2016 windows of five minutes: the 1916th from below (1915.2) is the 101st from above. */
const BANDWIDTH = { percentile: '95', sampleWindow: 'PT5M' };

const percentile = (fields: Record<string, unknown>) => shop.metric({ aggregation: 'PERCENTILE', ...fields });
const sell = async (metric: Resource, unitPrice: string, plan: Record<string, unknown> = {}): Promise<Resource> => {
  const price = await shop.usagePrice({ billableMetricId: metric.id, properties: { unitPrice } });
  return shop.subscribe(await shop.plan([price], plan), { clock });
};
const billed = async (subscription: Resource) =>
  (await shop.invoices(subscription)).map(({ lines }: Resource) =>
    lines.map(({ quantity, totalPrice }: Resource) => `${quantity} ${totalPrice}`).join(', '),
  );
const hour = (number: number, minute = 0) =>
  Temporal.Instant.from('2026-01-01T00:00:00Z').add({ hours: number, minutes: minute }).toString();
const day = (number: number) => hour((number - 1) * 24);

/** Hosts that are there in hours: seven hours of 50, and one of 12, of which they were 9 in its first minutes. */
async function useHosts({ id }: Resource): Promise<void> {
  for (let number = 1; number <= 7; number += 1) await shop.use(id, hour(number * 3), 50);
  await shop.use(id, hour(30), 9);
  await shop.use(id, hour(30, 40), 12);
}

describe('a percentile', () => {
  it('of hourly peaks leaves out the highest hours, and late usage moves it', async () => {
    const subscription = await sell(await percentile(HOSTS), '15');
    await useHosts(subscription);
    await shop.advance(clock, '2026-02-10T00:00:00Z');
    expect((await billed(subscription))[0]).toBe('12 180.00');
    await shop.use(subscription.id, hour(100), 30); // an 8th hour above 12: now 30 are billed, 18 more at 15
    await shop.advance(clock, '2026-03-02T00:00:00Z');
    expect((await billed(subscription)).slice(0, 2)).toEqual(['12 180.00', '0 0.00, 18 270.00']);
  });

  it('of five-minute sums leaves out a twentieth of the windows', async () => {
    const subscription = await sell(await percentile(BANDWIDTH), '0.5', { billingCadence: 'P1W' });
    const at = (window: number, second: number) =>
      Temporal.Instant.from(START)
        .add({ seconds: window * 300 + second })
        .toString();
    const event = (window: number, second: number, units: number) => ({
      ...{ type: 'call', source: 'test', subject: subscription.id, idempotencyKey: `${window} ${second}` },
      ...{ timestamp: at(window, second), data: { units } },
    });
    // 100 windows of 900, which are left out; then one of 35 + 5 = 40, and 50 of 20.
    const peaks = Array.from({ length: 100 }, (_, window) => event(window, 60, 900));
    const others = Array.from({ length: 50 }, (_, window) => event(500 + window, 0, 20));
    const sent = await merchant.post('/v0/events', [...peaks, event(300, 0, 35), event(300, 299, 5), ...others]);
    expect(sent.status).toBe(202);
    await shop.advance(clock, 'P7D');
    expect((await billed(subscription))[0]).toBe('40 20.00');
  });

  it('counts all windows of the period in a cut, those to come as 0, so that its remainder is not below 0', async () => {
    const subscription = await sell(await percentile(HOSTS), '31');
    await useHosts(subscription);
    await shop.advance(clock, day(16));
    const [open] = await shop.invoices(subscription);
    // The 8th of 744 hours, though only 360 are over; for 15 of 31 days.
    await shop.act(`/v2/invoices/${open.id}/closeNow`);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect((await billed(subscription)).slice(0, 2)).toEqual(['12 180.00', '12 192.00']); // 372 in all
  });

  it('of a cut stays one of all windows where the subscription is ended as of before the cut', async () => {
    const subscription = await sell(await percentile(HOSTS), '31');
    await useHosts(subscription);
    await shop.advance(clock, day(16));
    const [open] = await shop.invoices(subscription);
    await shop.act(`/v2/invoices/${open.id}/closeNow`);
    await shop.advance(clock, day(20));
    await shop.change(`/v0/subscriptions/${subscription.id}`, { terminatedAt: day(10) });
    await shop.use(subscription.id, hour(40), 20); // the 8th of 744 hours is now 20: 8 × 31 × 15 ÷ 31 more
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    expect((await billed(subscription)).filter((lines) => lines !== '')).toEqual(['12 180.00', '8 120.00']);
  });

  it('is of the windows in which its price holds, and scaled to their time', async () => {
    const metric = await percentile(HOSTS);
    const price = (unitPrice: string) => shop.usagePrice({ billableMetricId: metric.id, properties: { unitPrice } });
    const [small, large] = [await shop.plan([await price('31')]), await shop.plan([await price('62')])];
    const subscription = await shop.subscribe(small, { clock });
    // 10 days are 240 hours, of which the 238th from below counts; 21 days are 504, of which the 499th does.
    for (const [at, units] of [1, 2, 3].map((place) => [place, 60 - place * 10] as const))
      await shop.use(subscription.id, hour(at), units); // 50, 40, 30
    for (const [at, units] of [1, 2, 3, 4, 5, 6].map((place) => [place, 7 - place] as const))
      await shop.use(subscription.id, hour(300 + at), units); // 6, 5, 4, 3, 2, 1
    await shop.advance(clock, day(11));
    await shop.create(`/v0/subscriptions/${subscription.id}/changes`, { planId: large.id });
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    // 30 × 31 × 10 ÷ 31 = 300; 1 × 62 × 21 ÷ 31 = 42.
    expect((await billed(subscription))[0]).toBe('30 300.00, 1 42.00');
  });

  it('of a period that ends early is of its own windows, and scaled', async () => {
    const subscription = await sell(await percentile({ ...HOSTS, percentile: '50' }), '31');
    for (let number = 0; number < 40; number += 1) await shop.use(subscription.id, hour(number), 1 + number);
    await shop.advance(clock, day(3));
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over' });
    // Of 48 hours 8 are 0, then 1, 2 … 40: the 24th from below is 16. 16 × 31 × 2 ÷ 31 = 32.
    expect((await billed(subscription))[0]).toBe('16 32.00');
  });

  it('is shown in all, by window and by group, and by the line that it makes', async () => {
    const metric = await percentile({
      ...{ percentile: '87.5', sampleWindow: 'PT15M', sampleAggregation: 'AVG' },
      groupBy: { region: '$.region' },
    });
    const subscription = await sell(metric, '2');
    for (const [minute, units, region] of [
      [0, 4, 'eu'],
      [14, 7, 'eu'],
      [15, 3, 'us'],
      [30, 8, 'us'],
      [60, -2, 'eu'],
    ] as const)
      await shop.use(subscription.id, hour(10, minute), units, { data: { units, region } });
    const asked = `from=${hour(10)}&to=${hour(12)}&windowSize=HOUR&groupBy=region`;
    const usage = await shop.read(`/v0/billableMetrics/${metric.id}/meter?subject=${subscription.id}&${asked}`);
    // In both hours -2, 0, 0, 0, 0, 3, 5.5, 8: the 7th of eight. In the first 0, 3, 5.5, 8, in the second -2, 0, 0, 0:
    // the 4th of four (3.5). Of one region -2, 0 six times, 5.5, of the other 0 six times, 3, 8.
    expect(usage.totalValue).toBe(5.5);
    expect(usage.windowedValues.map(({ value }: Resource) => value)).toEqual([8, 0]);
    expect(
      usage.groupedValues.map(({ groupBy, value, eventCount }: Resource) => [groupBy.region, value, eventCount]),
    ).toEqual([
      ['us', 3, 2],
      ['eu', 0, 3],
    ]);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    const [january] = await shop.invoices(subscription);
    const { lines } = await shop.read(`/v2/invoices/${january.id}/explain`);
    expect(lines[0].usageByHour.map(({ value, eventCount }: Resource) => [value, eventCount])).toEqual([
      [8, 4],
      [0, 1],
    ]);
  });
});

describe('a metric of a percentile', () => {
  const faults = async (fields: object, path = '/v0/billableMetrics') => {
    const { name, productId } = await shop.metric();
    const base = { name, productId, eventType: 'call', valueProperty: '$.units' };
    return (await merchant.post(path, { ...base, ...fields })).body.errors;
  };

  it('says which, of which windows, and adds up each of them unless it says otherwise', async () => {
    const { percentile: shown, sampleWindow, sampleAggregation } = await percentile(BANDWIDTH);
    expect({ percentile: shown, sampleWindow, sampleAggregation }).toEqual({ ...BANDWIDTH, sampleAggregation: 'SUM' });
    const { id, ...counted } = await percentile({
      ...{ percentile: '99.9', sampleWindow: 'P1D', sampleAggregation: 'COUNT', valueProperty: undefined },
    });
    expect(counted).toMatchObject({ percentile: '99.9', sampleAggregation: 'COUNT', valueProperty: null });
    const asSum = await merchant.patch(`/v0/billableMetrics/${id}`, { percentile: '90', sampleAggregation: null });
    expect(asSum.body.errors).toEqual([{ field: 'valueProperty', message: 'is required for PERCENTILE' }]);
    const changed = { percentile: '90', sampleAggregation: null, valueProperty: '$.units' };
    expect(await shop.change(`/v0/billableMetrics/${id}`, changed)).toMatchObject({
      ...{ percentile: '90', sampleWindow: 'P1D', sampleAggregation: 'SUM' },
    });
  });

  it('needs them, and no other aggregation has them', async () => {
    expect(await faults({ aggregation: 'PERCENTILE' })).toEqual([
      { field: 'percentile', message: 'is required for PERCENTILE' },
      { field: 'sampleWindow', message: 'is required for PERCENTILE' },
    ]);
    expect(await faults({ aggregation: 'SUM', ...HOSTS })).toEqual([
      { field: 'percentile', message: 'is for PERCENTILE' },
      { field: 'sampleWindow', message: 'is for PERCENTILE' },
      { field: 'sampleAggregation', message: 'is for PERCENTILE' },
    ]);
    for (const wrong of ['0', '100.1', '-5'])
      expect(await faults({ aggregation: 'PERCENTILE', ...HOSTS, percentile: wrong })).toMatchObject([
        { field: 'percentile' },
      ]);
    expect(await faults({ aggregation: 'PERCENTILE', ...HOSTS, sampleWindow: 'P1M' })).toMatchObject([
      { field: 'sampleWindow' },
    ]);
  });

  it('is not for costs', async () => {
    const cost = { aggregation: 'PERCENTILE', unitCost: 1, currency: 'USD' };
    expect(await faults(cost, '/v0/costs')).toMatchObject([{ field: 'aggregation' }]);
  });
});

it('is found right by the auditor and by a second calculation', async () => {
  expect((await auditDatabase(env.url)).violations).toEqual([]);
  expect((await recomputeDatabase(env.url)).differing).toEqual([]);
});
