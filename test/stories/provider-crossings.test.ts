import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { decimal } from '../../src/kernel/decimal.ts';
import { FAKE_TOKENS, FakeProvider } from '../../src/payments/testing/fake-provider.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type CardsOutside, cardsOutside } from '../support/cards-outside.ts';
import { openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, START } from '../support/shop.ts';

/** Crossings of a connection to a provider and a payment: accounts that do not work, and open pages. */
let env: TestEnvironment;
let provider: FakeProvider;
let cards: CardsOutside;
beforeAll(async () => {
  provider = new FakeProvider();
  env = await openTestEnvironment({ paymentProviders: [provider] });
});
beforeEach(async () => {
  cards = await cardsOutside(env, provider);
});
afterEach(() => expectBooksToBalance(env, cards.merchant));
afterAll(() => env.close());

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const integration = async (): Promise<Resource> => (await cards.shop.read('/v0/merchantIntegrations')).data[0];
const disconnect = async () => cards.merchant.patch(`/v0/merchantIntegrations/${(await integration()).id}/disconnect`);
/** The merchant has put keys that work, of this account. */
const reconnect = (externalId = 'acct_fake') =>
  env.database.transaction({ merchants: [cards.merchant.id] }, (tx) =>
    tx.run(sql`
      update merchant_integration set status = 'active', status_reason = null, external_id = ${externalId}
       where merchant_id = ${cards.merchant.id}`),
  );
const pay = ({ id }: Resource) => cards.merchant.post(`/v2/invoices/${id}/pay`);
const charges = ({ id }: Resource) => provider.calls.filter((call) => call.startsWith(`charge ${id}`));
const sessionOf = ({ paymentUrl }: Resource): string => paymentUrl.split('/').at(-1);
/** Presses the button of the payment page. @returns the page to which it leads */
async function pressPay(invoice: Resource): Promise<string> {
  const { headers } = await env.client().post(`/pay/${sessionOf(invoice)}`, '', FORM);
  return (await env.client().get(`/pay/${headers.location}`)).text;
}
const notConnected = { status: 400, body: { code: 'PROVIDER_NOT_CONNECTED' } };

async function runAt(...times: string[]): Promise<void> {
  for (const time of times) {
    env.setNow(time);
    await env.runDueWork();
  }
}

/** A subscription to 10.00 a month that is charged to the card; its first month is over at the wall clock's START. */
async function billed(token = FAKE_TOKENS.ok): Promise<Resource> {
  const customer = await cards.customerWith(token);
  const plan = await cards.shop.plan([await cards.shop.feePrice()]);
  const startedAt = '2025-12-01T00:00:00Z';
  const subscription = await cards.shop.subscribe(plan, { customer, autoCharge: true, startedAt });
  return subscription;
}
const firstInvoice = async (subscription: Resource): Promise<Resource> =>
  (await cards.shop.invoices(subscription))[0] as Resource;

describe('a provider that is not connected', () => {
  it('opens no session: 400 PROVIDER_NOT_CONNECTED', async () => {
    const customer = await cards.customerWith();
    const invoice = await cards.issue(customer);
    await disconnect();
    const { merchant } = cards;
    expect(await merchant.post(`/v2/invoices/${invoice.id}/paymentSessions`)).toMatchObject(notConnected);
    expect(await merchant.post(`/v0/customers/${customer.id}/paymentMethods`)).toMatchObject(notConnected);
    expect(await merchant.post('/v0/payments', { amount: '5', currency: 'USD' })).toMatchObject(notConnected);
    const topUp = { amount: '5', currency: 'USD', idempotencyKey: 'top-up' };
    expect(await merchant.post(`/v0/customers/${customer.id}/wallet/topUps`, topUp)).toMatchObject(notConnected);
    expect(await pay(invoice)).toMatchObject(notConnected);
    expect(await cards.shop.invoice(invoice.id)).toMatchObject({ status: 'ISSUED', paymentInFlight: false });
  });

  it('is said on the page of a session that is open already', async () => {
    const invoice = await cards.issue(await cards.shop.customer());
    await disconnect();
    expect(await pressPay(invoice)).toContain('This merchant cannot take card payments at the moment.');
  });
});

describe('a key that was revoked', () => {
  it('found by the page makes the integration an error that says why', async () => {
    const invoice = await cards.issue(await cards.shop.customer());
    provider.fault('openCheckout', 'refused');
    expect(await pressPay(invoice)).toContain('cannot take card payments');
    expect(await integration()).toMatchObject({ status: 'error', statusReason: 'This key was revoked.' });
  });

  it('found by a charge spends no retry, and the charge is made when the account works again', async () => {
    const subscription = await billed();
    provider.fault('charge', 'refused');
    await runAt(START);
    const invoice = await firstInvoice(subscription);
    expect(invoice).toMatchObject({ status: 'ISSUED', paymentInFlight: true });
    expect(await integration()).toMatchObject({ status: 'error', statusReason: 'This key was revoked.' });
    await runAt('2026-01-01T00:01:00Z');
    expect(charges(invoice)).toEqual([]);
    await reconnect();
    await runAt('2026-01-01T00:05:00Z');
    expect(await cards.shop.invoice(invoice.id)).toMatchObject({ status: 'PAID', paymentInFlight: false });
    expect(charges(invoice)).toEqual([`charge ${invoice.id}:1`]);
  });

  it('that is not corrected for a day ends the charge, which is tried daily without using a retry', async () => {
    const subscription = await billed();
    provider.fault('charge', 'refused');
    const times = ['00:01', '00:05', '00:30', '02:00', '12:00'].map((time) => `2026-01-01T${time}:00Z`);
    await runAt(START, ...times, '2026-01-02T00:00:00Z');
    const { id } = await firstInvoice(subscription);
    expect(await cards.shop.invoice(id)).toMatchObject({
      status: 'PAYMENT_FAILED',
      failureReason: 'provider_not_connected',
      paymentInFlight: false,
      nextActionAt: '2026-01-03T00:00:00Z',
    });
    const [row] = await env.database.transaction({ merchants: [cards.merchant.id] }, (tx) =>
      tx.rows(sql`select failed_attempts from invoice where id = ${id}`),
    );
    expect(row).toEqual({ failedAttempts: 0 });
    await reconnect();
    await runAt('2026-01-03T00:00:00Z');
    expect(await cards.shop.invoice(id)).toMatchObject({ status: 'PAID' });
    expect(charges({ id })).toEqual([`charge ${id}:2`]);
  });

  it('found by a refund leaves the money to be sent, which a void still stops', async () => {
    const invoice = await cards.issue(await cards.customerWith());
    await pay(invoice);
    provider.fault('refund', 'refused');
    const refund = await cards.shop.create(`/v2/invoices/${invoice.id}/refunds`);
    expect(await integration()).toMatchObject({ status: 'error' });
    expect(await cards.payments(invoice)).toMatchObject([{ returnStatus: 'requested' }]);
    await cards.shop.act(`/v2/invoices/${invoice.id}/refunds/${refund.id}/void`);
    expect(await cards.payments(invoice)).toMatchObject([{ returnStatus: 'stopped' }]);
    await reconnect();
    await cards.shop.create(`/v2/invoices/${invoice.id}/refunds`);
    expect(await cards.payments(invoice)).toMatchObject([{ returnStatus: 'returned' }]);
  });
});

describe('a stored card of another account than the one that is connected', () => {
  it('is not charged, and the reason is clear', async () => {
    const customer = await cards.customerWith();
    await reconnect('acct_other');
    const invoice = await cards.issue(customer);
    expect(await pay(invoice)).toMatchObject({
      status: 200,
      body: { status: 'PAYMENT_FAILED', failureReason: 'card_of_another_account', paymentInFlight: false },
    });
    expect(charges(invoice)).toEqual([]);
    await reconnect();
    expect((await pay(invoice)).body).toMatchObject({ status: 'PAID' });
  });
});

describe('a charge while a page is open at the provider', () => {
  const open = async () => {
    const invoice = await cards.issue(await cards.customerWith());
    return { invoice, page: await cards.leaveFor(sessionOf(invoice)) };
  };

  it('ends the page first', async () => {
    const { invoice, page } = await open();
    expect((await pay(invoice)).body).toMatchObject({ status: 'PAID' });
    const calls = provider.calls.filter(
      (call) => call === `expireCheckout ${page}` || call.includes(`${invoice.id}:1`),
    );
    expect(calls).toEqual([`expireCheckout ${page}`, `charge ${invoice.id}:1`]);
    expect(() => provider.pay(page)).toThrow('The page is over.');
  });

  it('is not made where the customer has paid on it meanwhile', async () => {
    const { invoice, page } = await open();
    provider.pay(page);
    expect((await pay(invoice)).body).toMatchObject({ status: 'PAID', paidAmount: '10.00', paymentInFlight: false });
    expect(charges(invoice)).toEqual([]);
    expect(await cards.payments(invoice)).toHaveLength(1);
  });

  it('is not made where the bank is being asked on it, and the bank decides', async () => {
    const { invoice, page } = await open();
    provider.process(page);
    expect((await pay(invoice)).body).toMatchObject({ status: 'ISSUED', paymentInFlight: true });
    expect(charges(invoice)).toEqual([]);
    provider.pay(page);
    await cards.tell(provider.notices.slice(-1));
    await env.runDueWork();
    expect(await cards.shop.invoice(invoice.id)).toMatchObject({ status: 'PAID', paymentInFlight: false });
  });

  it('waits where the provider does not say whether the page has ended', async () => {
    const { invoice, page } = await open();
    provider.fault('expireCheckout', 'lost after');
    expect((await pay(invoice)).body).toMatchObject({ status: 'ISSUED', paymentInFlight: true });
    expect(charges(invoice)).toEqual([]);
    await runAt('2026-01-01T00:01:00Z');
    expect(await cards.shop.invoice(invoice.id)).toMatchObject({ status: 'PAID' });
    expect(charges(invoice)).toHaveLength(1);
    expect(() => provider.pay(page)).toThrow('The page is over.');
  });
});

describe('an automatic top-up whose bank takes its time', () => {
  it('is the only one, also where it is taken away and set again, and the next one comes after it', async () => {
    const { id } = await cards.customerWith(FAKE_TOKENS.pending);
    const path = `/v0/customers/${id}/creditTopUp`;
    const set = async (threshold: string) => {
      await cards.shop.replace(path, { currency: 'USD', threshold, amount: '100' });
      await env.runDueWork();
    };
    const asked = () => provider.calls.filter((call) => call.startsWith('charge ') && !earlier.has(call));
    const earlier = new Set(provider.calls);
    const credits = async () => (await cards.shop.read(`/v0/customers/${id}/billingCredits`)).data.length;
    await set('20');
    await set('30'); // another look, while the first one is being paid
    expect(asked()).toHaveLength(1);
    expect((await cards.merchant.delete(path)).status).toBe(204);
    await set('20');
    expect(asked()).toHaveLength(1);
    provider.decideCharge((asked()[0] as string).slice('charge '.length), { amount: decimal('100'), currency: 'USD' });
    await cards.tell();
    await env.runDueWork();
    expect(await credits()).toBe(1);
    expect(asked()).toHaveLength(1);
    await set('200');
    expect(asked()).toHaveLength(2);
  });
});
