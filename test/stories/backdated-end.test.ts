import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transfer, walletOf } from '../support/bills.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * A subscription is ended as of the 15th of January on the 10th of April (domain.md §3, Ends). Fees of issued invoices
 * for the time after it are credited, in advance and in arrears; usage stays billed.
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

type Fields = Record<string, unknown>;
const END = '2026-01-15T00:00:00Z';
const TODAY = '2026-04-10T00:00:00Z';

interface Sold {
  readonly unitPrice?: string;
  readonly plan?: Fields;
  readonly discount?: string;
}

/** A fee of 31.00 a month with 20 % tax; it is the 10th of April, and January to March are issued. */
async function sold(paymentTerm: string, { unitPrice = '31', plan = {}, discount }: Sold = {}) {
  const clock = await shop.clock(START);
  const fee = await shop.feePrice({ paymentTerm, properties: { unitPrice } });
  const made = await shop.plan([fee], { defaultTaxRate: 20, ...plan });
  const subscription = await shop.subscribe(made, { clock, bankTransferOnly: true });
  if (discount !== undefined)
    await shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, {
      ...{ type: 'percentageDiscount', percentageDiscount: discount, effectiveFrom: START, description: '' },
    });
  await shop.advance(clock, TODAY);
  return { clock, subscription };
}

const end = (subscription: Resource) => shop.change(`/v0/subscriptions/${subscription.id}`, { terminatedAt: END });
const issued = async (subscription: Resource): Promise<Resource[]> =>
  (await shop.invoices(subscription)).filter(
    ({ invoiceNumber, grandTotal }) => invoiceNumber && Number(grandTotal) > 0,
  );
/** The invoice with the fee of a month. */
const bearing = async (subscription: Resource, month: string): Promise<Resource> =>
  (await issued(subscription)).find(({ lines }) => lines[0].periodStart.startsWith(`2026-${month}`));
const payAll = async (subscription: Resource) => {
  for (const invoice of await issued(subscription)) await transfer(shop, invoice, invoice.grandTotal);
};
const unpaid = async (subscription: Resource) => (await issued(subscription)).map(({ unpaidAmount }) => unpaidAmount);
/** The cost of the subscription: the customer's payments less the content of the wallet. */
const cost = async (subscription: Resource) => {
  const paid = (await issued(subscription)).reduce((sum, { grandTotal }) => sum + Number(grandTotal), 0);
  return (paid - Number(await walletOf(shop, subscription))).toFixed(2);
};

describe('unpaid fees in arrears', () => {
  it.each<Sold & { what: string; left: readonly string[] }>([
    // 14 of January's 31 days are used: 14.00 and 2.80 tax.
    { what: 'in USD', left: ['16.80', '0.00', '0.00'] },
    { what: 'in JPY', unitPrice: '3100', plan: { currency: 'JPY' }, left: ['1680', '0', '0'] },
    { what: 'in KWD', unitPrice: '3.1', plan: { currency: 'KWD' }, left: ['1.680', '0.000', '0.000'] },
    { what: 'tax inclusive', unitPrice: '37.2', plan: { taxBehavior: 'inclusive' }, left: ['16.80', '0.00', '0.00'] },
    { what: 'at half the price', discount: '0.5', left: ['8.40', '0.00', '0.00'] },
    { what: 'without tax', plan: { defaultTaxRate: 0 }, left: ['14.00', '0.00', '0.00'] },
  ])('$what', async ({ left, ...fields }) => {
    const { clock, subscription } = await sold('in_arrears', fields);
    await end(subscription);
    await shop.advance(clock, '2026-06-01T00:00:00Z');
    expect(await unpaid(subscription)).toEqual(left);
    const invoices = await shop.invoices(subscription);
    expect(invoices.map(({ status, periodStart }) => `${status} ${periodStart.slice(5, 7)}`)).toEqual([
      ...['ISSUED 01', 'PAID 02', 'PAID 03'], // April was open, and is removed
    ]);
    expect(Number(await walletOf(shop, subscription))).toBe(0);
    const { data } = await shop.read(`/v2/invoices/${invoices[0]?.id}/creditNotes`);
    expect(data).toMatchObject([{ status: 'ISSUED' }]);
  });
});

describe('in advance and in arrears alike', () => {
  it.each(['in_advance', 'in_arrears'])('who has paid has it in the wallet: %s', async (term) => {
    const { subscription } = await sold(term);
    await payAll(subscription);
    await end(subscription);
    expect(await unpaid(subscription)).toEqual(
      term === 'in_arrears' ? ['0.00', '0.00', '0.00'] : Array(4).fill('0.00'),
    );
    expect(await cost(subscription)).toBe('16.80');
  });

  it.each(['in_advance', 'in_arrears'])('who has paid a part owes the rest of what was used: %s', async (term) => {
    const { subscription } = await sold(term);
    const { id } = await bearing(subscription, '01');
    await transfer(shop, { id }, '10.00');
    await end(subscription);
    const owed = (await issued(subscription)).map((invoice) => `${invoice.id === id} ${invoice.unpaidAmount}`);
    expect(owed.toSorted().slice(-1)).toEqual(['true 6.80']);
    expect(new Set(owed.filter((each) => each.startsWith('false')))).toEqual(new Set(['false 0.00']));
    expect(await walletOf(shop, subscription)).toBe('0.00');
  });

  it.each(['in_advance', 'in_arrears'])('what was refunded is not given back again: %s', async (term) => {
    const { subscription } = await sold(term);
    await payAll(subscription);
    await shop.create(`/v2/invoices/${(await bearing(subscription, '02')).id}/refunds`);
    const before = Number(await walletOf(shop, subscription));
    await end(subscription);
    // All but 16.80 of the others: of January's 37.20, of March's, and in advance of April's.
    const given = Number(await walletOf(shop, subscription)) - before;
    expect(given.toFixed(2)).toBe((37.2 - 16.8 + 37.2 * (term === 'in_advance' ? 2 : 1)).toFixed(2));
  });
});

it('usage after the end stays billed, and the fee of that time is credited', async () => {
  const clock = await shop.clock(START);
  const prices = [await shop.feePrice({ properties: { unitPrice: '31' } }), await shop.usagePrice()];
  const subscription = await shop.subscribe(await shop.plan(prices), { clock });
  await shop.use(subscription.id, '2026-01-20T00:00:00Z', 5);
  await shop.use(subscription.id, '2026-02-20T00:00:00Z', 7);
  await shop.advance(clock, TODAY);
  await end(subscription);
  expect(await unpaid(subscription)).toEqual(['19.00', '7.00', '0.00']); // 14.00 + 5.00, and 7.00
});

it('a minimum of usage has a time, too: the amount up to it is credited, the usage is not', async () => {
  const clock = await shop.clock(START);
  const prices = [await shop.usagePrice({ minimumAmount: '31' })];
  const subscription = await shop.subscribe(await shop.plan(prices), { clock });
  await shop.use(subscription.id, '2026-01-10T00:00:00Z', 20); // more than 14 days of the minimum
  await shop.use(subscription.id, '2026-02-20T00:00:00Z', 7);
  await shop.advance(clock, TODAY);
  expect(await unpaid(subscription)).toEqual(['31.00', '31.00', '31.00']);
  await end(subscription);
  expect(await unpaid(subscription)).toEqual(['20.00', '7.00', '0.00']);
});

it('of a changed plan, each fee is credited for its own time', async () => {
  const clock = await shop.clock(START);
  const [small, large] = [
    await shop.feePrice({ properties: { unitPrice: '31' } }),
    await shop.feePrice({ properties: { unitPrice: '62' } }),
  ];
  const subscription = await shop.subscribe(await shop.plan([small]), { clock });
  await shop.advance(clock, '2026-01-11T00:00:00Z');
  await shop.create(`/v0/subscriptions/${subscription.id}/changes`, { planId: (await shop.plan([large])).id });
  await shop.advance(clock, TODAY);
  expect(await unpaid(subscription)).toEqual(['52.00', '62.00', '62.00']); // 10 days at 1.00, 21 at 2.00
  await end(subscription);
  expect(await unpaid(subscription)).toEqual(['18.00', '0.00', '0.00']); // 10 days at 1.00, 4 at 2.00
});

it('a second end is refused, and changes nothing', async () => {
  const { subscription } = await sold('in_arrears');
  await end(subscription);
  const path = `/v0/subscriptions/${subscription.id}`;
  const again = await merchant.patch(path, { terminatedAt: '2026-01-10T00:00:00Z' });
  const more = await merchant.post(`${path}/termination`, { reason: 'Once more' });
  expect([again.status, more.status, await unpaid(subscription)]).toEqual([409, 409, ['16.80', '0.00', '0.00']]);
});

it('an end at the end of a period credits the time after it, and no more', async () => {
  const { subscription } = await sold('in_arrears');
  await shop.change(`/v0/subscriptions/${subscription.id}`, { terminatedAt: '2026-02-01T00:00:00Z' });
  expect(await unpaid(subscription)).toEqual(['37.20', '0.00', '0.00']);
});
