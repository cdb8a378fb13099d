import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Manual lines for invoices with an open period (api.md, `/v2/invoices/lineItems`), on a clock. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const PATH = '/v2/invoices/lineItems';
const WORKSHOP = { displayName: 'Workshop', currency: 'USD', quantity: '1.5', unitPrice: 800 };

/** Usage and a fee of 10.00 a month with 20 % tax, from the 1st of January on. */
async function subscribed(plan: object = {}) {
  const clock = await shop.clock(START);
  const prices = [await shop.feePrice(), await shop.usagePrice()];
  const subscription = await shop.subscribe(await shop.plan(prices, { defaultTaxRate: 20, ...plan }), { clock });
  return { clock, subscription };
}
const shown = ({ lines }: Resource) =>
  lines.map((line: Resource) => `${line.type} ${line.invoiceDisplayName} ${line.totalPrice}`);

describe('a line by hand', () => {
  it('stands on the open invoice, with tax and without discount, and keeps its id', async () => {
    const { clock, subscription } = await subscribed();
    await shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, {
      ...{ type: 'percentageDiscount', percentageDiscount: '0.5', effectiveFrom: START, description: 'Half' },
    });
    const line = await shop.create(PATH, { ...WORKSHOP, subscriptionId: subscription.id, description: 'On site' });
    expect(line).toMatchObject({
      object: 'lineItem',
      subscriptionId: subscription.id,
      customerId: subscription.customerId,
      type: 'manual',
      status: 'pending',
      quantity: '1.5',
      unitPrice: '800',
      subtotal: '1200.00',
      invoiceAt: '2026-02-01T00:00:00Z',
      periodStart: START,
      calculatedAt: null,
    });
    const [open] = await shop.invoices(subscription);
    const lines = ['charge Flat fee 10.00', 'adjustment Half -5.00', 'charge Calls 0.00', 'manual Workshop 1200.00'];
    expect(shown(open)).toEqual(lines);
    expect(open).toMatchObject({ subtotal: '1205.00', totalTax: '241.00', grandTotal: '1446.00' });

    await shop.advance(clock, '2026-03-15T00:00:00Z');
    const [january, february] = await shop.invoices(subscription);
    expect(shown(january)).toEqual(lines);
    expect(january).toMatchObject({ status: 'ISSUED', grandTotal: '1446.00' });
    expect(january.lines[3]).toMatchObject({ id: line.id, eventType: 'fee', taxRate: 20, totalTax: '240.00' });
    expect(shown(february)).not.toContain('manual Workshop 1200.00');
  });

  it('waits for the invoice that closes at or after invoiceAt', async () => {
    const { clock, subscription } = await subscribed();
    const line = { ...WORKSHOP, subscriptionId: subscription.id };
    await shop.create(PATH, { ...line, displayName: 'at the end', invoiceAt: '2026-02-01T00:00:00Z' });
    await shop.create(PATH, { ...line, displayName: 'after it', invoiceAt: '2026-02-01T00:00:00.000001Z' });
    await shop.advance(clock, '2026-03-15T00:00:00Z');
    const manual = (invoice: Resource) => shown(invoice).filter((text: string) => text.startsWith('manual'));
    const [january, february] = await shop.invoices(subscription);
    expect(manual(january)).toEqual(['manual at the end 1200.00']);
    expect(manual(february)).toEqual(['manual after it 1200.00']);
  });

  it('goes on the last invoice where the subscription ends before its time', async () => {
    const { clock, subscription } = await subscribed();
    await shop.create(PATH, { ...WORKSHOP, subscriptionId: subscription.id, invoiceAt: '2027-01-01T00:00:00Z' });
    await shop.advance(clock, '2026-01-20T00:00:00Z');
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved' });
    await shop.advance(clock, 'P1M');
    expect(shown((await shop.invoices(subscription))[0])).toContain('manual Workshop 1200.00');
  });

  it('may take off, and is rounded once', async () => {
    const { subscription } = await subscribed();
    const line = { subscriptionId: subscription.id, displayName: 'Goodwill', currency: 'USD' };
    await shop.create(PATH, { ...line, quantity: '3', unitPrice: '-0.335' }); // -1.005
    expect((await shop.invoices(subscription))[0]).toMatchObject({ subtotal: '8.99' });
  });

  it('is still taken while the invoice is CLOSING, and no more once its usage was read', async () => {
    const { clock, subscription } = await subscribed({ gracePeriod: 'P2D' });
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    const [january] = await shop.invoices(subscription);
    const line = { ...WORKSHOP, invoiceId: january.id };
    expect(january.status).toBe('CLOSING');
    await shop.create(PATH, line);
    await shop.advance(clock, '2026-02-03T00:00:00Z');
    expect(shown(await shop.invoice(january.id))).toContain('manual Workshop 1200.00');
    expect(await merchant.post(PATH, line)).toMatchObject({ status: 409, body: { code: 'INVALID_TRANSITION' } });
  });

  it('the same key again is 200 with the first; with other content 409', async () => {
    const { subscription } = await subscribed();
    const body = { ...WORKSHOP, subscriptionId: subscription.id, idempotencyKey: `line-${subscription.id}` };
    const line = await shop.create(PATH, body);
    expect(await merchant.post(PATH, body)).toMatchObject({ status: 200, body: line });
    expect((await merchant.post(PATH, { ...body, quantity: 2 })).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  it.each([
    { what: 'another currency', change: { currency: 'EUR' }, field: 'currency' },
    { what: 'no name', change: { displayName: '' }, field: 'displayName' },
    { what: 'a period that ends before it begins', change: { periodEnd: '2025-12-31T00:00:00Z' }, field: 'periodEnd' },
    { what: 'too many digits', change: { unitPrice: '0.1234567890123456789' }, field: 'unitPrice' },
  ])('$what is a 400', async ({ change, field }) => {
    const { subscription } = await subscribed();
    const answer = await merchant.post(PATH, { ...WORKSHOP, subscriptionId: subscription.id, ...change });
    expect(answer, answer.text).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });

  it('needs a subscription or an invoice, and not both', async () => {
    const { subscription } = await subscribed();
    const [invoice] = await shop.invoices(subscription);
    for (const body of [WORKSHOP, { ...WORKSHOP, subscriptionId: subscription.id, invoiceId: invoice.id }])
      expect(await merchant.post(PATH, body)).toMatchObject({
        status: 400,
        body: { errors: [{ field: 'subscriptionId' }] },
      });
  });
});

describe('the list', () => {
  it('shows what is pending with its estimates, then what was invoiced, and sums both', async () => {
    const { clock, subscription } = await subscribed();
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 3);
    await shop.advance(clock, '2026-02-10T00:00:00Z');
    await shop.use(subscription.id, '2026-02-05T00:00:00Z', 4);
    await shop.create(PATH, { ...WORKSHOP, subscriptionId: subscription.id, invoiceAt: '2026-09-01T00:00:00Z' });
    const list = await shop.read(`${PATH}?subscriptionId=${subscription.id}`);
    const line = ({ type, status, subtotal, estimatedSubtotal }: Resource) =>
      `${type} ${status} ${subtotal} ${estimatedSubtotal}`;
    expect(list.data.map(line)).toEqual([
      'fee pending 10.00 null',
      'metered pending 4.00 4.00',
      'manual pending 1200.00 null',
      'fee invoiced 10.00 null',
      'metered invoiced 3.00 null',
    ]);
    expect(list).toMatchObject({
      totalCount: 5,
      summary: { feeSubtotal: '1220.00', meteredEstimatedSubtotal: '7.00', currency: 'USD' },
    });
    const paged = await shop.read(`${PATH}?subscriptionId=${subscription.id}&limit=2&offset=2`);
    expect(paged.data.map(line)).toEqual(list.data.slice(2, 4).map(line));
    const invoiced = await shop.read(`${PATH}?subscriptionId=${subscription.id}&status=invoiced`);
    expect(invoiced.data).toEqual(list.data.slice(3));
  });

  it('holds the lines of the whole merchant without a filter, and sums those in the currency of most', async () => {
    const own = shopOf(await env.merchant());
    expect(await own.read(PATH)).toMatchObject({
      data: [],
      pagination: { limit: 100, offset: 0, total: 0 },
      summary: { feeSubtotal: '0.00', meteredEstimatedSubtotal: '0.00', currency: 'USD' },
    });
    const clock = await own.clock(START);
    const dollars = await own.subscribe(await own.plan([await own.feePrice()]), { clock });
    const euros = await own.subscribe(await own.plan([await own.feePrice()], { currency: 'EUR' }), { clock });
    await own.advance(clock, '2026-02-10T00:00:00Z');
    const euro = { ...WORKSHOP, currency: 'EUR', subscriptionId: euros.id };
    const later = await own.create(PATH, { ...euro, invoiceAt: '2026-09-01T00:00:00Z' });

    const list = await own.read(PATH);
    const shownOf = ({ subscriptionId, status, currency, displayName }: Resource) =>
      [subscriptionId, status, currency, displayName].join(' ');
    expect(list.data.map(shownOf)).toEqual([
      `${euros.id} pending EUR Flat fee`,
      `${dollars.id} pending USD Flat fee`,
      `${euros.id} pending EUR Workshop`,
      `${euros.id} invoiced EUR Flat fee`,
      `${dollars.id} invoiced USD Flat fee`,
    ]);
    expect(list.data[2]).toEqual(later);
    expect(list).toMatchObject({ totalCount: 5, summary: { feeSubtotal: '1220.00', currency: 'EUR' } });
    const pages = [];
    for (let offset = 0; offset < 6; offset += 2)
      pages.push(...(await own.read(`${PATH}?limit=2&offset=${offset}`)).data);
    expect(pages).toEqual(list.data);
    expect((await own.read(`${PATH}?status=invoiced`)).data).toEqual(list.data.slice(3));
    expect((await own.read(`${PATH}?status=pending`)).data).toEqual(list.data.slice(0, 3));
  });

  it('needs a merchant of a platform operator', async () =>
    expect(await env.platform.get(PATH)).toMatchObject({ status: 400, body: { errors: [{ field: 'merchantId' }] } }));
});

describe('the upcoming invoice', () => {
  it('is the open period that closes next, or that of a cadence, with its lines', async () => {
    const clock = await shop.clock(START);
    const prices = [await shop.usagePrice(), await shop.feePrice({ billingCadence: 'P12M' })];
    const subscription = await shop.subscribe(await shop.plan(prices, { defaultTaxRate: 20 }), { clock });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 3);
    const path = `/v0/subscriptions/${subscription.id}/upcomingInvoice`;
    expect(await shop.read(path)).toMatchObject({
      status: 'ACTIVE',
      billingCadence: 'P1M',
      grandTotal: '3.60',
      lineItems: { totalCount: 1, lineItems: [{ invoiceDisplayName: 'Calls', totalPrice: '3.00' }] },
    });
    expect(await shop.read(`${path}?billingCadence=P1Y`)).toMatchObject({ billingCadence: 'P1Y', grandTotal: '12.00' });
    expect((await merchant.get(`${path}?billingCadence=P1W`)).status).toBe(404);
    expect((await merchant.get(`${path}?billingCadence=monthly`)).status).toBe(400);
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved' });
    expect((await merchant.get(path)).status).toBe(404);
  });
});
