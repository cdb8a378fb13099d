import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Bill, billOf, expectExplained, walletOf } from '../support/bills.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * A year of seats that are paid in advance, with changes of the plan, over HTTP and worked by hand (domain.md §3, §4).
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

/** The net price of a month: seats times their price. */
const PLANS = {
  five: { quantity: 5, unitPrice: '12' }, //   60.00
  eight: { quantity: 8, unitPrice: '12' }, //  96.00
  twelve: { quantity: 12, unitPrice: '12' }, // 144.00
  business: { quantity: 8, unitPrice: '30' }, // 240.00
};

interface Year {
  change(plan: keyof typeof PLANS, fields?: object): Promise<unknown>;
  discount(): Promise<unknown>;
}

interface Row extends Bill {
  /** The time of the clock at an event in the month; at the month's end it advances to the next. */
  at?: string;
  does?: (year: Year) => Promise<unknown>;
  /** `Bill` has the month's invoice on the first of the next month; this is the wallet then. */
  left: string;
}

/*
 * Each invoice closes a month and has the seats of the next one. Tax is 20 %. The discount of 25 % is for invoices that
 * close from the 1st of March on and before the 1st of June: those of February, March and April. It reduces charges,
 * never credits.
 */
const YEAR: readonly Row[] = [
  // January: without events.
  { lines: ['charge 02-01/03-01 60.00'], total: '60.00 + 12.00 = 72.00', wallet: '0.00', status: 'PAID', left: '0.00' },
  // February: half of it, 14 of 28 days, with eight: 96 / 2 = 48, credit 60 / 2 = 30. March 96. Discount 24 and 12.
  {
    at: '2026-02-15T00:00:00Z',
    does: async (year) => {
      await year.discount();
      await year.change('eight');
    },
    lines: [
      'charge 03-01/04-01 96.00',
      'adjustment 03-01/04-01 -24.00',
      'charge 02-15/03-01 48.00',
      'adjustment 02-15/03-01 -12.00',
      'credit 02-15/03-01 -30.00',
    ],
    total: '78.00 + 15.60 = 93.60',
    wallet: '0.00',
    status: 'PAID',
    left: '0.00',
  },
  // March: April for 96 − 24 = 72.
  {
    lines: ['charge 04-01/05-01 96.00', 'adjustment 04-01/05-01 -24.00'],
    total: '72.00 + 14.40 = 86.40',
    wallet: '0.00',
    status: 'PAID',
    left: '0.00',
  },
  // April: half of it with twelve: 72; credit of half of the bill, 72 / 2 = 36. May 144. Discount 36 and 18.
  {
    at: '2026-04-16T00:00:00Z',
    does: (year) => year.change('twelve', { proration: 'second' }),
    lines: [
      'charge 05-01/06-01 144.00',
      'adjustment 05-01/06-01 -36.00',
      'charge 04-16/05-01 72.00',
      'adjustment 04-16/05-01 -18.00',
      'credit 04-16/05-01 -36.00',
    ],
    total: '126.00 + 25.20 = 151.20',
    wallet: '0.00',
    status: 'PAID',
    left: '0.00',
  },
  // May: Business from June on, at the period's end, so no period is cut. The discount has ended.
  {
    at: '2026-05-20T00:00:00Z',
    does: (year) => year.change('business', { effective: 'periodEnd' }),
    lines: ['charge 06-01/07-01 240.00'],
    total: '240.00 + 48.00 = 288.00',
    wallet: '0.00',
    status: 'PAID',
    left: '0.00',
  },
  // June: July 240.
  {
    lines: ['charge 07-01/08-01 240.00'],
    total: '240.00 + 48.00 = 288.00',
    wallet: '0.00',
    status: 'PAID',
    left: '0.00',
  },
  // July: five again for 20 days 18 h of 31 days (1,792,800 of 2,678,400 s): 60 → 40.1612… = 40.16. August 60.
  // Back 240 → 160.6451… = 160.65: 100.16 here, the other 60.49 with 12.10 tax into the wallet: 72.59.
  {
    at: '2026-07-11T06:00:00Z',
    does: (year) => year.change('five'),
    lines: ['charge 08-01/09-01 60.00', 'charge 07-11/08-01 40.16', 'credit 07-11/08-01 -100.16'],
    total: '0.00 + 0.00 = 0.00',
    wallet: '0.00',
    status: 'PAID',
    left: '72.59',
  },
  // August: 72.59 − 72.00.
  {
    lines: ['charge 09-01/10-01 60.00'],
    total: '60.00 + 12.00 = 72.00',
    wallet: '72.00',
    status: 'PAID',
    left: '0.59',
  },
  // September: the remainder, and the card pays 71.41.
  { lines: ['charge 10-01/11-01 60.00'], total: '60.00 + 12.00 = 72.00', wallet: '0.59', status: 'PAID', left: '0.00' },
  // October: half of it, 15.5 of 31 days, with eight: 48. Credit 30 with 6 tax, into the wallet, which pays it at once.
  {
    at: '2026-10-16T12:00:00Z',
    does: (year) => year.change('eight', { credit: 'wallet' }),
    lines: ['charge 11-01/12-01 96.00', 'charge 10-16/11-01 48.00'],
    total: '144.00 + 28.80 = 172.80',
    wallet: '36.00',
    status: 'PAID',
    left: '0.00',
  },
  // November and December: 96.
  {
    lines: ['charge 12-01/01-01 96.00'],
    total: '96.00 + 19.20 = 115.20',
    wallet: '0.00',
    status: 'PAID',
    left: '0.00',
  },
  {
    lines: ['charge 01-01/02-01 96.00'],
    total: '96.00 + 19.20 = 115.20',
    wallet: '0.00',
    status: 'PAID',
    left: '0.00',
  },
];
const monthAfter = (row: number) =>
  row === 11 ? '2027-01-01T00:00:00Z' : `2026-${String(row + 2).padStart(2, '0')}-01T00:00:00Z`;

async function openPlans() {
  const plans = new Map<string, Resource>();
  for (const [name, { quantity, unitPrice }] of Object.entries(PLANS)) {
    const seats = await shop.feePrice({ paymentTerm: 'in_advance', quantity, properties: { unitPrice } });
    plans.set(name, await shop.plan([seats], { defaultTaxRate: 20 }));
  }
  return plans;
}

async function openYear() {
  const plans = await openPlans();
  const clock = await shop.clock(START);
  const subscription = await shop.subscribe(plans.get('five'), { clock, autoCharge: true });
  const path = `/v0/subscriptions/${subscription.id}`;
  const year: Year = {
    change: (plan, fields) => shop.create(`${path}/changes`, { planId: plans.get(plan).id, ...fields }),
    discount: () =>
      shop.create(`${path}/adjustments`, {
        type: 'percentageDiscount',
        percentageDiscount: '0.25',
        effectiveFrom: '2026-03-01T00:00:00Z',
        effectiveTo: '2026-06-01T00:00:00Z',
        description: 'Spring',
      }),
  };
  return { clock, subscription, year };
}

it('is, month by month, what it comes to by hand', async () => {
  const { clock, subscription, year } = await openYear();
  // The first month: 5 × 12 = 60, with 12 tax; the paying card is stored for all later charges.
  expect(subscription).toMatchObject({ status: 'pending_payment', payment: { amount: '72.00' } });
  await shop.act(`/v0/paymentSessions/${subscription.payment.paymentSessionId}/complete`, { paymentMethod: 'pm_ok' });
  const [upfront] = await shop.invoices(subscription);
  expect(billOf(upfront)).toEqual({
    lines: ['charge 01-01/02-01 60.00'],
    total: '60.00 + 12.00 = 72.00',
    wallet: '0.00',
    status: 'PAID',
  });

  for (const [row, { at, does, left, ...bill }] of YEAR.entries()) {
    if (at) await shop.advance(clock, at);
    await does?.(year);
    const first = monthAfter(row);
    await shop.advance(clock, first);
    const closed = (await shop.invoices(subscription)).find(
      ({ periodEnd, kind }) => periodEnd === first && kind === 'subscription',
    );
    expect(billOf(closed), first).toEqual(bill);
    expect(await walletOf(shop, subscription), first).toBe(left);
  }

  /*
   * The year again, by the use of seats and not by the time of the bill: 60 January, 60 / 2 + 36 February, 72 March, 36
   * + 54 April, 108 May, 240 June, 79.35 + 40.16 July, 60 August, 60 September, 30 + 48 October, 96 November, 96
   * December, 96 January: 1,241.51. The bills less the credits outside of invoices (60.49 and 30.00) have the same sum.
   */
  const invoices = (await shop.invoices(subscription)).filter(({ status }) => status === 'PAID');
  const cents = invoices.reduce((sum, { subtotal }) => sum + Number(subtotal.replace('.', '')), 0);
  expect(cents - 60_49 - 30_00).toBe(1_241_51);
  await expectExplained(shop, subscription);
}, 120_000);
