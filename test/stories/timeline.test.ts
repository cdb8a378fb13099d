import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** The timeline of a customer, from its creation to the end of its subscription. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let customer: Resource;
let subscription: Resource;
let invoice: Resource;
let credit: Resource;

async function store(card: string): Promise<void> {
  const setup = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
  await shop.act(`/v0/paymentSessions/${setup.id}/complete`, { paymentMethod: card });
}

const BEFORE = '2025-12-31T00:00:00Z';

beforeAll(async () => {
  env = await openTestEnvironment();
  env.setNow(BEFORE);
  merchant = await env.merchant();
  shop = shopOf(merchant);
  await shop.create('/v0/webhookEndpoints', {
    url: 'http://localhost:4401/v0/webhookInbox',
    eventTypes: ['invoice.paid.v0'],
  });
  const silent = await shop.create('/v0/webhookEndpoints', {
    url: 'http://127.0.0.1:9/',
    eventTypes: ['invoice.refunded.v0'],
  });
  customer = await shop.customer();
  await store('pm_then_declined');
  await shop.change(`/v0/customers/${customer.id}`, { buyerReference: 'PO-1' });
  const topUp = { amount: '25.00', currency: 'EUR', idempotencyKey: 'top-up' };
  const { paymentSessions } = await shop.create(`/v0/customers/${customer.id}/wallet/topUps`, topUp);
  await shop.pay({ paymentUrl: paymentSessions[0].url });
  const metric = await shop.metric();
  const feature = await shop.create('/v0/features', {
    key: 'calls',
    name: 'Calls',
    productId: metric.productId,
    type: 'metered',
  });
  const entitlement = await shop.create('/v1/entitlements', {
    customerId: customer.id,
    featureId: feature.id,
    template: { type: 'metered', billableMetricIds: [metric.id] },
  });
  const grant = await shop.create(`/v1/entitlements/${entitlement.id}/grants`, { amount: 100 });
  await merchant.delete(`/v1/entitlements/${entitlement.id}/grants/${grant.id}`);
  const plan = await shop.plan([await shop.feePrice(), await shop.usagePrice({ billableMetricId: metric.id })]);
  const clock = await shop.clock(START);
  subscription = await shop.subscribe(plan, { clock, customer, autoCharge: true });
  for (const at of ['2026-01-03T08:00:00Z', '2026-01-03T20:00:00Z', '2026-01-07T12:00:00Z'])
    await shop.use(subscription.id, at, 1);
  await shop.use(customer.id, '2026-01-07T13:30:00Z', 1);
  await shop.advance(clock, 'P1M');
  [invoice] = await shop.invoices(subscription);
  await shop.advance(clock, '2026-02-01T06:00:00Z');
  const { grandTotal } = await shop.invoice(invoice.id);
  const transfer = { amount: grandTotal, method: 'bank_transfer', idempotencyKey: 'transfer' };
  await shop.create(`/v2/invoices/${invoice.id}/payments`, transfer);
  await shop.advance(clock, '2026-02-02T00:00:00Z');
  credit = await shop.create(`/v2/invoices/${invoice.id}/refunds`);
  await shop.advance(clock, '2026-02-03T00:00:00Z');
  const larger = await shop.plan([await shop.feePrice()], { name: 'Larger' });
  await shop.create(`/v0/subscriptions/${subscription.id}/changes`, { planId: larger.id });
  await shop.advance(clock, '2026-02-04T00:00:00Z');
  await shop.change(`/v0/subscriptions/${subscription.id}`, { endingAt: '2026-02-10T00:00:00Z' });
  await shop.advance(clock, '2026-02-11T00:00:00Z');
  await env.runDueWork();
  await env.deliverWebhooks();
  await shop.change(`/v0/webhookEndpoints/${silent.id}`, { status: 'disabled' });
  await env.deliverWebhooks();
});
afterAll(() => env.close());

const timeline = async (query: Record<string, string> = {}): Promise<Resource> =>
  shop.read(`/v0/customers/${customer.id}/timeline?${new URLSearchParams(query)}`);
const lines = (page: Resource): string[] =>
  page.data.map(({ at, kind, title }: Resource) => `${at.slice(0, 13)} ${kind}: ${title}`);

describe('the timeline of a customer', () => {
  it('has all that happened, the latest first, at the time of the test clock', async () => {
    const page = await timeline({ limit: '100' });
    expect(page).toMatchObject({ object: 'list', hasMore: false, nextCursor: null });
    expect(lines(page)).toEqual([
      '2026-02-11T00 invoice: Invoice INV-000003 overdue',
      '2026-02-10T00 mail: Email "payment failed" held',
      '2026-02-10T00 invoice: Charge for invoice INV-000003 failed',
      '2026-02-10T00 invoice: Invoice INV-000003 issued',
      `2026-02-10T00 subscription: Subscription ${subscription.name} ended`,
      '2026-02-04T00 subscription: End of the subscription planned for 2026-02-10',
      '2026-02-03T00 subscription: Plan changed to Larger',
      '2026-02-02T00 webhook: Webhook invoice.refunded.v0 not delivered',
      '2026-02-02T00 mail: Email "invoice refunded" held',
      '2026-02-02T00 invoice: Invoice INV-000002 refunded',
      '2026-02-02T00 creditNote: Credit note CN-000001 issued',
      '2026-02-01T06 webhook: Webhook invoice.paid.v0 delivered',
      '2026-02-01T06 mail: Email "invoice paid" held',
      '2026-02-01T06 invoice: Invoice INV-000002 paid',
      '2026-02-01T06 payment: Payment received: bank transfer',
      '2026-02-01T00 mail: Email "payment failed" held',
      '2026-02-01T00 invoice: Charge for invoice INV-000002 failed',
      '2026-02-01T00 invoice: Invoice INV-000002 issued',
      `2026-01-29T00 subscription: Subscription ${subscription.name} renews soon`,
      '2026-01-07T00 usage: 2 events of call',
      '2026-01-03T00 usage: 2 events of call',
      `2026-01-01T00 subscription: Subscription ${subscription.name} activated`,
      `2026-01-01T00 subscription: Subscription ${subscription.name} created`,
      '2025-12-31T00 webhook: Webhook invoice.paid.v0 delivered',
      '2025-12-31T00 entitlement: Balance of Calls is used up',
      '2025-12-31T00 entitlement: Balance of Calls is low',
      '2025-12-31T00 change: Change by a user: update subscription',
      '2025-12-31T00 change: Change by a user: change subscription plan',
      '2025-12-31T00 change: Change by a user: refund invoice',
      '2025-12-31T00 change: Change by a user: record invoice payment',
      '2025-12-31T00 change: Change by a user: create subscription',
      '2025-12-31T00 change: Change by a user: void grant',
      '2025-12-31T00 entitlement: Grant of Calls voided',
      '2025-12-31T00 change: Change by a user: create grant',
      '2025-12-31T00 entitlement: Grant of Calls added',
      '2025-12-31T00 change: Change by a user: create entitlement',
      '2025-12-31T00 change: Change by a user: complete payment session',
      '2025-12-31T00 wallet: Wallet topped up',
      '2025-12-31T00 mail: Email "invoice paid" held',
      '2025-12-31T00 invoice: Invoice INV-000001 paid',
      '2025-12-31T00 payment: Payment received: visa',
      '2025-12-31T00 payment: Payment session completed',
      '2025-12-31T00 change: Change by a user: top up wallet',
      '2025-12-31T00 invoice: Invoice issued',
      '2025-12-31T00 change: Change by a user: update customer',
      '2025-12-31T00 change: Change by a user: complete payment session',
      '2025-12-31T00 payment: Payment method stored',
      '2025-12-31T00 change: Change by a user: set up payment method',
      '2025-12-31T00 change: Change by a user: create customer',
      '2025-12-31T00 change: Customer created',
    ]);
  });

  it.each([1, 2, 3, 7, 49])('in pages of %i loses and repeats nothing', async (limit) => {
    const whole = (await timeline({ limit: '100' })).data;
    const read: Resource[] = [];
    let before: string | null = null;
    do {
      const page: Resource = await timeline({ limit: `${limit}`, ...(before !== null && { before }) });
      expect(page.data.length).toBeLessThanOrEqual(limit);
      expect(page.hasMore).toBe(page.nextCursor !== null);
      read.push(...page.data);
      before = page.nextCursor;
    } while (before !== null);
    expect(read).toEqual(whole);
    expect(new Set(read.map(({ id }) => id)).size).toBe(whole.length);
  });

  it.each<[string, Record<string, string>, string[]]>([
    ['kinds', { kinds: 'wallet,creditNote' }, ['2026-02-02T00 creditNote', '2025-12-31T00 wallet']],
    [
      'a time, of which the end is left out',
      { from: '2026-02-01T06:00:00Z', to: '2026-02-02T00:00:00Z' },
      ['2026-02-01T06 webhook', '2026-02-01T06 mail', '2026-02-01T06 invoice', '2026-02-01T06 payment'],
    ],
    [
      'days that begin in a time',
      { kinds: 'usage', from: '2026-01-03T00:00:00Z', to: '2026-01-07T00:00:00Z' },
      ['2026-01-03T00 usage'],
    ],
    ['days that began before a time', { kinds: 'usage', from: '2026-01-03T00:00:01Z' }, ['2026-01-07T00 usage']],
  ])('is filtered by %s', async (_what, query, expected) => {
    const page = await timeline(query);
    expect(page.data.map(({ at, kind }: Resource) => `${at.slice(0, 13)} ${kind}`)).toEqual(expected);
  });

  it('says what each entry is about', async () => {
    const { data } = await timeline({ limit: '100' });
    const entry = (what: string) => data.find((each: Resource) => each.what === what);
    expect(entry('invoice.refunded')).toMatchObject({
      object: 'timelineEntry',
      at: '2026-02-02T00:00:00Z',
      resourceType: 'invoice',
      resourceId: invoice.id,
      invoiceId: invoice.id,
      amount: '14.00',
      currency: 'USD',
      count: null,
      actor: null,
    });
    expect(entry('creditNote.issued')).toMatchObject({ resourceType: 'creditNote', resourceId: credit.id });
    expect(entry('grant.created')).toMatchObject({ resourceType: 'grant', amount: '100', currency: null });
    expect(entry('wallet.top_up')).toMatchObject({ amount: '25.00', currency: 'EUR' });
    expect(entry('usage.recorded')).toMatchObject({ id: 'usage_call_2026-01-07', label: 'call', count: 2 });
    expect(entry('updateCustomer')).toMatchObject({
      kind: 'change',
      resourceType: 'customer',
      resourceId: customer.id,
      actor: 'user',
      userId: merchant.userId,
    });
  });
});

describe('the request', () => {
  it.each<[string, Record<string, string>]>([
    ['kinds', { kinds: 'invoice,bill' }],
    ['to', { from: '2026-02-01T00:00:00Z', to: '2026-02-01T00:00:00Z' }],
    ['before', { before: 'nothing' }],
    ['limit', { limit: '101' }],
  ])('with a wrong %s is a 400', async (field, query) => {
    const { status, body } = await merchant.get(`/v0/customers/${customer.id}/timeline?${new URLSearchParams(query)}`);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(`"${field}"`);
  });

  it('about a customer of another merchant is a 403, and about an unknown one a 404', async () => {
    const other = await env.merchant();
    expect((await other.get(`/v0/customers/${customer.id}/timeline`)).status).toBe(403);
    expect((await merchant.get('/v0/customers/cus_unknown/timeline')).status).toBe(404);
  });

  it('of a viewer is answered', async () => {
    const viewer = await env.userOf(merchant, 'viewer');
    expect((await viewer.get(`/v0/customers/${customer.id}/timeline`)).body.data).toHaveLength(50);
  });
});
