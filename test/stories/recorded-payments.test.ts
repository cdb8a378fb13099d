import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** Recorded payments by bank or in cash (domain.md §4; api.md, POST …/payments). */
const NOW = '2026-03-10T09:30:00Z';
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let customer: Resource;
beforeAll(async () => {
  env = await openTestEnvironment();
  env.setNow(NOW);
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
beforeEach(async () => {
  env.setNow(NOW);
  customer = await shop.customer();
});
afterAll(async () => {
  await expectBooksToBalance(env, merchant);
  await env.close();
});

let keys = 0;
const transfer = (amount: string, fields: object = {}) => {
  keys += 1;
  return { amount, method: 'bank_transfer', idempotencyKey: `transfer-${keys}`, ...fields };
};
/** An issued invoice over 100.00 of a customer of its own. */
const issue = (fields: object = {}): Promise<Resource> =>
  shop.create('/v2/invoices', {
    customerId: customer.id,
    currency: 'USD',
    lines: [{ displayName: 'Work', quantity: 1, unitPrice: 100 }],
    autoApprove: true,
    ...fields,
  });
const record = (invoice: Resource, body: object) => merchant.post(`/v2/invoices/${invoice.id}/payments`, body);
const payments = async (invoice: Resource) => (await shop.read(`/v2/invoices/${invoice.id}/payments`)).data;
const sessionOf = (invoice: Resource): string => invoice.paymentUrl.split('/').at(-1);
const complete = (session: string, paymentMethod = 'pm_ok') =>
  merchant.post(`/v0/paymentSessions/${session}/complete`, { paymentMethod });
const rows = <Row>(query: ReturnType<typeof sql>) =>
  env.database.transaction({ merchants: [merchant.id] }, (tx) => tx.rows<Row>(query));
const walletOf = async ({ id }: Resource): Promise<string> => {
  const [wallet] = await rows<{ balance: { toFixed: () => string } }>(
    sql`select balance from wallet where customer_id = ${id}`,
  );
  return wallet?.balance.toFixed() ?? '0';
};

describe('a recorded payment', () => {
  it('of the whole pays the invoice', async () => {
    const invoice = await issue();
    const answer = await record(
      invoice,
      transfer('100.00', { reference: 'RF18 5390', receivedAt: '2026-03-09T00:00:00Z' }),
    );
    expect(answer).toMatchObject({
      status: 201,
      body: {
        object: 'payment',
        invoiceId: invoice.id,
        amount: '100.00',
        appliedAmount: '100.00',
        walletAmount: '0.00',
        currency: 'USD',
        method: 'bank_transfer',
        status: 'completed',
        reference: 'RF18 5390',
        receivedAt: '2026-03-09T00:00:00Z',
        returnStatus: 'none',
        createdAt: NOW,
      },
    });
    expect(await shop.invoice(invoice.id)).toMatchObject({
      status: 'PAID',
      paidAmount: '100.00',
      unpaidAmount: '0.00',
      paidAt: NOW,
      paymentUrl: null,
    });
    const told = await rows(sql`select type from outbox where data ->> 'invoiceId' = ${invoice.id} order by seq`);
    expect(told).toContainEqual({ type: 'invoice.paid.v0' });
    expect((await complete(sessionOf(invoice))).body.code).toBe('PAYMENT_SESSION_EXPIRED');
  });

  it('of a part leaves the invoice open for the rest, which a card may pay; the page that asked for more is over', async () => {
    const invoice = await issue();
    await record(invoice, transfer('30'));
    await record(invoice, transfer('20.5', { method: 'cash' }));
    const open = await shop.invoice(invoice.id);
    expect(open).toMatchObject({ status: 'ISSUED', paidAmount: '50.50', unpaidAmount: '49.50' });
    expect((await complete(sessionOf(invoice))).body.code).toBe('PAYMENT_SESSION_EXPIRED');
    expect((await merchant.post(`/v2/invoices/${invoice.id}/cancel`)).body.code).toBe('INVALID_TRANSITION');
    const session = await shop.create(`/v2/invoices/${invoice.id}/paymentSessions`);
    expect(session.amount).toBe('49.50');
    expect((await complete(session.id)).status).toBe(200);
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID', paidAmount: '100.00' });
    expect(await payments(invoice)).toMatchObject([
      { method: 'card', amount: '49.50', paymentSessionId: session.id },
      { method: 'cash', amount: '20.50' },
      { method: 'bank_transfer', amount: '30.00' },
    ]);
  });

  it('of more than the invoice asks pays it and leaves the rest in the wallet', async () => {
    const invoice = await issue();
    const { body } = await record(invoice, transfer('130.00'));
    expect(body).toMatchObject({ amount: '130.00', appliedAmount: '100.00', walletAmount: '30.00' });
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID', paidAmount: '100.00' });
    expect(await walletOf(customer)).toBe('30');
  });

  it('under the same key is the same payment, in any state of the invoice, and another one is refused', async () => {
    const invoice = await issue();
    const body = transfer('100');
    const first = await record(invoice, body);
    const again = await record(invoice, body);
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
    const other = await issue();
    for (const reused of [await record(invoice, { ...body, amount: '99' }), await record(other, body)])
      expect([reused.status, reused.body.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    expect(await payments(invoice)).toHaveLength(1);
    expect(await payments(other)).toEqual([]);
  });

  it.each([
    { what: 'no key', body: { amount: '1', method: 'cash' }, field: 'idempotencyKey' },
    { what: 'a card', body: transfer('1', { method: 'card' }), field: 'method' },
    { what: 'nothing', body: transfer('0'), field: 'amount' },
    { what: 'less than nothing', body: transfer('-1'), field: 'amount' },
    { what: 'half a cent', body: transfer('0.005'), field: 'amount' },
    { what: 'tomorrow', body: transfer('1', { receivedAt: '2026-03-11T00:00:00Z' }), field: 'receivedAt' },
  ])('of $what is a 400', async ({ body, field }) => {
    const answer = await record(await issue(), body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toEqual([field]);
  });

  it('of an invoice that was written off is money after all', async () => {
    const invoice = await issue();
    await shop.act(`/v2/invoices/${invoice.id}/writeOff`);
    expect((await record(invoice, transfer('40'))).status).toBe(201);
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'WRITTEN_OFF', unpaidAmount: '60.00' });
    expect((await record(invoice, transfer('60'))).status).toBe(201);
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID', unpaidAmount: '0.00' });
  });
});

describe('a refund of recorded money', () => {
  it('is returned by hand, card money by the provider, and the excess stays in the wallet', async () => {
    const invoice = await issue();
    await record(invoice, transfer('40'));
    const session = await shop.create(`/v2/invoices/${invoice.id}/paymentSessions`);
    await complete(session.id);
    const refund = await shop.create(`/v2/invoices/${invoice.id}/refunds`);
    await env.runDueWork();
    expect(await payments(invoice)).toMatchObject([
      { method: 'card', returnStatus: 'returned', refundId: refund.id, returnedAt: NOW },
      { method: 'bank_transfer', returnStatus: 'manual', refundId: refund.id, returnedAt: null },
    ]);

    const overpaid = await issue();
    await record(overpaid, transfer('130'));
    const before = await walletOf(customer);
    await shop.create(`/v2/invoices/${overpaid.id}/refunds`);
    expect(await payments(overpaid)).toMatchObject([{ returnStatus: 'manual', appliedAmount: '100.00' }]);
    expect(await walletOf(customer)).toBe(before);
  });

  it('that is voided leaves it with the merchant, and a later one asks for it again', async () => {
    const invoice = await issue();
    await record(invoice, transfer('100'));
    const first = await shop.create(`/v2/invoices/${invoice.id}/refunds`);
    await shop.act(`/v2/invoices/${invoice.id}/refunds/${first.id}/void`);
    expect(await payments(invoice)).toMatchObject([{ returnStatus: 'stopped', refundId: first.id }]);
    const second = await shop.create(`/v2/invoices/${invoice.id}/refunds`);
    expect(await payments(invoice)).toMatchObject([{ returnStatus: 'manual', refundId: second.id }]);
    expect((await shop.read(`/v2/invoices/${invoice.id}/refunds`)).data).toMatchObject([
      { id: second.id, status: 'ISSUED' },
      { id: first.id, status: 'VOIDED' },
    ]);
  });
});

describe('recorded money that was returned', () => {
  const say = (invoice: Resource, payment: string, body: object = {}) =>
    merchant.post(`/v2/invoices/${invoice.id}/payments/${payment}/markReturned`, body);
  /** The cash and the owed returns of an invoice, by account; credits are below 0. */
  const booked = async (invoice: Resource) => {
    const accounts = await rows<{ account: string; amount: { toFixed: (digits: number) => string } }>(sql`
      select e.account, sum(e.amount) as amount from ledger_transaction t
        join ledger_entry e on e.merchant_id = t.merchant_id and e.transaction_id = t.id
       where t.invoice_id = ${invoice.id} and e.account in ('cash', 'refunds_payable', 'owed_again') group by 1 order by 1`);
    return accounts.map(({ account, amount }) => `${account} ${amount.toFixed(2)}`);
  };

  it('leaves the books when the merchant says so, once; what was too much stays', async () => {
    const invoice = await issue();
    const payment = (await record(invoice, transfer('130'))).body;
    const refund = await shop.create(`/v2/invoices/${invoice.id}/refunds`);
    expect(await booked(invoice)).toEqual(['cash 130.00', 'refunds_payable -100.00']);
    expect(await say(invoice, payment.id, { reference: 'SEPA 17', returnedAt: '2026-03-10T08:00:00Z' })).toMatchObject({
      status: 200,
      body: {
        ...payment,
        returnStatus: 'returned',
        returnedAt: '2026-03-10T08:00:00Z',
        returnReference: 'SEPA 17',
        refundId: refund.id,
      },
    });
    expect(await booked(invoice)).toEqual(['cash 30.00', 'refunds_payable 0.00']);
    expect(await say(invoice, payment.id)).toMatchObject({
      status: 409,
      body: { code: 'INVALID_TRANSITION', details: { status: 'returned', trigger: 'sayReturned' } },
    });
    expect(await booked(invoice)).toEqual(['cash 30.00', 'refunds_payable 0.00']);
  });

  it('is said by twenty at once, and booked once', async () => {
    const invoice = await issue();
    const payment = (await record(invoice, transfer('100'))).body;
    await shop.create(`/v2/invoices/${invoice.id}/refunds`);
    const said = await Promise.all(Array.from({ length: 20 }, () => say(invoice, payment.id)));
    expect(said.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(409)]);
    expect(await booked(invoice)).toEqual(['cash 0.00', 'refunds_payable 0.00']);
  });

  it('is owed again where the refund is void after it, and goes back no second time', async () => {
    const invoice = await issue();
    const payment = (await record(invoice, transfer('100'))).body;
    const first = await shop.create(`/v2/invoices/${invoice.id}/refunds`);
    await say(invoice, payment.id);
    await shop.act(`/v2/invoices/${invoice.id}/refunds/${first.id}/void`);
    expect(await booked(invoice)).toEqual(['cash 0.00', 'owed_again 100.00', 'refunds_payable 0.00']);
    await shop.create(`/v2/invoices/${invoice.id}/refunds`);
    expect(await payments(invoice)).toMatchObject([{ returnStatus: 'returned', refundId: first.id }]);
    expect(await booked(invoice)).toEqual(['cash 0.00', 'owed_again 0.00', 'refunds_payable 0.00']);
  });

  it('is none before a refund, after a void, and of a card', async () => {
    const invoice = await issue();
    const payment = (await record(invoice, transfer('40'))).body;
    const refuses = async (id: string, status: string) =>
      expect(await say(invoice, id)).toMatchObject({ status: 409, body: { details: { status } } });
    await refuses(payment.id, 'none');
    const session = await shop.create(`/v2/invoices/${invoice.id}/paymentSessions`);
    await complete(session.id);
    const refund = await shop.create(`/v2/invoices/${invoice.id}/refunds`);
    const card = (await payments(invoice)).find(({ method }: Resource) => method === 'card');
    await refuses(card.id, 'requested');
    await shop.act(`/v2/invoices/${invoice.id}/refunds/${refund.id}/void`);
    await refuses(payment.id, 'stopped');
  });

  it.each([
    { what: 'tomorrow', body: { returnedAt: '2026-03-11T00:00:00Z' }, field: 'returnedAt' },
    { what: 'under an empty reference', body: { reference: '' }, field: 'reference' },
  ])('$what is a 400', async ({ body, field }) => {
    const invoice = await issue();
    const payment = (await record(invoice, transfer('100'))).body;
    const answer = await say(invoice, payment.id, body);
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
  });

  it('of another or an unknown invoice is a 404', async () => {
    const [invoice, other] = [await issue(), await issue()];
    const payment = (await record(other, transfer('100'))).body;
    for (const id of [payment.id, 'pay_0123456789abcdef0123456789abcdef'])
      expect((await say(invoice, id)).status).toBe(404);
  });
});

/** The possible acts of a person on an invoice, over every status that a test can set by hand. */
describe('an action', () => {
  const states: Record<string, () => Promise<Resource>> = {
    DRAFT: () => issue({ autoApprove: false }),
    ISSUED: () => issue(),
    PAID: async () => {
      const invoice = await issue();
      await record(invoice, transfer('100'));
      return invoice;
    },
    WRITTEN_OFF: async () => {
      const invoice = await issue();
      await shop.act(`/v2/invoices/${invoice.id}/writeOff`);
      return invoice;
    },
    CANCELLED: async () => {
      const invoice = await issue();
      await shop.act(`/v2/invoices/${invoice.id}/cancel`, { reason: 'Wrong customer' });
      return invoice;
    },
  };
  const becomes: Record<string, Partial<Record<string, string>>> = {
    approve: { DRAFT: 'ISSUED' },
    cancel: { DRAFT: 'CANCELLED', ISSUED: 'CANCELLED' },
    writeOff: { ISSUED: 'WRITTEN_OFF' },
    recalculate: { DRAFT: 'CALCULATING' },
    payments: { ISSUED: 'PAID', WRITTEN_OFF: 'PAID' },
    paymentSessions: { ISSUED: 'ISSUED', WRITTEN_OFF: 'WRITTEN_OFF' },
    refunds: { PAID: 'PAID' },
  };
  const cells = Object.keys(becomes).flatMap((action) => Object.keys(states).map((status) => ({ action, status })));

  it.each(cells)('$action of an invoice that is $status', async ({ action, status }) => {
    const { id } = await (states[status] as () => Promise<Resource>)();
    const body = action === 'payments' ? transfer('100') : {};
    const answer = await merchant.post(`/v2/invoices/${id}/${action}`, body);
    const expected = becomes[action]?.[status];
    if (expected === undefined) {
      const refusal = action === 'refunds' ? [400, 'INVOICE_NOT_PAID'] : [409, 'INVALID_TRANSITION'];
      expect([answer.status, answer.body.code]).toEqual(refusal);
      expect(answer.body.details).toMatchObject({ status });
    } else expect(answer.status, answer.text).toBeLessThan(300);
    expect((await shop.invoice(id)).status).toBe(expected ?? status);
  });

  it('that cancels a numbered invoice gives its credit note the next number without gaps, and a draft has none', async () => {
    const notes = () => rows<{ number: string }>(sql`select number from credit_note order by seq desc`);
    const before = (await notes()).length;
    const invoice = await issue();
    await shop.act(`/v2/invoices/${invoice.id}/cancel`, { reason: 'Wrong customer' });
    const [latest, ...rest] = await rows<{ number: string; kind: string; reason: string }>(
      sql`select number, kind, reason from credit_note order by seq desc`,
    );
    expect(latest).toMatchObject({ kind: 'cancellation', reason: 'Wrong customer' });
    expect(rest).toHaveLength(before);
    await shop.act(`/v2/invoices/${(await issue({ autoApprove: false })).id}/cancel`);
    expect(await notes()).toHaveLength(before + 1);
    expect((await shop.read(`/v2/invoices/${invoice.id}/refunds`)).data).toEqual([]);
  });
});

describe('a card and a transfer at the same moment', () => {
  it('pay the invoice once, whichever comes first', { timeout: 60_000 }, async () => {
    for (let round = 0; round < 20; round += 1) {
      const invoice = await issue();
      const [card, recorded] = await Promise.all([complete(sessionOf(invoice)), record(invoice, transfer('100.00'))]);
      const answers = [card, recorded].map(({ status }) => status).toSorted((a, b) => a - b);
      expect(answers[1], `${card.text} ${recorded.text}`).toBe(409);
      expect(answers[0]).toBeLessThan(300);
      const [paid, ...more] = await payments(invoice);
      expect(more).toEqual([]);
      expect(paid).toMatchObject({ amount: '100.00', walletAmount: '0.00' });
      expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID', paidAmount: '100.00' });
    }
    const charges = await rows<{ count: number }>(
      sql`select count(*)::int as count from sandbox_provider_record where kind = 'charge'
            and reference not in (select provider_reference from payment_receipt where provider_reference is not null)`,
    );
    expect(charges).toEqual([{ count: 0 }]);
  });

  it('twins of one transfer are one payment', async () => {
    const invoice = await issue();
    const body = transfer('60');
    const answers = await Promise.all(Array.from({ length: 12 }, () => record(invoice, body)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([...Array(11).fill(200), 201]);
    expect(await shop.invoice(invoice.id)).toMatchObject({ paidAmount: '60.00' });
  });
});
