import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Bill, billOf, expectExplained, walletOf } from '../support/bills.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** A year of tokens at graduated prices, paid from a wallet, over HTTP and worked by hand (domain.md §2, §4). */
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

/**
 * A month: 100,000 tokens are free; the next million costs 20.00, the four millions after it 60.00; 10.00 at the least.
 */
const TOKENS = {
  model: 'graduated',
  properties: {
    includedUnits: '100000',
    tiers: [
      { upTo: '1000000', unitPrice: '0.00002' },
      { upTo: '5000000', unitPrice: '0.000015' },
      { upTo: null, unitPrice: '0.00001' },
    ],
  },
  minimumAmount: '10',
};

interface Row extends Bill {
  /** Tokens by day, reported while the clock is at the 28th of the month. */
  used: readonly (readonly [day: string, tokens: string, by?: 'customer' | 'subscription'])[];
  /** The customer's top-up on the 28th. */
  topUp?: string;
  /** The content of the wallet after the month's bill. */
  left: string;
}

/** The lines of a month: its charge and, below 10.00, the missing amount. */
const month = (number: string, next: string, amount: string, missing?: string) => [
  `charge ${number}-01/${next}-01 ${amount}`,
  ...(missing ? [`minimum ${number}-01/${next}-01 ${missing}`] : []),
];

/*
 * Tax is 19 %, and the wallet pays it too: 100.00 were paid in at the beginning. The comments count the usage beyond
 * the 100,000; k is a thousand.
 */
const YEAR: readonly Row[] = [
  // January: 500k × 0.02 = 10.00, which is just enough.
  {
    used: [
      ['2026-01-05', '350000'],
      ['2026-01-31', '250000', 'customer'],
    ],
    lines: month('01', '02', '10.00'),
    total: '10.00 + 1.90 = 11.90',
    wallet: '11.90',
    status: 'PAID',
    left: '88.10',
  },
  // February: the wallet is empty.
  {
    used: [['2026-02-10', '50000']],
    lines: month('02', '03', '0.00', '10.00'),
    total: '10.00 + 1.90 = 11.90',
    wallet: '11.90',
    status: 'PAID',
    left: '76.20',
  },
  // March: 20.00 + 750k × 0.015 = 11.25. Tax 5.9375.
  {
    used: [
      ['2026-03-03', '1000000'],
      ['2026-03-20', '850000', 'customer'],
    ],
    lines: month('03', '04', '31.25'),
    total: '31.25 + 5.94 = 37.19',
    wallet: '37.19',
    status: 'PAID',
    left: '39.01',
  },
  // April: 200k = 4.00, and 6.00 are missing.
  {
    used: [['2026-04-09', '300000']],
    lines: month('04', '05', '4.00', '6.00'),
    total: '10.00 + 1.90 = 11.90',
    wallet: '11.90',
    status: 'PAID',
    left: '27.11',
  },
  // May: 20.00 + 1,000k × 0.015 = 35.00. 500k of April come late: 700k = 14.00, of which 10.00 are billed. The wallet
  // is short.
  {
    used: [
      ['2026-05-02', '2100000'],
      ['2026-04-28', '500000'],
    ],
    lines: [...month('05', '06', '35.00'), 'late_usage 04-01/05-01 4.00'],
    total: '39.00 + 7.41 = 46.41',
    wallet: '27.11',
    status: 'ISSUED',
    left: '0.00',
  },
  // June: 20.00 + 60.00 + 2,000k × 0.01 = 100.00.
  {
    used: [['2026-06-15', '7100000', 'customer']],
    lines: month('06', '07', '100.00'),
    total: '100.00 + 19.00 = 119.00',
    wallet: '0.00',
    status: 'ISSUED',
    left: '0.00',
  },
  // July: 20.00 + 134,567 × 0.000015 = 22.018505. Tax 4.1838. Of 150.00 that were put in, 123.80 are left.
  {
    used: [['2026-07-07', '1234567']],
    topUp: '150.00',
    lines: month('07', '08', '22.02'),
    total: '22.02 + 4.18 = 26.20',
    wallet: '26.20',
    status: 'PAID',
    left: '123.80',
  },
  // August: no usage.
  {
    used: [],
    lines: month('08', '09', '0.00', '10.00'),
    total: '10.00 + 1.90 = 11.90',
    wallet: '11.90',
    status: 'PAID',
    left: '111.90',
  },
  // September: exactly the first million, the last of it in the first tier.
  {
    used: [['2026-09-30', '1100000']],
    lines: month('09', '10', '20.00'),
    total: '20.00 + 3.80 = 23.80',
    wallet: '23.80',
    status: 'PAID',
    left: '88.10',
  },
  // October: one more, 20.000015.
  {
    used: [['2026-10-01', '1100001']],
    lines: month('10', '11', '20.00'),
    total: '20.00 + 3.80 = 23.80',
    wallet: '23.80',
    status: 'PAID',
    left: '64.30',
  },
  // November: nothing is left. Late, September has 200k more: 23.00, 20.00 billed. October was 100,001 less: 18.00,
  // 20.000015 billed.
  {
    used: [
      ['2026-11-11', '100000'],
      ['2026-09-29', '200000', 'customer'],
      ['2026-10-15', '-100001'],
    ],
    lines: [...month('11', '12', '0.00', '10.00'), 'late_usage 09-01/10-01 3.00', 'late_usage 10-01/11-01 -2.00'],
    total: '11.00 + 2.09 = 13.09',
    wallet: '13.09',
    status: 'PAID',
    left: '51.21',
  },
  // December: 20.00 + 60.00, up to the top of the second tier.
  {
    used: [['2026-12-24', '5100000']],
    lines: month('12', '01', '80.00'),
    total: '80.00 + 15.20 = 95.20',
    wallet: '51.21',
    status: 'ISSUED',
    left: '0.00',
  },
];
const twoDigits = (number: number) => String(number).padStart(2, '0');
const monthAfter = (row: number) => (row === 11 ? '2027-01-01T00:00:00Z' : `2026-${twoDigits(row + 2)}-01T00:00:00Z`);

async function openYear() {
  const metric = await shop.metric({
    name: 'Tokens',
    unit: 'token',
    eventType: 'completion',
    valueProperty: '$.tokens',
  });
  const plan = await shop.plan([await shop.usagePrice({ billableMetricId: metric.id, ...TOKENS })], {
    defaultTaxRate: 19,
  });
  const clock = await shop.clock(START);
  const subscription = await shop.subscribe(plan, { clock, prefundAmount: '100.00' });
  return { clock, subscription };
}
const complete = (session: string) => shop.act(`/v0/paymentSessions/${session}/complete`, { paymentMethod: 'pm_ok' });

async function putIn({ customerId }: Resource, amount: string): Promise<void> {
  const body = { amount, currency: 'USD', idempotencyKey: `top-up-${amount}` };
  const { paymentSessions } = await shop.create(`/v0/customers/${customerId}/wallet/topUps`, body);
  await complete(paymentSessions[0].url.split('/').at(-1));
}

it('is, month by month, what it comes to by hand', async () => {
  const { clock, subscription } = await openYear();
  expect(subscription.payment).toMatchObject({ amount: '100.00', breakdown: { upfrontCharges: '0.00' } });
  await complete(subscription.payment.paymentSessionId);
  expect(await walletOf(shop, subscription)).toBe('100.00');

  for (const [row, { used, topUp, left, ...bill }] of YEAR.entries()) {
    await shop.advance(clock, `2026-${twoDigits(row + 1)}-28T00:00:00Z`);
    for (const [day, tokens, by = 'subscription'] of used) {
      const subject = by === 'customer' ? subscription.customerId : subscription.id;
      await shop.use(subject, `${day}T12:00:00Z`, 0, { type: 'completion', data: { tokens } });
    }
    if (topUp) await putIn(subscription, topUp);
    const first = monthAfter(row);
    await shop.advance(clock, first);
    const closed = (await shop.invoices(subscription)).find(({ periodEnd }) => periodEnd === first);
    expect(billOf(closed), first).toEqual(bill);
    expect(await walletOf(shop, subscription), first).toBe(left);
    // A card pays the amounts that the wallet cannot pay: 19.30, 119.00 and 43.99.
    if (bill.status === 'ISSUED') await shop.pay(closed);
    expect(await shop.invoice(closed.id), first).toMatchObject({ status: 'PAID', unpaidAmount: '0.00' });
  }

  // 250.00 went into the wallet, and paid for usage in full.
  const { data } = await shop.read(`/v0/customers/${subscription.customerId}/wallet/entries?limit=100`);
  const cents = (wanted: string) =>
    data
      .filter(({ reason }: Resource) => reason === wanted)
      .reduce((sum: number, { amount }: Resource) => sum + Number(amount.replace('.', '')), 0);
  expect([cents('wallet_top_up'), cents('wallet_applied')]).toEqual([250_00, -250_00]);
  // The cards have paid the remaining bills: 432.29 less 250.00.
  const [upfront, ...months] = (await shop.invoices(subscription)).filter(({ status }) => status === 'PAID');
  expect(upfront).toMatchObject({ kind: 'upfront', totalTax: '0.00', grandTotal: '100.00' });
  const billed = months.reduce((sum, { grandTotal }) => sum + Number(grandTotal.replace('.', '')), 0);
  expect(billed).toBe(432_29);
  await expectExplained(shop, subscription);
}, 120_000);
