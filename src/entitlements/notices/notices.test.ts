import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../../../test/support/shop.ts';
import { type Sql, sql } from '../../db/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { wireDomains } from '../../wiring.ts';
import { evaluateBalances, noticesOf } from './notices.ts';

describe('what there is to tell of a balance', () => {
  it.each([
    { balance: '100', used: '0', notices: [] },
    { balance: '0', used: '0', notices: [] },
    { balance: '0', used: '-5', notices: [] },
    { balance: '20.00000001', used: '80', notices: [] },
    { balance: '20', used: '80', notices: ['balance_low'] },
    { balance: '0.00000001', used: '80', notices: ['balance_low'] },
    { balance: '0', used: '0.00000001', notices: ['balance_low', 'exhausted'] },
    { balance: '0', used: '180', notices: ['balance_low', 'exhausted'] },
  ])('$balance left and $used used: $notices', ({ balance, used, notices }) => {
    expect(noticesOf({ balance: decimal(balance), usageInPeriod: decimal(used) })).toEqual(notices);
  });
});

describe('notices', () => {
  let env: TestEnvironment;
  let merchant: Merchant;
  let shop: Shop;
  beforeAll(async () => {
    env = await openTestEnvironment();
    env.setNow(START);
    merchant = await env.merchant();
    shop = shopOf(merchant);
  });
  afterAll(() => env.close());

  let counter = 0;
  /** An entitlement to 100 units in every month, on a clock or (without one) by hand. */
  async function entitled({ onClock = true }: { onClock?: boolean } = {}) {
    counter += 1;
    const metric = await shop.metric({ eventType: `call-${counter}` });
    const feature = await shop.create('/v0/features', {
      key: `credits-${counter}`,
      name: 'Credits',
      productId: metric.productId,
      type: 'metered',
    });
    const template = { type: 'metered', usagePeriod: { interval: 'P1M' }, issueAfterReset: 100 };
    const customer = await shop.customer();
    if (!onClock) {
      const made = { customerId: customer.id, featureId: feature.id, activeFrom: START };
      const entitlement = await shop.create('/v1/entitlements', {
        ...made,
        template: { ...template, billableMetricIds: [metric.id] },
      });
      return { entitlement, metric, customer, clock: undefined as Resource };
    }
    const clock = await shop.clock(START);
    const price = await shop.usagePrice({
      billableMetricId: metric.id,
      feature: { featureId: feature.id, entitlementTemplate: template },
    });
    const subscription = await shop.subscribe(await shop.plan([price]), { clock, customer });
    const [listed] = (await shop.read(`/v1/entitlements?subscriptionId=${subscription.id}`)).data;
    return { entitlement: { ...listed, id: listed.entitlementId }, metric, customer, clock };
  }

  const inMerchant = <Row>(query: Sql): Promise<Row[]> =>
    env.database.transaction({ merchants: [merchant.id] }, (tx) => tx.rows<Row>(query));
  const notified = async ({ id }: Resource): Promise<string[]> => {
    const rows = await inMerchant<{ type: string }>(sql`
      select type from outbox
       where data ->> 'entitlementId' = ${id}
         and type in ('entitlement.balance_low.v0', 'entitlement.exhausted.v0') order by seq`);
    return rows.map(({ type }) => type);
  };
  const LOW = 'entitlement.balance_low.v0';
  const EXHAUSTED = 'entitlement.exhausted.v0';

  interface Sold {
    readonly metric: Resource;
    readonly customer: Resource;
  }
  const report = ({ metric, customer }: Sold, at: string, units: number) =>
    shop.use(customer.id, at, units, { type: metric.eventType });
  const evaluate = (...sold: readonly Sold[]) => {
    const used = sold.map(({ customer }) => ({ merchantId: merchant.id, customerId: customer.id as string }));
    return evaluateBalances(env.database, used, Temporal.Instant.from(START));
  };
  /** Stores usage and evaluates the balance. */
  async function use(sold: Sold, at: string, units: number) {
    await report(sold, at, units);
    await evaluate(sold);
  }

  it('are written once in each usage period, as the balance gets there', async () => {
    const sold = await entitled();
    const steps = [
      { at: START, units: 79, notified: [] },
      { at: START, units: 1, notified: [LOW] },
      { at: START, units: 5, notified: [LOW] },
      { at: START, units: 15, notified: [LOW, EXHAUSTED] },
      { at: START, units: 100, notified: [LOW, EXHAUSTED] },
    ];
    for (const { at, units, notified: expected } of steps) {
      await use(sold, at, units);
      expect(await notified(sold.entitlement)).toEqual(expected);
    }
    await shop.advance(sold.clock, 'P1M');
    expect(await notified(sold.entitlement)).toEqual([LOW, EXHAUSTED]);
    await use(sold, '2026-02-01T00:00:00Z', 100);
    expect(await notified(sold.entitlement)).toEqual([LOW, EXHAUSTED, LOW, EXHAUSTED]);
  });

  it.each([
    [[79], []],
    [[80], [LOW]],
    [[81], [LOW]],
    [[100], [LOW, EXHAUSTED]],
    [[130], [LOW, EXHAUSTED]],
    [
      [50, 50],
      [LOW, EXHAUSTED],
    ],
    [
      [79, 21],
      [LOW, EXHAUSTED],
    ],
    [
      [80, 20],
      [LOW, EXHAUSTED],
    ],
  ])('after %j at one time are %j', async (uses, expected) => {
    const sold = await entitled();
    for (const units of uses) await report(sold, START, units);
    await evaluate(sold);
    expect(await notified(sold.entitlement)).toEqual(expected);
  });

  it('name the entitlement, its customer and its subscription, and the figure that was seen', async () => {
    const sold = await entitled();
    await use(sold, START, 100);
    const [row] = await inMerchant<{ data: Resource }>(
      sql`select data from outbox where data ->> 'entitlementId' = ${sold.entitlement.id} and type = ${EXHAUSTED}`,
    );
    const about = {
      merchantId: merchant.id,
      entitlementId: sold.entitlement.id,
      customerId: sold.customer.id,
      subscriptionId: sold.entitlement.subscriptionId,
      ...{ type: 'balance', name: 'Credits', currency: null, periodStart: START, sequence: expect.any(Number) },
    };
    expect(row?.data).toEqual({ ...about, value: '0', threshold: '0', percent: null });
    const other = await entitled();
    await use(other, START, 85);
    const [low] = await inMerchant<{ data: Resource }>(
      sql`select data from outbox where data ->> 'entitlementId' = ${other.entitlement.id} and type = ${LOW}`,
    );
    expect(low?.data).toMatchObject({ type: 'balance', value: '15', threshold: null, percent: 80 });
  });

  it('are written once where many evaluate at once', async () => {
    const sold = await entitled();
    await report(sold, START, 100);
    await Promise.all(Array.from({ length: 8 }, () => evaluate(sold)));
    expect(await notified(sold.entitlement)).toEqual([LOW, EXHAUSTED]);
  });

  it('come with a reservation that is settled, and not while it only holds', async () => {
    const { entitlement } = await entitled();
    const path = `/v1/entitlements/${entitlement.id}/reservations`;
    const { id } = await shop.create(path, { amount: 100, expiresAt: '2026-01-01T01:00:00Z' });
    expect(await notified(entitlement)).toEqual([]);
    await shop.act(`${path}/${id}/settle`, { amount: 90 });
    expect(await notified(entitlement)).toEqual([LOW]);
  });

  it('come with a grant that is voided', async () => {
    const sold = await entitled();
    await use(sold, START, 10);
    const [grant] = (await shop.read(`/v1/entitlements/${sold.entitlement.id}/grants`)).data;
    await merchant.delete(`/v1/entitlements/${sold.entitlement.id}/grants/${grant.id}`);
    expect(await notified(sold.entitlement)).toEqual([LOW, EXHAUSTED]);
  });

  it('come for usage that any process accepted, also of those of whom nobody heard before', async () => {
    const chore = wireDomains('sandbox', 'http://localhost').chores.find(({ isPrompt }) => isPrompt);
    const sold = [await entitled(), await entitled({ onClock: false }), await entitled()];
    for (const [index, each] of sold.entries()) await report(each, START, [100, 85, 10][index] as number);
    await chore?.run(env.database, Temporal.Instant.from(START));
    const all = await Promise.all(sold.map(({ entitlement }) => notified(entitlement)));
    expect(all).toEqual([[LOW, EXHAUSTED], [LOW], []]);
  });

  it('come for many customers within five seconds, and each once', { timeout: 60_000 }, async () => {
    const sold: Awaited<ReturnType<typeof entitled>>[] = [];
    for (let number = 0; number < 60; number += 1) sold.push(await entitled({ onClock: false }));
    for (const [index, each] of sold.entries()) await report(each, START, index % 3 === 0 ? 100 : 50);
    const begun = performance.now();
    await evaluate(...sold);
    await evaluate(...sold);
    expect(performance.now() - begun).toBeLessThan(5_000);
    const all = await Promise.all(sold.map(({ entitlement }) => notified(entitlement)));
    expect(all).toEqual(sold.map((_, index) => (index % 3 === 0 ? [LOW, EXHAUSTED] : [])));
  });

  it('of one whose balance cannot be read are left to its background job, and keep nobody else', async () => {
    const [broken, sold] = [await entitled({ onClock: false }), await entitled({ onClock: false })];
    await inMerchant(sql`update entitlement_term set template = '{"type": "metered", "issueAfterReset": "much"}'
                          where entitlement_id = ${broken.entitlement.id} returning 1`);
    for (const each of [broken, sold]) await report(each, START, 100);
    await evaluate(broken, sold);
    expect(await notified(sold.entitlement)).toEqual([LOW, EXHAUSTED]);
    const [row] = await inMerchant(
      sql`select next_action_at = ${START} as is_due from entitlement where id = ${broken.entitlement.id}`,
    );
    expect(row).toEqual({ isDue: true });
  });

  it('come for events that were sent before anybody had their externalSubject', async () => {
    const { entitlement, metric, customer } = await entitled({ onClock: false });
    const externalSubject = `workspace-${counter}`;
    const event = { type: metric.eventType, source: 'test', externalSubject, timestamp: START, data: { units: 100 } };
    expect((await merchant.post('/v0/events', event)).status).toBe(202);
    await shop.change(`/v0/customers/${customer.id}`, { externalId: externalSubject });
    await env.runDueWork();
    expect(await notified(entitlement)).toEqual([LOW, EXHAUSTED]);
  });

  it.each(['2026-02-01T00:00:00Z', '2026-03-15T00:00:00Z'])(
    'are not lost where a clock goes to %s, past the reset, before any evaluation',
    async (to) => {
      const sold = await entitled();
      await report(sold, START, 90);
      await shop.advance(sold.clock, '2026-01-04T00:00:00Z');
      await report(sold, '2026-01-03T00:00:00Z', 5);
      await report(sold, '2026-01-31T23:59:59.999999Z', 5);
      await shop.advance(sold.clock, to);
      await evaluate(sold);
      expect(await notified(sold.entitlement)).toEqual([LOW, EXHAUSTED]);
    },
  );

  it('come when a grant expires within a usage period, at that instant of its clock', async () => {
    const sold = await entitled();
    const grant = (fields: object) => shop.create(`/v1/entitlements/${sold.entitlement.id}/grants`, fields);
    await grant({ amount: 300, priority: 1, expiresAt: '2026-01-10T00:00:00Z' });
    await grant({ amount: 9, effectiveAt: '2026-01-05T00:00:00Z', expiresAt: '2026-01-12T00:00:00Z', priority: 2 });
    await use(sold, START, 100);
    const steps = [
      { to: '2026-01-09T23:59:59Z', notified: [] }, // 300 and 9 are left
      { to: '2026-01-10T00:00:00Z', notified: [LOW] }, // 9 of 109
      { to: '2026-01-12T00:00:00Z', notified: [LOW, EXHAUSTED] },
    ];
    for (const { to, notified: expected } of steps) {
      await shop.advance(sold.clock, to);
      expect(await notified(sold.entitlement), to).toEqual(expected);
    }
  });

  it('leave by themselves once the worker runs, after an event was accepted', async () => {
    const { entitlement, metric, customer } = await entitled({ onClock: false });
    env.startWorker();
    await shop.use(customer.id, START, 100, { type: metric.eventType });
    await vi.waitFor(async () => expect(await notified(entitlement)).toEqual([LOW, EXHAUSTED]), {
      timeout: 20_000,
      interval: 100,
    });
  });
});
