import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Events with the changed balances in the answer. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let plan: Resource;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
  const metric = await shop.metric();
  const feature = { key: 'calls', name: 'Calls', productId: metric.productId, type: 'metered' };
  const { id: featureId } = await shop.create('/v0/features', feature);
  const template = { type: 'metered', usagePeriod: { interval: 'P1M' }, issueAfterReset: 100 };
  const price = { billableMetricId: metric.id, feature: { featureId, entitlementTemplate: template } };
  plan = await shop.plan([await shop.usagePrice(price)]);
});
afterAll(() => env.close());

/** A customer with an `externalId` of your own systems, and a subscription on a clock at its start. */
async function subscribed(externalId: string): Promise<{ customer: Resource; subscription: Resource }> {
  const customer = await shop.customer({ externalId });
  const subscription = await shop.subscribe(plan, { customer, clock: await shop.clock(START) });
  return { customer, subscription };
}

const event = (more: Record<string, unknown>) => ({
  type: 'call',
  source: 'test',
  timestamp: START,
  data: { units: 30 },
  ...more,
});
const send = (body: unknown, headers?: Record<string, string>, by = merchant) =>
  by.post('/v0/events?expand=entitlements', body, headers);
const figures = (entitlements: Record<string, unknown>[]) =>
  entitlements.map(({ featureKey, balance, usageInPeriod, hasAccess }) => [
    featureKey,
    balance,
    usageInPeriod,
    hasAccess,
  ]);

describe('expand=entitlements', () => {
  it('answers an event with the entitlement as GET shows it, the event included', async () => {
    const { customer, subscription } = await subscribed('one');
    const { status, body } = await send(event({ externalSubject: 'one' }));
    expect(status).toBe(202);
    expect(body).toMatchObject({ object: 'event', subject: customer.id });
    expect(figures(body.entitlements)).toEqual([['calls', 70, 30, true]]);
    expect(body.entitlements[0]).toMatchObject({ customerId: customer.id, subscriptionId: subscription.id });
    expect(body.entitlements[0]).toEqual(await shop.read(`/v1/entitlements/${body.entitlements[0].id}`));
  });

  it('answers a repeated event with the balance as it is now', async () => {
    const { subscription } = await subscribed('again');
    const repeated = event({ subject: subscription.id, idempotencyKey: 'again' });
    const first = await send(repeated);
    await send(event({ subject: subscription.id, data: { units: 100 } }));
    const second = await send(repeated);
    expect(second.body.id).toBe(first.body.id);
    expect(figures(second.body.entitlements)).toEqual([['calls', 0, 130, false]]);
  });

  it('answers an array with the entitlements of all customers, each once', async () => {
    await subscribed('a');
    const b = await subscribed('b');
    const { status, body } = await send([
      event({ externalSubject: 'a' }),
      event({ externalSubject: 'a' }),
      event({ subject: b.subscription.id }),
      event({ externalSubject: 'b', type: 'another' }),
    ]);
    expect(status).toBe(202);
    expect(body.data).toHaveLength(4);
    expect(figures(body.entitlements)).toEqual([
      ['calls', 40, 60, true],
      ['calls', 70, 30, true],
    ]);
  });

  it('answers no balance for unmeasured events, unknown subjects and other merchants’ customers', async () => {
    const { customer } = await subscribed('mine');
    const other = await env.merchant();
    for (const [by, subject] of [
      [merchant, 'nobody'],
      [other, customer.id],
    ] as const) {
      const { status, body } = await send(event({ subject }), {}, by);
      expect([status, body.entitlements]).toEqual([202, []]);
    }
    expect((await send(event({ subject: customer.id, type: 'another' }))).body.entitlements).toEqual([]);
  });

  it('is absent unless requested', async () => {
    const { subscription } = await subscribed('quiet');
    const { body } = await merchant.post('/v0/events', event({ subject: subscription.id }));
    expect(body).not.toHaveProperty('entitlements');
  });

  it('answers CloudEvents in every content mode', async () => {
    await subscribed('cloud');
    const cloud = (id: string) => ({
      specversion: '1.0',
      id,
      source: 'test',
      type: 'call',
      externalsubject: 'cloud',
      time: START,
      data: { units: 10 },
    });
    const one = await send(cloud('1'), { 'content-type': 'application/cloudevents+json' });
    const many = await send([cloud('2')], { 'content-type': 'application/cloudevents-batch+json' });
    const { data, ...attributes } = cloud('3');
    const headers = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`ce-${name}`, value]));
    const binary = await send(data, { ...headers, 'content-type': 'application/json' });
    expect([one, many, binary].map(({ body }) => figures(body.entitlements))).toEqual([
      [['calls', 90, 10, true]],
      [['calls', 80, 20, true]],
      [['calls', 70, 30, true]],
    ]);
  });

  it('refuses what it does not know, and more than 100 subjects, before anything is stored', async () => {
    const unknown = await merchant.post('/v0/events?expand=balances', event({ externalSubject: 'one' }));
    expect([unknown.status, unknown.body.errors[0].field]).toEqual([400, 'expand']);
    const many = Array.from({ length: 101 }, (_, n) => event({ externalSubject: `many-${n}` }));
    const refused = await send(many);
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      [{ field: 'expand', message: 'is answered for at most 100 subjects; the body has 101' }],
    ]);
    expect((await merchant.get('/v0/events?externalSubject=many-0')).body.pagination.total).toBe(0);
    const broken = await send([event({ externalSubject: 'one' }), { type: 'call' }]);
    expect(broken.status).toBe(400);
    expect((await send(many.slice(1))).status).toBe(202);
  });

  it('holds its own event, whatever others send at the same time', async () => {
    await subscribed('busy');
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => send(event({ externalSubject: 'busy', data: { units: 1 } }))),
    );
    const used = answers.map(({ body }) => body.entitlements[0].usageInPeriod as number);
    expect(Math.min(...used)).toBeGreaterThanOrEqual(1);
    expect(Math.max(...used)).toBe(10);
  });
});
