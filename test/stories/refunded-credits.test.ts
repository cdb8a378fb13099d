import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transfer, walletOf } from '../support/bills.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/**
 * A refund of an invoice that bore credits gives them back, and no credit note is above its invoice (domain.md §3
 * Credits, §4 Refund).
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
  await shop.change(`/v0/organizations/${merchant.id}`, {
    ...{ legalName: 'Northwind GmbH', taxId: 'DE 123 456 789' },
    address: { line1: 'Torstraße 140', city: 'Berlin', zipCode: '10119', country: 'DE' },
  });
});
afterAll(async () => {
  await expectBooksToBalance(env, merchant);
  await env.close();
});

const start = '2024-01-01T00:00:00Z';
const change = '2024-01-11T00:00:00Z';
const issue = '2024-02-01T00:00:00Z';

const notesOf = async ({ id }: Resource): Promise<Resource[]> =>
  (await shop.read(`/v2/invoices/${id}/creditNotes`)).data;
const totalsOf = async (invoice: Resource): Promise<string[]> =>
  (await notesOf(invoice)).map(({ kind, status, total }) => `${kind} ${total} ${status}`);
const refund = (invoice: Resource) => shop.create(`/v2/invoices/${invoice.id}/refunds`);
const cancel = (invoice: Resource) => shop.act(`/v2/invoices/${invoice.id}/cancel`);
const end = (subscription: Resource, at: string) =>
  shop.change(`/v0/subscriptions/${subscription.id}`, { terminatedAt: at });

const upfrontOf = async (subscription: Resource): Promise<Resource> =>
  (await shop.invoices(subscription)).find(({ kind }) => kind === 'upfront');
const pay = (invoice: Resource) => transfer(shop, invoice, invoice.grandTotal);

/** The payments of some invoices less those that go back. */
async function cashOf(invoices: readonly Resource[]): Promise<number> {
  let cash = 0;
  for (const { id } of invoices)
    for (const { amount, returnStatus } of (await shop.read(`/v2/invoices/${id}/payments`)).data)
      if (returnStatus === 'none' || returnStatus === 'stopped') cash += Number(amount);
  return cash;
}

/*
 * Ten seats of 31.00 in January are paid in advance. From the 11th on they are nine: January's invoice charges 189.00
 * and 279.00 for February, and takes off the 210.00 that were not used: 258.00.
 */
async function sold(plan: object = {}) {
  const clock = await shop.clock(start);
  const seats = await shop.feePrice({ paymentTerm: 'in_advance', quantity: 10, properties: { unitPrice: '31' } });
  const made = await shop.plan([seats], { gracePeriod: 'P0D', ...plan });
  const subscription = await shop.subscribe(made, { clock, bankTransferOnly: true });
  const upfront = await upfrontOf(subscription);
  await pay(upfront);
  await shop.advance(clock, change);
  await shop.create(`/v0/subscriptions/${subscription.id}/changes`, { quantities: { [seats.id]: 9 } });
  await shop.advance(clock, issue);
  const january = (await shop.invoices(subscription)).find(
    ({ kind, status }) => kind === 'subscription' && status === 'ISSUED',
  );
  return { clock, subscription, upfront, january };
}

const TAX = { defaultTaxRate: 20 };
const INCLUSIVE = { defaultTaxRate: 20, taxBehavior: 'inclusive' };

describe('the invoice with the credit, and an end as of the 11th of January', () => {
  // 10 days of 10 seats were used: 100.00.
  it.each<{ what: string; plan?: object; act: (invoice: Resource) => Promise<unknown>; wallet: string; cash: number }>([
    { what: 'unpaid', act: async () => undefined, wallet: '210.00', cash: 310 },
    { what: 'cancelled', act: cancel, wallet: '210.00', cash: 310 },
    { what: 'paid', act: pay, wallet: '468.00', cash: 568 },
    { what: 'refunded', act: async (it) => [await pay(it), await refund(it)], wallet: '210.00', cash: 310 },
    {
      ...{ what: 'refunded, with tax', plan: TAX, wallet: '252.00', cash: 372 },
      act: async (it) => [await pay(it), await refund(it)],
    },
    {
      ...{ what: 'refunded, with tax inside', plan: INCLUSIVE, wallet: '210.00', cash: 310 },
      act: async (it) => [await pay(it), await refund(it)],
    },
  ])('$what: the customer pays what was used', async ({ plan, act, wallet, cash }) => {
    const { clock, subscription, upfront, january } = await sold(plan);
    await act(january);
    await shop.advance(clock, '2024-02-02T00:00:00Z');
    await end(subscription, change);
    expect(await walletOf(shop, subscription)).toBe(wallet);
    expect(await cashOf([upfront, january])).toBe(cash);
  });
});

describe('no credit note is above its invoice', () => {
  it.each([
    { what: 'without tax', plan: {}, january: '258.00', upfront: '210.00', wallet: '468.00' },
    { what: 'with tax', plan: TAX, january: '309.60', upfront: '252.00', wallet: '561.60' },
    { what: 'with tax inside', plan: INCLUSIVE, january: '258.00', upfront: '210.00', wallet: '468.00' },
  ])('$what: what the credit had paid goes back to the invoice that it had credited', async ({ plan, ...is }) => {
    const { clock, subscription, upfront, january } = await sold(plan);
    await pay(january);
    await shop.advance(clock, '2024-02-02T00:00:00Z');
    await end(subscription, change);
    expect(await totalsOf(january)).toEqual([`credit ${is.january} ISSUED`]);
    expect(await totalsOf(upfront)).toEqual([`credit ${is.upfront} ISSUED`]);
    expect(await walletOf(shop, subscription)).toBe(is.wallet);
    const [note] = await notesOf(january);
    const { lines, ...read } = await shop.read(`/v2/invoices/${january.id}/creditNotes/${note?.id}`);
    expect(lines.map(({ amount }: Resource) => Number(amount) > 0)).toEqual([true, true, false]);
    expect((await merchant.get(new URL(read.documentXmlUrl).pathname)).status).toBe(200);
  });

  it('also where a part of it is still unpaid', async () => {
    const { clock, subscription, upfront, january } = await sold();
    await shop.advance(clock, '2024-02-02T00:00:00Z');
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over' });
    await shop.advance(clock, 'PT1S');
    // 28 of 29 days of 279.00 are not used: 269.38. The last invoice could not bear the 11.38.
    expect(await totalsOf(january)).toEqual(['credit 0.00 ISSUED', 'credit 258.00 ISSUED']);
    expect(await totalsOf(upfront)).toEqual(['credit 11.38 ISSUED']);
    expect(await walletOf(shop, subscription)).toBe('11.38');
  });

  /*
   * March's fee of 300.00 stands on an invoice with 80.00 less for January's usage, and with 200.00 less by hand.
   */
  it.each([
    { what: 'a correction of a closed period', off: 0, february: '264.00', wallet: '360.00' },
    { what: 'a line by hand', off: 200, february: '24.00', wallet: '360.00' },
  ])('$what goes back as well', async ({ off, february: asked, wallet }) => {
    const clock = await shop.clock('2026-01-01T00:00:00Z');
    const fee = await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '300' } });
    const plan = await shop.plan([fee, await shop.usagePrice()], { gracePeriod: 'P0D', ...TAX });
    const subscription = await shop.subscribe(plan, { clock, bankTransferOnly: true });
    await shop.use(subscription.id, '2026-01-05T00:00:00Z', 100);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    await shop.use(subscription.id, '2026-01-06T00:00:00Z', -80);
    if (off > 0)
      await shop.create('/v2/invoices/lineItems', {
        ...{ subscriptionId: subscription.id, displayName: 'Goodwill', currency: 'USD', quantity: 1, unitPrice: -off },
      });
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    const invoices = await shop.invoices(subscription);
    const [january, february] = invoices.filter(({ kind }) => kind === 'subscription') as [Resource, Resource];
    for (const invoice of [await upfrontOf(subscription), january, february]) await pay(invoice);
    expect(february.grandTotal).toBe(asked);
    await shop.advance(clock, '2026-03-02T00:00:00Z');
    await end(subscription, '2026-03-01T00:00:00Z');
    expect(await totalsOf(february)).toEqual([`credit ${asked} ISSUED`]);
    expect(await totalsOf(january)).toEqual(['credit 96.00 ISSUED']);
    expect(await walletOf(shop, subscription)).toBe(wallet);
  });
});

describe('a void of the refund', () => {
  const voidOf = (invoice: Resource, { id }: Resource) =>
    shop.act(`/v2/invoices/${invoice.id}/refunds/${id}/void`, { reason: 'A mistake' });

  it('takes the credits out of the wallet again, and a second refund gives them back again', async () => {
    const { subscription, upfront, january } = await sold(TAX);
    await pay(january);
    const first = await refund(january);
    expect(await walletOf(shop, subscription)).toBe('252.00');
    await voidOf(january, first);
    expect(await walletOf(shop, subscription)).toBe('0.00');
    expect(await totalsOf(upfront)).toEqual(['credit 252.00 VOIDED']);
    expect(await merchant.post(`/v2/invoices/${upfront.id}/refunds`)).toMatchObject({
      body: { code: 'INVOICE_ALREADY_REFUNDED' },
    });
    await refund(january);
    expect(await totalsOf(upfront)).toEqual(['credit 252.00 ISSUED', 'credit 252.00 VOIDED']);
    expect(await walletOf(shop, subscription)).toBe('252.00');
  });

  it('books what is spent of them as owed again, which a second refund settles', async () => {
    const { subscription, january } = await sold();
    await pay(january);
    const first = await refund(january);
    const lines = [{ displayName: 'Workshop', quantity: 1, unitPrice: '100' }];
    const { customerId } = subscription;
    await shop.create('/v2/invoices', { customerId, currency: 'USD', lines, autoApprove: true });
    expect(await walletOf(shop, subscription)).toBe('110.00');
    await voidOf(january, first);
    expect(await walletOf(shop, subscription)).toBe('0.00');
    await refund(january);
    expect(await walletOf(shop, subscription)).toBe('110.00');
  });

  it('lets a later end credit the invoice as if it had never been refunded', async () => {
    const { clock, subscription, upfront, january } = await sold();
    await pay(january);
    await voidOf(january, await refund(january));
    await shop.advance(clock, '2024-02-02T00:00:00Z');
    await end(subscription, change);
    expect(await walletOf(shop, subscription)).toBe('468.00');
    expect(await totalsOf(upfront)).toEqual(['credit 210.00 ISSUED', 'credit 210.00 VOIDED']);
  });
});
