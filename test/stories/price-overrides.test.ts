import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Negotiated prices (commercial.md §1). Amounts are worked by hand: January has 31 days, February 2026 has 28. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let fee: Resource;
let calls: Resource;
let plan: Resource;
let clock: Resource;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());
beforeEach(async () => {
  fee = await shop.feePrice({ properties: { unitPrice: '310' } });
  calls = await shop.usagePrice();
  plan = await shop.plan([fee, calls]);
  clock = await shop.clock(START);
});

const sell = (priceOverrides: readonly object[], fields: object = {}): Promise<Resource> =>
  shop.subscribe(fields && 'plan' in fields ? (fields.plan as Resource) : plan, {
    clock,
    priceOverrides,
    ...without(fields),
  });
const without = ({ plan: _, ...rest }: { plan?: unknown }) => rest;
const change = (subscription: Resource, body: object) =>
  shop.create(`/v0/subscriptions/${subscription.id}/changes`, body);
const refused = (body: object) => merchant.post('/v0/subscriptions', { name: 'x', planId: plan.id, ...body });
/** The lines of the n-th invoice: name, quantity, unit price, list price, amount. */
const linesOf = async (subscription: Resource, place = 0) =>
  ((await shop.invoices(subscription))[place].lines as Resource[]).map((line) => [
    ...[line.invoiceDisplayName, String(line.quantity), line.unitPrice, line.listUnitPrice, line.totalPrice],
  ]);
const amountsOf = async (subscription: Resource) =>
  (await shop.invoices(subscription)).map(({ subtotal }: Resource) => subtotal);

describe('an override of the whole term', () => {
  it('scales a fee and usage, says the list price, and is not the price of others', async () => {
    const agreed = await sell([
      { priceId: fee.id, multiplier: '0.8' },
      { priceId: calls.id, properties: { unitPrice: '0.25' } },
    ]);
    const listed = await sell([]);
    for (const { id } of [agreed, listed]) await shop.use(id, '2026-01-10T00:00:00Z', 100);
    await shop.advance(clock, 'P1M');
    expect(await linesOf(agreed)).toEqual([
      ['Flat fee', '1', '248', '310', '248.00'],
      ['Calls', '100', '0.25', '1', '25.00'],
    ]);
    expect(await linesOf(listed)).toEqual([
      ['Flat fee', '1', '310', null, '310.00'],
      ['Calls', '100', '1', null, '100.00'],
    ]);
    const [invoice] = await shop.invoices(agreed);
    expect(invoice.lines.map(({ priceId }: Resource) => priceId)).toEqual([fee.id, calls.id]);
    const explained = await shop.read(`/v2/invoices/${invoice.id}/explain`);
    expect(explained.lines[0]).toMatchObject({
      price: {
        id: fee.id,
        properties: { unitPrice: '248' },
        override: { priceId: fee.id, multiplier: '0.8', properties: null, from: null, to: null },
      },
      notes: ['Agreed price; the list price is 310.00'],
    });
    expect((await shop.read(`/v0/subscriptions/${agreed.id}`)).priceOverrides).toEqual([
      { ...NOTHING, priceId: fee.id, multiplier: '0.8' },
      { ...NOTHING, priceId: calls.id, properties: { unitPrice: '0.25' } },
    ]);
  });

  it.each([
    [
      'graduated',
      {
        tiers: [
          { upTo: '10', unitPrice: '1', flatPrice: '2' },
          { upTo: null, unitPrice: '0.5' },
        ],
      },
      '9.00',
    ],
    [
      'volume',
      {
        tiers: [
          { upTo: '10', unitPrice: '1' },
          { upTo: null, unitPrice: '0.5', flatPrice: '4' },
        ],
      },
      '7.50',
    ],
    ['package', { size: '10', price: '3' }, '4.50'], // three packages at 1.50
    ['percentage', { percentage: '0.1', fixed: '0.20', minCharge: '8' }, '4.00'], // 2.60 listed; at least 4.00
    ['standard', { unitPrice: '2', includedUnits: '4' }, '18.00'],
  ])('scales the money of %s by a half, and neither bounds nor sizes', async (model, properties, amount) => {
    const price = await shop.usagePrice({ model, properties });
    const own = await shop.plan([price]);
    const subscription = await sell([{ priceId: price.id, multiplier: '0.5' }], { plan: own });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 22);
    await shop.advance(clock, 'P1M');
    expect((await amountsOf(subscription))[0]).toBe(amount);
  });

  it('has bounds of its own, which it does not scale, and takes bounds away', async () => {
    const limited = await shop.usagePrice({ minimumAmount: '40', maximumAmount: '90' });
    const own = await shop.plan([limited]);
    const scaled = await sell([{ priceId: limited.id, multiplier: '0.5' }], { plan: own });
    const bound = await sell([{ priceId: limited.id, multiplier: '0.5', minimumAmount: '35' }], { plan: own });
    const free = await sell([{ priceId: limited.id, minimumAmount: 'none', maximumAmount: 'none' }], { plan: own });
    for (const { id } of [scaled, bound]) await shop.use(id, '2026-01-10T00:00:00Z', 20);
    await shop.use(free.id, '2026-01-10T00:00:00Z', 120);
    await shop.advance(clock, 'P1M');
    expect([scaled, bound, free].map(() => 0)).toHaveLength(3);
    expect((await amountsOf(scaled))[0]).toBe('20.00'); // 10.00 of usage, half of 40.00 at least
    expect((await amountsOf(bound))[0]).toBe('35.00');
    expect((await amountsOf(free))[0]).toBe('120.00');
  });
});

describe('a window', () => {
  it('is cut by the second, and usage has the price of its time', async () => {
    const subscription = await sell([
      { priceId: fee.id, multiplier: '0.5', from: '2026-01-11T00:00:00Z', to: '2026-01-21T00:00:00Z' },
      { priceId: calls.id, properties: { unitPrice: '0.5' }, from: '2026-01-11T00:00:00Z' },
    ]);
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 10);
    await shop.use(subscription.id, '2026-01-12T00:00:00Z', 20);
    await shop.advance(clock, 'P1M');
    // 10 and 11 days at 310.00, 10 days at 155.00: 100.00 + 50.00 + 110.00; 10 calls at 1.00, 20 at 0.50
    const lines = await linesOf(subscription);
    expect(lines.map(([name, , unit, list, amount]) => [name, unit, list, amount])).toEqual(
      expect.arrayContaining([
        ['Flat fee', '310', null, '100.00'],
        ['Flat fee', '155', '310', '50.00'],
        ['Flat fee', '310', null, '110.00'],
        ['Calls', '1', null, '10.00'],
        ['Calls', '0.5', '1', '10.00'],
      ]),
    );
    expect(lines).toHaveLength(5);
  });

  it('begins tiers anew, and a cut within it does not', async () => {
    const tiers = [
      { upTo: '10', unitPrice: '2' },
      { upTo: null, unitPrice: '1' },
    ];
    const price = await shop.usagePrice({ model: 'graduated', properties: { tiers } });
    const own = await shop.plan([price]);
    const subscription = await sell([{ priceId: price.id, multiplier: '0.5', from: '2026-01-16T00:00:00Z' }], {
      plan: own,
    });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 15);
    await shop.use(subscription.id, '2026-01-17T00:00:00Z', 8);
    await shop.advance(clock, '2026-01-20T00:00:00Z');
    const [open] = await shop.invoices(subscription);
    await shop.act(`/v2/invoices/${open.id}/closeNow`);
    await shop.use(subscription.id, '2026-01-25T00:00:00Z', 7);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    // listed: 10 at 2 + 5 at 1 = 25.00; agreed: 10 at 1 + 5 at 0.50 = 12.50, of which 8.00 were asked by the cut
    expect((await amountsOf(subscription)).slice(0, 2)).toEqual(['33.00', '4.50']);
  });

  it('lowers a fee in advance where it comes within a paid period, and late usage has the price of its time', async () => {
    const advance = await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '310' } });
    const own = await shop.plan([advance, calls]);
    const subscription = await sell([], { plan: own, bankTransferOnly: true, paymentTermDays: 10 });
    await shop.advance(clock, '2026-01-11T00:00:00Z');
    await change(subscription, {
      priceOverrides: [
        { priceId: advance.id, multiplier: '0.5', to: '2026-01-21T00:00:00Z' },
        { priceId: calls.id, multiplier: '0.1', to: '2026-02-01T00:00:00Z' },
      ],
    });
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    await shop.use(subscription.id, '2026-01-12T00:00:00Z', 100); // late, and at 0.10
    await shop.use(subscription.id, '2026-02-02T00:00:00Z', 3);
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    const invoices = await shop.invoices(subscription);
    const upfront = invoices.find(({ kind }: Resource) => kind === 'upfront');
    // 10 days are credited at 310.00, on the upfront invoice, which is not paid; the days are charged at 155.00
    expect(upfront).toMatchObject({ grandTotal: '310.00', unpaidAmount: '210.00' });
    const [january, february] = invoices.filter(({ kind }: Resource) => kind === 'subscription');
    expect([january.subtotal, february.subtotal]).toEqual(['360.00', '323.00']); // 310.00 and 313.00 in them
  });
});

describe('a change', () => {
  it('replaces the list from its instant on, keeps it where it says nothing, and ends it by an empty one', async () => {
    const subscription = await sell([{ priceId: fee.id, multiplier: '0.5' }]);
    await shop.advance(clock, '2026-01-11T00:00:00Z');
    const raised = await change(subscription, { quantities: { [fee.id]: 2 } });
    expect(raised.change).toMatchObject({ priceOverrides: null, droppedPriceOverrides: [] });
    await shop.advance(clock, '2026-01-21T00:00:00Z');
    const ended = await change(subscription, { priceOverrides: [] });
    expect(ended.change.priceOverrides).toEqual([]);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    // 10 days of one at 155.00, 10 of two, 11 of two at 310.00: 50.00 + 100.00 + 220.00
    expect((await amountsOf(subscription))[0]).toBe('370.00');
    expect((await shop.read(`/v0/subscriptions/${subscription.id}`)).priceOverrides).toEqual([]);
  });

  it.each<[string, object]>([
    ['factor', { multiplier: '0.5' }],
    [
      'tiers, whose fields have another order than those that are stored',
      {
        properties: {
          tiers: [
            { unitPrice: '1', upTo: '10' },
            { unitPrice: '0.5', upTo: null },
          ],
        },
      },
    ],
  ])('goes on where it says the same %s: tiers do not begin anew', async (_, agreed) => {
    const tiers = [
      { upTo: '10', unitPrice: '2' },
      { upTo: null, unitPrice: '1' },
    ];
    const price = await shop.usagePrice({ model: 'graduated', properties: { tiers } });
    const own = await shop.plan([price]);
    const same = { priceId: price.id, ...agreed };
    const subscription = await sell([same], { plan: own });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 10);
    await shop.advance(clock, '2026-01-16T00:00:00Z');
    await change(subscription, { priceOverrides: [same] });
    await shop.use(subscription.id, '2026-01-20T00:00:00Z', 10);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect((await amountsOf(subscription))[0]).toBe('15.00'); // 10 at 1.00, 10 at 0.50
  });

  it('of the plan keeps the overrides of prices that both hold, names the others, and the preview is the deed', async () => {
    const other = await shop.plan([calls]);
    const overrides = [
      { priceId: fee.id, multiplier: '0.5' },
      { priceId: calls.id, multiplier: '0.5' },
    ];
    const subscription = await sell(overrides);
    await shop.use(subscription.id, '2026-01-05T00:00:00Z', 10);
    await shop.advance(clock, '2026-01-11T00:00:00Z');
    const { body: preview } = await merchant.post(`/v0/subscriptions/${subscription.id}/changes`, {
      planId: other.id,
      dryRun: true,
    });
    const done = await change(subscription, { planId: other.id });
    expect(done.change.droppedPriceOverrides).toEqual([{ ...NOTHING, ...overrides[0] }]);
    expect(preview.change.droppedPriceOverrides).toEqual(done.change.droppedPriceOverrides);
    expect(preview.invoicePreview.grandTotal).toBe(done.invoicePreview.grandTotal);
    await shop.advance(clock, '2026-01-21T00:00:00Z');
    await change(subscription, { planId: plan.id }); // what was dropped stays dropped
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    // 10 days at 155.00, 11 days at 310.00, 10 calls at 0.50
    expect((await amountsOf(subscription))[0]).toBe('165.00');
  });

  it('there and back at one instant is nothing', async () => {
    const other = await shop.plan([calls]);
    const subscription = await sell([{ priceId: fee.id, multiplier: '0.5' }]);
    await shop.advance(clock, '2026-01-11T00:00:00Z');
    await change(subscription, { planId: other.id });
    await change(subscription, { planId: plan.id });
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect((await amountsOf(subscription))[0]).toBe('155.00');
  });

  it.each(['none', 'day'])('with proration %s cuts an agreed price by the second all the same', async (proration) => {
    const subscription = await sell([]);
    await shop.advance(clock, '2026-01-16T12:00:00Z');
    await change(subscription, { priceOverrides: [{ priceId: fee.id, multiplier: '0' }], proration });
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect((await amountsOf(subscription))[0]).toBe('155.00');
  });

  it('does not change an invoice that billed a window in advance before it', async () => {
    const advance = await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '310' } });
    const own = await shop.plan([advance, fee]);
    const later = { priceId: advance.id, multiplier: '0.5', from: '2026-01-21T00:00:00Z' };
    const subscription = await sell([later], { plan: own, bankTransferOnly: true, paymentTermDays: 10 });
    await shop.advance(clock, '2026-01-11T00:00:00Z');
    await change(subscription, { quantities: { [fee.id]: 2 } });
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    const upfront = (await shop.invoices(subscription)).find(({ kind }: Resource) => kind === 'upfront');
    expect(upfront.subtotal).toBe('255.00'); // 20 days at 310.00, 11 at 155.00
    expect((await recomputeDatabase(env.url)).differing).toEqual([]);
  });

  it('of windows that say the same, one of which is over with the trial, bills no closed period again', async () => {
    const own = await shop.plan([calls], { trialPeriod: 'P14D' });
    const quarter = { priceId: calls.id, properties: { unitPrice: '0.25' } };
    const [first, second] = [START, '2026-01-05T00:00:00Z'];
    const subscription = await sell(
      [
        { ...quarter, from: first, to: second },
        { ...quarter, from: second },
      ],
      { plan: own },
    );
    await shop.advance(clock, '2026-01-20T00:00:00Z');
    await shop.use(subscription.id, '2026-01-19T00:00:00Z', 100);
    await shop.advance(clock, '2026-02-20T00:00:00Z');
    await change(subscription, { priceOverrides: [] });
    await shop.use(subscription.id, '2026-01-19T00:00:00Z', 4);
    await shop.advance(clock, '2026-03-20T00:00:00Z');
    expect((await amountsOf(subscription)).toSorted()).toEqual(['0.00', '1.00', '25.00']);
    expect((await recomputeDatabase(env.url)).differing).toEqual([]);
  });

  it('a fee that is charged once is not charged again at another price', async () => {
    const once = await shop.feePrice({ billingCadence: 'P0D', properties: { unitPrice: '99' } });
    const own = await shop.plan([once, fee]);
    const subscription = await sell([], { plan: own });
    await shop.advance(clock, '2026-01-16T00:00:00Z');
    await change(subscription, { priceOverrides: [{ priceId: once.id, multiplier: '0.5' }] });
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    const lines = (await shop.invoices(subscription)).flatMap((invoice: Resource) => invoice.lines);
    expect(lines.filter(({ priceId }: Resource) => priceId === once.id)).toHaveLength(1);
  });
});

describe('is refused', () => {
  const from = '2026-01-11T00:00:00Z';
  it.each<[string, (own: { fee: string; calls: string }) => object[], string[]]>([
    [
      'both ways at once',
      ({ fee: id }) => [{ priceId: id, multiplier: '1', properties: { unitPrice: '1' } }],
      ['0.multiplier'],
    ],
    ['neither', ({ fee: id }) => [{ priceId: id }], ['0.multiplier']],
    [
      'properties of another model',
      ({ fee: id }) => [{ priceId: id, properties: { size: '1', price: '1' } }],
      ['0.properties.size', '0.properties.price', '0.properties.unitPrice'],
    ],
    ['a negative factor', ({ fee: id }) => [{ priceId: id, multiplier: '-1' }], ['0.multiplier']],
    ['an end before its begin', ({ fee: id }) => [{ priceId: id, multiplier: '1', from, to: from }], ['0.to']],
    [
      'windows that overlap',
      ({ fee: id }) => [
        { priceId: id, multiplier: '1', to: '2026-01-12T00:00:00Z' },
        { priceId: id, multiplier: '2', from },
      ],
      ['0', '1'],
    ],
    ['a minimum below 0', ({ calls: id }) => [{ priceId: id, minimumAmount: '-1' }], ['0.minimumAmount']],
    [
      'a minimum above its maximum',
      ({ calls: id }) => [{ priceId: id, minimumAmount: '2', maximumAmount: '1' }],
      ['0.minimumAmount'],
    ],
  ])('%s', async (_, overrides, fields) => {
    const customer = await shop.customer();
    const priceOverrides = overrides({ fee: fee.id, calls: calls.id });
    const answer = await refused({ customerId: customer.id, startedAt: START, testClockId: clock.id, priceOverrides });
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map(({ field }: Resource) => field).toSorted()).toEqual(
      fields.map((field) => `priceOverrides.${field}`).toSorted(),
    );
  });

  it('a price that the version does not hold, one of another merchant, and a begin before the change', async () => {
    const stranger = await shop.feePrice();
    const theirs = await shopOf(await env.merchant()).feePrice();
    const customer = await shop.customer();
    const body = { customerId: customer.id, startedAt: START, testClockId: clock.id };
    const askedFor = (priceId: string) => refused({ ...body, priceOverrides: [{ priceId, multiplier: '1' }] });
    expect((await askedFor(stranger.id)).status).toBe(400);
    expect((await askedFor(theirs.id)).status).toBe(403);
    expect((await askedFor(`${fee.id}0`)).status).toBe(404);
    const subscription = await sell([]);
    await shop.advance(clock, '2026-01-11T00:00:00Z');
    const early = await merchant.post(`/v0/subscriptions/${subscription.id}/changes`, {
      priceOverrides: [{ priceId: fee.id, multiplier: '1', from: START }],
    });
    expect(early).toMatchObject({ status: 400, body: { errors: [{ field: 'priceOverrides.0.from' }] } });
  });
});

it('an event is explained by the price of its time', async () => {
  const subscription = await sell([{ priceId: calls.id, multiplier: '0.5', from: '2026-01-11T00:00:00Z' }]);
  const event = await shop.use(subscription.id, '2026-01-12T00:00:00Z', 1);
  await shop.advance(clock, '2026-01-15T00:00:00Z');
  const { metrics } = await shop.read(`/v0/events/${event.id}/explain`);
  const own = metrics.find(({ billableMetricId }: Resource) => billableMetricId === calls.billableMetricId);
  expect(own.prices).toHaveLength(1);
  expect(own.prices[0]).toMatchObject({ priceId: calls.id, reason: null });
});

it('comes out the same from the events, and the audit holds', async () => {
  expect((await recomputeDatabase(env.url)).differing).toEqual([]);
  expect((await auditDatabase(env.url)).violations).toEqual([]);
});

const NOTHING = { multiplier: null, properties: null, minimumAmount: null, maximumAmount: null, from: null, to: null };
