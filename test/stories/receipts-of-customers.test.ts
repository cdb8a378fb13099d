import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Money of customers that names no invoice (commercial.md §7). */
const NOW = '2026-03-10T09:30:00Z';
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let customer: Resource;
beforeAll(async () => {
  env = await openTestEnvironment();
});
beforeEach(async () => {
  env.setNow(NOW);
  merchant = await env.merchant();
  shop = shopOf(merchant);
  customer = await shop.customer();
});
afterEach(() => expectBooksToBalance(env, merchant));
afterAll(() => env.close());

let counter = 0;
const key = (): string => {
  counter += 1;
  return `key-${counter}`;
};
const path = (of: Resource = customer) => `/v0/customers/${of.id}/receipts`;
const money = (amount: string, fields: object = {}) => ({
  amount,
  currency: 'USD',
  method: 'bank_transfer',
  idempotencyKey: key(),
  ...fields,
});
const receive = (amount: string, fields: object = {}, of: Resource = customer): Promise<Resource> =>
  shop.create(path(of), money(amount, fields));
const tryToApply = (receipt: Resource, body: object) =>
  merchant.post(`${path({ id: receipt.customerId })}/${receipt.id}/apply`, body);
const apply = (receipt: Resource, body: object): Promise<Resource> =>
  shop.act(`${path({ id: receipt.customerId })}/${receipt.id}/apply`, body);
const sendBack = (receipt: Resource, body: object = {}) =>
  merchant.post(`${path({ id: receipt.customerId })}/${receipt.id}/return`, body);
const issue = (unitPrice: number | string = 100, fields: object = {}): Promise<Resource> =>
  shop.create('/v2/invoices', {
    customerId: customer.id,
    currency: 'USD',
    lines: [{ displayName: 'Work', quantity: 1, unitPrice }],
    autoApprove: true,
    ...fields,
  });
const payments = async ({ id }: Resource) => (await shop.read(`/v2/invoices/${id}/payments`)).data;
const balance = async (of: Resource = customer): Promise<string | undefined> =>
  (await shop.read(`/v0/customers/${of.id}/wallet`)).balances[0]?.balance;
/** What the ledger has on an account of no invoice. */
const booked = async (account: string): Promise<string> => {
  const [sums] = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
    tx.rows<{ sum: string }>(
      sql`select coalesce(sum(amount), 0)::text as sum from ledger_entry where account = ${account}`,
    ),
  );
  return sums?.sum ?? '';
};

describe('a receipt', () => {
  it('waits as unapplied money, and pays nothing by itself', async () => {
    const invoice = await issue();
    const receipt = await receive('300', { reference: 'Invoices of spring', receivedAt: '2026-03-09T00:00:00Z' });
    expect(receipt).toEqual({
      object: 'receipt',
      id: expect.stringMatching(/^rcp_/),
      merchantId: merchant.id,
      customerId: customer.id,
      amount: '300.00',
      unappliedAmount: '300.00',
      currency: 'USD',
      method: 'bank_transfer',
      reference: 'Invoices of spring',
      receivedAt: '2026-03-09T00:00:00Z',
      status: 'unapplied',
      applications: [],
      returnedAmount: '0.00',
      returnedAt: null,
      returnReference: null,
      testClockId: null,
      idempotencyKey: receipt.idempotencyKey,
      createdAt: NOW,
    });
    expect((await shop.invoice(invoice.id)).status).toBe('ISSUED');
    expect([await balance(), await booked('cash'), await booked('unapplied')]).toEqual([undefined, '300', '-300']);
    expect((await shop.read(path())).data).toEqual([receipt]);
  });

  it('pays invoices, each as much as it asks, until nothing is left', async () => {
    const [first, second] = [await issue(), await issue(250)];
    const receipt = await receive('300');
    const once = await apply(receipt, { invoiceId: first.id });
    const [payment] = await payments(first);
    expect(payment).toMatchObject({
      amount: '100.00',
      appliedAmount: '100.00',
      method: 'bank_transfer',
      receiptId: receipt.id,
      idempotencyKey: null,
    });
    expect(once).toMatchObject({
      status: 'unapplied',
      unappliedAmount: '200.00',
      applications: [{ paymentId: payment.id, invoiceId: first.id, wallet: false, amount: '100.00', appliedAt: NOW }],
    });
    expect((await shop.invoice(first.id)).status).toBe('PAID');
    const twice = await apply(receipt, { invoiceId: second.id });
    expect(twice).toMatchObject({ status: 'applied', unappliedAmount: '0.00' });
    expect(twice.applications.map(({ amount }: Resource) => amount)).toEqual(['100.00', '200.00']);
    expect(await shop.invoice(second.id)).toMatchObject({ status: 'ISSUED', unpaidAmount: '50.00' });
    expect([await booked('cash'), await booked('unapplied')]).toEqual(['300', '0']);
    const none = await tryToApply(receipt, { invoiceId: second.id });
    expect([none.status, none.body.code]).toEqual([409, 'INVALID_TRANSITION']);
  });

  it('pays a part where an amount says so, and never more than there is or than is asked', async () => {
    const invoice = await issue();
    const receipt = await receive('80');
    expect((await apply(receipt, { invoiceId: invoice.id, amount: '30' })).unappliedAmount).toBe('50.00');
    const field = async (body: object) => {
      const { status, body: answer } = await tryToApply(receipt, body);
      return [status, ...answer.errors.map((error: Resource) => error.field)];
    };
    expect(await field({ invoiceId: invoice.id, amount: '50.01' })).toEqual([400, 'amount']); // 50.00 is left
    const small = await issue(10);
    expect(await field({ invoiceId: small.id, amount: '10.01' })).toEqual([400, 'amount']);
    expect(await field({ wallet: true, amount: '50.01' })).toEqual([400, 'amount']);
    expect(await field({ wallet: true, amount: '0.001' })).toEqual([400, 'amount']);
    expect(await field({})).toEqual([400, 'invoiceId']);
    expect(await field({ wallet: true, invoiceId: invoice.id })).toEqual([400, 'invoiceId']);
    const [euro, foreign] = [
      await issue(10, { currency: 'EUR' }),
      await issue(10, { customerId: (await shop.customer()).id }),
    ];
    expect(await field({ invoiceId: euro.id })).toEqual([400, 'invoiceId']);
    expect(await field({ invoiceId: foreign.id })).toEqual([400, 'invoiceId']);
    expect((await tryToApply(receipt, { invoiceId: `${small.id.slice(0, -4)}0000` })).status).toBe(404);
    await shop.pay(small);
    expect((await tryToApply(receipt, { invoiceId: small.id })).body.code).toBe('INVALID_TRANSITION');
  });

  it('fills the wallet, which pays the next invoice', async () => {
    const receipt = await receive('50');
    expect(await apply(receipt, { wallet: true, amount: '20' })).toMatchObject({
      unappliedAmount: '30.00',
      applications: [{ paymentId: null, invoiceId: null, wallet: true, amount: '20.00' }],
    });
    expect(await apply(receipt, { wallet: true })).toMatchObject({ status: 'applied', unappliedAmount: '0.00' });
    expect(await balance()).toBe('50.00');
    expect(await issue(50)).toMatchObject({ status: 'PAID' });
  });

  it('of a child pays its invoices and fills the wallet of its payer; one of the payer pays them, too', async () => {
    const payer = await shop.customer();
    await shop.change(`/v0/customers/${customer.id}`, { payerId: payer.id });
    const [first, second] = [await issue(), await issue()];
    const own = await receive('120');
    await apply(own, { invoiceId: first.id });
    await apply(own, { wallet: true });
    expect([await balance(payer), await balance()]).toEqual(['20.00', undefined]);
    await apply(await receive('100', {}, payer), { invoiceId: second.id });
    expect((await shop.invoice(second.id)).status).toBe('PAID');
  });

  it('is returned: what waits of it leaves, once', async () => {
    const receipt = await receive('100');
    await apply(receipt, { wallet: true, amount: '40' });
    const { status, body } = await sendBack(receipt, { reference: 'SEPA 9', returnedAt: '2026-03-10T00:00:00Z' });
    expect([status, body]).toMatchObject([
      200,
      {
        status: 'returned',
        unappliedAmount: '0.00',
        returnedAmount: '60.00',
        returnedAt: '2026-03-10T00:00:00Z',
        returnReference: 'SEPA 9',
      },
    ]);
    expect([await booked('cash'), await booked('unapplied')]).toEqual(['40', '0']);
    for (const again of [await sendBack(receipt), await tryToApply(receipt, { wallet: true })])
      expect([again.status, again.body.code]).toEqual([409, 'INVALID_TRANSITION']);
    expect((await sendBack({ ...receipt, id: 'rcp_none' })).status).toBe(404);
  });

  it('has its money again where a payment by it is reversed', async () => {
    const invoice = await issue();
    const receipt = await receive('100');
    await apply(receipt, { invoiceId: invoice.id });
    const [payment] = await payments(invoice);
    await shop.act(`/v2/invoices/${invoice.id}/payments/${payment.id}/reverse`, {
      reason: 'It was for another invoice',
      idempotencyKey: key(),
    });
    expect((await shop.invoice(invoice.id)).status).toBe('ISSUED');
    const [again] = (await shop.read(path())).data;
    expect(again).toMatchObject({ status: 'unapplied', unappliedAmount: '100.00', applications: [] });
    expect([await booked('cash'), await booked('unapplied')]).toEqual(['100', '-100']);
    await apply(again, { invoiceId: (await issue(60)).id });
    const returned = await sendBack(again);
    expect(returned.body).toMatchObject({ status: 'returned', returnedAmount: '40.00' });
  });

  it('under the same key is the same receipt, and another one is refused', async () => {
    const body = money('10');
    const [first, again] = [await merchant.post(path(), body), await merchant.post(path(), body)];
    expect([first.status, again.status, again.body]).toEqual([201, 200, first.body]);
    const other = await merchant.post(path(), { ...body, amount: '11' });
    expect([other.status, other.body.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('keeps its customer until it is applied or returned', async () => {
    const receipt = await receive('10');
    const blocked = await merchant.delete(`/v0/customers/${customer.id}`);
    expect(blocked.body).toMatchObject({
      code: 'CUSTOMER_IN_USE',
      details: { blockers: [{ type: 'receipts', count: 1, items: [{ id: receipt.id }] }] },
    });
    await sendBack(receipt);
    expect((await merchant.delete(`/v0/customers/${customer.id}`)).status).toBe(204);
  });

  it.each([
    { what: 'no currency', fields: { currency: undefined }, field: 'currency' },
    { what: 'a card', fields: { method: 'card' }, field: 'method' },
    { what: 'nothing', fields: { amount: '0' }, field: 'amount' },
    { what: 'half a cent', fields: { amount: '0.005' }, field: 'amount' },
    { what: 'tomorrow', fields: { receivedAt: '2026-03-11T00:00:00Z' }, field: 'receivedAt' },
    { what: 'no key', fields: { idempotencyKey: undefined }, field: 'idempotencyKey' },
  ])('of $what is a 400', async ({ fields, field }) => {
    const { status, body } = await merchant.post(path(), money('1', fields));
    expect([status, body.errors.map((error: Resource) => error.field)]).toEqual([400, [field]]);
  });
});

describe('a receipt of a customer on a test clock', () => {
  it('is of that clock where all subscriptions are, and pays what is on it', async () => {
    const clock = await shop.clock(START);
    const plan = await shop.plan([await shop.feePrice()]);
    const subscription = await shop.subscribe(plan, { clock, customer });
    await shop.advance(clock, 'P1M');
    const [invoice] = await shop.invoices(subscription);
    const receipt = await receive('25');
    expect(receipt).toMatchObject({ testClockId: clock.id, receivedAt: '2026-02-01T00:00:00Z' });
    const real = await issue();
    const { status, body } = await tryToApply(receipt, { invoiceId: real.id });
    expect([status, body.errors[0].field]).toEqual([400, 'invoiceId']);
    expect(await apply(receipt, { invoiceId: invoice.id })).toMatchObject({ unappliedAmount: '15.00' });
    const other = await shop.clock('2026-02-15T00:00:00Z');
    await shop.subscribe(plan, { clock: other, customer });
    expect(await receive('1')).toMatchObject({ testClockId: null, receivedAt: NOW });
    const named = await receive('1', { testClockId: other.id });
    expect(named).toMatchObject({ testClockId: other.id, receivedAt: '2026-02-15T00:00:00Z' });
  });
});

describe('two at once', () => {
  it('apply a receipt once: to one invoice', async () => {
    const invoice = await issue();
    const receipt = await receive('100');
    const body = { invoiceId: invoice.id };
    const answers = await Promise.all([tryToApply(receipt, body), tryToApply(receipt, body)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await payments(invoice)).toHaveLength(1);
  });

  it('apply a receipt to two invoices and return it: no cent more than there is', async () => {
    const [first, second] = [await issue(), await issue()];
    const receipt = await receive('150');
    const answers = await Promise.all([
      tryToApply(receipt, { invoiceId: first.id }),
      tryToApply(receipt, { invoiceId: second.id }),
      sendBack(receipt),
    ]);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    const [after] = (await shop.read(path())).data;
    const parts = after.applications.map(({ amount }: Resource) => Number(amount));
    const applied = parts.reduce((sum: number, part: number) => sum + part, 0);
    expect([after.unappliedAmount, applied + Number(after.returnedAmount)]).toEqual(['0.00', 150]);
  });
});
