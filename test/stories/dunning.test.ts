import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';
import { openTables } from '../support/tables.ts';

/** Invoices with automatic charges, the consequences of a declined card, and charges on demand (domain.md §4). */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await openTestEnvironment();
});
beforeEach(async () => {
  env.setNow(START);
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterEach(() => expectBooksToBalance(env, merchant));
afterAll(() => env.close());

const rows = <Row>(query: ReturnType<typeof sql>) =>
  env.database.transaction({ merchants: [merchant.id] }, (tx) => tx.rows<Row>(query));
const settings = (dunning: object) => shop.change(`/v0/organizations/${merchant.id}`, { settings: { dunning } });

/** A card that a customer stores; `pm_then_declined` has worked once with that. */
async function store(customer: Resource, card: string): Promise<void> {
  const setup = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
  await shop.act(`/v0/paymentSessions/${setup.id}/complete`, { paymentMethod: card });
}

/**
 * A subscription to 10.00 a month in arrears, charged to a stored card, where there is one; its first month is over.
 */
async function sell(card: string | null, fields: object = {}) {
  const clock = await shop.clock(START);
  const customer = await shop.customer();
  if (card !== null) await store(customer, card);
  const plan = await shop.plan([await shop.feePrice()]);
  const subscription = await shop.subscribe(plan, { clock, customer, autoCharge: true, ...fields });
  await shop.advance(clock, 'P1M');
  const [invoice] = await shop.invoices(subscription);
  return { clock, customer, plan, subscription, invoice };
}

const payments = async ({ id }: Resource) => (await shop.read(`/v2/invoices/${id}/payments`)).data;
const pay = ({ id }: Resource) => merchant.post(`/v2/invoices/${id}/pay`);
const told = async ({ id }: Resource): Promise<string[]> => {
  const found = await rows<{ type: string; createdAt: { toString: () => string } }>(
    sql`select type, created_at from outbox where data ->> 'invoiceId' = ${id} and type like 'invoice.%' order by seq`,
  );
  return found.map(({ type, createdAt }) => `${createdAt.toString().slice(0, 10)} ${type.split('.')[1]}`);
};
const chargesOf = ({ id }: Resource) =>
  rows<{ status: string; declineReason: string | null; createdAt: { toString: () => string } }>(
    sql`select status, decline_reason, created_at from payment_charge where invoice_id = ${id} order by seq`,
  );
const daysOfCharges = async (invoice: Resource) =>
  (await chargesOf(invoice)).map(({ createdAt }) => createdAt.toString().slice(0, 10));

describe('autoCharge', () => {
  // Proves 2.subscription.autoCharge.
  it('charges the default card as the invoice is issued, before anything else happens', async () => {
    const { invoice } = await sell('pm_ok');
    expect(invoice).toMatchObject({
      status: 'PAID',
      paidAmount: '10.00',
      paidAt: '2026-02-01T00:00:00Z',
      paymentInFlight: false,
    });
    const [payment, ...more] = await payments(invoice);
    expect(more).toEqual([]);
    expect(payment).toMatchObject({
      method: 'card',
      amount: '10.00',
      paymentSessionId: null,
      paymentMethodId: expect.stringMatching(/^pm_/),
    });
    expect(await told(invoice)).toEqual(['2026-02-01 issued', '2026-02-01 paid']);
  });

  it('pays each month of a year automatically', async () => {
    const { clock, subscription } = await sell('pm_ok');
    await shop.advance(clock, '2027-01-01T00:00:00Z');
    const invoices = await shop.invoices(subscription);
    expect(invoices.map(({ status }) => status)).toEqual([...Array(12).fill('PAID'), 'ACTIVE']);
  });

  it('without a stored card asks by a session, and keeps the card that pays for the next one', async () => {
    const { clock, invoice, subscription } = await sell(null);
    expect(invoice).toMatchObject({ status: 'ISSUED', paymentUrl: expect.stringContaining('/pay/ps_') });
    await shop.pay(invoice);
    await shop.advance(clock, 'P1M');
    const [, second] = await shop.invoices(subscription);
    expect(second).toMatchObject({ status: 'PAID' });
    expect(await chargesOf(second)).toMatchObject([{ status: 'accepted' }]);
  });

  it.each([
    { what: 'is off', fields: { autoCharge: false } },
    { what: 'meets bankTransferOnly', fields: { bankTransferOnly: true } },
  ])('charges nothing where it $what', async ({ fields }) => {
    const { invoice } = await sell('pm_ok', fields);
    expect(invoice.status).toBe('ISSUED');
    expect(await chargesOf(invoice)).toEqual([]);
  });

  it('on the wall clock writes the intent first, which blocks payments, cancellations and write-offs', async () => {
    const customer = await shop.customer();
    await store(customer, 'pm_ok');
    const plan = await shop.plan([await shop.feePrice()], { autoApprove: false });
    const subscription = await shop.subscribe(plan, { customer, startedAt: START, autoCharge: true });
    env.setNow('2026-02-01T00:00:00Z');
    await env.runDueWork();
    const [draft] = await shop.invoices(subscription);
    const issued = await shop.act(`/v2/invoices/${draft.id}/approve`);
    expect(issued).toMatchObject({ status: 'ISSUED', paymentInFlight: true, paymentUrl: null });
    const cash = { amount: '10', method: 'cash', idempotencyKey: 'k' };
    for (const [action, body, code] of [
      ['payments', cash, 'PAYMENT_IN_PROGRESS'],
      ['paymentSessions', {}, 'PAYMENT_IN_PROGRESS'],
      ['pay', {}, 'PAYMENT_IN_PROGRESS'],
      ['cancel', {}, 'INVALID_TRANSITION'],
      ['writeOff', {}, 'INVALID_TRANSITION'],
    ] as const) {
      const answer = await merchant.post(`/v2/invoices/${draft.id}/${action}`, body);
      expect([action, answer.status, answer.body.code]).toEqual([action, 409, code]);
    }
    await env.runDueWork();
    expect(await shop.invoice(draft.id)).toMatchObject({ status: 'PAID', paymentInFlight: false });
  });
});

describe('a declined card', () => {
  it('is tried again after 2, 5, 7 and 7 days, each from the attempt before, and then the invoice is kept', async () => {
    const { clock, invoice } = await sell('pm_then_declined');
    expect(invoice).toMatchObject({
      status: 'PAYMENT_FAILED',
      failureReason: 'card_declined',
      nextActionAt: '2026-02-03T00:00:00Z',
      paymentInFlight: false,
      paymentUrl: expect.stringContaining(`/pay/invoices/${invoice.id}`),
    });
    await shop.advance(clock, '2026-02-27T00:00:00Z');
    expect(await daysOfCharges(invoice)).toEqual([
      '2026-02-01',
      '2026-02-03',
      '2026-02-08',
      '2026-02-15',
      '2026-02-22',
    ]);
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAYMENT_FAILED', nextActionAt: null });
    expect(await told(invoice)).toEqual([
      '2026-02-01 issued',
      '2026-02-01 payment_failed',
      '2026-02-02 overdue',
      '2026-02-03 payment_failed',
      '2026-02-08 payment_failed',
      '2026-02-15 payment_failed',
      '2026-02-22 payment_failed',
    ]);
    expect(await payments(invoice)).toEqual([]);
  });

  it.each([
    { finally: 'keep', status: 'PAYMENT_FAILED', subscribed: 'active', open: 1 },
    { finally: 'write_off', status: 'WRITTEN_OFF', subscribed: 'active', open: 1 },
    { finally: 'terminate', status: 'PAYMENT_FAILED', subscribed: 'terminated', open: 0 },
  ])('whose retries are spent ends as the merchant says: $finally', async ({ status, subscribed, open, ...end }) => {
    await settings({ retryAfterDays: [1, 3], ...end });
    const { clock, invoice, subscription } = await sell('pm_then_declined');
    await shop.advance(clock, '2026-02-05T00:00:00Z');
    expect(await daysOfCharges(invoice)).toEqual(['2026-02-01', '2026-02-02', '2026-02-05']);
    expect(await shop.invoice(invoice.id)).toMatchObject({ status, nextActionAt: null });
    expect(await shop.read(`/v0/subscriptions/${subscription.id}`)).toMatchObject({
      status: subscribed,
      ...(subscribed === 'terminated' && {
        terminatedAt: '2026-02-05T00:00:00Z',
        terminationReason: 'payment_failed',
        terminatedBy: merchant.id,
      }),
    });
    const invoices = await shop.invoices(subscription);
    expect(invoices.filter((each: Resource) => each.status === 'ACTIVE')).toHaveLength(open);
    if (status === 'WRITTEN_OFF') expect((await told(invoice)).at(-1)).toBe('2026-02-05 written_off');
  });

  it('is another card by then: the retry pays', async () => {
    const { clock, customer, invoice } = await sell('pm_then_declined');
    await store(customer, 'pm_ok');
    const { data } = await shop.read(`/v0/customers/${customer.id}/paymentMethods`);
    await shop.act(`/v0/customers/${customer.id}/paymentMethods/${data[0].id}/default`);
    await shop.advance(clock, 'P2D');
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID', paidAt: '2026-02-03T00:00:00Z' });
    expect(await chargesOf(invoice)).toMatchObject([{ status: 'declined' }, { status: 'accepted' }]);
  });

  it.each([
    {
      what: 'the card is forgotten',
      stop: async (customer: Resource) => {
        const { data } = await shop.read(`/v0/customers/${customer.id}/paymentMethods`);
        await merchant.delete(`/v0/customers/${customer.id}/paymentMethods/${data[0].id}`);
      },
    },
    {
      what: 'autoCharge is off',
      stop: (_: Resource, subscription: Resource) =>
        shop.change(`/v0/subscriptions/${subscription.id}`, { autoCharge: false }),
    },
  ])('is not charged any more once $what, and the attempt counts as declined', async ({ stop }) => {
    await settings({ retryAfterDays: [1], finally: 'write_off' });
    const { clock, customer, subscription, invoice } = await sell('pm_then_declined');
    await stop(customer, subscription);
    await shop.advance(clock, 'P1D');
    expect(await chargesOf(invoice)).toMatchObject([
      { declineReason: 'card_declined' },
      { declineReason: 'no_payment_method' },
    ]);
    expect(await shop.invoice(invoice.id)).toMatchObject({
      status: 'WRITTEN_OFF',
      failureReason: 'no_payment_method',
    });
  });

  it('leaves the invoice to be paid otherwise, in the retries and after them, also where it was written off', async () => {
    await settings({ retryAfterDays: [5], finally: 'write_off' });
    const { clock, invoice } = await sell('pm_then_declined');
    const session = await shop.create(`/v2/invoices/${invoice.id}/paymentSessions`);
    await shop.act(`/v0/paymentSessions/${session.id}/complete`, { paymentMethod: 'pm_ok' });
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID', nextActionAt: null });
    await shop.advance(clock, '2026-02-20T00:00:00Z');
    expect(await chargesOf(invoice)).toHaveLength(1);

    const lost = await sell('pm_then_declined');
    await shop.advance(lost.clock, 'P5D');
    expect(await shop.invoice(lost.invoice.id)).toMatchObject({ status: 'WRITTEN_OFF' });
    const late = await shop.create(`/v2/invoices/${lost.invoice.id}/paymentSessions`);
    await shop.act(`/v0/paymentSessions/${late.id}/complete`, { paymentMethod: 'pm_ok' });
    expect(await shop.invoice(lost.invoice.id)).toMatchObject({ status: 'PAID', unpaidAmount: '0.00' });
    expect((await told(lost.invoice)).slice(-2)).toEqual(['2026-02-06 written_off', '2026-02-06 paid']);
  });

  it('of an invoice that is refunded later went back through the provider, once', async () => {
    const { invoice, clock } = await sell('pm_ok');
    await shop.create(`/v2/invoices/${invoice.id}/refunds`);
    await shop.advance(clock, 'PT1H');
    expect(await payments(invoice)).toMatchObject([{ returnStatus: 'returned' }]);
  });
});

describe('POST …/pay', () => {
  const issue = async (card: string | null): Promise<Resource> => {
    const customer = await shop.customer();
    if (card !== null) await store(customer, card);
    const lines = [{ displayName: 'Work', quantity: 1, unitPrice: 100 }];
    return shop.create('/v2/invoices', { customerId: customer.id, currency: 'USD', lines, autoApprove: true });
  };

  it('charges the stored card now, and the session by which it could be paid is over', async () => {
    const invoice = await issue('pm_ok');
    const { status, body } = await pay(invoice);
    expect([status, body.status, body.paidAmount]).toEqual([200, 'PAID', '100.00']);
    const session = await shop.read(`/v0/paymentSessions/${invoice.paymentUrl.split('/').at(-1)}`);
    expect(session.status).toBe('expired');
    expect((await pay(invoice)).body.code).toBe('INVALID_TRANSITION');
  });

  it('charges what is unpaid', async () => {
    const invoice = await issue('pm_ok');
    const transfer = { amount: '30', method: 'bank_transfer', idempotencyKey: 'part' };
    await shop.create(`/v2/invoices/${invoice.id}/payments`, transfer);
    await pay(invoice);
    expect(await payments(invoice)).toMatchObject([{ amount: '70.00' }, { amount: '30.00' }]);
  });

  it('with a declined card answers so, without an automatic retry', async () => {
    const invoice = await issue('pm_then_declined');
    const { status, body } = await pay(invoice);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'PAYMENT_FAILED', failureReason: 'card_declined', nextActionAt: null });
    env.setNow('2026-01-02T00:00:00Z');
    await env.runDueWork();
    expect(await chargesOf(invoice)).toHaveLength(1);
    expect((await told(invoice)).at(-1)).toBe('2026-01-02 overdue');
    expect((await pay(invoice)).body.status).toBe('PAYMENT_FAILED');
    const { id } = await shop.create(`/v2/invoices/${invoice.id}/paymentSessions`);
    await shop.act(`/v0/paymentSessions/${id}/complete`, { paymentMethod: 'pm_ok' });
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID' });
  });

  it('between two retries takes no part in them', async () => {
    const { clock, invoice } = await sell('pm_then_declined');
    await shop.advance(clock, 'P1D');
    expect((await pay(invoice)).body).toMatchObject({ status: 'PAYMENT_FAILED', nextActionAt: '2026-02-03T00:00:00Z' });
    await shop.advance(clock, 'P1D');
    expect(await daysOfCharges(invoice)).toEqual(['2026-02-01', '2026-02-02', '2026-02-03']);
    expect(await shop.invoice(invoice.id)).toMatchObject({ nextActionAt: '2026-02-08T00:00:00Z' });
  });

  it.each([
    { what: 'no stored card', prepare: () => issue(null), code: 'NO_PAYMENT_METHOD' },
    {
      what: 'no provider',
      prepare: async () => {
        const invoice = await issue('pm_ok');
        await shop.change(`/v0/organizations/${merchant.id}`, { settings: { paymentProvider: 'none' } });
        return invoice;
      },
      code: 'NO_PAYMENT_PROVIDER',
    },
    {
      what: 'nothing to pay any more',
      prepare: async () => shop.act(`/v2/invoices/${(await issue('pm_ok')).id}/cancel`),
      code: 'INVALID_TRANSITION',
    },
  ])('with $what is refused', async ({ prepare, code }) => {
    const answer = await pay(await prepare());
    expect([answer.status, answer.body.code]).toEqual([409, code]);
  });

  it('under one Idempotency-Key is one charge and one answer', async () => {
    const invoice = await issue('pm_ok');
    const send = () => merchant.post(`/v2/invoices/${invoice.id}/pay`, {}, { 'idempotency-key': 'once' });
    const first = await send();
    const again = await send();
    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([200, 200, 'true']);
    expect(again.body).toEqual(first.body);
    expect(await chargesOf(invoice)).toHaveLength(1);
  });
});

describe('who come at once', () => {
  /** No card was charged more than its receipt, and one of them paid the invoice. */
  async function expectPaidOnce(invoice: Resource): Promise<void> {
    expect(await shop.invoice(invoice.id)).toMatchObject({
      status: 'PAID',
      unpaidAmount: '0.00',
      paymentInFlight: false,
    });
    const [payment, ...more] = await payments(invoice);
    expect([payment.amount, more]).toEqual([invoice.grandTotal, []]);
    const unmatched = await rows(sql`
      select key from sandbox_provider_record
       where kind = 'charge' and decline_reason is null
         and reference not in (select provider_reference from payment_receipt where provider_reference is not null)`);
    expect(unmatched).toEqual([]);
  }

  it('a retry and the customer who pays: once, in whichever order', { timeout: 90_000 }, async () => {
    for (let round = 0; round < 10; round += 1) {
      env.setNow(START);
      const customer = await shop.customer();
      await store(customer, 'pm_then_declined');
      const plan = await shop.plan([await shop.feePrice()]);
      const subscription = await shop.subscribe(plan, { customer, startedAt: START, autoCharge: true });
      env.setNow('2026-02-01T00:00:00Z');
      await env.runDueWork();
      const [invoice] = await shop.invoices(subscription);
      expect(invoice.status).toBe('PAYMENT_FAILED');
      await store(customer, 'pm_ok');
      const { data } = await shop.read(`/v0/customers/${customer.id}/paymentMethods`);
      await shop.act(`/v0/customers/${customer.id}/paymentMethods/${data[0].id}/default`);
      env.setNow('2026-02-03T00:00:00Z');
      const session = await shop.create(`/v2/invoices/${invoice.id}/paymentSessions`);
      const [paid] = await Promise.all([
        merchant.post(`/v0/paymentSessions/${session.id}/complete`, { paymentMethod: 'pm_ok' }),
        env.runDueWork(),
        env.runDueWork(),
      ]);
      if (paid.status !== 200)
        expect(['PAYMENT_IN_PROGRESS', 'PAYMENT_SESSION_EXPIRED', 'INVALID_TRANSITION']).toContain(paid.body.code);
      await env.runDueWork();
      await expectPaidOnce(invoice);
    }
  });

  it('pay, pay again, a session and a transfer: once', { timeout: 90_000 }, async () => {
    for (let round = 0; round < 20; round += 1) {
      const customer = await shop.customer();
      await store(customer, 'pm_ok');
      const lines = [{ displayName: 'Work', quantity: 1, unitPrice: 100 }];
      const body = { customerId: customer.id, currency: 'USD', lines, autoApprove: true };
      const invoice = await shop.create('/v2/invoices', body);
      const cash = { amount: '100', method: 'cash', idempotencyKey: `cash-${round}` };
      const answers = await Promise.all([
        pay(invoice),
        pay(invoice),
        merchant.post(`/v0/paymentSessions/${invoice.paymentUrl.split('/').at(-1)}/complete`, {
          paymentMethod: 'pm_ok',
        }),
        merchant.post(`/v2/invoices/${invoice.id}/payments`, cash),
      ]);
      expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(3);
      await expectPaidOnce(invoice);
    }
  });

  it('workers at one charge: it is made once', async () => {
    const { invoice } = await (async () => {
      const customer = await shop.customer();
      await store(customer, 'pm_ok');
      const plan = await shop.plan([await shop.feePrice()]);
      const subscription = await shop.subscribe(plan, { customer, startedAt: START, autoCharge: true });
      env.setNow('2026-02-01T00:00:00Z');
      await Promise.all(Array.from({ length: 4 }, () => env.runDueWork()));
      await env.runDueWork();
      return { invoice: (await shop.invoices(subscription))[0] };
    })();
    await expectPaidOnce(invoice);
    expect(await chargesOf(invoice)).toHaveLength(1);
  });

  it('there was no deadlock', async () => {
    const tables = await openTables(env.url);
    const [found] = await tables.query<{ deadlocks: number }>(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    );
    await tables.close();
    expect(found?.deadlocks).toBe(0);
  });
});
