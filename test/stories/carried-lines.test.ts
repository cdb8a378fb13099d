import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transfer, walletOf } from '../support/bills.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * A negative manual line that exceeds its invoice is carried over to the next invoices, and at last to the wallet
 * (domain.md §3; docs/decisions/0056).
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(async () => {
  await expectBooksToBalance(env, merchant);
  await env.close();
});

const PATH = '/v2/invoices/lineItems';
const FEBRUARY = '2026-02-01T00:00:00Z';

interface Sold {
  readonly unitPrice?: string;
  readonly off?: string;
  readonly plan?: Record<string, unknown>;
  readonly autoApprove?: boolean;
  readonly invoiceAt?: string;
}

/** A fee of 10.00 a month in arrears, without grace; 50.00 are taken off January's invoice. */
async function sold({ unitPrice = '10', off = '-50', plan = {}, autoApprove = true, invoiceAt }: Sold = {}) {
  const clock = await shop.clock(START);
  const fee = await shop.feePrice({ properties: { unitPrice } });
  const made = await shop.plan([fee], { gracePeriod: 'P0D', ...plan });
  const subscription = await shop.subscribe(made, { clock, bankTransferOnly: true, autoApprove });
  const line = await shop.create(PATH, {
    ...{ subscriptionId: subscription.id, displayName: 'Goodwill', currency: made.currency, quantity: 1 },
    ...{ unitPrice: off, description: 'For the outage', ...(invoiceAt && { invoiceAt }) },
  });
  return { clock, subscription, line };
}

const grandTotals = async (subscription: Resource) =>
  (await shop.invoices(subscription)).map(({ status, grandTotal }) => `${status} ${grandTotal}`);
const goodwillOf = (invoice: Resource) =>
  invoice.lines
    .filter(({ type }: Resource) => type === 'manual')
    .map((line: Resource) => `${line.invoiceDisplayName} ${line.totalPrice}`);
const listed = async (subscription: Resource): Promise<Resource[]> =>
  (await shop.read(`${PATH}?subscriptionId=${subscription.id}`)).data.filter(({ type }: Resource) => type === 'manual');
const endNow = (subscription: Resource) =>
  shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over' });

describe('what an invoice could not take off', () => {
  it('is taken off the next ones until nothing is left', async () => {
    const { clock, subscription, line } = await sold();
    await shop.advance(clock, FEBRUARY);
    const [january, february] = await shop.invoices(subscription);
    expect(january).toMatchObject({ status: 'PAID', grandTotal: '0.00' });
    expect(january.lines[1]).toMatchObject({ id: line.id, totalPrice: '-10.00' });
    expect(january.lines[1].notes).toEqual(['−50.00 in all, of which −40.00 is carried over']);
    expect(goodwillOf(february)).toEqual(['Goodwill: carried over -10.00']); // as of now
    const [waiting, invoiced, ...others] = await listed(subscription);
    expect(others).toEqual([]);
    expect(waiting).toMatchObject({
      ...{ status: 'pending', displayName: 'Goodwill: carried over', description: 'For the outage' },
      ...{ unitPrice: '-40', carriedFromLineItemId: line.id, invoiceId: february.id },
    });
    expect(invoiced).toMatchObject({ id: line.id, status: 'invoiced', carriedFromLineItemId: null });

    await shop.advance(clock, '2026-07-01T00:00:00Z');
    expect(await grandTotals(subscription)).toEqual([
      ...Array(5).fill('PAID 0.00'), // January to May take 10.00 each
      'ISSUED 10.00',
      'ACTIVE 10.00',
    ]);
    expect(await walletOf(shop, subscription)).toBe('0.00');
  });

  it.each<Sold & { what: string; totals: readonly string[] }>([
    // 10.00 + 20 % less 50.00 + 20 %: five months.
    { what: 'with tax', plan: { defaultTaxRate: 20 }, totals: ['0.00', '0.00', '0.00', '0.00', '0.00', '12.00'] },
    {
      ...{ what: 'with tax inside', plan: { defaultTaxRate: 19, taxBehavior: 'inclusive' }, off: '-25.01' },
      totals: ['0.00', '0.00', '4.99', '10.00', '10.00', '10.00'],
    },
    {
      ...{ what: 'in JPY', unitPrice: '7', off: '-20', plan: { currency: 'JPY', defaultTaxRate: 8 } },
      totals: ['0', '0', '1', '8', '8', '8'], // 7 + 0.56; the third month 1 + 0.08
    },
    {
      ...{ what: 'in KWD', unitPrice: '0.333', off: '-1', plan: { currency: 'KWD' } },
      totals: ['0.000', '0.000', '0.000', '0.332', '0.333', '0.333'],
    },
  ])('$what', async ({ totals, ...fields }) => {
    const { clock, subscription } = await sold(fields);
    await shop.advance(clock, '2026-07-01T00:00:00Z');
    const issued = (await shop.invoices(subscription)).slice(0, -1);
    expect(issued.map(({ grandTotal }) => grandTotal)).toEqual(totals);
  });

  it('keeps the tax rate at which it was to be taken off', async () => {
    const { clock, subscription } = await sold({ off: '-20', plan: { defaultTaxRate: 20 } });
    await shop.advance(clock, FEBRUARY);
    await shop.change(`/v0/customers/${subscription.customerId}`, { taxRates: { default: 10 } });
    await shop.create(PATH, {
      ...{ subscriptionId: subscription.id, displayName: 'Workshop', currency: 'USD', quantity: 1, unitPrice: 100 },
    });
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    // 110.00 + 11.00 less 10.00 + 2.00.
    expect((await shop.invoices(subscription))[1]).toMatchObject({ subtotal: '100.00', grandTotal: '109.00' });
  });

  it('comes before rebates, and after credits of charges', async () => {
    const clock = await shop.clock(START);
    const prices = [await shop.feePrice(), await shop.feePrice({ properties: { unitPrice: '-4' } })];
    const subscription = await shop.subscribe(await shop.plan(prices, { gracePeriod: 'P0D' }), { clock });
    await shop.create(PATH, {
      ...{ subscriptionId: subscription.id, displayName: 'Goodwill', currency: 'USD', quantity: 1, unitPrice: -8 },
    });
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    // 10.00 - 4.00 - 6.00 of 8.00, then 2.00.
    expect(await grandTotals(subscription)).toEqual(['PAID 0.00', 'ISSUED 4.00', 'ISSUED 6.00', 'ACTIVE 6.00']);
  });

  it('waits for the first period to close where several are in their grace', async () => {
    const { clock, subscription } = await sold({ plan: { gracePeriod: 'P40D' }, off: '-15' });
    await shop.advance(clock, '2026-05-01T00:00:00Z');
    expect((await grandTotals(subscription)).slice(0, 2)).toEqual(['PAID 0.00', 'ISSUED 5.00']);
  });

  it('continues in the remainder of a period after closeNow', async () => {
    const { clock, subscription } = await sold({ unitPrice: '31', off: '-20', invoiceAt: START });
    await shop.advance(clock, '2026-01-11T00:00:00Z');
    const [open] = await shop.invoices(subscription);
    await shop.act(`/v2/invoices/${open.id}/closeNow`, { reason: 'Asked for' });
    await shop.advance(clock, '2026-02-01T01:00:00Z');
    expect((await grandTotals(subscription)).slice(0, 2)).toEqual(['PAID 0.00', 'ISSUED 11.00']); // 10 and 21
  });
});

describe('where no invoice follows', () => {
  it('it is in the wallet, with its tax, once', async () => {
    const { clock, subscription } = await sold({ plan: { defaultTaxRate: 20 } });
    await shop.advance(clock, FEBRUARY);
    await shop.advance(clock, '2026-02-15T00:00:00Z'); // half of February: 5.00
    await endNow(subscription);
    await shop.advance(clock, 'PT1H');
    expect(await grandTotals(subscription)).toEqual(['PAID 0.00', 'PAID 0.00']);
    expect(await walletOf(shop, subscription)).toBe('42.00'); // 50 - 10 - 5 = 35, and 20 %
    const [entry] = (await shop.read(`/v0/customers/${subscription.customerId}/wallet/entries`)).data;
    const [, last] = await shop.invoices(subscription);
    expect(entry).toMatchObject({ reason: 'credit', amount: '42.00', invoiceId: last.id });
    expect((await listed(subscription)).filter(({ status }) => status === 'pending')).toEqual([]);
    await shop.advance(clock, '2026-06-01T00:00:00Z');
    expect(await walletOf(shop, subscription)).toBe('42.00');
  });

  it('it is in the wallet at once if the end removes a period that had not begun', async () => {
    const { clock, subscription } = await sold();
    await shop.advance(clock, FEBRUARY);
    await endNow(subscription);
    expect(await walletOf(shop, subscription)).toBe('40.00');
    await shop.advance(clock, '2026-06-01T00:00:00Z');
    expect(await walletOf(shop, subscription)).toBe('40.00');
  });

  it('it is in the wallet when a draft is approved after the end', async () => {
    const { clock, subscription } = await sold({ autoApprove: false });
    await shop.advance(clock, '2026-02-15T00:00:00Z');
    const [january] = await shop.invoices(subscription);
    expect(january).toMatchObject({ status: 'DRAFT', grandTotal: '0.00' });
    await endNow(subscription);
    await shop.advance(clock, '2026-02-20T00:00:00Z');
    const [, february] = await shop.invoices(subscription);
    expect(february).toMatchObject({ status: 'DRAFT', grandTotal: '5.00' });
    expect(await walletOf(shop, subscription)).toBe('0.00'); // a draft may still change
    await shop.act(`/v2/invoices/${january.id}/approve`);
    expect(await walletOf(shop, subscription)).toBe('40.00');
  });
});

describe('is carried over exactly once', () => {
  it('however often a draft is calculated again', async () => {
    const { clock, subscription } = await sold({ autoApprove: false });
    await shop.advance(clock, '2026-02-10T00:00:00Z');
    const [january] = await shop.invoices(subscription);
    for (let again = 0; again < 3; again += 1) {
      await shop.act(`/v2/invoices/${january.id}/recalculate`);
      await shop.advance(clock, 'PT1M');
    }
    expect(await listed(subscription)).toHaveLength(1);
    const approved = await Promise.all([1, 2, 3].map(() => merchant.post(`/v2/invoices/${january.id}/approve`)));
    expect(approved.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect((await listed(subscription)).map(({ unitPrice }) => unitPrice).toSorted()).toEqual(['-40', '-50']);
  });

  it('also where the invoice that bore it is cancelled, a draft or issued', async () => {
    // 30.00 a month, 50.00 off: January 0, February 30 - 20 = 10.00.
    for (const autoApprove of [true, false]) {
      const { clock, subscription } = await sold({ unitPrice: '30', autoApprove });
      await shop.advance(clock, '2026-02-10T00:00:00Z');
      const [january] = await shop.invoices(subscription);
      if (!autoApprove) await shop.act(`/v2/invoices/${january.id}/approve`);
      await shop.advance(clock, '2026-03-10T00:00:00Z');
      const february = (await shop.invoices(subscription))[1];
      expect(february).toMatchObject({ status: autoApprove ? 'ISSUED' : 'DRAFT', grandTotal: '10.00' });
      const cancelled = await Promise.all([1, 2].map(() => merchant.post(`/v2/invoices/${february.id}/cancel`)));
      expect(cancelled.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      await shop.advance(clock, '2026-04-10T00:00:00Z');
      const march = (await shop.invoices(subscription))[2];
      expect(march).toMatchObject({ grandTotal: '10.00' });
      expect(goodwillOf(march)).toEqual(['Goodwill: carried over -20.00']);
    }
  });

  it('also where its invoice is refunded, and the refund is void', async () => {
    const { clock, subscription } = await sold({ unitPrice: '30' });
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    const february = (await shop.invoices(subscription))[1];
    await transfer(shop, february, '10.00');
    const refund = await shop.create(`/v2/invoices/${february.id}/refunds`, { reason: 'A gift' });
    await shop.act(`/v2/invoices/${february.id}/refunds/${refund.id}/void`, { reason: 'Not so' });
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    expect((await shop.invoices(subscription))[2]).toMatchObject({ grandTotal: '30.00' });
    expect(await listed(subscription)).toHaveLength(2);
  });

  it('not where its own invoice is dropped as a draft: the line was dropped with it', async () => {
    const { clock, subscription } = await sold({ autoApprove: false });
    await shop.advance(clock, '2026-02-10T00:00:00Z');
    const [january] = await shop.invoices(subscription);
    await shop.act(`/v2/invoices/${january.id}/cancel`);
    await shop.advance(clock, '2026-03-10T00:00:00Z');
    expect((await shop.invoices(subscription))[1]).toMatchObject({ grandTotal: '10.00' });
  });
});

it('lines of a one-off invoice that come to less than 0 are a 400', async () => {
  const customer = await shop.customer();
  const lines = [
    { displayName: 'Workshop', quantity: 1, unitPrice: 10 },
    { displayName: 'Goodwill', quantity: 1, unitPrice: -50 },
  ];
  const answer = await merchant.post('/v2/invoices', { customerId: customer.id, currency: 'USD', lines });
  expect(answer, answer.text).toMatchObject({ status: 400, body: { errors: [{ field: 'lines' }] } });
});
