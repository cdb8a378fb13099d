import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectBooksToBalance } from '../support/books.ts';
import {
  changeTo,
  closeNow,
  costOf,
  end,
  fee,
  invoicesInForce,
  payAll,
  promptPlan,
  subscribed,
} from '../support/crossings.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/**
 * Several events at one instant (domain.md §3). The last of several changes counts; a change and its reversal are
 * nothing. A change at the very start of a period, of the subscription or after a trial re-prices that period.
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

const JANUARY = '2024-01-01T00:00:00Z'; // a leap year: 366 days
const FEBRUARY = '2024-02-01T00:00:00Z';
const MARCH = '2024-03-01T00:00:00Z';

describe('an add-on that is taken as a period begins', () => {
  /** 100.00 a month in advance; with the add-on 120.00. */
  async function twoPlans() {
    const base = await fee(shop, 'in_advance', '100');
    return {
      base: await promptPlan(shop, [base]),
      larger: await promptPlan(shop, [base, await fee(shop, 'in_advance', '20')]),
    };
  }

  it.each([
    { what: 'nothing is paid', isPaid: false },
    { what: 'all is paid', isPaid: true },
  ])('is all that is charged beside what was issued for the period: $what', async ({ isPaid }) => {
    const { base, larger } = await twoPlans();
    const { clock, subscription, customerId } = await subscribed(shop, base, JANUARY);
    if (isPaid) await payAll(shop, customerId);
    await shop.advance(clock, FEBRUARY); // February's 100.00 is issued with January's invoice
    if (isPaid) await payAll(shop, customerId);
    await changeTo(shop, subscription, larger);
    await shop.advance(clock, MARCH);
    expect(await costOf(shop, customerId)).toBe('340.00'); // January 100, February 100 + 20, March 100 + 20
  });

  it('is all that a change of many subscriptions to the new version charges', async () => {
    const { base } = await twoPlans();
    const { clock, subscription, customerId } = await subscribed(shop, base, JANUARY);
    await shop.advance(clock, FEBRUARY);
    const addOn = await fee(shop, 'in_advance', '20');
    await shop.create(`/v0/plans/${base.id}/versions`, { addPrices: [addOn.id] });
    await shop.create(`/v0/plans/${base.id}/migrations`, { fromVersion: 1, toVersion: 2 });
    expect((await shop.read(`/v0/subscriptions/${subscription.id}`)).planVersionNumber).toBe(2);
    await shop.advance(clock, MARCH);
    expect(await costOf(shop, customerId)).toBe('340.00');
  });

  it.each([
    { what: 'nothing is paid', isPaid: false },
    { what: 'the upfront invoice is paid', isPaid: true },
  ])('at the instant of the start, $what', async ({ isPaid }) => {
    const { base, larger } = await twoPlans();
    const { clock, subscription, customerId } = await subscribed(shop, base, JANUARY);
    if (isPaid) await payAll(shop, customerId);
    await changeTo(shop, subscription, larger);
    await shop.advance(clock, FEBRUARY);
    expect(await costOf(shop, customerId)).toBe('240.00'); // January and February, 100 + 20 each
  });

  it('is given up again at the same instant: nothing was', async () => {
    const { base, larger } = await twoPlans();
    const { clock, subscription, customerId } = await subscribed(shop, base, JANUARY);
    await shop.advance(clock, FEBRUARY);
    await changeTo(shop, subscription, larger);
    await changeTo(shop, subscription, base);
    await shop.advance(clock, MARCH);
    expect(await costOf(shop, customerId)).toBe('300.00');
  });
});

describe('a cadence that is left and resumed at one instant continues', () => {
  const usage = async (billingCadence: string) => shop.usagePrice({ billingCadence });
  const unitsIn = async (subscription: Resource, days: readonly string[], units: number) => {
    for (const day of days) await shop.use(subscription.id, `${day}T00:00:00Z`, units);
  };

  /** Calls at 1.00: 3 before the 11th of January, and 180 in each of the months after. */
  it('monthly usage, by way of a plan of years', async () => {
    const metric = await shop.metric();
    const price = await shop.usagePrice({ billableMetricId: metric.id, billingCadence: 'P1M' });
    const monthly = await promptPlan(shop, [price]);
    const yearly = await promptPlan(shop, [await usage('P1Y')], { billingCadence: 'P1Y' });
    const { clock, subscription, customerId } = await subscribed(shop, monthly, JANUARY);
    await unitsIn(subscription, ['2024-01-05'], 3);
    await shop.advance(clock, '2024-01-11T00:00:00Z');
    await changeTo(shop, subscription, yearly);
    await changeTo(shop, subscription, monthly);
    for (const day of ['2024-01-20', '2024-02-20', '2024-03-20']) {
      await shop.advance(clock, `${day}T00:00:01Z`);
      await unitsIn(subscription, [day], 180);
    }
    await shop.advance(clock, '2024-05-01T00:00:00Z');
    expect(await costOf(shop, customerId)).toBe('543.00'); // 3 + 3 x 180
    const { data } = await shop.read(`/v2/invoices?subscriptionId=${subscription.id}&status=ACTIVE`);
    expect(data).toHaveLength(1);
  });

  /** Calls at 1.00, billed each week: none in the first week, 100 in each of the five after. */
  it('weekly usage, by way of a plan of months that was to come with the next period', async () => {
    const weekly = await promptPlan(shop, [await usage('P1W')], { billingCadence: 'P1W' });
    const monthly = await promptPlan(shop, [await usage('P1M')]);
    const { clock, subscription, customerId } = await subscribed(shop, weekly, JANUARY);
    await changeTo(shop, subscription, monthly, { effective: 'periodEnd' });
    await shop.advance(clock, '2024-01-08T00:00:00Z');
    await changeTo(shop, subscription, weekly);
    const days = ['2024-01-10', '2024-01-17', '2024-01-24', '2024-01-31', '2024-02-07'];
    await unitsIn(subscription, days, 100);
    await shop.advance(clock, '2024-02-12T00:00:00Z'); // the sixth week is over
    expect(await costOf(shop, customerId)).toBe('500.00');
  });

  /** 366.00 a year in arrears: 1.00 a day. The plan is left and taken again after 60 days. */
  it('a yearly fee in arrears', async () => {
    const yearly = await promptPlan(shop, [await fee(shop, 'in_arrears', '366', { billingCadence: 'P1Y' })], {
      billingCadence: 'P1Y',
    });
    const other = await promptPlan(shop, [await usage('P1M')]);
    const { clock, subscription, customerId } = await subscribed(shop, yearly, JANUARY);
    await shop.advance(clock, MARCH); // 31 + 29 days
    await changeTo(shop, subscription, other);
    await changeTo(shop, subscription, yearly);
    await shop.advance(clock, '2025-01-01T00:00:00Z');
    expect(await costOf(shop, customerId)).toBe('366.00');
  });
});

/*
 * A costs 31.00 a month in advance, B 62.00. On the 11th of January the subscription changes to B and back to A:
 * January and February cost 31.00 each.
 */
describe('there and back at one instant inside a period that was billed in advance', () => {
  const paid = { nothing: null, part: '15.00', all: '31.00' } as const;

  it.each([
    { of: 'nothing', credit: 'invoice' },
    { of: 'nothing', credit: 'wallet' },
    { of: 'part', credit: 'invoice' },
    { of: 'part', credit: 'wallet' },
    { of: 'all', credit: 'invoice' },
    { of: 'all', credit: 'wallet' },
  ] as const)('of which $of was paid, credits by $credit: it is as if nothing had been', async ({ of, credit }) => {
    const [a, b] = [
      await promptPlan(shop, [await fee(shop, 'in_advance', '31')]),
      await promptPlan(shop, [await fee(shop, 'in_advance', '62')]),
    ];
    const { clock, subscription, customerId } = await subscribed(shop, a, JANUARY);
    const [upfront] = await invoicesInForce(shop, customerId);
    const amount = paid[of];
    if (amount !== null)
      await shop.create(`/v2/invoices/${upfront.id}/payments`, {
        ...{ amount, method: 'bank_transfer', idempotencyKey: `part of ${upfront.id}` },
      });
    await shop.advance(clock, '2024-01-11T00:00:00Z');
    await changeTo(shop, subscription, b, { credit });
    await changeTo(shop, subscription, a, { credit });
    await shop.advance(clock, FEBRUARY);
    expect(await costOf(shop, customerId)).toBe('62.00');
  });

  it.each(['invoice', 'wallet', 'none'])('at the start of a period that was paid, credits by %s', async (credit) => {
    const [a, b] = [
      await promptPlan(shop, [await fee(shop, 'in_advance', '31')]),
      await promptPlan(shop, [await fee(shop, 'in_advance', '62')]),
    ];
    const { clock, subscription, customerId } = await subscribed(shop, a, JANUARY);
    await payAll(shop, customerId);
    await shop.advance(clock, FEBRUARY);
    await payAll(shop, customerId);
    await changeTo(shop, subscription, b, { credit });
    await changeTo(shop, subscription, a, { credit });
    await shop.advance(clock, MARCH);
    expect(await costOf(shop, customerId)).toBe('93.00'); // January, February, March
  });

  /** A to B and back a second apart: each change credits and charges, with the same total in whole cents here. */
  it('or a second apart', async () => {
    const [a, b] = [
      await promptPlan(shop, [await fee(shop, 'in_advance', '31')]),
      await promptPlan(shop, [await fee(shop, 'in_advance', '62')]),
    ];
    const { clock, subscription, customerId } = await subscribed(shop, a, JANUARY);
    await payAll(shop, customerId);
    await shop.advance(clock, '2024-01-11T00:00:00Z');
    await changeTo(shop, subscription, b);
    await shop.advance(clock, 'PT1S');
    await changeTo(shop, subscription, a);
    await shop.advance(clock, FEBRUARY);
    expect(await costOf(shop, customerId)).toBe('62.00'); // one second of B is 0.00002
  });

  /** A to B, to C, at one instant on the 11th of 31 days: 10 days of A, 21 of C at 93.00 = 63.00; February 93.00. */
  it('of three changes only the last counts', async () => {
    const plans: Resource[] = [];
    for (const price of ['31', '62', '93', '124'])
      plans.push(await promptPlan(shop, [await fee(shop, 'in_advance', price)]));
    const [a, b, c, d] = plans as [Resource, Resource, Resource, Resource];
    const { clock, subscription, customerId } = await subscribed(shop, a, JANUARY);
    await payAll(shop, customerId);
    await shop.advance(clock, '2024-01-11T00:00:00Z');
    for (const plan of [b, d, c]) await changeTo(shop, subscription, plan);
    await shop.advance(clock, FEBRUARY);
    expect(await costOf(shop, customerId)).toBe('166.00'); // 10 + 63 + 93
  });
});

/*
 * A yearly fee of 366.00 in advance is added on the 11th of January, with a request to bill it at once. Its year begins
 * then, so by the 1st of February it is charged once.
 */
describe('a change and closeNow at one instant', () => {
  it('charge what the new plan has in advance once', async () => {
    const usage = await shop.usagePrice();
    const monthly = await promptPlan(shop, [usage]);
    const withYear = await promptPlan(shop, [usage, await fee(shop, 'in_advance', '366', { billingCadence: 'P1Y' })]);
    const { clock, subscription, customerId } = await subscribed(shop, monthly, JANUARY);
    await shop.advance(clock, '2024-01-11T00:00:00Z');
    await changeTo(shop, subscription, withYear);
    await closeNow(shop, subscription);
    await shop.advance(clock, 'PT1H');
    await shop.advance(clock, FEBRUARY);
    expect(await costOf(shop, customerId)).toBe('366.00');
  });

  it('and the end at the same instant bill once, and give all of it back', async () => {
    const usage = await shop.usagePrice();
    const monthly = await promptPlan(shop, [usage]);
    const withYear = await promptPlan(shop, [usage, await fee(shop, 'in_advance', '366', { billingCadence: 'P1Y' })]);
    const { clock, subscription, customerId } = await subscribed(shop, monthly, JANUARY);
    await shop.advance(clock, '2024-01-11T00:00:00Z');
    await changeTo(shop, subscription, withYear);
    await closeNow(shop, subscription);
    await end(shop, subscription);
    await shop.advance(clock, FEBRUARY);
    expect(await costOf(shop, customerId)).toBe('0.00'); // no second of the year was used
  });
});

/*
 * A set-up fee of 50.00 (P0D, in advance) is charged once for each subscription and price, whenever its plan is taken.
 */
describe('a set-up fee whose plan is taken', () => {
  const setUp = () => fee(shop, 'in_advance', '50', { billingCadence: 'P0D' });

  it.each([
    { what: 'at the instant of the start', after: null },
    { what: 'a second after the start', after: 'PT1S' },
    { what: 'in the midst of the first period', after: 'P10D' },
    { what: 'at the start of the second period', after: 'P1M' },
  ])('$what is charged', async ({ after }) => {
    const usage = await shop.usagePrice();
    const plain = await promptPlan(shop, [usage]);
    const withFee = await promptPlan(shop, [usage, await setUp()]);
    const { clock, subscription, customerId } = await subscribed(shop, plain, JANUARY);
    if (after !== null) await shop.advance(clock, after);
    await changeTo(shop, subscription, withFee);
    await shop.advance(clock, MARCH);
    expect(await costOf(shop, customerId)).toBe('50.00');
  });

  /**
   * 62.00 a month in advance: the first at the trial's end, on the 15th of January, the second a month later; 50.00
   * once.
   */
  it.each([
    { what: 'a second before the end of a trial', at: '2024-01-14T23:59:59Z' },
    { what: 'at the end of a trial', at: '2024-01-15T00:00:00Z' },
    { what: 'a second after the end of a trial', at: '2024-01-15T00:00:01Z' },
  ])('$what is charged', async ({ at }) => {
    const base = await fee(shop, 'in_advance', '62');
    const plain = await promptPlan(shop, [base], { trialPeriod: 'P14D' });
    const withFee = await promptPlan(shop, [base, await setUp()], { trialPeriod: 'P14D' });
    const { clock, subscription, customerId } = await subscribed(shop, plain, JANUARY);
    await shop.advance(clock, at);
    await changeTo(shop, subscription, withFee);
    await shop.advance(clock, '2024-02-15T00:00:00Z');
    expect(await costOf(shop, customerId)).toBe('174.00'); // 62 + 62 + 50
  });
});

/*
 * The result of a change and its reversal must not depend on currency, tax or discount: 2 months cost the price of 2
 * months.
 */
describe('there and back at one instant, to the last minor unit', () => {
  it.each([
    { what: 'JPY at 8 %', price: '77', plan: { currency: 'JPY', defaultTaxRate: 8 }, cost: '166' }, // 2 x (77 + 6)
    { what: 'KWD at 5 %', price: '7.777', plan: { currency: 'KWD', defaultTaxRate: 5 }, cost: '16.332' }, // 2 x 8.166
    {
      ...{ what: 'USD with 19 % inside', price: '99.99', cost: '199.98' },
      plan: { defaultTaxRate: 19, taxBehavior: 'inclusive' },
    },
  ])('$what', async ({ price, plan, cost }) => {
    for (const isPaid of [true, false]) {
      const [a, b] = [
        await promptPlan(shop, [await fee(shop, 'in_advance', price)], plan),
        await promptPlan(shop, [await fee(shop, 'in_advance', '1000')], plan),
      ];
      const { clock, subscription, customerId } = await subscribed(shop, a, JANUARY);
      if (isPaid) await payAll(shop, customerId);
      await shop.advance(clock, '2024-01-11T07:11:13Z');
      await changeTo(shop, subscription, b);
      await changeTo(shop, subscription, a);
      await shop.advance(clock, FEBRUARY);
      expect(await costOf(shop, customerId)).toBe(cost);
    }
  });

  /** Half the price in January: 50.00 of 100.00. February's fee is on January's invoice, which has the discount too. */
  it('with a discount', async () => {
    const [a, b] = [
      await promptPlan(shop, [await fee(shop, 'in_advance', '100')]),
      await promptPlan(shop, [await fee(shop, 'in_advance', '300')]),
    ];
    const idle = await promptPlan(shop, [await shop.usagePrice()]);
    const { clock, subscription, customerId } = await subscribed(shop, idle, JANUARY);
    await shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, {
      ...{ type: 'percentageDiscount', percentageDiscount: '0.5', description: 'Half' },
      ...{ effectiveFrom: JANUARY, effectiveTo: '2024-02-02T00:00:00Z' },
    });
    await changeTo(shop, subscription, a);
    await shop.advance(clock, '2024-01-11T00:00:00Z');
    await changeTo(shop, subscription, b);
    await changeTo(shop, subscription, a);
    await shop.advance(clock, FEBRUARY);
    expect(await costOf(shop, customerId)).toBe('100.00');
  });
});

describe('a change at the boundary that another one had reached', () => {
  /** B was scheduled for February; at the 1st of February, 00:00, the customer returns to A: three months of 31.00. */
  it.each(['in_advance', 'in_arrears'] as const)('takes back what was to come with the period, %s', async (term) => {
    const [a, b] = [
      await promptPlan(shop, [await fee(shop, term, '31')]),
      await promptPlan(shop, [await fee(shop, term, '62')]),
    ];
    const { clock, subscription, customerId } = await subscribed(shop, a, JANUARY);
    await changeTo(shop, subscription, b, { effective: 'periodEnd' });
    await shop.advance(clock, FEBRUARY);
    await changeTo(shop, subscription, a);
    await shop.advance(clock, MARCH);
    expect(await costOf(shop, customerId)).toBe(term === 'in_advance' ? '93.00' : '62.00');
  });

  /** From the 31st of January on: the second period begins on the 29th of February, the third on the 31st of March. */
  it('re-prices a period that begins on the last day of a short month', async () => {
    const base = await fee(shop, 'in_advance', '100');
    const plan = await promptPlan(shop, [base]);
    const larger = await promptPlan(shop, [base, await fee(shop, 'in_advance', '20')]);
    const { clock, subscription, customerId } = await subscribed(shop, plan, '2024-01-31T00:00:00Z');
    await shop.advance(clock, '2024-02-29T00:00:00Z');
    await changeTo(shop, subscription, larger);
    await shop.advance(clock, '2024-03-31T00:00:00Z');
    expect(await costOf(shop, customerId)).toBe('340.00');
  });
});

describe('a cadence in advance that is left and taken again at one instant', () => {
  /** 31.00 a month in advance, by way of 366.00 a year in advance: January and February. */
  it.each([
    { what: 'paid', isPaid: true },
    { what: 'unpaid', isPaid: false },
  ])('leaves nothing behind: $what', async ({ isPaid }) => {
    const monthly = await promptPlan(shop, [await fee(shop, 'in_advance', '31')]);
    const yearly = await promptPlan(shop, [await fee(shop, 'in_advance', '366', { billingCadence: 'P1Y' })], {
      billingCadence: 'P1Y',
    });
    const { clock, subscription, customerId } = await subscribed(shop, monthly, JANUARY);
    if (isPaid) await payAll(shop, customerId);
    await shop.advance(clock, '2024-01-11T00:00:00Z');
    await changeTo(shop, subscription, yearly);
    await changeTo(shop, subscription, monthly);
    await shop.advance(clock, FEBRUARY);
    expect(await costOf(shop, customerId)).toBe('62.00');
  });
});

describe('closeNow and a change at one instant, in either order', () => {
  it.each(['change, closeNow', 'closeNow, change', 'closeNow, change, closeNow'])('%s', async (order) => {
    const metric = await shop.metric();
    const usage = await shop.usagePrice({ billableMetricId: metric.id });
    const monthly = await promptPlan(shop, [usage]);
    const withYear = await promptPlan(shop, [usage, await fee(shop, 'in_advance', '366', { billingCadence: 'P1Y' })]);
    const { clock, subscription, customerId } = await subscribed(shop, monthly, JANUARY);
    await shop.use(subscription.id, '2024-01-05T00:00:00Z', 7);
    await shop.use(subscription.id, '2024-01-20T00:00:00Z', 5);
    await shop.advance(clock, '2024-01-11T00:00:00Z');
    for (const step of order.split(', ')) {
      if (step === 'change') await changeTo(shop, subscription, withYear);
      // A period without length cannot be cut again: there is nothing to bill.
      else await closeNow(shop, subscription).catch((refused: unknown) => expect(String(refused)).toContain(' 409'));
    }
    await shop.advance(clock, FEBRUARY);
    await shop.advance(clock, 'PT1H');
    expect(await costOf(shop, customerId)).toBe('378.00'); // 7 + 5 and the year once
  });
});
