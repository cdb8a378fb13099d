import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, shopOf } from '../support/shop.ts';

/**
 * I-34: a clock that advances a year at once and one that goes there in any number of steps have the same invoices, to
 * the last digit and the last instant. So do a wall clock with a punctual worker, and one after an outage of months
 * (I-21).
 */
let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment({ recomputed: true });
});
afterAll(() => env.close());

const START = '2026-01-31T10:30:00Z';
const END = '2027-01-31T10:30:00Z';
const HOURS = 365 * 24;
const afterHours = (hours: number) => Temporal.Instant.from(START).add({ hours }).toString();

interface Usage {
  readonly hour: number;
  readonly units: number;
}

/** The same shop each time, of a merchant of its own, so that its invoices have the same numbers. */
async function open(usage: readonly Usage[], isOnClock: boolean) {
  env.setNow(START);
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const prices = [
    await shop.feePrice(),
    await shop.usagePrice({ properties: { unitPrice: '0.0375' } }),
    await shop.feePrice({ billingCadence: 'P3M' }),
  ];
  const plan = await shop.plan(prices, { defaultTaxRate: 8.875, gracePeriod: 'PT36H' });
  const clock = isOnClock ? await shop.clock(START) : undefined;
  const subscription = await shop.subscribe(plan, { startedAt: START, ...(clock && { clock }) });
  for (const [index, { hour, units }] of usage.entries())
    await shop.use(subscription.id, afterHours(hour), units, { idempotencyKey: `event-${index}` });
  return { shop, clock, subscription };
}

/** Invoices without their ids, which are new in each run, and without the hashes over ids. */
function withoutIds(invoices: readonly Resource[]): unknown[] {
  const names = new Map<string, string>();
  const named = (id: string) => {
    if (!names.has(id)) names.set(id, `#${names.size}`);
    return names.get(id) as string;
  };
  return JSON.parse(JSON.stringify(invoices).replaceAll(/\b(?:[a-z]+_[0-9A-Za-z]{16,}|[0-9a-f]{64})\b/g, named));
}

const BILLED = [
  ...['billingCadence', 'periodStart', 'periodEnd', 'gracePeriodEnd', 'sequenceNumber', 'status', 'itemCount'],
  ...['currency', 'subtotal', 'totalTax', 'grandTotal', 'unpaidAmount', 'lines'],
];

/** The billed amounts by period, without their times and order. */
function billed(invoices: readonly Resource[]): unknown[] {
  const place = ({ billingCadence, periodStart }: Resource) => `${billingCadence} ${periodStart}`;
  const sorted = invoices.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
  const kept = sorted.map((invoice) => BILLED.map((field) => [field, invoice[field]]));
  return JSON.parse(JSON.stringify(kept).replaceAll(/\b[a-z]+_[0-9A-Za-z]{16,}\b/g, '#'));
}

const usages = fc.array(
  fc.record({ hour: fc.integer({ min: 0, max: HOURS - 1 }), units: fc.integer({ min: 0, max: 500 }) }),
  {
    maxLength: 12,
  },
);
const stops = fc.array(fc.integer({ min: 1, max: HOURS - 1 }), { minLength: 1, maxLength: 20 });

describe('a year of billing', () => {
  it('is the same at once as in any number of steps', { timeout: 240_000 }, async () => {
    const story = async (usage: readonly Usage[], hours: readonly number[]) => {
      const { shop, clock, subscription } = await open(usage, true);
      for (const hour of new Set(hours.toSorted((a, b) => a - b))) await shop.advance(clock, afterHours(hour));
      await shop.advance(clock, END);
      return withoutIds(await shop.invoices(subscription));
    };
    await fc.assert(
      fc.asyncProperty(usages, stops, async (usage, hours) => {
        const whole = await story(usage, []);
        expect(whole.length).toBeGreaterThanOrEqual(12);
        expect(await story(usage, hours)).toEqual(whole);
      }),
      { numRuns: 4 },
    );
  });

  it('is the same on the wall clock, with a worker that was away for months, but for when it was issued', {
    timeout: 240_000,
  }, async () => {
    const usage = [
      { hour: 5, units: 100 },
      { hour: 800, units: 7 },
      { hour: 5000, units: 31 },
    ];
    const story = async (looks: readonly string[]) => {
      const { shop, subscription } = await open(usage, false);
      for (const at of looks) {
        env.setNow(at);
        await env.runDueWork();
      }
      return billed(await shop.invoices(subscription));
    };
    const daily = Array.from({ length: 365 + 1 }, (_, day) => afterHours(day * 24));
    const inTime = await story(daily);
    expect(inTime.length).toBeGreaterThanOrEqual(12);
    expect(await story([afterHours(24 * 40), END])).toEqual(inTime);
    expect(await story([END])).toEqual(inTime);
  });
});
