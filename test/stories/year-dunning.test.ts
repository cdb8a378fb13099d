import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { chargeBy, transfer } from '../support/bills.ts';
import { expectBooksToBalance } from '../support/books.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** A year of a customer with failing cards, over HTTP and worked by hand (domain.md §4, rows 13 to 17). */
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

type Month = `2026-${string}`;
interface Year {
  card(card: string): Promise<unknown>;
  dunning(settings: object): Promise<unknown>;
  /** Through the hosted page, with a card that works. */
  paysOnline(month: Month): Promise<unknown>;
  paysByTransfer(month: Month, amount: string): Promise<unknown>;
}

interface Row {
  at: string;
  does?: (year: Year) => Promise<unknown>;
  /** By month: the status of its invoice, its payments, and its next charge. */
  shown: Readonly<Partial<Record<Month, string>>>;
}

/*
 * 50.00 a month in arrears and 20 % tax are 60.00, charged on the first of the next month. Retries come 2, 5, 7 and 7
 * days after the previous attempt: on the 3rd, 8th, 15th and 22nd. After the last, the invoice is written off.
 */
const YEAR: readonly Row[] = [
  { at: '2026-02-01', shown: { '2026-01': 'PAID 60.00' } },
  // A card that does not work. Another one on the 5th: the retry of the 8th pays.
  { at: '2026-02-20', does: (year) => year.card('pm_then_declined'), shown: {} },
  { at: '2026-03-01', shown: { '2026-02': 'PAYMENT_FAILED 0.00 → 03-03' } },
  { at: '2026-03-03', shown: { '2026-02': 'PAYMENT_FAILED 0.00 → 03-08' } },
  { at: '2026-03-05', does: (year) => year.card('pm_ok'), shown: { '2026-02': 'PAYMENT_FAILED 0.00 → 03-08' } },
  { at: '2026-03-08', shown: { '2026-02': 'PAID 60.00' } },
  { at: '2026-04-01', shown: { '2026-03': 'PAID 60.00' } },
  // The new one does not work any more, either: all retries, and it is given up.
  { at: '2026-04-20', does: (year) => year.card('pm_then_declined'), shown: {} },
  { at: '2026-05-01', shown: { '2026-04': 'PAYMENT_FAILED 0.00 → 05-03' } },
  { at: '2026-05-03', shown: { '2026-04': 'PAYMENT_FAILED 0.00 → 05-08' } },
  { at: '2026-05-08', shown: { '2026-04': 'PAYMENT_FAILED 0.00 → 05-15' } },
  { at: '2026-05-15', shown: { '2026-04': 'PAYMENT_FAILED 0.00 → 05-22' } },
  { at: '2026-05-22', shown: { '2026-04': 'WRITTEN_OFF 0.00' } },
  // The subscription continues, and so does the next invoice; a part payment comes between two retries.
  { at: '2026-06-01', shown: { '2026-04': 'WRITTEN_OFF 0.00', '2026-05': 'PAYMENT_FAILED 0.00 → 06-03' } },
  {
    at: '2026-06-10',
    does: (year) => year.paysByTransfer('2026-05', '20.00'),
    shown: { '2026-05': 'PAYMENT_FAILED 20.00 → 06-15' },
  },
  { at: '2026-06-22', shown: { '2026-05': 'WRITTEN_OFF 20.00' } },
  // Late recovery: April by a card, May in two parts, June before its next retry.
  { at: '2026-07-01', shown: { '2026-06': 'PAYMENT_FAILED 0.00 → 07-03' } },
  { at: '2026-07-05', does: (year) => year.paysOnline('2026-04'), shown: { '2026-04': 'PAID 60.00' } },
  {
    at: '2026-07-05',
    does: (year) => year.paysByTransfer('2026-05', '15.00'),
    shown: { '2026-05': 'WRITTEN_OFF 35.00' },
  },
  { at: '2026-07-06', does: (year) => year.paysByTransfer('2026-05', '25.00'), shown: { '2026-05': 'PAID 60.00' } },
  { at: '2026-07-07', does: (year) => year.paysOnline('2026-06'), shown: { '2026-06': 'PAID 60.00' } },
  { at: '2026-07-20', does: (year) => year.card('pm_ok'), shown: { '2026-06': 'PAID 60.00' } },
  { at: '2026-08-01', shown: { '2026-07': 'PAID 60.00' } },
  { at: '2026-09-01', shown: { '2026-08': 'PAID 60.00' } },
  // From now on the merchant is stricter: retries after 3 and 4 days, and then the end.
  {
    at: '2026-09-10',
    does: async (year) => {
      await year.dunning({ retryAfterDays: [3, 4], finally: 'terminate' });
      await year.card('pm_then_declined');
    },
    shown: {},
  },
  { at: '2026-10-01', shown: { '2026-09': 'PAYMENT_FAILED 0.00 → 10-04' } },
  { at: '2026-10-04', shown: { '2026-09': 'PAYMENT_FAILED 0.00 → 10-08' } },
  // October ends here: 7 of 31 days, 11.29 (11.2903…) with 2.26 tax (2.258), declined like the others.
  { at: '2026-10-08', shown: { '2026-09': 'PAYMENT_FAILED 0.00', '2026-10': 'PAYMENT_FAILED 0.00 → 10-11' } },
  { at: '2026-10-11', shown: { '2026-10': 'PAYMENT_FAILED 0.00 → 10-15' } },
  { at: '2026-10-15', shown: { '2026-09': 'PAYMENT_FAILED 0.00', '2026-10': 'PAYMENT_FAILED 0.00' } },
  // A subscription that did not end may still pay.
  { at: '2026-11-05', does: (year) => year.paysOnline('2026-09'), shown: { '2026-09': 'PAID 60.00' } },
  { at: '2026-11-06', does: (year) => year.paysByTransfer('2026-10', '13.55'), shown: { '2026-10': 'PAID 13.55' } },
  { at: '2027-01-01', shown: { '2026-09': 'PAID 60.00', '2026-10': 'PAID 13.55' } },
];

async function openYear() {
  const clock = await shop.clock(START);
  const customer = await shop.customer();
  await chargeBy(shop, customer, 'pm_ok');
  const plan = await shop.plan([await shop.feePrice({ properties: { unitPrice: '50' } })], { defaultTaxRate: 20 });
  const subscription = await shop.subscribe(plan, { clock, customer, autoCharge: true });
  const invoices = async () =>
    new Map((await shop.invoices(subscription)).map((invoice) => [invoice.periodStart.slice(0, 7) as Month, invoice]));
  const year: Year = {
    card: (card) => chargeBy(shop, customer, card),
    dunning: (dunning) => shop.change(`/v0/organizations/${merchant.id}`, { settings: { dunning } }),
    paysOnline: async (month) => {
      const session = await shop.create(`/v2/invoices/${(await invoices()).get(month).id}/paymentSessions`);
      await shop.act(`/v0/paymentSessions/${session.id}/complete`, { paymentMethod: 'pm_ok' });
    },
    paysByTransfer: async (month, amount) => transfer(shop, (await invoices()).get(month), amount),
  };
  return { clock, subscription, invoices, year };
}

const shown = ({ status, paidAmount, nextActionAt }: Resource) =>
  `${status} ${paidAmount}${nextActionAt === null ? '' : ` → ${nextActionAt.slice(5, 10)}`}`;

/** The days on which an invoice was charged, and whether the card took it. */
const chargesOf = ({ id }: Resource) =>
  env.database.transaction({ merchants: [merchant.id] }, async (tx) =>
    (
      await tx.rows<{ day: string; status: string }>(sql`
        select to_char(created_at at time zone 'utc', 'MM-DD') as day, status
          from payment_charge where invoice_id = ${id} order by seq`)
    ).map(({ day, status }) => `${day} ${status}`),
  );
const declined = (...days: string[]) => days.map((day) => `${day} declined`);

/** All automatic charges of a card in the year: none after the payment or the write-off of its invoice. */
const CHARGES: readonly (readonly [Month, readonly string[]])[] = [
  ['2026-01', ['02-01 accepted']],
  ['2026-02', [...declined('03-01', '03-03'), '03-08 accepted']],
  ['2026-03', ['04-01 accepted']],
  ['2026-04', declined('05-01', '05-03', '05-08', '05-15', '05-22')],
  ['2026-05', declined('06-01', '06-03', '06-08', '06-15', '06-22')],
  ['2026-06', declined('07-01', '07-03')],
  ['2026-07', ['08-01 accepted']],
  ['2026-08', ['09-01 accepted']],
  ['2026-09', declined('10-01', '10-04', '10-08')],
  ['2026-10', declined('10-08', '10-11', '10-15')],
];

it('is, day by day, what it comes to by hand', async () => {
  await shop.change(`/v0/organizations/${merchant.id}`, { settings: { dunning: { finally: 'write_off' } } });
  const { clock, subscription, invoices, year } = await openYear();
  let now = START;
  for (const { at, does, shown: expected } of YEAR) {
    const instant = `${at}T00:00:00Z`;
    if (instant !== now) await shop.advance(clock, instant);
    now = instant;
    await does?.(year);
    const found = await invoices();
    for (const [month, state] of Object.entries(expected))
      expect(shown(found.get(month as Month)), `${month} at ${at}`).toBe(state);
  }

  const found = await invoices();
  expect([...found.keys()]).toEqual(CHARGES.map(([month]) => month));
  for (const [month, charges] of CHARGES) expect(await chargesOf(found.get(month)), month).toEqual(charges);
  expect(found.get('2026-10')).toMatchObject({
    periodEnd: '2026-10-08T00:00:00Z',
    subtotal: '11.29',
    totalTax: '2.26',
    grandTotal: '13.55',
  });
  expect(await shop.read(`/v0/subscriptions/${subscription.id}`)).toMatchObject({
    status: 'terminated',
    terminatedAt: '2026-10-08T00:00:00Z',
    terminationReason: 'payment_failed',
  });
}, 120_000);

/*
 * Seats in advance: 90.00 and 18.00 tax. May is paid at its beginning. June is declined on its first day, and again on
 * the 4th and on the 8th, which ends the subscription. 23 of June's 30 days are not used, so 69.00 and 13.80 tax are
 * not owed any more.
 */
it('that ends what is paid in advance asks only for what was used', async () => {
  await shop.change(`/v0/organizations/${merchant.id}`, {
    settings: { dunning: { retryAfterDays: [3, 4], finally: 'terminate' } },
  });
  const clock = await shop.clock('2026-05-01T00:00:00Z');
  const customer = await shop.customer();
  await chargeBy(shop, customer, 'pm_ok');
  const seats = await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '90' } });
  const plan = await shop.plan([seats], { defaultTaxRate: 20 });
  const subscription = await shop.subscribe(plan, { clock, customer, autoCharge: true });
  expect(subscription).toMatchObject({ status: 'active', payment: { status: 'paid', amount: '108.00' } });
  await chargeBy(shop, customer, 'pm_then_declined');

  await shop.advance(clock, '2026-06-07T00:00:00Z');
  const [, june] = await shop.invoices(subscription);
  expect([june.grandTotal, shown(june)]).toEqual(['108.00', 'PAYMENT_FAILED 0.00 → 06-08']);
  await shop.advance(clock, '2026-06-20T00:00:00Z');
  expect(await shop.read(`/v0/subscriptions/${subscription.id}`)).toMatchObject({
    status: 'terminated',
    terminatedAt: '2026-06-08T00:00:00Z',
  });
  const [, ended, last] = await shop.invoices(subscription);
  expect(ended).toMatchObject({ status: 'PAYMENT_FAILED', unpaidAmount: '25.20', nextActionAt: null });
  expect(last).toMatchObject({ status: 'CANCELLED', grandTotal: '0.00', periodEnd: '2026-06-08T00:00:00Z' });
  await transfer(shop, ended, '25.20');
  expect(await shop.invoice(ended.id)).toMatchObject({ status: 'PAID', unpaidAmount: '0.00' });
}, 60_000);
