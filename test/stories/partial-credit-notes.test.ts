import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Credit notes over parts of lines (commercial.md §7). Amounts are worked by hand: January has 31 days. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let fee: Resource;
let calls: Resource;
let clock: Resource;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());
beforeEach(async () => {
  fee = await shop.feePrice({ properties: { unitPrice: '310' }, paymentTerm: 'in_advance' });
  calls = await shop.usagePrice();
  clock = await shop.clock(START);
});

let keys = 0;
const key = () => {
  keys += 1;
  return `note-${keys}`;
};
const post = (invoice: Resource, lines: readonly object[], more: object = {}) =>
  merchant.post(`/v2/invoices/${invoice.id}/creditNotes`, {
    ...{ lines, reason: 'The export was down', idempotencyKey: key() },
    ...more,
  });
async function credit(invoice: Resource, lines: readonly object[], more: object = {}): Promise<Resource> {
  const { status, body, text } = await post(invoice, lines, more);
  expect(status, text).toBe(201);
  return body;
}
const voidNote = (note: Resource) =>
  merchant.post(`/v2/invoices/${note.invoiceId}/creditNotes/${note.id}/void`, { reason: 'A mistake' });
const pay = (invoice: Resource, amount: string) =>
  shop.create(`/v2/invoices/${invoice.id}/payments`, { amount, method: 'bank_transfer', idempotencyKey: key() });
const wallet = async (customer: string): Promise<string> =>
  (await shop.read(`/v0/customers/${customer}/wallet`)).balances[0]?.balance ?? '0';
/** An invoice of a customer with these lines, issued. */
async function oneOff(lines: readonly object[], more: object = {}): Promise<Resource> {
  const customer = await shop.customer();
  const body = { customerId: customer.id, currency: 'USD', autoApprove: true, lines, ...more };
  return shop.invoice((await shop.create('/v2/invoices', body)).id);
}
const upfrontOf = async (subscription: Resource): Promise<Resource> =>
  (await shop.invoices(subscription)).find(({ kind }: Resource) => kind === 'upfront');
const LINE = { displayName: 'Workshop', quantity: '3', unitPrice: '100', taxRate: 19 };
const SUBSCRIPTION = { defaultTaxRate: 19 };
const sumsOf = ({ amount, taxAmount, total }: Resource) => [amount, taxAmount, total];
const standing = async (invoice: Resource) => {
  const { status, paidAmount, unpaidAmount } = await shop.invoice(invoice.id);
  return [status, paidAmount, unpaidAmount];
};

describe('a credit note over a part of a line', () => {
  it('takes units or an amount of it, with its tax, and all of it at last to the cent', async () => {
    const invoice = await oneOff([LINE]); // 300.00 + 57.00
    const [line] = invoice.lines;
    const first = await credit(invoice, [{ lineItemId: line.id, quantity: '1' }]);
    expect(first).toMatchObject({
      ...{ object: 'credit_note', kind: 'partial', status: 'ISSUED', settlement: null, customerId: invoice.customerId },
      ...{ reason: 'The export was down', voidReason: null, invoiceId: invoice.id },
      lines: [{ appliesToLineId: line.id, displayName: 'Workshop', quantity: '1', unitPrice: '100', taxRate: 19 }],
    });
    expect(sumsOf(first)).toEqual(['100.00', '19.00', '119.00']);
    // 33.33 × 19 % is 6.3327.
    expect(sumsOf(await credit(invoice, [{ lineItemId: line.id, amount: '33.33' }]))).toEqual([
      '33.33',
      '6.33',
      '39.66',
    ]);
    // What is left: 300.00 − 133.33 = 166.67, and 57.00 − 25.33 = 31.67 of tax.
    const tooMuch = await post(invoice, [{ lineItemId: line.id, amount: '166.68' }]);
    expect([tooMuch.status, tooMuch.body.errors[0].field]).toEqual([400, 'lines.0.amount']);
    expect(sumsOf(await credit(invoice, [{ lineItemId: line.id, amount: '166.67' }]))).toEqual([
      ...['166.67', '31.67', '198.34'],
    ]);
    expect(await standing(invoice)).toEqual(['PAID', '357.00', '0.00']);
  });

  it('takes the discounts of a line in proportion', async () => {
    // 3 units, a third off in all: 20.00 for 3. The first one is 6.67, two are 13.33, all are 20.00.
    const seats = await shop.feePrice({ properties: { unitPrice: '10' }, quantity: 3 });
    const plan = await shop.plan([seats]);
    const subscription = await shop.subscribe(plan, { clock });
    await shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, {
      ...{ type: 'percentageDiscount', percentageDiscount: '0.333333', effectiveFrom: START, description: '' },
    });
    await shop.advance(clock, 'P1M');
    const [invoice] = await shop.invoices(subscription);
    expect(invoice.subtotal).toBe('20.00');
    const [line, discount] = invoice.lines;
    const units = async () => (await credit(invoice, [{ lineItemId: line.id, quantity: '1' }])).amount;
    expect([await units(), await units(), await units()]).toEqual(['6.67', '6.66', '6.67']);
    const none = await post(invoice, [{ lineItemId: line.id, quantity: '1' }]);
    expect(none.body.errors[0]).toMatchObject({ field: 'lines.0.quantity' });
    const onDiscount = await post(invoice, [{ lineItemId: discount.id, amount: '1' }]);
    expect(onDiscount.body.errors[0]).toMatchObject({ field: 'lines.0.lineItemId' });
  });

  it('is with tax where prices include it', async () => {
    const plan = await shop.plan([fee], { taxBehavior: 'inclusive', defaultTaxRate: 24 });
    const subscription = await shop.subscribe(plan, { clock, bankTransferOnly: true });
    const invoice = await upfrontOf(subscription);
    expect([invoice.subtotal, invoice.totalTax]).toEqual(['250.00', '60.00']);
    const note = await credit(invoice, [{ lineItemId: invoice.lines[0].id, amount: '31' }]);
    expect(sumsOf(note)).toEqual(['25.00', '6.00', '31.00']);
  });
});

describe('its settlement', () => {
  it('goes first off what is unpaid, and the remainder back as it came', async () => {
    const invoice = await oneOff([{ ...LINE, taxRate: 0 }]);
    await pay(invoice, '250');
    const note = await credit(invoice, [{ lineItemId: invoice.lines[0].id, amount: '80' }]);
    expect(await standing(invoice)).toEqual(['PAID', '300.00', '0.00']); // 50.00 off, 30.00 back
    const refund = await merchant.post(`/v2/invoices/${invoice.id}/refunds`, {});
    expect(refund.body.code).toBe('INVOICE_ALREADY_REFUNDED');
    const { data } = await shop.read(`/v2/invoices/${invoice.id}/payments`);
    expect(data[0].returns).toEqual([
      { creditNoteId: note.id, amount: '30.00', status: 'manual', returnedAt: null, reference: null },
    ]);
    const returned = await shop.act(`/v2/invoices/${invoice.id}/payments/${data[0].id}/markReturned`, {
      reference: 'SEPA 7',
    });
    expect(returned.returns[0]).toMatchObject({ status: 'returned', reference: 'SEPA 7' });
  });

  it.each([
    { settlement: 'reduce', amount: '50', most: null },
    { settlement: 'reduce', amount: '50.01', most: '50' },
    { settlement: 'refund', amount: '250', most: null },
    { settlement: 'refund', amount: '250.01', most: '250' },
    { settlement: 'wallet', amount: '250', most: null },
    { settlement: 'wallet', amount: '250.01', most: '250' },
  ])('$settlement of $amount, with 250 of 300 paid, takes at most $most', async ({ settlement, amount, most }) => {
    const invoice = await oneOff([{ ...LINE, taxRate: 0 }]);
    await pay(invoice, '250');
    const { status, body } = await post(invoice, [{ lineItemId: invoice.lines[0].id, amount }], { settlement });
    expect([status, body.settlement ?? body.details.most]).toEqual(most === null ? [201, settlement] : [409, most]);
    if (most !== null) expect(body.code).toBe('SETTLEMENT_TOO_MUCH');
    else expect(await wallet(invoice.customerId)).toBe(settlement === 'wallet' ? '250.00' : '0');
  });

  it('goes back to the card in parts, by the provider', async () => {
    const { invoice, clock: own } = await shop.paid();
    const [line] = invoice.lines;
    const first = await credit(invoice, [{ lineItemId: line.id, amount: '1.00' }], { settlement: 'refund' });
    const second = await credit(invoice, [{ lineItemId: line.id, amount: '2.00' }]);
    await shop.advance(own, 'PT1H');
    const { data } = await shop.read(`/v2/invoices/${invoice.id}/payments`);
    expect(data[0].returns.map(({ creditNoteId, amount, status }: Resource) => [creditNoteId, amount, status])).toEqual(
      [
        [first.id, first.total, 'returned'],
        [second.id, second.total, 'returned'],
      ],
    );
    expect(data[0].returnStatus).toBe('none');
  });
});

describe('what comes after it', () => {
  it('credits the unused share of what is left of the line', async () => {
    const plan = await shop.plan([fee], SUBSCRIPTION);
    const subscription = await shop.subscribe(plan, { clock, bankTransferOnly: true });
    const invoice = await upfrontOf(subscription); // 310.00 for January
    await pay(invoice, invoice.grandTotal);
    await credit(invoice, [{ lineItemId: invoice.lines[0].id, amount: '31' }], { settlement: 'wallet' });
    await shop.advance(clock, '2026-01-11T00:00:00Z');
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over', credit: 'wallet' });
    // (310.00 − 31.00) × 21 / 31 = 189.00, and 19 % of it. The note was 31.00 + 5.89.
    const { data } = await shop.read(`/v2/invoices/${invoice.id}/creditNotes`);
    expect(data.map(({ kind, amount }: Resource) => [kind, amount])).toEqual([
      ['credit', '189.00'],
      ['partial', '31.00'],
    ]);
    expect(await wallet(subscription.customerId)).toBe('261.80'); // 36.89 + 224.91
    const refund = await merchant.post(`/v2/invoices/${invoice.id}/refunds`, {});
    expect(refund.body.code).toBe('INVOICE_ALREADY_REFUNDED');
  });

  it('gives back what it had withheld, when it is void', async () => {
    const plan = await shop.plan([fee]);
    const subscription = await shop.subscribe(plan, { clock, bankTransferOnly: true });
    const invoice = await upfrontOf(subscription);
    await pay(invoice, invoice.grandTotal);
    const note = await credit(invoice, [{ lineItemId: invoice.lines[0].id, amount: '31' }], { settlement: 'wallet' });
    await shop.advance(clock, '2026-01-11T00:00:00Z');
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over', credit: 'wallet' });
    expect(await wallet(subscription.customerId)).toBe('220.00'); // 31.00 + 189.00
    expect((await voidNote(note)).status).toBe(200);
    expect(await wallet(subscription.customerId)).toBe('210.00'); // 310.00 × 21 / 31
  });

  it('bills late usage by quantities, never below what is left', async () => {
    const plan = await shop.plan([calls]);
    const subscription = await shop.subscribe(plan, { clock });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 100);
    await shop.advance(clock, 'P1M');
    const [january] = await shop.invoices(subscription);
    await credit(january, [{ lineItemId: january.lines[0].id, amount: '30' }]);
    await shop.use(subscription.id, '2026-01-11T00:00:00Z', 20); // 120 units: 20.00 more
    await shop.advance(clock, 'P1M');
    const lateOf = async (place: number) =>
      (await shop.invoices(subscription))[place].lines
        .filter(({ type }: Resource) => type === 'late_usage')
        .map(({ totalPrice }: Resource) => totalPrice);
    expect(await lateOf(1)).toEqual(['20.00']);
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', -120); // 120.00 less, of which 90.00 are left
    await shop.use(subscription.id, '2026-03-02T00:00:00Z', 500);
    await shop.advance(clock, 'P1M');
    expect(await lateOf(2)).toEqual(['-90.00']);
  });

  it('counts the line before it for a minimum of the plan', async () => {
    const plan = await shop.plan([calls], { minimumAmount: '100' });
    const subscription = await shop.subscribe(plan, { clock });
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 80);
    await shop.advance(clock, 'P1M');
    const [january] = await shop.invoices(subscription); // 80.00, and 20.00 to the minimum
    await credit(january, [{ lineItemId: january.lines[0].id, amount: '50' }]);
    await shop.use(subscription.id, '2026-01-11T00:00:00Z', 5); // 5.00 more, and 5.00 less to the minimum
    await shop.advance(clock, 'P1M');
    const [, february] = await shop.invoices(subscription);
    const ofJanuary = february.lines.filter(({ type }: Resource) => type !== 'charge');
    expect(ofJanuary.map(({ type, totalPrice }: Resource) => [type, totalPrice])).toEqual([
      ['commitment', '100.00'], // February's own
      ['late_usage', '5.00'],
      ['commitment', '-5.00'],
    ]);
  });
});

describe('a void', () => {
  it('makes what it took off unpaid again, once', async () => {
    const invoice = await oneOff([{ ...LINE, taxRate: 0 }]);
    const note = await credit(invoice, [{ lineItemId: invoice.lines[0].id, quantity: '3' }]);
    expect(await standing(invoice)).toEqual(['PAID', '300.00', '0.00']);
    const { body } = await voidNote(note);
    expect(body).toMatchObject({ status: 'VOIDED', voidReason: 'A mistake' });
    expect(await standing(invoice)).toEqual(['ISSUED', '0.00', '300.00']);
    expect((await voidNote(note)).body.code).toBe('INVALID_TRANSITION');
    expect(sumsOf(await credit(invoice, [{ lineItemId: invoice.lines[0].id, quantity: '3' }]))[0]).toBe('300.00');
  });

  it('keeps money that has not left, and owes again what has', async () => {
    const { invoice, subscription, clock: own } = await shop.paid();
    const [line] = invoice.lines;
    const kept = await credit(invoice, [{ lineItemId: line.id, amount: '1.00' }]);
    expect((await voidNote(kept)).status).toBe(200);
    const gone = await credit(invoice, [{ lineItemId: line.id, amount: '1.00' }]);
    await shop.advance(own, 'PT1H');
    const asRefund = await merchant.post(`/v2/invoices/${gone.invoiceId}/refunds/${gone.id}/void`);
    expect([asRefund.status, asRefund.body.status]).toEqual([200, 'VOIDED']);
    const { data } = await shop.read(`/v2/invoices/${invoice.id}/payments`);
    expect(data[0].returns.map(({ status }: Resource) => status)).toEqual(['stopped', 'returned']);
    // 1.00 and 20 % of it are owed again, which the next one of 2.40 settles first.
    await credit(invoice, [{ lineItemId: line.id, amount: '2.00' }], { settlement: 'wallet' });
    expect(await wallet(subscription.customerId)).toBe('1.20');
  });
});

describe('refusals', () => {
  it('are of drafts, foreign lines, doubles, and of keys with other content', async () => {
    const customer = await shop.customer();
    const draft = await shop.create('/v2/invoices', { customerId: customer.id, currency: 'USD', lines: [LINE] });
    const [line] = (await shop.invoice(draft.id)).lines;
    expect((await post(draft, [{ lineItemId: line.id, amount: '1' }])).body.code).toBe('INVALID_TRANSITION');
    const invoice = await oneOff([LINE]);
    const own = { lineItemId: invoice.lines[0].id };
    const fieldOf = async (lines: readonly object[]) => (await post(invoice, lines)).body.errors?.[0].field;
    expect(await fieldOf([{ lineItemId: line.id, amount: '1' }])).toBe('lines.0.lineItemId');
    expect(await fieldOf([{ ...own, amount: '1', quantity: '1' }])).toBe('lines.0.amount');
    expect(await fieldOf([{ ...own }])).toBe('lines.0.amount');
    expect(await fieldOf([{ ...own, amount: '1.001' }])).toBe('lines.0.amount');
    expect(
      await fieldOf([
        { ...own, amount: '1' },
        { ...own, amount: '1' },
      ]),
    ).toBe('lines.1.lineItemId');
    const twice = { idempotencyKey: key() };
    const first = await credit(invoice, [{ ...own, amount: '1' }], twice);
    const again = await post(invoice, [{ ...own, amount: '1' }], twice);
    expect([again.status, again.body.id]).toEqual([200, first.id]);
    expect((await post(invoice, [{ ...own, amount: '2' }], twice)).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
    const other = await env.merchant();
    const foreign = { lines: [{ ...own, amount: '1' }], reason: 'x', idempotencyKey: key() };
    expect((await other.post(`/v2/invoices/${invoice.id}/creditNotes`, foreign)).status).toBe(403);
  });

  it('are of a refunded invoice, and of a top-up in part or spent', async () => {
    const { invoice } = await shop.paid();
    await shop.create(`/v2/invoices/${invoice.id}/refunds`, {});
    const refunded = await post(invoice, [{ lineItemId: invoice.lines[0].id, amount: '1' }]);
    expect(refunded.body.code).toBe('INVOICE_ALREADY_REFUNDED');

    const topUp = async (customer: Resource) => {
      const body = { amount: '50', currency: 'USD', idempotencyKey: key() };
      const made = await shop.create(`/v0/customers/${customer.id}/wallet/topUps`, body);
      const session = made.paymentSessions[0].url.split('/').at(-1);
      await shop.act(`/v0/paymentSessions/${session}/complete`, { paymentMethod: 'pm_ok' });
      return shop.invoice(made.invoiceId);
    };
    const [spender, keeper] = [await shop.customer(), await shop.customer()];
    const spent = await topUp(spender);
    const lines = [{ displayName: 'Workshop', quantity: 1, unitPrice: '10', taxRate: 0 }];
    await shop.create('/v2/invoices', { customerId: spender.id, currency: 'USD', autoApprove: true, lines });
    const inPart = await post(spent, [{ lineItemId: spent.lines[0].id, amount: '1' }]);
    expect(inPart.body.errors[0].field).toBe('lines.0.amount');
    expect((await post(spent, [{ lineItemId: spent.lines[0].id, amount: '50' }])).body.code).toBe('WALLET_SPENT');
    const kept = await topUp(keeper);
    expect((await credit(kept, [{ lineItemId: kept.lines[0].id, amount: '50' }])).total).toBe('50.00');
    expect(await wallet(keeper.id)).toBe('0.00');
  });
});

it('comes out the same from the events, and the audit holds', async () => {
  expect((await recomputeDatabase(env.url)).differing).toEqual([]);
  expect((await auditDatabase(env.url)).violations).toEqual([]);
});
