import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../../test/support/shop.ts';

let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const PATH = '/v0/usage/unbilled';
const JANUARY = `from=${START}&to=2026-02-01T00:00:00Z`;
const report = (query = '') => shop.read(`${PATH}?${JANUARY}${query}`);
const REGIONS = { groupBy: { region: '$.region' } };
const day = (number: number): string => `2026-01-${String(number).padStart(2, '0')}T10:00:00Z`;

describe('GET /v0/usage/unbilled', () => {
  let metric: Resource;
  let seats: Resource;
  beforeAll(async () => {
    const clock = await shop.clock(START);
    metric = await shop.metric({ name: 'Calls', ...REGIONS });
    seats = await shop.metric({ name: 'Peak', aggregation: 'MAX', eventType: 'peak', valueProperty: '$.n' });
    const price = await shop.usagePrice({ billableMetricId: metric.id, groupFilters: { region: ['eu', 'us'] } });
    const [payer, other, stranger] = [await shop.customer(), await shop.customer(), await shop.customer()];
    await shop.subscribe(await shop.plan([price]), { clock, customer: payer });
    await shop.subscribe(await shop.plan([await shop.feePrice()]), { clock, customer: other });
    const use = (subject: Resource, number: number, units: number, region?: string) =>
      shop.use(subject.id, day(number), units, { data: { units, ...(region && { region }) } });
    await use(payer, 2, 5, 'eu');
    await use(payer, 3, 6, 'us');
    for (let number = 4; number < 11; number += 1) await use(payer, number, 3, 'asia');
    await use(payer, 3, 2);
    await use(other, 5, 11, 'eu');
    await use(stranger, 6, 7, 'eu');
    const event = { source: 'test', timestamp: day(7) };
    await merchant.post('/v0/events', { ...event, type: 'call', externalSubject: 'nobody', data: { units: 13 } });
    await merchant.post('/v0/events', { ...event, type: 'call', subject: payer.id, data: { units: 'many' } });
    await merchant.post('/v0/events', { ...event, type: 'typo', subject: payer.id, data: { units: 1 } });
    await merchant.post('/v0/events', { ...event, type: 'peak', subject: other.id, data: { n: 9 } });
    await shop.use(stranger.id, '2026-02-01T00:00:00Z', 99); // not in January
  });

  it('says what nobody pays for, why, how much, since when, with examples', async () => {
    const answer = await report();
    const of = (reason: string) => answer.groups.filter((group: Resource) => group.reason === reason);
    const calls = { billableMetricId: metric.id, metricName: 'Calls', eventType: 'call' };
    expect(of('GROUP_FILTERED')).toEqual([
      {
        ...calls,
        reason: 'GROUP_FILTERED',
        group: { region: 'asia' },
        quantity: 21,
        eventCount: 7,
        firstAt: day(4),
        lastAt: day(10),
        examples: Array(5).fill(expect.stringMatching(/^evt_/)),
      },
      expect.objectContaining({ ...calls, group: { region: null }, quantity: 2, eventCount: 1 }),
    ]);
    const byQuantity = (a: Resource, b: Resource) => (b.quantity ?? 0) - (a.quantity ?? 0);
    expect(of('NOT_PRICED').toSorted(byQuantity)).toEqual([
      expect.objectContaining({ ...calls, group: null, quantity: 11, firstAt: day(5), lastAt: day(5) }),
      expect.objectContaining({ billableMetricId: seats.id, quantity: null, eventCount: 1 }),
    ]);
    expect(of('NO_PERIOD')).toEqual([expect.objectContaining({ ...calls, quantity: 7, firstAt: day(6) })]);
    expect(of('UNKNOWN_SUBJECT')).toEqual([expect.objectContaining({ ...calls, quantity: 13, eventCount: 1 })]);
    expect(of('NO_VALUE')).toEqual([expect.objectContaining({ ...calls, quantity: null, eventCount: 1 })]);
    expect(of('UNKNOWN_TYPE')).toEqual([
      expect.objectContaining({ billableMetricId: null, metricName: null, eventType: 'typo', eventCount: 1 }),
    ]);
    expect(answer.groups).toHaveLength(8);
    expect(answer).toMatchObject({ object: 'unbilledUsage', from: START, to: '2026-02-01T00:00:00Z' });
    expect(answer.metrics[0]).toEqual({
      billableMetricId: metric.id,
      metricName: 'Calls',
      counted: { quantity: 65, eventCount: 13 },
      priced: { quantity: 11, eventCount: 2 },
    });
  });

  it('names as examples events whose outcome says the same', async () => {
    const { groups } = await report();
    for (const { examples, firstAt, lastAt, reason } of groups) {
      expect(examples.length).toBeGreaterThan(0);
      for (const id of examples) {
        const event = await shop.read(`/v0/events/${id}`);
        expect([firstAt <= event.timestamp, event.timestamp <= lastAt]).toEqual([true, true]);
        expect(event.outcome.reason).toBe(reason);
      }
    }
  });

  it('pages its groups, and gathers them by reason or by metric', async () => {
    const all = await report();
    const page = await report('&limit=3&offset=2');
    expect(page).toMatchObject({ groups: all.groups.slice(2, 5), pagination: { limit: 3, offset: 2, total: 8 } });
    const byReason = (await report('&groupBy=reason')).groups;
    expect(byReason.find((group: Resource) => group.reason === 'GROUP_FILTERED')).toMatchObject({
      billableMetricId: metric.id,
      quantity: 23,
      eventCount: 8,
      firstAt: day(3),
      lastAt: day(10),
    });
    const byMetric = (await report('&groupBy=metric')).groups;
    expect(byMetric.find((group: Resource) => group.billableMetricId === metric.id)).toMatchObject({
      reason: null,
      eventCount: 12,
    });
  });

  it.each([
    { query: 'to=2026-02-01T00:00:00Z', field: 'from' },
    { query: `from=${START}`, field: 'to' },
    { query: `from=${START}&to=${START}`, field: 'to' },
    { query: `${JANUARY}&groupBy=customer`, field: 'groupBy' },
    { query: `${JANUARY}&groupBy=`, field: 'groupBy' },
    { query: `${JANUARY}&limit=0`, field: 'limit' },
    { query: `${JANUARY}&reason=NO_VALUE`, field: 'reason' },
  ])('is a 400 for ?$query', async ({ query, field }) => {
    const answer = await merchant.get(`${PATH}?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });

  it("knows nothing of other merchants' usage, and asks operators for a merchant", async () => {
    const other = await env.merchant();
    expect((await other.get(`${PATH}?${JANUARY}`)).body).toMatchObject({ groups: [], metrics: [] });
    expect(await other.get(`${PATH}?${JANUARY}&merchantId=${merchant.id}`)).toMatchObject({ status: 403 });
    expect(await env.platform.get(`${PATH}?${JANUARY}`)).toMatchObject({ status: 400 });
    expect((await env.platform.get(`${PATH}?${JANUARY}&merchantId=${merchant.id}`)).body.groups).toHaveLength(8);
  });
});

describe('usage of a subscription that has ended', () => {
  /** Two prices of one metric and one of another, ended in the middle of February. */
  async function ended() {
    const own = shopOf(await env.merchant());
    const clock = await own.clock(START);
    const metric = await own.metric({ name: 'Calls', ...REGIONS });
    const peak = await own.metric({ name: 'Peak', aggregation: 'MAX', eventType: 'peak', valueProperty: '$.units' });
    const prices = [
      await own.usagePrice({ billableMetricId: metric.id, groupFilters: { region: ['eu'] } }),
      await own.usagePrice({ billableMetricId: metric.id, groupFilters: { region: ['us'] } }),
      await own.usagePrice({ billableMetricId: peak.id }),
    ];
    const customer = await own.customer();
    const subscription = await own.subscribe(await own.plan(prices), { clock, customer });
    const use = (at: string, units: number, region: string, fields = {}) =>
      own.use(customer.id, at, units, { data: { units, region }, ...fields });
    await use(day(2), 10, 'eu');
    await own.advance(clock, '2026-02-15T00:00:00Z');
    await own.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved' });
    await own.advance(clock, 'PT1S');
    const closed = async (query = JANUARY) => {
      const answer = await own.read(`${PATH}?${query}`);
      const groups: Resource[] = answer.groups.filter(({ reason }: Resource) => reason === 'PERIOD_CLOSED');
      return { answer, groups };
    };
    return { own, clock, metric, peak, subscription, use, closed };
  }

  it('is PERIOD_CLOSED if it came after the last look at late usage, and what came before is paid for', async () => {
    const { own, clock, metric, subscription, use, closed } = await ended();
    await use(day(3), 3, 'eu');
    await own.advance(clock, '2026-03-21T23:59:59Z');
    expect((await closed()).groups).toEqual([]);
    await own.advance(clock, '2026-03-22T00:00:01Z'); // 35 days after the end
    expect((await own.invoices(subscription))[2]).toMatchObject({ kind: 'ad_hoc', subtotal: '3.00' });
    expect((await closed()).groups).toEqual([]);

    const late = [await use(day(4), 50, 'eu'), await use(day(5), 5, 'us')];
    await use(day(6), 7, 'asia');
    await own.use(subscription.id, '2026-02-10T00:00:00Z', 8, { data: { units: 8, region: 'us' } });
    await use('2026-02-20T00:00:00Z', 9, 'eu');
    const { answer, groups } = await closed();
    expect(groups).toEqual([
      {
        reason: 'PERIOD_CLOSED',
        billableMetricId: metric.id,
        metricName: 'Calls',
        eventType: 'call',
        group: null,
        quantity: 55,
        eventCount: 2,
        firstAt: day(4),
        lastAt: day(5),
        examples: late.map(({ id }) => id).toReversed(),
      },
    ]);
    for (const { id } of late) expect((await own.read(`/v0/events/${id}`)).outcome.reason).toBe('PERIOD_CLOSED');
    expect(answer.metrics[0]).toMatchObject({
      counted: { quantity: 75, eventCount: 5 },
      priced: { quantity: 13, eventCount: 2 },
    });
    expect((await closed(`from=${day(5)}&to=2026-03-01T00:00:00Z`)).groups).toMatchObject([
      { quantity: 13, eventCount: 2, firstAt: day(5), lastAt: '2026-02-10T00:00:00Z' },
    ]);
    await own.advance(clock, 'P1Y');
    expect(await own.invoices(subscription)).toHaveLength(3);
    expect((await closed()).groups).toEqual(groups);
  });

  it('is PERIOD_CLOSED also where nothing came late before; figures that do not add up have no quantity', async () => {
    const { own, clock, peak, use, closed } = await ended();
    await own.advance(clock, 'P1Y');
    await use(day(4), 50, 'eu', { type: 'peak' });
    expect((await closed()).groups).toMatchObject([
      { billableMetricId: peak.id, quantity: null, eventCount: 1, firstAt: day(4) },
    ]);
  });
});
