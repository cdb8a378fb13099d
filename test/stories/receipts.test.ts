import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { readPdf } from '../../src/documents/testing/read-pdf.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** The proof of a payment: a PDF for each payment of money towards an invoice. */
const NOW = '2026-03-10T09:30:00Z';
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await openTestEnvironment({ documents: 'typeset' });
  env.setNow(NOW);
  merchant = await env.merchant();
  shop = shopOf(merchant);
  await shop.change(`/v0/organizations/${merchant.id}`, { name: 'Northwind Models', taxId: 'DE123456789' });
});
afterAll(() => env.close());

let keys = 0;
const transfer = (invoice: Resource, amount: string, fields: object = {}): Promise<Resource> => {
  keys += 1;
  return shop.create(`/v2/invoices/${invoice.id}/payments`, {
    amount,
    method: 'bank_transfer',
    idempotencyKey: `key-${keys}`,
    ...fields,
  });
};
const issue = async (fields: object = {}): Promise<Resource> =>
  shop.create('/v2/invoices', {
    customerId: (await shop.customer()).id,
    currency: 'USD',
    lines: [{ displayName: 'Work', quantity: 1, unitPrice: 100, taxRate: 20 }],
    autoApprove: true,
    ...fields,
  });
const payments = async (invoice: Resource): Promise<Resource[]> =>
  (await shop.read(`/v2/invoices/${invoice.id}/payments`)).data;
const receiptAt = (invoice: Resource, paymentId: string, by: Pick<Merchant, 'get'> = merchant) =>
  by.get(`/v2/invoices/${invoice.id}/payments/${paymentId}/receipt`);
const textOf = (pdf: Buffer): string => readPdf(pdf).pages.join('\n').replaceAll('\u00a0', ' ');
const wordsOf = async (invoice: Resource, payment: Resource): Promise<string> =>
  textOf((await receiptAt(invoice, payment.id)).bytes);
const stored = (id: string) =>
  env.database.transaction({ merchants: [merchant.id] }, (tx) =>
    tx.rows<{ kind: string }>(sql`
      select 'pdf' as kind from document where owner_id = ${id} union all select 'xml' from e_invoice where owner_id = ${id}`),
  );

describe('a receipt', () => {
  it('says what was paid, how and when, for which invoice, and that nothing remains', async () => {
    const invoice = await issue();
    const payment = await transfer(invoice, '120.00', { reference: 'RF18 5390', receivedAt: '2026-03-09T00:00:00Z' });
    expect(payment.receiptPdfUrl).toMatch(new RegExp(`/v2/invoices/${invoice.id}/payments/${payment.id}/receipt$`));
    const { status, headers, bytes } = await receiptAt(invoice, payment.id);
    expect({ status, type: headers['content-type'], name: headers['content-disposition'] }).toEqual({
      status: 200,
      type: 'application/pdf',
      name: `inline; filename="${invoice.invoiceNumber}-R1.pdf"`,
    });
    const text = textOf(bytes);
    for (const words of [
      'Receipt',
      'Northwind Models',
      `${invoice.invoiceNumber}-R1`,
      'Amount paid',
      '$120.00',
      'Paid on 9 March 2026 by bank transfer',
      'RF18 5390',
      `This receipt confirms a payment of invoice ${invoice.invoiceNumber}.`,
      'Remaining on the invoice',
      '$0.00',
      'Sandbox – no money was paid',
    ])
      expect(text).toContain(words);
    expect(text).not.toContain('Unit price');
    expect(readPdf(bytes).attachments).toEqual([]);
  });

  it.each([
    {
      currency: 'USD',
      unitPrice: '100',
      taxRate: 20,
      parts: ['50.00', '30.5', '39.5'],
      left: ['$70.00', '$39.50', '$0.00'],
    },
    { currency: 'JPY', unitPrice: '1000', taxRate: 10, parts: ['100', '1000'], left: ['¥1,000', '¥0'] },
    { currency: 'KWD', unitPrice: '10.125', taxRate: 0, parts: ['0.001', '10.124'], left: ['KWD 10.124', 'KWD 0.000'] },
  ])(
    'of each part payment in $currency is numbered and says what remains',
    async ({ currency, unitPrice, taxRate, parts, left }) => {
      const invoice = await issue({ currency, lines: [{ displayName: 'Work', quantity: 1, unitPrice, taxRate }] });
      const made: Resource[] = [];
      for (const amount of parts) made.push(await transfer(invoice, amount));
      for (const [index, payment] of made.entries()) {
        const text = await wordsOf(invoice, payment);
        expect(text).toContain(`${invoice.invoiceNumber}-R${index + 1}`);
        expect(text).toContain(left[index]);
        expect(text.includes('Paid or credited before')).toBe(index > 0);
      }
    },
  );

  it('of more than was due says what went to the wallet', async () => {
    const invoice = await issue();
    const text = await wordsOf(invoice, await transfer(invoice, '150.00', { method: 'cash' }));
    for (const words of [
      '$150.00',
      'in cash',
      'This payment, up to the amount due',
      '−$120.00',
      'Overpaid, added to the balance',
      '$30.00',
    ])
      expect(text).toContain(words);
  });

  it('of a card names the card, which may be deleted since', async () => {
    const { invoice } = await shop.issued();
    await shop.pay(invoice);
    const [payment] = await payments(invoice);
    const methods = await shop.read(`/v0/customers/${invoice.customerId}/paymentMethods`);
    for (const { id } of methods.data)
      await merchant.delete(`/v0/customers/${invoice.customerId}/paymentMethods/${id}`);
    expect(await wordsOf(invoice, payment)).toContain('with Visa ending in 4242');
  });

  it('of an automatic charge names the stored card', async () => {
    const clock = await shop.clock(START);
    const plan = await shop.plan([await shop.feePrice()]);
    const customer = await shop.customer();
    const setup = await shop.create(`/v0/customers/${customer.id}/paymentMethods`, {});
    await shop.act(`/v0/paymentSessions/${setup.id}/complete`, { paymentMethod: 'pm_ok' });
    const subscription = await shop.subscribe(plan, { clock, customer, autoCharge: true });
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    const [invoice] = await shop.invoices(subscription);
    const [payment] = await payments(invoice);
    expect(await wordsOf(invoice, payment)).toContain('Paid on 1 February 2026 with Visa ending in 4242');
  });

  it('of an invoice that gets its number as it is paid has that number', async () => {
    const customer = await shop.customer();
    const topUp = await shop.create(`/v0/customers/${customer.id}/wallet/topUps`, {
      amount: '25',
      currency: 'USD',
      idempotencyKey: 'top-up',
    });
    const session = topUp.paymentSessions[0].url.split('/').at(-1);
    await shop.act(`/v0/paymentSessions/${session}/complete`, { paymentMethod: 'pm_ok' });
    const invoice = await shop.invoice(topUp.invoiceId);
    const [payment] = await payments(invoice);
    expect(await wordsOf(invoice, payment)).toContain(`${invoice.invoiceNumber}-R1`);
  });

  it('is rendered automatically, once, and does not change when the money goes back', async () => {
    const invoice = await issue();
    const payment = await transfer(invoice, '120.00');
    expect(await stored(payment.id)).toEqual([]);
    await env.runDueWork();
    expect(await stored(payment.id)).toEqual([{ kind: 'pdf' }]);
    const before = (await receiptAt(invoice, payment.id)).bytes;
    await shop.change(`/v0/organizations/${merchant.id}`, { settings: { branding: { footer: 'Changed' } } });
    await shop.create(`/v2/invoices/${invoice.id}/refunds`, { reason: 'Fell ill' });
    expect((await receiptAt(invoice, payment.id)).bytes.equals(before)).toBe(true);
  });

  it('is made for each of ten payments that come at once, with a number of its own', async () => {
    const invoice = await issue();
    const made = await Promise.all(Array.from({ length: 10 }, () => transfer(invoice, '12.00')));
    const numbers = await Promise.all(
      made.map(async (payment) => /-R(\d+)/.exec(await wordsOf(invoice, payment))?.[1]),
    );
    expect(numbers.toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 10 }, (_, n) => `${n + 1}`));
  });

  it('leaves the document of the paid invoice as it was', async () => {
    const invoice = await issue();
    const before = (await merchant.get(`/v2/invoices/${invoice.id}/pdf`)).bytes;
    await transfer(invoice, '120.00');
    await env.runDueWork();
    expect((await merchant.get(`/v2/invoices/${invoice.id}/pdf`)).bytes.equals(before)).toBe(true);
  });
});

describe('no receipt', () => {
  it('is at the invoice of another payment, at an unknown payment, and for another merchant', async () => {
    const [one, other] = [await issue(), await issue()];
    const payment = await transfer(one, '120.00');
    const stranger = await env.merchant();
    for (const answer of [await receiptAt(other, payment.id), await receiptAt(one, 'pay_0000000000000000000000')])
      expect(answer.status).toBe(404);
    expect((await receiptAt(one, payment.id, stranger)).status).toBe(403);
    const viewer = await env.userOf(merchant, 'viewer');
    expect((await receiptAt(one, payment.id, viewer)).status).toBe(200);
  });

  it('is made of what the wallet pays: the invoice says it', async () => {
    const customer = await shop.customer();
    const first = await issue({ customerId: customer.id });
    await transfer(first, '260.00');
    const second = await issue({ customerId: customer.id });
    expect(second).toMatchObject({ status: 'PAID', walletApplied: '120.00' });
    expect(await payments(second)).toEqual([]);
    expect(textOf((await merchant.get(`/v2/invoices/${second.id}/pdf`)).bytes)).toContain('Paid from your balance');
  });

  it('is made of a card that was declined', async () => {
    const { invoice } = await shop.issued();
    await shop.pay(invoice, 'pm_declined');
    expect(await payments(invoice)).toEqual([]);
  });
});
