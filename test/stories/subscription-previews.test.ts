import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** What a new subscription would be invoiced is what it is invoiced (decision 0244). */
let env: TestEnvironment;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  shop = shopOf(await env.merchant());
});
afterAll(() => env.close());

const PREVIEW = '/v0/subscriptions/preview';

/** What a person reads of an invoice: everything but ids, and when and by which number it was stored. */
const read = (invoice: Resource) =>
  invoice && {
    totals: [invoice.currency, invoice.subtotal, invoice.totalTax, invoice.grandTotal, invoice.walletApplied],
    period: [invoice.periodStart, invoice.periodEnd],
    lines: (invoice.lineItems?.lineItems ?? invoice.lines).map((line: Resource) => [
      line.invoiceDisplayName,
      line.quantity,
      line.unitPrice,
      line.totalPrice,
      line.totalAmount,
      line.periodStart,
      line.periodEnd,
    ]),
  };

const upcoming = ({ id }: Resource) => shop.read(`/v0/subscriptions/${id}/upcomingInvoice`);

const advance = { paymentTerm: 'in_advance', properties: { unitPrice: '30.005' } };

const CASES: readonly (readonly [string, Resource, Resource, Resource])[] = [
  ['a fee in advance, with tax', [advance], { defaultTaxRate: 19 }, {}],
  ['a fee in advance, tax within', [advance], { defaultTaxRate: 19, taxBehavior: 'inclusive' }, {}],
  ['a first period cut by the anchor of the plan', [advance], { billingAnchor: '2026-01-15T00:00:00Z' }, {}],
  ['a fee in arrears', [{}], { defaultTaxRate: 7 }, {}],
  ['both, yearly and monthly', [advance, { billingCadence: 'P1Y', paymentTerm: 'in_advance' }, {}], {}, {}],
  ['yen', [{ ...advance, properties: { unitPrice: '1000.5' } }], { currency: 'JPY', defaultTaxRate: 10 }, {}],
  ['dinars', [{ ...advance, properties: { unitPrice: '1.0005' } }], { currency: 'KWD', defaultTaxRate: 5 }, {}],
  ['a trial', [advance], { trialPeriod: 'P14D' }, {}],
  ['a start that lies ahead', [advance], {}, { startedAt: '2026-01-31T00:00:00Z' }],
  ['money for the wallet', [advance], {}, { prefundAmount: '50' }],
  ['a bank transfer', [advance], { defaultTaxRate: 19 }, { bankTransferOnly: true, paymentTermDays: 14 }],
  ['no tax for this one', [advance], { defaultTaxRate: 19 }, { taxExempt: true }],
  ['an end within the first period', [advance], {}, { endingAt: '2026-01-11T00:00:00Z' }],
];

describe('the preview is the deed', () => {
  it.each(CASES)('%s', async (_, prices, planFields, fields) => {
    const plan = await shop.plan(await Promise.all(prices.map((price: Resource) => shop.feePrice(price))), planFields);
    const clock = await shop.clock(START);
    const customer = await shop.customer();
    const body = {
      name: 'New',
      planId: plan.id,
      customerId: customer.id,
      testClockId: clock.id,
      startedAt: START,
      quantities: Object.fromEntries(plan.prices.map(({ id }: Resource, index: number) => [id, index + 3])),
      ...fields,
    };
    const { upfrontInvoice, upcomingInvoice, ...rest } = await shop.act(PREVIEW, body);
    expect(rest).toEqual({
      ...{ object: 'subscription_preview', merchantId: plan.merchantId },
      billingStartsAt: expect.any(String),
    });

    const subscription = await shop.create('/v0/subscriptions', body);
    if (new Date(rest.billingStartsAt) > new Date(START)) await shop.advance(clock, rest.billingStartsAt);
    const [first] = (await shop.invoices(subscription)).filter(({ billingCadence }) => billingCadence === 'P0D');
    if (subscription.status === 'pending_payment') await shop.pay(first);
    expect(read(upfrontInvoice)).toEqual(read(first ?? null));
    expect(read(upcomingInvoice)).toEqual(read(await upcoming(subscription)));
  });

  it('takes the credit of the customer into account', async () => {
    const plan = await shop.plan([await shop.feePrice(advance)]);
    const customer = await shop.customer();
    const topUp = await shop.create(`/v0/customers/${customer.id}/wallet/topUps`, {
      amount: '10',
      currency: 'USD',
      idempotencyKey: 'preview',
    });
    await shop.pay(await shop.invoice(topUp.invoiceId));
    const body = { name: 'New', planId: plan.id, customerId: customer.id, startedAt: new Date().toISOString() };
    const { upfrontInvoice } = await shop.act(PREVIEW, body);
    expect([upfrontInvoice.walletApplied, upfrontInvoice.unpaidAmount]).toEqual(['10.00', '20.01']);
  });
});

describe('a preview', () => {
  it('stores nothing, uses up no number, and charges no card', async () => {
    const own = shopOf(await env.merchant());
    const plan = await own.plan([await own.feePrice(advance)]);
    const consumer = { name: 'New', email: 'new@example.com' };
    const body = {
      name: 'New',
      planId: plan.id,
      customer: { ...consumer, address: { line1: '1 High Street', city: 'London', country: 'GB' } },
      startedAt: new Date().toISOString(),
      autoCharge: true,
      idempotencyKey: 'once',
    };
    expect((await own.act(PREVIEW, body)).upfrontInvoice).toMatchObject({ grandTotal: '30.01' });
    for (const list of [
      '/v0/subscriptions',
      '/v0/customers',
      '/v2/invoices',
      '/v0/paymentSessions',
      '/v0/webhookEvents',
    ])
      expect((await own.read(list)).data.filter(({ type }: Resource) => !/^(plan|price)\./.test(type ?? ''))).toEqual(
        [],
      );
    const made = await own.create('/v0/subscriptions', body);
    const [invoice] = await own.invoices(made);
    await own.pay(invoice);
    expect((await own.invoice(invoice.id)).invoiceNumber).toMatch(/-0*1$/);
    expect((await own.act(PREVIEW, body)).upfrontInvoice).toMatchObject({ grandTotal: '30.01' });
    expect((await own.read('/v0/subscriptions')).data).toHaveLength(1);
  });

  it.each([
    ['no customer', { customerId: undefined }, 400, 'customerId'],
    ['a start that is no time', { startedAt: 'soon' }, 400, 'startedAt'],
    ['an end before the start', { endingAt: '2025-01-01T00:00:00Z' }, 400, 'endingAt'],
    ['a quantity of no price', { quantities: { price_8c3d5e0f1a2b4c6d: 1 } }, 400, 'quantities'],
  ])('is refused like the creation: %s', async (_, wrong, status, field) => {
    const merchant = await env.merchant();
    const own = shopOf(merchant);
    const plan = await own.plan([await own.feePrice(advance)]);
    const right = { name: 'New', planId: plan.id, customerId: (await own.customer()).id, startedAt: START };
    const previewed = await merchant.post(PREVIEW, { ...right, ...wrong });
    const created = await merchant.post('/v0/subscriptions', { ...right, ...wrong });
    expect([previewed.status, previewed.body.error]).toEqual([created.status, created.body.error]);
    expect(previewed.status).toBe(status);
    expect(previewed.text).toContain(field);
  });

  it('shows nothing of another merchant', async () => {
    const [owner, stranger] = [await env.merchant(), await env.merchant()];
    const own = shopOf(owner);
    const body = {
      name: 'New',
      planId: (await own.plan([await own.feePrice(advance)])).id,
      customerId: (await own.customer()).id,
      startedAt: START,
    };
    expect((await stranger.post(PREVIEW, body)).status).toBe(403);
  });
});
