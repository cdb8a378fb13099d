import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { type Resource, type Shop, shopOf } from '../../test/support/shop.ts';
import { deliver, newSource, revenue, revenueShop, SECRET, stripeHeaders } from '../../test/support/sources.ts';
import { newId } from '../kernel/ids.ts';

let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let world: Awaited<ReturnType<typeof revenueShop>>;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
  world = await revenueShop(shop);
});
afterAll(() => env.close());

const totalOf = async (source: Resource) => (await shop.read(`/v0/sources/${source.id}/events`)).pagination.total;

describe('a Stripe source', () => {
  const SIGNING = 'whsec_of_stripe';
  const stripe = () =>
    newSource(shop, world, { type: 'stripe_revenue', config: { projectId: 'acct_1', webhookSecret: SIGNING } });
  const send = (source: Resource, type: string, id: string, object: object) => {
    const body = JSON.stringify({ id, type, created: 1768046400, livemode: false, data: { object } });
    const headers = stripeHeaders(body, Temporal.Now.instant(), SIGNING);
    return env.client().post(`/v0/sources/${source.id}/events`, body, headers);
  };
  const paid = () => ({ currency: 'usd', customer: world.externalId, metadata: {} });

  it('counts a payment once, whatever tells of it, and in whatever order', async () => {
    const source = await stripe();
    const [intent, charge] = ['pi_1', 'ch_1'];
    const answers = await Promise.all([
      send(source, 'charge.succeeded', 'evt_charge', { ...paid(), id: charge, amount: 1000, payment_intent: intent }),
      send(source, 'payment_intent.succeeded', 'evt_intent', { ...paid(), id: intent, amount_received: 1000 }),
      send(source, 'invoice.paid', 'evt_invoice', { ...paid(), id: 'in_1', amount_paid: 1000, payment_intent: intent }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({ status: 'processed', amount: '10', customerId: world.customer.id });
    expect(await totalOf(source)).toBe(1);
  });

  it('takes refunds off', async () => {
    const source = await stripe();
    const refund = { ...paid(), id: 'ch_2', amount: 1000, amount_refunded: 400 };
    const { status, body } = await send(source, 'charge.refunded', 'evt_refund', refund);
    expect([status, body.status, body.amount]).toEqual([201, 'processed', '-4']);
  });

  it('acknowledges what is no revenue, and keeps nothing of it', async () => {
    const source = await stripe();
    const answer = await send(source, 'customer.created', 'evt_customer', { id: 'cus_1' });
    expect(answer).toMatchObject({
      status: 200,
      body: { object: 'sourceEventReceipt', sourceId: source.id, recorded: false },
    });
    expect(answer.body.reason).toContain('customer.created');
    expect(await totalOf(source)).toBe(0);
  });

  it('counts an invoice of a customer whose charge named nobody', async () => {
    const source = await stripe();
    const charge = { ...paid(), id: 'ch_4', amount: 700, customer: null, payment_intent: 'pi_4' };
    const invoice = { ...paid(), id: 'in_4', amount_paid: 700, payment_intent: 'pi_4' };
    expect((await send(source, 'charge.succeeded', 'evt_4a', charge)).body.status).toBe('failed');
    expect((await send(source, 'invoice.paid', 'evt_4b', invoice)).body).toMatchObject({
      status: 'processed',
      amount: '7',
    });
  });

  it('shows a charge of nobody as failed', async () => {
    const { body } = await send(await stripe(), 'charge.succeeded', 'evt_nobody', {
      ...paid(),
      id: 'ch_3',
      amount: 5,
      customer: null,
    });
    expect(body).toMatchObject({ status: 'failed', customerExternalId: null });
    expect(body.errorMessage).toContain('no customer');
  });
});

describe('a RevenueCat source', () => {
  const send = (source: Resource, authorization: string, fields: object = {}) =>
    env.client().post(
      `/v0/sources/${source.id}/events`,
      {
        api_version: '1.0',
        event: {
          id: newId('event'),
          type: 'RENEWAL',
          app_user_id: world.externalId,
          currency: 'USD',
          environment: 'PRODUCTION',
          price_in_purchased_currency: 4.99,
          purchased_at_ms: 1768046400000,
          ...fields,
        },
      },
      { authorization },
    );

  it('takes purchases by its authorization header alone, and skips sandboxes', async () => {
    const config = { projectId: 'proj', webhookSecret: 'Basic b3VyIHNlY3JldA==' };
    const source = await newSource(shop, world, { type: 'revenuecat_revenue', config });
    const { status, body } = await send(source, config.webhookSecret);
    expect([status, body.status, body.amount]).toEqual([201, 'processed', '4.99']);
    expect((await send(source, 'Basic nonsense')).status).toBe(401);
    expect((await send(source, 'Bearer nonsense')).status).toBe(401);
    expect(await send(source, config.webhookSecret, { environment: 'SANDBOX' })).toMatchObject({
      status: 200,
      body: { recorded: false },
    });
    expect(await totalOf(source)).toBe(1);
  });
});

describe('a source', () => {
  it('is answered with all of its fields, changed and listed', async () => {
    const made = await newSource(shop, world, { description: 'Why', config: { projectId: 'p', region: 'eu' } });
    expect(made).toEqual({
      id: expect.stringMatching(/^src_/),
      object: 'source',
      merchantId: merchant.id,
      name: 'App',
      description: 'Why',
      planId: world.plan.id,
      type: 'generic_revenue',
      config: { projectId: 'p', region: 'eu' },
      hasWebhookSecret: false,
      enabled: true,
      metadata: { billableMetricMapping: { revenue: world.metric.id } },
      processingMode: 'automatic',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const path = `/v0/sources/${made.id}`;
    expect(await shop.read(path)).toEqual(made);
    const changed = await shop.change(path, {
      name: 'Other',
      description: null,
      enabled: false,
      processingMode: 'manual',
    });
    expect(changed).toMatchObject({ name: 'Other', enabled: false, processingMode: 'manual', config: made.config });
    expect(changed).not.toHaveProperty('description');
    const idsOf = async (query: string) => (await shop.read(`/v0/sources?${query}`)).data.map(({ id }: Resource) => id);
    expect(await idsOf(`planId=${world.plan.id}&enabled=false&processingMode=manual`)).toEqual([made.id]);
    expect(await idsOf('type=revenuecat_revenue&enabled=false')).toEqual([]);
  });

  it('keeps its secret until another one, or null, is sent', async () => {
    const source = await newSource(shop, world);
    const path = `/v0/sources/${source.id}`;
    const isTaken = async () => (await deliver(env, source, revenue(world.externalId))).status === 201;
    expect(await shop.change(path, { config: { projectId: 'other' } })).toMatchObject({
      config: { projectId: 'other' },
      hasWebhookSecret: true,
    });
    expect(await isTaken()).toBe(true);
    await shop.change(path, { config: { projectId: 'other', webhookSecret: 'whsec_b3RoZXI=' } });
    expect(await isTaken()).toBe(false);
    await shop.change(path, { config: { projectId: 'other', webhookSecret: SECRET } });
    expect(await isTaken()).toBe(true);
    expect(await shop.change(path, { config: { projectId: 'other', webhookSecret: null } })).toMatchObject({
      hasWebhookSecret: false,
    });
    expect(await isTaken()).toBe(false);
  });

  const body = () => ({
    name: 'App',
    planId: world.plan.id,
    type: 'generic_revenue',
    config: { projectId: 'p' },
    metadata: { billableMetricMapping: { revenue: world.metric.id } },
  });
  it.each<{ fields: object; field: string }>([
    { fields: { name: '' }, field: 'name' },
    { fields: { name: undefined }, field: 'name' },
    { fields: { planId: 'prod_1' }, field: 'planId' },
    { fields: { type: 'paddle_revenue' }, field: 'type' },
    { fields: { type: 'stripe' }, field: 'type' },
    { fields: { config: undefined }, field: 'config' },
    { fields: { config: {} }, field: 'config.projectId' },
    { fields: { config: { projectId: '' } }, field: 'config.projectId' },
    { fields: { config: { projectId: 7 } }, field: 'config.projectId' },
    { fields: { config: { projectId: 'p', webhookSecret: '' } }, field: 'config.webhookSecret' },
    { fields: { config: { projectId: 'p', webhookSecret: 'x'.repeat(501) } }, field: 'config.webhookSecret' },
    { fields: { metadata: undefined }, field: 'metadata' },
    { fields: { metadata: {} }, field: 'metadata.billableMetricMapping' },
    { fields: { metadata: { billableMetricMapping: {} } }, field: 'metadata.billableMetricMapping.revenue' },
    {
      fields: { metadata: { billableMetricMapping: { revenue: 'x' } } },
      field: 'metadata.billableMetricMapping.revenue',
    },
    { fields: { processingMode: 'sometimes' }, field: 'processingMode' },
    { fields: { enabled: 'yes' }, field: 'enabled' },
    { fields: { unknown: 1 }, field: 'unknown' },
  ])('with $fields is a 400 that names $field', async ({ fields, field }) => {
    const answer = await merchant.post('/v0/sources', { ...body(), ...fields });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
  });

  it('needs a metric that adds up', async () => {
    const metric = await shop.metric({ aggregation: 'COUNT', valueProperty: undefined });
    const metadata = { billableMetricMapping: { revenue: metric.id } };
    const answer = await merchant.post('/v0/sources', { ...body(), metadata });
    expect(answer.body.errors).toMatchObject([{ field: 'metadata.billableMetricMapping.revenue' }]);
  });

  it('names only what there is, and what is the merchant’s', async () => {
    const other = shopOf(await env.merchant());
    const foreign = await other.metric();
    const unknown = await merchant.post('/v0/sources', { ...body(), planId: newId('plan') });
    expect(unknown).toMatchObject({ status: 404, body: { details: { field: 'planId' } } });
    for (const [id, status] of [
      [newId('billableMetric'), 404],
      [foreign.id, 403],
    ])
      expect(
        (await merchant.post('/v0/sources', { ...body(), metadata: { billableMetricMapping: { revenue: id } } }))
          .status,
      ).toBe(status);
  });
});
