import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { decideApproval, requestApproval } from '../support/approvals.ts';
import { sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { newOrder } from '../support/orders.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';
import { FAR_AHEAD, openWorld, type World } from '../support/world.ts';

/** Operations, limits and versions of §4, §8 and §9 over HTTP that no story of a domain covers. */
let env: TestEnvironment;
let world: World;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
  world = await openWorld(env);
  shop = world.shop;
});
afterAll(() => env.close());

const idsOf = ({ data }: Resource): string[] => data.map(({ id }: Resource) => id);
const fieldsOf = ({ body }: { body: Resource }): string[] => (body.errors ?? []).map(({ field }: Resource) => field);

describe('invoices', () => {
  // Proves 4.invoices.list.merchantId, 4.invoices.list.status, 1.conventions.callers.
  it('are listed by status and by merchant, and an operator has those of all', async () => {
    const other = shopOf(await env.merchant());
    const { invoice } = await other.issued();
    const of = (query: string) => env.platform.get(`/v2/invoices?limit=100&${query}`).then(({ body }) => body);
    expect(idsOf(await of(`merchantId=${invoice.merchantId}&status=ISSUED`))).toEqual([invoice.id]);
    const all = await of('status=ISSUED');
    expect(idsOf(all)).toContain(invoice.id);
    expect(new Set(all.data.map(({ status }: Resource) => status))).toEqual(new Set(['ISSUED']));
    expect(idsOf(await of(`merchantId=${world.merchant.id}`))).not.toContain(invoice.id);
    expect((await world.merchant.get(`/v2/invoices?merchantId=${invoice.merchantId}`)).status).toBe(403);
    expect((await world.merchant.get('/v2/invoices?status=OPEN')).status).toBe(400);
  });

  // Proves 4.invoices.get, 4.purchases.6.
  it('are read one by one, and say when they are paid', async () => {
    const { invoice } = await shop.issued();
    expect(await shop.read(`/v2/invoices/${invoice.id}`)).toMatchObject({ id: invoice.id, status: 'ISSUED' });
    await shop.pay(invoice);
    expect(await shop.read(`/v2/invoices/${invoice.id}`)).toMatchObject({ id: invoice.id, status: 'PAID' });
  });

  // Proves 4.invoices.pdf, 5.authentication.3.pdf, 2.invoice.pdfSource.
  it('have a PDF that we stream to those who may see the invoice', async () => {
    const { invoice } = await shop.issued();
    const path = `/v2/invoices/${invoice.id}/pdf`;
    const pdf = await world.merchant.get(path);
    expect([pdf.status, pdf.headers['content-type']]).toEqual([200, 'application/pdf']);
    expect(pdf.bytes.subarray(0, 5).toString()).toBe('%PDF-');
    const { pdfUrl, pdfSource } = await shop.read(`/v2/invoices/${invoice.id}`);
    expect(new URL(pdfUrl).pathname).toBe(path);
    expect(pdfSource).toBeNull();
    expect((await env.client().get(path)).status).toBe(401);
    expect((await (await env.merchant()).get(path)).status).toBe(403);
    expect((await (await env.userOf(world.merchant, 'viewer')).get(path)).status).toBe(200);
    expect((await env.platform.get(path)).status).toBe(200);
  });

  // Proves 2.customer.validTaxAddress.invalid.
  it('of a customer without a taxable address have the default rate', async () => {
    const consumer = { name: 'Nowhere', email: 'nowhere@example.com', address: {} };
    const customer = await shop.create('/v0/customers', { consumer });
    expect(customer.validTaxAddress).toMatchObject({ valid: false, message: expect.any(String) });
    const { invoice } = await shop.issued({ customer });
    expect(invoice).toMatchObject({ status: 'ISSUED', totalTax: '2.00', grandTotal: '12.00' });
  });
});

describe('subscriptions', () => {
  // Proves 4.subscriptions.create, 4.subscriptions.create.testClock, 4.subscriptions.create.session.
  it('are created from all fields of §4', async () => {
    const plan = await shop.plan([await shop.feePrice({ paymentTerm: 'in_advance' })]);
    const clock = await shop.clock(START);
    const shown = {
      name: 'All fields',
      planId: plan.id,
      customerId: (await shop.customer()).id,
      startedAt: START,
      endingAt: FAR_AHEAD,
      autoCharge: true,
      taxExempt: true,
      testClockId: clock.id,
      renewalReminderEnabled: false,
      renewalReminderDays: 30,
      paymentTermDays: 0,
      metadata: { tier: 'gold', seats: 3, trial: false },
    };
    const made = await shop.create('/v0/subscriptions', {
      ...shown,
      prefundAmount: '25.50',
      minimumAccountBalance: '5',
      redirectUrls: { onSuccess: 'https://shop.example/yes', onFailure: 'https://shop.example/no' },
      sessionExpiryMinutes: 30,
    });
    expect(made).toMatchObject({ ...shown, status: 'pending_payment' });
    expect(made.payment).toMatchObject({
      amount: '35.50',
      breakdown: { upfrontCharges: '10.00', walletCharge: '25.50' },
      checkoutUrl: expect.stringContaining(made.payment.paymentSessionId),
    });
    expect(await shop.read(`/v0/paymentSessions/${made.payment.paymentSessionId}`)).toMatchObject({
      successRedirectUrl: 'https://shop.example/yes',
      failureRedirectUrl: 'https://shop.example/no',
      expiresAt: '2026-01-01T00:30:00Z',
    });
  });

  // Proves 4.subscriptions.patch, 4.subscriptions.patch.minimumAccountBalance, 4.subscriptions.patch.reminder.
  it('take each field of PATCH alone', async () => {
    const plan = await shop.plan([await shop.feePrice()]);
    const sold = await shop.subscribe(plan, { clock: await shop.clock(START), bankTransferOnly: true });
    const path = `/v0/subscriptions/${sold.id}`;
    const changes: Resource[] = [
      { endingAt: FAR_AHEAD },
      { endingAt: null },
      { autoCharge: true },
      { taxExempt: true },
      { renewalReminderEnabled: false },
      { renewalReminderEnabled: true },
      { renewalReminderEnabled: null },
      { renewalReminderDays: 1 },
      { renewalReminderDays: 30 },
      { renewalReminderDays: null },
      { paymentTermDays: 365 },
      { paymentTermDays: 0 },
    ];
    for (const change of changes) expect(await shop.change(path, change)).toMatchObject(change);
    const before = await shop.read(path);
    const { updatedAt: _, ...rest } = await shop.change(path, { minimumAccountBalance: '5' });
    expect(before).toMatchObject(rest);
  });

  // Proves 4.subscriptions.patch.terminatedAt.start.
  it.each([START, '2025-12-31T23:59:59Z'])('are not ended at %s, at or before their start', async (terminatedAt) => {
    const { subscription } = await shop.issued();
    const answer = await world.merchant.patch(`/v0/subscriptions/${subscription.id}`, { terminatedAt });
    expect(answer.status, answer.text).toBe(400);
    expect((await shop.read(`/v0/subscriptions/${subscription.id}`)).status).toBe('active');
  });

  // Proves 2.subscription.customer.
  it('show their customer where a list asks for it, and only there', async () => {
    const path = `/v0/subscriptions?customerId=${world.subscription.customerId}`;
    const [plain] = (await shop.read(path)).data;
    expect(plain).not.toHaveProperty('customer');
    const [detailed] = (await shop.read(`${path}&include=customer`)).data;
    expect(detailed.customer).toMatchObject({ id: world.subscription.customerId });
  });
});

describe('orders and approvals', () => {
  // Proves 4.orders.patch, 2.order.dates, 3.states.orderCancelled.
  it('an order takes each field of PATCH alone, and is cancelled by cancelledAt', async () => {
    const order = await newOrder(shop, world.customer);
    const path = `/v0/orders/${order.id}`;
    const changes: Resource[] = [
      { termStartDate: '2026-01-02T00:00:00Z' },
      { termEndDate: '2026-12-31T00:00:00Z' },
      { closeDate: '2025-12-20T00:00:00Z' },
      { totalAmount: '100.00' },
      { defaultPaymentTermDays: 30 },
      { metadata: { a: 'b' } },
      { resellerId: 'partner' },
      { taxExempt: true },
      { sellingEntity: 'Acme GmbH' },
      { cancelledAt: '2026-06-01T00:00:00Z' },
    ];
    for (const change of changes) {
      expect(await shop.change(path, change)).toMatchObject(change);
      expect(await shop.read(path)).toMatchObject(change);
    }
    expect(idsOf(await shop.read('/v0/orders?status=cancelled&limit=100'))).toContain(order.id);
  });

  // Proves 4.orders.approvals, 4.orders.approvals.filters, 3.states.approvals.
  it('approvals are listed by merchant, type, resource, kind and decision', async () => {
    const merchant = await env.merchant();
    const [maker, checker] = [shopOf(merchant), shopOf(await env.userOf(merchant, 'member'))];
    const customer = await maker.customer();
    const orders = [newOrder(maker, customer), newOrder(maker, customer), newOrder(maker, customer)] as const;
    const [one, other, third] = await Promise.all(orders);
    const pending = await requestApproval(maker, one, 'data_review');
    const approved = await decideApproval(checker, await requestApproval(maker, one, 'financial_review'), 'approved');
    const rejected = await decideApproval(checker, await requestApproval(maker, other), 'rejected');
    const cancelled = await decideApproval(maker, await requestApproval(maker, third), 'cancelled');
    const invoice = await maker.create('/v2/invoices', {
      customerId: customer.id,
      currency: 'USD',
      lines: [{ displayName: 'Advice', quantity: 1, unitPrice: '50', taxRate: 0 }],
    });
    const ofInvoice = await requestApproval(maker, invoice, 'financial_review');
    const table: [string, Resource[]][] = [
      ['', [ofInvoice, cancelled, rejected, approved, pending]],
      ['resourceType=invoice', [ofInvoice]],
      ['resourceType=order', [cancelled, rejected, approved, pending]],
      [`resourceId=${one.id}`, [approved, pending]],
      ['kind=financial_review', [ofInvoice, approved]],
      ['kind=push', []],
      ['decision=pending', [ofInvoice, pending]],
      ['decision=approved', [approved]],
      ['decision=rejected', [rejected]],
      ['decision=cancelled', [cancelled]],
      [`merchantId=${merchant.id}&limit=1&offset=1`, [cancelled]],
    ];
    for (const [query, expected] of table) {
      const list = await maker.read(`/v0/approvals?${query}`);
      expect(list.object).toBe('list');
      expect(idsOf(list), query).toEqual(expected.map(({ id }) => id));
    }
    const { body } = await env.platform.get(`/v0/approvals?merchantId=${merchant.id}`);
    expect(body.pagination.total).toBe(5);
  });
});

describe('limits of §8', () => {
  // Proves 8.limits.grants, 8.limits.orders, 8.limits.invoices, 4.invoices.list.limit, 4.invoices.list.offset.
  // Proves 4.orders.list.paging, 4.orders.approvals.paging, 4.entitlements.grants.
  it.each([
    { of: 'invoices', path: () => '/v2/invoices', last: '10000', beyond: '10001' },
    { of: 'grants', path: () => `/v1/entitlements/${world.entitlement.id}/grants`, last: '1000000' },
    { of: 'orders', path: () => '/v0/orders', last: '1000000' },
    { of: 'approvals', path: () => '/v0/approvals', last: '1000000' },
  ])('a page of $of holds 1 to 100 from an offset on', async ({ path, last, beyond }) => {
    const get = (query: string) => world.merchant.get(`${path()}?${query}`);
    for (const query of ['limit=1', 'limit=100', 'offset=0', `offset=${last}`]) {
      const { status, body } = await get(query);
      expect([query, status, body.object]).toEqual([query, 200, 'list']);
    }
    for (const query of ['limit=0', 'limit=101', 'limit=1.5', 'offset=-1', ...(beyond ? [`offset=${beyond}`] : [])]) {
      const answer = await get(query);
      expect([query, answer.status, fieldsOf(answer)]).toEqual([query, 400, [query.split('=')[0]]]);
    }
  });

  interface Limit {
    field: string;
    taken: readonly unknown[];
    refused: readonly unknown[];
  }
  const LIMITS: Record<
    string,
    { limits: Limit[]; send: (fields: object) => Promise<{ status: number; body: Resource }> }
  > = {
    subscription: {
      limits: [
        { field: 'renewalReminderDays', taken: [1, 30], refused: [0, 31, 1.5] },
        { field: 'paymentTermDays', taken: [0, 365], refused: [-1, 366, 1.5] },
      ],
      send: (fields) =>
        world.merchant.post('/v0/subscriptions', {
          name: 'Limits',
          planId: world.plan.id,
          customerId: world.customer.id,
          startedAt: START,
          testClockId: world.clock.id,
          bankTransferOnly: true,
          ...fields,
        }),
    },
    event: {
      limits: ['externalSubject', 'externalId'].map((field) => ({
        field,
        taken: ['a', 'Z_9-', 'x'.repeat(255)],
        refused: ['', 'x'.repeat(256), 'a b', 'a.b', 'é', 7],
      })),
      send: (fields) =>
        world.merchant.post('/v0/events', { type: 'call', source: 's', externalSubject: 'a', ...fields }),
    },
    customer: {
      limits: [{ field: 'externalId', taken: ['x'.repeat(255)], refused: ['x'.repeat(256)] }],
      send: (fields) =>
        world.merchant.post('/v0/customers', {
          consumer: { name: 'L', email: 'l@example.com', address: {} },
          ...fields,
        }),
    },
    cost: {
      limits: [{ field: 'unitCost', taken: [0, 1e-9, 1000], refused: [-1e-9, -1] }],
      send: (fields) =>
        world.merchant.post('/v0/costs', { name: 'L', currency: 'USD', productId: world.product.id, ...fields }),
    },
    grant: {
      limits: [
        { field: 'resetMaxRollover', taken: [0, 999_999_999_999], refused: [-1, 1_000_000_000_000, 0.5] },
        { field: 'resetMinRollover', taken: [0, 999_999_999_999], refused: [-1, 1_000_000_000_000, 0.5] },
      ],
      send: (fields) =>
        world.merchant.post(`/v1/entitlements/${world.entitlement.id}/grants`, { amount: 1, ...fields }),
    },
  };
  const cases = Object.entries(LIMITS).flatMap(([of, { limits, send }]) =>
    limits.map((limit) => ({ of, send, ...limit })),
  );

  // Proves 8.limits.renewalReminderDays, 8.limits.paymentTermDays, 8.limits.eventIds, 8.limits.externalId.
  // Proves 8.limits.unitCost, 8.limits.rollover, 2.customer.externalId, 4.events.8, 4.events.2, 4.catalog.cost.
  it.each(cases)('$of $field', async ({ field, taken, refused, send }) => {
    for (const value of taken) expect((await send({ [field]: value })).status, `${value}`).toBeLessThan(300);
    for (const value of refused) {
      const answer = await send({ [field]: value });
      expect([answer.status, fieldsOf(answer)], `${value}`).toEqual([400, [field]]);
    }
  });
});

describe('versions of §9', () => {
  // Proves 9.versioning.1.
  it('stand in the path, and version 0 of the invoices is gone', async () => {
    expect((await world.merchant.get('/v0/invoices')).status).toBe(404);
    expect((await world.merchant.get(`/v0/invoices/${world.invoice.id}`)).status).toBe(404);
    for (const path of ['/v2/invoices', '/v1/entitlements', '/v0/subscriptions'])
      expect((await world.merchant.get(path)).status).toBe(200);
    expect(
      (await world.merchant.get(`/v0/entitlements/activeEntitlements?customerId=${world.customer.id}`)).status,
    ).toBe(200);
  });

  // Proves 9.versioning.2.
  it('are 0.1.0 in the description of the interface', async () =>
    expect((await env.client().get('/openapi.json')).body.info.version).toBe('0.1.0'));

  // Proves 9.versioning.3, 9.versioning.3.wins, 9.versioning.3.table.
  it.each([
    { sent: { billingInterval: 'monthly' }, cadence: 'P1M', interval: 'monthly' },
    { sent: { billingInterval: 'quarterly' }, cadence: 'P3M', interval: 'quarterly' },
    { sent: { billingInterval: 'yearly' }, cadence: 'P1Y', interval: 'yearly' },
    { sent: { billingInterval: 'yearly', billingCadence: 'P1M' }, cadence: 'P1M', interval: 'monthly' },
    { sent: { billingCadence: 'P3M' }, cadence: 'P3M', interval: 'quarterly' },
  ])('a plan with $sent bills each $cadence', async ({ sent, cadence, interval }) => {
    const plan = await shop.plan([await shop.usagePrice()], sent);
    expect(plan).toMatchObject({ billingCadence: cadence, billingInterval: interval });
    expect(await shop.read(`/v0/plans/${plan.id}`)).toMatchObject({
      billingCadence: cadence,
      billingInterval: interval,
    });
  });

  // Proves 9.versioning.4.
  it('a new plan has billingVersion 1, and 0 is refused', async () => {
    const price = await shop.usagePrice();
    expect((await shop.plan([price])).billingVersion).toBe(1);
    const body = { name: 'Old', productId: world.product.id, currency: 'USD', prices: [price.id], billingVersion: 0 };
    const answer = await world.merchant.post('/v0/plans', body);
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
    expect(fieldsOf(answer)).toEqual(['billingVersion']);
  });

  // Proves 9.versioning.4.old.
  it('a plan of billingVersion 0 from before keeps working, and keeps its version', async () => {
    const plan = await shop.plan([await shop.feePrice()]);
    await env.database.transaction({ merchants: [world.merchant.id] }, (tx) =>
      tx.run(sql`update plan set billing_version = 0 where id = ${plan.id}`),
    );
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(plan, { clock });
    await shop.advance(clock, 'P1M');
    expect((await shop.invoices(subscription))[0]).toMatchObject({ status: 'ISSUED', grandTotal: '10.00' });
    expect(fieldsOf(await world.merchant.patch(`/v0/plans/${plan.id}`, { billingVersion: 1 }))).toEqual([
      'billingVersion',
    ]);
    expect(await shop.change(`/v0/plans/${plan.id}`, { name: 'Renamed' })).toMatchObject({ billingVersion: 0 });
  });
});
