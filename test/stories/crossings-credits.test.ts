import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectBooksToBalance } from '../support/books.ts';
import {
  changeTo,
  costOf,
  end,
  fee,
  invoicesInForce,
  payAll,
  promptPlan,
  subscribed,
  walletsOf,
} from '../support/crossings.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/**
 * A credit mirrors its line (domain.md §3, Credits). The credit of a whole line has all of its amount and of its own
 * tax, and the credit of a part has the part of both. With inclusive prices it is the part of the shown price. A credit
 * is never more than the bill.
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

const JANUARY = '2026-01-01T00:00:00Z';

interface Sold {
  readonly fees: number;
  readonly unitPrice: string;
  readonly plan: Record<string, unknown>;
}

/** A plan of some equal fees in advance, taken on the 1st of January. */
async function sold({ fees, unitPrice, plan }: Sold) {
  const prices: Resource[] = [];
  for (let number = 0; number < fees; number += 1) prices.push(await fee(shop, 'in_advance', unitPrice));
  return subscribed(shop, await promptPlan(shop, prices, plan), JANUARY);
}

/** The tax of each invoice is rounded once, of all its fees together: 20 x 0.99 = 19.80, with 8.875 % tax 1.76. */
const WHOLE: readonly (Sold & { readonly what: string; readonly billed: string })[] = [
  {
    ...{ what: 'one fee of 99.99 with 19 % inside', billed: '99.99' },
    ...{ fees: 1, unitPrice: '99.99', plan: { defaultTaxRate: 19, taxBehavior: 'inclusive' } },
  },
  {
    ...{ what: '20 fees of 0.99 at 8.875 %', billed: '21.56' },
    ...{ fees: 20, unitPrice: '0.99', plan: { defaultTaxRate: 8.875 } },
  },
  {
    ...{ what: '40 fees of 7 yen at 8 %', billed: '302' }, // 280 + 22.4
    ...{ fees: 40, unitPrice: '7', plan: { defaultTaxRate: 8, currency: 'JPY' } },
  },
  {
    ...{ what: '30 fees of 5 yen at 8 %', billed: '162' }, // 150 + 12
    ...{ fees: 30, unitPrice: '5', plan: { defaultTaxRate: 8, currency: 'JPY' } },
  },
  {
    ...{ what: '7 fees of 0.333 dinar at 5 %', billed: '2.448' }, // 2.331 + 0.11655
    ...{ fees: 7, unitPrice: '0.333', plan: { defaultTaxRate: 5, currency: 'KWD' } },
  },
];

describe.each(WHOLE)('a credit of all that was billed: $what', ({ billed, ...plan }) => {
  const nothing = billed.replace(/\d/g, '0').replace(/^0+(?=0)/, '');

  it('reduces an unpaid invoice to 0, and no further', async () => {
    const { clock, subscription, customerId } = await sold(plan);
    const [upfront] = await invoicesInForce(shop, customerId);
    expect(upfront.grandTotal).toBe(billed);
    await shop.advance(clock, 'PT1S');
    await end(shop, subscription);
    await shop.advance(clock, '2026-03-10T00:00:00Z');
    expect(await costOf(shop, customerId)).toBe(nothing);
    expect(await walletsOf(shop, customerId)).toEqual({});
    expect(await shop.invoice(upfront.id)).toMatchObject({ status: 'PAID', unpaidAmount: nothing });
  });

  it('puts all that was paid into the wallet, and no more', async () => {
    const { clock, subscription, customerId } = await sold(plan);
    await payAll(shop, customerId);
    await shop.advance(clock, 'PT1S');
    await end(shop, subscription);
    await shop.advance(clock, '2026-03-10T00:00:00Z');
    expect(await costOf(shop, customerId)).toBe(nothing);
    expect(Object.values(await walletsOf(shop, customerId))).toEqual([billed]);
  });
});

/*
 * 99.99 a month with 19 % inside, used for 6 of January's 31 days: 25/31 of the price that is shown are 80.637, so
 * 80.64.
 */
describe('a credit of a part of an inclusive price', () => {
  it.each([
    { what: 'unpaid', isPaid: false },
    { what: 'paid', isPaid: true },
  ])('is that part of the price: $what', async ({ isPaid }) => {
    const plan = { defaultTaxRate: 19, taxBehavior: 'inclusive' };
    const { clock, subscription, customerId } = await sold({ fees: 1, unitPrice: '99.99', plan });
    if (isPaid) await payAll(shop, customerId);
    await shop.advance(clock, '2026-01-07T00:00:00Z');
    await end(shop, subscription);
    await shop.advance(clock, '2026-03-10T00:00:00Z');
    expect(await costOf(shop, customerId)).toBe('19.35'); // 99.99 - 80.64
    if (isPaid) expect(await walletsOf(shop, customerId)).toEqual({ USD: '80.64' });
  });
});

/*
 * 100.00 a month in advance at half the price, with 20 % tax: 60.00. After 15.5 of 31 days the subscription changes to
 * 200.00 at the full price. The credit has the discount and the tax of its line, 25.00 + 5.00 = 30.00. January: 30.00 +
 * 100.00 + 20.00 tax.
 */
it('a credit has the discount and the tax rate of its line, not the present ones', async () => {
  const a = await promptPlan(shop, [await fee(shop, 'in_advance', '100')], { defaultTaxRate: 20 });
  const b = await promptPlan(shop, [await fee(shop, 'in_advance', '200')], { defaultTaxRate: 20 });
  const clock = await shop.clock(JANUARY);
  const customer = await shop.customer();
  const idle = await promptPlan(shop, [await shop.usagePrice()], { defaultTaxRate: 20 });
  const subscription = await shop.subscribe(idle, { clock, customer, bankTransferOnly: true });
  await shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, {
    ...{ type: 'percentageDiscount', percentageDiscount: '0.5', description: 'Half' },
    ...{ effectiveFrom: JANUARY, effectiveTo: '2026-02-02T00:00:00Z' },
  });
  await changeTo(shop, subscription, a); // on January's invoice: 100.00 less half, and February's 100.00 less half
  await shop.advance(clock, '2026-02-01T00:00:00Z');
  await payAll(shop, customer.id);
  expect(await costOf(shop, customer.id)).toBe('120.00'); // 60 + 60
  await shop.advance(clock, '2026-02-15T00:00:00Z'); // half of February, and the discount is over
  await changeTo(shop, subscription, b);
  await shop.advance(clock, '2026-03-01T00:00:00Z');
  // January 60; February 60 - 30 + 120; March 240.
  expect(await costOf(shop, customer.id)).toBe('450.00');
});

/*
 * 70.00 a week in advance on a daily plan. The invoice of the week before billed the week from the 8th, and is paid. On
 * the 11th a change removes the fee, and the credit of 40.00 goes to the invoice of that day. The subscription ends at
 * noon, so the credit is computed again. The first week and three days of the second cost 100.00.
 */
describe('an end while a credit is on its way to the open invoice', () => {
  it('keeps the credit', async () => {
    const weekly = await fee(shop, 'in_advance', '70', { billingCadence: 'P1W' });
    const daily = { billingCadence: 'P1D' };
    const [before, after] = [
      await promptPlan(shop, [weekly], daily),
      await promptPlan(shop, [await fee(shop, 'in_arrears', '0')], daily),
    ];
    const { clock, subscription, customerId } = await subscribed(shop, before, JANUARY);
    await shop.advance(clock, '2026-01-09T00:00:00Z');
    await payAll(shop, customerId);
    await shop.advance(clock, '2026-01-11T00:00:00Z');
    await changeTo(shop, subscription, after);
    await shop.advance(clock, '2026-01-11T12:00:00Z');
    await end(shop, subscription);
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    expect(await costOf(shop, customerId)).toBe('100.00');
  });
});
