import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';
import { openTables } from '../support/tables.ts';

/** Reserved balance for usage of a still unknown amount (domain.md §5, Reservations), and simultaneous reservations. */
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
const unique = (word: string) => {
  counter += 1;
  return `${word}-${counter}`;
};

const HOUR = '2026-01-01T01:00:00Z';

/** An entitlement to `amount` units of metrics of its own, by hand; with a clock, of a subscription that is on it. */
async function entitled({
  amount = 10,
  metrics = [{}],
  template = {},
  onClock = false,
}: {
  amount?: number;
  metrics?: object[];
  template?: object;
  onClock?: boolean;
} = {}) {
  const [metric, ...others] = await Promise.all(
    metrics.map((fields) => shop.metric({ eventType: unique('call'), ...fields })),
  );
  const feature = await shop.create('/v0/features', {
    key: unique('credits'),
    name: 'Credits',
    productId: metric.productId,
    type: 'metered',
  });
  const clock = onClock ? await shop.clock(START) : undefined;
  const customer = await shop.customer();
  const subscription = clock && (await shop.subscribe(await shop.plan([await shop.feePrice()]), { clock, customer }));
  const entitlement = await shop.create('/v1/entitlements', {
    customerId: customer.id,
    featureId: feature.id,
    activeFrom: START,
    template: { type: 'metered', billableMetricIds: [metric, ...others].map(({ id }) => id), ...template },
    ...(subscription && { subscriptionId: subscription.id }),
  });
  if (amount > 0) await shop.create(`/v1/entitlements/${entitlement.id}/grants`, { amount });
  return { entitlement, metric, customer, subscription, clock: clock as Resource };
}

const path = (entitlement: Resource) => `/v1/entitlements/${entitlement.id}/reservations`;
const post = (entitlement: Resource, amount: number | string = 4, expiresAt = HOUR) =>
  merchant.post(path(entitlement), { amount, expiresAt });
const reserve = (entitlement: Resource, amount = 4, expiresAt = HOUR) =>
  shop.create(path(entitlement), { amount, expiresAt });
const end = (reservation: Resource, how: 'settle' | 'release', body?: object) =>
  merchant.post(`/v1/entitlements/${reservation.entitlementId}/reservations/${reservation.id}/${how}`, body);
const read = (reservation: Resource) =>
  shop.read(`/v1/entitlements/${reservation.entitlementId}/reservations/${reservation.id}`);
const figures = async (entitlement: Resource) => {
  const { balance, reserved, usageInPeriod, overage } = await shop.read(`/v1/entitlements/${entitlement.id}`);
  return { balance, reserved, usageInPeriod, overage };
};
const events = async (metric: Resource): Promise<Resource[]> =>
  (await shop.read('/v0/events?limit=100')).data.filter(({ type }: Resource) => type === metric.eventType);

describe('a reservation', () => {
  it('holds balance until it is settled with what was really used, which becomes a usage event', async () => {
    const { entitlement, metric, customer } = await entitled();
    const reservation = await reserve(entitlement, 4);
    expect(reservation).toEqual({
      id: expect.stringMatching(/^rsv_[0-9A-Za-z]{22}$/),
      object: 'reservation',
      entitlementId: entitlement.id,
      amount: 4,
      status: 'held',
      settledAmount: null,
      expiresAt: HOUR,
      createdAt: START,
    });
    expect(await figures(entitlement)).toEqual({ balance: 6, reserved: 4, usageInPeriod: 0, overage: 0 });
    const settled = await end(reservation, 'settle', { amount: 2.5 });
    expect(settled).toMatchObject({ status: 200, body: { ...reservation, status: 'settled', settledAmount: 2.5 } });
    expect(await read(reservation)).toEqual(settled.body);
    expect(await figures(entitlement)).toEqual({ balance: 7.5, reserved: 0, usageInPeriod: 2.5, overage: 0 });
    const [event, ...others] = await events(metric);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      type: metric.eventType,
      source: 'reckoner/reservations',
      subject: customer.id,
      timestamp: START,
      idempotencyKey: reservation.id,
    });
  });

  it('of a subscription’s entitlement is usage of the subscription, at the time of its clock', async () => {
    const { entitlement, metric, clock } = await entitled({ onClock: true });
    const reservation = await reserve(entitlement, 4, '2026-01-05T00:00:00Z');
    await shop.advance(clock, '2026-01-04T00:00:00Z');
    expect(await end(reservation, 'settle')).toMatchObject({ status: 200, body: { settledAmount: 4 } });
    expect(await events(metric)).toMatchObject([{ timestamp: '2026-01-04T00:00:00Z' }]);
    expect((await figures(entitlement)).usageInPeriod).toBe(4);
  });

  it.each([
    { name: 'what was reserved', body: {}, settledAmount: 4, balance: 6, count: 1 },
    { name: 'less', body: { amount: 0.00000001 }, settledAmount: 1e-8, balance: 9.99999999, count: 1 },
    { name: 'more than there is', body: { amount: 12 }, settledAmount: 12, balance: 0, count: 1 },
    { name: 'nothing', body: { amount: 0 }, settledAmount: 0, balance: 10, count: 0 },
  ])('can be settled with $name', async ({ body, settledAmount, balance, count }) => {
    const { entitlement, metric } = await entitled();
    const settled = await end(await reserve(entitlement, 4), 'settle', body);
    expect(settled).toMatchObject({ status: 200, body: { settledAmount } });
    expect((await figures(entitlement)).balance).toBe(balance);
    expect(await events(metric)).toHaveLength(count);
  });

  it('returns its units when it is released', async () => {
    const { entitlement, metric } = await entitled();
    const reservation = await reserve(entitlement);
    expect(await end(reservation, 'release')).toMatchObject({ status: 200, body: { status: 'released' } });
    expect(await figures(entitlement)).toMatchObject({ balance: 10, reserved: 0 });
    expect(await events(metric)).toEqual([]);
  });

  it('expires automatically, at its time', async () => {
    const { entitlement, clock } = await entitled({ onClock: true });
    const reservation = await reserve(entitlement);
    await shop.advance(clock, '2026-01-01T00:59:59.999999Z');
    expect([(await read(reservation)).status, (await figures(entitlement)).balance]).toEqual(['held', 6]);
    await shop.advance(clock, HOUR);
    expect([(await read(reservation)).status, (await figures(entitlement)).balance]).toEqual(['expired', 10]);
  });

  it.each([
    { first: 'settle', again: { amount: 9 }, later: 'release' },
    { first: 'release', again: undefined, later: 'settle' },
  ] as const)('answers the first $first again, and refuses to $later afterwards', async ({ first, again, later }) => {
    const { entitlement, metric } = await entitled();
    const reservation = await reserve(entitlement);
    const answer = await end(reservation, first, first === 'settle' ? { amount: 1 } : undefined);
    expect(await end(reservation, first, again)).toMatchObject({ status: 200, body: answer.body });
    expect(await end(reservation, later)).toMatchObject({ status: 409, body: { code: 'INVALID_TRANSITION' } });
    expect(await events(metric)).toHaveLength(first === 'settle' ? 1 : 0);
    expect((await read(reservation)).status).toBe(answer.body.status);
  });

  it.each(['settle', 'release'] as const)(
    'that has expired refuses to %s, before due work says so, too',
    async (how) => {
      const { entitlement } = await entitled();
      const reservation = await reserve(entitlement, 4, '2026-01-01T00:10:00Z');
      env.setNow('2026-01-01T00:10:00Z');
      try {
        for (const _ of ['before', 'after']) {
          expect(await end(reservation, how)).toMatchObject({ status: 409, body: { code: 'INVALID_TRANSITION' } });
          expect([(await read(reservation)).status, (await figures(entitlement)).balance]).toEqual(['expired', 10]);
          await env.runDueWork();
        }
      } finally {
        env.setNow(START);
      }
    },
  );

  it('is one of its own entitlement only, and listed there, newest first', async () => {
    const { entitlement } = await entitled();
    const { entitlement: other } = await entitled();
    const [first, second] = [await reserve(entitlement, 1), await reserve(entitlement, 2)];
    expect(await shop.read(path(entitlement))).toMatchObject({ data: [second, first], pagination: { total: 2 } });
    expect((await shop.read(`${path(entitlement)}?limit=1&offset=1`)).data).toEqual([first]);
    const moved = { ...first, entitlementId: other.id };
    for (const how of ['settle', 'release'] as const) expect((await end(moved, how)).status).toBe(404);
    expect((await merchant.get(`${path(other)}/${first.id}`)).status).toBe(404);
  });
});

describe('what can be reserved', () => {
  it.each([
    { amount: 10, status: 201 },
    { amount: 10.00000001, status: 409 },
    { amount: 1e-8, status: 201 },
    { amount: 0, status: 400 },
    { amount: -1, status: 400 },
    { amount: '1', status: 400 },
  ])('of 10: $amount is $status', async ({ amount, status }) => {
    const { entitlement } = await entitled();
    const answer = await post(entitlement, amount);
    expect(answer.status, answer.text).toBe(status);
    if (status === 409) expect(answer.body.code).toBe('INSUFFICIENT_BALANCE');
  });

  it('excludes used and reserved units', async () => {
    const { entitlement, metric, customer } = await entitled();
    await shop.use(customer.id, START, 3, { type: metric.eventType });
    const held = await reserve(entitlement, 5);
    expect((await post(entitlement, 3)).status).toBe(409);
    expect((await post(entitlement, 2)).status).toBe(201);
    await end(held, 'release');
    expect((await post(entitlement, 5)).status).toBe(201);
    expect(await figures(entitlement)).toEqual({ balance: 0, reserved: 7, usageInPeriod: 3, overage: 0 });
  });

  it('is anything where the limit is soft', async () => {
    const { entitlement } = await entitled({ amount: 0, template: { isSoftLimit: true } });
    expect((await post(entitlement, 1_000)).status).toBe(201);
  });

  it('lasts beyond now', async () => {
    const { entitlement } = await entitled();
    for (const expiresAt of [START, '2025-12-31T00:00:00Z'])
      expect(await post(entitlement, 1, expiresAt)).toMatchObject({
        status: 400,
        body: { errors: [{ field: 'expiresAt' }] },
      });
  });

  it.each([
    { metrics: [{}, {}], code: 'RESERVATION_UNAVAILABLE' },
    { metrics: [{ aggregation: 'MAX' }], code: 'RESERVATION_UNAVAILABLE' },
    { metrics: [{ aggregation: 'LATEST' }], code: 'RESERVATION_UNAVAILABLE' },
    { metrics: [{ aggregation: 'UNIQUE_COUNT' }], code: 'RESERVATION_UNAVAILABLE' },
  ])('is of one SUM or COUNT metric: $metrics is not', async ({ metrics, code }) => {
    const { entitlement } = await entitled({ metrics });
    expect(await post(entitlement, 1)).toMatchObject({ status: 400, body: { code } });
  });

  it('of a COUNT is one event at a time', async () => {
    const { entitlement, metric } = await entitled({ metrics: [{ aggregation: 'COUNT', valueProperty: null }] });
    expect(await post(entitlement, 2)).toMatchObject({ status: 400, body: { errors: [{ field: 'amount' }] } });
    const [one, other] = [await reserve(entitlement, 1), await reserve(entitlement, 1)];
    expect(await end(one, 'settle', { amount: 2 })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'amount' }] },
    });
    await end(one, 'settle');
    await end(other, 'settle', { amount: 0 });
    expect(await events(metric)).toHaveLength(1);
    expect(await figures(entitlement)).toMatchObject({ balance: 9, reserved: 0, usageInPeriod: 1 });
  });

  it('is nothing before the entitlement begins', async () => {
    const { entitlement } = await entitled({ amount: 0, template: { isSoftLimit: true } });
    env.setNow('2025-12-31T00:00:00Z');
    const answer = await post(entitlement, 1);
    env.setNow(START);
    expect(answer).toMatchObject({ status: 409, body: { code: 'INSUFFICIENT_BALANCE' } });
  });
});

describe('where many come at once', () => {
  it('the last unit is held once', async () => {
    const { entitlement } = await entitled({ amount: 1 });
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(entitlement, 1)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status, body } of answers)
      if (status !== 201) expect([status, body.code]).toEqual([409, 'INSUFFICIENT_BALANCE']);
    expect(await figures(entitlement)).toMatchObject({ balance: 0, reserved: 1 });
  });

  it('what is held and settled at the same time is never more than there is', async () => {
    const { entitlement, metric } = await entitled({ amount: 20 });
    const visit = async () => {
      const answer = await post(entitlement, 3);
      return answer.status === 201 ? end(answer.body, 'settle') : answer;
    };
    const answers = await Promise.all(Array.from({ length: 30 }, visit));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(6);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(24);
    expect(await events(metric)).toHaveLength(6);
    expect(await figures(entitlement)).toEqual({ balance: 2, reserved: 0, usageInPeriod: 18, overage: 0 });
  });

  it('settling twice at once is one event and one answer', async () => {
    const { entitlement, metric } = await entitled();
    const reservation = await reserve(entitlement);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => end(reservation, 'settle', { amount: (n % 3) + 1 })),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(await events(metric)).toHaveLength(1);
    expect((await figures(entitlement)).usageInPeriod).toBe(answers[0]?.body.settledAmount);
  });

  it('of settling, releasing and expiring one happens', { timeout: 60_000 }, async () => {
    for (let round = 0; round < 12; round += 1) {
      const { entitlement, metric, clock } = await entitled({ onClock: round % 2 === 0 });
      const reservation = await reserve(entitlement, 4);
      const expiring = clock
        ? merchant.patch(`/v0/testClocks/${clock.id}`, { currentTime: HOUR })
        : end(reservation, 'release');
      const [settled, twice, other] = await Promise.all([
        end(reservation, 'settle'),
        end(reservation, 'settle'),
        expiring,
      ]);
      const { status } = await read(reservation);
      const isSettled = status === 'settled';
      expect(status).toBe(isSettled ? 'settled' : clock ? 'expired' : 'released');
      expect([settled.status, twice.status]).toEqual(isSettled ? [200, 200] : [409, 409]);
      expect(other.status).toBe(clock || !isSettled ? 200 : 409);
      expect(await events(metric)).toHaveLength(isSettled ? 1 : 0);
      expect(await figures(entitlement)).toMatchObject({ balance: isSettled ? 6 : 10, reserved: 0 });
    }
  });

  it('an expired one is not settled by a request that waited, once its units are reserved again', async () => {
    const { entitlement } = await entitled({ amount: 4 });
    const over = await reserve(entitlement, 4, '2026-01-01T00:10:00Z');
    env.setNow('2026-01-01T00:10:00Z');
    const second = await post(entitlement, 4, HOUR);
    env.setNow(START); // as if it had come before and waited
    expect(second.status, second.text).toBe(201);
    expect(await end(over, 'settle')).toMatchObject({ status: 409, body: { code: 'INVALID_TRANSITION' } });
    expect(await figures(entitlement)).toMatchObject({ balance: 0, reserved: 4, usageInPeriod: 0 });
  });

  it('there is no deadlock', async () => {
    const tables = await openTables(env.url);
    const [found] = await tables.query<{ deadlocks: number }>(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    );
    await tables.close();
    expect(found?.deadlocks).toBe(0);
  });
});
