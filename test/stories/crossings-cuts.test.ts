import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectBooksToBalance } from '../support/books.ts';
import {
  changeTo,
  closeNow,
  costOf,
  end,
  endAsOf,
  fee,
  invoicesInForce,
  payAll,
  promptPlan,
  subscribed,
} from '../support/crossings.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/**
 * `closeNow`, changes without proration, changes by the day, and ends, in one period (domain.md §3, §4 row 2): the
 * parts of a period sum to the uncut one, and fees that were billed for time after an end are credited.
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(async () => {
  await expectBooksToBalance(env, merchant);
  await env.close();
});

/** April has 30 days. */
const day = (number: number) => `2024-04-${String(number).padStart(2, '0')}T00:00:00Z`;
const APRIL = day(1);
const MAY = '2024-05-01T00:00:00Z';

/** Each compares April with and without the cut: the totals are equal. */
const CUTS = [
  { what: 'without closeNow', isCut: false },
  { what: 'with closeNow', isCut: true },
];

describe.each(CUTS)('a change without proration on the 11th, $what', ({ isCut }) => {
  /**
   * From `before` to `after` on the 11th of April, with `none`: the old fees apply to April, the new ones from May on.
   */
  async function april(before: Resource, after: Resource, units = 0) {
    const { clock, subscription, customerId } = await subscribed(shop, before, APRIL);
    if (units > 0) await shop.use(subscription.id, day(5), units);
    await shop.advance(clock, day(11));
    await changeTo(shop, subscription, after, { proration: 'none' });
    await shop.advance(clock, day(16));
    if (isCut) await closeNow(shop, subscription);
    await shop.advance(clock, MAY);
    await shop.advance(clock, 'PT1H');
    return costOf(shop, customerId);
  }

  it('charges the old fee in arrears for all of April', async () => {
    const [old, dear] = [await fee(shop, 'in_arrears', '30'), await fee(shop, 'in_arrears', '60')];
    expect(await april(await promptPlan(shop, [old]), await promptPlan(shop, [dear]))).toBe('30.00');
  });

  /** 100 of the 100 units that April includes. */
  it('includes the units of all of April', async () => {
    const usage = await shop.usagePrice({ properties: { unitPrice: '1', includedUnits: '100' } });
    const other = await fee(shop, 'in_arrears', '0');
    expect(await april(await promptPlan(shop, [usage]), await promptPlan(shop, [other]), 100)).toBe('0.00');
  });

  it('asks for the minimum of all of April', async () => {
    const usage = await shop.usagePrice({ minimumAmount: '90' });
    const other = await fee(shop, 'in_arrears', '0');
    expect(await april(await promptPlan(shop, [usage]), await promptPlan(shop, [other]))).toBe('90.00');
  });

  it('grants the maximum of all of April', async () => {
    const usage = await shop.usagePrice({ maximumAmount: '90' });
    const other = await fee(shop, 'in_arrears', '0');
    expect(await april(await promptPlan(shop, [usage]), await promptPlan(shop, [other]), 200)).toBe('90.00');
  });
});

/* 300 units are included in a month, each further one costs 1.00, and all 300 are used by the 5th. */
describe('included units and closeNow on the 11th', () => {
  async function used(units: number, isCut = true) {
    const usage = await shop.usagePrice({ properties: { unitPrice: '1', includedUnits: '300' } });
    const sold = await subscribed(shop, await promptPlan(shop, [usage]), APRIL);
    await shop.use(sold.subscription.id, day(5), units);
    await shop.advance(sold.clock, day(11));
    if (isCut) await closeNow(shop, sold.subscription);
    await shop.advance(sold.clock, 'PT1H');
    return sold;
  }

  it('charge nothing that the month includes', async () => {
    const { customerId } = await used(300);
    expect(await costOf(shop, customerId)).toBe('0.00');
  });

  it.each([
    { units: 300, cost: '0.00' },
    { units: 340, cost: '40.00' },
  ])('$units units come to $cost by the end of the month', async ({ units, cost }) => {
    const { clock, customerId } = await used(units);
    await shop.advance(clock, MAY);
    expect(await costOf(shop, customerId)).toBe(cost);
  });

  it('charge nothing where the subscription ends with the month', async () => {
    const { clock, subscription, customerId } = await used(300);
    await shop.change(`/v0/subscriptions/${subscription.id}`, { endingAt: MAY });
    await shop.advance(clock, '2024-07-01T00:00:00Z');
    expect(await costOf(shop, customerId)).toBe('0.00');
  });

  /** It ends on the 21st, after 20 of 30 days: 200 units are included, so 100 are charged. */
  it.each(CUTS)('charge what a month that an end cuts does not include, $what', async ({ isCut }) => {
    const { clock, subscription, customerId } = await used(300, isCut);
    await shop.advance(clock, day(21));
    await end(shop, subscription);
    await shop.advance(clock, '2024-07-01T00:00:00Z');
    expect(await costOf(shop, customerId)).toBe('100.00');
  });

  /** 10 units by the 11th are 10.00, below the minimum of 90.00. The minimum is charged once, at the end of April. */
  it('ask for a minimum once', async () => {
    const usage = await shop.usagePrice({ minimumAmount: '90' });
    const { clock, subscription, customerId } = await subscribed(shop, await promptPlan(shop, [usage]), APRIL);
    await shop.use(subscription.id, day(5), 10);
    await shop.advance(clock, day(11));
    await closeNow(shop, subscription);
    await shop.advance(clock, 'PT1H');
    expect(await costOf(shop, customerId)).toBe('10.00');
    await shop.advance(clock, MAY);
    expect(await costOf(shop, customerId)).toBe('90.00');
  });

  /** 200 units at 1.00, at most 90.00: 90.00 by the 11th, and no more by the end of April. */
  it('grant a maximum as a whole', async () => {
    const usage = await shop.usagePrice({ maximumAmount: '90' });
    const { clock, subscription, customerId } = await subscribed(shop, await promptPlan(shop, [usage]), APRIL);
    await shop.use(subscription.id, day(5), 200);
    await shop.advance(clock, day(11));
    await closeNow(shop, subscription);
    await shop.advance(clock, 'PT1H');
    expect(await costOf(shop, customerId)).toBe('90.00');
    await shop.advance(clock, MAY);
    expect(await costOf(shop, customerId)).toBe('90.00');
  });
});

/*
 * A costs 30.00 a month. On the 11th of April the subscription changes to B with `none`, so A has the rest of the
 * period. On the 16th it ends, after 15 of 30 days: 15.00. B never begins.
 */
describe('a change without proration, then the end on the 16th', () => {
  it.each([
    { term: 'in_arrears', isPaid: false },
    { term: 'in_advance', isPaid: false },
    { term: 'in_advance', isPaid: true },
  ] as const)('costs half of the old fee, $term, paid: $isPaid', async ({ term, isPaid }) => {
    const [a, b] = [
      await promptPlan(shop, [await fee(shop, term, '30')]),
      await promptPlan(shop, [await fee(shop, term, '90')]),
    ];
    const { clock, subscription, customerId } = await subscribed(shop, a, APRIL);
    if (isPaid) await payAll(shop, customerId);
    await shop.advance(clock, day(11));
    await changeTo(shop, subscription, b, { proration: 'none' });
    await shop.advance(clock, day(16));
    await end(shop, subscription);
    await shop.advance(clock, '2024-06-10T00:00:00Z');
    expect(await costOf(shop, customerId)).toBe('15.00');
  });

  it.each(['in_arrears', 'in_advance'] as const)('or, %s, ends as of the 16th in May', async (term) => {
    const [a, b] = [
      await promptPlan(shop, [await fee(shop, term, '30')]),
      await promptPlan(shop, [await fee(shop, term, '90')]),
    ];
    const { clock, subscription, customerId } = await subscribed(shop, a, APRIL);
    await shop.advance(clock, day(11));
    await changeTo(shop, subscription, b, { proration: 'none' });
    await shop.advance(clock, '2024-05-10T00:00:00Z');
    await endAsOf(shop, subscription, day(16));
    await shop.advance(clock, '2024-06-20T00:00:00Z');
    expect(await costOf(shop, customerId)).toBe('15.00');
  });
});

/*
 * 30.00 a month in arrears, from the 16th of April on 60.00, changed by the day at noon: the old fee has 15 days =
 * 15.00, the new one the other 15 = 30.00. A `closeNow` at 06:00 of that day billed the old fee up to 06:00. The bill
 * of the 16th is then the new fee for the whole day, so April has the same total.
 */
describe.each([
  { what: 'without closeNow', hour: null },
  { what: 'after a closeNow on the same day', hour: 6 },
])('a change by the day, $what', ({ hour }) => {
  it.each(['in_arrears', 'in_advance'] as const)('charges whole days, %s', async (term) => {
    const [a, b] = [
      await promptPlan(shop, [await fee(shop, term, '30')]),
      await promptPlan(shop, [await fee(shop, term, '60')]),
    ];
    const { clock, subscription, customerId } = await subscribed(shop, a, APRIL);
    if (hour !== null) {
      await shop.advance(clock, `2024-04-16T0${hour}:00:00Z`);
      await closeNow(shop, subscription);
    }
    await shop.advance(clock, '2024-04-16T12:00:00Z');
    await changeTo(shop, subscription, b, { proration: 'day' });
    await shop.advance(clock, MAY);
    await shop.advance(clock, 'PT1H');
    // In advance, the same invoice has May's 60.00.
    expect(await costOf(shop, customerId)).toBe(term === 'in_arrears' ? '45.00' : '105.00');
  });
});

/*
 * A quarter from the 1st of January 2026 has 90 days, and the calls of a plan cost at least 90.00 in its period. On the
 * 11th of January the subscription changes to a monthly plan with the same calls and a quarterly fee, so the quarter
 * continues. On the 21st the quarter is closed. At the end of the month, on the 11th of February, the subscription
 * changes back. The quarter charges 10 + 49 of 90 days: 59.00. The month charges 90.00. Together 149.00.
 */
describe('a price with a minimum that leaves a series and comes back in the same period', () => {
  const january = (number: number) => `2026-01-${number}T00:00:00Z`;

  it.each(CUTS)('asks for the minimum of its time once, $what', async ({ isCut }) => {
    const calls = await shop.usagePrice({ minimumAmount: '90' });
    const support = await fee(shop, 'in_arrears', '0', { billingCadence: 'P3M' });
    const quarterly = await promptPlan(shop, [calls, support], { billingCadence: 'P3M' });
    const monthly = await promptPlan(shop, [calls, support]);
    const { clock, subscription, customerId } = await subscribed(shop, quarterly, '2026-01-01T00:00:00Z');
    await shop.advance(clock, january(11));
    await changeTo(shop, subscription, monthly);
    await shop.advance(clock, january(21));
    if (isCut) await closeNow(shop, subscription, 'P3M');
    await changeTo(shop, subscription, quarterly, { effective: 'periodEnd' });
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    const quarter = (await invoicesInForce(shop, customerId)).findLast(
      ({ billingCadence }) => billingCadence === 'P3M',
    );
    const lines = quarter.lines.filter(({ priceId }: Resource) => priceId === calls.id);
    expect(lines.map(({ type, periodStart }: Resource) => `${type} ${periodStart.slice(0, 10)}`)).toEqual(
      ['charge', 'minimum'].map((type) => `${type} ${isCut ? '2026-02-11' : '2026-01-01'}`),
    );
    await end(shop, subscription);
    await shop.advance(clock, '2026-06-01T00:00:00Z');
    expect(await costOf(shop, customerId)).toBe('149.00');
  });
});

/*
 * A fee costs 30.00 in April and at least 45.00. On the 16th `closeNow` bills 15.00, and the rest of April 15.00 and
 * the minimum of 15.00. An end within April credits that part of the fee and of the minimum. With an end on the 16th
 * that is 22.50, more than the 15.00 that are left of the invoices.
 */
describe('a fee in arrears with a minimum, and closeNow on the 16th', () => {
  async function sold() {
    const price = await fee(shop, 'in_arrears', '30', { minimumAmount: '45' });
    const found = await subscribed(shop, await promptPlan(shop, [price]), APRIL);
    await shop.advance(found.clock, day(16));
    await closeNow(shop, found.subscription);
    return found;
  }

  it.each([
    { to: 11, cost: '15.00', minimum: '5.00' },
    { to: 16, cost: '22.50', minimum: '7.50' },
    { to: 21, cost: '30.00', minimum: '5.00' },
  ])('ends in May as of the $to of April: $cost', async ({ to, cost, minimum }) => {
    const { clock, subscription, customerId } = await sold();
    await shop.advance(clock, '2024-05-10T00:00:00Z');
    await endAsOf(shop, subscription, day(to));
    await shop.advance(clock, '2024-07-01T00:00:00Z');
    expect(await costOf(shop, customerId)).toBe(cost);
    const supplementary = (await invoicesInForce(shop, customerId)).find(({ kind }) => kind === 'ad_hoc');
    expect(
      supplementary.lines.map(({ type, totalPrice, periodStart, periodEnd }: Resource) => ({
        ...{ type, totalPrice, periodStart, periodEnd },
      })),
    ).toEqual([{ type: 'minimum', totalPrice: minimum, periodStart: APRIL, periodEnd: day(to) }]);
  });

  it('ends at that very instant: 22.50', async () => {
    const { clock, subscription, customerId } = await sold();
    await end(shop, subscription);
    await shop.advance(clock, '2024-07-01T00:00:00Z');
    expect(await costOf(shop, customerId)).toBe('22.50');
  });

  it('ends as of that instant, a minute after it was billed: 22.50', async () => {
    const { clock, subscription, customerId } = await sold();
    await shop.advance(clock, 'PT1M');
    await endAsOf(shop, subscription, day(16));
    await shop.advance(clock, '2024-07-01T00:00:00Z');
    expect(await costOf(shop, customerId)).toBe('22.50');
  });

  it('goes on: 45.00', async () => {
    const { clock, customerId } = await sold();
    await shop.advance(clock, '2024-05-01T01:00:00Z');
    expect(await costOf(shop, customerId)).toBe('45.00');
  });
});

describe('cutting anywhere changes no total', () => {
  /**
   * April: 30.00 in arrears; calls at 1.00 up to 100, then 0.50, 20 included, at most 110.00. 170 calls: 150 are
   * charged, 100 x 1.00 + 50 x 0.50 = 125.00, limited to 110.00. With the fee 140.00.
   */
  it.each([{ cuts: [] }, { cuts: [2] }, { cuts: [11, 21] }, { cuts: [4, 5, 6, 29] }])(
    'closeNow on the days $cuts',
    async ({ cuts }) => {
      const tiers = [
        { upTo: '100', unitPrice: '1' },
        { upTo: null, unitPrice: '0.5' },
      ];
      const usage = await shop.usagePrice({
        ...{ model: 'graduated', properties: { tiers, includedUnits: '20' }, maximumAmount: '110' },
      });
      const plan = await promptPlan(shop, [usage, await fee(shop, 'in_arrears', '30')]);
      const { clock, subscription, customerId } = await subscribed(shop, plan, APRIL);
      for (const [at, units] of [
        [1, 40],
        [5, 50],
        [15, 60],
        [28, 20],
      ] as const)
        await shop.use(subscription.id, `2024-04-${String(at).padStart(2, '0')}T12:00:00Z`, units);
      for (const cut of cuts) {
        await shop.advance(clock, day(cut));
        await closeNow(shop, subscription);
        await shop.advance(clock, 'PT1H');
      }
      await shop.advance(clock, '2024-05-01T01:00:00Z');
      expect(await costOf(shop, customerId)).toBe('140.00');
      expect((await invoicesInForce(shop, customerId)).length).toBe(cuts.length + 1);
    },
  );
});

/*
 * A fee of 30.00 in advance: `closeNow` on the 3rd of April makes an invoice without lines. On the 18th a change
 * removes the fee, and 13 of 30 days are credited. The bill by the 3rd came before that credit.
 */
describe('an invoice without lines', () => {
  it('is calculated again with the same result, after any later credit', async () => {
    const a = await promptPlan(shop, [await fee(shop, 'in_advance', '30')]);
    const b = await promptPlan(shop, [await fee(shop, 'in_arrears', '60')]);
    const { clock, subscription, customerId } = await subscribed(shop, a, APRIL);
    await shop.advance(clock, day(3));
    const { id } = await closeNow(shop, subscription);
    await shop.advance(clock, day(18));
    await changeTo(shop, subscription, b);
    await shop.advance(clock, '2024-05-01T01:00:00Z');
    const { recalculation } = await shop.read(`/v2/invoices/${id}/explain`);
    expect(recalculation).toEqual({ grandTotal: '0.00', isSame: true });
    expect(await costOf(shop, customerId)).toBe('43.00'); // 17 days of 30.00, and 13 of 60.00
  });
});

/**
 * 100 units by the 10th of April, cut then, and 100 after it; 25 % off one of the parts. What comes late in May has the
 * discount of the part that it is in.
 */
describe('late usage of a month that closeNow cut', () => {
  const FIRST = { effectiveFrom: day(9), effectiveTo: day(12) };
  const SECOND = { effectiveFrom: day(28), effectiveTo: '2024-05-03T00:00:00Z' };

  it.each([
    { what: 'nothing was used, 25 % off the second', off: SECOND, late: [-100, -100], april: '0.00' },
    { what: '40 fewer in the first, 25 % off the second', off: SECOND, late: [-40, 0], april: '135.00' },
    { what: '10 were used in the second, 25 % off the first', off: FIRST, late: [-100, -90], april: '10.00' },
    { what: '40 fewer in the first, 25 % off the first', off: FIRST, late: [-40, 0], april: '145.00' },
    { what: '40 more in the first, 25 % off the first', off: FIRST, late: [40, 0], april: '205.00' },
    { what: 'one less and one more', off: FIRST, late: [-40, 40], april: '185.00' },
  ])('$what: $april', async ({ off, late: [first = 0, second = 0], april }) => {
    const plan = await promptPlan(shop, [await shop.usagePrice()]);
    const { clock, subscription, customerId } = await subscribed(shop, plan, APRIL);
    const terms = {
      type: 'percentageDiscount',
      ...off,
      percentageDiscount: '0.25',
      description: 'For a while',
      idempotencyKey: 'a while',
    };
    await shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, terms);
    await shop.use(subscription.id, day(5), 100);
    await shop.advance(clock, day(10));
    await closeNow(shop, subscription);
    await shop.use(subscription.id, day(15), 100);
    await shop.advance(clock, '2024-05-02T00:00:00Z');
    await payAll(shop, customerId);
    if (first !== 0) await shop.use(subscription.id, day(6), first);
    if (second !== 0) await shop.use(subscription.id, day(16), second);
    await shop.use(subscription.id, '2024-05-20T00:00:00Z', 1_000);
    await shop.advance(clock, '2024-07-01T00:00:00Z');
    expect(Number(await costOf(shop, customerId)) - 1_000).toBe(Number(april));
    const may = (await invoicesInForce(shop, customerId)).at(2);
    const late = may?.lines.filter(({ type }: Resource) => type === 'late_usage');
    expect(late?.map(({ periodStart, quantity }: Resource) => [periodStart, Number(quantity)])).toEqual(
      [
        [APRIL, first],
        [day(10), second],
      ].filter(([, units]) => units !== 0),
    );
  });
});
