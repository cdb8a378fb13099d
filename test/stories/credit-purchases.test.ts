import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { sql } from '../../src/db/index.ts';
import { wireDomains } from '../../src/wiring.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Billing credits that are bought, topped up, watched and required (commercial.md §3). Amounts are worked by hand. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let fee: Resource;
let calls: Resource;
let plan: Resource;
let clock: Resource;
let subscription: Resource;
beforeAll(async () => {
  env = await openTestEnvironment();
  env.setNow(START);
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());
beforeEach(async () => {
  fee = await shop.feePrice({ properties: { unitPrice: '30' } });
  calls = await shop.usagePrice();
  plan = await shop.plan([fee, calls]);
  clock = await shop.clock(START);
  subscription = await shop.subscribe(plan, { clock });
});

let keys = 0;
const purchasePath = (customerId: string) => `/v0/customers/${customerId}/billingCredits/purchase`;
const buy = (fields: object = {}, customerId: string = subscription.customerId): Promise<Resource> => {
  keys += 1;
  return shop.create(purchasePath(customerId), {
    ...{ amount: '100', currency: 'USD', idempotencyKey: `buy-${keys}`, ...fields },
  });
};
const sessionOf = ({ paymentSessions }: Resource): string => paymentSessions[0].url.split('/').at(-1);
const pay = (purchase: Resource, card = 'pm_ok'): Promise<Resource> =>
  shop.act(`/v0/paymentSessions/${sessionOf(purchase)}/complete`, { paymentMethod: card });
const bought = async (fields: object = {}, customerId?: string): Promise<Resource> => {
  const purchase = await buy(fields, customerId);
  await pay(purchase);
  return purchase;
};
const creditsOf = async (customerId: string = subscription.customerId): Promise<Resource[]> =>
  (await shop.read(`/v0/customers/${customerId}/billingCredits`)).data;
const balance = (customerId: string = subscription.customerId): Promise<Resource> =>
  shop.read(`/v0/customers/${customerId}/billingCredits/balance?currency=USD`);
let seconds = 0;
/** Looks at credits after usage, as the program does by itself within a second. */
async function look(): Promise<void> {
  seconds += 20; // the lease of the look before is over
  const { chores } = wireDomains('sandbox', 'http://localhost');
  await chores.find(({ isPrompt }) => isPrompt)?.run(env.database, Temporal.Instant.from(START).add({ seconds }));
  await env.runDueWork();
}
const webhooks = async (customerId: string = subscription.customerId): Promise<Record<string, unknown>[]> =>
  env.database.transaction({ merchants: [merchant.id] }, async (tx) =>
    (
      await tx.rows<{ type: string; data: Record<string, unknown> }>(sql`
        select type, data from outbox
         where merchant_id = ${merchant.id} and (type like 'billing_credit.%' or type like 'credit_top_up.%')
           and data ->> 'customerId' = ${customerId} order by seq`)
    ).map(({ type, data: { merchantId, customerId: _customer, billingCreditId, sequence, ...data } }) => ({
      type,
      ...data,
    })),
  );
const kinds = async (customerId?: string) => (await webhooks(customerId)).map(({ type }) => type);
/** The balance of an account of the merchant in US dollars. */
const booked = async (account: string): Promise<string> =>
  env.database.transaction({ merchants: [merchant.id] }, async (tx) =>
    (
      await tx.one<{ sum: { toFixed(digits: number): string } }>(sql`
        select coalesce(sum(e.amount), 0) as sum from ledger_entry e
         where e.merchant_id = ${merchant.id} and e.account = ${account} and e.currency = 'USD'`)
    ).sum.toFixed(2),
  );
const revenue = async () => {
  const { netRevenue, totalEarned, invoices } = await shop.read(
    '/v0/revenue?startTime=2025-01-01T00:00:00Z&endTime=2028-01-01T00:00:00Z&currency=USD',
  );
  return { netRevenue, totalEarned, paid: invoices.paid.amount };
};
const storeCard = async (customerId: string, card = 'pm_ok'): Promise<void> => {
  const { id } = await shop.create(`/v0/customers/${customerId}/paymentMethods`);
  await shop.act(`/v0/paymentSessions/${id}/complete`, { paymentMethod: card });
};

describe('a purchase', () => {
  it('makes the credit with the payment, for the price with its tax', async () => {
    const customer = await shop.customer({ taxRates: { default: 10 } });
    await shop.subscribe(plan, { customer, clock });
    // 110.00 of credit for 100.00, with 10 % tax 110.00.
    const purchase = await buy({ amount: '110', price: '100', expiresAt: '2027-01-01T00:00:00Z' }, customer.id);
    expect(purchase).toMatchObject({
      ...{ object: 'billing_credit_purchase', amount: '110.00', price: '100.00', currency: 'USD' },
      paymentSessions: [{ amount: '110.00' }],
    });
    expect(await creditsOf(customer.id)).toEqual([]);
    await pay(purchase);
    const [credit, ...others] = await creditsOf(customer.id);
    expect(others).toEqual([]);
    expect(credit).toMatchObject({
      ...{ name: 'Billing credit', amount: '110.00', category: 'paid', source: 'purchase', priority: 0 },
      ...{ invoiceId: purchase.invoiceId, effectiveAt: START, expiresAt: '2027-01-01T00:00:00Z', status: 'active' },
      ...{ testClockId: clock.id },
    });
    const invoice = await shop.invoice(purchase.invoiceId);
    expect(invoice).toMatchObject({ status: 'PAID', kind: 'ad_hoc', subtotal: '100.00', totalTax: '10.00' });
    expect(invoice.lines).toMatchObject([
      { type: 'credit_purchase', invoiceDisplayName: 'Billing credit (110.00 USD)', totalPrice: '100.00' },
    ]);
  });

  it('is the same one under its key', async () => {
    const body = { amount: '20', currency: 'USD', idempotencyKey: 'once' };
    const path = purchasePath(subscription.customerId);
    const [first, second] = await Promise.all([merchant.post(path, body), merchant.post(path, body)]);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.body.invoiceId).toBe(second.body.invoiceId);
    const alike = await merchant.post(path, {
      ...body,
      amount: '20.00',
      price: '20.0',
      expiresAt: '2027-01-01T00:00:00Z',
    });
    expect([alike.status, alike.body.invoiceId]).toEqual([201, first.body.invoiceId]);
    const other = await merchant.post(path, { ...body, price: '19' });
    expect([other.status, other.body.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    await pay(first.body);
    expect((await creditsOf()).length).toBe(1);
    expect((await shop.create(path, body)).paymentSessions).toEqual([]);
  });

  it('for nothing makes the credit at once', async () => {
    expect(await buy({ amount: '5', price: '0' })).toMatchObject({ price: '0.00', paymentSessions: [] });
    expect(await creditsOf()).toMatchObject([{ amount: '5.00', source: 'purchase' }]);
  });

  it.each([
    { name: 'digits', fields: { amount: '1.001' }, field: 'amount' },
    { name: 'digits of yen', fields: { amount: '100.5', currency: 'JPY' }, field: 'amount' },
    { name: 'a price below 0', fields: { price: '-1' }, field: 'price' },
    { name: 'no amount', fields: { amount: '0' }, field: 'amount' },
    { name: 'an expiry that is past', fields: { expiresAt: '2025-12-31T00:00:00Z' }, field: 'expiresAt' },
    {
      name: 'an address that is none',
      fields: { redirectUrls: { onSuccess: 'nowhere' } },
      field: 'redirectUrls.onSuccess',
    },
  ])('is refused with $name', async ({ fields, field }) => {
    keys += 1;
    const body = { amount: '100', currency: 'USD', idempotencyKey: `bad-${keys}`, ...fields };
    const { status, body: answer } = await merchant.post(purchasePath(subscription.customerId), body);
    expect([status, answer.errors[0].field]).toEqual([400, field]);
  });

  it('is of no other merchant', async () => {
    const other = await env.merchant();
    const { status } = await other.post(purchasePath(subscription.customerId), {
      ...{ amount: '100', currency: 'USD', idempotencyKey: 'foreign' },
    });
    expect(status).toBe(403);
  });
});

describe('what a payment made is undone', () => {
  const refund = ({ invoiceId }: Resource) => merchant.post(`/v2/invoices/${invoiceId}/refunds`, { reason: 'mistake' });

  it('by a refund, and is there again after its void', async () => {
    const { id } = await shop.customer();
    const purchase = await bought({}, id);
    const { status, body } = await refund(purchase);
    expect(status).toBe(201);
    expect(await creditsOf(id)).toMatchObject([{ status: 'voided', voidedAmount: '100.00' }]);
    await shop.act(`/v2/invoices/${purchase.invoiceId}/refunds/${body.id}/void`, { reason: 'after all' });
    expect((await creditsOf(id)).map((credit) => credit.status).toSorted()).toEqual(['active', 'voided']);
    expect(await balance(id)).toMatchObject({ granted: '100.00', available: '100.00' });
  });

  it('but not where some of it is used, open use included', async () => {
    const purchase = await bought();
    const { status, body } = await refund(purchase); // the open period takes 30.00 for its fee
    expect([status, body.code, body.details.used]).toEqual([409, 'WALLET_SPENT', '30']);
    expect(await creditsOf()).toMatchObject([{ status: 'active' }]);
  });

  it('by a credit note over all of its line, and not over a part', async () => {
    const customer = await shop.customer();
    const purchase = await bought({}, customer.id);
    const [{ id: lineItemId }] = (await shop.invoice(purchase.invoiceId)).lines;
    const note = (amount: string) =>
      merchant.post(`/v2/invoices/${purchase.invoiceId}/creditNotes`, {
        ...{ lines: [{ lineItemId, amount }], reason: 'mistake', idempotencyKey: `note-${amount}` },
      });
    expect((await note('40')).status).toBe(400);
    expect((await note('100')).status).toBe(201);
    expect(await creditsOf(customer.id)).toMatchObject([{ status: 'voided' }]);
  });

  it('by a reversed payment; paid again it is there again', async () => {
    const customer = await shop.customer();
    const { invoiceId } = await buy({}, customer.id);
    const record = (key: string) =>
      shop.create(`/v2/invoices/${invoiceId}/payments`, {
        ...{ amount: '100', method: 'bank_transfer', idempotencyKey: key },
      });
    const { id } = await record('one');
    await shop.act(`/v2/invoices/${invoiceId}/payments/${id}/reverse`, { reason: 'returned', idempotencyKey: 'back' });
    expect(await creditsOf(customer.id)).toMatchObject([{ status: 'voided' }]);
    await record('two');
    expect((await creditsOf(customer.id)).map(({ status }) => status).toSorted()).toEqual(['active', 'voided']);
  });
});

describe('the accounts', () => {
  it('hold a paid credit until it is used, and its rest until it expires', async () => {
    const [deferred, before, since] = [await booked('deferred_credits'), await booked('revenue'), await revenue()];
    const waiting = async () => (Number(await booked('deferred_credits')) - Number(deferred)).toFixed(2);
    // 100.00 of credit for 80.00 until 1 March: 30.00 for each fee of January and February are 24.00 each.
    await bought({ price: '80', expiresAt: '2026-03-01T00:00:00Z' });
    await look();
    expect([await waiting(), await booked('revenue')]).toEqual(['-80.00', before]);
    await shop.advance(clock, 'P1M');
    await look();
    expect(await waiting()).toBe('-56.00');
    await shop.advance(clock, 'P1M');
    await look();
    // The last 32.00 are for nothing any more.
    expect(await waiting()).toBe('0.00');
    const now = await revenue();
    expect(Number(now.netRevenue) - Number(since.netRevenue)).toBe(80);
    expect(Number(now.totalEarned) - Number(since.totalEarned)).toBe(80);
    expect(Number(now.paid) - Number(since.paid)).toBe(0);
    expect(await kinds()).toEqual([
      ...['billing_credit.created.v0', 'billing_credit.expired.v0', 'billing_credit.low.v0'],
      'billing_credit.exhausted.v0',
    ]);
  });

  it('give a refunded one back as if it had not been', async () => {
    const customer = await shop.customer();
    const [deferred, earned] = [await booked('deferred_credits'), await booked('revenue')];
    const { invoiceId } = await bought({}, customer.id);
    await look();
    await shop.create(`/v2/invoices/${invoiceId}/refunds`, { reason: 'mistake' });
    await look();
    expect([await booked('deferred_credits'), await booked('revenue')]).toEqual([deferred, earned]);
  });
});

describe('what is left', () => {
  it('is told once when it is low, and when nothing is left', async () => {
    const customer = await shop.customer();
    const usagePlan = await shop.plan([calls]);
    const own = await shop.subscribe(usagePlan, { customer, startedAt: START });
    await bought({}, customer.id);
    const at = own.startedAt;
    await shop.use(own.id, at, 79);
    await look();
    expect(await kinds(customer.id)).toEqual(['billing_credit.created.v0']);
    await shop.use(own.id, at, 1);
    await look();
    await shop.use(own.id, at, 5);
    await look();
    await shop.use(own.id, at, 20);
    await look();
    expect(await webhooks(customer.id)).toEqual([
      { type: 'billing_credit.created.v0' },
      { type: 'billing_credit.low.v0', currency: 'USD', available: '20.00' },
      { type: 'billing_credit.exhausted.v0', currency: 'USD', available: '0.00' },
    ]);
  });

  it('is not told to expire where all of it goes on', async () => {
    await shop.create('/v0/commitments', {
      ...{ customerId: subscription.customerId, subscriptionId: subscription.id, name: 'Contract', currency: 'USD' },
      ...{ type: 'prepaid', invoiceAt: 'start', rollover: { fraction: '1', days: 20 } },
      segments: [{ startDate: START, endDate: '2026-02-01T00:00:00Z', amount: '500' }],
    });
    await shop.advance(clock, '2026-02-10T00:00:00Z');
    await look();
    expect((await creditsOf()).map(({ amount }) => amount).toSorted()).toEqual(['470.00', '500.00']);
    expect(await kinds()).not.toContain('billing_credit.expired.v0');
    await shop.advance(clock, '2026-02-25T00:00:00Z'); // twenty days later the rest of it ends
    await look();
    expect((await kinds()).filter((kind) => kind === 'billing_credit.expired.v0')).toHaveLength(1);
  });

  it('triggers an alert, and again after another credit', async () => {
    const alert = await shop.create('/v0/alerts', {
      ...{ type: 'billing_credits', customerId: subscription.customerId, currency: 'USD', threshold: '75' },
    });
    expect(alert).toMatchObject({ currentValue: null, isReached: false, currency: 'USD', testClockId: clock.id });
    await bought();
    await look();
    // 30.00 of it pays the fee of January.
    expect(await shop.read(`/v0/alerts/${alert.id}`)).toMatchObject({ currentValue: '70', isReached: true });
    await shop.advance(clock, '2026-01-05T00:00:00Z');
    await bought();
    await look();
    expect(await shop.read(`/v0/alerts/${alert.id}`)).toMatchObject({ currentValue: '170', isReached: false });
    await shop.use(subscription.id, '2026-01-06T00:00:00Z', 100);
    await look();
    const { data } = await shop.read(`/v0/alerts/${alert.id}/triggers`);
    expect(data.map(({ value, periodStart }: Resource) => [value, periodStart])).toEqual([
      ['70', '2026-01-05T00:00:00Z'],
      ['70', START],
    ]);
  });

  it.each([
    { name: 'no currency', fields: { currency: undefined }, field: 'currency' },
    { name: 'a period', fields: { period: 'month' }, field: 'period' },
    { name: 'a budget', fields: { blocksAccess: true }, field: 'blocksAccess' },
    { name: 'a limit', fields: { threshold: undefined, percent: 50, limit: '10' }, field: 'limit' },
  ])('is watched by no alert with $name', async ({ fields, field }) => {
    const body = { type: 'billing_credits', customerId: subscription.customerId, currency: 'USD', threshold: '1' };
    const { status, body: answer } = await merchant.post('/v0/alerts', { ...body, ...fields });
    expect([status, answer.errors[0].field]).toEqual([400, field]);
  });
});

describe('an automatic top-up', () => {
  let customer: Resource;
  let own: Resource;
  const path = () => `/v0/customers/${customer.id}/creditTopUp`;
  const body = { currency: 'USD', threshold: '20', amount: '100' };
  beforeEach(async () => {
    customer = await shop.customer();
    own = await shop.subscribe(await shop.plan([calls]), { customer, startedAt: START });
  });
  const spend = async (units: number) => {
    await shop.use(own.id, own.startedAt, units);
    await look();
  };

  it('buys by the stored card when less than the threshold is left', async () => {
    expect(await merchant.put(path(), body)).toMatchObject({ status: 409, body: { code: 'PAYMENT_METHOD_REQUIRED' } });
    expect((await merchant.get(path())).status).toBe(404);
    await storeCard(customer.id);
    expect(await shop.replace(path(), { ...body, expiresAfter: 'P1Y', maximumPerMonth: 2 })).toMatchObject({
      ...{ object: 'credit_top_up', customerId: customer.id, currency: 'USD', threshold: '20.00', amount: '100.00' },
      ...{ expiresAfter: 'P1Y', maximumPerMonth: 2, status: 'active', declines: 0 },
    });
    await look();
    expect(await creditsOf(customer.id)).toMatchObject([
      { source: 'top_up', category: 'paid', amount: '100.00', name: 'Billing credit' },
    ]);
    await spend(80); // 20.00 are left, which is not less
    expect((await creditsOf(customer.id)).length).toBe(1);
    await spend(1);
    expect((await creditsOf(customer.id)).length).toBe(2);
    await spend(150); // the month has had its two
    expect(await balance(customer.id)).toMatchObject({ granted: '200.00', available: '0.00' });
    const [{ invoiceId, expiresAt, effectiveAt }] = await creditsOf(customer.id);
    expect(await shop.invoice(invoiceId)).toMatchObject({ status: 'PAID', subtotal: '100.00' });
    expect(Number(expiresAt.slice(0, 4)) - Number(effectiveAt.slice(0, 4))).toBe(1);
    expect((await merchant.delete(path())).status).toBe(204);
    expect((await merchant.get(path())).status).toBe(404);
  });

  it('waits on a test clock for the next month, where this one has had its most', async () => {
    const late = await shop.clock('2026-01-10T00:00:00Z');
    const { id, customerId, startedAt } = await shop.subscribe(await shop.plan([calls]), { clock: late });
    await storeCard(customerId);
    const most = { ...body, threshold: '10', amount: '20', maximumPerMonth: 1 };
    await shop.replace(`/v0/customers/${customerId}/creditTopUp`, most);
    await shop.use(id, startedAt, 15);
    await look();
    await shop.advance(late, '2026-02-05T00:00:00Z');
    const times = (await creditsOf(customerId)).map(({ effectiveAt }) => effectiveAt);
    expect(times).toEqual(['2026-02-01T00:00:00Z', '2026-01-10T00:00:00Z']);
  });

  it('follows the fees that come with a resumption', async () => {
    const january = await shop.clock(START);
    const fee = await shop.feePrice({ paymentTerm: 'in_arrears', properties: { unitPrice: '31' } });
    const { id, customerId } = await shop.subscribe(await shop.plan([fee]), { clock: january });
    await shop.advance(january, '2026-01-11T00:00:00Z');
    await shop.act(`/v0/subscriptions/${id}/pause`, {});
    await shop.create(`/v0/customers/${customerId}/billingCredits`, {
      ...{ amount: '40', currency: 'USD', name: 'Welcome', idempotencyKey: 'welcome' },
    });
    await storeCard(customerId);
    await shop.replace(`/v0/customers/${customerId}/creditTopUp`, { ...body, threshold: '30' });
    await shop.advance(january, '2026-01-21T00:00:00Z');
    expect(await creditsOf(customerId)).toMatchObject([{ amount: '40.00' }]);
    await shop.act(`/v0/subscriptions/${id}/resume`, {});
    await shop.advance(january, '2026-01-21T00:00:01Z');
    expect(await creditsOf(customerId)).toMatchObject([
      { source: 'top_up', effectiveAt: '2026-01-21T00:00:00Z' }, // 11.00 more for the days to come
      { amount: '40.00' },
    ]);
  });

  it('counts once in its month, also where the void of its refund made its credit again', async () => {
    await storeCard(customer.id);
    const most = { ...body, maximumPerMonth: 2 };
    await shop.replace(path(), most);
    await look();
    await merchant.delete(path());
    const [{ invoiceId }] = await creditsOf(customer.id);
    const { id } = await shop.create(`/v2/invoices/${invoiceId}/refunds`, { reason: 'mistake' });
    await shop.act(`/v2/invoices/${invoiceId}/refunds/${id}/void`, { reason: 'after all' });
    await shop.replace(path(), most);
    await spend(90);
    expect(await creditsOf(customer.id)).toMatchObject([{ status: 'active' }, { invoiceId }, { invoiceId }]);
  });

  it('comes once, however many look at once', async () => {
    await storeCard(customer.id);
    await shop.replace(path(), body);
    await shop.use(own.id, own.startedAt, 1);
    await Promise.all([look(), look(), look()]);
    await look();
    expect((await creditsOf(customer.id)).length).toBe(1);
  });

  it('is paused by three declines in a row, and active again by a PUT', async () => {
    await storeCard(customer.id, 'pm_then_declined');
    await shop.replace(path(), body);
    for (const _ of [1, 2, 3]) await spend(1);
    await look();
    expect(await shop.read(path())).toMatchObject({ status: 'paused', declines: 3 });
    expect((await webhooks(customer.id)).at(-1)).toEqual({
      ...{ type: 'credit_top_up.paused.v0', currency: 'USD', declines: 3, available: '0.00' },
    });
    await spend(1);
    expect(await creditsOf(customer.id)).toEqual([]);
    await storeCard(customer.id);
    const { data } = await shop.read(`/v0/customers/${customer.id}/paymentMethods`);
    await shop.act(`/v0/customers/${customer.id}/paymentMethods/${data[0].id}/default`);
    expect(await shop.replace(path(), body)).toMatchObject({ status: 'active', declines: 0 });
    await look();
    expect((await creditsOf(customer.id)).length).toBe(1);
  });

  it.each([
    { name: 'digits', fields: { threshold: '1.001' }, field: 'threshold' },
    { name: 'no amount', fields: { amount: '0' }, field: 'amount' },
    { name: 'a length that is none', fields: { expiresAfter: 'a year' }, field: 'expiresAfter' },
    { name: 'a length of nothing', fields: { expiresAfter: 'P0D' }, field: 'expiresAfter' },
    { name: 'no top-up at all', fields: { maximumPerMonth: 0 }, field: 'maximumPerMonth' },
  ])('is refused with $name', async ({ fields, field }) => {
    await storeCard(customer.id);
    const { status, body: answer } = await merchant.put(path(), { ...body, ...fields });
    expect([status, answer.errors[0].field]).toEqual([400, field]);
  });
});

describe('a subscription that requires credits', () => {
  const accessOf = async (customerId: string) =>
    (await shop.read(`/v1/customers/${customerId}/access`)).features.map(({ type, hasAccess, reason }: Resource) => [
      type,
      hasAccess,
      reason ?? null,
    ]);

  const exhausted = async (customerId: string): Promise<string[]> =>
    env.database.transaction({ merchants: [merchant.id] }, async (tx) =>
      (
        await tx.rows<{ id: string }>(sql`
          select subscription_id as id from exhausted_credit
           where merchant_id = ${merchant.id} and customer_id = ${customerId} order by 1`)
      ).map(({ id }) => id),
    );

  it('gives access to metered features while something is left', async () => {
    const metric = await shop.metric();
    const feature = await shop.create('/v0/features', {
      ...{ productId: metric.productId, name: 'Calls', key: 'calls', type: 'metered' },
    });
    const template = { type: 'metered', usagePeriod: { interval: 'P1M' }, issueAfterReset: 1000 };
    const entitling = await shop.plan([
      await shop.usagePrice({
        billableMetricId: metric.id,
        feature: { featureId: feature.id, entitlementTemplate: template },
      }),
    ]);
    const customer = await shop.customer();
    const own = await shop.subscribe(entitling, { customer, startedAt: START, creditsRequired: true });
    expect(own.creditsRequired).toBe(true);
    await look();
    expect(await accessOf(customer.id)).toEqual([['metered', false, 'credits_exhausted']]);
    await bought({}, customer.id);
    await look();
    expect(await accessOf(customer.id)).toEqual([['metered', true, null]]);
    await shop.use(own.id, own.startedAt, 100, { type: metric.eventType });
    await look();
    expect(await accessOf(customer.id)).toEqual([['metered', false, 'credits_exhausted']]);
    // Another subscription in euros, of the same customer: looks at dollars say nothing of it.
    const euros = await shop.plan([], { currency: 'EUR' });
    const [inEuros] = await Promise.all([
      shop.subscribe(euros, { customer, startedAt: START, creditsRequired: true }),
      look(),
    ]);
    await look();
    await shop.use(own.id, own.startedAt, 1, { type: metric.eventType });
    await look();
    expect((await exhausted(customer.id)).toSorted()).toEqual([own.id, inEuros.id].toSorted());
    await shop.change(`/v0/subscriptions/${own.id}`, { creditsRequired: false });
    await look();
    expect(await accessOf(customer.id)).toEqual([['metered', true, null]]);
  });
});

it('a credit that an invoice, a void and another purchase meet at one instant is spent once', async () => {
  for (let round = 0; round < 5; round += 1) {
    const [own, customer] = [await shop.clock(START), await shop.customer()];
    const spending = await shop.subscribe(plan, { clock: own, customer }); // 30.00 a month
    await bought({ amount: '50' }, customer.id);
    const [{ id }] = await creditsOf(customer.id);
    const second = await buy({ amount: '20' }, customer.id);
    const answers = await Promise.all([
      merchant.patch(`/v0/testClocks/${own.id}`, { advanceBy: 'P1M' }),
      merchant.post(`/v0/billingCredits/${id}/void`, { reason: 'A mistake' }),
      merchant.post(`/v0/paymentSessions/${sessionOf(second)}/complete`, { paymentMethod: 'pm_ok' }),
      look(),
    ]);
    const statuses = answers.flatMap((answer) => (answer ? [answer.status] : []));
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    await look();
    const [{ subtotal }] = await shop.invoices(spending);
    let used = 0;
    for (const credit of await creditsOf(customer.id)) {
      const parts = ['remaining', 'usedAmount', 'pendingAmount', 'expiredAmount', 'voidedAmount'].map((part) =>
        Number(credit[part]),
      );
      expect(parts.reduce((sum, part) => sum + part)).toBe(Number(credit.amount));
      used += Number(credit.usedAmount);
    }
    expect(Number(subtotal)).toBe(30 - used);
  }
});

it('all of this is booked, and no invoice would be another one', async () => {
  await look();
  expect((await recomputeDatabase(env.url)).differing).toEqual([]);
  expect((await auditDatabase(env.url)).violations).toEqual([]);
});
