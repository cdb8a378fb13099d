import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Recorded payments that came back, or were a mistake (commercial.md §7). */
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
/** An issued invoice with one line. */
const issue = (unitPrice: number | string = 100, fields: object = {}): Promise<Resource> =>
  shop.create('/v2/invoices', {
    customerId: customer.id,
    currency: 'USD',
    lines: [{ displayName: 'Work', quantity: 1, unitPrice }],
    autoApprove: true,
    ...fields,
  });
const record = (invoice: Resource, amount: string, fields: object = {}): Promise<Resource> =>
  shop.create(`/v2/invoices/${invoice.id}/payments`, {
    amount,
    method: 'bank_transfer',
    idempotencyKey: key(),
    ...fields,
  });
const tryToReverse = (payment: Resource, fields: object = {}) =>
  merchant.post(`/v2/invoices/${payment.invoiceId}/payments/${payment.id}/reverse`, {
    reason: 'The transfer came back',
    idempotencyKey: key(),
    ...fields,
  });
async function reverse(payment: Resource, fields: object = {}): Promise<Resource> {
  const { status, body } = await tryToReverse(payment, fields);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}
const refused = async (payment: Resource, fields: object = {}) => {
  const { status, body } = await tryToReverse(payment, fields);
  return [status, body.code];
};
const payments = async ({ id }: Resource) => (await shop.read(`/v2/invoices/${id}/payments`)).data;
const balance = async (currency = 'USD'): Promise<string | undefined> =>
  (await shop.read(`/v0/customers/${customer.id}/wallet`)).balances.find((each: Resource) => each.currency === currency)
    ?.balance;
const rows = <Row>(query: ReturnType<typeof sql>) =>
  env.database.transaction({ merchants: [merchant.id] }, (tx) => tx.rows<Row>(query));
const told = (invoice: Resource) =>
  rows<{ type: string; data: Resource }>(
    sql`select type, data from outbox where data ->> 'invoiceId' = ${invoice.id} order by seq`,
  );

describe('a reversed payment', () => {
  it('is owed again: its invoice is ISSUED with its old due day', async () => {
    const invoice = await issue();
    const payment = await record(invoice, '100', { receivedAt: '2026-03-09T00:00:00Z' });
    expect(payment).toMatchObject({ status: 'completed', reversedAt: null, reverseReason: null });
    const { dueAt, invoiceNumber } = await shop.invoice(invoice.id);
    env.setNow('2026-03-20T08:00:00Z');
    const answer = await reverse(payment, { reversedAt: '2026-03-19T00:00:00Z' });
    expect(answer).toEqual({
      ...payment,
      status: 'reversed',
      reversedAt: '2026-03-19T00:00:00Z',
      reverseReason: 'The transfer came back',
    });
    expect(await shop.invoice(invoice.id)).toMatchObject({
      status: 'ISSUED',
      paidAmount: '0.00',
      unpaidAmount: '100.00',
      paidAt: null,
      dueAt,
      invoiceNumber,
    });
    expect(await payments(invoice)).toEqual([answer]);
    expect((await told(invoice)).at(-1)).toMatchObject({
      type: 'invoice.payment_reversed.v0',
      data: { invoiceId: invoice.id, customerId: customer.id, paymentId: payment.id },
    });
    expect((await merchant.get(`/v2/invoices/${invoice.id}/payments/${payment.id}/receipt`)).status).toBe(200);
  });

  it('is told by a mail, with what is to pay again', async () => {
    const invoice = await issue();
    const payment = await record(invoice, '100.00');
    await reverse(payment);
    const { data } = await shop.read(`/v0/mails?customerId=${customer.id}`);
    const [mail] = data.filter(({ kind }: Resource) => kind === 'paymentReversed');
    expect(mail).toMatchObject({ subject: expect.stringContaining(invoice.invoiceNumber), attachments: [] });
    const { text } = await shop.read(`/v0/mails/${mail.id}`);
    expect(text).toContain('Your payment of $100.00');
    expect(text).toContain('$100.00 is left to pay');
  });

  it('is told as overdue where its day is over, and can be paid, cancelled or written off like any other', async () => {
    const [paid, cancelled, lost] = [await issue(), await issue(), await issue()];
    for (const invoice of [paid, cancelled, lost]) await reverse(await record(invoice, '100'));
    env.setNow('2026-03-12T00:00:00Z');
    await env.runDueWork();
    expect((await told(paid)).at(-1)?.type).toBe('invoice.overdue.v0');
    await record(paid, '100');
    expect(await shop.invoice(paid.id)).toMatchObject({ status: 'PAID', paidAmount: '100.00' });
    await shop.act(`/v2/invoices/${cancelled.id}/cancel`, { reason: 'Wrong' });
    expect((await shop.invoice(cancelled.id)).status).toBe('CANCELLED');
    await shop.act(`/v2/invoices/${lost.id}/writeOff`, { reason: 'Lost' });
    expect((await shop.invoice(lost.id)).status).toBe('WRITTEN_OFF');
  });

  it('of a part is unpaid again, and a page that asked for less is over', async () => {
    const invoice = await issue();
    const first = await record(invoice, '30');
    const second = await record(invoice, '20');
    const session = await shop.create(`/v2/invoices/${invoice.id}/paymentSessions`);
    expect(session.amount).toBe('50.00');
    await reverse(first);
    expect(await shop.invoice(invoice.id)).toMatchObject({
      status: 'ISSUED',
      paidAmount: '20.00',
      unpaidAmount: '80.00',
    });
    const late = await merchant.post(`/v0/paymentSessions/${session.id}/complete`, { paymentMethod: 'pm_ok' });
    expect(late.body.code).toBe('PAYMENT_SESSION_EXPIRED');
    expect((await payments(invoice)).map(({ id, status }: Resource) => [id, status])).toEqual([
      [second.id, 'completed'],
      [first.id, 'reversed'],
    ]);
  });

  it('that was one of two leaves the other one, and a refund later sends only that one back', async () => {
    const invoice = await issue();
    const [first, second] = [await record(invoice, '60'), await record(invoice, '40')];
    await reverse(first);
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'ISSUED', unpaidAmount: '60.00' });
    const third = await record(invoice, '60');
    await shop.create(`/v2/invoices/${invoice.id}/refunds`);
    const statuses = (await payments(invoice)).map(({ id, returnStatus }: Resource) => [id, returnStatus]);
    expect(statuses).toEqual([
      [third.id, 'manual'],
      [second.id, 'manual'],
      [first.id, 'none'],
    ]);
  });

  it('counts for no report, and is told in the timeline', async () => {
    const invoice = await issue();
    const payment = await record(invoice, '100');
    const completed = async () => {
      const query = 'startTime=2026-03-01T00:00:00Z&endTime=2026-04-01T00:00:00Z';
      return (await shop.read(`/v0/revenue?${query}`)).payments.completedCount;
    };
    expect(await completed()).toBe(1);
    await reverse(payment);
    expect(await completed()).toBe(0);
    const { data } = await shop.read(`/v0/customers/${customer.id}/timeline`);
    expect(data.map(({ title }: Resource) => title)).toContain('Payment reversed: bank transfer');
  });
});

describe('an overpayment that is reversed', () => {
  it('leaves the wallet as it was', async () => {
    const payment = await record(await issue(), '130');
    expect(await balance()).toBe('30.00');
    await reverse(payment);
    expect(await balance()).toBe('0.00');
    expect(await issue(10)).toMatchObject({ itemCount: 1 }); // nothing is left to collect
  });

  it('and was spent in part is collected by the next invoice of its currency, as a line without tax', async () => {
    customer = await shop.customer({ taxRates: 20 });
    const address = { line1: '1 Mill Lane', city: 'Leeds', zipCode: 'LS1 1AA', country: 'GB' };
    await shop.change(`/v0/organizations/${merchant.id}`, { taxId: 'GB980780684', address });
    const paid = await issue(); // 100.00 and 20.00 tax
    const payment = await record(paid, '150'); // 30.00 into the wallet
    const spending = await issue(15); // 15.00 and 3.00 tax from the wallet
    expect(spending).toMatchObject({ status: 'PAID', grandTotal: '18.00' });
    await reverse(payment); // 12.00 leaves the wallet, and 18.00 is owed
    expect(await balance()).toBe('0.00');
    const inEuro = await issue(50, { currency: 'EUR' });
    expect(inEuro).toMatchObject({ itemCount: 1, grandTotal: '60.00' });
    const next = await issue(50); // 50.00, 10.00 tax, and 18.00
    expect(next).toMatchObject({
      status: 'ISSUED',
      itemCount: 2,
      subtotal: '68.00',
      totalTax: '10.00',
      grandTotal: '78.00',
      unpaidAmount: '78.00',
    });
    expect((await shop.invoice(next.id)).lines).toMatchObject([
      { type: 'manual', totalPrice: '50.00', totalTax: '10.00' },
      {
        type: 'reversed_payment',
        invoiceDisplayName: `${(await shop.invoice(paid.id)).invoiceNumber}: reversed payment`,
        taxRate: 0,
        totalPrice: '18.00',
        totalTax: '0.00',
        totalAmount: '18.00',
      },
    ]);
    expect(await issue(50)).toMatchObject({ itemCount: 1, grandTotal: '60.00' });
    const xml = await merchant.get(`/v2/invoices/${next.id}/document.xml`);
    expect([xml.status, (await merchant.get(`/v2/invoices/${next.id}/pdf`)).status]).toEqual([200, 200]);
    expect(xml.text).toContain('Debt of an earlier payment, outside the scope of tax');
    expect((await merchant.get(`/pay/invoices/${next.id}`)).text).toContain('reversed payment');
    const { lines } = await shop.read(`/v2/invoices/${next.id}/explain`);
    expect(lines.map(({ type }: Resource) => type)).toEqual(['manual', 'reversed_payment']);
  });

  /** An invoice that collects 20.00, beside 50.00. */
  async function collecting(): Promise<Resource> {
    const payment = await record(await issue(), '120');
    await issue(20); // from the wallet
    await reverse(payment);
    const next = await issue(50);
    expect(next).toMatchObject({ itemCount: 2, grandTotal: '70.00' });
    return next;
  }
  const debtOf = async ({ id }: Resource) => (await shop.invoice(id)).lines[1];

  it('waits for the next invoice again where the one that collected it is cancelled', async () => {
    const next = await collecting();
    await shop.act(`/v2/invoices/${next.id}/cancel`, { reason: 'Wrong' });
    const [note] = (await shop.read(`/v2/invoices/${next.id}/creditNotes`)).data;
    expect((await merchant.get(`/v2/invoices/${next.id}/refunds/${note.id}/pdf`)).status).toBe(200);
    const [draft, third] = [await issue(5, { autoApprove: false }), await issue(10)];
    expect(draft).toMatchObject({ status: 'DRAFT', grandTotal: '5.00' });
    expect(third).toMatchObject({ itemCount: 2, grandTotal: '30.00' });
    const approved = await shop.act(`/v2/invoices/${draft.id}/approve`);
    expect(approved).toMatchObject({ status: 'ISSUED', grandTotal: '5.00' }); // another one has collected it
  });

  it('is collected once, whatever becomes of the invoice later', async () => {
    const next = await collecting();
    const line = await debtOf(next);
    const note = await merchant.post(`/v2/invoices/${next.id}/creditNotes`, {
      lines: [{ lineItemId: line.id, amount: '20' }],
      reason: 'No',
      idempotencyKey: key(),
    });
    expect([note.status, note.body.errors[0].field]).toEqual([400, 'lines.0.lineItemId']);
    await record(next, '70');
    const refund = await shop.create(`/v2/invoices/${next.id}/refunds`);
    expect(await issue(10)).toMatchObject({ itemCount: 1 }); // a refund is over all of it
    await expectBooksToBalance(env, merchant);
    await shop.act(`/v2/invoices/${next.id}/refunds/${refund.id}/void`);
    expect(await issue(10)).toMatchObject({ itemCount: 1 });
  });

  it('is collected by one of two invoices that are issued at once', async () => {
    const payment = await record(await issue(), '120');
    await issue(20);
    await reverse(payment);
    const both = await Promise.all([issue(10), issue(10)]);
    expect(both.map(({ itemCount }) => itemCount).toSorted()).toEqual([1, 2]);
  });

  it('is collected by an invoice of a period, which comes out the same when it is calculated again', async () => {
    env.setNow(START);
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await shop.plan([await shop.feePrice()]), { clock, customer });
    const payment = await record(await issue(), '120');
    await issue(20);
    await reverse(payment);
    await shop.advance(clock, 'P2M');
    const invoices = await shop.invoices(subscription);
    expect(invoices.map(({ grandTotal }) => grandTotal)).toEqual(['30.00', '10.00', '10.00']); // the last is open
    expect(invoices[0].lines).toMatchObject([
      { totalPrice: '10.00' },
      { type: 'reversed_payment', totalPrice: '20.00' },
    ]);
  });
});

describe('things that a payment had bought', () => {
  /** A one-time entitlement, and a grant of 100 units for 20.00 that a transfer pays. */
  async function bought() {
    const metric = await shop.metric();
    const feature = await shop.create('/v0/features', {
      key: key(),
      name: 'Credits',
      productId: metric.productId,
      type: 'metered',
    });
    const entitlement = await shop.create('/v1/entitlements', {
      customerId: customer.id,
      featureId: feature.id,
      template: { type: 'metered', billableMetricIds: [metric.id] },
    });
    const purchase = await shop.create(`/v1/entitlements/${entitlement.id}/grants/purchase`, {
      amount: 100,
      price: '20.00',
      idempotencyKey: key(),
    });
    const payment = await record({ id: purchase.invoiceId }, '20');
    const units = async () => (await shop.read(`/v1/entitlements/${entitlement.id}`)).balance;
    const grants = async () =>
      (await shop.read(`/v1/entitlements/${entitlement.id}/grants?includeVoided=true`)).data as Resource[];
    return { payment, invoice: await shop.invoice(purchase.invoiceId), units, grants };
  }

  it('are undone: a grant is voided, and made again when the invoice is paid again', async () => {
    const { payment, invoice, units, grants } = await bought();
    expect(await units()).toBe(100);
    await reverse(payment);
    expect(await units()).toBe(0);
    expect((await grants()).map(({ voidedAt }) => voidedAt)).toEqual([NOW]);
    expect(await shop.invoice(invoice.id)).toMatchObject({
      status: 'ISSUED',
      invoiceNumber: invoice.invoiceNumber,
      unpaidAmount: '20.00',
    });
    await env.runDueWork();
    expect((await shop.invoice(invoice.id)).status).toBe('ISSUED'); // it is a debt now, and lives by no session
    await record(invoice, '20');
    expect(await units()).toBe(100);
    expect((await grants()).map(({ voidedAt }) => voidedAt).toSorted()).toEqual([NOW, null]);
  });

  it('of which something is used are refused', async () => {
    const { payment, invoice, units } = await bought();
    await shop.use(customer.id, NOW, 1);
    const { status, body } = await tryToReverse(payment);
    expect([status, body.code, body.details.used]).toEqual([409, 'WALLET_SPENT', '1']);
    expect([await units(), (await shop.invoice(invoice.id)).status]).toEqual([99, 'PAID']);
    expect(await payments(invoice)).toMatchObject([{ status: 'completed' }]);
  });

  it('are a top-up, which leaves the wallet and comes back with the next payment', async () => {
    const made = await shop.create(`/v0/customers/${customer.id}/wallet/topUps`, {
      amount: '50',
      currency: 'USD',
      idempotencyKey: key(),
    });
    const payment = await record({ id: made.invoiceId }, '50');
    expect(await balance()).toBe('50.00');
    await reverse(payment);
    expect(await balance()).toBe('0.00');
    const again = await record({ id: made.invoiceId }, '50');
    expect(await balance()).toBe('50.00');
    await issue(1);
    const { status, body } = await tryToReverse(again);
    expect([status, body.code, body.details]).toMatchObject([409, 'WALLET_SPENT', { balance: '49', needed: '50' }]);
  });

  it('are no subscription: one that its upfront invoice made active stays so', async () => {
    const price = await shop.feePrice({ paymentTerm: 'in_advance' });
    const subscription = await shop.subscribe(await shop.plan([price]), { customer, startedAt: NOW });
    const { invoiceId } = subscription.payment;
    const payment = await record({ id: invoiceId }, '10');
    expect((await shop.read(`/v0/subscriptions/${subscription.id}`)).status).toBe('active');
    await reverse(payment);
    expect((await shop.read(`/v0/subscriptions/${subscription.id}`)).status).toBe('active');
    await record({ id: invoiceId }, '10');
    expect((await shop.invoice(invoiceId)).status).toBe('PAID');
  });
});

describe('what cannot be reversed, or only in part', () => {
  it('is an invoice that was written off: it is so again', async () => {
    const invoice = await issue();
    const before = await record(invoice, '40');
    await shop.act(`/v2/invoices/${invoice.id}/writeOff`, { reason: 'Lost' });
    const payment = await record(invoice, '60');
    expect((await shop.invoice(invoice.id)).status).toBe('PAID');
    await reverse(payment);
    expect(await shop.invoice(invoice.id)).toMatchObject({
      status: 'WRITTEN_OFF',
      unpaidAmount: '60.00',
      paidAt: null,
    });
    await reverse(before);
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'WRITTEN_OFF', unpaidAmount: '100.00' });
    await record(invoice, '100');
    expect((await shop.invoice(invoice.id)).status).toBe('PAID');
  });

  it('is money that goes back, or has', async () => {
    const [whole, part] = [await issue(), await issue()];
    const [payment, other] = [await record(whole, '100'), await record(part, '100')];
    const refund = await shop.create(`/v2/invoices/${whole.id}/refunds`);
    expect(await refused(payment)).toEqual([409, 'PAYMENT_RETURNED']);
    await shop.act(`/v2/invoices/${whole.id}/payments/${payment.id}/markReturned`, {});
    expect(await refused(payment)).toEqual([409, 'PAYMENT_RETURNED']);
    await shop.act(`/v2/invoices/${whole.id}/refunds/${refund.id}/void`);
    expect(await refused(payment)).toEqual([409, 'PAYMENT_RETURNED']);
    const note = await shop.create(`/v2/invoices/${part.id}/creditNotes`, {
      lines: [{ lineItemId: (await shop.invoice(part.id)).lines[0].id, amount: '10' }],
      reason: 'Too much',
      idempotencyKey: key(),
    });
    expect(await refused(other)).toEqual([409, 'PAYMENT_RETURNED']);
    await shop.act(`/v2/invoices/${part.id}/creditNotes/${note.id}/void`);
    await reverse(other);
  });

  it('is a payment by card, of another invoice, or one that was reversed', async () => {
    const invoice = await issue();
    await shop.pay(invoice);
    const [card] = await payments(invoice);
    expect(await refused(card)).toEqual([409, 'INVALID_TRANSITION']);
    expect((await shop.invoice(invoice.id)).status).toBe('PAID');
    const payment = await record(await issue(), '100');
    expect((await tryToReverse({ ...payment, invoiceId: invoice.id })).status).toBe(404);
    await reverse(payment);
    expect(await refused(payment)).toEqual([409, 'INVALID_TRANSITION']);
  });

  it('under its key is reversed once, and the key is good for nothing else', async () => {
    const [payment, other] = [await record(await issue(), '100'), await record(await issue(), '100')];
    const idempotencyKey = key();
    const first = await reverse(payment, { idempotencyKey });
    await record({ id: payment.invoiceId }, '100');
    expect(await reverse(payment, { idempotencyKey })).toEqual(first);
    expect((await shop.invoice(payment.invoiceId)).status).toBe('PAID');
    expect(await refused(payment, { idempotencyKey, reason: 'Another' })).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    expect(await refused(other, { idempotencyKey })).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it.each([
    { what: 'without a reason', fields: { reason: undefined }, field: 'reason' },
    { what: 'without a key', fields: { idempotencyKey: undefined }, field: 'idempotencyKey' },
    { what: 'in the future', fields: { reversedAt: '2026-03-11T00:00:00Z' }, field: 'reversedAt' },
    { what: 'before it was received', fields: { reversedAt: '2026-03-09T00:00:00Z' }, field: 'reversedAt' },
  ])('$what is a 400', async ({ fields, field }) => {
    const { status, body } = await tryToReverse(await record(await issue(), '100'), fields);
    expect([status, body.errors.map((error: Resource) => error.field)]).toEqual([400, [field]]);
  });

  it('after credits in the wallet is cancelled without them', async () => {
    const invoice = await issue();
    const payment = await record(invoice, '100');
    await shop.create(`/v2/invoices/${invoice.id}/creditNotes`, {
      lines: [{ lineItemId: (await shop.invoice(invoice.id)).lines[0].id, amount: '30' }],
      reason: 'Too much',
      settlement: 'wallet',
      idempotencyKey: key(),
    });
    expect(await balance()).toBe('30.00');
    await reverse(payment);
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'ISSUED', unpaidAmount: '100.00' });
    await shop.act(`/v2/invoices/${invoice.id}/cancel`, { reason: 'Wrong' });
    expect(await balance()).toBe('0.00'); // 30.00 was given for nothing
  });
});

describe('two at once', () => {
  it('reverse a payment once', async () => {
    const invoice = await issue();
    const payment = await record(invoice, '130');
    const answers = await Promise.all([tryToReverse(payment), tryToReverse(payment)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect([await balance(), (await shop.invoice(invoice.id)).unpaidAmount]).toEqual(['0.00', '100.00']);
  });

  it('under one key answer the same', async () => {
    const payment = await record(await issue(), '100');
    const idempotencyKey = key();
    const [one, other] = await Promise.all([
      tryToReverse(payment, { idempotencyKey }),
      tryToReverse(payment, { idempotencyKey }),
    ]);
    expect([one?.status, one?.body]).toEqual([200, other?.body]);
  });

  it('reverse and refund: one of them does', async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      const invoice = await issue();
      const payment = await record(invoice, '100');
      const [reversal, refund] = await Promise.all([
        tryToReverse(payment),
        merchant.post(`/v2/invoices/${invoice.id}/refunds`),
      ]);
      const outcome = [reversal.status, refund.status, reversal.body.code ?? refund.body.code];
      expect([
        [200, 400, 'INVOICE_NOT_PAID'],
        [409, 201, 'PAYMENT_RETURNED'],
      ]).toContainEqual(outcome);
    }
  });
});

describe('with a stored card', () => {
  it('nothing is charged by itself, and retries after a declined charge begin anew', async () => {
    env.setNow(START);
    const clock = await shop.clock(START);
    const setup = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
    await shop.act(`/v0/paymentSessions/${setup.id}/complete`, { paymentMethod: 'pm_then_declined' });
    const plan = await shop.plan([await shop.feePrice()]);
    const subscription = await shop.subscribe(plan, { clock, customer, autoCharge: true });
    await shop.advance(clock, 'P1M');
    await shop.advance(clock, 'P3D'); // the first retry is declined, too
    const [failed] = await shop.invoices(subscription);
    expect(failed).toMatchObject({ status: 'PAYMENT_FAILED', nextActionAt: '2026-02-08T00:00:00Z' });
    const payment = await record(failed, '10');
    await reverse(payment);
    expect(await shop.invoice(failed.id)).toMatchObject({ status: 'ISSUED', unpaidAmount: '10.00' });
    await shop.advance(clock, '2026-02-20T00:00:00Z');
    const charges = () => rows(sql`select id from payment_charge where invoice_id = ${failed.id}`);
    expect([(await shop.invoice(failed.id)).status, (await charges()).length]).toEqual(['ISSUED', 2]);
    await merchant.post(`/v2/invoices/${failed.id}/pay`);
    expect(await shop.invoice(failed.id)).toMatchObject({
      status: 'PAYMENT_FAILED',
      nextActionAt: '2026-02-22T00:00:00Z', // two days later: the first of the retries
    });
  });
});
