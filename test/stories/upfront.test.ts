import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { approve } from '../support/approvals.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * The advance charges of a plan, and a subscription that waits for its payment (§2 `payment`; domain.md §3, "Upfront
 * payment").
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

type Fields = Record<string, unknown>;
const HALF_OF_JANUARY = '2026-01-16T12:00:00Z';

/** A fee in advance: 10.00 a month. */
const inAdvance = (fields?: Fields) => shop.feePrice({ paymentTerm: 'in_advance', ...fields });
const planOf = async (prices: readonly Fields[], fields?: Fields) =>
  shop.plan(await Promise.all(prices.map((price) => inAdvance(price))), { defaultTaxRate: 20, ...fields });
const reread = (subscription: Resource) => shop.read(`/v0/subscriptions/${subscription.id}`);
const upfrontOf = async (subscription: Resource) =>
  (await shop.invoices(subscription)).filter(({ kind }) => kind === 'upfront');
const payUpfront = (subscription: Resource, card = 'pm_ok') =>
  shop.act(`/v0/paymentSessions/${subscription.payment.paymentSessionId}/complete`, { paymentMethod: card });
/** The webhooks about a subscription and its invoices, in their order. */
const told = (subscription: Resource) =>
  env.database.transaction({ merchants: [merchant.id] }, async (tx) =>
    (
      await tx.rows<{ type: string }>(sql`
        select type from outbox where data ->> 'subscriptionId' = ${subscription.id} order by seq`)
    ).map(({ type }) => type),
  );
const linesOf = (invoice: Resource) =>
  invoice.lines.map(
    ({ invoiceDisplayName, totalPrice, periodStart, periodEnd }: Resource) =>
      `${invoiceDisplayName} ${totalPrice} ${periodStart.slice(0, 10)}/${periodEnd.slice(0, 10)}`,
  );

describe('what a subscription asks before it is active', () => {
  const FEE = [{}];
  // Proves 2.subscription.status, 2.subscription.payment, 2.subscription.payment.checkout.
  // Proves 4.subscriptions.create.prefund.
  it.each([
    { what: 'the fee of the first month', prices: FEE, charges: '12.00', wallet: '0.00' },
    { what: 'three seats of it', prices: [{ quantity: 3 }], charges: '36.00', wallet: '0.00' },
    {
      what: 'a setup fee, once, and a yearly fee beside the monthly one',
      prices: [
        { billingCadence: 'P0D', properties: { unitPrice: '100' } },
        { billingCadence: 'P1Y', properties: { unitPrice: '200' } },
        {},
      ],
      charges: '372.00',
      wallet: '0.00',
    },
    { what: 'money for the wallet, without tax', prices: [], prefundAmount: '50', charges: '0.00', wallet: '50.00' },
    { what: 'both', prices: FEE, prefundAmount: '50.00', charges: '12.00', wallet: '50.00' },
    {
      what: 'up to the anchor of the plan: half a month',
      prices: FEE,
      plan: { billingAnchor: '2025-12-16T12:00:00Z' },
      charges: '6.00',
      wallet: '0.00',
    },
    { what: 'up to the planned end', prices: FEE, endingAt: HALF_OF_JANUARY, charges: '6.00', wallet: '0.00' },
    { what: 'no tax of who is exempt', prices: FEE, taxExempt: true, charges: '10.00', wallet: '0.00' },
    {
      what: 'the fee with the tax in it',
      prices: FEE,
      plan: { taxBehavior: 'inclusive' },
      charges: '10.00',
      wallet: '0.00',
    },
  ])('$what', async ({ prices, plan, charges, wallet, what: _what, ...fields }) => {
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await planOf(prices, plan), { clock, ...fields });
    const [invoice] = await shop.invoices(subscription);
    const amount = (Number(charges) + Number(wallet)).toFixed(2);
    expect(subscription).toMatchObject({
      status: 'pending_payment',
      payment: {
        status: 'pending',
        amount,
        breakdown: { upfrontCharges: charges, walletCharge: wallet },
        checkoutUrl: expect.stringMatching(`/pay/${subscription.payment.paymentSessionId}$`),
        invoiceId: invoice.id,
      },
    });
    expect(invoice).toMatchObject({
      kind: 'upfront',
      status: 'ISSUED',
      grandTotal: amount,
      invoiceNumber: null,
      documentWithheldReason: 'not_issued',
      billingCadence: 'P0D',
      sequenceNumber: 0,
      paymentUrl: subscription.payment.checkoutUrl,
    });
    expect(invoice.lines.filter(({ type }: Resource) => type === 'wallet_top_up')).toHaveLength(
      wallet === '0.00' ? 0 : 1,
    );
    expect((await reread(subscription)).payment).toEqual(subscription.payment);
  });

  // Proves 2.subscription.status, 2.subscription.payment.zero, 4.subscriptions.create.paymentNull.
  it.each([
    { what: 'nothing in advance: nothing', prices: [], payment: null, invoices: [] },
    {
      what: 'what comes to 0 is paid at once',
      prices: [{ properties: { unitPrice: '0' } }],
      payment: {
        status: 'paid',
        amount: '0.00',
        breakdown: null,
        checkoutUrl: null,
        paymentSessionId: null,
      },
      invoices: ['PAID 0.00'],
    },
    {
      what: 'who pays by bank transfer is active, and the invoice waits',
      prices: FEE,
      bankTransferOnly: true,
      paymentTermDays: 14,
      payment: null,
      invoices: ['ISSUED 12.00'],
    },
    {
      what: 'a start ahead: nothing yet',
      prices: FEE,
      startedAt: '2026-01-20T00:00:00Z',
      payment: null,
      invoices: [],
    },
    { what: 'a trial: nothing yet', prices: FEE, plan: { trialPeriod: 'P14D' }, payment: null, invoices: [] },
  ])('active at once: $what', async ({ prices, plan, payment, invoices, what: _what, ...fields }) => {
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await planOf(prices, plan), { clock, ...fields });
    const upfront = await upfrontOf(subscription);
    expect(upfront.map(({ status, grandTotal }) => `${status} ${grandTotal}`)).toEqual(invoices);
    expect(subscription.status).toBe('active');
    expect(subscription.payment).toEqual(payment && { ...payment, invoiceId: upfront[0].id });
    expect((await reread(subscription)).payment).toBeNull();
    for (const { invoiceNumber } of upfront) expect(invoiceNumber).toMatch(/^INV-/);
  });

  it.each([
    { prefundAmount: '0.001', field: 'prefundAmount' },
    { redirectUrls: { onSuccess: 'javascript:alert(1)' }, field: 'redirectUrls.onSuccess' },
  ])('refuses $field', async ({ field, ...fields }) => {
    const plan = await planOf([{}]);
    const customer = await shop.customer();
    const body = {
      name: 'S',
      planId: plan.id,
      customerId: customer.id,
      startedAt: new Date().toISOString(),
      ...fields,
    };
    const { status, body: answer } = await merchant.post('/v0/subscriptions', body);
    expect([status, answer.errors[0].field]).toEqual([400, field]);
  });
});

describe('once it is paid', () => {
  it('is active in the same moment, entitled and billed from its start, however late the money comes', async () => {
    const clock = await shop.clock(START);
    const product = await shop.product();
    const feature = await shop.create('/v0/features', {
      key: 'support',
      name: 'Upfront',
      productId: product.id,
      type: 'boolean',
    });
    const fee = await inAdvance({ feature: { featureId: feature.id, entitlementTemplate: { type: 'boolean' } } });
    const plan = await shop.plan([fee, await shop.usagePrice()], { defaultTaxRate: 20 });
    const subscription = await shop.subscribe(plan, { clock, sessionExpiryMinutes: 1_440 });
    const entitlements = async () =>
      (await shop.read(`/v1/entitlements?subscriptionId=${subscription.id}`)).data as Resource[];
    expect(await entitlements()).toEqual([]);
    await shop.use(subscription.customerId, '2026-01-01T06:00:00Z', 5);
    await shop.advance(clock, '2026-01-01T12:00:00Z');
    await payUpfront(subscription);

    expect(await reread(subscription)).toMatchObject({ status: 'active', payment: null, startedAt: START });
    expect(await entitlements()).toMatchObject([{ featureId: feature.id, activeFrom: START, hasAccess: true }]);
    const [upfront, january] = await shop.invoices(subscription);
    expect(upfront).toMatchObject({
      status: 'PAID',
      paidAmount: '12.00',
      invoiceNumber: expect.stringMatching(/^INV-/),
    });
    expect(january).toMatchObject({ kind: 'subscription', status: 'ACTIVE', periodStart: START, sequenceNumber: 1 });
    expect(linesOf(january)).toEqual(['Calls 5.00 2026-01-01/2026-02-01', 'Flat fee 10.00 2026-02-01/2026-03-01']);
    expect(await told(subscription)).toEqual([
      'subscription.created.v0',
      'invoice.issued.v0',
      'payment_session.completed.v0',
      'subscription.activated.v0',
      'invoice.paid.v0',
    ]);
  });

  it('bills each later period in advance, with the usage of the one before, and nothing after the planned end', async () => {
    const clock = await shop.clock(START);
    const plan = await shop.plan([
      await inAdvance(),
      await shop.usagePrice(),
      await inAdvance({ billingCadence: 'P1Y' }),
    ]);
    const subscription = await shop.subscribe(plan, { clock, endingAt: '2026-03-17T12:00:00Z' });
    await payUpfront(subscription);
    await shop.use(subscription.customerId, '2026-01-10T00:00:00Z', 7);
    await shop.use(subscription.customerId, '2026-03-10T00:00:00Z', 3);
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    const invoices = await shop.invoices(subscription);
    expect(invoices.map((invoice) => [invoice.kind, invoice.status, ...linesOf(invoice)])).toEqual([
      [
        'upfront',
        'PAID',
        'Flat fee 10.00 2026-01-01/2026-02-01',
        'Flat fee 2.07 2026-01-01/2026-03-17', // 75.5 of 365 days
      ],
      ['subscription', 'ISSUED', 'Calls 7.00 2026-01-01/2026-02-01', 'Flat fee 10.00 2026-02-01/2026-03-01'],
      ['subscription', 'CANCELLED'],
      // 16.5 of 31
      ['subscription', 'ISSUED', 'Calls 0.00 2026-02-01/2026-03-01', 'Flat fee 5.32 2026-03-01/2026-03-17'],
      ['subscription', 'ISSUED', 'Calls 3.00 2026-03-01/2026-03-17'],
    ]);
  });

  it.each([
    { what: 'a start ahead', startedAt: '2026-01-20T00:00:00Z', until: '2026-01-20T00:00:00Z', anchor: '2026-01-20' },
    { what: 'a trial', plan: { trialPeriod: 'P14D' }, until: '2026-01-15T00:00:00Z', anchor: '2026-01-15' },
  ])('asks by an ordinary invoice after $what', async ({ plan, until, anchor, what: _what, ...fields }) => {
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await planOf([{}], plan), { clock, prefundAmount: '5', ...fields });
    await shop.advance(clock, until);
    const [invoice] = await upfrontOf(subscription);
    const end = anchor.replace('-01-', '-02-');
    expect(invoice).toMatchObject({
      status: 'ISSUED',
      grandTotal: '17.00',
      issuedAt: until,
      invoiceNumber: expect.stringMatching(/^INV-/),
      paymentUrl: expect.stringContaining('/pay/'),
    });
    expect(linesOf(invoice)).toEqual([`Flat fee 10.00 ${anchor}/${end}`, `Prepaid balance 5.00 ${anchor}/${anchor}`]);
    await shop.advance(clock, 'P2D'); // longer than any session: no request hangs
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'ISSUED' });
    expect(await reread(subscription)).toMatchObject({ status: 'active', payment: null });
  });
});

describe('the wallet', () => {
  const balanceOf = async (customer: Resource) =>
    (await shop.read(`/v0/customers/${customer.id}/wallet`)).balances.map(
      ({ currency, balance }: Resource) => `${balance} ${currency}`,
    );
  const fill = async (customer: Resource, amount: string) => {
    const made = await shop.create(`/v0/customers/${customer.id}/wallet/topUps`, {
      amount,
      currency: 'USD',
      idempotencyKey: `fill-${customer.id}`,
    });
    await shop.act(`/v0/paymentSessions/${made.paymentSessions[0].url.split('/').at(-1)}/complete`, {
      paymentMethod: 'pm_ok',
    });
  };

  // Proves 4.subscriptions.create.prefund.
  it('holds the prefund once it is paid, and pays the next invoice from it', async () => {
    const clock = await shop.clock(START);
    const customer = await shop.customer();
    const subscription = await shop.subscribe(await planOf([{}]), { clock, customer, prefundAmount: '50' });
    expect(await balanceOf(customer)).toEqual([]);
    await payUpfront(subscription);
    expect(await balanceOf(customer)).toEqual(['50.00 USD']);
    await shop.advance(clock, 'P1M');
    const [, january] = await shop.invoices(subscription);
    expect(january).toMatchObject({ status: 'PAID', grandTotal: '12.00', walletApplied: '12.00' });
    expect(await balanceOf(customer)).toEqual(['38.00 USD']);
  });

  it.each([
    {
      held: '5.00',
      status: 'pending_payment',
      payment: { status: 'pending', amount: '7.00', breakdown: { upfrontCharges: '7.00', walletCharge: '0.00' } },
      left: [],
    },
    { held: '20.00', status: 'active', payment: { status: 'paid', amount: '12.00' }, left: ['8.00 USD'] },
  ])('with $held pays what it can of the charges: $status', async ({ held, status, payment, left }) => {
    const customer = await shop.customer();
    await fill(customer, held);
    const subscription = await shop.subscribe(await planOf([{}]), { clock: await shop.clock(START), customer });
    expect(subscription).toMatchObject({ status, payment });
    expect((await balanceOf(customer)).filter((balance: string) => !balance.startsWith('0.00'))).toEqual(left);
  });

  it('has its part back where the remainder is never paid', async () => {
    const clock = await shop.clock(START);
    const customer = await shop.customer();
    await fill(customer, '5.00');
    const subscription = await shop.subscribe(await planOf([{}]), { clock, customer });
    await shop.advance(clock, 'PT4H');
    expect(await reread(subscription)).toMatchObject({ status: 'terminated' });
    expect(await balanceOf(customer)).toEqual(['5.00 USD']);
  });
});

describe('a stored card with autoCharge', () => {
  const withCard = async (card: string): Promise<Resource> => {
    const customer = await shop.customer();
    const setup = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
    await shop.act(`/v0/paymentSessions/${setup.id}/complete`, { paymentMethod: card });
    return customer;
  };

  it.each([
    { what: 'pays at once', card: 'pm_ok', autoCharge: true, status: 'active', payment: 'paid', invoice: 'PAID' },
    {
      what: 'that is declined leaves the customer to pay',
      card: 'pm_then_declined',
      used: true,
      autoCharge: true,
      status: 'pending_payment',
      payment: 'pending',
      invoice: 'ISSUED',
    },
    {
      what: 'is not touched without it',
      card: 'pm_ok',
      autoCharge: false,
      status: 'pending_payment',
      payment: 'pending',
      invoice: 'ISSUED',
    },
  ])('$what', async ({ card, autoCharge, status, payment, invoice }) => {
    const clock = await shop.clock(START);
    const customer = await withCard(card);
    const subscription = await shop.subscribe(await planOf([{}]), { clock, customer, autoCharge });
    expect(subscription).toMatchObject({ status, payment: { status: payment, amount: '12.00' } });
    expect((await upfrontOf(subscription)).map((each) => each.status)).toEqual([invoice]);
    expect((await reread(subscription)).payment).toEqual(payment === 'paid' ? null : subscription.payment);
    if (payment === 'pending') {
      await payUpfront(subscription);
      expect((await reread(subscription)).status).toBe('active');
    }
  });

  it('is the one that paid first, where none was stored', async () => {
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await planOf([{}]), { clock, autoCharge: true });
    expect(subscription.payment.status).toBe('pending');
    await payUpfront(subscription);
    const { data } = await shop.read(`/v0/customers/${subscription.customerId}/paymentMethods`);
    expect(data).toMatchObject([{ isDefault: true }]);
  });
});

describe('what is not paid', () => {
  // Proves 2.subscription.status, 4.subscriptions.create.session.
  it.each([
    { what: 'four hours, where nobody says', minutes: undefined, until: '2026-01-01T04:00:00Z' },
    { what: 'as long as was asked', minutes: 10, until: '2026-01-01T00:10:00Z' },
  ])('ends with its session, after $what', async ({ minutes, until }) => {
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await planOf([{}]), { clock, sessionExpiryMinutes: minutes });
    const session = await shop.read(`/v0/paymentSessions/${subscription.payment.paymentSessionId}`);
    expect(session.expiresAt).toBe(until);
    await shop.advance(clock, until);
    expect(await reread(subscription)).toMatchObject({
      status: 'terminated',
      terminationReason: 'payment_session_expired',
      terminatedAt: until,
      terminatedBy: null,
      payment: null,
    });
    expect(await upfrontOf(subscription)).toMatchObject([{ status: 'CANCELLED', invoiceNumber: null }]);
    expect(await told(subscription)).toEqual([
      'subscription.created.v0',
      'invoice.issued.v0',
      'payment_session.expired.v0',
      'subscription.terminated.v0',
      'invoice.cancelled.v0',
    ]);
  });

  it('ends with its invoice, where that is cancelled by hand', async () => {
    const subscription = await shop.subscribe(await planOf([{}]), { clock: await shop.clock(START) });
    await shop.act(`/v2/invoices/${subscription.payment.invoiceId}/cancel`, { reason: 'No more' });
    expect(await reread(subscription)).toMatchObject({
      status: 'terminated',
      terminationReason: 'upfront_invoice_cancelled',
    });
  });

  it.each([
    {
      what: 'POST termination',
      end: (subscription: Resource) =>
        shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Changed their mind' }),
    },
    {
      what: 'terminatedAt',
      end: (subscription: Resource) =>
        shop.change(`/v0/subscriptions/${subscription.id}`, {
          terminatedAt: '2026-01-02T00:00:00Z',
          terminationReason: 'Changed their mind',
        }),
    },
  ])('can be ended by $what: session and invoice end with it', async ({ end }) => {
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await planOf([{}]), { clock });
    await shop.advance(clock, '2026-01-01T01:00:00Z');
    expect(await end(subscription)).toMatchObject({
      status: 'terminated',
      terminationReason: 'Changed their mind',
      terminatedBy: merchant.id,
      payment: null,
    });
    expect(await upfrontOf(subscription)).toMatchObject([{ status: 'CANCELLED' }]);
    const session = await shop.read(`/v0/paymentSessions/${subscription.payment.paymentSessionId}`);
    expect(session.status).toBe('expired');
  });

  it('never claims usage that another subscription prices', async () => {
    const clock = await shop.clock(START);
    const usage = await shop.usagePrice();
    const customer = await shop.customer();
    const asks = await shop.plan([await inAdvance(), usage]);
    const unpaid = await shop.subscribe(asks, { clock, customer });
    const asksNothing = await shop.subscribe(await shop.plan([usage]), { clock, customer });
    await shop.use(customer.id, '2026-01-01T01:00:00Z', 9);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect((await reread(unpaid)).status).toBe('terminated');
    expect((await shop.invoices(asksNothing))[0]).toMatchObject({ status: 'ISSUED', grandTotal: '9.00' });
  });

  it('gives nothing by hand, and reconciles nothing, while it waits', async () => {
    const subscription = await shop.subscribe(await planOf([{}]), { clock: await shop.clock(START) });
    const { status, body } = await merchant.post(`/v0/subscriptions/${subscription.id}/reconciliations`, {});
    expect([status, body.code, body.details]).toEqual([
      409,
      'INVALID_TRANSITION',
      { status: 'pending_payment', trigger: 'reconcile', allowedFrom: ['active'] },
    ]);
  });
});

it('waits for an approval first, where the merchant requires one', async () => {
  const careful = await env.merchant();
  const own = shopOf(careful);
  await own.change(`/v0/organizations/${careful.id}`, {
    settings: { requiredApprovals: { invoice: ['data_review'] } },
  });
  const clock = await own.clock(START);
  const plan = await own.plan([await own.feePrice({ paymentTerm: 'in_advance' })]);
  const subscription = await own.subscribe(plan, { clock });
  const invoiceId = subscription.payment.invoiceId;
  expect(subscription).toMatchObject({
    status: 'pending_payment',
    payment: { status: 'awaiting_approval', amount: '10.00', invoiceId },
  });
  const checker = shopOf(await env.userOf(careful, 'member'));
  await approve(own, checker, { object: 'invoice', id: invoiceId });
  const { payment } = await own.read(`/v0/subscriptions/${subscription.id}`);
  expect(payment).toMatchObject({ status: 'pending', amount: '10.00', invoiceId });
  await own.act(`/v0/paymentSessions/${payment.paymentSessionId}/complete`, { paymentMethod: 'pm_ok' });
  expect((await own.read(`/v0/subscriptions/${subscription.id}`)).status).toBe('active');
});

it('is made once under an idempotency key, with what it still asks', async () => {
  const plan = await planOf([{}]);
  const customer = await shop.customer();
  const body = {
    name: 'Once',
    planId: plan.id,
    customerId: customer.id,
    startedAt: new Date().toISOString(),
    idempotencyKey: `once-${plan.id}`,
  };
  const first = await merchant.post('/v0/subscriptions', body);
  const second = await merchant.post('/v0/subscriptions', body);
  expect([first.status, second.status]).toEqual([201, 200]);
  expect(second.body).toEqual(first.body);
});

it('has one outcome where the payment and the end of it come at the same time', async () => {
  for (let round = 0; round < 5; round += 1) {
    const subscription = await shop.subscribe(await planOf([{}]), { clock: await shop.clock(START) });
    await Promise.all([
      merchant.post(`/v0/paymentSessions/${subscription.payment.paymentSessionId}/complete`, {
        paymentMethod: 'pm_ok',
      }),
      merchant.post(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Now' }),
    ]);
    const [upfront] = await upfrontOf(subscription);
    const { status, terminationReason } = await reread(subscription);
    expect([status, terminationReason]).toEqual(['terminated', 'Now']);
    expect(['PAID', 'CANCELLED']).toContain(upfront.status); // paid first, then ended; or ended, and never paid
    const session = await shop.read(`/v0/paymentSessions/${subscription.payment.paymentSessionId}`);
    expect(session.status).toBe(upfront.status === 'PAID' ? 'completed' : 'expired');
  }
});

describe('a period that is closed now', () => {
  it('is issued without waiting, and the rest of it is the next invoice, with what is in advance', async () => {
    const clock = await shop.clock(START);
    const plan = await shop.plan([await shop.usagePrice(), await shop.feePrice(), await inAdvance()], {
      gracePeriod: 'P3D',
    });
    const subscription = await shop.subscribe(plan, { clock });
    await payUpfront(subscription);
    await shop.use(subscription.customerId, '2026-01-05T00:00:00Z', 4);
    await shop.use(subscription.customerId, '2026-01-20T00:00:00Z', 2);
    await shop.advance(clock, HALF_OF_JANUARY);
    const [, open] = await shop.invoices(subscription);
    const closed = await shop.act(`/v2/invoices/${open.id}/closeNow`, { reason: 'The customer asked for it' });
    expect(closed).toMatchObject({
      status: 'CLOSING',
      periodEnd: HALF_OF_JANUARY,
      gracePeriodEnd: HALF_OF_JANUARY,
      nextActionAt: HALF_OF_JANUARY,
    });
    await shop.advance(clock, 'PT1S');
    expect((await shop.invoice(open.id)).status).toBe('ISSUED');
    await shop.advance(clock, '2026-02-10T00:00:00Z');
    const [, half, remainder, next] = await shop.invoices(subscription);
    expect([half, remainder, next].map((invoice) => [invoice.sequenceNumber, ...linesOf(invoice)])).toEqual([
      [1, 'Calls 4.00 2026-01-01/2026-01-16', 'Flat fee 5.00 2026-01-01/2026-01-16'],
      [
        2,
        'Calls 2.00 2026-01-16/2026-02-01',
        'Flat fee 5.00 2026-01-16/2026-02-01',
        'Flat fee 10.00 2026-02-01/2026-03-01',
      ],
      [
        3,
        'Calls 0.00 2026-02-01/2026-03-01',
        'Flat fee 10.00 2026-02-01/2026-03-01',
        'Flat fee 10.00 2026-03-01/2026-04-01',
      ],
    ]);
    expect(remainder.periodEnd).toBe('2026-02-01T00:00:00Z');
  });

  it('is not closed at the instant at which it begins: no period has no length', async () => {
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await shop.plan([await shop.feePrice()]), { clock });
    const [open] = await shop.invoices(subscription);
    const { status, body } = await merchant.post(`/v2/invoices/${open.id}/closeNow`, { reason: 'Too soon' });
    expect([status, body.code]).toEqual([409, 'INVALID_TRANSITION']);
  });

  it('gives way to an end that is planned inside the remainder', async () => {
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await shop.plan([await shop.feePrice()]), { clock });
    await shop.advance(clock, HALF_OF_JANUARY);
    const [open] = await shop.invoices(subscription);
    await shop.act(`/v2/invoices/${open.id}/closeNow`, { reason: 'Now' });
    await shop.change(`/v0/subscriptions/${subscription.id}`, { endingAt: '2026-01-24T06:00:00Z' });
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    expect((await shop.invoices(subscription)).map(linesOf)).toEqual([
      ['Flat fee 5.00 2026-01-01/2026-01-16'],
      ['Flat fee 2.50 2026-01-16/2026-01-24'],
    ]);
  });
});

describe('renewals', () => {
  const remindersOf = async (subscription: Resource) =>
    env.database.transaction({ merchants: [merchant.id] }, async (tx) =>
      (
        await tx.rows<{ at: string }>(sql`
          select data ->> 'subscriptionId' as id, to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI') as at
            from outbox
           where data ->> 'subscriptionId' = ${subscription.id} and type = 'subscription.renewal_reminder.v0' order by seq`)
      ).map(({ at }) => at),
    );

  // Proves 2.subscription.renewalReminderEnabled, 2.subscription.renewalReminderDays.
  it.each([
    {
      what: 'three days before each period ends, as plans say where nobody does',
      reminders: ['2026-01-29T00:00', '2026-02-26T00:00', '2026-03-29T00:00'],
    },
    {
      what: 'as the plan says',
      plan: { renewalReminderDays: 10 },
      reminders: ['2026-01-22T00:00', '2026-02-19T00:00', '2026-03-22T00:00'],
    },
    {
      what: 'as the subscription says',
      renewalReminderDays: 1,
      reminders: ['2026-01-31T00:00', '2026-02-28T00:00', '2026-03-31T00:00'],
    },
    { what: 'never, where the plan says so', plan: { renewalReminderEnabled: false }, reminders: [] },
    { what: 'never, where the subscription says so', renewalReminderEnabled: false, reminders: [] },
    {
      what: 'not of a period with which the subscription ends',
      endingAt: '2026-03-01T00:00:00Z',
      reminders: ['2026-01-29T00:00'],
    },
    {
      what: 'at the start of periods that are shorter',
      plan: { billingCadence: 'P1M', renewalReminderDays: 30 },
      reminders: ['2026-01-02T00:00', '2026-02-01T00:00', '2026-03-02T00:00', '2026-04-01T00:00'],
    },
  ])('are told of once: $what', async ({ plan, reminders, what: _what, ...fields }) => {
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await shop.plan([await shop.feePrice()], plan), { clock, ...fields });
    await shop.advance(clock, '2026-04-01T12:00:00Z');
    expect(await remindersOf(subscription)).toEqual(reminders);
  });

  it('are reported at once if they are enabled so late in the period', async () => {
    const clock = await shop.clock(START);
    const plan = await shop.plan([await shop.feePrice()], { renewalReminderEnabled: false });
    const subscription = await shop.subscribe(plan, { clock });
    await shop.advance(clock, '2026-01-30T00:00:00Z');
    await shop.change(`/v0/subscriptions/${subscription.id}`, { renewalReminderEnabled: true });
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect(await remindersOf(subscription)).toEqual(['2026-01-30T00:00']);
  });
});
