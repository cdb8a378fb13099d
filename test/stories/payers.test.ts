import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { visit } from '../support/portal.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Customers whose invoices another customer pays (commercial.md §8). */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

/** A parent and a child for which it pays. */
const family = async (parentFields: Record<string, unknown> = {}) => {
  const parent = await shop.customer(parentFields);
  const child = await shop.customer({ payerId: parent.id });
  return { parent, child };
};
const PLAN = { defaultTaxRate: 20 };
const sellTo = async (child: Resource, fields: object = {}) => {
  const clock = await shop.clock(START);
  const plan = await shop.plan([await shop.feePrice()], PLAN);
  return { clock, subscription: await shop.subscribe(plan, { clock, customer: child, ...fields }) };
};
const firstInvoice = async (subscription: Resource) => (await shop.invoices(subscription))[0];
const walletOf = async ({ id }: Resource) => (await shop.read(`/v0/customers/${id}/wallet`)).balances;

describe('an invoice of a customer with a payer', () => {
  it('is addressed to the payer and taxed as it; its lines and its usage stay the customer’s', async () => {
    const { parent, child } = await family({ taxRates: { default: 10 }, taxId: 'NL001234567B01' });
    const { clock, subscription } = await sellTo(child);
    expect(subscription).toMatchObject({ customerId: child.id, payerId: parent.id });
    expect(await firstInvoice(subscription)).toMatchObject({ status: 'ACTIVE', payerId: parent.id });
    await shop.advance(clock, 'P1M');
    const invoice = await firstInvoice(subscription);
    expect(invoice).toMatchObject({ status: 'ISSUED', customerId: child.id, payerId: parent.id, grandTotal: '11.00' });
    const page = (await env.client().get(`/pay/invoices/${invoice.id}`)).text;
    expect(page).toContain(parent.organization.name);
    expect(page).toContain(`Supplied to <bdi>${child.organization.name}</bdi>`);
  });

  it('is exempt where the payer is, whatever the customer is', async () => {
    const parent = await shop.customer({ taxExempt: true });
    const { clock, subscription } = await sellTo(
      await shop.customer({ payerId: parent.id, taxRates: { default: 50 } }),
    );
    await shop.advance(clock, 'P1M');
    expect(await firstInvoice(subscription)).toMatchObject({ totalTax: '0.00', grandTotal: '10.00' });
  });

  it('is paid by the wallet of the payer; that of the customer rests', async () => {
    const { parent, child } = await family();
    const { clock, subscription } = await sellTo(child);
    await shop.change(`/v0/customers/${child.id}`, { payerId: null });
    await shop.advance(clock, 'P1M');
    const own = await firstInvoice(subscription);
    expect(own).toMatchObject({ payerId: null, unpaidAmount: '12.00' });
    await pay(own, '17.00'); // 5.00 too much, while it paid itself
    await shop.change(`/v0/customers/${child.id}`, { payerId: parent.id });
    await shop.advance(clock, 'P1M');
    const second = (await shop.invoices(subscription))[1];
    expect(second).toMatchObject({ payerId: parent.id, walletApplied: '0.00', unpaidAmount: '12.00' });
    await pay(second, '20.00'); // 8.00 too much, into the wallet of the payer
    expect(await walletOf(child)).toEqual([{ currency: 'USD', balance: '5.00' }]);
    expect(await walletOf(parent)).toEqual([{ currency: 'USD', balance: '8.00' }]);
    await shop.advance(clock, 'P1M');
    expect((await shop.invoices(subscription))[2]).toMatchObject({ walletApplied: '8.00', unpaidAmount: '4.00' });
  });

  it('is charged to the card of the payer, and gives a refund back to it', async () => {
    const { parent, child } = await family();
    const { clock, subscription } = await sellTo(child, { autoCharge: true });
    await shop.advance(clock, 'P1M');
    await shop.pay(await firstInvoice(subscription));
    const cards = (customer: Resource) => shop.read(`/v0/customers/${customer.id}/paymentMethods`);
    expect((await cards(parent)).data).toHaveLength(1);
    expect((await cards(child)).data).toEqual([]);
    await shop.advance(clock, 'P1M');
    const charged = (await shop.invoices(subscription))[1];
    expect(charged).toMatchObject({ status: 'PAID', payerId: parent.id });
    await shop.create(`/v2/invoices/${charged.id}/refunds`, { reason: 'Not delivered' });
    expect(await walletOf(child)).toEqual([]);
  });

  it('keeps its payer from its issue on', async () => {
    const { parent, child } = await family();
    const { clock, subscription } = await sellTo(child);
    await shop.advance(clock, 'P1M');
    await shop.change(`/v0/customers/${child.id}`, { payerId: null });
    const [issued, open] = await shop.invoices(subscription);
    expect(issued).toMatchObject({ payerId: parent.id });
    expect(open).toMatchObject({ status: 'ACTIVE', payerId: null });
    await pay(issued, '13.00');
    expect(await walletOf(parent)).toEqual([{ currency: 'USD', balance: '1.00' }]);
  });

  it('is found by its customer and by its payer, open or issued', async () => {
    const { parent, child } = await family();
    const { clock, subscription } = await sellTo(child);
    await shop.advance(clock, 'P1M');
    const ids = (await shop.invoices(subscription)).map(({ id }: Resource) => id).toSorted();
    const found = async (query: string) =>
      (await shop.read(`/v2/invoices?${query}`)).data.map(({ id }: Resource) => id).toSorted();
    expect(ids).toHaveLength(2);
    expect(await found(`customerId=${child.id}`)).toEqual(ids);
    expect(await found(`payerId=${parent.id}`)).toEqual(ids);
    expect(await found(`customerId=${parent.id}`)).toEqual([]);
    expect(await found(`payerId=${child.id}`)).toEqual([]);
  });
});

describe('a payer', () => {
  it('takes what a child pays in', async () => {
    const { parent, child } = await family();
    const made = await shop.create(`/v0/customers/${child.id}/wallet/topUps`, {
      ...{ amount: '30.00', currency: 'USD', idempotencyKey: `top-up-${child.id}` },
    });
    await pay({ id: made.invoiceId }, '30.00');
    expect(await walletOf(parent)).toEqual([{ currency: 'USD', balance: '30.00' }]);
    expect(await walletOf(child)).toEqual([]);
  });

  it('is another customer of the merchant that pays itself', async () => {
    const { parent, child } = await family();
    const other = await shop.customer();
    const foreign = await shopOf(await env.merchant()).customer();
    const named = (id: string, payerId: unknown) => merchant.patch(`/v0/customers/${id}`, { payerId });
    const refusal = (message: string) => ({ status: 400, body: { errors: [{ field: 'payerId', message }] } });
    expect(await named(other.id, other.id)).toMatchObject(refusal('must be another customer'));
    expect(await named(other.id, child.id)).toMatchObject(refusal(`must pay itself: ${parent.id} pays for it`));
    expect(await named(parent.id, other.id)).toMatchObject(
      refusal(`must be null, because this customer pays for ${child.id}`),
    );
    expect((await named(other.id, foreign.id)).status).toBe(403);
    expect((await named(other.id, 'cus_0123456789abcdef')).status).toBe(404);
    expect((await named(other.id, 7)).status).toBe(400);
    expect((await merchant.post('/v0/customers', { ...consumer('made'), payerId: child.id })).status).toBe(400);
    expect((await shop.read(`/v0/customers/${other.id}`)).payerId).toBeNull();
  });

  it('is named by one of two customers that name each other at once', async () => {
    const [one, two] = [await shop.customer(), await shop.customer()];
    const answers = await Promise.all([
      merchant.patch(`/v0/customers/${one.id}`, { payerId: two.id }),
      merchant.patch(`/v0/customers/${two.id}`, { payerId: one.id }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  it('is not deleted while it pays for somebody', async () => {
    const { parent, child } = await family();
    const blocked = { type: 'customers', count: 1, items: [{ id: child.id }] };
    expect(await merchant.delete(`/v0/customers/${parent.id}`)).toMatchObject({
      ...{ status: 409, body: { code: 'CUSTOMER_IN_USE', details: { blockers: [blocked] } } },
    });
    await shop.change(`/v0/customers/${child.id}`, { payerId: null });
    expect((await merchant.delete(`/v0/customers/${parent.id}`)).status).toBe(204);
  });
});

describe('the portal', () => {
  it('of the payer shows what it pays, and of the customer what it used, without money', async () => {
    const { parent, child } = await family();
    const clock = await shop.clock(START);
    const metric = await shop.metric({ eventType: 'payers.call' });
    const plan = await shop.plan([await shop.usagePrice({ billableMetricId: metric.id })], PLAN);
    const subscription = await shop.subscribe(plan, { clock, customer: child });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 7, { type: metric.eventType });
    await shop.advance(clock, 'P1M');
    const { invoiceNumber, id } = await firstInvoice(subscription);

    const payer = await visit(env, shop, parent);
    expect(payer.first.words).toContain(`$8.40 Invoice ${invoiceNumber}`);
    expect(payer.first.words).toContain(child.organization.name);
    expect((await payer.open(`/portal/subscriptions/${subscription.id}`)).status).toBe(200);
    expect((await payer.open(`/portal/invoices/${id}`)).words).toContain('$8.40');

    const reader = await visit(env, shop, child);
    expect(reader.first.words).not.toContain('Cards');
    const pages = ['', '/invoices', `/invoices/${id}`, `/subscriptions/${subscription.id}`, '/usage'];
    for (const path of pages) {
      const page = await reader.open(`/portal${path}`);
      expect(page.status).toBe(200);
      expect(page.words).not.toContain('$');
    }
    expect((await reader.open(`/portal/invoices/${id}`)).words).toContain('7 calls');
    expect((await reader.open('/portal/cards')).status).toBe(404);
  });
});

const consumer = (name: string) => ({
  consumer: { name, email: `${name}@payers.example`, address: { line1: '1', city: 'London', country: 'GB' } },
});
let keys = 0;
const pay = (invoice: Resource, amount: string) => {
  keys += 1;
  return shop.create(`/v2/invoices/${invoice.id}/payments`, {
    ...{ amount, method: 'bank_transfer', idempotencyKey: `payers-${keys}` },
  });
};
