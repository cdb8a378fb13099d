import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StripeAccount } from '../stripe/account.ts';
import { openStripeServer, type StripeServer } from '../stripe/server.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { connectFake } from '../support/connected.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { scriptedTax } from '../support/scripted-tax.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** A merchant lets Stripe Tax calculate and record, over HTTP on both sides. */
let stripe: StripeServer;
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let books: StripeAccount;
beforeAll(async () => {
  stripe = await openStripeServer(() => Temporal.Instant.from(START).epochMilliseconds / 1_000);
  env = await openTestEnvironment({ stripeApiUrl: stripe.url, recomputed: true });
});
beforeEach(async () => {
  env.setNow(START);
  stripe.faults.clear();
  merchant = await env.merchant();
  shop = shopOf(merchant);
  books = stripe.account();
  await connect();
  expect(await setProvider('stripe_tax')).toMatchObject({ status: 200 });
});
afterEach(() => expectBooksToBalance(env, merchant));
afterAll(async () => {
  await env.close();
  await stripe.close();
});

const setProvider = (taxProvider: string) =>
  merchant.patch(`/v0/organizations/${merchant.id}`, { settings: { taxProvider, defaultTaxRate: 7 } });
const connect = () =>
  shop.replace('/v0/merchantIntegrations', { provider: 'stripe', config: { secretKey: books.secretKey } });
async function disconnect(): Promise<void> {
  const { data } = await shop.read('/v0/merchantIntegrations');
  await shop.change(`/v0/merchantIntegrations/${data[0].id}/disconnect`, {});
}

const DE = { line1: 'Hauptstr. 1', city: 'Berlin', zipCode: '10115', country: 'DE' };
const NEW_YORK = { line1: '1 Wall Street', city: 'New York', state: 'NY', zipCode: '10005', country: 'US' };
let people = 0;
function customerIn(address: Record<string, string>, fields: Record<string, unknown> = {}): Promise<Resource> {
  people += 1;
  return shop.customer({ consumer: { name: 'Ada', email: `ada-${people}@example.com`, address }, ...fields });
}

/** An ended month of 10.00, to a customer in Germany by default. */
async function issued({
  address = DE,
  customer = {},
  plan = {},
  price = {},
  ...fields
}: Record<string, Resource> = {}) {
  const clock = await shop.clock(START);
  const subscription = await shop.subscribe(await shop.plan([await shop.feePrice(price)], plan), {
    clock,
    customer: await customerIn(address, customer),
    ...fields,
  });
  await shop.advance(clock, 'P1M');
  const [invoice] = (await shop.invoices(subscription)) as [Resource];
  return { clock, subscription, invoice };
}

/** Stripe's records of an invoice and all its credits, in Stripe's units. */
const recordedOf = (invoice: Resource, notes: readonly string[] = []) =>
  books.tax.total((reference) => [invoice.id, ...notes].some((key) => reference.startsWith(key)));
const calls = (path: RegExp) => stripe.requests.filter((request) => path.test(request.path)).length;

describe('settings.taxProvider: stripe_tax', () => {
  it('is a 400 until Stripe is connected, and while Stripe Tax is not active', async () => {
    await setProvider('internal');
    books.tax.status = 'pending';
    expect(await setProvider('stripe_tax')).toMatchObject({
      status: 400,
      body: { code: 'TAX_NOT_ENABLED', message: expect.stringContaining('head_office') },
    });
    books.tax.status = 'active';
    expect(await setProvider('stripe_tax')).toMatchObject({
      status: 200,
      body: { settings: { taxProvider: 'stripe_tax' } },
    });
    await setProvider('internal');
    await disconnect();
    expect(await setProvider('stripe_tax')).toMatchObject({ status: 400, body: { code: 'PROVIDER_NOT_CONNECTED' } });
    await connect();
  });
});

describe('an invoice', () => {
  it('has the tax that Stripe calculates, and is recorded there once', async () => {
    const { invoice } = await issued();
    expect(invoice).toMatchObject({ subtotal: '10.00', totalTax: '1.90', grandTotal: '11.90', status: 'ISSUED' });
    expect(invoice.lines).toMatchObject([{ totalPrice: '10.00', taxRate: 19, totalTax: '1.90' }]);
    expect(invoice.tax).toMatchObject({
      estimatedTax: '1.90',
      actualTax: '1.90',
      difference: '0.00',
      adjustmentNeeded: false,
      adjustmentApplied: false,
      reconciled: true,
      reconciledAt: expect.any(String),
    });
    expect(invoice).toMatchObject({ pdfSource: null, pdfUrl: expect.stringContaining(invoice.id) });
    expect(recordedOf(invoice)).toEqual({ net: 1000, tax: 190 });
    expect([...books.tax.transactions.values()].map(({ transaction }) => transaction.reference)).toEqual([invoice.id]);
  });

  it('adds up several jurisdictions, and folds discounts into what they take something off', async () => {
    const clock = await shop.clock(START);
    const price = await shop.feePrice({ properties: { unitPrice: '99.99' } });
    const subscription = await shop.subscribe(await shop.plan([price]), {
      clock,
      customer: await customerIn(NEW_YORK),
    });
    await shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, {
      type: 'percentageDiscount',
      percentageDiscount: '0.35',
      effectiveFrom: START,
      description: 'Friends',
    });
    await shop.advance(clock, 'P1M');
    const [invoice] = (await shop.invoices(subscription)) as [Resource];
    expect(invoice).toMatchObject({ subtotal: '64.99', totalTax: '5.77', grandTotal: '70.76' });
    expect(invoice.lines.map((line: Resource) => [line.totalPrice, line.totalTax, line.taxRate])).toEqual([
      ['99.99', '8.88', 8.875],
      ['-35.00', '-3.11', 8.875],
    ]);
    expect(recordedOf(invoice)).toEqual({ net: 6499, tax: 577 });
  });

  it.each([
    { currency: 'JPY', country: 'JP', unitPrice: '1005', total: '1106', tax: '101', units: { net: 1005, tax: 101 } },
    { currency: 'KWD', country: 'KW', unitPrice: '1.234', total: '1.296', tax: '0.062', units: { net: 1234, tax: 62 } },
  ])('of $currency counts in its own minor units', async ({ currency, country, unitPrice, total, tax, units }) => {
    const { invoice } = await issued({
      address: { ...DE, country },
      price: { properties: { unitPrice } },
      plan: { currency },
    });
    expect(invoice).toMatchObject({ totalTax: tax, grandTotal: total, tax: { reconciled: true } });
    expect(recordedOf(invoice)).toEqual(units);
  });

  it('takes the tax out of amounts that include it', async () => {
    const { invoice } = await issued({
      plan: { taxBehavior: 'inclusive' },
      price: { properties: { unitPrice: '11.90' } },
    });
    expect(invoice).toMatchObject({ subtotal: '10.00', totalTax: '1.90', grandTotal: '11.90' });
    expect(recordedOf(invoice)).toEqual({ net: 1000, tax: 190 });
  });

  it('has no tax if it is exempt, and is recorded as exempt', async () => {
    const { invoice } = await issued({ taxExempt: true });
    expect(invoice).toMatchObject({ totalTax: '0.00', tax: { reconciled: true } });
    const [{ transaction }] = [...books.tax.transactions.values()] as unknown as [{ transaction: Resource }];
    expect(transaction.customer_details.taxability_override).toBe('customer_exempt');
  });

  it('has no tax if the customer owes it abroad', async () => {
    const { invoice } = await issued({ address: { ...DE, country: 'FR' }, customer: { taxId: 'FR12345678901' } });
    expect(invoice).toMatchObject({ totalTax: '0.00', tax: { reconciled: true } });
  });

  it('is taxed by our own rates where Stripe knows no rate for the address, which the customer then says', async () => {
    const address = { ...NEW_YORK, zipCode: 'unknown' };
    const { invoice, subscription, clock } = await issued({ address });
    expect(invoice).toMatchObject({ totalTax: '0.70', grandTotal: '10.70', tax: null });
    const { validTaxAddress } = await shop.read(`/v0/customers/${subscription.customerId}`);
    expect(validTaxAddress).toEqual({ valid: false, message: expect.stringContaining('tax location') });
    const before = calls(/calculations/);
    await shop.advance(clock, 'P1M');
    expect(calls(/calculations/)).toBe(before); // no further query for this address
    expect(books.tax.transactions.size).toBe(0);
  });

  it('is taxed where our own rules say, where Stripe knows no rate for the address of a merchant with registrations', async () => {
    const taxRegistrations = [{ country: 'DE', taxId: 'DE136695976', from: '2020-01-01' }];
    await shop.change(`/v0/organizations/${merchant.id}`, { settings: { taxRegistrations } });
    const { invoice } = await issued({ address: { ...NEW_YORK, zipCode: 'unknown' } });
    expect(invoice).toMatchObject({ status: 'ISSUED', totalTax: '0.00', tax: null });
    const { place } = await shop.read(`/v2/invoices/${invoice.id}/explain`);
    expect(place).toMatchObject({ treatment: 'outside' });
  });

  it('made by hand waits for Stripe in CALCULATING, and then continues', async () => {
    const customer = await customerIn(DE);
    const body = {
      customerId: customer.id,
      currency: 'EUR',
      lines: [{ displayName: 'Work', quantity: 2, unitPrice: '50' }],
    };
    const made = await shop.create('/v2/invoices', { ...body, autoApprove: true });
    expect(made).toMatchObject({ status: 'CALCULATING', invoiceNumber: null });
    await env.runDueWork();
    expect(await shop.invoice(made.id)).toMatchObject({
      status: 'ISSUED',
      totalTax: '19.00',
      tax: { reconciled: true },
    });
    const draft = await shop.create('/v2/invoices', body);
    await env.runDueWork();
    expect(await shop.invoice(draft.id)).toMatchObject({ status: 'DRAFT', totalTax: '19.00', tax: null });
    expect(recordedOf(draft)).toEqual({ net: 0, tax: 0 });
  });

  it('that must be paid in the answer is calculated before it', async () => {
    const clock = await shop.clock(START);
    const plan = await shop.plan([await shop.feePrice({ paymentTerm: 'in_advance' })]);
    const subscription = await shop.subscribe(plan, { clock, customer: await customerIn(DE), prefundAmount: '5' });
    expect(subscription.payment).toMatchObject({ status: 'pending', amount: '16.90' });
    const invoice = await shop.invoice(subscription.payment.invoiceId);
    await shop.pay({ paymentUrl: subscription.payment.checkoutUrl });
    await shop.advance(clock, 'PT1H');
    expect(await shop.invoice(invoice.id)).toMatchObject({
      status: 'PAID',
      totalTax: '1.90',
      tax: { reconciled: true, actualTax: '1.90' },
    });
    expect(recordedOf(invoice)).toEqual({ net: 1000, tax: 190 });
  });

  it('that must be paid in the answer is a 503 while Stripe is away, and nothing is made', async () => {
    const clock = await shop.clock(START);
    const plan = await shop.plan([await shop.feePrice({ paymentTerm: 'in_advance' })]);
    const customer = await customerIn(DE);
    stripe.faults.plan('error_before', 'POST', /calculations/);
    const body = { name: 'S', planId: plan.id, customerId: customer.id, testClockId: clock.id, startedAt: START };
    expect(await merchant.post('/v0/subscriptions', { ...body, prefundAmount: '5' })).toMatchObject({
      status: 503,
      body: { code: 'TAX_FAILED', details: { reason: expect.stringContaining('Stripe') } },
    });
    expect((await shop.read('/v0/subscriptions')).data).toEqual([]);
  });
});

describe('while Stripe is away', () => {
  it('an invoice is tried again, and continues when Stripe is back', async () => {
    stripe.faults.plan('error_before', 'POST', /calculations/, 3);
    const { clock, invoice: waiting } = await issued();
    expect(waiting).toMatchObject({ status: 'CALCULATING' });
    await shop.advance(clock, 'PT1H');
    const invoice = await shop.invoice(waiting.id);
    expect(invoice).toMatchObject({ status: 'ISSUED', totalTax: '1.90' });
    expect(recordedOf(invoice)).toEqual({ net: 1000, tax: 190 });
  });

  it('for good, it is FAILED with the reason; recalculate starts again', async () => {
    stripe.faults.plan('error_before', 'POST', /calculations/, 5);
    const { clock, invoice, subscription } = await issued();
    await shop.advance(clock, 'P1D');
    expect(await shop.invoice(invoice.id)).toMatchObject({
      status: 'FAILED',
      failureReason: 'TAX_FAILED',
      failureDetail: expect.stringContaining('An unknown error occurred.'),
    });
    await shop.act(`/v2/invoices/${invoice.id}/recalculate`);
    await shop.advance(clock, 'PT1H');
    expect(await shop.invoice(invoice.id)).toMatchObject({
      status: 'ISSUED',
      totalTax: '1.90',
      subscriptionId: subscription.id,
    });
  });

  it('the answer to the record is lost, and it is recorded once', async () => {
    stripe.faults.plan('lost', 'POST', /create_from_calculation/);
    stripe.faults.plan('error_after', 'POST', /create_from_calculation/);
    const { clock, invoice } = await issued();
    await shop.advance(clock, 'P3D');
    expect(recordedOf(invoice)).toEqual({ net: 1000, tax: 190 });
    expect((await shop.invoice(invoice.id)).tax).toMatchObject({ reconciled: true });
  });

  it('and disconnected in the middle, nothing is lost', async () => {
    stripe.faults.plan('error_before', 'POST', /create_from_calculation/, 1);
    const { clock, invoice } = await issued();
    await disconnect();
    await shop.advance(clock, 'P2D');
    expect((await shop.invoice(invoice.id)).tax).toMatchObject({ reconciled: false });
    await connect();
    await shop.advance(clock, 'P2D');
    expect((await shop.invoice(invoice.id)).tax).toMatchObject({ reconciled: true, actualTax: '1.90' });
    expect(recordedOf(invoice)).toEqual({ net: 1000, tax: 190 });
  });
});

describe('validTaxAddress', () => {
  const validity = async ({ id }: Resource) => (await shop.read(`/v0/customers/${id}`)).validTaxAddress;

  it('is what Stripe says of a new customer’s address, and of a changed one', async () => {
    const customer = await customerIn({ ...NEW_YORK, zipCode: 'unknown' });
    expect(await validity(customer)).toEqual({ valid: true, message: '' });
    await env.runDueWork();
    expect(await validity(customer)).toEqual({ valid: false, message: expect.stringContaining('tax location') });
    await shop.change(`/v0/organizations/${customer.consumerId}`, { address: NEW_YORK });
    await env.runDueWork();
    expect(await validity(customer)).toEqual({ valid: true, message: '' });
  });

  it('is asked again while Stripe is away, and once when it is back', async () => {
    stripe.faults.plan('error_before', 'POST', /calculations/);
    const customer = await customerIn({ ...NEW_YORK, zipCode: 'unknown' });
    await env.runDueWork();
    expect(await validity(customer)).toMatchObject({ valid: true });
    env.setNow(Temporal.Instant.from(START).add({ minutes: 1 }).toString());
    await env.runDueWork();
    expect(await validity(customer)).toMatchObject({ valid: false });
    const before = calls(/calculations/);
    env.setNow(Temporal.Instant.from(START).add({ hours: 48 }).toString());
    await env.runDueWork();
    expect(calls(/calculations/)).toBe(before);
  });

  it('is our own rule without a tax provider, and no provider is called', async () => {
    await setProvider('internal');
    const before = calls(/calculations/);
    const customer = await customerIn({ ...NEW_YORK, zipCode: 'unknown' });
    await env.runDueWork();
    expect(await validity(customer)).toMatchObject({ valid: true });
    expect(calls(/calculations/)).toBe(before);
  });
});

describe('a process that dies', () => {
  it('between the question and the answer, and between the record and its outcome, loses nothing', async () => {
    // A killed process leaves only its commits from before a call: the outcome is never written.
    const broken = scriptedTax();
    const calculate = vi.spyOn(broken, 'calculate').mockRejectedValueOnce(new Error('killed'));
    const commit = vi.spyOn(broken, 'commit').mockRejectedValueOnce(new Error('killed'));
    const other = await openTestEnvironment({ taxProviders: [broken] });
    try {
      const seller = await other.merchant();
      const theirs = shopOf(seller);
      await connectFake(other, seller);
      const settings = { taxProvider: 'stripe_tax', paymentProvider: 'sandbox' };
      await theirs.change(`/v0/organizations/${seller.id}`, { settings });
      const { clock, invoice } = await theirs.issued();
      expect(invoice.status).toBe('CALCULATING');
      await theirs.advance(clock, 'PT10M');
      expect(await theirs.invoice(invoice.id)).toMatchObject({ status: 'ISSUED', tax: { reconciled: true } });
      expect(calculate).toHaveBeenCalledTimes(2);
      expect(commit.mock.calls.map(([, { key }]) => key)).toEqual([invoice.id, invoice.id]);
    } finally {
      await other.close();
    }
  });
});

describe('reversals', () => {
  it('a refund, its void and another refund are recorded in their order', async () => {
    const { clock, invoice } = await issued();
    await shop.pay(invoice);
    const refund = await shop.create(`/v2/invoices/${invoice.id}/refunds`, {});
    expect(refund.externalCreditNoteId).toMatch(/^tax_/);
    await shop.advance(clock, 'PT1H');
    const [known] = (await shop.read(`/v2/invoices/${invoice.id}/refunds`)).data;
    expect(known.externalCreditNoteId).toBe(refund.externalCreditNoteId);
    expect(recordedOf(invoice, [refund.id])).toEqual({ net: 0, tax: 0 });
    await shop.act(`/v2/invoices/${invoice.id}/refunds/${refund.id}/void`);
    await shop.advance(clock, 'PT1H');
    expect(recordedOf(invoice, [refund.id])).toEqual({ net: 1000, tax: 190 });
    const again = await shop.create(`/v2/invoices/${invoice.id}/refunds`, {});
    await shop.advance(clock, 'PT1H');
    expect(recordedOf(invoice, [refund.id, again.id])).toEqual({ net: 0, tax: 0 });
  });

  it('a cancelled invoice is reversed', async () => {
    const { clock, invoice } = await issued();
    await shop.act(`/v2/invoices/${invoice.id}/cancel`, { reason: 'Wrong customer' });
    await shop.advance(clock, 'PT1H');
    const { data } = await shop.read(`/v2/invoices/${invoice.id}/creditNotes`);
    expect(recordedOf(invoice, [data[0].id])).toEqual({ net: 0, tax: 0 });
  });

  it('the unused time after an end is reversed on the invoice that billed it', async () => {
    const clock = await shop.clock(START);
    const plan = await shop.plan([await shop.feePrice({ paymentTerm: 'in_advance' })]);
    const subscription = await shop.subscribe(plan, { clock, customer: await customerIn(DE) });
    await shop.pay({ paymentUrl: subscription.payment.checkoutUrl });
    await shop.advance(clock, 'P10D');
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over', credit: 'wallet' });
    await shop.advance(clock, 'P60D');
    const invoices = await shop.invoices(subscription);
    for (const invoice of invoices) {
      const { data } = await shop.read(`/v2/invoices/${invoice.id}/creditNotes`);
      const back = data.reduce((all: number, note: Resource) => all + Number(note.taxAmount), 0);
      const { tax } = recordedOf(
        invoice,
        data.map(({ id }: Resource) => id),
      );
      expect(tax).toBe(Math.round((Number(invoice.totalTax) - back) * 100));
    }
    expect(invoices.length).toBeGreaterThan(0);
  });

  it('credit lines on the next invoice are recorded with it, at the tax that was billed', async () => {
    const clock = await shop.clock(START);
    const small = await shop.plan([
      await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '30' } }),
    ]);
    const large = await shop.plan([
      await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '90' } }),
    ]);
    const subscription = await shop.subscribe(small, { clock, customer: await customerIn(DE) });
    await shop.pay({ paymentUrl: subscription.payment.checkoutUrl });
    await shop.advance(clock, 'P15D');
    await shop.create(`/v0/subscriptions/${subscription.id}/changes`, {
      planId: large.id,
      effective: 'now',
      credit: 'invoice',
    });
    await shop.advance(clock, 'P20D');
    const invoices = await shop.invoices(subscription);
    const withCredit = invoices.find(({ lines }) => lines.some((line: Resource) => Number(line.totalPrice) < 0));
    expect(withCredit).toMatchObject({ status: 'ISSUED', tax: { reconciled: true, difference: '0.00' } });
    for (const invoice of invoices.filter(({ status }) => status === 'ISSUED' || status === 'PAID')) {
      expect(recordedOf(invoice).tax).toBe(Math.round(Number(invoice.totalTax) * 100));
      expect(recordedOf(invoice).net).toBe(Math.round(Number(invoice.subtotal) * 100));
    }
  });
});
