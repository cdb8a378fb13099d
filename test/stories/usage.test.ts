import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** The subscription that bills usage, and the last time for it (§4, Event ingestion; domain.md §3 and §4). */
let env: TestEnvironment;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
});
afterAll(() => env.close());

/** A merchant of its own with a metric at 1.00 a unit: event types are a merchant's, and stories must not meet. */
async function openStory(planFields: Record<string, unknown> = {}) {
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const metric = await shop.metric();
  const price = await shop.usagePrice({ billableMetricId: metric.id });
  const plan = await shop.plan([price], planFields);
  return { merchant, shop, metric, price, plan, clock: await shop.clock(START) };
}

const totals = async (shop: Shop, subscription: Resource) =>
  (await shop.invoices(subscription)).map(({ status, grandTotal }) => `${status} ${grandTotal}`);

describe('usage that is addressed to a customer', () => {
  it('is billed once, by the oldest of two subscriptions that price it; what is addressed to one is that one’s alone', async () => {
    const { shop, plan, clock } = await openStory();
    const customer = await shop.customer();
    const older = await shop.subscribe(plan, { clock, customer });
    const younger = await shop.subscribe(plan, { clock, customer });
    await shop.use(customer.id, '2026-01-10T00:00:00Z', 5);
    await shop.use(younger.id, '2026-01-11T00:00:00Z', 3);
    await shop.use(older.id, '2026-01-12T00:00:00Z', 1);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect(await totals(shop, older)).toEqual(['ISSUED 6.00', 'ACTIVE 0.00']);
    expect(await totals(shop, younger)).toEqual(['ISSUED 3.00', 'ACTIVE 0.00']);
  });

  it('goes to the younger one from the moment at which the older one ended', async () => {
    const { shop, plan, clock } = await openStory();
    const customer = await shop.customer();
    const older = await shop.subscribe(plan, { clock, customer, endingAt: '2026-01-20T00:00:00Z' });
    const younger = await shop.subscribe(plan, { clock, customer });
    await shop.use(customer.id, '2026-01-19T23:59:59.999999Z', 5);
    await shop.use(customer.id, '2026-01-20T00:00:00Z', 3);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect(await totals(shop, older)).toEqual(['ISSUED 5.00']);
    expect(await totals(shop, younger)).toEqual(['ISSUED 3.00', 'ACTIVE 0.00']);
  });

  it('goes to the younger one alone where the older one does not price it', async () => {
    const { shop, plan, clock } = await openStory();
    const customer = await shop.customer();
    const older = await shop.subscribe(await shop.plan([await shop.feePrice()]), { clock, customer });
    const younger = await shop.subscribe(plan, { clock, customer });
    await shop.use(customer.id, '2026-01-10T00:00:00Z', 5);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect(await totals(shop, older)).toEqual(['ISSUED 10.00', 'ACTIVE 10.00']);
    expect(await totals(shop, younger)).toEqual(['ISSUED 5.00', 'ACTIVE 0.00']);
  });

  it('of subscriptions on different clocks is billed by each: they live in different times', async () => {
    const { shop, plan, clock } = await openStory();
    const customer = await shop.customer();
    const here = await shop.subscribe(plan, { clock, customer });
    const there = await shop.clock(START);
    const elsewhere = await shop.subscribe(plan, { clock: there, customer });
    await shop.use(customer.id, '2026-01-10T00:00:00Z', 5);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    await shop.advance(there, '2026-02-01T00:00:00Z');
    expect([await totals(shop, here), await totals(shop, elsewhere)]).toEqual([
      ['ISSUED 5.00', 'ACTIVE 0.00'],
      ['ISSUED 5.00', 'ACTIVE 0.00'],
    ]);
  });
});

describe('usage that is sent by externalSubject', () => {
  const report = (shop: Shop, externalSubject: string, timestamp: string, units: number) =>
    shop.use('', timestamp, units, { subject: undefined, externalSubject });

  // Proves 2.event.subject, 4.events.2, 4.events.3.
  it('before there is a customer is linked to it, and billed (§4, rule 3)', async () => {
    const { shop, plan, clock } = await openStory();
    const early = await report(shop, 'acme', '2026-01-05T00:00:00Z', 4);
    expect(early.subject).toBeUndefined();
    const customer = await shop.customer({ externalId: 'acme' });
    expect((await shop.read(`/v0/events/${early.id}`)).subject).toBe(customer.id);
    const later = await report(shop, 'acme', '2026-01-06T00:00:00Z', 2);
    expect(later.subject).toBe(customer.id);
    const subscription = await shop.subscribe(plan, { clock, customer });
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect(await totals(shop, subscription)).toEqual(['ISSUED 6.00', 'ACTIVE 0.00']);
  });

  // Proves 4.events.4, 8.limits.resolution.
  it('by a name that went to another customer: what was counted stays, what comes goes to the other', async () => {
    const { shop, plan, clock } = await openStory();
    const first = await shop.customer({ externalId: 'acme' });
    const ofFirst = await shop.subscribe(plan, { clock, customer: first });
    await report(shop, 'acme', '2026-01-05T00:00:00Z', 1);
    await shop.change(`/v0/customers/${first.id}`, { externalId: 'acme-old' });
    await report(shop, 'acme', '2026-01-06T00:00:00Z', 10); // without a customer now
    await report(shop, 'acme-old', '2026-01-07T00:00:00Z', 100);
    const second = await shop.customer({ externalId: 'acme' });
    const ofSecond = await shop.subscribe(plan, { clock, customer: second });
    await report(shop, 'acme', '2026-01-08T00:00:00Z', 1000);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect(await totals(shop, ofFirst)).toEqual(['ISSUED 101.00', 'ACTIVE 0.00']);
    expect(await totals(shop, ofSecond)).toEqual(['ISSUED 1010.00', 'ACTIVE 0.00']);
  });

  // Proves 4.events.2.subject.
  it('beside a subject is only recorded (§4, rule 2)', async () => {
    const { shop, plan, clock } = await openStory();
    const [named, outside] = [await shop.customer(), await shop.customer({ externalId: 'acme' })];
    const ofNamed = await shop.subscribe(plan, { clock, customer: named });
    const ofOutside = await shop.subscribe(plan, { clock, customer: outside });
    const event = await shop.use(named.id, '2026-01-05T00:00:00Z', 4, { externalSubject: 'acme' });
    expect(event).toMatchObject({ subject: named.id, externalSubject: 'acme' });
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect(await totals(shop, ofNamed)).toEqual(['ISSUED 4.00', 'ACTIVE 0.00']);
    expect(await totals(shop, ofOutside)).toEqual(['PAID 0.00', 'ACTIVE 0.00']);
  });
});

describe('usage with a time ahead', () => {
  it('is accepted up to 2199, whatever the clocks say, and counts at its own time', async () => {
    const { merchant, shop, metric, plan, clock } = await openStory();
    const subscription = await shop.subscribe(plan, { clock });
    for (const at of ['2026-01-02T00:00:00Z', '2026-02-10T00:00:00Z', '2199-12-31T23:59:59.999999Z'])
      await shop.use(subscription.id, at, 1);
    const beyond = { type: 'call', source: 'test', subject: subscription.id, timestamp: '2200-01-01T00:00:00Z' };
    expect(await merchant.post('/v0/events', beyond)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'timestamp' }] },
    });
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    expect(await totals(shop, subscription)).toEqual(['ISSUED 1.00', 'ISSUED 1.00', 'ACTIVE 0.00']);
    const all = 'from=2026-01-01T00:00:00Z&to=2199-12-31T23:59:59.999999Z';
    expect((await shop.read(`/v0/billableMetrics/${metric.id}/meter?${all}`)).totalValue).toBe(2);
  });
});

describe('a grace period of 48 hours', () => {
  it('waits for what comes late, then bills what was there, and the next period is not touched', async () => {
    const { shop, plan, clock } = await openStory({ gracePeriod: 'PT48H' });
    const customer = await shop.customer();
    const subscription = await shop.subscribe(plan, { clock, customer });
    await shop.use(customer.id, '2026-01-10T00:00:00Z', 5);
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    const [closing] = await shop.invoices(subscription);
    expect(closing).toMatchObject({
      status: 'CLOSING',
      invoiceNumber: null,
      gracePeriodEnd: '2026-02-03T00:00:00Z',
      nextActionAt: '2026-02-03T00:00:00Z',
      grandTotal: '5.00',
    });
    await shop.use(customer.id, '2026-01-31T23:59:59.999999Z', 2); // late, and in time
    await shop.use(customer.id, '2026-02-01T00:00:00Z', 30); // of the next period
    expect(await totals(shop, subscription)).toEqual(['CLOSING 7.00', 'ACTIVE 30.00']);
    await shop.advance(clock, '2026-02-03T00:00:00Z');
    const [issued] = await shop.invoices(subscription);
    expect(issued).toMatchObject({ status: 'ISSUED', grandTotal: '7.00', issuedAt: '2026-02-03T00:00:00Z' });
    await shop.use(customer.id, '2026-01-30T00:00:00Z', 1000); // too late for this invoice
    await shop.advance(clock, '2026-02-04T00:00:00Z');
    expect((await shop.invoices(subscription))[0]).toMatchObject({
      status: 'ISSUED',
      grandTotal: '7.00',
      subtotal: '7.00',
    });
  });
});

describe('the figures of an open period', () => {
  it('are what it comes to as of now, and nothing of them is stored', async () => {
    const { shop, plan, clock } = await openStory({ defaultTaxRate: 10 });
    const customer = await shop.customer();
    const subscription = await shop.subscribe(plan, { clock, customer });
    const [{ id }] = await shop.invoices(subscription);
    expect(await shop.invoice(id)).toMatchObject({ status: 'ACTIVE', subtotal: '0.00', grandTotal: '0.00' });
    await shop.use(customer.id, '2026-01-10T00:00:00Z', '2.345');
    const open = await shop.invoice(id);
    expect(open).toMatchObject({
      status: 'ACTIVE',
      subtotal: '2.35',
      totalTax: '0.24',
      grandTotal: '2.59',
      itemCount: 1,
      invoiceNumber: null,
      issuedAt: null,
    });
    expect(open.lines).toMatchObject([{ quantity: 2.345, unitPrice: '1', totalPrice: '2.35' }]);
    const stored = await env.client(env.platform.key).get(`/v2/invoices?customerId=${customer.id}`);
    expect(stored.body.data[0]).toMatchObject({ grandTotal: '2.59', lineItems: null, itemCount: 1 });
  });
});

describe('each way of counting, by hand', () => {
  const days = ['2026-01-03T00:00:00Z', '2026-01-05T00:00:00Z', '2026-01-04T00:00:00Z'];
  const values = [5, 3, 9];

  // Proves 2.metric.aggregation.
  it.each([
    { aggregation: 'SUM', quantity: 17 },
    { aggregation: 'COUNT', quantity: 3 },
    { aggregation: 'AVG', quantity: 17 / 3, unitPrice: '3', total: '17.00' },
    { aggregation: 'MIN', quantity: 3 },
    { aggregation: 'MAX', quantity: 9 },
    { aggregation: 'UNIQUE_COUNT', quantity: 3 },
    { aggregation: 'LATEST', quantity: 3 }, // by its own time, not by its arrival
  ])('$aggregation of 5, 3 and 9', async ({ aggregation, quantity, unitPrice = '1', total }) => {
    const shop = shopOf(await env.merchant());
    const metric = await shop.metric({ aggregation });
    const price = await shop.usagePrice({ billableMetricId: metric.id, properties: { unitPrice } });
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await shop.plan([price]), { clock });
    for (const [index, day] of days.entries()) await shop.use(subscription.id, day, values[index] as number);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    const [invoice] = await shop.invoices(subscription);
    expect(invoice.grandTotal).toBe(total ?? `${quantity}.00`);
    expect(invoice.lines[0].quantity).toBeCloseTo(quantity, 9);
  });

  // Proves 2.metric.groupBy, 4.events.7.
  it('counts an event once that came three times, also in one batch, and by the group that a price asks for', async () => {
    const merchant = await env.merchant();
    const shop = shopOf(merchant);
    const metric = await shop.metric({ groupBy: { region: '$.region' } });
    const inEurope = await shop.usagePrice({
      billableMetricId: metric.id,
      groupFilters: { region: ['eu', 'uk'] },
      properties: { unitPrice: '2' },
    });
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await shop.plan([inEurope]), { clock });
    const event = (idempotencyKey: string, region: string) => ({
      type: 'call',
      source: 'test',
      subject: subscription.id,
      timestamp: '2026-01-05T00:00:00Z',
      idempotencyKey,
      data: { units: 1, region },
    });
    const batch = [event('a', 'eu'), event('a', 'eu'), event('b', 'uk'), event('c', 'us')];
    for (const _ of [1, 2]) expect((await merchant.post('/v0/events', batch)).status).toBe(202);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect((await shop.invoices(subscription))[0]).toMatchObject({ grandTotal: '4.00', lines: [{ quantity: 2 }] });
  });

  // Proves 2.metric.eventFrom.
  it('counts from eventFrom on, and not at it: a meter that follows another takes no event of its last moment', async () => {
    const shop = shopOf(await env.merchant());
    const change = '2026-01-10T00:00:00Z';
    const before = await shop.metric({ name: 'Old meter', eventType: 'call' });
    const after = await shop.metric({ name: 'New meter', eventType: 'call', eventFrom: change });
    const prices = [];
    for (const metric of [before, after])
      prices.push(await shop.usagePrice({ billableMetricId: metric.id, invoiceDisplayName: metric.name }));
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await shop.plan(prices), { clock });
    for (const [at, units] of [
      ['2026-01-09T23:59:59.999999Z', 1],
      [change, 10],
      ['2026-01-10T00:00:00.000001Z', 100],
    ] as const)
      await shop.use(subscription.id, at, units);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    const [invoice] = await shop.invoices(subscription);
    expect(invoice.lines.map(({ quantity }: Resource) => quantity)).toEqual([111, 100]);
  });

  // Proves 1.conventions.time.
  it('reads a time with an offset as the instant that it is, cut to the microsecond', async () => {
    const { shop, plan } = await openStory();
    const clock = await shop.clock('2026-01-31T05:30:00+05:30');
    expect(clock.currentTime).toBe('2026-01-31T00:00:00Z');
    const subscription = await shop.subscribe(plan, { clock, startedAt: '2026-01-30T19:00:00.0000009-05:00' });
    expect(subscription.startedAt).toBe('2026-01-31T00:00:00Z');
    const event = await shop.use(subscription.id, '2026-02-28T00:59:59.99999999+01:00', 1);
    expect(event.timestamp).toBe('2026-02-27T23:59:59.999999Z');
    await shop.advance(clock, '2026-03-01T00:00:00+01:00');
    expect((await shop.invoices(subscription)).map(({ periodEnd, grandTotal }) => [periodEnd, grandTotal])).toEqual([
      ['2026-02-28T00:00:00Z', '1.00'],
      ['2026-03-31T00:00:00Z', '0.00'],
    ]);
  });
});
