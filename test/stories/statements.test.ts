import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readPdf } from '../../src/documents/testing/read-pdf.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** The account of a customer between two instants (commercial.md §8). */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let customer: Resource;
beforeAll(async () => {
  env = await openTestEnvironment({ documents: 'typeset' });
});
beforeEach(async () => {
  env.setNow('2026-03-01T09:00:00Z');
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
const issue = (unitPrice: number | string = 100, fields: object = {}): Promise<Resource> =>
  shop.create('/v2/invoices', {
    customerId: customer.id,
    currency: 'USD',
    lines: [{ displayName: 'Work', quantity: 1, unitPrice, taxRate: 20 }],
    autoApprove: true,
    ...fields,
  });
const record = (invoice: Resource, amount: string): Promise<Resource> =>
  shop.create(`/v2/invoices/${invoice.id}/payments`, { amount, method: 'bank_transfer', idempotencyKey: key() });
const receive = (amount: string, fields: object = {}): Promise<Resource> =>
  shop.create(`/v0/customers/${customer.id}/receipts`, {
    ...{ amount, currency: 'USD', method: 'bank_transfer', idempotencyKey: key() },
    ...fields,
  });
const address = (of: { id: string }, from: string, to: string, more = '') =>
  `/v0/customers/${of.id}/statement?from=${from}&to=${to}${more}`;
const MARCH = ['2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z'] as const;
const statement = (from: string = MARCH[0], to: string = MARCH[1], more = ''): Promise<Resource> =>
  shop.read(address(customer, from, to, more));
/** An entry as a row: day, type, amount, balance, words. */
const rowsOf = ({ entries }: Resource): string[] =>
  entries.map(({ date, type, amount, balance, description }: Resource) =>
    [date.slice(0, 10), type, amount, balance, description].join(' | '),
  );
const refusal = async (path: string) => {
  const { status, body } = await merchant.get(path);
  return { status, errors: body.errors };
};

describe('the statement of a customer', () => {
  it('has every invoice, payment and credit note, each with the balance after it', async () => {
    const first = await issue(); // 100.00 and 20 % tax
    env.setNow('2026-03-03T09:00:00Z');
    await record(first, '50.00');
    env.setNow('2026-03-05T09:00:00Z');
    const { lineItems: lines } = await shop.read(`/v2/invoices/${first.id}/lineItems`);
    const note = await shop.create(`/v2/invoices/${first.id}/creditNotes`, {
      ...{ lines: [{ lineItemId: lines[0].id, amount: '10.00' }], reason: 'Late delivery', idempotencyKey: key() },
    });
    env.setNow('2026-03-10T09:00:00Z');
    await record(first, '80.00'); // 58.00 is left of 120.00 - 50.00 - 12.00, and 22.00 fill the wallet
    const number = first.invoiceNumber;
    const answer = await statement();
    expect(answer).toMatchObject({
      ...{ object: 'statement', customerId: customer.id, currency: 'USD', from: MARCH[0], to: MARCH[1] },
      ...{ openingBalance: '0.00', closingBalance: '-22.00' },
    });
    expect(rowsOf(answer)).toEqual([
      `2026-03-01 | invoice | 120.00 | 120.00 | Invoice ${number}`,
      `2026-03-03 | payment | -50.00 | 70.00 | Payment of invoice ${number}`,
      `2026-03-05 | credit_note | -12.00 | 58.00 | Credit note ${note.number} for invoice ${number}`,
      `2026-03-10 | payment | -80.00 | -22.00 | Payment of invoice ${number}`,
    ]);
    const [invoiced, , credited] = answer.entries;
    expect(invoiced).toMatchObject({ id: first.id, number });
    expect(credited).toMatchObject({ id: note.id, number: note.number });
  });

  it('begins with the balance before it, and two that meet join', async () => {
    const first = await issue();
    env.setNow('2026-03-10T09:00:00Z');
    await record(first, '150.00'); // 30.00 too much
    env.setNow('2026-03-20T09:00:00Z');
    await issue(50); // 60.00, of which the wallet pays 30.00
    const whole = await statement();
    expect(whole.closingBalance).toBe('30.00');
    for (const middle of [
      '2026-03-01T09:00:00Z',
      '2026-03-05T00:00:00Z',
      '2026-03-10T09:00:00Z',
      '2026-03-25T00:00:00Z',
    ]) {
      const [before, after] = [await statement(MARCH[0], middle), await statement(middle, MARCH[1])];
      expect(after.openingBalance).toBe(before.closingBalance);
      expect(after.closingBalance).toBe(whole.closingBalance);
      expect([...before.entries, ...after.entries]).toEqual(whole.entries);
    }
  });

  it('lists what the wallet pays without a change of the balance', async () => {
    await record(await issue(), '150.00');
    env.setNow('2026-03-02T09:00:00Z');
    const { invoiceNumber } = await issue(50);
    expect(rowsOf(await statement()).slice(2)).toEqual([
      `2026-03-02 | invoice | 60.00 | 30.00 | Invoice ${invoiceNumber}`,
      `2026-03-02 | wallet | 0.00 | 30.00 | $30.00 paid from the credit balance for invoice ${invoiceNumber}`,
    ]);
  });

  it('shows a refund as a credit note and the money that goes back', async () => {
    const invoice = await issue();
    await record(invoice, '120.00');
    env.setNow('2026-03-02T09:00:00Z');
    const refund = await shop.create(`/v2/invoices/${invoice.id}/refunds`, { reason: 'Not delivered' });
    env.setNow('2026-03-03T09:00:00Z');
    await shop.act(`/v2/invoices/${invoice.id}/refunds/${refund.id}/void`, { reason: 'It was' });
    const { invoiceNumber: number } = invoice;
    const { number: note } = (await shop.read(`/v2/invoices/${invoice.id}/creditNotes`)).data[0];
    expect(rowsOf(await statement()).slice(2)).toEqual([
      `2026-03-02 | credit_note | -120.00 | -120.00 | Credit note ${note} for invoice ${number}`,
      `2026-03-02 | refund | 120.00 | 0.00 | Refund of invoice ${number}`,
      `2026-03-03 | credit_note | 120.00 | 120.00 | Credit note ${note} for invoice ${number} voided`,
      `2026-03-03 | refund | -120.00 | 0.00 | Refund of invoice ${number} stopped`,
    ]);
  });

  it('shows a cancelled invoice, a written-off one, and one that was paid after all', async () => {
    const [gone, lost] = [await issue(), await issue(50)];
    env.setNow('2026-03-02T09:00:00Z');
    await shop.act(`/v2/invoices/${gone.id}/cancel`, { reason: 'Twice' });
    const { number: note } = (await shop.read(`/v2/invoices/${gone.id}/creditNotes`)).data[0];
    env.setNow('2026-03-03T09:00:00Z');
    await shop.act(`/v2/invoices/${lost.id}/writeOff`, {});
    env.setNow('2026-03-04T09:00:00Z');
    const late = await record(lost, '60.00');
    env.setNow('2026-03-05T09:00:00Z');
    await shop.act(`/v2/invoices/${lost.id}/payments/${late.id}/reverse`, { reason: 'Back', idempotencyKey: key() });
    expect(rowsOf(await statement()).slice(2)).toEqual([
      `2026-03-02 | credit_note | -120.00 | 60.00 | Credit note ${note} for invoice ${gone.invoiceNumber}`,
      `2026-03-03 | write_off | -60.00 | 0.00 | Invoice ${lost.invoiceNumber} written off`,
      `2026-03-04 | payment | -60.00 | -60.00 | Payment of invoice ${lost.invoiceNumber}`,
      `2026-03-04 | write_off | 60.00 | 0.00 | Invoice ${lost.invoiceNumber} paid after it was written off`,
      `2026-03-05 | reversal | 60.00 | 60.00 | Payment of invoice ${lost.invoiceNumber} reversed`,
      `2026-03-05 | write_off | -60.00 | 0.00 | Invoice ${lost.invoiceNumber} written off again`,
    ]);
  });

  it('shows money that names no invoice from its receipt to its return', async () => {
    const receipt = await receive('100.00');
    env.setNow('2026-03-02T09:00:00Z');
    const invoice = await issue(50);
    const path = `/v0/customers/${customer.id}/receipts/${receipt.id}`;
    await shop.act(`${path}/apply`, { invoiceId: invoice.id });
    env.setNow('2026-03-03T09:00:00Z');
    await shop.act(`${path}/apply`, { wallet: true, amount: '15.00' });
    await shop.act(`${path}/return`, {});
    const answer = await statement();
    expect(rowsOf(answer)).toEqual([
      '2026-03-01 | receipt | -100.00 | -100.00 | Payment on account',
      `2026-03-02 | invoice | 60.00 | -40.00 | Invoice ${invoice.invoiceNumber}`,
      `2026-03-02 | receipt | 60.00 | 20.00 | $60.00 of a payment on account applied`,
      `2026-03-02 | payment | -60.00 | -40.00 | Payment of invoice ${invoice.invoiceNumber}`,
      '2026-03-03 | receipt | 0.00 | -40.00 | $15.00 of a payment on account applied',
      '2026-03-03 | receipt | 25.00 | -15.00 | Payment on account returned',
    ]);
    expect(answer.entries[2].id).toBe(receipt.id);
  });

  it('shows the debt of a reversed payment and the invoice that collects it', async () => {
    const invoice = await issue();
    const payment = await record(invoice, '150.00'); // 30.00 into the wallet
    env.setNow('2026-03-02T09:00:00Z');
    const spent = await issue(20); // 24.00, from the wallet
    env.setNow('2026-03-03T09:00:00Z');
    await shop.act(`/v2/invoices/${invoice.id}/payments/${payment.id}/reverse`, {
      reason: 'Back',
      idempotencyKey: key(),
    });
    env.setNow('2026-03-04T09:00:00Z');
    const next = await issue(10); // 12.00, and the 24.00 that were spent
    expect(next.grandTotal).toBe('36.00');
    expect(rowsOf(await statement()).slice(2)).toEqual([
      `2026-03-02 | invoice | 24.00 | -6.00 | Invoice ${spent.invoiceNumber}`,
      `2026-03-02 | wallet | 0.00 | -6.00 | $24.00 paid from the credit balance for invoice ${spent.invoiceNumber}`,
      `2026-03-03 | reversal | 150.00 | 144.00 | Payment of invoice ${invoice.invoiceNumber} reversed`,
      `2026-03-04 | invoice | 36.00 | 180.00 | Invoice ${next.invoiceNumber}`,
      `2026-03-04 | reversal | -24.00 | 156.00 | Debt of an earlier payment, collected by invoice ${next.invoiceNumber}`,
    ]);
  });

  it('lists billing credits and invoices over nothing with an amount of 0', async () => {
    const clock = await shop.clock('2026-01-01T00:00:00Z');
    const own = await shop.customer();
    await shop.create(`/v0/customers/${own.id}/billingCredits`, {
      ...{ amount: '15.00', currency: 'USD', name: 'Welcome', testClockId: clock.id, idempotencyKey: key() },
    });
    const plan = await shop.plan([await shop.feePrice()]); // 10.00 a month in arrears
    const subscription = await shop.subscribe(plan, { clock, customer: own });
    await shop.advance(clock, '2026-03-01T12:00:00Z');
    const [first, second] = (await shop.invoices(subscription)).map(({ invoiceNumber }) => invoiceNumber);
    const found = await shop.read(address(own, '2026-01-01T00:00:00Z', '2026-03-02T00:00:00Z'));
    expect(rowsOf(found)).toEqual([
      '2026-01-01 | billing_credit | 0.00 | 0.00 | Billing credit “Welcome” of $15.00',
      `2026-02-01 | invoice | 0.00 | 0.00 | Invoice ${first}`,
      `2026-02-01 | billing_credit | 0.00 | 0.00 | $10.00 of billing credit “Welcome” used for invoice ${first}`,
      `2026-03-01 | invoice | 5.00 | 5.00 | Invoice ${second}`,
      `2026-03-01 | billing_credit | 0.00 | 5.00 | $5.00 of billing credit “Welcome” used for invoice ${second}`,
    ]);
  });

  it('is of the payer, with the invoices of its children', async () => {
    const child = await shop.customer({ payerId: customer.id });
    const invoice = await issue(100, { customerId: child.id });
    expect(rowsOf(await statement())).toEqual([
      `2026-03-01 | invoice | 120.00 | 120.00 | Invoice ${invoice.invoiceNumber}`,
    ]);
    expect(await refusal(address(child, ...MARCH))).toEqual({
      status: 400,
      errors: [{ field: 'id', message: `must be a customer that pays itself: ${customer.id} pays for it` }],
    });
  });

  it('is in one currency, which has to be said where there are several', async () => {
    await issue();
    await issue(10, { currency: 'EUR' });
    expect(await refusal(address(customer, ...MARCH))).toEqual({
      status: 400,
      errors: [{ field: 'currency', message: 'must be said, one of EUR, USD' }],
    });
    expect(await statement(...MARCH, '&currency=EUR')).toMatchObject({ currency: 'EUR', closingBalance: '12.00' });
    expect(await statement(...MARCH, '&currency=GBP')).toMatchObject({ currency: 'GBP', closingBalance: '0.00' });
  });

  it('needs a stretch of time', async () => {
    const problem = { field: 'to', message: 'must be after from' };
    expect(await refusal(address(customer, MARCH[0], MARCH[0]))).toEqual({ status: 400, errors: [problem] });
    const { errors } = await refusal(`/v0/customers/${customer.id}/statement`);
    expect(errors.map(({ field }: Resource) => field)).toEqual(['from', 'to']);
  });
});

describe('the statement as a document', () => {
  const SAID = {
    en: [
      'Account statement',
      'Account of',
      '1 – 31 Mar 2026',
      'Opening balance',
      'Closing balance',
      'Payment of invoice',
    ],
    de: ['Kontoauszug', 'Konto von', '1. – 31. März 2026', 'Anfangssaldo', 'Endsaldo', 'Zahlung zu Rechnung'],
    fr: [
      'Relevé de compte',
      'Compte de',
      '1er – 31 mars 2026',
      'Solde initial',
      'Solde final',
      'Paiement de la facture',
    ],
    es: ['Estado de cuenta', 'Cuenta de', '1 – 31 mar 2026', 'Saldo inicial', 'Saldo final', 'Pago de la factura'],
  };

  it.each(Object.entries(SAID))('is written in the language of its customer: %s', async (locale, said) => {
    customer = await shop.customer({ locale });
    const invoice = await issue();
    await record(invoice, '20.00');
    const { status, headers, bytes } = await merchant.get(address(customer, ...MARCH), { accept: 'application/pdf' });
    expect({ status, type: headers['content-type'], name: headers['content-disposition'] }).toEqual({
      ...{ status: 200, type: 'application/pdf' },
      name: 'inline; filename="statement 2026-03-01 2026-04-01.pdf"',
    });
    const text = readPdf(bytes)
      .pages.join('\n')
      .replaceAll(/[\u00a0\u202f]/g, ' ');
    for (const words of [...said, invoice.invoiceNumber, locale === 'en' ? '$100.00' : '100,00'])
      expect(text).toContain(words);
  });

  it('is JSON for whoever takes both', async () => {
    const { headers } = await merchant.get(address(customer, ...MARCH), {
      accept: 'application/json, application/pdf',
    });
    expect(headers['content-type']).toContain('application/json');
  });
});
