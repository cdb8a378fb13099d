import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cases } from '../support/cases.ts';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { expectTotals } from '../support/identities.ts';
import { billingRecords } from '../support/records.ts';
import { type Shop, shopOf } from '../support/shop.ts';
import { openTables, type Tables } from '../support/tables.ts';

/** Advancing a test clock in one step or in many gives the same records, to the last webhook (reliability I-34). */
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

const START = Temporal.Instant.from('2027-12-31T18:30:00Z'); // into a leap year
const HOURS = 24 * 100;
const later = (hours: number) => START.add({ hours }).toString();

const contract = fc.record({
  cadence: fc.constantFrom('P1M', 'P3M', 'P30D', 'P2W'),
  feeCadence: fc.constantFrom('P1M', 'P1W', 'P0D', 'P3M'),
  startsAfterHours: fc.constantFrom(-240, 0, 0, 25),
  trialPeriod: fc.constantFrom(null, null, 'P10D'),
  gracePeriod: fc.constantFrom('PT0S', 'PT48H'),
  endsAfterHours: fc.option(fc.integer({ min: 600, max: 2300 }), { nil: null }),
  autoApprove: fc.boolean(),
  bankTransfer: fc.boolean(),
});
const usage = fc.record({
  ofContract: fc.nat(1),
  atHour: fc.integer({ min: -200, max: HOURS }),
  units: fc.integer({ min: 0, max: 50 }),
});
type Contract = typeof contract extends fc.Arbitrary<infer T> ? T : never;
type Usage = typeof usage extends fc.Arbitrary<infer T> ? T : never;

/** The same merchant, customers and contracts each time. @returns their clock */
async function sell(shop: Shop, contracts: readonly Contract[], events: readonly Usage[]) {
  const clock = await shop.clock(START.toString());
  const metric = await shop.metric();
  const subscriptions = [];
  for (const each of contracts) {
    const prices = [
      await shop.usagePrice({ billableMetricId: metric.id, properties: { unitPrice: '0.123' } }),
      await shop.feePrice({ billingCadence: each.feeCadence, properties: { unitPrice: '7.77' } }),
    ];
    const plan = await shop.plan(prices, {
      billingCadence: each.cadence,
      trialPeriod: each.trialPeriod,
      gracePeriod: each.gracePeriod,
      autoApprove: each.autoApprove,
      defaultTaxRate: 19,
    });
    const subscription = await shop.subscribe(plan, {
      clock,
      startedAt: later(each.startsAfterHours),
      ...(each.endsAfterHours && { endingAt: later(each.endsAfterHours) }),
      ...(each.bankTransfer && { bankTransferOnly: true, paymentTermDays: 14 }),
    });
    subscriptions.push(subscription);
  }
  for (const { ofContract, atHour, units } of events) {
    const subscription = subscriptions[ofContract % subscriptions.length];
    await shop.use(subscription.id, later(atHour), units, { idempotencyKey: `${ofContract}-${atHour}-${units}` });
  }
  return { clock, subscriptions };
}

it('in one advance as in many', { timeout: 120_000 }, async () => {
  const steps = fc.uniqueArray(fc.integer({ min: 1, max: HOURS - 1 }), { minLength: 3, maxLength: 12 });
  const worlds = fc.tuple(fc.array(contract, { minLength: 2, maxLength: 3 }), fc.array(usage, { maxLength: 8 }), steps);
  let invoices = 0;
  const tries = { ...cases(1, 5), endOnFailure: true };
  await fc.assert(
    fc.asyncProperty(worlds, async ([contracts, events, stops]) => {
      const [one, many] = [await env.merchant(), await env.merchant()];
      const atOnce = await sell(shopOf(one), contracts, events);
      await shopOf(one).advance(atOnce.clock, later(HOURS));
      const inSteps = await sell(shopOf(many), contracts, events);
      for (const hour of [...stops.toSorted((a, b) => a - b), HOURS])
        await shopOf(many).advance(inSteps.clock, later(hour));
      const records = await billingRecords(tables, one.id);
      expect(await billingRecords(tables, many.id)).toEqual(records);
      expect(records.filter((line) => line.startsWith('due_failure'))).toEqual([]);
      for (const subscription of atOnce.subscriptions)
        for (const invoice of await shopOf(one).invoices(subscription)) {
          expectTotals(invoice);
          invoices += 1;
        }
    }),
    tries,
  );
  expect(invoices).toBeGreaterThan(6 * tries.numRuns); // else the comparison was empty
});
