import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { decimal, sum } from '../../src/kernel/decimal.ts';
import { cases } from '../support/cases.ts';
import { sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, START, shopOf } from '../support/shop.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await sharedEnvironment();
});
afterAll(() => env.close());

const END = '2026-03-01T00:00:00Z';
const REGIONS = ['eu', 'us', 'asia', null] as const;
const hours = (count: number): string => Temporal.Instant.from(START).add({ hours: count }).toString();

const life = fc.record({
  /** Of up to three customers, each on a plan from a day of January on; some end on a day. */
  subscriptions: fc.array(
    fc.record({
      customer: fc.integer({ min: 0, max: 2 }),
      plan: fc.constantFrom('eu', 'all', 'fee'),
      from: fc.integer({ min: 0, max: 20 }),
      days: fc.option(fc.integer({ min: 5, max: 30 })),
      /** So many days later a request ends it at its day. */
      late: fc.constantFrom(0, 0, 6),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  events: fc.array(
    fc.record({
      customer: fc.integer({ min: 0, max: 3 }), // the last one is nobody's
      hour: fc.integer({ min: 0, max: 58 * 24 }),
      units: fc.integer({ min: 1, max: 1000 }),
      region: fc.constantFrom(...REGIONS),
    }),
    { minLength: 5, maxLength: 40 },
  ),
});

it('billed and unbilled usage sum to the counted usage', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(life, async ({ subscriptions, events }) => {
      env.setNow(START);
      const merchant = await env.merchant();
      const shop = shopOf(merchant);
      const clock = await shop.clock(START);
      const metric = await shop.metric({ groupBy: { region: '$.region' } });
      const priceOf = (fields: object) => shop.usagePrice({ billableMetricId: metric.id, ...fields });
      const plans: Record<string, Resource> = {
        eu: await shop.plan([await priceOf({ groupFilters: { region: ['eu', 'us'] } })]),
        all: await shop.plan([await priceOf({})]),
        fee: await shop.plan([await shop.feePrice()]),
      };
      const customers = await Promise.all([0, 1, 2].map(() => shop.customer()));
      const made: Resource[] = [];
      const ends: { id: string; at: number; told: number }[] = [];
      for (const { customer, plan, from, days, late } of subscriptions) {
        const startedAt = hours(from * 24 + 7);
        const subscription = await shop.subscribe(plans[plan], { clock, customer: customers[customer], startedAt });
        made.push(subscription);
        if (days === null) continue;
        const at = (from + days) * 24 + 11;
        ends.push({ id: subscription.id, at, told: at + late * 24 });
      }
      const sent = events.map(({ customer, hour, units, region }) => ({
        type: 'call',
        source: 'test',
        timestamp: hours(hour),
        ...(customers[customer] ? { subject: customers[customer].id } : { externalSubject: 'nobody' }),
        data: { units, ...(region && { region }) },
      }));
      expect((await merchant.post('/v0/events', sent)).status).toBe(202);
      let now = 0;
      for (const { id, at, told } of ends.toSorted((a, b) => a.told - b.told)) {
        if (told > now) await shop.advance(clock, hours(told));
        now = told;
        await shop.change(`/v0/subscriptions/${id}`, { terminatedAt: hours(at) });
      }
      const before = await shop.read(`/v0/usage/unbilled?from=${START}&to=${END}`);
      await shop.advance(clock, '2026-05-01T00:00:00Z');
      const invoices = (await Promise.all(made.map((subscription) => shop.invoices(subscription)))).flat();
      const billed = sum(
        invoices
          .flatMap(({ lines }) => lines)
          .filter((line: Resource) => line.eventType === 'usage')
          .map((line: Resource) => decimal(line.quantity)),
      );
      const after = await shop.read(`/v0/usage/unbilled?from=${START}&to=${END}`);
      expect(after).toEqual(before); // open periods count as priced
      const [figures] = after.metrics;
      const unbilled = sum(after.groups.map(({ quantity }: Resource) => decimal(quantity)));
      expect(figures.counted.quantity).toBe(events.reduce((all, { units }) => all + units, 0));
      expect(figures.priced.quantity).toBe(billed.toNumber());
      expect(billed.plus(unbilled).toNumber()).toBe(figures.counted.quantity);
      const eventCount = after.groups.reduce((all: number, group: Resource) => all + group.eventCount, 0);
      expect(figures.priced.eventCount + eventCount).toBe(events.length);
    }),
    { ...cases(2, 6), endOnFailure: true },
  );
});
