import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { allDeclarations, propertiesOf } from '../support/routes.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * Purchases of grants (§3, §4 Grant purchase; domain.md §5). Each story has its own entitlement; most are on a clock.
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

let counter = 0;
const unique = (word: string) => {
  counter += 1;
  return `${word}-${counter}`;
};
const MONTHLY = { type: 'metered', usagePeriod: { interval: 'P1M' } };
const ONE_TIME = { type: 'metered' };

/** A feature that measures a metric of its own. */
async function metered(of: Shop = shop) {
  const metric = await of.metric();
  const feature = await of.create('/v0/features', {
    key: unique('credits'),
    name: 'Credits',
    productId: metric.productId,
    type: 'metered',
  });
  return { metric, feature };
}

/** An entitlement of a customer, made by hand. */
async function entitled(template: object = ONE_TIME, customer?: Resource, of: Shop = shop): Promise<Resource> {
  const { metric, feature } = await metered(of);
  return of.create('/v1/entitlements', {
    customerId: (customer ?? (await of.customer())).id,
    featureId: feature.id,
    template: { ...template, billableMetricIds: [metric.id] },
  });
}

/** An entitlement by a plan of a subscription that is on a clock. */
async function subscribed(template: object = MONTHLY, plan: Record<string, unknown> = {}) {
  const { metric, feature } = await metered();
  const price = await shop.usagePrice({
    billableMetricId: metric.id,
    feature: { featureId: feature.id, entitlementTemplate: template },
  });
  const clock = await shop.clock(START);
  const subscription = await shop.subscribe(await shop.plan([price], plan), { clock });
  const [entitlement] = (await shop.read(`/v1/entitlements?subscriptionId=${subscription.id}`)).data;
  return { clock, subscription, entitlement: { ...entitlement, id: entitlement.entitlementId } as Resource };
}

const order = (fields: object = {}) => ({ amount: 100, price: '20.00', idempotencyKey: unique('key'), ...fields });
const path = (entitlement: Resource) => `/v1/entitlements/${entitlement.id}/grants/purchase`;
const buy = (entitlement: Resource, fields: object = {}) => shop.create(path(entitlement), order(fields));
const sessionOf = (purchase: Resource): string => purchase.paymentSessions[0].url.split('/').at(-1);
const complete = (session: string, paymentMethod = 'pm_ok') =>
  merchant.post(`/v0/paymentSessions/${session}/complete`, { paymentMethod });
const balance = async (entitlement: Resource) => (await shop.read(`/v1/entitlements/${entitlement.id}`)).balance;
const grants = async (entitlement: Resource) => (await shop.read(`/v1/entitlements/${entitlement.id}/grants`)).data;
const invoice = (purchase: Resource) => shop.invoice(purchase.invoiceId);
const told = (purchase: Resource): Promise<{ type: string; data: Resource }[]> =>
  env.database.transaction({ merchants: [merchant.id] }, (tx) =>
    tx.rows<{ type: string; data: Resource }>(
      sql`select type, data from outbox where data ->> 'invoiceId' = ${purchase.invoiceId} order by seq`,
    ),
  );

describe('a purchase', () => {
  // Proves 3.purchase.make.
  it('is answered with where to pay, and grants nothing until it is paid', async () => {
    const entitlement = await entitled();
    const purchase = await buy(entitlement, { amount: 100, price: '20' });
    expect(purchase).toEqual({
      object: 'grant_purchase',
      invoiceId: expect.stringMatching(/^inv_[0-9a-f]{32}$/),
      entitlementId: entitlement.id,
      grantAmount: 100,
      price: '20.00',
      currency: 'USD',
      paymentSessions: [
        {
          url: expect.stringMatching(/^http:\/\/localhost:4401\/pay\/ps_/),
          expiresAt: expect.any(String),
          amount: '20.00',
        },
      ],
    });
    expect(await invoice(purchase)).toMatchObject({ status: 'ISSUED', invoiceNumber: null, grandTotal: '20.00' });
    expect([await balance(entitlement), await grants(entitlement)]).toEqual([0, []]);
  });

  // Proves 3.purchase.paid, 4.purchases.5, 6.webhooks.paid.grant.
  it('makes its grant when the invoice becomes PAID, once, and reports both together (§6)', async () => {
    const { entitlement, subscription } = await subscribed();
    const purchase = await buy(entitlement);
    const session = sessionOf(purchase);
    const answers = await Promise.all(Array.from({ length: 6 }, () => complete(session)));
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { status: 'completed' } });
    const [grant, ...others] = await grants(entitlement);
    expect(others).toEqual([]);
    expect(grant).toMatchObject({
      object: 'grant',
      entitlementId: entitlement.id,
      amount: 100,
      effectiveAt: START,
      expiresAt: null,
      voidedAt: null,
      recurrencePeriod: null,
      resetMaxRollover: 999999999999,
      resetMinRollover: 0,
      priority: 0,
    });
    expect(await balance(entitlement)).toBe(100);
    expect(await invoice(purchase)).toMatchObject({
      status: 'PAID',
      paidAmount: '20.00',
      invoiceNumber: expect.any(String),
    });
    expect((await told(purchase)).filter(({ type }) => type === 'invoice.paid.v0').map(({ data }) => data)).toEqual([
      {
        merchantId: merchant.id,
        invoiceId: purchase.invoiceId,
        customerId: subscription.customerId,
        subscriptionId: subscription.id,
        grantId: grant.id,
        sequence: expect.any(Number),
      },
    ]);
  });

  it('stays payable after a card was declined', async () => {
    const entitlement = await entitled();
    const purchase = await buy(entitlement);
    expect((await complete(sessionOf(purchase), 'pm_declined')).body.status).toBe('failed');
    expect(await grants(entitlement)).toEqual([]);
    expect((await complete(sessionOf(purchase))).body.status).toBe('completed');
    expect(await balance(entitlement)).toBe(100);
  });

  // Proves 3.purchase.expired.
  it('whose session expires is cancelled with it: no grant, and the balance as it was', async () => {
    const { clock, entitlement } = await subscribed();
    await shop.create(`/v1/entitlements/${entitlement.id}/grants`, { amount: 7 });
    const purchase = await buy(entitlement, { paymentExpiresAt: '2026-01-01T01:00:00Z' });
    await shop.advance(clock, '2026-01-01T00:59:59.999999Z');
    expect((await invoice(purchase)).status).toBe('ISSUED');
    await shop.advance(clock, '2026-01-01T01:00:00Z');
    expect(await invoice(purchase)).toMatchObject({ status: 'CANCELLED', invoiceNumber: null });
    expect(await complete(sessionOf(purchase))).toMatchObject({
      status: 409,
      body: { code: 'PAYMENT_SESSION_EXPIRED' },
    });
    expect(await balance(entitlement)).toBe(7);
    expect(await grants(entitlement)).toHaveLength(1);
  });

  // Proves 4.purchases.3.
  it('is payable for a day where nothing is said', async () => {
    const { clock, entitlement } = await subscribed();
    const purchase = await buy(entitlement);
    expect(purchase.paymentSessions[0].expiresAt).toBe('2026-01-02T00:00:00Z');
    await shop.advance(clock, '2026-01-02T00:00:00Z');
    expect((await invoice(purchase)).status).toBe('CANCELLED');
  });

  it('is payable no longer than what is bought would last', async () => {
    const { entitlement } = await subscribed();
    const { paymentSessions } = await buy(entitlement, { expiresAt: '2026-01-01T02:00:00Z' });
    expect(paymentSessions[0].expiresAt).toBe('2026-01-01T02:00:00Z');
  });

  // Proves 4.purchases.3.
  it('takes effect when it is paid, and at another time where that is asked for', async () => {
    const { clock, entitlement } = await subscribed();
    const now = await buy(entitlement, { amount: 1 });
    const later = await buy(entitlement, {
      amount: 2,
      effectiveAt: '2026-01-03T00:00:00Z',
      expiresAt: '2026-01-10T00:00:00Z',
    });
    const before = await buy(entitlement, { amount: 4, effectiveAt: START });
    await shop.advance(clock, '2026-01-01T12:00:00Z');
    for (const purchase of [now, later, before]) await complete(sessionOf(purchase));
    const at = async (time: string) => (await shop.read(`/v1/entitlements/${entitlement.id}?at=${time}`)).balance;
    expect((await grants(entitlement)).map(({ amount, effectiveAt }: Resource) => [amount, effectiveAt])).toEqual([
      [4, START],
      [2, '2026-01-03T00:00:00Z'],
      [1, '2026-01-01T12:00:00Z'],
    ]);
    expect(
      await Promise.all([START, '2026-01-01T12:00:00Z', '2026-01-03T00:00:00Z', '2026-01-10T00:00:00Z'].map(at)),
    ).toEqual([4, 5, 7, 5]);
  });

  it('makes its grant although the entitlement has ended meanwhile: the money has come', async () => {
    const { entitlement, subscription } = await subscribed();
    const purchase = await buy(entitlement);
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved' });
    expect((await complete(sessionOf(purchase))).body.status).toBe('completed');
    expect(await grants(entitlement)).toHaveLength(1);
    expect(await merchant.post(path(entitlement), order())).toMatchObject({
      status: 409,
      body: { code: 'ENTITLEMENT_ENDED' },
    });
  });
});

describe('what is bought', () => {
  // Proves 2.grant.resetMaxRollover, 2.grant.resetMaxRollover.zero, 2.grant.resetMinRollover, 4.purchases.3.
  it.each([
    { name: 'by default all of it', sent: {}, left: 100 },
    { name: 'at most what was said', sent: { resetMaxRollover: 30 }, left: 30 },
    { name: 'nothing', sent: { resetMaxRollover: 0 }, left: 0 },
    { name: 'at least what was said', sent: { resetMinRollover: 120 }, left: 120 },
  ])('rolls over at a reset: $name', async ({ sent, left }) => {
    const { clock, entitlement } = await subscribed();
    await complete(sessionOf(await buy(entitlement, sent)));
    await shop.advance(clock, 'P1M');
    expect(await balance(entitlement)).toBe(left);
  });

  // Proves 4.purchases.4.
  it('has no bounds on a one-time entitlement, despite the request (§4, rule 4)', async () => {
    const entitlement = await entitled(ONE_TIME);
    await complete(sessionOf(await buy(entitlement, { resetMaxRollover: 0, resetMinRollover: 5 })));
    expect(await grants(entitlement)).toMatchObject([{ resetMaxRollover: 999999999999, resetMinRollover: 0 }]);
  });
});

describe('the same idempotencyKey again', () => {
  // Proves 4.purchases.2.
  it('is the same invoice, in any later state', async () => {
    const { clock, entitlement } = await subscribed();
    const [paid, left] = [order(), order({ price: '5.00' })];
    const first = await shop.create(path(entitlement), paid);
    const second = await shop.create(path(entitlement), left);
    expect(await shop.create(path(entitlement), paid)).toEqual(first);
    await complete(sessionOf(first));
    expect(await shop.create(path(entitlement), paid)).toEqual({ ...first, paymentSessions: [] });
    await shop.advance(clock, 'P1D');
    expect((await invoice(second)).status).toBe('CANCELLED');
    expect(await shop.create(path(entitlement), left)).toEqual({ ...second, paymentSessions: [] });
    await shop.create(`/v2/invoices/${first.invoiceId}/refunds`); // it stays PAID
    expect(await shop.create(path(entitlement), paid)).toEqual({ ...first, paymentSessions: [] });
    expect(await grants(entitlement)).toHaveLength(1);
  });

  it('with another amount or price is refused, and names the invoice', async () => {
    const entitlement = await entitled();
    const first = order();
    const { invoiceId } = await shop.create(path(entitlement), first);
    for (const change of [{ amount: 101 }, { price: '20.01' }])
      expect(await merchant.post(path(entitlement), { ...first, ...change })).toMatchObject({
        status: 409,
        body: { code: 'IDEMPOTENCY_KEY_REUSED', details: { invoiceId } },
      });
  });

  /** What a client may send anew in each field of a retry; a new field of the body needs a line here. */
  const RETRIES: Record<string, readonly unknown[]> = {
    amount: [JSON.rawJSON('100.0'), JSON.rawJSON('1e2')],
    price: ['20', '20.0'],
    idempotencyKey: [],
    effectiveAt: [START, '2026-01-01T00:00:01Z'],
    expiresAt: [null, '2026-06-01T00:00:00Z'],
    successUrl: ['https://shop.example/in?try=2'],
    cancelUrl: ['https://shop.example/out?try=2'],
    paymentExpiresAt: ['2026-01-01T01:00:00Z'],
    resetMaxRollover: [999999999999, 1],
    resetMinRollover: [0, 1],
    currency: ['USD', 'EUR'],
  };

  it.each(Object.entries(RETRIES).flatMap(([field, values]) => values.map((value) => ({ field, value }))))(
    'with $field $value, built anew, is the same invoice',
    async ({ field, value }) => {
      const { entitlement } = await subscribed();
      const first = order();
      const purchase = await shop.create(path(entitlement), first);
      expect(await shop.create(path(entitlement), { ...first, [field]: value })).toEqual(purchase);
    },
  );

  it('is tried with every field of the body', async () => {
    const declaration = (await allDeclarations()).find(({ operationId }) => operationId === 'purchaseGrant');
    expect(Object.keys(propertiesOf(declaration?.body)).toSorted()).toEqual(Object.keys(RETRIES).toSorted());
  });

  it('for another entitlement is another purchase', async () => {
    const first = order();
    const [one, other] = [await entitled(), await entitled()];
    const invoices = [await shop.create(path(one), first), await shop.create(path(other), first)];
    expect(new Set(invoices.map(({ invoiceId }) => invoiceId)).size).toBe(2);
  });

  it('by many at once makes one invoice', async () => {
    const entitlement = await entitled();
    const first = order();
    const answers = await Promise.all(Array.from({ length: 12 }, () => merchant.post(path(entitlement), first)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
  });
});

describe('the bounds of a purchase (§8)', () => {
  // Proves 4.entitlements.purchase, 4.purchases.1, 8.limits.purchaseAmount, 8.limits.purchasePrice.
  // Proves 8.limits.idempotencyKey, 8.limits.rollover.
  it.each([
    { field: 'price', value: '0.50', status: 201 },
    { field: 'price', value: '4503599.62', status: 201 },
    { field: 'price', value: '1.123456789', status: 201 },
    { field: 'price', value: '0.49', status: 400 },
    { field: 'price', value: '0.499999999', status: 400 },
    { field: 'price', value: '4503599.63', status: 400 },
    { field: 'price', value: '4503599.620000001', status: 400 },
    { field: 'price', value: '1.1234567891', status: 400 },
    { field: 'price', value: '-1', status: 400 },
    { field: 'price', value: 'free', status: 400 },
    { field: 'price', value: '', status: 400 },
    { field: 'price', value: 20, status: 400 },
    { field: 'price', value: '1e2', status: 400 },
    { field: 'amount', value: 1e-8, status: 201 },
    { field: 'amount', value: 1e-9, status: 400 },
    { field: 'amount', value: 0, status: 400 },
    { field: 'amount', value: -1, status: 400 },
    { field: 'amount', value: '1', status: 400 },
    { field: 'idempotencyKey', value: '', status: 400 },
    { field: 'idempotencyKey', value: 'k'.repeat(255), status: 201 },
    { field: 'idempotencyKey', value: 'k'.repeat(256), status: 400 },
    { field: 'resetMaxRollover', value: 999999999999, status: 201 },
    { field: 'resetMaxRollover', value: 1000000000000, status: 400 },
    { field: 'resetMaxRollover', value: 0.5, status: 400 },
    { field: 'resetMinRollover', value: -1, status: 400 },
    { field: 'currency', value: 'usd', status: 400 },
    { field: 'currency', value: 'XXX', status: 400 },
    { field: 'successUrl', value: 'javascript:alert(1)', status: 400 },
    { field: 'cancelUrl', value: 'http://shop.example', status: 400 },
    { field: 'expiresAt', value: '2025-12-31T00:00:00Z', status: 400 },
    { field: 'paymentExpiresAt', value: '2025-12-31T00:00:00Z', status: 400 },
  ])('$field $value: $status', async ({ field, value, status }) => {
    const { entitlement } = await bounded();
    const answer = await merchant.post(path(entitlement), order({ [field]: value }));
    expect(answer.status, answer.text).toBe(status);
    if (status === 400) expect(answer.body.errors.map((error: Resource) => error.field)).toEqual([field]);
  });

  it.each([
    { sent: { effectiveAt: '2026-02-01T00:00:00Z', expiresAt: '2026-02-01T00:00:00Z' }, field: 'expiresAt' },
    { sent: { resetMinRollover: 2, resetMaxRollover: 1 }, field: 'resetMinRollover' },
    {
      sent: { expiresAt: '2026-01-02T00:00:00Z', paymentExpiresAt: '2026-01-02T00:00:01Z' },
      field: 'paymentExpiresAt',
    },
  ])('$sent contradicts itself', async ({ sent, field }) => {
    const { entitlement } = await bounded();
    expect(await merchant.post(path(entitlement), order(sent))).toMatchObject({
      status: 400,
      body: { error: 'validation_error', errors: [{ field }] },
    });
  });

  let standing: ReturnType<typeof subscribed> | undefined;
  const bounded = () => {
    standing ??= subscribed();
    return standing;
  };
});

describe('what is paid', () => {
  it('is the price and the tax on it', async () => {
    const { entitlement } = await subscribed(MONTHLY, { defaultTaxRate: 20 });
    const purchase = await buy(entitlement, { price: '9.99' });
    expect(purchase).toMatchObject({ price: '9.99', paymentSessions: [{ amount: '11.99' }] });
    expect(await invoice(purchase)).toMatchObject({
      subtotal: '9.99',
      totalTax: '2.00',
      grandTotal: '11.99',
      lines: [{ invoiceDisplayName: 'Credits, 100 units', quantity: 1, unitPrice: '9.99', taxRate: 20 }],
    });
  });

  it.each([
    { currency: 'USD', price: '1.005', shown: '1.005', amount: '1.01' },
    { currency: 'JPY', price: '1000', shown: '1000', amount: '1000' },
    { currency: 'JPY', price: '0.50', shown: '0.5', amount: '1' },
    { currency: 'KWD', price: '1.0005', shown: '1.0005', amount: '1.001' },
    { currency: 'KWD', price: '1.5', shown: '1.500', amount: '1.500' },
  ])('is rounded once to the minor unit: $price $currency is $amount', async ({ currency, price, shown, amount }) => {
    const purchase = await buy(await entitled(), { currency, price });
    expect(purchase).toMatchObject({ currency, price: shown, paymentSessions: [{ amount }] });
  });

  it('is in the currency that is asked for, else in that of the plan, the customer, the merchant', async () => {
    const customer = (currency?: string) => shop.customer({ ...(currency !== undefined && { currency }) });
    const { entitlement } = await subscribed(MONTHLY, { currency: 'EUR' });
    const bought = [
      await buy(entitlement, { currency: 'GBP' }),
      await buy(entitlement),
      await buy(await entitled(ONE_TIME, await customer('CHF'))),
      await buy(await entitled(ONE_TIME, await customer())),
    ];
    expect(bought.map(({ currency }) => currency)).toEqual(['GBP', 'EUR', 'CHF', 'USD']);
  });
});

describe('an impossible purchase', () => {
  it('from a merchant that takes no cards', async () => {
    const other = await env.merchant();
    const entitlement = await entitled(ONE_TIME, undefined, shopOf(other));
    const change = await other.patch(`/v0/organizations/${other.id}`, { settings: { paymentProvider: 'none' } });
    expect(change.status, change.text).toBe(200);
    expect(await other.post(path(entitlement), order())).toMatchObject({
      status: 409,
      body: { code: 'NO_PAYMENT_PROVIDER' },
    });
    expect((await shopOf(other).read('/v2/invoices')).data).toEqual([]);
  });

  it('of what is not metered', async () => {
    const product = await shop.product();
    const feature = await shop.create('/v0/features', {
      key: unique('sso'),
      name: 'Single sign-on',
      productId: product.id,
      type: 'boolean',
    });
    const entitlement = await shop.create('/v1/entitlements', {
      customerId: (await shop.customer()).id,
      featureId: feature.id,
      template: { type: 'boolean' },
    });
    expect(await merchant.post(path(entitlement), order())).toMatchObject({
      status: 400,
      body: { code: 'ENTITLEMENT_NOT_METERED' },
    });
  });
});

it('paid twice and expired at the same instant, a purchase has one outcome', { timeout: 120_000 }, async () => {
  env.setNow(START);
  for (let round = 0; round < 20; round += 1) {
    const { clock, entitlement } = await subscribed();
    const purchase = await buy(entitlement, { paymentExpiresAt: '2026-01-01T01:00:00Z' });
    const session = sessionOf(purchase);
    await shop.advance(clock, '2026-01-01T00:30:00Z');
    const expiring =
      round % 2 === 0
        ? merchant.patch(`/v0/testClocks/${clock.id}`, { currentTime: '2026-01-01T01:00:00Z' })
        : merchant.post(`/v0/paymentSessions/${session}/expire`);
    const [one, other, expired] = await Promise.all([complete(session), complete(session), expiring]);
    expect(expired.status, expired.text).toBeLessThan(500);
    const { status } = await invoice(purchase);
    const made = (await grants(entitlement)).length;
    expect([status, made, await balance(entitlement)]).toEqual(
      status === 'PAID' ? ['PAID', 1, 100] : ['CANCELLED', 0, 0],
    );
    const isPaid = status === 'PAID';
    for (const answer of [one, other]) expect(answer.status, answer.text).toBe(isPaid ? 200 : 409);
    expect((await told(purchase)).filter(({ type }) => /^invoice\.(paid|cancelled)\.v0$/.test(type))).toHaveLength(1);
  }
});
