import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { type Builder, builderFor, failingFields } from '../testing/build.ts';

let env: TestEnvironment;
let merchant: Merchant;
let build: Builder;
let productId: string;
let metricId: string;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  build = builderFor(merchant);
  productId = await build.product();
  metricId = await build.metric(productId);
});
afterAll(() => env.close());

const post = (fields: object = {}) =>
  merchant.post('/v0/plans', { name: 'Pro', productId, currency: 'USD', ...fields });
const ADDRESS = { line1: '1 Main St', city: 'Springfield', state: 'IL', zipCode: '62701', country: 'US' };

async function subscribe(planId: string, customerId?: string): Promise<{ id: string; customerId: string }> {
  const consumer = { name: 'Ada', email: `${randomUUID()}@example.com`, address: ADDRESS };
  const customer = customerId ?? (await merchant.post('/v0/customers', { consumer })).body.id;
  const made = await merchant.post('/v0/subscriptions', {
    name: 'Sub',
    planId,
    customerId: customer,
    startedAt: (await merchant.get(`/v0/plans/${planId}`)).body.createdAt,
  });
  expect(made).toMatchObject({ status: 201 });
  return made.body;
}

describe('POST /v0/plans', () => {
  it('answers the plan with the defaults of api.md, publishes version 1, and GET is the same', async () => {
    env.setNow('2026-03-01T00:00:00Z');
    const made = await post();
    expect(made).toMatchObject({ status: 201 });
    expect(made.body).toEqual({
      id: expect.stringMatching(/^plan_[0-9A-Za-z]{22}$/),
      object: 'plan',
      merchantId: merchant.id,
      productId,
      name: 'Pro',
      currency: 'USD',
      billingCadence: 'P1M',
      billingInterval: 'monthly',
      billingVersion: 1,
      billingAnchor: null,
      gracePeriod: 'PT0S',
      trialPeriod: null,
      autoApprove: true,
      defaultTaxCode: 'eservice',
      taxBehavior: 'exclusive',
      renewalReminderEnabled: true,
      renewalReminderDays: 3,
      metadata: {},
      defaultVersionId: expect.stringMatching(/^pver_[0-9A-Za-z]{22}$/),
      minimumAmount: null,
      currencyMinimums: {},
      trialRequiresPaymentMethod: false,
      trialEndBehavior: 'invoice',
      paymentTerm: { in_arrears: false, in_advance: false },
      prices: [],
      createdAt: '2026-03-01T00:00:00Z',
      updatedAt: '2026-03-01T00:00:00Z',
    });
    expect((await merchant.get(`/v0/plans/${made.body.id}`)).body).toEqual(made.body);
    expect((await merchant.get(`/v0/plans/${made.body.id}/versions/1`)).body).toMatchObject({
      id: made.body.defaultVersionId,
      status: 'published',
      publishedAt: '2026-03-01T00:00:00Z',
      isDefault: true,
    });
  });

  it('keeps every field of the request', async () => {
    const fields = {
      billingCadence: 'P2W',
      billingVersion: 1,
      description: 'For teams',
      invoiceDisplayName: 'Pro plan',
      billingAnchor: '2026-01-31T00:00:00Z',
      gracePeriod: 'PT72H',
      autoApprove: false,
      trialPeriod: 'P14D',
      trialRequiresPaymentMethod: true,
      trialEndBehavior: 'pause',
      defaultTaxCode: 'saas',
      defaultTaxRate: 8.875,
      taxBehavior: 'inclusive',
      renewalReminderEnabled: false,
      renewalReminderDays: 30,
      metadata: { tier: 'pro' },
    };
    const made = await post(fields);
    expect(made).toMatchObject({ status: 201, body: { ...fields, billingInterval: null } });
    expect((await merchant.get(`/v0/plans/${made.body.id}`)).body).toEqual(made.body);
  });

  it('takes a commitment, which its first version holds', async () => {
    const made = await post({ minimumAmount: '500.00', prices: [await build.metricPrice(metricId)] });
    expect(made).toMatchObject({ status: 201, body: { minimumAmount: '500' } });
    const path = `/v0/plans/${made.body.id}`;
    expect((await merchant.get(path)).body).toEqual(made.body);
    expect((await merchant.get('/v0/plans?limit=1')).body.data).toEqual([made.body]);
    expect((await merchant.get(`${path}/versions/1`)).body.minimumAmount).toBe('500');
    expect(failingFields(await merchant.patch(path, { minimumAmount: '1' }))).toEqual(['minimumAmount']);
  });

  it.each([
    { currency: 'USD', minimumAmount: '-0.01' },
    { currency: 'USD', minimumAmount: '0.001' },
    { currency: 'JPY', minimumAmount: '0.1' },
    { currency: 'KWD', minimumAmount: '0.0001' },
    { currency: 'USD', minimumAmount: 'much' },
    { currency: 'USD', minimumAmount: false },
  ])('is a 400 for a commitment of $minimumAmount $currency', async (fields) => {
    expect(failingFields(await post(fields))).toEqual(['minimumAmount']);
  });

  it('answers its prices as objects, in their order, and which payment terms they have', async () => {
    const feeId = await build.fee(productId);
    const prices = [
      await build.feePrice(feeId),
      await build.metricPrice(metricId),
      await build.feePrice(feeId, { billingCadence: 'P1Y' }),
    ];
    const { body } = await post({ prices });
    expect(body.prices.map(({ id }: { id: string }) => id)).toEqual(prices);
    expect(body.prices[0]).toEqual((await merchant.get(`/v0/prices/${prices[0]}`)).body);
    expect(body.paymentTerm).toEqual({ in_arrears: true, in_advance: true });
    expect((await post({ prices: prices.slice(1, 2) })).body.paymentTerm).toEqual({
      in_arrears: true,
      in_advance: false,
    });
  });

  it.each([
    { sent: { billingInterval: 'monthly' }, cadence: 'P1M', interval: 'monthly' },
    { sent: { billingInterval: 'quarterly' }, cadence: 'P3M', interval: 'quarterly' },
    { sent: { billingInterval: 'yearly' }, cadence: 'P1Y', interval: 'yearly' },
    { sent: { billingInterval: 'yearly', billingCadence: 'P3M' }, cadence: 'P3M', interval: 'quarterly' },
    { sent: { billingInterval: 'monthly', billingCadence: 'P45D' }, cadence: 'P45D', interval: null },
    { sent: { billingInterval: null }, cadence: 'P1M', interval: 'monthly' },
    { sent: { billingCadence: 'P12M' }, cadence: 'P12M', interval: 'yearly' },
    { sent: { billingInterval: 'annual' }, cadence: 'P1Y', interval: 'yearly' },
    { sent: { billingCadence: 'annual' }, cadence: 'P1Y', interval: 'yearly' },
  ])('$sent is the cadence $cadence, called $interval (§9 rule 3)', async ({ sent, cadence, interval }) => {
    expect(await post(sent)).toMatchObject({
      status: 201,
      body: { billingCadence: cadence, billingInterval: interval },
    });
  });

  it.each([0, 2, -1, '1', 1.5])('refuses the billingVersion %j (§9 rule 4)', async (billingVersion) => {
    expect(failingFields(await post({ billingVersion }))).toEqual(['billingVersion']);
  });

  it.each([
    { fields: { name: '' }, failing: ['name'] },
    { fields: { currency: 'EURO' }, failing: ['currency'] },
    { fields: { currency: 'eur' }, failing: ['currency'] },
    { fields: { billingCadence: 'P0D' }, failing: ['billingCadence'] },
    { fields: { billingCadence: 'monthly' }, failing: ['billingCadence'] },
    { fields: { billingCadence: '' }, failing: ['billingCadence'] },
    { fields: { billingInterval: 'weekly' }, failing: ['billingInterval'] },
    { fields: { billingAnchor: '2026-01-31' }, failing: ['billingAnchor'] },
    { fields: { gracePeriod: '3 days' }, failing: ['gracePeriod'] },
    { fields: { gracePeriod: '-PT1H' }, failing: ['gracePeriod'] },
    { fields: { trialPeriod: 'P999999Y' }, failing: ['trialPeriod'] },
    {
      fields: { gracePeriod: 'x', trialPeriod: 'y', billingCadence: 'z' },
      failing: ['billingCadence', 'gracePeriod', 'trialPeriod'],
    },
    { fields: { defaultTaxRate: 100.001 }, failing: ['defaultTaxRate'] },
    { fields: { taxBehavior: 'none' }, failing: ['taxBehavior'] },
    { fields: { renewalReminderDays: 0 }, failing: ['renewalReminderDays'] },
    { fields: { renewalReminderDays: 31 }, failing: ['renewalReminderDays'] },
    { fields: { autoApprove: 1 }, failing: ['autoApprove'] },
    { fields: { prices: 'price_a' }, failing: ['prices'] },
    { fields: { prices: ['fee_a'] }, failing: ['prices.0'] },
    { fields: { prices: ['price_a', 'price_a'] }, failing: ['prices'] },
    { fields: { defaultVersionId: 'pver_a' }, failing: ['defaultVersionId'] },
    {
      fields: { name: undefined, productId: undefined, currency: undefined },
      failing: ['currency', 'name', 'productId'],
    },
  ])('is a 400 for $fields', async ({ fields, failing }) => {
    expect(failingFields(await post(fields))).toEqual(failing);
  });

  it('is a 400 where two prices carry a feature with different templates', async () => {
    const featureId = await build.feature(productId);
    const carrying = (template: object) =>
      build.metricPrice(metricId, { feature: { featureId, entitlementTemplate: { type: 'metered', ...template } } });
    const prices = [await carrying({ isSoftLimit: true }), await carrying({ isSoftLimit: true }), await carrying({})];
    expect(failingFields(await post({ prices }))).toEqual(['prices.2']);
    expect(await post({ prices: prices.slice(0, 2) })).toMatchObject({ status: 201 });
  });
});

describe('GET /v0/plans', () => {
  it('filters by product, newest first, with the prices of each', async () => {
    const alone = await build.product();
    const price = await build.metricPrice(metricId);
    const plans = [await build.plan(alone), await build.plan(alone, { prices: [price] })];
    const { body } = await merchant.get(`/v0/plans?productId=${alone}`);
    expect(body.data).toEqual([plans[1], plans[0]]);
  });
});

describe('PATCH /v0/plans/{id}', () => {
  const patch = (id: string, body: object) => merchant.patch(`/v0/plans/${id}`, body);

  it('changes everything but its prices and billingVersion', async () => {
    const { id, defaultVersionId } = await build.plan(productId, { description: 'D', defaultTaxRate: 5 });
    const change = {
      name: 'N',
      productId: await build.product(),
      currency: 'EUR',
      billingCadence: 'P1Y',
      description: 'New',
      invoiceDisplayName: 'I',
      billingAnchor: '2026-01-01T00:00:00Z',
      gracePeriod: 'P1D',
      autoApprove: false,
      trialPeriod: 'P7D',
      defaultTaxCode: 'c',
      defaultTaxRate: 20,
      taxBehavior: 'inclusive',
      renewalReminderEnabled: false,
      renewalReminderDays: 7,
      metadata: { a: 'b' },
    };
    expect(await patch(id, change)).toMatchObject({
      status: 200,
      body: { ...change, defaultVersionId, billingInterval: 'yearly' },
    });
    const cleared = await patch(id, {
      description: null,
      invoiceDisplayName: null,
      billingAnchor: null,
      trialPeriod: null,
      defaultTaxRate: null,
    });
    expect(cleared).toMatchObject({ status: 200, body: { billingAnchor: null, trialPeriod: null } });
    for (const field of ['description', 'invoiceDisplayName', 'defaultTaxRate'])
      expect(cleared.body).not.toHaveProperty(field);
    expect(await patch(id, { billingInterval: 'quarterly' })).toMatchObject({ body: { billingCadence: 'P3M' } });
  });

  it.each([
    { body: { billingVersion: 1 }, field: 'billingVersion' }, // §9 rule 4: update-plan never accepted it
    { body: { prices: 'none' }, field: 'prices' },
    { body: { minimumAmount: '1' }, field: 'minimumAmount' },
    { body: { defaultVersionId: 'pver_a' }, field: 'defaultVersionId' },
    { body: { name: '' }, field: 'name' },
    { body: { currency: 'XXX' }, field: 'currency' },
    { body: { billingCadence: 'P0D' }, field: 'billingCadence' },
    { body: { gracePeriod: '' }, field: 'gracePeriod' },
  ])('is a 400 for $body', async ({ body, field }) => {
    expect(failingFields(await patch((await build.plan(productId)).id, body))).toEqual([field]);
  });

  describe('with prices', () => {
    const planOf = async (...prices: string[]) => (await build.plan(productId, { prices, minimumAmount: '5' })).id;
    const versionsOf = async (id: string) => (await merchant.get(`/v0/plans/${id}/versions`)).body.data;
    const idsOf = ({ body }: { body: { prices: { id: string }[] } }) => body.prices.map(({ id }) => id);

    it('publishes the next version with that set, beside what else changes', async () => {
      const [kept, left, come] = [
        await build.metricPrice(metricId),
        await build.metricPrice(metricId),
        await build.metricPrice(metricId),
      ];
      const id = await planOf(kept, left);
      const [first] = await versionsOf(id);
      const changed = await patch(id, { prices: [come, kept], name: 'Newer' });
      expect(changed).toMatchObject({ status: 200, body: { name: 'Newer', minimumAmount: '5' } });
      expect(idsOf(changed)).toEqual([come, kept]);
      const [second, ...older] = await versionsOf(id);
      expect(older).toMatchObject([{ id: first.id, versionNumber: 1, status: 'published', isDefault: false }]);
      expect(second).toMatchObject({
        versionNumber: 2,
        status: 'published',
        isDefault: true,
        basedOnVersionId: first.id,
      });
      expect(changed.body.defaultVersionId).toBe(second.id);
      expect(idsOf(await merchant.get(`/v0/plans/${id}/versions/1`))).toEqual([kept, left]);
    });

    it('does nothing for the same set in any order, or for null', async () => {
      const [one, other] = [await build.metricPrice(metricId), await build.metricPrice(metricId)];
      const id = await planOf(one, other);
      for (const prices of [[one, other], [other, one], null])
        expect(idsOf(await patch(id, { prices }))).toEqual([one, other]);
      expect(await versionsOf(id)).toHaveLength(1);
    });

    it('is also for a plan in use: subscriptions keep their version', async () => {
      const id = await planOf(await build.metricPrice(metricId));
      await subscribe(id);
      expect((await patch(id, { prices: [await build.metricPrice(metricId)] })).status).toBe(200);
      const counts = (await versionsOf(id)).map(
        ({ subscriptionCount }: { subscriptionCount: number }) => subscriptionCount,
      );
      expect(counts).toEqual([0, 1]);
    });

    it('refuses an empty set, a price twice, and one that is unknown or deleted; nothing is done', async () => {
      const [one, gone] = [await build.metricPrice(metricId), await build.metricPrice(metricId)];
      await merchant.delete(`/v0/prices/${gone}`);
      const id = await planOf(one);
      expect(failingFields(await patch(id, { prices: [] }))).toEqual(['prices']);
      expect(failingFields(await patch(id, { prices: [one, one] }))).toEqual(['prices']);
      for (const price of [gone, 'price_0000000000000000000000'])
        expect(await patch(id, { name: 'X', prices: [one, price] })).toMatchObject({
          status: 404,
          body: { details: { field: 'prices.1' } },
        });
      expect((await merchant.get(`/v0/plans/${id}`)).body).toMatchObject({ name: 'Pro' });
      expect(await versionsOf(id)).toHaveLength(1);
    });

    it('gives two at once two numbers', async () => {
      const id = await planOf(await build.metricPrice(metricId));
      const sets = [[await build.metricPrice(metricId)], [await build.metricPrice(metricId)]];
      const answers = await Promise.all(sets.map((prices) => patch(id, { prices })));
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      const numbers = (await versionsOf(id)).map(({ versionNumber }: { versionNumber: number }) => versionNumber);
      expect(numbers).toEqual([3, 2, 1]);
    });
  });

  it('is a 409 PLAN_IN_USE for what running subscriptions stand on; the rest still changes', async () => {
    const { id } = await build.plan(productId, { prices: [await build.metricPrice(metricId)] });
    await subscribe(id);
    await subscribe(id);
    expect((await merchant.get(`/v0/plans/${id}/versions/1`)).body.subscriptionCount).toBe(2);
    expect((await merchant.get(`/v0/plans/${id}/versions`)).body.data[0].subscriptionCount).toBe(2);
    for (const body of [
      { currency: 'EUR' },
      { billingCadence: 'P1Y' },
      { billingInterval: 'yearly' },
      { taxBehavior: 'inclusive' },
      { productId: await build.product() },
    ])
      expect(await patch(id, body), JSON.stringify(body)).toMatchObject({
        status: 409,
        body: { error: 'conflict', code: 'PLAN_IN_USE' },
      });
    const same = { currency: 'USD', billingCadence: 'P1M', taxBehavior: 'exclusive', productId };
    expect(await patch(id, { ...same, name: 'N', gracePeriod: 'P1D' })).toMatchObject({
      status: 200,
      body: { name: 'N' },
    });
  });
});

describe('GET /v0/plans/available', () => {
  it('has the plans of products to which the customer has no active subscription', async () => {
    const [mine, other] = [await build.product(), await build.product()];
    const price = await build.metricPrice(metricId);
    const [basic, pro] = [
      await build.plan(mine, { name: 'Basic', prices: [price] }),
      await build.plan(mine, { name: 'Pro', prices: [price] }),
    ];
    const addOn = await build.plan(other, { name: 'Add-on 100%_of', prices: [price] });
    const ids = async (customerId: string, query = '') =>
      (await merchant.get(`/v0/plans/available?customerId=${customerId}&limit=100${query}`)).body.data.map(
        ({ id }: { id: string }) => id,
      );
    const { customerId } = await subscribe(addOn.id);
    expect(await ids(customerId)).toEqual(expect.arrayContaining([basic.id, pro.id]));
    expect(await ids(customerId)).not.toContain(addOn.id);
    expect(await ids(customerId, `&productId=${mine}`)).toEqual([pro.id, basic.id]);
    expect(await ids(customerId, `&productId=${other}`)).toEqual([]);
    expect(await ids(customerId, `&productId=${mine}&search=BAS`)).toEqual([basic.id]);

    await subscribe(basic.id, customerId);
    expect(await ids(customerId, `&productId=${mine}`)).toEqual([]); // pro is a plan of the same product
    const someone = await subscribe((await build.plan(await build.product(), { prices: [price] })).id);
    expect(await ids(someone.customerId, '&search=100%25_')).toEqual([addOn.id]); // no wildcard
  });

  it('needs a customer of the merchant', async () => {
    expect(await merchant.get('/v0/plans/available')).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'customerId' }] },
    });
    expect(await merchant.get('/v0/plans/available?customerId=x')).toMatchObject({ status: 400 });
    expect(await merchant.get('/v0/plans/available?customerId=cus_0000000000')).toMatchObject({ status: 404 });
    const plan = await build.plan(productId, { prices: [await build.metricPrice(metricId)] });
    const { customerId } = await subscribe(plan.id);
    const stranger = await env.merchant();
    expect(await stranger.get(`/v0/plans/available?customerId=${customerId}`)).toMatchObject({ status: 403 });
    expect(await env.platform.get(`/v0/plans/available?customerId=${customerId}`)).toMatchObject({ status: 200 });
  });
});
