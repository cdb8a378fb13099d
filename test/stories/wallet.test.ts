import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** Prepaid money of customers (domain.md §4, Wallet): its sources, its uses, and its return. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let customer: Resource;
const NOW = '2026-03-10T09:30:00Z';
beforeAll(async () => {
  env = await openTestEnvironment();
});
beforeEach(async () => {
  env.setNow(NOW);
  merchant = await env.merchant();
  shop = shopOf(merchant);
  customer = await shop.customer({ taxRates: 20 });
});
afterEach(() => expectBooksToBalance(env, merchant));
afterAll(() => env.close());

let counter = 0;
const key = (): string => {
  counter += 1;
  return `key-${counter}`;
};
const TOP_UPS = () => `/v0/customers/${customer.id}/wallet/topUps`;
const topUp = (amount: string, fields: object = {}) =>
  shop.create(TOP_UPS(), { amount, currency: 'USD', idempotencyKey: key(), ...fields });
const payTopUp = (made: Resource, card = 'pm_ok') =>
  shop.act(`/v0/paymentSessions/${made.paymentSessions[0].url.split('/').at(-1)}/complete`, { paymentMethod: card });
/** A top-up that is paid. */
async function fill(amount: string, fields?: object): Promise<Resource> {
  const made = await topUp(amount, fields);
  await payTopUp(made);
  return shop.invoice(made.invoiceId);
}
/** Issued at once; with 20 % tax on top. */
const bill = (unitPrice: string, fields: object = {}) =>
  shop.create('/v2/invoices', {
    customerId: customer.id,
    currency: 'USD',
    lines: [{ displayName: 'Workshop', quantity: 1, unitPrice }],
    autoApprove: true,
    ...fields,
  });
const balances = async () =>
  Object.fromEntries(
    (await shop.read(`/v0/customers/${customer.id}/wallet`)).balances.map(({ currency, balance }: Resource) => [
      currency,
      balance,
    ]),
  );
const entries = async (query = '') =>
  (await shop.read(`/v0/customers/${customer.id}/wallet/entries${query}`)).data as Resource[];
const refund = (invoice: Resource) => merchant.post(`/v2/invoices/${invoice.id}/refunds`);
const voidRefund = (invoice: Resource, made: Resource) =>
  shop.act(`/v2/invoices/${invoice.id}/refunds/${made.id}/void`, { reason: 'A mistake' });

describe('a customer with money in a wallet', () => {
  it('is not deleted before it is spent', async () => {
    await fill('50');
    await fill('7', { currency: 'EUR' });
    const path = `/v0/customers/${customer.id}`;
    const held = [
      { currency: 'EUR', balance: '7.00' },
      { currency: 'USD', balance: '50.00' },
    ];
    expect(await merchant.delete(path)).toMatchObject({
      status: 409,
      body: { code: 'CUSTOMER_IN_USE', details: { blockers: [{ type: 'wallets', count: 2, items: held }] } },
    });
    await bill('41.67'); // and 8.33 tax
    await bill('5.83', { currency: 'EUR' }); // and 1.17
    expect(await balances()).toEqual({ EUR: '0.00', USD: '0.00' });
    expect((await merchant.delete(path)).status).toBe(204);
  });
});

describe('a top-up', () => {
  it('is paid by a session that says so', async () => {
    const { invoiceId } = await topUp('50');
    await bill('10');
    const sessions = await shop.read(`/v0/paymentSessions?customerId=${customer.id}&entityType=topup`);
    expect(sessions.data).toMatchObject([{ entityType: 'topup', entityId: invoiceId, amount: '50.00' }]);
  });

  it('is an invoice without tax that lives by its session; the money is in the wallet when it is paid', async () => {
    const made = await topUp('50');
    expect(made).toEqual({
      object: 'wallet_top_up',
      invoiceId: expect.stringMatching(/^inv_/),
      customerId: customer.id,
      amount: '50.00',
      currency: 'USD',
      paymentSessions: [{ url: expect.stringContaining('/pay/ps_'), expiresAt: expect.any(String), amount: '50.00' }],
    });
    expect(await shop.invoice(made.invoiceId)).toMatchObject({
      status: 'ISSUED',
      invoiceNumber: null,
      subtotal: '50.00',
      totalTax: '0.00',
      grandTotal: '50.00',
      lines: [{ type: 'wallet_top_up', eventType: 'fee' }],
    });
    expect(await balances()).toEqual({});
    await payTopUp(made);
    expect(await shop.invoice(made.invoiceId)).toMatchObject({ status: 'PAID', invoiceNumber: 'INV-000001' });
    expect(await balances()).toEqual({ USD: '50.00' });
    expect(await entries()).toEqual([
      {
        id: expect.stringMatching(/^ltx_/),
        object: 'walletEntry',
        customerId: customer.id,
        currency: 'USD',
        amount: '50.00',
        balance: '50.00',
        reason: 'wallet_top_up',
        invoiceId: made.invoiceId,
        entries: [
          { account: 'top_ups_due', amount: '50.00' },
          { account: 'wallet', amount: '-50.00' },
        ],
        createdAt: NOW,
      },
    ]);
  });

  it('that is declined, or whose session expires, leaves nothing behind', async () => {
    const made = await topUp('50');
    await payTopUp(made, 'pm_declined');
    await shop.act(`/v0/paymentSessions/${made.paymentSessions[0].url.split('/').at(-1)}/expire`);
    expect(await shop.invoice(made.invoiceId)).toMatchObject({ status: 'CANCELLED', invoiceNumber: null });
    expect([await balances(), await entries()]).toEqual([{}, []]);
  });

  it('is made once under its key: again is 200 with the first, something else 409', async () => {
    const body = { amount: '10', currency: 'USD', idempotencyKey: key() };
    const [first, twin] = await Promise.all([merchant.post(TOP_UPS(), body), merchant.post(TOP_UPS(), body)]);
    expect([first.status, twin.status].toSorted()).toEqual([200, 201]);
    expect(twin.body).toEqual(first.body);
    await payTopUp(first.body);
    expect(await merchant.post(TOP_UPS(), body)).toMatchObject({
      status: 200,
      body: { invoiceId: first.body.invoiceId, paymentSessions: [] },
    });
    expect(await merchant.post(TOP_UPS(), { ...body, amount: '11' })).toMatchObject({
      status: 409,
      body: { code: 'IDEMPOTENCY_KEY_REUSED' },
    });
    expect(await balances()).toEqual({ USD: '10.00' });
  });

  it.each([
    { what: 'no amount', body: { amount: undefined }, field: 'amount' },
    { what: '0', body: { amount: '0' }, field: 'amount' },
    { what: 'less than 0', body: { amount: '-1' }, field: 'amount' },
    { what: 'half a cent', body: { amount: '0.005' }, field: 'amount' },
    { what: 'a currency that is none', body: { currency: 'XXY' }, field: 'currency' },
    { what: 'no key', body: { idempotencyKey: undefined }, field: 'idempotencyKey' },
    {
      what: 'a redirect to nowhere',
      body: { redirectUrls: { onSuccess: 'javascript:1' } },
      field: 'redirectUrls.onSuccess',
    },
  ])('of $what is a 400', async ({ body, field }) => {
    const answer = await merchant.post(TOP_UPS(), { amount: '5', currency: 'USD', idempotencyKey: key(), ...body });
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
    expect(answer.body.errors.map((error: Resource) => error.field)).toEqual([field]);
  });

  it('has entries of its own customer only', async () => {
    const other = await shop.customer();
    expect((await shop.read(`/v0/customers/${other.id}/wallet/entries`)).data).toEqual([]);
  });

  it('is of a customer who is there', async () => {
    const { id } = await shop.customer();
    await merchant.delete(`/v0/customers/${id}`);
    const body = { amount: '5', currency: 'USD', idempotencyKey: key() };
    expect((await merchant.post(`/v0/customers/${id}/wallet/topUps`, body)).status).toBe(404);
    expect((await merchant.get(`/v0/customers/${id}/wallet`)).status).toBe(404);
    expect((await merchant.get(`/v0/customers/${id}/wallet/entries`)).status).toBe(404);
  });
});

describe('what the wallet pays', () => {
  it.each([
    { held: '50', price: '100', status: 'ISSUED', walletApplied: '50.00', unpaidAmount: '70.00', left: '0.00' },
    { held: '120', price: '100', status: 'PAID', walletApplied: '120.00', unpaidAmount: '0.00', left: '0.00' },
    { held: '200', price: '100', status: 'PAID', walletApplied: '120.00', unpaidAmount: '0.00', left: '80.00' },
    { held: '50', price: '0', status: 'PAID', walletApplied: '0.00', unpaidAmount: '0.00', left: '50.00' },
  ])('$held in it, an invoice of $price and tax: $status', async ({ held, price, left, ...shown }) => {
    await fill(held);
    const invoice = await bill(price);
    expect(invoice).toMatchObject({ ...shown, paidAmount: shown.walletApplied });
    expect(await balances()).toEqual({ USD: left });
  });

  it('is a payment and no discount: the tax is on all of it, and the session asks for the rest', async () => {
    await fill('50');
    const invoice = await bill('100');
    expect(invoice).toMatchObject({ subtotal: '100.00', totalTax: '20.00', grandTotal: '120.00' });
    const { data } = await shop.read(`/v0/paymentSessions?customerId=${customer.id}&status=pending`);
    expect(data).toMatchObject([{ amount: '70.00', entityId: invoice.id }]);
    await shop.pay(invoice);
    expect(await shop.invoice(invoice.id)).toMatchObject({
      status: 'PAID',
      paidAmount: '120.00',
      walletApplied: '50.00',
    });
  });

  it('is of its currency only', async () => {
    await fill('50', { currency: 'EUR' });
    expect(await bill('10')).toMatchObject({ status: 'ISSUED', walletApplied: '0.00' });
    await fill('7', { currency: 'JPY' });
    expect(await balances()).toEqual({ EUR: '50.00', JPY: '7' });
    expect((await entries('?currency=JPY')).map(({ amount }) => amount)).toEqual(['7']);
    expect((await entries()).length).toBe(2);
  });

  it('is the invoice of a period, as it is issued', async () => {
    customer = await shop.customer();
    await fill('5');
    const { invoice } = await shop.issued({ customer });
    expect(invoice).toMatchObject({ grandTotal: '12.00', walletApplied: '5.00', unpaidAmount: '7.00' });
  });

  it('is never a draft, more money in the wallet, or a grant', async () => {
    await fill('50');
    expect(await bill('10', { autoApprove: false })).toMatchObject({ status: 'DRAFT', walletApplied: '0.00' });
    const more = await topUp('20');
    expect(await shop.invoice(more.invoiceId)).toMatchObject({ status: 'ISSUED', walletApplied: '0.00' });
    const product = await shop.product();
    const metric = await shop.metric({ productId: product.id });
    const feature = await shop.create('/v0/features', {
      key: key(),
      name: 'Calls',
      productId: product.id,
      type: 'metered',
    });
    const entitlement = await shop.create('/v1/entitlements', {
      customerId: customer.id,
      featureId: feature.id,
      template: { type: 'metered', billableMetricIds: [metric.id] },
    });
    const bought = await shop.create(`/v1/entitlements/${entitlement.id}/grants/purchase`, {
      amount: 10,
      price: '10',
      currency: 'USD',
      idempotencyKey: key(),
    });
    expect(await shop.invoice(bought.invoiceId)).toMatchObject({ status: 'ISSUED', walletApplied: '0.00' });
    expect(await balances()).toEqual({ USD: '50.00' });
  });

  it('is never paid twice, however many invoices are issued at once', async () => {
    await fill('100');
    const drafts = [];
    for (let number = 0; number < 6; number += 1) drafts.push(await bill('25', { autoApprove: false }));
    const issued = await Promise.all(drafts.map(({ id }) => shop.act(`/v2/invoices/${id}/approve`)));
    const applied = issued.map(({ walletApplied }) => walletApplied).toSorted();
    expect(applied).toEqual(['0.00', '0.00', '10.00', '30.00', '30.00', '30.00']);
    expect(await balances()).toEqual({ USD: '0.00' });
  });
});

describe('what comes back', () => {
  it('is the part of a cancelled invoice', async () => {
    await fill('50');
    const invoice = await bill('100');
    expect(invoice).toMatchObject({ paidAmount: '50.00', walletApplied: '50.00', unpaidAmount: '70.00' });
    expect(await shop.act(`/v2/invoices/${invoice.id}/cancel`, { reason: 'A mistake' })).toMatchObject({
      ...{ status: 'CANCELLED', grandTotal: '120.00' },
      ...{ paidAmount: '0.00', walletApplied: '0.00', unpaidAmount: '120.00' }, // no part of it is paid any more
    });
    expect(await balances()).toEqual({ USD: '50.00' });
    expect(await entries()).toMatchObject([
      { reason: 'invoice_cancelled', amount: '50.00', balance: '50.00', invoiceId: invoice.id },
      { reason: 'wallet_applied', amount: '-50.00', balance: '0.00', invoiceId: invoice.id },
      { reason: 'wallet_top_up', amount: '50.00', balance: '50.00' },
    ]);
  });

  it('is not the part of one that is written off: the customer had what it paid', async () => {
    await fill('50');
    const invoice = await bill('100');
    await shop.act(`/v2/invoices/${invoice.id}/writeOff`);
    expect(await balances()).toEqual({ USD: '0.00' });
  });

  it('is, of a refunded invoice, what the wallet paid into it and what the card paid to the card', async () => {
    await fill('50');
    const invoice = await bill('100');
    await shop.pay(invoice);
    expect(await refund(invoice)).toMatchObject({ status: 201, body: { total: '120.00' } });
    expect(await balances()).toEqual({ USD: '50.00' });
    await env.runDueWork(); // the intent
    await env.runDueWork(); // the call
    expect((await entries())[0]).toMatchObject({
      reason: 'refund',
      amount: '50.00',
      entries: [
        { account: 'revenue', amount: '100.00' },
        { account: 'tax', amount: '20.00' },
        { account: 'refunds_payable', amount: '-70.00' },
        { account: 'wallet', amount: '-50.00' },
      ],
    });
  });

  it('goes out again where the refund is void, as far as it is still there; a later refund brings all back', async () => {
    await fill('50');
    const invoice = await bill('100');
    await shop.pay(invoice);
    const first = (await refund(invoice)).body;
    await bill('25'); // spends 30.00 of the 50.00
    await voidRefund(invoice, first);
    expect(await balances()).toEqual({ USD: '0.00' });
    await refund(invoice);
    expect((await entries())[0]).toMatchObject({
      reason: 'refund',
      amount: '20.00', // and 30.00 that were owed again are settled
      entries: [
        { account: 'revenue', amount: '100.00' },
        { account: 'tax', amount: '20.00' },
        { account: 'refunds_payable', amount: '-70.00' },
        { account: 'owed_again', amount: '-30.00' },
        { account: 'wallet', amount: '-20.00' },
      ],
    });
  });

  it('moves no money a second time where it had left before the void', async () => {
    const invoice = await bill('100');
    await shop.pay(invoice);
    const first = (await refund(invoice)).body;
    await env.runDueWork();
    await env.runDueWork();
    await voidRefund(invoice, first);
    expect(await refund(invoice)).toMatchObject({ status: 201 });
    await env.runDueWork();
    expect(await balances()).toEqual({});
  });

  it.each([
    { what: 'all there', spends: null, status: 201, left: '0.00' },
    { what: 'spent in part', spends: '10', status: 400, left: '38.00' },
  ])('of a top-up that is $what: $status', async ({ spends, status, left }) => {
    const filled = await fill('50');
    if (spends !== null) await bill(spends);
    const answer = await refund(filled);
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body).toMatchObject({ code: 'WALLET_SPENT', details: { balance: '38' } });
    expect(await balances()).toEqual({ USD: left });
  });

  it('of a top-up whose refund is void is in the wallet again', async () => {
    const filled = await fill('50');
    const made = (await refund(filled)).body;
    await voidRefund(filled, made);
    expect(await balances()).toEqual({ USD: '50.00' });
  });
});
