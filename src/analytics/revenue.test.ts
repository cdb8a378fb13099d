import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../../test/support/shop.ts';
import { sql } from '../db/index.ts';
import { currencyCodes, minorDigits } from '../kernel/currency.ts';
import { addAllChanges } from './sums.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await sharedEnvironment();
  env.setNow('2026-03-10T09:30:00Z');
});
afterAll(() => env.close());

const MARCH = 'startTime=2026-03-01T00:00:00Z&endTime=2026-04-01T00:00:00Z';
let counter = 0;
const key = () => {
  counter += 1;
  return `key-${counter}`;
};
const transfer = (shop: Shop, { id }: Resource, amount: string) =>
  shop.create(`/v2/invoices/${id}/payments`, { amount, method: 'bank_transfer', idempotencyKey: key() });

/** Writes an invoice over some lines and issues it. */
async function bill(shop: Shop, amount: string, fields: Record<string, unknown> = {}): Promise<Resource> {
  const customerId = fields.customerId ?? (await shop.customer()).id;
  const lines = [
    { displayName: 'Work', quantity: 1, unitPrice: amount, ...(fields.taxRate ? { taxRate: fields.taxRate } : {}) },
  ];
  return shop.create('/v2/invoices', {
    currency: 'USD',
    customerId,
    lines,
    autoApprove: true,
    ...('currency' in fields && { currency: fields.currency }),
  });
}
const newShop = async (): Promise<{
  merchant: Merchant;
  shop: Shop;
  revenue: (query?: string) => Promise<Resource>;
}> => {
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  return { merchant, shop, revenue: (query = '') => shop.read(`/v0/revenue?${MARCH}${query}`) };
};

const figures = ({ netRevenue, totalRefunds, totalRebates, invoices }: Resource) => ({
  net: netRevenue,
  refunds: totalRefunds,
  rebates: totalRebates,
  issued: [invoices.issued.count, invoices.issued.amount],
  outstanding: [invoices.outstanding.count, invoices.outstanding.amount],
  paid: [invoices.paid.count, invoices.paid.amount],
  writtenOff: [invoices.writtenOff.count, invoices.writtenOff.amount],
});
const NOTHING = {
  net: '0.00',
  refunds: '0.00',
  rebates: '0.00',
  issued: [0, '0.00'],
  outstanding: [0, '0.00'],
  paid: [0, '0.00'],
  writtenOff: [0, '0.00'],
};

describe('what an invoice counts', () => {
  // Proves 3.refund.creditNote, 3.refund.void.
  it('follows it from issue to payment, refund and void', async () => {
    const { shop, revenue } = await newShop();
    const invoice = await bill(shop, '100');
    expect(figures(await revenue())).toEqual({
      ...NOTHING,
      net: '100.00',
      issued: [1, '100.00'],
      outstanding: [1, '100.00'],
    });
    await shop.pay(invoice);
    const paid = { ...NOTHING, net: '100.00', issued: [1, '100.00'], paid: [1, '100.00'] };
    expect(figures(await revenue())).toEqual(paid);
    const refund = await shop.create(`/v2/invoices/${invoice.id}/refunds`, {});
    expect(figures(await revenue())).toEqual({ ...paid, net: '0.00', refunds: '100.00' });
    expect((await revenue()).refundCount).toBe(1);
    await shop.act(`/v2/invoices/${invoice.id}/refunds/${refund.id}/void`, {});
    expect(figures(await revenue())).toEqual(paid);
    expect((await revenue()).refundCount).toBe(0);
  });

  it('is net of tax; of a part payment the share without tax is paid', async () => {
    const { shop, revenue } = await newShop();
    const invoice = await bill(shop, '100', { taxRate: 20 });
    await transfer(shop, invoice, '40');
    expect(figures(await revenue())).toEqual({
      ...NOTHING,
      net: '100.00',
      issued: [1, '100.00'],
      outstanding: [1, '66.67'], // 80 of 120 are unpaid
      paid: [0, '33.33'],
    });
    await shop.act(`/v2/invoices/${invoice.id}/writeOff`, {});
    const report = await revenue();
    expect(figures(report)).toEqual({
      ...NOTHING,
      net: '33.33',
      issued: [1, '100.00'],
      paid: [0, '33.33'],
      writtenOff: [1, '66.67'],
    });
    expect(report.payments).toMatchObject({ completedCount: 1, completedAmount: '40.00' });
    await transfer(shop, invoice, '80');
    expect(figures(await revenue())).toEqual({ ...NOTHING, net: '100.00', issued: [1, '100.00'], paid: [1, '100.00'] });
  });

  it('is nothing once it is cancelled, and its session has expired or was cancelled', async () => {
    const { shop, revenue } = await newShop();
    const invoice = await bill(shop, '100');
    expect((await revenue()).payments).toMatchObject({ pendingCount: 1, pendingAmount: '100.00' });
    await shop.act(`/v2/invoices/${invoice.id}/cancel`, {});
    const report = await revenue();
    expect(figures(report)).toEqual(NOTHING);
    expect(report.payments).toMatchObject({ pendingCount: 0, completedCount: 0 });
  });

  it('is no top-up: its money counts as a payment alone, and as revenue when an invoice uses it', async () => {
    const { shop, revenue } = await newShop();
    const customer = await shop.customer();
    const topUp = await shop.create(`/v0/customers/${customer.id}/wallet/topUps`, {
      amount: '50',
      currency: 'USD',
      idempotencyKey: key(),
    });
    expect(figures(await revenue())).toEqual(NOTHING); // an offer
    const session = /ps_[0-9A-Za-z]+/.exec(JSON.stringify(topUp))?.[0];
    await shop.act(`/v0/paymentSessions/${session}/complete`, { paymentMethod: 'pm_ok' });
    const filled = await revenue();
    expect(figures(filled)).toEqual({ ...NOTHING, issued: [1, '0.00'], paid: [1, '0.00'] });
    expect(filled.payments).toMatchObject({ completedCount: 1, completedAmount: '50.00' });
    await bill(shop, '30', { customerId: customer.id });
    expect(figures(await revenue())).toEqual({
      ...NOTHING,
      net: '30.00',
      issued: [2, '30.00'],
      paid: [2, '30.00'],
    });
  });

  it('counts a credit note over a part as a rebate', async () => {
    const { shop, revenue } = await newShop();
    const clock = await shop.clock('2026-03-01T00:00:00Z');
    const plan = await shop.plan([await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '31' } })]);
    const subscription = await shop.subscribe(plan, { clock, bankTransferOnly: true });
    await shop.advance(clock, '2026-03-11T00:00:00Z');
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved' });
    const report = await revenue();
    expect(figures(report)).toEqual({
      ...NOTHING,
      net: '10.00',
      rebates: '21.00', // 21 of 31 days
      issued: [report.invoices.issued.count, '31.00'],
      outstanding: [1, '10.00'],
      paid: [report.invoices.paid.count, '21.00'], // settled by the credit
    });
    expect(report.rebateCount).toBe(1);
    const [byPlan] = (await revenue('&groupBy=plan')).groupBreakdown;
    expect(byPlan).toMatchObject({ groupKey: plan.id, groupLabel: plan.name, netRevenue: '10.00' });
  });
});

describe('currencies', () => {
  it('are never added, and each has its digits', async () => {
    const { shop, revenue } = await newShop();
    await bill(shop, '7');
    await bill(shop, '100', { currency: 'JPY' });
    await transfer(shop, await bill(shop, '1', { currency: 'KWD', taxRate: 5 }), '0.350');
    const report = await revenue();
    expect(report).toMatchObject({ currency: 'USD', netRevenue: '7.00' }); // the merchant's own
    expect(
      report.currencyBreakdown.map(({ currency, netRevenue, invoices }: Resource) => [
        currency,
        netRevenue,
        invoices.outstanding.amount,
      ]),
    ).toEqual([
      ['JPY', '100', '100'],
      ['KWD', '1.000', '0.667'], // 0.7 of 1.05
      ['USD', '7.00', '7.00'],
    ]);
    expect(await revenue('&currency=KWD')).toMatchObject({ currency: 'KWD', netRevenue: '1.000' });
    expect(await revenue('&currency=EUR')).toMatchObject({ currency: 'EUR', netRevenue: '0.00' });
    expect((await revenue('&groupBy=currency')).groupBreakdown.map((each: Resource) => each.groupKey)).toEqual([
      'JPY',
      'KWD',
      'USD',
    ]);
  });

  it('are the only one there is where the merchant has none of its own', async () => {
    const { merchant, shop, revenue } = await newShop();
    await shop.change(`/v0/organizations/${merchant.id}`, { defaultCurrency: null });
    await bill(shop, '5', { currency: 'EUR' });
    expect(await revenue()).toMatchObject({ currency: 'EUR', netRevenue: '5.00' });
  });

  it('have in the database the digits that they have in the program', async () => {
    const rows = await env.database.transaction('every merchant, reading', (tx) =>
      tx.rows<{ code: string; digits: number }>(
        sql`select code, minor_digits(code) as digits from unnest(${[...currencyCodes]}::text[]) as c (code)`,
      ),
    );
    expect(rows).toEqual(currencyCodes.map((code) => ({ code, digits: minorDigits(code) })));
  });
});

describe('the trend', () => {
  it('has every bucket of the range, cut to it, and sums to the figures', async () => {
    const { shop, revenue } = await newShop();
    await bill(shop, '12');
    const report = await shop.read(
      '/v0/revenue?startTime=2026-03-07T12:00:00Z&endTime=2026-03-17T00:00:00Z&bucketWidth=week&groupBy=customer',
    );
    expect(report.trend.map(({ timestamp, issuedInvoices }: Resource) => [timestamp, issuedInvoices])).toEqual([
      ['2026-03-07T12:00:00Z', '0.00'],
      ['2026-03-09T00:00:00Z', '12.00'],
      ['2026-03-16T00:00:00Z', '0.00'],
    ]);
    const [group] = report.groupBreakdown;
    expect(report.trend[1].groupBreakdown).toEqual([
      { groupKey: group.groupKey, groupLabel: group.groupLabel, issuedInvoices: '12.00' },
    ]);
    expect(report.trend[0].groupBreakdown).toEqual([]);
    expect((await revenue()).trend).toHaveLength(31); // days
    expect((await revenue('&bucketWidth=hour')).trend[9 * 24 + 9]).toMatchObject({ issuedInvoices: '12.00' });
  });

  it.each([
    { groupBy: 'customer', groups: 3, shown: '2026-05-19T21:00:00Z', refused: '2026-05-19T22:00:00Z' },
    { groupBy: 'currency', groups: 2, shown: '2026-07-28T08:00:00Z', refused: '2026-07-28T09:00:00Z' },
  ])('has at most 10,000 figures by $groupBy: buckets times $groups', async ({ groupBy, shown, refused }) => {
    const { merchant, shop } = await newShop();
    for (const currency of ['USD', 'USD', 'USD', 'EUR']) await bill(shop, '12', { currency });
    const report = (end: string) =>
      merchant.get(
        `/v0/revenue?startTime=2026-01-01T00:00:00Z&endTime=${end}&bucketWidth=hour&groupBy=${groupBy}&currency=USD`,
      );
    expect((await report(shown)).status).toBe(200);
    const { status, body } = await report(refused);
    expect([status, body.errors[0].field]).toEqual([400, 'bucketWidth']);
    expect(body.errors[0].message).toMatch(/^hour gives [35],\d{3} windows × [23] groups; at most 10,000 are allowed/);
  });

  it('is at the effective time of a test clock, and half-open', async () => {
    const { shop } = await newShop();
    const { invoice } = await shop.issued();
    const report = (from: string, to: string) => shop.read(`/v0/revenue?startTime=${from}&endTime=${to}`);
    const at = invoice.issuedAt;
    const after = Temporal.Instant.from(at).add({ microseconds: 1 }).toString();
    expect((await report(START, at)).invoices.issued.count).toBe(0);
    expect((await report(at, after)).invoices.issued).toEqual({ count: 1, amount: '10.00' });
    expect((await report(after, '2027-01-01T00:00:00Z')).invoices.issued.count).toBe(0);
  });
});

describe('kept sums', () => {
  it('give the same figures as the changes that wait, for every width and grouping', async () => {
    const { merchant, shop, revenue } = await newShop();
    const first = await bill(shop, '10');
    await bill(shop, '20', { taxRate: 10 });
    const questions = ['', '&bucketWidth=hour', '&bucketWidth=week', '&groupBy=plan', '&groupBy=customer'];
    const ask = () => Promise.all(questions.map((query) => revenue(query)));
    const waiting = await ask();
    await addAllChanges(env.database, merchant.id);
    expect(await ask()).toEqual(waiting);
    await shop.pay(first);
    const paid = await ask();
    await addAllChanges(env.database, merchant.id);
    expect(await ask()).toEqual(paid);
    expect(paid[0].invoices.paid).toEqual({ count: 1, amount: '10.00' });
  });
});

describe('whose revenue', () => {
  it('is of a customer or of subscriptions where asked for', async () => {
    const { shop, revenue } = await newShop();
    const customer = await shop.customer();
    await bill(shop, '10', { customerId: customer.id });
    await bill(shop, '20');
    const { subscription } = await shop.issued();
    const { subscription: other } = await shop.issued();
    const all = '/v0/revenue?startTime=2026-01-01T00:00:00Z&endTime=2027-01-01T00:00:00Z';
    expect((await revenue(`&customerId=${customer.id}`)).netRevenue).toBe('10.00');
    expect((await revenue(`&customerId=${customer.id}&groupBy=plan`)).groupBreakdown).toMatchObject([
      { groupKey: 'none', groupLabel: 'None', issued: { count: 1, amount: '10.00' } },
    ]);
    expect((await shop.read(`${all}&subscriptionIds=${subscription.id}`)).netRevenue).toBe('10.00');
    const both = `${all}&subscriptionIds=${subscription.id},${other.id}&groupBy=plan`;
    expect((await shop.read(both)).groupBreakdown).toHaveLength(2);
    expect((await shop.read(all)).netRevenue).toBe('50.00');
  });

  it('is the caller’s own; viewers may read it, and an operator names the merchant', async () => {
    const { merchant, shop } = await newShop();
    const customer = await shop.customer();
    await bill(shop, '10', { customerId: customer.id });
    const { subscription } = await shop.issued();
    const viewer = await env.userOf(merchant, 'viewer');
    expect((await viewer.get(`/v0/revenue?${MARCH}`)).body.netRevenue).toBe('10.00');
    const other = await env.merchant();
    expect((await other.get(`/v0/revenue?${MARCH}`)).body.netRevenue).toBe('0.00');
    expect((await other.get(`/v0/revenue?${MARCH}&merchantId=${merchant.id}`)).status).toBe(403);
    expect((await other.get(`/v0/revenue?${MARCH}&customerId=${customer.id}`)).status).toBe(403);
    expect((await other.get(`/v0/revenue?${MARCH}&subscriptionIds=${subscription.id}`)).status).toBe(403);
    expect((await env.platform.get(`/v0/revenue?${MARCH}`)).status).toBe(400);
    expect((await env.platform.get(`/v0/revenue?${MARCH}&merchantId=${merchant.id}`)).body.netRevenue).toBe('10.00');
    expect((await env.platform.get(`/v0/revenue?${MARCH}&customerId=${customer.id}`)).body.netRevenue).toBe('10.00');
    const unknown = subscription.id.replace(/.{4}$/, '0000');
    expect((await merchant.get(`/v0/revenue?${MARCH}&subscriptionIds=${unknown}`)).status).toBe(404);
  });
});

const BAD = [
  { query: 'endTime=2026-04-01T00:00:00Z', field: 'startTime' },
  { query: 'startTime=2026-03-01T00:00:00Z', field: 'endTime' },
  { query: 'startTime=2026-03-01&endTime=2026-04-01T00:00:00Z', field: 'startTime' },
  { query: 'startTime=2026-04-01T00:00:00Z&endTime=2026-04-01T00:00:00Z', field: 'endTime' },
  { query: `${MARCH}&bucketWidth=year`, field: 'bucketWidth' },
  { query: 'startTime=2001-01-01T00:00:00Z&endTime=2026-01-01T00:00:00Z&bucketWidth=hour', field: 'bucketWidth' },
  { query: `${MARCH}&groupBy=product`, field: 'groupBy' },
  { query: `${MARCH}&currency=usd`, field: 'currency' },
  { query: `${MARCH}&customerId=sub_1`, field: 'customerId' },
  { query: `${MARCH}&subscriptionIds=cus_1`, field: 'subscriptionIds' },
  { query: `${MARCH}&subscriptionIds=`, field: 'subscriptionIds' },
  { query: `${MARCH}&plan=x`, field: 'plan' },
];
it.each(BAD)('GET /v0/revenue answers 400 to $query', async ({ query, field }) => {
  const merchant = await env.merchant();
  expect(await merchant.get(`/v0/revenue?${query}`)).toMatchObject({ status: 400, body: { errors: [{ field }] } });
});
