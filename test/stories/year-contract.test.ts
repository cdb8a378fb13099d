import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { billOf, transfer, walletOf } from '../support/bills.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * A contract year, over HTTP and worked by hand (domain.md §1 series, §3, §4): a fee for the year in advance, monthly
 * usage beyond the included units, and all payments by bank transfer within 30 days.
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

/** The invoice of a month, or that of the beginning. */
type Of = 'beginning' | `2026-${string}`;
/** A transfer: its time, invoice and amount, and the invoice and the wallet afterwards. */
type Transfer = readonly [at: string, of: Of, amount: string, status: string, paid: string, wallet: string];

interface Row {
  month: Of;
  calls: string;
  transfers: readonly Transfer[];
  /**
   * `net + tax = total`, on the first of the next month; the wallet's payment at once; the due date of the remainder.
   */
  total: string;
  wallet: string;
  status: string;
  dueAt: string;
}

/* A thousand calls a month are included, each one more costs 0.50. Tax is 20 %. */
const YEAR: readonly Row[] = [
  // 800 × 0.50 = 400.00. Of the fee, 12,000.00 and 2,400.00 tax, due on the 31st of January, a part is paid.
  {
    month: '2026-01',
    calls: '1800',
    transfers: [['2026-01-20', 'beginning', '10000.00', 'ISSUED', '10000.00', '0.00']],
    total: '400.00 + 80.00 = 480.00',
    wallet: '0.00',
    status: 'ISSUED',
    dueAt: '2026-03-03',
  },
  // Fewer than are included. Another part of the fee; 500.00 are paid for the 480.00.
  {
    month: '2026-02',
    calls: '900',
    transfers: [
      ['2026-02-12', 'beginning', '4000.00', 'ISSUED', '14000.00', '0.00'],
      ['2026-02-20', '2026-01', '500.00', 'PAID', '480.00', '20.00'],
    ],
    total: '0.00 + 0.00 = 0.00',
    wallet: '0.00',
    status: 'PAID',
    dueAt: '2026-03-31',
  },
  // 100 × 0.50 = 50.00; the 20.00 pay their part. The fee is paid.
  {
    month: '2026-03',
    calls: '1100',
    transfers: [['2026-03-02', 'beginning', '400.00', 'PAID', '14400.00', '20.00']],
    total: '50.00 + 10.00 = 60.00',
    wallet: '20.00',
    status: 'ISSUED',
    dueAt: '2026-05-01',
  },
  // 250 × 0.50 = 125.00
  {
    month: '2026-04',
    calls: '1250',
    transfers: [['2026-04-20', '2026-03', '15.00', 'ISSUED', '35.00', '0.00']],
    total: '125.00 + 25.00 = 150.00',
    wallet: '0.00',
    status: 'ISSUED',
    dueAt: '2026-05-31',
  },
  // Exactly the included usage. March is overdue by then; April comes in the last minute of its day.
  {
    month: '2026-05',
    calls: '1000',
    transfers: [
      ['2026-05-05', '2026-03', '25.00', 'PAID', '60.00', '0.00'],
      ['2026-05-31T23:59', '2026-04', '150.00', 'PAID', '150.00', '0.00'],
    ],
    total: '0.00 + 0.00 = 0.00',
    wallet: '0.00',
    status: 'PAID',
    dueAt: '2026-07-01',
  },
  // 1 × 0.50
  {
    month: '2026-06',
    calls: '1001',
    transfers: [],
    total: '0.50 + 0.10 = 0.60',
    wallet: '0.00',
    status: 'ISSUED',
    dueAt: '2026-07-31',
  },
  // 2,333 × 0.50 = 1,166.50
  {
    month: '2026-07',
    calls: '3333',
    transfers: [['2026-07-10', '2026-06', '0.60', 'PAID', '0.60', '0.00']],
    total: '1166.50 + 233.30 = 1399.80',
    wallet: '0.00',
    status: 'ISSUED',
    dueAt: '2026-08-31',
  },
  // No usage.
  {
    month: '2026-08',
    calls: '0',
    transfers: [
      ['2026-08-15', '2026-07', '700.00', 'ISSUED', '700.00', '0.00'],
      ['2026-08-31', '2026-07', '699.80', 'PAID', '1399.80', '0.00'],
    ],
    total: '0.00 + 0.00 = 0.00',
    wallet: '0.00',
    status: 'PAID',
    dueAt: '2026-10-01',
  },
  // 1,000 × 0.50 = 500.00
  {
    month: '2026-09',
    calls: '2000',
    transfers: [],
    total: '500.00 + 100.00 = 600.00',
    wallet: '0.00',
    status: 'ISSUED',
    dueAt: '2026-10-31',
  },
  // 500.5 × 0.50 = 250.25, tax 50.05
  {
    month: '2026-10',
    calls: '1500.5',
    transfers: [['2026-10-30', '2026-09', '600.00', 'PAID', '600.00', '0.00']],
    total: '250.25 + 50.05 = 300.30',
    wallet: '0.00',
    status: 'ISSUED',
    dueAt: '2026-12-01',
  },
  // 200 × 0.50 = 100.00
  {
    month: '2026-11',
    calls: '1200',
    transfers: [['2026-11-30', '2026-10', '300.30', 'PAID', '300.30', '0.00']],
    total: '100.00 + 20.00 = 120.00',
    wallet: '0.00',
    status: 'ISSUED',
    dueAt: '2026-12-31',
  },
  // 3,000 × 0.50 = 1,500.00
  {
    month: '2026-12',
    calls: '4000',
    transfers: [['2026-12-20', '2026-11', '120.00', 'PAID', '120.00', '0.00']],
    total: '1500.00 + 300.00 = 1800.00',
    wallet: '0.00',
    status: 'ISSUED',
    dueAt: '2027-01-31',
  },
];
const after = (row: number) => YEAR[row + 1]?.month ?? '2027-01';
const instant = (text: string) => (text.includes('T') ? `${text}:00Z` : `${text}T00:00:00Z`);

async function openContract() {
  const fee = await shop.feePrice({
    paymentTerm: 'in_advance',
    billingCadence: 'P1Y',
    properties: { unitPrice: '12000' },
  });
  const usage = await shop.usagePrice({
    billingCadence: 'P1M',
    properties: { unitPrice: '0.50', includedUnits: '1000' },
  });
  const plan = await shop.plan([fee, usage], { billingCadence: 'P1Y', defaultTaxRate: 20, renewalReminderDays: 30 });
  const clock = await shop.clock(START);
  const subscription = await shop.subscribe(plan, { clock, bankTransferOnly: true, paymentTermDays: 30 });
  return { clock, subscription };
}

/** The time and the invoice of each webhook of a kind. */
const told = (type: string) =>
  env.database.transaction({ merchants: [merchant.id] }, (tx) =>
    tx.rows<{ at: string; invoice: string | null }>(sql`
      select to_char(created_at at time zone 'utc', 'YYYY-MM-DD') as at, data ->> 'invoiceId' as invoice
        from outbox where type = ${type} order by seq`),
  );

it('is, month by month, what it comes to by hand', async () => {
  const { clock, subscription } = await openContract();
  expect(subscription).toMatchObject({ status: 'active', payment: null });
  const series = async (cadence: string): Promise<Resource[]> =>
    (await shop.invoices(subscription)).filter(({ billingCadence }) => billingCadence === cadence);
  const [beginning] = await series('P0D');
  expect(billOf(beginning)).toEqual({
    lines: ['charge 01-01/01-01 12000.00'],
    total: '12000.00 + 2400.00 = 14400.00',
    wallet: '0.00',
    status: 'ISSUED',
  });
  expect(beginning.dueAt).toBe('2026-01-31T00:00:00Z');
  const invoices = new Map<Of, Resource>([['beginning', beginning]]);

  for (const [row, { month, calls, transfers, dueAt, ...bill }] of YEAR.entries()) {
    await shop.use(subscription.id, `${month}-15T00:00:00Z`, calls);
    for (const [at, of, amount, status, paid, wallet] of transfers) {
      await shop.advance(clock, instant(at));
      const paidOff = invoices.get(of);
      await transfer(shop, paidOff, amount);
      expect(await shop.invoice(paidOff.id), `${at} ${of}`).toMatchObject({ status, paidAmount: paid });
      expect(await walletOf(shop, subscription), `${at} ${of}`).toBe(wallet);
    }
    const first = `${after(row)}-01T00:00:00Z`;
    await shop.advance(clock, first);
    const closed = (await series('P1M')).find(({ periodEnd }) => periodEnd === first);
    const { lines, ...totals } = billOf(closed);
    expect(totals, month).toEqual(bill);
    expect(lines, month).toHaveLength(1);
    expect([closed.issuedAt, closed.dueAt], month).toEqual([first, instant(dueAt)]);
    invoices.set(month, closed);
  }

  // The other series: a year without usage of its own, and the fee of the next one.
  const [first, second] = await series('P1Y');
  expect(billOf(first)).toEqual({
    lines: ['charge 01-01/01-01 12000.00'],
    total: '12000.00 + 2400.00 = 14400.00',
    wallet: '0.00',
    status: 'ISSUED',
  });
  expect(first).toMatchObject({ periodStart: START, dueAt: '2027-01-31T00:00:00Z' });
  expect(first.lines[0]).toMatchObject({ periodStart: '2027-01-01T00:00:00Z', periodEnd: '2028-01-01T00:00:00Z' });
  expect(second).toMatchObject({ status: 'ACTIVE', periodEnd: '2028-01-01T00:00:00Z' });

  // Two were late: the fee, with 4,400.00 missing, and March, with 25.00 missing. The renewal reminder comes 30 days
  // ahead.
  expect(await told('invoice.overdue.v0')).toEqual([
    { at: '2026-02-01', invoice: beginning.id },
    { at: '2026-05-02', invoice: invoices.get('2026-03').id },
  ]);
  expect((await told('subscription.renewal_reminder.v0')).map(({ at }) => at)).toEqual(['2026-12-02']);
  // One of the beginning, twelve of the months and one of the year, without a gap in the numbers.
  const numbers = (await shop.invoices(subscription)).flatMap(({ invoiceNumber }) => invoiceNumber ?? []);
  expect(numbers.toSorted()).toEqual(
    Array.from({ length: 14 }, (_, index) => `INV-${String(index + 1).padStart(6, '0')}`),
  );
}, 120_000);
