import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { type Resource, type Shop, shopOf } from '../../test/support/shop.ts';
import { decimal } from '../kernel/decimal.ts';
import { changeOf, inOrder, marginOf } from './profit.ts';

let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let acme: Resource;
let beta: Resource;
let idle: Resource;
const MARCH = 'from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z';

const cost = (fields: Record<string, unknown>) =>
  shop.create('/v0/costs', {
    name: 'Tokens',
    unitCost: 0.0005,
    currency: 'USD',
    aggregation: 'SUM',
    eventType: 'tokens',
    valueProperty: '$.units',
    ...fields,
  });
const bill = (customer: Resource, amount: string, currency = 'USD') =>
  shop.create('/v2/invoices', {
    customerId: customer.id,
    currency,
    autoApprove: true,
    lines: [{ displayName: 'Work', quantity: 1, unitPrice: amount }],
  });

beforeAll(async () => {
  env = await sharedEnvironment();
  env.setNow('2026-03-10T09:30:00Z');
  merchant = await env.merchant();
  shop = shopOf(merchant);
  [acme, beta, idle] = [await shop.customer(), await shop.customer(), await shop.customer()];
  const { id: productId } = await shop.product();
  await cost({ productId });
  await cost({ productId, name: 'Licence', eventType: 'licence' });
  await cost({ productId, name: 'Rent', aggregation: undefined, eventType: undefined, valueProperty: undefined });
  await cost({ productId, name: 'Servers', currency: 'EUR' });
  const use = (subject: string, at: string, units: number) => shop.use(subject, at, units, { type: 'tokens' });
  await use(acme.id, '2026-03-02T00:00:00Z', 1001);
  await use(acme.id, '2026-03-09T00:00:00Z', 20_000);
  await use(acme.id, '2026-02-20T00:00:00Z', 4_000);
  await use(beta.id, '2026-03-31T23:59:59Z', 2_000);
  await use(beta.id, '2026-04-01T00:00:00Z', 1); // after the end
  await use('cus_nobody', '2026-03-05T00:00:00Z', 3);
  await bill(acme, '50');
  await bill(acme, '9', 'EUR');
  await bill(idle, '10');
  const refunded = await bill(idle, '5');
  await shop.pay(refunded);
  await shop.create(`/v2/invoices/${refunded.id}/refunds`, {});
});
afterAll(() => env.close());

const report = (query = '') => shop.read(`/v0/profitability?${MARCH}${query}`);

describe('GET /v0/profitability', () => {
  it('subtracts what usage cost from the net revenue of each customer, and says what it leaves out', async () => {
    expect(await report()).toEqual({
      object: 'profitability_summary',
      merchantId: merchant.id,
      currency: 'USD',
      from: '2026-03-01T00:00:00Z',
      to: '2026-04-01T00:00:00Z',
      customerCount: 3,
      totals: { netRevenue: '60.00', totalCost: '11.5005', profit: '48.4995', marginPct: '80.83' },
      rows: [
        {
          customerId: acme.id,
          customerName: 'Customer 1',
          netRevenue: '50.00',
          totalCost: '10.5005',
          profit: '39.4995',
          marginPct: '79.00',
          trend: null,
        },
        {
          customerId: idle.id,
          customerName: 'Customer 3',
          netRevenue: '10.00',
          totalCost: '0.00',
          profit: '10.00',
          marginPct: '100.00',
          trend: null,
        },
        {
          customerId: beta.id,
          customerName: 'Customer 2',
          netRevenue: '0.00',
          totalCost: '1.00',
          profit: '-1.00',
          marginPct: null,
          trend: null,
        },
      ],
      warnings: [
        'Revenue in other currencies is left out: EUR.',
        'Costs in other currencies are left out: EUR.',
        'Costs of usage without a customer are left out: 0.0015 USD.',
        'These costs measure nothing: Rent.',
        'These costs have no usage: Licence.',
      ],
    });
  });

  it('is of the currency that is asked for', async () =>
    expect(await report('&currency=EUR')).toMatchObject({
      currency: 'EUR',
      rows: [
        { customerId: beta.id, netRevenue: '0.00', totalCost: '1.00', profit: '-1.00' },
        { customerId: acme.id, netRevenue: '9.00', totalCost: '10.5005', profit: '-1.5005', marginPct: '-16.67' },
      ],
    }));

  it.each([
    { query: '&topN=1', first: 'Customer 1' },
    { query: '&topN=1&sortDir=asc', first: 'Customer 2' },
    { query: '&topN=1&sort=totalCost&sortDir=asc', first: 'Customer 3' },
    { query: '&topN=1&sort=netRevenue', first: 'Customer 1' },
  ])('shows the first customers in the order of $query', async ({ query, first }) => {
    const { rows, customerCount } = await report(query);
    expect([rows.map((row: Resource) => row.customerName), customerCount]).toEqual([[first], 3]);
  });

  it.each([
    { width: 'week', count: 6, found: { 0: '0.00', 1: '-0.5005', 2: '40.00' } }, // the first is a Sunday
    { width: 'day', count: 31, found: { 1: '-0.5005', 8: '-10.00', 9: '50.00' } },
    { width: 'month', count: 1, found: { 0: '39.4995' } },
    { width: 'hour', count: 744, found: { 24: '-0.5005', 225: '50.00' } },
  ])('has a trend of each $width, and how the profit changed from the time before', async ({ width, count, found }) => {
    const [{ trend }] = (await report(`&bucketWidth=${width}`)).rows;
    expect(trend.values).toHaveLength(count);
    for (const [index, value] of Object.entries(found)) expect(trend.values[index], index).toBe(value);
    expect(trend.periodChange).toBe(2074.975); // from -2.00
  });

  it('is empty for a merchant that has neither', async () =>
    expect((await (await env.merchant()).get(`/v0/profitability?${MARCH}`)).body).toMatchObject({
      rows: [],
      warnings: [],
      totals: { netRevenue: '0.00', totalCost: '0.00', profit: '0.00', marginPct: null },
    }));

  it('is the caller’s own; viewers may read it, and an operator names the merchant', async () => {
    const viewer = await env.userOf(merchant, 'viewer');
    expect((await viewer.get(`/v0/profitability?${MARCH}`)).body.customerCount).toBe(3);
    const other = await env.merchant();
    expect((await other.get(`/v0/profitability?${MARCH}&merchantId=${merchant.id}`)).status).toBe(403);
    expect((await env.platform.get(`/v0/profitability?${MARCH}`)).status).toBe(400);
    expect((await env.platform.get(`/v0/profitability?${MARCH}&merchantId=${merchant.id}`)).body.customerCount).toBe(3);
  });

  it.each([
    { query: 'to=2026-04-01T00:00:00Z', field: 'from' },
    { query: 'from=2026-04-01T00:00:00Z&to=2026-03-01T00:00:00Z', field: 'to' },
    { query: `${MARCH}&topN=0`, field: 'topN' },
    { query: `${MARCH}&topN=101`, field: 'topN' },
    { query: `${MARCH}&topN=x`, field: 'topN' },
    { query: `${MARCH}&currency=XXZ`, field: 'currency' },
    { query: `${MARCH}&bucketWidth=year`, field: 'bucketWidth' },
    { query: 'from=2025-01-01T00:00:00Z&to=2026-01-01T00:00:00Z&bucketWidth=hour', field: 'bucketWidth' },
    { query: `${MARCH}&bucketWidth=hour&topN=14`, field: 'bucketWidth' }, // 10,416 figures
    { query: `${MARCH}&sort=name`, field: 'sort' },
    { query: `${MARCH}&customerId=cus_1`, field: 'customerId' },
  ])('answers 400 to $query', async ({ query, field }) =>
    expect(await merchant.get(`/v0/profitability?${query}`)).toMatchObject({
      status: 400,
      body: { errors: [{ field }] },
    }),
  );
});

describe('figures of profit', () => {
  const of = (netRevenue: string, totalCost: string, customerId = 'cus_a') => ({
    customerId,
    netRevenue: decimal(netRevenue),
    totalCost: decimal(totalCost),
  });

  it.each([
    { revenue: '0', cost: '1', margin: undefined },
    { revenue: '-5', cost: '1', margin: undefined },
    { revenue: '3', cost: '1', margin: '66.67' },
    { revenue: '1', cost: '3', margin: '-200' },
  ])('of $revenue at a cost of $cost: a margin of $margin', ({ revenue, cost: spent, margin }) =>
    expect(marginOf(of(revenue, spent))?.toFixed()).toBe(margin),
  );

  it.each([
    { before: '0', now: '5', change: undefined },
    { before: '-2', now: '2', change: '200' },
    { before: '4', now: '3', change: '-25' },
  ])('from $before to $now: a change of $change', ({ before, now, change }) =>
    expect(changeOf(decimal(now), decimal(before))?.toFixed()).toBe(change),
  );

  it('stand in the order of the ids where they are equal', async () => {
    const sorted = await inOrder([of('2', '1', 'cus_b'), of('3', '2', 'cus_a')], { by: 'profit', descending: true });
    expect(sorted.map(({ customerId }) => customerId)).toEqual(['cus_a', 'cus_b']);
  });
});
