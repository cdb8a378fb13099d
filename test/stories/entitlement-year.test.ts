import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** A year of an entitlement, over HTTP: twelve months of one subscription, worked by hand (domain.md §5). */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

/** Its grants burn in the order of creation, beside what was given and bought. */
const TEMPLATE = {
  ...{ type: 'metered', usagePeriod: { interval: 'P1M' }, issueAfterReset: 100, resetMaxRollover: 30 },
  issueAfterResetPriority: 0,
};
const SOFT = { ...TEMPLATE, issueAfterReset: 80, isSoftLimit: true, preserveOverageAtReset: true };

/**
 * `granted` is the sum of the amounts of all grants until then, voided ones too; `used` is that of the usage period.
 */
interface Figures {
  granted: number;
  used: number;
  balance: number;
  overage: number;
  hasAccess: boolean;
}
const figures = (granted: number, used: number, balance: number, overage = 0, hasAccess = balance > 0): Figures => ({
  granted,
  used,
  balance,
  overage,
  hasAccess,
});

interface Year {
  use(units: number, at: string, by?: 'customer' | 'subscription'): Promise<unknown>;
  grant(fields: object): Promise<Resource>;
  buy(amount: number): Promise<void>;
  voidLast(): Promise<void>;
  reset(fields: object): Promise<unknown>;
  reconcile(): Promise<unknown>;
}

interface Row {
  /** The time of the clock; the events since the row before happen here. */
  at: string;
  does: (year: Year) => Promise<unknown>;
  /** The answer at that time. */
  shown: Figures;
  /** The answer for that time at the end of the year, after late events. */
  since?: Figures;
}

/*
 * The comments name each grant by its creation, with its remainder, in burn order: those of one priority by creation. A
 * reset leaves at most 30 of the template's grants and all of the direct and bought ones, and issues 100 (from
 * September on 80).
 *
 * In May 25 units of the 20th of February come, in December 50 of the 15th of October: `since`, and the lines that
 * begin with ►.
 */
const YEAR: readonly Row[] = [
  // Jan 100 − 40 = 60
  { at: '2026-01-28', does: (year) => year.use(40, '2026-01-10'), shown: figures(100, 40, 60) },
  // Jan 30, Feb 100, top-up 50: − 150 = 0, 0, 30   ► − 25 more = 0, 0, 5
  {
    at: '2026-02-28',
    does: async (year) => {
      await year.use(150, '2026-02-15', 'customer');
      await year.grant({ amount: 50, effectiveAt: '2026-02-10T00:00:00Z' });
    },
    shown: figures(250, 150, 30),
    since: figures(250, 175, 5),
  },
  // top-up 30, Mar 100: − 170 = 0, 0, and 40 wait   ► top-up 5, Mar 100: 65 wait
  {
    at: '2026-03-15',
    does: (year) => year.use(170, '2026-03-12'),
    shown: figures(350, 170, 0, 40),
    since: figures(350, 170, 0, 65),
  },
  // bought 200 − 40 that wait = 160   ► 200 − 65 = 135
  {
    at: '2026-03-20',
    does: (year) => year.buy(200),
    shown: figures(550, 170, 160),
    since: figures(550, 170, 135),
  },
  // bought 160 − 90 = 70, Apr 100   ► bought 135 − 90 = 45, Apr 100
  {
    at: '2026-04-28',
    does: (year) => year.use(90, '2026-04-09'),
    shown: figures(650, 90, 170),
    since: figures(650, 90, 145),
  },
  // bought 70 − 60 = 10, Apr 30, May 100   ► bought 45 → 0, Apr 30 − 15 = 15, May 100
  {
    at: '2026-05-10',
    does: (year) => year.use(60, '2026-05-05'),
    shown: figures(750, 60, 140),
    since: figures(750, 60, 115),
  },
  // the same, with the late event
  { at: '2026-05-28', does: (year) => year.use(25, '2026-02-20'), shown: figures(750, 60, 115) },
  // first 40 − 10 = 30, Apr 15, May 30, Jun 100
  {
    at: '2026-06-15',
    does: async (year) => {
      await year.grant({ amount: 40, priority: -1, effectiveAt: '2026-06-03T00:00:00Z' });
      await year.use(10, '2026-06-10');
    },
    shown: figures(890, 10, 175),
  },
  // first voided, Apr 15, May 30, Jun 100
  { at: '2026-06-20', does: (year) => year.voidLast(), shown: figures(890, 10, 145) },
  // Apr 15 → 0, May 30 − 10 = 20, Jun 100
  { at: '2026-06-28', does: (year) => year.use(25, '2026-06-25'), shown: figures(890, 35, 120) },
  // May 20 → 0, Jun 30 → 0, Jul 100 − 10 = 90
  { at: '2026-07-10', does: (year) => year.use(60, '2026-07-05'), shown: figures(990, 60, 90) },
  // by hand, and the next on the 1st of August all the same: Jul 30, Jul 15th 100
  { at: '2026-07-15', does: (year) => year.reset({ retainAnchor: true }), shown: figures(1090, 0, 130) },
  // Jul 30 − 15 = 15, Jul 15th 100
  { at: '2026-07-28', does: (year) => year.use(15, '2026-07-20', 'customer'), shown: figures(1090, 15, 115) },
  // Jul 15, Jul 15th 30, Aug 100: − 145 = 0, 0, 0, and 5 wait; the limit is hard yet
  { at: '2026-08-04', does: (year) => year.use(145 + 5, '2026-08-03'), shown: figures(1190, 150, 0, 5) },
  // from now on it is soft: 55 wait
  {
    at: '2026-08-28',
    does: async (year) => {
      await year.reconcile();
      await year.use(50, '2026-08-20');
    },
    shown: figures(1190, 200, 0, 55, true),
  },
  // the overage is preserved: Sep 80 − 55 = 25
  { at: '2026-09-05', does: async () => undefined, shown: figures(1270, 0, 25, 0, true) },
  // Sep 25 − 125 = 0, and 100 wait
  { at: '2026-09-28', does: (year) => year.use(125, '2026-09-10'), shown: figures(1270, 125, 0, 100, true) },
  // Oct 80 → 0, and 20 of the 100 still wait   ► and 50 more
  {
    at: '2026-10-28',
    does: async () => undefined,
    shown: figures(1350, 0, 0, 20, true),
    since: figures(1350, 50, 0, 70, true),
  },
  // Nov 80 − 20 − 90 = 0, and 30 wait   ► Nov 80 − 70 − 90 = 0, and 80 wait
  {
    at: '2026-11-08',
    does: (year) => year.use(90, '2026-11-05'),
    shown: figures(1430, 90, 0, 30, true),
    since: figures(1430, 90, 0, 80, true),
  },
  // by hand, without waiting units, and counted from here: Nov 10th 80
  { at: '2026-11-10', does: (year) => year.reset({ preserveOverage: false }), shown: figures(1510, 0, 80) },
  // no reset on the 1st of December; 50 of October come late, without an effect from the 10th of November on
  { at: '2026-12-05', does: (year) => year.use(50, '2026-10-15'), shown: figures(1510, 0, 80) },
  // Nov 10th 30 → 0, Dec 10th 80 − 70 = 10
  { at: '2026-12-28', does: (year) => year.use(100, '2026-12-20'), shown: figures(1590, 100, 10) },
];

const midnight = (day: string) => `${day}T00:00:00Z`;

async function openYear() {
  const metric = await shop.metric();
  const feature = await shop.create('/v0/features', {
    key: 'calls',
    name: 'Calls',
    productId: metric.productId,
    type: 'metered',
  });
  const priceWith = (entitlementTemplate: object) =>
    shop.usagePrice({ billableMetricId: metric.id, feature: { featureId: feature.id, entitlementTemplate } });
  const price = await priceWith(TEMPLATE);
  const plan = await shop.plan([price]);
  const clock = await shop.clock(START);
  const subscription = await shop.subscribe(plan, { clock });
  const { id } = (await shop.read(`/v1/entitlements?subscriptionId=${subscription.id}`)).data[0];
  const path = `/v1/entitlements/${id}`;
  let last: Resource;
  const year: Year = {
    use: (units, at, by = 'subscription') =>
      shop.use(by === 'customer' ? subscription.customerId : subscription.id, midnight(at), units),
    grant: async (fields) => {
      last = await shop.create(`${path}/grants`, fields);
      return last;
    },
    buy: async (amount) => {
      const order = { amount, price: '20.00', idempotencyKey: `bought-${amount}` };
      const { paymentSessions } = await shop.create(`${path}/grants/purchase`, order);
      const session = paymentSessions[0].url.split('/').at(-1);
      await shop.act(`/v0/paymentSessions/${session}/complete`, { paymentMethod: 'pm_ok' });
    },
    voidLast: async () => {
      const { status } = await merchant.delete(`${path}/grants/${last.id}`);
      expect(status).toBe(200);
    },
    reset: (fields) => shop.act(`${path}/reset`, fields),
    reconcile: async () => {
      const soft = await priceWith(SOFT);
      await shop.create(`/v0/plans/${plan.id}/versions`, {
        replacePrices: [{ replacesPriceId: price.id, withPriceId: soft.id }],
      });
      await shop.create(`/v0/subscriptions/${subscription.id}/reconciliations`);
    },
  };

  const grants = async (): Promise<Resource[]> => (await shop.read(`${path}/grants?includeVoided=true&limit=100`)).data;
  /** At an instant, or now. */
  const seen = async (day: string, query = ''): Promise<Figures> => {
    const { usageInPeriod: used, balance, overage, hasAccess } = await shop.read(`${path}${query}`);
    const until = (await grants()).filter(({ effectiveAt }) => effectiveAt <= midnight(day));
    return { granted: until.reduce((sum, { amount }) => sum + amount, 0), used, balance, overage, hasAccess };
  };
  return { clock, year, seen, path };
}

const inMerchant = (statement: ReturnType<typeof sql>) =>
  env.database.transaction({ merchants: [merchant.id] }, (tx) => tx.run(statement));

it('is, month by month, what it comes to by hand: as it happens, looked back at, and without any snapshot', async () => {
  const { clock, year, seen, path } = await openYear();
  for (const { at, does, shown } of YEAR) {
    await shop.advance(clock, midnight(at));
    await does(year);
    expect(await seen(at), at).toEqual(shown);
    expect(await seen(at, `?at=${midnight(at)}`), `at=${at}`).toEqual(shown);
  }

  const lookBack = async () => {
    for (const { at, shown, since } of YEAR) expect(await seen(at, `?at=${midnight(at)}`), at).toEqual(since ?? shown);
  };
  await lookBack();
  const before = await shop.read(path);
  const history = await shop.read(`${path}/history?from=${START}&windowSize=MONTH`);
  expect(await inMerchant(sql`delete from entitlement_snapshot`)).toBeGreaterThan(0);
  await lookBack();
  expect(await shop.read(path)).toEqual(before);
  expect(await shop.read(`${path}/history?from=${START}&windowSize=MONTH`)).toEqual(history);
}, 120_000);
