import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recomputeDatabase } from '../../src/app.ts';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * `npm run recompute`: every issued invoice of a subscription has the same result from the raw events (domain.md §4).
 */
let env: TestEnvironment;
let client: pg.Client;
let shop: Shop;
let price: Resource;
let invoice: Resource;
beforeAll(async () => {
  env = await openTestEnvironment();
  shop = shopOf(await env.merchant());
  const tiers = [
    { upTo: '10', unitPrice: '1', flatPrice: '5' },
    { upTo: null, unitPrice: '0.5' },
  ];
  price = await shop.usagePrice({ model: 'graduated', properties: { tiers }, minimumAmount: '8' });
  const fee = await shop.feePrice({ paymentTerm: 'in_advance' });
  const clock = await shop.clock(START);
  const plan = await shop.plan([price, fee], { defaultTaxRate: 20 });
  const subscription = await shop.subscribe(plan, { clock, bankTransferOnly: true });
  await shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, {
    ...{ type: 'percentageDiscount', percentageDiscount: '0.1', effectiveFrom: START, description: 'Launch' },
  });
  await shop.use(subscription.id, '2026-01-15T00:00:00Z', 12);
  await shop.advance(clock, '2026-02-02T00:00:00Z');
  await shop.use(subscription.id, '2026-01-16T00:00:00Z', 3); // late: January did not bill it
  await shop.advance(clock, '2026-03-10T00:00:00Z');
  // February charged all of March
  await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved' });
  await shop.advance(clock, 'P1D');
  invoice = (await shop.invoices(subscription)).find(({ lines }: Resource) =>
    lines.some((line: Resource) => line.quantity === 12),
  );
  client = new pg.Client({ connectionString: env.url });
  await client.connect();
  await client.query('set session_replication_role = replica'); // no trigger prevents the damage
});
afterAll(async () => {
  await client.end();
  await env.close();
});

describe('recomputing invoices', () => {
  it('comes to the same for each, also where something came late or the subscription ended since', async () => {
    expect(await recomputeDatabase(env.url)).toEqual({ checked: 4, differing: [] });
  });

  it('finds a change of an upfront invoice', async () => {
    const upfront = `(select id from invoice where kind = 'upfront')`;
    await client.query(
      `update invoice_line set total_price = total_price + 1, total_amount = total_amount + 1 where invoice_id = ${upfront} and position = 0`,
    );
    const { differing } = await recomputeDatabase(env.url);
    await client.query(
      `update invoice_line set total_price = total_price - 1, total_amount = total_amount - 1 where invoice_id = ${upfront} and position = 0`,
    );
    expect(differing).toMatchObject([
      { differences: [expect.stringMatching(/^line 1: charge .* = 11\.00 .*, by the events charge .* = 10\.00 /)] },
    ]);
  });

  it.each([
    {
      what: 'a quantity that was read',
      broken: `update invoice_usage set quantity = 13 where invoice_id = 'INVOICE'`,
      undone: `update invoice_usage set quantity = 12 where invoice_id = 'INVOICE'`,
      found: [
        'line 1: charge PRICE JANUARY 12 × 1.333333333 = 16.00 + 3.20 (20 %) = 19.20, ' +
          'by the events charge PRICE JANUARY 13 × 1.269230769 = 16.50 + 3.30 (20 %) = 19.80',
        expect.stringContaining('by the events adjustment PRICE JANUARY 1 × -1.65 = -1.65'),
        'subtotal: 23.40, by the events 23.85',
        'totalTax: 4.68, by the events 4.77',
        'grandTotal: 28.08, by the events 28.62',
      ],
    },
    {
      what: 'a quantity of a line',
      broken: `update invoice_line set quantity = 13 where invoice_id = 'INVOICE' and quantity = 12`,
      undone: `update invoice_line set quantity = 12 where invoice_id = 'INVOICE' and quantity = 13`,
      found: [
        'line 1: charge PRICE JANUARY 13 × 1.333333333 = 16.00 + 3.20 (20 %) = 19.20, ' +
          'by the events charge PRICE JANUARY 12 × 1.333333333 = 16.00 + 3.20 (20 %) = 19.20',
      ],
    },
    {
      what: 'a total',
      broken: `update invoice set subtotal = subtotal + 1, grand_total = grand_total + 1 where id = 'INVOICE'`,
      undone: `update invoice set subtotal = subtotal - 1, grand_total = grand_total - 1 where id = 'INVOICE'`,
      found: ['subtotal: 24.40, by the events 23.40', 'grandTotal: 29.08, by the events 28.08'],
    },
    {
      what: 'an event', // 22 units: 5 + 10 + 6 = 21, less 10 %
      broken: `update event set data = '{"units": 22}' where data = '{"units": 12}'`,
      undone: `update event set data = '{"units": 12}' where data = '{"units": 22}'`,
      found: [
        // 21.00 less 10 % are 18.90; 14.40 are billed.
        'the usage of PRICE from 2026-01-01T00:00:00Z to 2026-02-01T00:00:00Z owes 4.50 more than is billed',
      ],
    },
  ])('finds $what that somebody changed', async ({ broken, undone, found }) => {
    await client.query(broken.replaceAll('INVOICE', invoice.id));
    const { differing } = await recomputeDatabase(env.url);
    await client.query(undone.replaceAll('INVOICE', invoice.id));
    const shown = (text: string) =>
      text.replaceAll(price.id, 'PRICE').replaceAll('2026-01-01T00:00:00Z/2026-02-01T00:00:00Z', 'JANUARY');
    expect(differing.map(({ invoiceId }) => invoiceId)).toEqual([invoice.id]);
    expect(differing[0]?.differences.map(shown)).toEqual(found);
  });
});
