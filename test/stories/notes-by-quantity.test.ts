import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * A credit note by quantity on a line that billing credits paid in part gives all of both (commercial.md §7). A fee of
 * 3 seats at 100.00 a month in arrears, with 20 % tax, of which a credit of 120.00 pays: 180.00 and 36.00 are to pay.
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let clock: Resource;
let customer: Resource;
let subscription: Resource;
beforeAll(async () => {
  env = await openTestEnvironment({ recomputed: true });
});
beforeEach(async () => {
  env.setNow(START);
  merchant = await env.merchant();
  shop = shopOf(merchant);
  clock = await shop.clock(START);
  customer = await shop.customer();
});
afterEach(() => expectBooksToBalance(env, merchant));
afterAll(() => env.close());

let keys = 0;
const key = (): string => {
  keys += 1;
  return `key-${keys}`;
};
const give = (amount: string, fields: object = {}): Promise<Resource> =>
  shop.create(`/v0/customers/${customer.id}/billingCredits`, {
    ...{ name: 'Welcome', amount, currency: 'USD', testClockId: clock.id, idempotencyKey: key(), ...fields },
  });
const subscribe = async (price: object = {}, plan: object = {}): Promise<Resource> => {
  const fee = await shop.feePrice({ properties: { unitPrice: '100' }, quantity: 3, taxRate: 20, ...price });
  return shop.subscribe(await shop.plan([fee], { gracePeriod: 'P0D', ...plan }), {
    ...{ clock, customer, bankTransferOnly: true },
  });
};
/** The first invoice of a new subscription. */
async function billed(price: object = {}, plan: object = {}): Promise<Resource> {
  subscription = await subscribe(price, plan);
  if (price === IN_ADVANCE) return (await shop.invoices(subscription)).find(({ kind }) => kind === 'upfront');
  await shop.advance(clock, 'P1M');
  return (await shop.invoices(subscription))[0];
}
const IN_ADVANCE = { paymentTerm: 'in_advance', quantity: 1, properties: { unitPrice: '310' } };
const post = ({ id, lines }: Resource, part: object, settlement?: string) =>
  merchant.post(`/v2/invoices/${id}/creditNotes`, {
    ...{ lines: [{ lineItemId: lines[0].id, ...part }], reason: 'It was down', idempotencyKey: key() },
    ...(settlement && { settlement }),
  });
async function credit(invoice: Resource, quantity: string, settlement?: string): Promise<Resource> {
  const { status, body, text } = await post(invoice, { quantity }, settlement);
  expect(status, text).toBe(201);
  return body;
}
const amountsOf = ({ lines, amount, taxAmount }: Resource): string[] =>
  [...lines, { amount, taxAmount }].map((line: Resource) => `${line.amount} ${line.taxAmount}`);
const usedOf = async ({ id }: Resource): Promise<string> =>
  (await shop.read(`/v0/customers/${customer.id}/billingCredits`)).data.find((each: Resource) => each.id === id)
    .usedAmount;
const standing = async ({ id }: Resource): Promise<string> => {
  const { status, paidAmount, unpaidAmount } = await shop.invoice(id);
  return `${status} ${paidAmount} ${unpaidAmount}`;
};
const pay = (invoice: Resource): Promise<Resource> =>
  shop.create(`/v2/invoices/${invoice.id}/payments`, {
    ...{ amount: invoice.grandTotal, method: 'bank_transfer', idempotencyKey: key() },
  });
const wallet = async (): Promise<string> =>
  (await shop.read(`/v0/customers/${customer.id}/wallet`)).balances[0]?.balance ?? '0';
const voidNote = async (note: Resource): Promise<Resource> =>
  shop.act(`/v2/invoices/${note.invoiceId}/creditNotes/${note.id}/void`, { reason: 'A mistake' });
const notesOf = async ({ id }: Resource): Promise<string[]> =>
  (await shop.read(`/v2/invoices/${id}/creditNotes`)).data
    .toReversed()
    .map(({ kind, amount, taxAmount, status }: Resource) => `${kind} ${amount} ${taxAmount} ${status}`);
/** Ends the subscription now. */
const end = (): Promise<Resource> =>
  shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over', credit: 'wallet' });

describe('a credit note by quantity', () => {
  it('gives back to the credit what it paid of the units, and the rest as money', async () => {
    const welcome = await give('120');
    const invoice = await billed();
    expect([invoice.subtotal, invoice.totalTax]).toEqual(['180.00', '36.00']);
    // 100.00 of 300.00, of which the credit paid 40.00.
    const first = await credit(invoice, '1');
    expect(amountsOf(first)).toEqual(['100.00 20.00', '-40.00 -8.00', '60.00 12.00']);
    expect(first.lines[0]).toMatchObject({ appliesToLineId: invoice.lines[0].id, quantity: '1', unitPrice: '100' });
    expect(first.lines[1]).toMatchObject({ appliesToLineId: invoice.lines[1].id, quantity: '1', unitPrice: '-40' });
    expect([await standing(invoice), await usedOf(welcome)]).toEqual(['ISSUED 72.00 144.00', '80.00']);
    expect(amountsOf(await credit(invoice, '2'))).toEqual(['200.00 40.00', '-80.00 -16.00', '120.00 24.00']);
    expect([await standing(invoice), await usedOf(welcome)]).toEqual(['PAID 216.00 0.00', '0.00']);
    expect((await post(invoice, { quantity: '1' })).body.errors[0].message).toContain('must be at most 0,');
    const balance = await shop.read(`/v0/customers/${customer.id}/billingCredits/balance?currency=USD`);
    expect(balance).toMatchObject({ granted: '120.00', used: '0.00' });
  });

  it('gives all of a line that a credit paid alone to the credit, with documents over no money', async () => {
    await shop.change(`/v0/organizations/${merchant.id}`, {
      ...{ legalName: 'Northwind GmbH', taxId: 'DE 123 456 789' },
      address: { line1: 'Torstraße 140', city: 'Berlin', zipCode: '10119', country: 'DE' },
    });
    const welcome = await give('300');
    const invoice = await billed();
    expect(await standing(invoice)).toBe('PAID 0.00 0.00');
    expect((await post(invoice, { amount: '1' })).body.errors[0]).toMatchObject({ field: 'lines.0.amount' });
    const part = await credit(invoice, '1', 'wallet');
    expect(amountsOf(part)).toEqual(['100.00 20.00', '-100.00 -20.00', '0.00 0.00']);
    const { pdfUrl, documentXmlUrl } = await shop.read(`/v2/invoices/${invoice.id}/creditNotes/${part.id}`);
    for (const url of [pdfUrl, documentXmlUrl]) expect((await merchant.get(new URL(url).pathname)).status).toBe(200);
    expect(amountsOf(await credit(invoice, '2'))).toEqual(['200.00 40.00', '-200.00 -40.00', '0.00 0.00']);
    expect([await standing(invoice), await usedOf(welcome), await wallet()]).toEqual(['PAID 0.00 0.00', '0.00', '0']);
  });

  it('gives back what the last credit paid first', async () => {
    const [one, other] = [await give('30'), await give('90', { name: 'Sorry' })];
    const invoice = await billed();
    expect(amountsOf(await credit(invoice, '1'))).toEqual(['100.00 20.00', '-40.00 -8.00', '60.00 12.00']);
    expect([await usedOf(one), await usedOf(other)]).toEqual(['30.00', '50.00']);
    // 80.00 are left, of which 50.00 are of the last one.
    const last = await credit(invoice, '2');
    expect(amountsOf(last)).toEqual(['200.00 40.00', '-50.00 -10.00', '-30.00 -6.00', '120.00 24.00']);
    expect([await usedOf(one), await usedOf(other)]).toEqual(['0.00', '0.00']);
  });

  it('takes back the revenue of a credit that was bought', async () => {
    const purchase = await shop.create(`/v0/customers/${customer.id}/billingCredits/purchase`, {
      ...{ amount: '120', price: '60', currency: 'USD', testClockId: clock.id, idempotencyKey: key() },
    });
    await shop.act(`/v0/paymentSessions/${purchase.paymentSessions[0].url.split('/').at(-1)}/complete`, {
      paymentMethod: 'pm_ok',
    });
    const invoice = await billed();
    const revenue = async () => {
      const query = 'startTime=2025-01-01T00:00:00Z&endTime=2028-01-01T00:00:00Z&currency=USD';
      const { netRevenue, totalEarned } = await shop.read(`/v0/revenue?${query}`);
      return `${netRevenue} ${totalEarned}`;
    };
    await shop.advance(clock, 'PT1H');
    expect(await revenue()).toBe('240.00 60.00'); // 180.00, and 60.00 for 120.00 of credit
    const note = await credit(invoice, '1.5');
    expect(amountsOf(note)).toEqual(['150.00 30.00', '-60.00 -12.00', '90.00 18.00']);
    await shop.advance(clock, 'PT1H');
    expect(await revenue()).toBe('120.00 30.00');
    await voidNote(note);
    await shop.advance(clock, 'PT1H');
    expect(await revenue()).toBe('240.00 60.00');
  });

  it('takes the discounts of the line in proportion', async () => {
    const tenth = await shop.create('/v0/coupons', { name: 'Tenth', percentOff: '0.1', duration: 'forever' });
    subscription = await subscribe();
    await shop.create(`/v0/subscriptions/${subscription.id}/coupons`, { couponId: tenth.id });
    const welcome = await give('120', { subscriptionId: subscription.id });
    await shop.advance(clock, 'P1M');
    const [invoice] = await shop.invoices(subscription);
    expect(invoice.subtotal).toBe('150.00'); // 300.00 − 30.00 − 120.00
    expect(amountsOf(await credit(invoice, '1'))).toEqual(['90.00 18.00', '-40.00 -8.00', '50.00 10.00']);
    expect(amountsOf(await credit(invoice, '2'))).toEqual(['180.00 36.00', '-80.00 -16.00', '100.00 20.00']);
    expect(await usedOf(welcome)).toBe('0.00');
  });

  it.each([
    {
      // 99 yen, of which 50 by the credit and 49 with 5 tax to pay. A unit is 33: 50 × 33/99 is 17, then 33 × 33/66.
      ...{ currency: 'JPY', unitPrice: '33', amount: '50', taxRate: 10 },
      notes: ['33 4 -17 -2 16 2', '33 3 -17 -2 16 1', '33 3 -16 -1 17 2'],
    },
    {
      // 1.000 of 3.003 dinars. A unit is 1.001: 1.000 × 1.001/3.003 is 0.333, then 0.667 × 1.001/2.002 is 0.334.
      ...{ currency: 'KWD', unitPrice: '1.001', amount: '1', taxRate: 0 },
      notes: [
        '1.001 0.000 -0.333 0.000 0.668 0.000',
        '1.001 0.000 -0.334 0.000 0.667 0.000',
        '1.001 0.000 -0.333 0.000 0.668 0.000',
      ],
    },
  ])('gives exactly what was paid in three parts, in $currency', async ({ currency, notes, ...of }) => {
    const welcome = await give(of.amount, { currency });
    const invoice = await billed({ properties: { unitPrice: of.unitPrice }, taxRate: of.taxRate }, { currency });
    const parts = [await credit(invoice, '1'), await credit(invoice, '1'), await credit(invoice, '1')];
    expect(parts.map((note) => amountsOf(note).join(' '))).toEqual(notes);
    expect(Number(await usedOf(welcome))).toBe(0);
    expect((await standing(invoice)).split(' ')[0]).toBe('PAID');
  });

  it('is with tax where prices include it', async () => {
    const welcome = await give('100'); // 120.00 of 360.00
    const invoice = await billed({ properties: { unitPrice: '120' } }, { taxBehavior: 'inclusive' });
    expect([invoice.subtotal, invoice.totalTax]).toEqual(['200.00', '40.00']);
    // 120.00, of which 40.00 back: 33.33 and 6.67. The money is 80.00: 66.67 and 13.33.
    expect(amountsOf(await credit(invoice, '1'))).toEqual(['100.00 20.00', '-33.33 -6.67', '66.67 13.33']);
    expect(amountsOf(await credit(invoice, '2'))).toEqual(['200.00 40.00', '-66.67 -13.33', '133.33 26.67']);
    expect(await usedOf(welcome)).toBe('0.00');
  });

  it('takes all of it in three parts, whatever is rounded inside the prices', async () => {
    const welcome = await give('10.03');
    const price = { properties: { unitPrice: '33.33' }, taxRate: 19 };
    const invoice = await billed(price, { taxBehavior: 'inclusive' });
    expect(invoice.grandTotal).toBe('88.05'); // 99.99 − 11.94
    const totals = [];
    for (const _ of [1, 2, 3]) totals.push((await credit(invoice, '1')).total);
    expect(totals).toEqual(['29.35', '29.35', '29.35']); // 33.33 − 3.98
    expect([await standing(invoice), await usedOf(welcome)]).toEqual(['PAID 88.05 0.00', '0.00']);
  });
});

describe('a line for what is missing', () => {
  /** The lines of an invoice from this type on: the first one is credited. */
  const from = (invoice: Resource, type: string): Resource => ({
    ...invoice,
    lines: invoice.lines.slice(invoice.lines.findIndex((line: Resource) => line.type === type)),
  });

  it('to the minimum of a plan is a charge like others', async () => {
    const welcome = await give('40');
    const invoice = await billed({ properties: { unitPrice: '10' }, taxRate: 0 }, { minimumAmount: '100' });
    // 30.00 for the seats, paid by the credit first, and 70.00 to the minimum, of which it pays 10.00.
    expect(invoice.subtotal).toBe('60.00');
    const note = await credit(from(invoice, 'commitment'), '1');
    expect(amountsOf(note)).toEqual(['70.00 0.00', '-10.00 0.00', '60.00 0.00']);
    expect([await standing(invoice), await usedOf(welcome)]).toEqual(['PAID 60.00 0.00', '30.00']);
  });

  it('to a commitment is, too: it is not asked for again', async () => {
    const welcome = await give('40');
    subscription = await subscribe({ properties: { unitPrice: '10' }, taxRate: 0 });
    await shop.create('/v0/commitments', {
      ...{ customerId: customer.id, subscriptionId: subscription.id, name: 'Contract', currency: 'USD' },
      type: 'postpaid',
      segments: [{ startDate: START, endDate: '2026-02-01T00:00:00Z', amount: '100' }],
    });
    await shop.advance(clock, 'P1M');
    const [invoice] = await shop.invoices(subscription);
    expect(invoice.subtotal).toBe('60.00'); // 30.00, and 70.00 that are missing
    const trueUp = from(invoice, 'true_up');
    const parts = [await credit(trueUp, '0.5'), await credit(trueUp, '0.5')];
    expect(parts.map(amountsOf)).toEqual([
      ['35.00 0.00', '-5.00 0.00', '30.00 0.00'],
      ['35.00 0.00', '-5.00 0.00', '30.00 0.00'],
    ]);
    expect([await standing(invoice), await usedOf(welcome)]).toEqual(['PAID 60.00 0.00', '30.00']);
    await shop.advance(clock, 'P1M');
    const [, february] = await shop.invoices(subscription);
    expect(february.lines.map(({ type }: Resource) => type)).toEqual(['charge', 'billing_credit']);
  });
});

describe('its settlement', () => {
  it('is of the money: what is paid goes back, and 60.00 of it at most', async () => {
    await give('120');
    const invoice = await billed();
    await pay(invoice);
    const { body } = await post(invoice, { quantity: '1' }, 'reduce');
    expect(body).toMatchObject({ code: 'SETTLEMENT_TOO_MUCH', details: { total: '72', most: '0' } });
    await credit(invoice, '1', 'wallet');
    expect([await wallet(), await standing(invoice)]).toEqual(['72.00', 'PAID 216.00 0.00']);
    expect((await post(invoice, { amount: '120.01' })).status).toBe(400);
    expect((await post(invoice, { amount: '120' }, 'wallet')).status).toBe(201);
    expect(await wallet()).toBe('216.00'); // the money is all gone; the credit still pays 80.00
    const { status, body: refused } = await post(invoice, { quantity: '1' });
    expect([status, refused.errors[0].message]).toEqual([400, 'comes to 100; 80 is left of the line']);
  });
});

describe('its void', () => {
  it('takes the credit back, which pays the line again', async () => {
    const welcome = await give('120');
    const invoice = await billed();
    const note = await credit(invoice, '3');
    expect([await standing(invoice), await usedOf(welcome)]).toEqual(['PAID 216.00 0.00', '0.00']);
    await voidNote(note);
    expect([await standing(invoice), await usedOf(welcome)]).toEqual(['ISSUED 0.00 216.00', '120.00']);
    expect(amountsOf(await credit(invoice, '3'))).toEqual(['300.00 60.00', '-120.00 -24.00', '180.00 36.00']);
  });

  it('is owed where the credit was used elsewhere', async () => {
    const welcome = await give('120');
    const invoice = await billed();
    const note = await credit(invoice, '1');
    await shop.advance(clock, 'P1M'); // February takes the 40.00
    expect(await usedOf(welcome)).toBe('120.00');
    await voidNote(note);
    await shop.advance(clock, 'P1M');
    const march = (await shop.invoices(subscription))[2];
    expect(march.lines[1]).toMatchObject({
      ...{ type: 'reversed_payment', totalAmount: '40.00' },
      invoiceDisplayName: `${invoice.invoiceNumber}: billing credit used elsewhere`,
    });
  });
});

describe.each([false, true])('a reissue (recalculated: %s)', (recalculate) => {
  it('gives back again what the note on the replaced invoice gave back', async () => {
    const welcome = await give('120');
    const invoice = await billed();
    await credit(invoice, '1');
    const { id } = await shop.create(`/v2/invoices/${invoice.id}/reissue`, { reason: 'Address', recalculate });
    const made = await shop.invoice(id);
    expect(made).toMatchObject({ subtotal: '180.00', totalTax: '36.00', paidAmount: '72.00', unpaidAmount: '144.00' });
    const { data } = await shop.read(`/v2/invoices/${id}/creditNotes`);
    const again = await shop.read(`/v2/invoices/${id}/creditNotes/${data[0].id}`);
    expect(amountsOf(again)).toEqual(['100.00 20.00', '-40.00 -8.00', '60.00 12.00']);
    expect(again.lines.map((line: Resource) => [line.appliesToLineId, line.quantity])).toEqual([
      [made.lines[0].id, '1'],
      [made.lines[1].id, '1'],
    ]);
    expect(await usedOf(welcome)).toBe('80.00');
    expect(amountsOf(await credit(made, '2'))).toEqual(['200.00 40.00', '-80.00 -16.00', '120.00 24.00']);
    expect([await standing(made), await usedOf(welcome)]).toEqual(['PAID 216.00 0.00', '0.00']);
  });
});

describe('what comes after it', () => {
  /** 310.00 for January in advance, of which a credit pays 155.00. A note over half is 155.00, 77.50 of it back. */
  const halved = async () => {
    const welcome = await give('155');
    const invoice = await billed(IN_ADVANCE);
    await pay(invoice);
    const note = await credit(invoice, '0.5', 'wallet');
    expect(amountsOf(note)).toEqual(['155.00 31.00', '-77.50 -15.50', '77.50 15.50']);
    await shop.advance(clock, '2026-01-11T00:00:00Z');
    return { welcome, invoice, note };
  };

  it('credits the unused share of what is left: first money, then the credit', async () => {
    const { welcome, invoice } = await halved();
    await end();
    // (310.00 − 155.00) × 21/31 = 105.00. 50.00 are owed, of 77.50 that the credit pays: 27.50 back, 77.50 of money.
    expect(await notesOf(invoice)).toEqual(['partial 77.50 15.50 ISSUED', 'credit 77.50 15.50 ISSUED']);
    expect([await usedOf(welcome), await wallet()]).toEqual(['50.00', '186.00']); // 2 × (77.50 + 15.50)
  });

  it('gives back what it had withheld, when it is void', async () => {
    const { welcome, invoice, note } = await halved();
    await end();
    await voidNote(note);
    // 310.00 × 21/31 = 210.00: 100.00 are owed, and the credit pays them. All money is back, 155.00 and 31.00.
    expect([await usedOf(welcome), await wallet()]).toEqual(['100.00', '186.00']);
    expect((await notesOf(invoice)).filter((each) => each.startsWith('partial'))).toEqual([
      'partial 77.50 15.50 VOIDED',
    ]);
  });

  it('takes of what an end left: the credit pays all of that', async () => {
    const welcome = await give('155');
    const invoice = await billed(IN_ADVANCE);
    await pay(invoice);
    await shop.advance(clock, '2026-01-11T00:00:00Z');
    await end();
    expect(await usedOf(welcome)).toBe('100.00'); // 310.00 × 10/31, all by the credit
    expect(amountsOf(await credit(invoice, '0.2'))).toEqual(['62.00 12.40', '-62.00 -12.40', '0.00 0.00']);
    expect([await usedOf(welcome), await wallet()]).toEqual(['38.00', '186.00']);
  });

  it('bills late usage by quantities, and less usage takes only what is left', async () => {
    const welcome = await give('40');
    const calls = await shop.usagePrice();
    subscription = await shop.subscribe(await shop.plan([calls], { gracePeriod: 'P0D' }), {
      ...{ clock, customer, bankTransferOnly: true },
    });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 100);
    await shop.advance(clock, 'P1M');
    const [january] = await shop.invoices(subscription);
    expect(amountsOf(await credit(january, '50'))).toEqual(['50.00 0.00', '-20.00 0.00', '30.00 0.00']);
    expect(await usedOf(welcome)).toBe('20.00');
    await shop.use(subscription.id, '2026-01-11T00:00:00Z', 10); // 10.00 more, and the credit has 20.00
    await shop.use(subscription.id, '2026-02-11T00:00:00Z', 100);
    await shop.advance(clock, 'P1M');
    const linesOf = async (place: number) =>
      (await shop.invoices(subscription))[place].lines.map(({ type, totalPrice }: Resource) => `${type} ${totalPrice}`);
    expect(await linesOf(1)).toEqual([
      ...['charge 100.00', 'billing_credit -10.00', 'late_usage 10.00', 'billing_credit -10.00'],
    ]);
    // 110.00 less in January: 60.00 are left of it, and the credit has back the 20.00 and 10.00 that it still paid.
    await shop.use(subscription.id, '2026-01-12T00:00:00Z', -110);
    await shop.use(subscription.id, '2026-03-11T00:00:00Z', 500);
    await shop.advance(clock, 'P1M');
    expect((await linesOf(2)).filter((line: string) => line.startsWith('late_usage'))).toEqual(['late_usage -60.00']);
    expect((await linesOf(2)).filter((line: string) => line.startsWith('billing_credit'))).toEqual([
      ...['billing_credit -30.00', 'billing_credit 10.00', 'billing_credit 20.00'], // the first of March's 500.00
    ]);
    expect(await usedOf(welcome)).toBe('40.00');
  });
});
