import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StripeAccount } from '../stripe/account.ts';
import type { CardName } from '../stripe/cards.ts';
import { openStripeServer, type StripeServer } from '../stripe/server.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** A merchant takes money by Stripe: from the keys to cards, charges, refunds and notices, over HTTP on both sides. */
let stripe: StripeServer;
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let books: StripeAccount;
beforeAll(async () => {
  stripe = await openStripeServer(() => Temporal.Instant.from(START).epochMilliseconds / 1_000);
  env = await openTestEnvironment({ stripeApiUrl: stripe.url });
});
beforeEach(async () => {
  env.setNow(START);
  stripe.faults.clear();
  merchant = await env.merchant();
  shop = shopOf(merchant);
  books = stripe.account();
  await connect();
});
afterEach(() => expectBooksToBalance(env, merchant));
afterAll(async () => {
  await env.close();
  await stripe.close();
});

const setProvider = (paymentProvider: string) =>
  merchant.patch(`/v0/organizations/${merchant.id}`, { settings: { paymentProvider } });

async function connect(): Promise<void> {
  const { secretKey, webhookSecret } = books;
  await shop.replace('/v0/merchantIntegrations', { provider: 'stripe', config: { secretKey, webhookSecret } });
  expect(await setProvider('stripe')).toMatchObject({ status: 200 });
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Goes to Stripe's page of a session. @returns Stripe's id of the page */
async function leaveFor(sessionId: string): Promise<string> {
  const { status, headers, text } = await env.client().post(`/pay/${sessionId}`, '', FORM);
  if (status !== 303) throw new Error(`The page answered ${status}: ${text}`);
  return String(headers.location).split('/').at(-1) as string;
}

const comeBack = (sessionId: string) => env.client().get(`/pay/${sessionId}/return`);

/** Enters a card on Stripe's page of a session, and returns. */
async function pay(sessionId: string, card: CardName = 'visa'): Promise<string> {
  const page = await leaveFor(sessionId);
  books.payPage(page, card);
  await comeBack(sessionId);
  return page;
}

/** Delivers Stripe's notices, and reads them. @returns the statuses of our answers */
async function tell(how: Parameters<StripeAccount['deliver']>[1] = {}): Promise<number[]> {
  const url = `/v0/providers/stripe/webhooks/${merchant.id}`;
  const send = async (body: string, headers: Record<string, string>) =>
    (await env.client().post(url, body, headers)).status;
  const statuses = await books.deliver(send, how);
  await env.runDueWork();
  return statuses;
}

/** A subscription to 10.00 a month, with a card at Stripe; its first month has ended. */
async function sell(card: CardName = 'visa', fields: Record<string, unknown> = {}, plan: Record<string, unknown> = {}) {
  const clock = await shop.clock(START);
  const customer = await shop.customer();
  const setup = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
  await pay(setup.id, card);
  const subscription = await shop.subscribe(await shop.plan([await shop.feePrice()], plan), {
    clock,
    customer,
    autoCharge: true,
    ...fields,
  });
  await shop.advance(clock, 'P1M');
  const [invoice] = (await shop.invoices(subscription)) as [Resource];
  return { clock, customer, subscription, invoice };
}

const payments = async ({ id }: Resource) => (await shop.read(`/v2/invoices/${id}/payments`)).data;
const sessionOf = ({ paymentUrl }: Resource): string => paymentUrl.split('/').at(-1);
const charges = (invoice: Resource) =>
  [...books.intents.values()].filter(({ metadata }) => metadata.reckoner_key?.startsWith(invoice.id));

describe('settings.paymentProvider: stripe', () => {
  it('is a 400 until the keys work, and again after they were disconnected', async () => {
    const { body } = await merchant.get('/v0/merchantIntegrations');
    await setProvider('none');
    await merchant.patch(`/v0/merchantIntegrations/${body.data[0].id}/disconnect`);
    const refused = { status: 400, body: { code: 'PROVIDER_NOT_CONNECTED' } };
    expect(await setProvider('stripe')).toMatchObject(refused);
    await shop.replace('/v0/merchantIntegrations', { provider: 'stripe', config: { secretKey: 'sk_test_wrong' } });
    expect(await setProvider('stripe')).toMatchObject(refused);
    await connect();
  });
});

describe('a year with Stripe', { timeout: 60_000 }, () => {
  it('pays the first invoice on the page, keeps the card, and charges the next ones', async () => {
    const clock = await shop.clock(START);
    const plan = await shop.plan([await shop.feePrice()]);
    const subscription = await shop.subscribe(plan, { clock, autoCharge: true });
    await shop.advance(clock, 'P1M');
    const [first] = (await shop.invoices(subscription)) as [Resource];
    expect(first.status).not.toBe('PAID');
    await pay(sessionOf(first));
    expect(await shop.invoice(first.id)).toMatchObject({ status: 'PAID', paidAmount: '10.00' });
    expect(await payments(first)).toMatchObject([{ amount: '10.00', method: 'card' }]);
    await shop.advance(clock, 'P1M');
    const [, second] = (await shop.invoices(subscription)) as [Resource, Resource];
    expect(second).toMatchObject({ status: 'PAID', paidAmount: '10.00' });
    expect(charges(second)).toMatchObject([{ amount: 1000, currency: 'usd', status: 'succeeded' }]);
  });

  it('declined: dunning asks again, and the customer pays on the page with another card', async () => {
    const { clock, invoice } = await sell('insufficientLater');
    expect(invoice).toMatchObject({ status: 'PAYMENT_FAILED', failureReason: 'insufficient_funds' });
    await shop.advance(clock, 'P2D');
    expect(charges(invoice)).toHaveLength(2);
    const session = await shop.create(`/v2/invoices/${invoice.id}/paymentSessions`);
    await pay(session.id, 'mastercard');
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID' });
    await shop.advance(clock, 'P7D');
    expect(charges(invoice)).toHaveLength(2);
  });

  it.each([
    { currency: 'JPY', unitPrice: '1200', paid: '1200', units: 1200 },
    { currency: 'KWD', unitPrice: '5.12', paid: '5.120', units: 5120 },
  ])('charges $units units for $paid $currency', async ({ currency, unitPrice, paid, units }) => {
    const clock = await shop.clock(START);
    const customer = await shop.customer({ currency });
    const setup = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
    await pay(setup.id);
    const price = await shop.feePrice({ properties: { unitPrice } });
    const subscription = await shop.subscribe(await shop.plan([price], { currency }), {
      clock,
      customer,
      autoCharge: true,
    });
    await shop.advance(clock, 'P1M');
    const [invoice] = (await shop.invoices(subscription)) as [Resource];
    expect(invoice).toMatchObject({ status: 'PAID', paidAmount: paid });
    expect(charges(invoice)).toMatchObject([{ amount: units, currency: currency.toLowerCase() }]);
  });
});

describe('an answer that is lost', () => {
  it.each(['lost', 'error_after', 'reset', 'error_before'] as const)('(%s) charges once', async (fault) => {
    const clock = await shop.clock(START);
    const customer = await shop.customer();
    const setup = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
    await pay(setup.id);
    const plan = await shop.plan([await shop.feePrice()]);
    const subscription = await shop.subscribe(plan, { clock, customer, autoCharge: true });
    stripe.faults.plan(fault, 'POST', /payment_intents$/);
    await shop.advance(clock, 'P1M');
    const [invoice] = (await shop.invoices(subscription)) as [Resource];
    expect(invoice).toMatchObject({ status: 'ISSUED', paymentInFlight: true });
    await shop.advance(clock, 'PT1M');
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID', paymentInFlight: false });
    expect(charges(invoice)).toHaveLength(1);
    expect(await payments(invoice)).toHaveLength(1);
  });

  it('opens one page, however often the customer asks for it', async () => {
    const { invoice } = await sell('visa', { autoCharge: false });
    stripe.faults.plan('lost', 'POST', /sessions$/);
    const pressed = await env.client().post(`/pay/${sessionOf(invoice)}`, '', FORM);
    expect([pressed.status, pressed.headers.location]).toEqual([303, expect.not.stringContaining('https:')]);
    const [page, again] = [await leaveFor(sessionOf(invoice)), await leaveFor(sessionOf(invoice))];
    expect(again).toBe(page);
    expect([...books.sessions.values()].filter(({ mode }) => mode === 'payment')).toHaveLength(1);
  });
});

describe('notices', () => {
  it.each([0, 1, 2, 3])(
    'in any order and number are one payment, without the customer coming back (seed %i)',
    async (seed) => {
      const { invoice } = await sell('visa', { autoCharge: false });
      books.payPage(await leaveFor(sessionOf(invoice)));
      expect(new Set(await tell({ times: 3, shuffledBy: seed }))).toEqual(new Set([200]));
      expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID', paidAmount: '10.00' });
      expect(await payments(invoice)).toHaveLength(1);
    },
  );

  it.each([{ forged: true }, { secondsOld: 301 }])('that are not Stripe’s change nothing: %o', async (how) => {
    const { invoice } = await sell('visa', { autoCharge: false });
    books.payPage(await leaveFor(sessionOf(invoice)));
    expect(new Set(await tell(how))).toEqual(new Set([401]));
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'ISSUED' });
    await comeBack(sessionOf(invoice));
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID' });
  });

  it('of unknown kinds are accepted and ignored', async () => {
    books.emitOther('invoice.finalized');
    expect(await tell()).toEqual([200]);
  });

  it.each([
    { accepted: true, status: 'PAID' },
    { accepted: false, status: 'ISSUED' }, // another card may be tried
  ])('tell how a bank answers days later: $status', async ({ accepted, status }) => {
    const { invoice } = await sell('visa', { autoCharge: false });
    const page = await leaveFor(sessionOf(invoice));
    books.payPageLater(page);
    await tell();
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'ISSUED', paymentInFlight: true });
    books.completePage(page, accepted);
    await tell({ times: 2 });
    expect(await shop.invoice(invoice.id)).toMatchObject({ status, paymentInFlight: false });
  });
});

it('records money that comes after its invoice was cancelled, and sends it back once', async () => {
  const { invoice } = await sell('visa', { autoCharge: false });
  const page = await leaveFor(sessionOf(invoice));
  stripe.faults.plan('error_before', 'POST', /expire$/);
  await shop.act(`/v2/invoices/${invoice.id}/cancel`);
  await env.runDueWork();
  books.payPage(page);
  await tell({ times: 2, shuffledBy: 1 });
  await env.runDueWork();
  expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'CANCELLED' });
  expect([...books.refunds.values()]).toMatchObject([{ amount: 1000, status: 'succeeded' }]);
});

it('ends the page at Stripe whose invoice was cancelled', async () => {
  const { invoice } = await sell('visa', { autoCharge: false });
  const page = await leaveFor(sessionOf(invoice));
  await shop.act(`/v2/invoices/${invoice.id}/cancel`);
  await env.runDueWork();
  expect(books.sessions.get(page)).toMatchObject({ status: 'expired' });
});

describe('money back', () => {
  it.each([null, 'lost', 'error_after'] as const)('leaves once (%s)', async (fault) => {
    const { clock, invoice } = await sell();
    if (fault) stripe.faults.plan(fault, 'POST', /refunds$/);
    await shop.create(`/v2/invoices/${invoice.id}/refunds`);
    await env.runDueWork();
    await shop.advance(clock, 'PT5M');
    env.setNow('2026-02-02T00:00:00Z');
    await env.runDueWork();
    expect(await payments(invoice)).toMatchObject([{ returnStatus: 'returned' }]);
    expect([...books.refunds.values()]).toMatchObject([{ amount: 1000, status: 'succeeded' }]);
  });
});

it('books a refund that the owner makes at Stripe’s dashboard, once', async () => {
  const { invoice } = await sell();
  const [intent] = charges(invoice);
  books.refundAtDashboard(intent?.id as string);
  expect(new Set(await tell({ times: 2, shuffledBy: 7 }))).toEqual(new Set([200]));
  expect((await shop.read(`/v2/invoices/${invoice.id}/refunds`)).data).toMatchObject([{ total: '10.00' }]);
  expect(await payments(invoice)).toMatchObject([{ returnStatus: 'returned' }]);
  expect(books.refunds.size).toBe(1);
});

it.each(['won', 'lost'] as const)('follows a dispute that is %s', async (ends) => {
  const { invoice } = await sell();
  const [intent] = charges(invoice);
  const { id } = books.dispute(intent?.id as string);
  await tell({ times: 2, shuffledBy: 3 });
  expect(await payments(invoice)).toMatchObject([{ dispute: { status: 'open', amount: '10.00' } }]);
  books.closeDispute(id, ends);
  await tell({ times: 2, shuffledBy: 4 });
  expect(await payments(invoice)).toMatchObject([{ dispute: { status: ends, reason: 'fraudulent' } }]);
  expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID' });
});

it('keeps the accounts of two merchants apart', async () => {
  const { invoice } = await sell('visa', { autoCharge: false });
  const page = await leaveFor(sessionOf(invoice));
  books.payPage(page);
  const other = await env.merchant();
  const theirs = stripe.account();
  await other.put('/v0/merchantIntegrations', {
    provider: 'stripe',
    config: { secretKey: theirs.secretKey, webhookSecret: theirs.webhookSecret },
  });
  const send = async (body: string, headers: Record<string, string>) =>
    (await env.client().post(`/v0/providers/stripe/webhooks/${other.id}`, body, headers)).status;
  expect(new Set(await books.deliver(send))).toEqual(new Set([401]));
  const body = JSON.stringify(books.events.at(-1));
  expect(await send(body, { 'content-type': 'application/json', 'stripe-signature': theirs.signature(body) })).toBe(
    200,
  );
  await env.runDueWork();
  expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'ISSUED' });
  expect(theirs.sessions.size).toBe(0);
});

it('ends a page of a disconnected account: no customer is led to it, and the notice is refused', async () => {
  const { invoice } = await sell('visa', { autoCharge: false });
  const { body } = await merchant.get('/v0/merchantIntegrations');
  await merchant.patch(`/v0/merchantIntegrations/${body.data[0].id}/disconnect`);
  const pressed = await env.client().post(`/pay/${sessionOf(invoice)}`, '', FORM);
  expect([pressed.status, pressed.headers.location]).toEqual([303, expect.not.stringContaining('https:')]);
  expect((await env.client().get(`/pay/${sessionOf(invoice)}`)).status).toBe(200);
  await connect();
  await pay(sessionOf(invoice));
  expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID' });
});
