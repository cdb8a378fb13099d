import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Shop, START, shopOf } from '../support/shop.ts';

/** Where every number of an invoice comes from (domain.md §4, `explain`). */
let env: TestEnvironment;
let shop: Shop;
beforeAll(async () => {
  env = await openTestEnvironment({ recomputed: true });
  shop = shopOf(await env.merchant());
});
afterAll(() => env.close());

it('tells price, tiers, hours of usage, discounts and tax of each line, open and issued', async () => {
  const clock = await shop.clock(START);
  // The first 10 cost 1.00, the others 2.00: 13 are 16.00; half of it is 8.00, with 20 % tax 9.60.
  const tiers = [
    { upTo: '10', unitPrice: '1' },
    { upTo: null, unitPrice: '2' },
  ];
  const price = await shop.usagePrice({ model: 'graduated', properties: { tiers } });
  const subscription = await shop.subscribe(await shop.plan([price], { defaultTaxRate: 20 }), { clock });
  const adjustment = await shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, {
    ...{ type: 'percentageDiscount', percentageDiscount: '0.5', effectiveFrom: START, description: 'Half' },
  });
  await shop.use(subscription.id, '2026-01-10T10:15:00Z', 6);
  await shop.use(subscription.id, '2026-01-10T10:45:00Z', 4);
  await shop.use(subscription.id, '2026-01-11T00:00:00Z', 3);
  const hours = [
    { from: '2026-01-10T10:00:00Z', to: '2026-01-10T11:00:00Z', value: 10, eventCount: 2 },
    { from: '2026-01-11T00:00:00Z', to: '2026-01-11T01:00:00Z', value: 3, eventCount: 1 },
  ];
  const [open] = await shop.invoices(subscription);
  expect(await shop.read(`/v2/invoices/${open.id}/explain`)).toMatchObject({
    grandTotal: '9.60',
    lines: [{ usageByHour: hours, amount: '16.00' }],
    recalculation: null,
  });

  await shop.advance(clock, '2026-02-15T00:00:00Z');
  const explained = await shop.read(`/v2/invoices/${open.id}/explain`);
  expect(explained).toMatchObject({
    object: 'invoiceExplanation',
    taxBehavior: 'exclusive',
    taxes: [{ rate: '20', base: '8', amount: '1.6' }],
    subtotal: '8.00',
    totalTax: '1.60',
    grandTotal: '9.60',
    recalculation: { grandTotal: '9.60', isSame: true },
  });
  expect(explained.lines).toHaveLength(1);
  expect(explained.lines[0]).toMatchObject({
    type: 'charge',
    price: { id: price.id, model: 'graduated', properties: { tiers } },
    quantity: 13,
    tiers: [
      { quantity: '10', unitPrice: '1', amount: '10' },
      { quantity: '3', unitPrice: '2', amount: '6' },
    ],
    usageByHour: hours,
    amount: '16.00',
    tax: { rate: 20, amount: '3.20' },
    discounts: [
      { description: 'Half', adjustmentId: adjustment.id, percentageDiscount: '0.5', amount: '-8.00', total: '-9.60' },
    ],
  });
});
