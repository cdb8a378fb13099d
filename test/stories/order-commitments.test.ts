import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { newOrder } from '../support/orders.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * Commitments of an order (commercial.md §4): its subscriptions count, and no others of the customer. Amounts are
 * worked by hand: a month costs 100.00, a call 1.00.
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let plan: Resource;
let calls: Resource;
let clock: Resource;
let customer: Resource;
let order: Resource;
let of: Resource;
let beside: Resource;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());
beforeEach(async () => {
  calls = await shop.usagePrice();
  plan = await shop.plan([await shop.feePrice({ properties: { unitPrice: '100' } }), calls]);
  clock = await shop.clock(START);
  customer = await shop.customer();
  order = await newOrder(shop, customer, { testClockId: clock.id });
  of = await shop.subscribe(plan, { clock, customer, orderId: order.id });
  beside = await shop.subscribe(plan, { clock, customer });
});

const day = (date: string): string => `2026-${date}T00:00:00Z`;
const bodyOf = (amount: string, fields: object = {}) => ({
  ...{ customerId: customer.id, orderId: order.id, name: 'Contract', currency: 'USD', type: 'postpaid' },
  segments: [{ startDate: day('01-01'), endDate: day('02-01'), amount }],
  ...fields,
});
const commit = (amount: string, fields: object = {}): Promise<Resource> =>
  shop.create('/v0/commitments', bodyOf(amount, fields));
const read = ({ id }: Resource): Promise<Resource> => shop.read(`/v0/commitments/${id}`);
const asked = async (): Promise<string[]> =>
  (await shop.read(`/v2/invoices?customerId=${customer.id}&limit=100`)).data
    .filter(({ kind }: Resource) => kind === 'ad_hoc')
    .map(({ subtotal }: Resource) => subtotal);
const linesOf = async (subscription: Resource): Promise<unknown[]> => {
  const [january] = await shop.invoices(subscription);
  return january.lines.map(({ type, totalPrice }: Resource) => [type, totalPrice]);
};

describe('a commitment of an order', () => {
  it('counts the subscriptions of the order alone, also a later one, and one of who is paid for', async () => {
    const made = await commit('500');
    expect(made).toMatchObject({ orderId: order.id, subscriptionId: null, testClockId: clock.id });
    expect(of).toMatchObject({ orderId: order.id });
    expect(beside).toMatchObject({ orderId: null });
    const child = await shop.customer({ payerId: customer.id });
    await shop.subscribe(plan, { clock, customer: child, orderId: order.id });
    await shop.use(of.id, day('01-10'), 20);
    await shop.use(beside.id, day('01-10'), 70);
    await shop.advance(clock, 'P1M');
    // 2 × 100.00 and 20 calls of 500.00.
    expect(await asked()).toEqual(['280.00']);
    expect((await read(made)).segments).toMatchObject([{ spent: '220.00', shortfall: '280.00' }]);
    await shop.use(of.id, day('01-20'), 5);
    await shop.advance(clock, 'P1M');
    expect((await read(made)).segments).toMatchObject([{ spent: '225.00' }]);
    const { segments } = await read(made);
    expect(await shop.invoice(segments[0].invoiceId)).toMatchObject({ kind: 'ad_hoc', unpaidAmount: '275.00' });
  });

  it('shares spending with one of all subscriptions, in the order of priority', async () => {
    const own = await commit('120', { priority: 1 });
    const wide = await commit('150', { orderId: null, testClockId: clock.id, priority: 2 });
    await shop.use(of.id, day('01-10'), 40);
    await shop.advance(clock, 'P1M');
    // Of the 140.00 of the order 20.00 are left for the other one, beside 100.00.
    expect((await read(own)).segments).toMatchObject([{ spent: '120.00' }]);
    expect((await read(wide)).segments).toMatchObject([{ spent: '120.00', shortfall: '30.00' }]);
    expect(await asked()).toEqual(['30.00']);
  });

  it('that is prepaid pays those subscriptions alone', async () => {
    const made = await commit('150', { type: 'prepaid' });
    await shop.use(of.id, day('01-10'), 70);
    await shop.use(beside.id, day('01-10'), 70);
    const balance = await shop.read(`/v0/customers/${customer.id}/billingCredits/balance?currency=USD`);
    expect(balance).toMatchObject({ granted: '150.00', pending: '150.00', available: '0.00' });
    // 170.00 of the order; what the other subscription spends does not count.
    expect((await read(made)).segments).toMatchObject([{ spent: '170.00', remaining: '0.00' }]);
    await shop.advance(clock, 'P1M');
    expect(await linesOf(of)).toEqual([
      ...[
        ['charge', '100.00'],
        ['charge', '70.00'],
      ],
      ...[
        ['billing_credit', '-100.00'],
        ['billing_credit', '-50.00'],
      ],
    ]);
    expect(await linesOf(beside)).toEqual([
      ['charge', '100.00'],
      ['charge', '70.00'],
    ]);
  });

  it('that is prepaid gives access to them alone, where credits are required', async () => {
    const needy = await shop.subscribe(plan, { clock, customer, orderId: order.id, creditsRequired: true });
    const made = await commit('150', { type: 'prepaid' });
    expect(made.segments[0].billingCreditId).not.toBeNull();
    expect(needy).toMatchObject({ creditsRequired: true, orderId: order.id });
    await shop.advance(clock, 'P1M');
    // The fee of the older subscription burns first, then 50.00 of the other fee.
    expect(await linesOf(needy)).toEqual([
      ['charge', '100.00'],
      ['charge', '0.00'],
      ['billing_credit', '-50.00'],
    ]);
  });

  it('agrees prices for them alone, until it ends', async () => {
    const made = await commit('1000', { onEnd: 'waived', overrides: [{ priceId: calls.id, multiplier: '0.5' }] });
    await shop.use(of.id, day('01-10'), 40);
    await shop.use(beside.id, day('01-10'), 40);
    await shop.advance(clock, day('01-17'));
    await shop.act(`/v0/commitments/${made.id}/end`, {});
    await shop.use(of.id, day('01-20'), 10);
    await shop.advance(clock, day('02-01'));
    const usage = (lines: unknown[]) => lines.filter((line) => (line as string[])[1] !== '100.00');
    expect(usage(await linesOf(of))).toEqual([
      ['charge', '20.00'],
      ['charge', '10.00'],
    ]);
    expect(usage(await linesOf(beside))).toEqual([['charge', '40.00']]);
  });

  it('keeps its order', async () => {
    const made = await commit('1');
    const answer = await merchant.delete(`/v0/orders/${order.id}`);
    expect(answer).toMatchObject({ status: 409, body: { code: 'ORDER_IN_USE' } });
    expect(answer.body.details.blockers).toEqual([
      { type: 'subscription', count: 1, items: [{ id: of.id }] },
      { type: 'commitment', count: 1, items: [{ id: made.id }] },
    ]);
    const listed = await shop.read(`/v0/commitments?orderId=${order.id}`);
    expect(listed.data.map(({ id }: Resource) => id)).toEqual([made.id]);
  });

  it.each([
    { what: 'beside a subscription', fields: () => ({ subscriptionId: of.id }), field: 'orderId' },
    { what: 'in another currency', fields: () => ({ currency: 'EUR' }), field: 'currency' },
    { what: 'of another customer', fields: async () => ({ customerId: (await shop.customer()).id }), field: 'orderId' },
    {
      what: 'on another clock',
      fields: async () => ({ testClockId: (await shop.clock(START)).id }),
      field: 'testClockId',
    },
    {
      what: 'of a cancelled order',
      fields: async () => {
        await shop.change(`/v0/orders/${order.id}`, { cancelledAt: START });
        return {};
      },
      field: 'orderId',
    },
  ])('is refused $what', async ({ fields, field }) => {
    const answer = await merchant.post('/v0/commitments', bodyOf('1', await fields()));
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map((error: Resource) => error.field)).toContain(field);
  });
});

it.each([
  {
    what: 'a foreign order',
    orderId: async (other: Shop) => (await newOrder(other, await other.customer())).id,
    status: 403,
  },
  { what: 'an unknown order', orderId: async () => 'ord_unknown', status: 404 },
  {
    what: 'an order of another customer',
    orderId: async () => (await newOrder(shop, await shop.customer())).id,
    status: 400,
  },
  { what: 'an order on another clock', orderId: async () => (await newOrder(shop, customer)).id, status: 400 },
])('a subscription or a commitment of $what is refused', async ({ orderId, status }) => {
  const id = await orderId(shopOf(await env.merchant()));
  const subscription = {
    name: 'New',
    planId: plan.id,
    customerId: customer.id,
    startedAt: START,
    testClockId: clock.id,
  };
  expect(await merchant.post('/v0/subscriptions', { ...subscription, orderId: id })).toMatchObject({ status });
  expect(await merchant.post('/v0/commitments', bodyOf('1', { orderId: id, testClockId: clock.id }))).toMatchObject({
    status,
  });
});

it('comes out the same from the events, and holds what the auditor asks', async () => {
  expect((await auditDatabase(env.url)).violations).toEqual([]);
  expect((await recomputeDatabase(env.url)).differing).toEqual([]);
});
