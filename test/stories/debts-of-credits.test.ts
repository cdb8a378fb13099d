import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { sql } from '../../src/db/index.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * The void of a refund takes back what is left of what billing credits had back; the rest is a receivable
 * (commercial.md §3). A fee of 100.00 a month in arrears, with 20 % tax; amounts are worked by hand.
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let clock: Resource;
let customer: Resource;
let subscription: Resource;
beforeAll(async () => {
  env = await openTestEnvironment();
});
beforeEach(async () => {
  merchant = await env.merchant();
  shop = shopOf(merchant);
  clock = await shop.clock(START);
  customer = await shop.customer();
});
afterEach(() => expectBooksToBalance(env, merchant));
afterAll(() => env.close());

let keys = 0;
const give = (amount: string, fields: object = {}, to = customer): Promise<Resource> => {
  keys += 1;
  const body = { name: 'Welcome', amount, currency: 'USD', testClockId: clock.id, idempotencyKey: `credit-${keys}` };
  return shop.create(`/v0/customers/${to.id}/billingCredits`, { ...body, ...fields });
};
const figures = async ({ id }: Resource, of = customer) => {
  const { data } = await shop.read(`/v0/customers/${of.id}/billingCredits`);
  const found = data.find((credit: Resource) => credit.id === id);
  const { remaining, usedAmount, pendingAmount, expiredAmount, voidedAmount } = found;
  return [remaining, usedAmount, pendingAmount, expiredAmount, voidedAmount].join(' ');
};
/** The n-th invoice, the oldest first. */
const nth = async (place: number, of = subscription): Promise<Resource> => (await shop.invoices(of))[place];
const refund = ({ id }: Resource): Promise<Resource> => shop.create(`/v2/invoices/${id}/refunds`);
const tryToVoid = (note: Resource) => merchant.post(`/v2/invoices/${note.invoiceId}/refunds/${note.id}/void`, {});
const voidRefund = async (note: Resource): Promise<Resource> => {
  const { status, body } = await tryToVoid(note);
  expect({ status, body }).toMatchObject({ status: 200, body: { status: 'VOIDED' } });
  return body;
};
const namesOf = ({ lines }: Resource): string[] =>
  lines.map((line: Resource) => `${line.invoiceDisplayName} ${line.totalAmount}`);
/** What a customer owes on no invoice yet, by the ledger, and what is in its wallet. */
const owed = async (of = customer): Promise<string[]> =>
  env.database.transaction({ merchants: [merchant.id] }, async (tx) => {
    const sums = await tx.one<{ toCollect: Resource; wallet: Resource }>(sql`
      select coalesce(sum(amount) filter (where account = 'to_collect'), 0) as to_collect,
             coalesce(-sum(amount) filter (where account = 'wallet'), 0) as wallet
        from ledger_entry where merchant_id = ${merchant.id} and customer_id = ${of.id}`);
    return [sums.toCollect.toFixed(2), sums.wallet.toFixed(2)];
  });
const earned = async (): Promise<string[]> => {
  const query = 'startTime=2025-01-01T00:00:00Z&endTime=2028-01-01T00:00:00Z&currency=USD';
  const { netRevenue, totalEarned } = await shop.read(`/v0/revenue?${query}`);
  return [netRevenue, totalEarned];
};
/** The statement of all time: its entries in words, and what the customer owes in the end. */
const statement = async (of = customer) => {
  const range = 'from=2025-01-01T00:00:00Z&to=2028-01-01T00:00:00Z';
  const { entries, closingBalance } = await shop.read(`/v0/customers/${of.id}/statement?${range}`);
  return { closingBalance, debts: entries.filter(({ type }: Resource) => type === 'reversal') };
};
const subscribe = async (fields: object = {}, plan: object = {}, of = customer): Promise<Resource> => {
  const fee = await shop.feePrice({ properties: { unitPrice: '100' }, taxRate: 20, ...fields });
  return shop.subscribe(await shop.plan([fee], { gracePeriod: 'P0D', ...plan }), {
    ...{ clock, customer: of, bankTransferOnly: true },
  });
};
/** January is paid by a credit, and refunded. February is billed, so its invoice has what the credit had back. */
async function usedElsewhere(amount = '100', fields: object = {}) {
  const credit = await give(amount, fields);
  subscription = await subscribe();
  await shop.advance(clock, 'P1M');
  const january = await nth(0);
  expect(january).toMatchObject({ status: 'PAID', grandTotal: '0.00' });
  const note = await refund(january);
  await shop.advance(clock, 'P1M');
  return { credit, january, note };
}

describe('the void of a refund whose credit was used elsewhere', () => {
  it('is owed as a line without tax on the next invoice; the documents stay', async () => {
    const { credit, january, note } = await usedElsewhere();
    expect(await nth(1)).toMatchObject({ status: 'PAID', grandTotal: '0.00' });
    await voidRefund(note);
    expect(await shop.invoice(january.id)).toMatchObject({ status: 'PAID', grandTotal: '0.00', unpaidAmount: '0.00' });
    expect(await figures(credit)).toBe('0.00 100.00 0.00 0.00 0.00');
    expect(await owed()).toEqual(['100.00', '0.00']);
    expect((await statement()).closingBalance).toBe('100.00');
    const blocked = await merchant.delete(`/v0/customers/${customer.id}`);
    expect([blocked.status, JSON.stringify(blocked.body)]).toEqual([409, expect.stringContaining(credit.id)]);
    await shop.advance(clock, 'P1M');
    const march = await nth(2); // 100.00, 20.00 tax, and 100.00
    expect(march).toMatchObject({ subtotal: '200.00', totalTax: '20.00', grandTotal: '220.00' });
    expect(march.lines[1]).toMatchObject({
      ...{ type: 'reversed_payment', taxRate: 0, totalTax: '0.00', totalAmount: '100.00' },
      invoiceDisplayName: `${january.invoiceNumber}: billing credit used elsewhere`,
    });
    expect(await owed()).toEqual(['0.00', '0.00']);
    const { closingBalance, debts } = await statement();
    expect(closingBalance).toBe('220.00');
    expect(debts.map(({ id, amount }: Resource) => [id, amount])).toEqual([
      [january.id, '100.00'],
      [march.id, '-100.00'],
    ]);
    // Three months of service for one credit of 100.00: March's fee, and the debt.
    expect(await earned()).toEqual(['200.00', '100.00']);
  });

  it('takes what is left: the rest is owed', async () => {
    const { credit, note } = await usedElsewhere('130'); // 100.00 of it for February
    expect(await figures(credit)).toBe('0.00 100.00 30.00 0.00 0.00');
    await voidRefund(note);
    expect(await figures(credit)).toBe('0.00 130.00 0.00 0.00 0.00');
    expect(await owed()).toEqual(['70.00', '0.00']);
  });

  it('takes all of it where it is only open periods that would use it', async () => {
    const credit = await give('100');
    subscription = await subscribe();
    await shop.advance(clock, 'P1M');
    const note = await refund(await nth(0));
    expect(await figures(credit)).toBe('0.00 0.00 100.00 0.00 0.00');
    await voidRefund(note);
    expect(await figures(credit)).toBe('0.00 100.00 0.00 0.00 0.00');
    expect(await owed()).toEqual(['0.00', '0.00']);
    await shop.advance(clock, 'P1M');
    expect(await nth(1)).toMatchObject({ grandTotal: '120.00' });
  });

  it('takes it back where it has expired unused', async () => {
    const credit = await give('100', { expiresAt: '2026-02-01T00:00:00Z' });
    subscription = await subscribe();
    await shop.advance(clock, 'P1M');
    const note = await refund(await nth(0));
    await shop.advance(clock, 'P1D');
    expect(await figures(credit)).toBe('0.00 0.00 0.00 100.00 0.00');
    await voidRefund(note);
    expect(await figures(credit)).toBe('0.00 100.00 0.00 0.00 0.00');
    expect(await owed()).toEqual(['0.00', '0.00']);
  });

  it('is once, also twice at once', async () => {
    const { note } = await usedElsewhere();
    const both = await Promise.all([tryToVoid(note), tryToVoid(note)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await owed()).toEqual(['100.00', '0.00']);
  });
});

describe('a paid credit', () => {
  const bought = async (): Promise<Resource> => {
    keys += 1;
    const purchase = await shop.create(`/v0/customers/${customer.id}/billingCredits/purchase`, {
      ...{ amount: '110', price: '100', currency: 'USD', testClockId: clock.id, idempotencyKey: `buy-${keys}` },
    });
    const session = purchase.paymentSessions[0].url.split('/').at(-1);
    await shop.act(`/v0/paymentSessions/${session}/complete`, { paymentMethod: 'pm_ok' });
    const { data } = await shop.read(`/v0/customers/${customer.id}/billingCredits`);
    return data[0];
  };

  it('is earned once, and what is owed is revenue beside it', async () => {
    const credit = await bought();
    subscription = await subscribe();
    await shop.advance(clock, 'P1M');
    const note = await refund(await nth(0));
    await shop.advance(clock, 'P1M');
    await voidRefund(note);
    expect(await figures(credit)).toBe('0.00 110.00 0.00 0.00 0.00');
    expect(await owed()).toEqual(['90.00', '0.00']); // 200.00 of service, 110.00 of credit
    await shop.advance(clock, 'PT1S');
    expect(await earned()).toEqual(['190.00', '190.00']); // the price of 100.00, and 90.00
  });

  it('that was given back with its price pays nothing: all of it is owed', async () => {
    const credit = await bought();
    subscription = await subscribe();
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    const note = await refund(await nth(0));
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over', credit: 'none' });
    await shop.advance(clock, 'PT1H');
    await refund({ id: credit.invoiceId });
    await voidRefund(note);
    expect(await owed()).toEqual(['100.00', '0.00']);
    await shop.advance(clock, 'PT1S');
    expect(await earned()).toEqual(['100.00', '100.00']);
  });
});

describe('a debt of a credit', () => {
  it('goes where its invoice is refunded again before it is collected', async () => {
    const { credit, january, note } = await usedElsewhere();
    await voidRefund(note);
    const again = await refund(january);
    await shop.advance(clock, 'PT1S');
    expect(await owed()).toEqual(['0.00', '0.00']);
    expect(await figures(credit)).toBe('0.00 100.00 0.00 0.00 0.00'); // for February
    expect((await statement()).closingBalance).toBe('0.00');
    await voidRefund(again);
    expect(await owed()).toEqual(['100.00', '0.00']);
    await shop.advance(clock, 'P1M');
    expect(await nth(2)).toMatchObject({ grandTotal: '220.00' });
  });

  it('goes into the wallet where an invoice has collected it by then, and is asked again by another void', async () => {
    const { credit, january, note } = await usedElsewhere();
    await voidRefund(note);
    await shop.advance(clock, 'P1M');
    const again = await refund(january);
    await shop.advance(clock, 'PT1S');
    expect(await owed()).toEqual(['0.00', '100.00']);
    expect(await figures(credit)).toBe('0.00 100.00 0.00 0.00 0.00');
    expect((await statement()).closingBalance).toBe('120.00'); // March's 220.00 less the wallet
    await voidRefund(again);
    expect(await owed()).toEqual(['100.00', '100.00']);
    await shop.advance(clock, 'P1M');
    // 100.00, 20.00 tax, 100.00, of which the wallet pays 100.00.
    expect(await nth(3)).toMatchObject({ grandTotal: '220.00', unpaidAmount: '120.00' });
  });

  it('waits again where the invoice that collected it is cancelled', async () => {
    const { note } = await usedElsewhere();
    await voidRefund(note);
    await shop.advance(clock, 'P1M');
    await shop.act(`/v2/invoices/${(await nth(2)).id}/cancel`, { reason: 'Wrong' });
    expect(await owed()).toEqual(['100.00', '0.00']);
    await shop.advance(clock, 'P1M');
    expect(await nth(3)).toMatchObject({ grandTotal: '220.00' });
  });

  it('is waived with a refund of the invoice that collected it', async () => {
    const { january, note } = await usedElsewhere();
    await voidRefund(note);
    await shop.advance(clock, 'P1M');
    const march = await nth(2);
    await shop.create(`/v2/invoices/${march.id}/payments`, {
      ...{ amount: '220.00', method: 'bank_transfer', idempotencyKey: march.id },
    });
    await refund(march);
    await refund(january); // nothing was paid for it
    await shop.advance(clock, 'PT1S');
    expect(await owed()).toEqual(['0.00', '0.00']);
    await shop.advance(clock, 'P1M');
    expect(await nth(3)).toMatchObject({ grandTotal: '120.00' });
  });

  it('goes where a draft that held the credit is cancelled', async () => {
    const credit = await give('100');
    subscription = await subscribe({}, { autoApprove: false });
    await shop.advance(clock, 'P1M');
    const january = await nth(0);
    await shop.act(`/v2/invoices/${january.id}/approve`);
    const note = await refund(january);
    await shop.advance(clock, 'P1M');
    expect(await figures(credit)).toBe('0.00 0.00 100.00 0.00 0.00');
    await voidRefund(note);
    expect(await figures(credit)).toBe('0.00 100.00 0.00 0.00 0.00');
    expect(await owed()).toEqual(['100.00', '0.00']);
    await shop.act(`/v2/invoices/${(await nth(1)).id}/cancel`, { reason: 'Wrong' });
    await shop.advance(clock, 'PT1S');
    expect(await owed()).toEqual(['0.00', '0.00']);
    expect(await figures(credit)).toBe('0.00 100.00 0.00 0.00 0.00');
  });

  it('and a draft that is calculated at the same time come to what is missing, in either order', async () => {
    await give('100');
    subscription = await subscribe({ taxRate: 0 }, { autoApprove: false });
    await shop.advance(clock, 'P1M');
    const january = await nth(0);
    await shop.act(`/v2/invoices/${january.id}/approve`);
    const note = await refund(january);
    await shop.advance(clock, 'P1M');
    const { id } = await nth(1);
    await Promise.all([voidRefund(note), shop.act(`/v2/invoices/${id}/recalculate`)]);
    await shop.advance(clock, 'PT1S');
    const [[toCollect], { status, grandTotal }] = [await owed(), await shop.invoice(id)];
    expect([status, Number(toCollect) + Number(grandTotal)]).toEqual(['DRAFT', 100]);
  });
});

describe('several credits', () => {
  it('of a child and of who pays for it: its payer owes both', async () => {
    const payer = await shop.customer();
    await shop.change(`/v0/customers/${customer.id}`, { payerId: payer.id });
    const [own, others] = [await give('40'), await give('60', {}, payer)];
    subscription = await subscribe();
    await shop.advance(clock, 'P1M');
    const january = await nth(0);
    const note = await refund(january);
    await shop.advance(clock, 'P1M');
    await voidRefund(note);
    expect([await figures(own), await figures(others, payer)]).toEqual([
      ...['0.00 40.00 0.00 0.00 0.00', '0.00 60.00 0.00 0.00 0.00'],
    ]);
    expect([await owed(), await owed(payer)]).toEqual([
      ['0.00', '0.00'],
      ['100.00', '0.00'],
    ]);
    await shop.advance(clock, 'P1M');
    const name = `${january.invoiceNumber}: billing credit used elsewhere`;
    expect(namesOf(await nth(2)).toSorted()).toEqual(['Flat fee 120.00', `${name} 40.00`, `${name} 60.00`].toSorted());
    expect((await statement(payer)).closingBalance).toBe('220.00');
  });

  it('in a currency of three digits', async () => {
    const fee = await shop.feePrice({ properties: { unitPrice: '10.125' } });
    const credit = await give('12.345', { currency: 'KWD' });
    subscription = await shop.subscribe(await shop.plan([fee], { currency: 'KWD', gracePeriod: 'P0D' }), {
      ...{ clock, customer, bankTransferOnly: true },
    });
    await shop.advance(clock, 'P1M');
    const note = await refund(await nth(0));
    await shop.advance(clock, 'P1M');
    await voidRefund(note);
    expect(await figures(credit)).toBe('0.000 12.345 0.000 0.000 0.000');
    await shop.advance(clock, 'P1M');
    // 20.250 of service for 12.345: 7.905 are owed.
    expect(await nth(2)).toMatchObject({ grandTotal: '18.030', lines: [{}, { totalAmount: '7.905' }] });
  });
});

it('comes out the same from the events, and the audit holds', async () => {
  expect((await recomputeDatabase(env.url)).differing).toEqual([]);
  expect((await auditDatabase(env.url)).violations).toEqual([]);
});
