import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { decimal } from '../../src/kernel/decimal.ts';
import { FAKE_TOKENS, FakeProvider } from '../../src/payments/testing/fake-provider.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { connectFake, NOTICE_SECRET } from '../support/connected.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Stored cards that a provider outside our database charges: lost answers, banks that take their time, refunds. */
let env: TestEnvironment;
let provider: FakeProvider;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  provider = new FakeProvider();
  env = await openTestEnvironment({ paymentProviders: [provider] });
});
beforeEach(async () => {
  env.setNow(START);
  merchant = await env.merchant();
  shop = shopOf(merchant);
  await connectFake(env, merchant);
});
afterEach(() => expectBooksToBalance(env, merchant));
afterAll(() => env.close());

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const nobody = () => env.client();

/** Goes to the provider's page of a session. @returns the provider's reference of the page */
async function leaveFor(sessionId: string): Promise<string> {
  const { status, headers } = await nobody().post(`/pay/${sessionId}`, '', FORM);
  expect(status).toBe(303);
  return String(headers.location).split('/').at(-1) as string;
}

/** A customer with a card at the provider. */
async function customerWith(token: string): Promise<Resource> {
  const customer = await shop.customer();
  const setup = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
  provider.pay(await leaveFor(setup.id), { token });
  await nobody().get(`/pay/${setup.id}/return`);
  return customer;
}

/** A subscription to 10.00 a month in arrears that is charged to the card; its first month is over. */
async function sell(token: string, fields: object = {}, beforeCharge = () => {}) {
  const clock = await shop.clock(START);
  const customer = await customerWith(token);
  const plan = await shop.plan([await shop.feePrice()]);
  const subscription = await shop.subscribe(plan, { clock, customer, autoCharge: true, ...fields });
  beforeCharge();
  await shop.advance(clock, 'P1M');
  const [invoice] = (await shop.invoices(subscription)) as [Resource];
  return { clock, customer, plan, subscription, invoice };
}

const payments = async ({ id }: Resource) => (await shop.read(`/v2/invoices/${id}/payments`)).data;
const charged = (invoice: Resource) => provider.acceptedKeys.filter((key) => key.startsWith(invoice.id));
const notifyAll = async () => {
  for (const notice of provider.notices)
    await nobody().post(`/v0/providers/stripe/webhooks/${merchant.id}`, JSON.stringify(notice), {
      'content-type': 'application/json',
      'fake-signature': NOTICE_SECRET,
    });
  await env.runDueWork();
};

describe('autoCharge by a provider outside', () => {
  it('pays the invoice after its intent was committed', async () => {
    const { invoice } = await sell(FAKE_TOKENS.ok);
    expect(invoice).toMatchObject({ status: 'PAID', paidAmount: '10.00', paymentInFlight: false });
    expect(charged(invoice)).toEqual([`${invoice.id}:1`]);
    expect(await payments(invoice)).toMatchObject([{ amount: '10.00', method: 'card' }]);
  });

  it('that is declined fails the payment, and is tried again under a new key', async () => {
    const { clock, invoice } = await sell(FAKE_TOKENS.declined);
    expect(invoice).toMatchObject({ status: 'PAYMENT_FAILED', failureReason: 'card_declined' });
    await shop.advance(clock, 'P2D');
    expect(provider.calls.filter((call) => call.startsWith(`charge ${invoice.id}`))).toEqual([
      `charge ${invoice.id}:1`,
      `charge ${invoice.id}:2`,
    ]);
  });

  it('that the provider has with another amount goes back, and is nobody’s failed payment', async () => {
    const { clock, customer, invoice } = await sell(FAKE_TOKENS.ok, {}, () => {
      const charge = provider.charge.bind(provider);
      vi.spyOn(provider, 'charge').mockImplementationOnce((account, request) =>
        charge(account, { ...request, amount: request.amount.plus(1) }),
      );
    });
    expect(invoice).toMatchObject({ status: 'PAYMENT_FAILED', failureReason: 'charge_differs' });
    await env.runDueWork();
    expect(provider.refunds.map(({ amount }) => amount.toFixed(2))).toContain('11.00');
    await shop.advance(clock, 'P1D');
    expect(await shop.read(`/v2/invoices/${invoice.id}`)).toMatchObject({ status: 'PAID', paidAmount: '10.00' });
    const kinds = (await shop.read(`/v0/mails?customerId=${customer.id}`)).data.map(({ kind }: Resource) => kind);
    expect(kinds).not.toContain('paymentFailed');
  });

  it.each([{ fault: 'lost before' as const }, { fault: 'lost after' as const }])(
    'whose answer is $fault is in flight, and looked up, and charged once',
    async ({ fault }) => {
      provider.fault('charge', fault);
      const { clock, invoice } = await sell(FAKE_TOKENS.ok);
      expect(invoice).toMatchObject({ status: 'ISSUED', paymentInFlight: true });
      const refused = await merchant.post(`/v2/invoices/${invoice.id}/cancel`);
      expect(refused.status).toBe(409);
      await shop.advance(clock, 'PT1M');
      expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID', paymentInFlight: false });
      expect(charged(invoice)).toEqual([`${invoice.id}:1`]);
    },
  );

  it('whose provider is away for more than a day waits for a person, is never charged twice, and is paid in the end', async () => {
    provider.fault('charge', 'lost after');
    provider.fault('findCharge', ...Array.from({ length: 6 }, () => 'lost before' as const));
    const { clock, invoice } = await sell(FAKE_TOKENS.ok);
    await shop.advance(clock, 'PT25H');
    const [charge] = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      tx.rows(sql`select status, look_ups from payment_charge where invoice_id = ${invoice.id}`),
    );
    expect(charge).toEqual({ status: 'unresolved', lookUps: 6 });
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'ISSUED', paymentInFlight: true });
    await notifyAll();
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID', paymentInFlight: false });
    expect(charged(invoice)).toEqual([`${invoice.id}:1`]);
  });

  it('that the bank answers later is in flight until a notice says how it ended', async () => {
    const { invoice } = await sell(FAKE_TOKENS.pending);
    expect(invoice).toMatchObject({ status: 'ISSUED', paymentInFlight: true });
    provider.decideCharge(`${invoice.id}:1`, { amount: decimal('10'), currency: 'USD' });
    await notifyAll();
    await notifyAll();
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID', paidAmount: '10.00' });
    expect(await payments(invoice)).toHaveLength(1);
  });
});

describe('POST …/pay', () => {
  it('charges the stored card by the provider', async () => {
    const { subscription, invoice } = await sell(FAKE_TOKENS.ok, { autoCharge: false });
    expect(invoice.status).toBe('ISSUED');
    const answer = await merchant.post(`/v2/invoices/${invoice.id}/pay`);
    expect(answer.status).toBe(200);
    await env.runDueWork();
    expect((await shop.invoices(subscription))[0]).toMatchObject({ status: 'PAID' });
    expect(charged(invoice)).toEqual([`${invoice.id}:1`]);
  });
});

describe('a refund', () => {
  it('goes back by the provider once, also where its answer is lost', async () => {
    const { clock, invoice } = await sell(FAKE_TOKENS.ok);
    const before = provider.refunds.length;
    provider.fault('refund', 'lost after');
    await shop.create(`/v2/invoices/${invoice.id}/refunds`);
    await env.runDueWork();
    expect(await payments(invoice)).toMatchObject([{ returnStatus: 'requested' }]);
    await shop.advance(clock, 'PT1M');
    expect(await payments(invoice)).toMatchObject([{ returnStatus: 'returned', returnReference: expect.any(String) }]);
    expect(provider.refunds).toHaveLength(before + 1);
  });
});

/** The balance of a merchant's account, in USD. */
const balance = async (account: string): Promise<string> => {
  const [row] = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
    tx.rows<{ total: string }>(sql`
      select trim_scale(coalesce(sum(amount), 0))::text as total from ledger_entry
       where merchant_id = ${merchant.id} and account = ${account} and currency = 'USD'`),
  );
  return row?.total as string;
};
const chargeOf = async (invoice: Resource): Promise<string> => {
  const [row] = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
    tx.rows<{ reference: string }>(
      sql`select provider_reference as reference from payment_receipt where invoice_id = ${invoice.id}`,
    ),
  );
  return row?.reference as string;
};
const ten = { amount: decimal('10'), currency: 'USD' } as const;

describe('a refund that was made at the provider', () => {
  it('of all money of an invoice refunds it by a credit note, without a call', async () => {
    const { invoice } = await sell(FAKE_TOKENS.ok);
    const reference = provider.refundAtDashboard({ chargeReference: await chargeOf(invoice), ...ten });
    const calls = provider.calls.length;
    await notifyAll();
    await notifyAll();
    const { data } = await shop.read(`/v2/invoices/${invoice.id}/refunds`);
    expect(data).toMatchObject([{ total: '10.00', status: 'ISSUED', reason: 'Refunded at the payment provider' }]);
    expect(await payments(invoice)).toMatchObject([{ returnStatus: 'returned', returnReference: reference }]);
    expect(provider.calls.slice(calls).filter((call) => call.startsWith('refund'))).toEqual([]);
    expect(await balance('cash')).toBe('0');
  });

  it('of a part is booked beside the invoice, and booked back where it fails', async () => {
    const { invoice } = await sell(FAKE_TOKENS.ok);
    const part = { chargeReference: await chargeOf(invoice), amount: decimal('4'), currency: 'USD' };
    const reference = provider.refundAtDashboard(part);
    await notifyAll();
    expect([await balance('returned_outside'), await balance('cash')]).toEqual(['4', '6']);
    expect((await shop.read(`/v2/invoices/${invoice.id}/refunds`)).data).toEqual([]);
    provider.decideRefund(reference, 'failed');
    await notifyAll();
    expect([await balance('returned_outside'), await balance('cash')]).toEqual(['0', '10']);
  });
});

describe('a dispute', () => {
  it.each([
    { ends: 'won' as const, disputes: '0', cash: '10' },
    { ends: 'lost' as const, disputes: '10', cash: '0' },
  ])(
    'that is $ends leaves $disputes held back and $cash of cash, in any order of notices',
    async ({ ends, ...left }) => {
      const { invoice } = await sell(FAKE_TOKENS.ok);
      const about = { chargeReference: await chargeOf(invoice), ...ten, reason: 'fraudulent' };
      const reference = provider.dispute({ ...about, status: 'inquiry' });
      await notifyAll();
      expect(await balance('disputes')).toBe('0');
      provider.dispute({ ...about, status: 'open' }, reference);
      await notifyAll();
      expect([await balance('disputes'), await balance('cash')]).toEqual(['10', '0']);
      expect(await payments(invoice)).toMatchObject([
        { dispute: { status: 'open', amount: '10.00', reason: 'fraudulent' } },
      ]);
      provider.dispute({ ...about, status: ends }, reference);
      await notifyAll();
      await notifyAll();
      expect([await balance('disputes'), await balance('cash')]).toEqual([left.disputes, left.cash]);
      expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID' });
    },
  );
});
