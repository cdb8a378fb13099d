import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** The origin of every number on an invoice (domain.md §4, `explain`). */
let env: TestEnvironment;
let merchant: Client;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

it('shows price, tiers, hours of usage, discounts and tax of each line, open and issued', async () => {
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

/*
 * Calls in the EU cost 2.00, in the US 1.00, elsewhere 5.00. 3 + 4 in the EU are 14.00, 10 - 2 in the US 8.00, 1 + 1 in
 * two other regions 10.00. They are reported in no order.
 */
it('shows of each line of a matrix the usage of its own cell, in order of time', async () => {
  const clock = await shop.clock(START);
  const metric = await shop.metric({ groupBy: { region: '$.region' } });
  const price = await shop.usagePrice({
    billableMetricId: metric.id,
    model: 'matrix',
    properties: {
      dimensions: ['region'],
      cells: [
        { match: { region: 'eu' }, unitPrice: '2' },
        { match: { region: 'us' }, unitPrice: '1' },
      ],
      default: '5',
    },
  });
  const subscription = await shop.subscribe(await shop.plan([price]), { clock });
  for (const [time, region, units] of [
    ['2026-01-20T10:30:00Z', 'eu', 4],
    ['2026-01-10T10:15:00Z', 'us', 10],
    ['2026-01-20T10:45:00Z', 'us', -2],
    ['2026-01-10T10:45:00Z', 'eu', 3],
    ['2026-01-12T00:10:00Z', 'jp', 1],
    ['2026-01-12T00:20:00Z', 'in', 1],
  ] as const)
    await shop.use(subscription.id, time, units, { data: { units, region } });
  await shop.advance(clock, '2026-02-15T00:00:00Z');
  const [january] = await shop.invoices(subscription);
  const { lines } = await shop.read(`/v2/invoices/${january.id}/explain`);
  const shown = lines.map(({ group, amount, usageByHour }: Resource) => ({
    ...{ group, amount },
    hours: usageByHour.map(({ from, value, eventCount }: Resource) => `${from} ${value} of ${eventCount}`),
  }));
  expect(shown).toEqual([
    {
      ...{ group: { region: 'eu' }, amount: '14.00' },
      hours: ['2026-01-10T10:00:00Z 3 of 1', '2026-01-20T10:00:00Z 4 of 1'],
    },
    {
      ...{ group: { region: 'us' }, amount: '8.00' },
      hours: ['2026-01-10T10:00:00Z 10 of 1', '2026-01-20T10:00:00Z -2 of 1'],
    },
    { group: {}, amount: '10.00', hours: ['2026-01-12T00:00:00Z 2 of 2'] },
  ]);
});

/*
 * Seats: 4 in the EU from the 5th on, 6 from the 20th; 2 and 3 elsewhere from the 3rd and the 10th. 6 x 2.00 and 5 x
 * 5.00.
 */
it('shows of a matrix of levels what the levels of each cell come to together, until the next is set', async () => {
  const clock = await shop.clock(START);
  const metric = await shop.metric({ aggregation: 'LATEST', groupBy: { region: '$.region' } });
  const price = await shop.usagePrice({
    billableMetricId: metric.id,
    model: 'matrix',
    properties: { dimensions: ['region'], cells: [{ match: { region: 'eu' }, unitPrice: '2' }], default: '5' },
  });
  const subscription = await shop.subscribe(await shop.plan([price]), { clock });
  for (const [time, region, units] of [
    ['2026-01-20T00:00:00Z', 'eu', 6],
    ['2026-01-10T00:00:00Z', 'us', 3],
    ['2026-01-05T00:00:00Z', 'eu', 4],
    ['2026-01-03T00:00:00Z', 'jp', 2],
  ] as const)
    await shop.use(subscription.id, time, units, { data: { units, region } });
  await shop.advance(clock, '2026-02-15T00:00:00Z');
  const [january] = await shop.invoices(subscription);
  const { lines } = await shop.read(`/v2/invoices/${january.id}/explain`);
  const level = (from: string, to: string, value: number) => ({ from, to, value, eventCount: 1 });
  expect(lines.map(({ amount, usageByHour }: Resource) => ({ amount, usageByHour }))).toEqual([
    {
      amount: '12.00',
      usageByHour: [
        level('2026-01-05T00:00:00Z', '2026-01-20T00:00:00Z', 4),
        level('2026-01-20T00:00:00Z', '2026-02-01T00:00:00Z', 6),
      ],
    },
    {
      amount: '25.00',
      usageByHour: [
        level('2026-01-03T00:00:00Z', '2026-01-10T00:00:00Z', 2),
        level('2026-01-10T00:00:00Z', '2026-02-01T00:00:00Z', 5),
      ],
    },
  ]);
});

// The weeks are issued while a change is scheduled. It is cancelled, and the subscription ends before they began.
it('explains an invoice that was issued while a change was scheduled that is cancelled since', async () => {
  const clock = await shop.clock(START);
  const weekly = await shop.feePrice({ paymentTerm: 'in_advance', billingCadence: 'P1W' });
  const subscription = await shop.subscribe(await shop.plan([weekly]), { clock, bankTransferOnly: true });
  await shop.advance(clock, '2026-01-10T00:00:00Z');
  const { id: planId } = await shop.plan([await shop.feePrice()]);
  const changes = `/v0/subscriptions/${subscription.id}/changes`;
  const { change } = await shop.create(changes, { planId, effective: 'periodEnd' });
  await shop.advance(clock, '2026-01-23T00:00:00Z');
  expect((await merchant.delete(`${changes}/${change.id}`)).status).toBe(204);
  await shop.change(`/v0/subscriptions/${subscription.id}`, { terminatedAt: '2026-01-10T08:30:00Z' });
  await shop.advance(clock, '2026-02-15T00:00:00Z');
  const explained = await Promise.all(
    (await shop.invoices(subscription)).map(({ id }: Resource) => shop.read(`/v2/invoices/${id}/explain`)),
  );
  expect(explained.map(({ grandTotal, recalculation }) => [grandTotal, recalculation])).toEqual([
    ['0.00', { grandTotal: '0.00', isSame: true }], // the month, without fees of its own
    ...Array.from({ length: 4 }, () => ['10.00', { grandTotal: '10.00', isSame: true }]), // at the start, and each week
  ]);
});
