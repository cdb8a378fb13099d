import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../../../test/support/shop.ts';
import { type Sql, sql } from '../../db/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { createUsageWatch } from '../../metering/index.ts';
import { balanceNoticeChore, balanceSweepChore, noticeOf } from './notices.ts';

describe('what there is to tell of a balance', () => {
  it.each([
    { balance: '100', used: '0', notice: null },
    { balance: '0', used: '0', notice: null },
    { balance: '0', used: '-5', notice: null },
    { balance: '20.00000001', used: '80', notice: null },
    { balance: '20', used: '80', notice: 'balance_low' },
    { balance: '0.00000001', used: '80', notice: 'balance_low' },
    { balance: '0', used: '0.00000001', notice: 'exhausted' },
    { balance: '0', used: '180', notice: 'exhausted' },
  ])('$balance left and $used used: $notice', ({ balance, used, notice }) => {
    expect(noticeOf({ balance: decimal(balance), usageInPeriod: decimal(used) })).toBe(notice);
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
  const told = async ({ id }: Resource): Promise<string[]> => {
    const rows = await inMerchant<{ type: string }>(sql`
      select type from outbox
       where data ->> 'entitlementId' = ${id}
         and type in ('entitlement.balance_low.v0', 'entitlement.exhausted.v0') order by seq`);
    return rows.map(({ type }) => type);
  };
  const LOW = 'entitlement.balance_low.v0';
  const EXHAUSTED = 'entitlement.exhausted.v0';

  /** Usage, and a turn of the chore with its hint. */
  async function use({ metric, customer }: { metric: Resource; customer: Resource }, at: string, units: number) {
    await shop.use(customer.id, at, units, { type: metric.eventType });
    const watch = createUsageWatch({ most: 10 });
    watch.add(merchant.id, [customer.id]);
    await balanceNoticeChore(watch).run(env.database, Temporal.Instant.from(START));
  }

  it('are written once in each usage period, as the balance gets there', async () => {
    const sold = await entitled();
    const steps = [
      { at: START, units: 79, told: [] },
      { at: START, units: 1, told: [LOW] },
      { at: START, units: 5, told: [LOW] },
      { at: START, units: 15, told: [LOW, EXHAUSTED] },
      { at: START, units: 100, told: [LOW, EXHAUSTED] },
    ];
    for (const { at, units, told: expected } of steps) {
      await use(sold, at, units);
      expect(await told(sold.entitlement)).toEqual(expected);
    }
    await shop.advance(sold.clock, 'P1M');
    expect(await told(sold.entitlement)).toEqual([LOW, EXHAUSTED]);
    await use(sold, '2026-02-01T00:00:00Z', 100);
    expect(await told(sold.entitlement)).toEqual([LOW, EXHAUSTED, EXHAUSTED]);
  });

  it('name the entitlement, its customer and its subscription', async () => {
    const sold = await entitled();
    await use(sold, START, 100);
    const [row] = await inMerchant<{ data: Resource }>(
      sql`select data from outbox where data ->> 'entitlementId' = ${sold.entitlement.id} and type = ${EXHAUSTED}`,
    );
    expect(row?.data).toEqual({
      merchantId: merchant.id,
      entitlementId: sold.entitlement.id,
      customerId: sold.customer.id,
      subscriptionId: sold.entitlement.subscriptionId,
      sequence: expect.any(Number),
    });
  });

  it('are written once where many look at once', async () => {
    const sold = await entitled();
    await shop.use(sold.customer.id, START, 100, { type: sold.metric.eventType });
    const look = () => {
      const watch = createUsageWatch({ most: 10 });
      watch.add(merchant.id, [sold.customer.id]);
      return balanceNoticeChore(watch).run(env.database, Temporal.Instant.from(START));
    };
    await Promise.all(Array.from({ length: 8 }, look));
    expect(await told(sold.entitlement)).toEqual([EXHAUSTED]);
  });

  it('come with a reservation that is settled, and not while it only holds', async () => {
    const { entitlement } = await entitled();
    const path = `/v1/entitlements/${entitlement.id}/reservations`;
    const { id } = await shop.create(path, { amount: 100, expiresAt: '2026-01-01T01:00:00Z' });
    expect(await told(entitlement)).toEqual([]);
    await shop.act(`${path}/${id}/settle`, { amount: 90 });
    expect(await told(entitlement)).toEqual([LOW]);
  });

  it('come with a grant that is voided', async () => {
    const sold = await entitled();
    await use(sold, START, 10);
    const [grant] = (await shop.read(`/v1/entitlements/${sold.entitlement.id}/grants`)).data;
    await merchant.delete(`/v1/entitlements/${sold.entitlement.id}/grants/${grant.id}`);
    expect(await told(sold.entitlement)).toEqual([EXHAUSTED]);
  });

  it('are checked some at a time, without omitting any', async () => {
    const watch = createUsageWatch({ most: 10 });
    const chore = balanceNoticeChore(watch, 2);
    const sold = [await entitled(), await entitled(), await entitled()];
    for (const { customer, metric } of sold) {
      await shop.use(customer.id, START, 100, { type: metric.eventType });
      watch.add(merchant.id, [customer.id]);
    }
    const counts: number[] = [];
    for (const _ of ['first', 'second', 'third']) {
      await chore.run(env.database, Temporal.Instant.from(START));
      counts.push((await Promise.all(sold.map(({ entitlement }) => told(entitlement)))).flat().length);
    }
    expect(counts).toEqual([2, 3, 3]);
  });

  it('come where nobody heard of the usage, once everybody was looked at, some in a turn and each round an hour later', async () => {
    const forgotten = [await entitled({ onClock: false }), await entitled({ onClock: false })];
    const onClock = await entitled();
    const use = (index: number, units: number) => {
      const { customer, metric } = forgotten[index] as (typeof forgotten)[number];
      return shop.use(customer.id, START, units, { type: metric.eventType });
    };
    await use(0, 100);
    await shop.use(onClock.customer.id, START, 100, { type: onClock.metric.eventType });
    const counted = await inMerchant(sql`select 1 from entitlement where merchant_id >= ''`);
    const chore = balanceSweepChore(2);
    const turns = Math.ceil((counted.length + 1) / 2);
    const round = async (now: string) => {
      for (let turn = 0; turn < turns; turn += 1) await chore.run(env.database, Temporal.Instant.from(now));
      return Promise.all([...forgotten, onClock].map(({ entitlement }) => told(entitlement)));
    };
    expect(await round(START)).toEqual([[EXHAUSTED], [], []]);
    await use(1, 80);
    expect(await round('2026-01-01T00:59:59Z')).toEqual([[EXHAUSTED], [], []]);
    expect(await round('2026-01-01T01:00:00Z')).toEqual([[EXHAUSTED], [LOW], []]);
    expect(await round('2026-01-01T02:00:00Z')).toEqual([[EXHAUSTED], [LOW], []]);
  });

  it('come when a grant expires within a usage period, at that instant of its clock', async () => {
    const sold = await entitled();
    const grant = (fields: object) => shop.create(`/v1/entitlements/${sold.entitlement.id}/grants`, fields);
    await grant({ amount: 300, priority: 1, expiresAt: '2026-01-10T00:00:00Z' });
    await grant({ amount: 9, effectiveAt: '2026-01-05T00:00:00Z', expiresAt: '2026-01-12T00:00:00Z', priority: 2 });
    await use(sold, START, 100);
    const steps = [
      { to: '2026-01-09T23:59:59Z', told: [] }, // 300 and 9 are left
      { to: '2026-01-10T00:00:00Z', told: [LOW] }, // 9 of 109
      { to: '2026-01-12T00:00:00Z', told: [LOW, EXHAUSTED] },
    ];
    for (const { to, told: expected } of steps) {
      await shop.advance(sold.clock, to);
      expect(await told(sold.entitlement), to).toEqual(expected);
    }
  });

  it('leave by themselves once the worker runs, after an event was accepted', async () => {
    const { entitlement, metric, customer } = await entitled({ onClock: false });
    env.startWorker();
    await shop.use(customer.id, START, 100, { type: metric.eventType });
    await vi.waitFor(async () => expect(await told(entitlement)).toEqual([EXHAUSTED]), {
      timeout: 20_000,
      interval: 100,
    });
  });
});
