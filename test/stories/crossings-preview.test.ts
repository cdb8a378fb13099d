import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectBooksToBalance } from '../support/books.ts';
import { changeTo, closeNow, costOf, fee, payAll, promptPlan, subscribed } from '../support/crossings.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** A preview is the same calculation without its last step (domain.md §3): a dry run shows the effect of the change. */
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

const APRIL = '2024-04-01T00:00:00Z'; // 30 days
const MAY = '2024-05-01T00:00:00Z';

/** The content of an invoice for its payer. */
const said = ({ subtotal, totalTax, grandTotal, periodStart, periodEnd }: Resource) => ({
  ...{ subtotal, totalTax, grandTotal, periodStart, periodEnd },
});
/** Each line with its amounts, in no order. */
const linesOf = (lines: readonly Resource[]) =>
  lines
    .map(
      ({ type, lineItemType, periodStart, periodEnd, totalPrice, totalTax }: Resource) =>
        `${type} ${lineItemType} ${periodStart}/${periodEnd} ${totalPrice} + ${totalTax}`,
    )
    .toSorted();
const upcoming = (subscription: Resource) => shop.read(`/v0/subscriptions/${subscription.id}/upcomingInvoice`);

interface Crossing {
  readonly what: string;
  readonly term: 'in_advance' | 'in_arrears';
  readonly plan?: Record<string, unknown>;
  readonly isPaid?: boolean;
  /** When the change is made. */
  readonly at: string;
  readonly cutAt?: string;
  readonly fields?: Record<string, unknown>;
  /** The total of the open invoice of April; null if the change has an invoice of its own. */
  readonly open: string | null;
  /** The sum of all invoices until the 1st of May. */
  readonly cost: string;
}

/*
 * A costs 30.00 a month, B 90.00, calls 1.00 each; 7 calls are made on the 3rd. On the 16th 15 of 30 days are over.
 */
const CROSSINGS: readonly Crossing[] = [
  {
    ...{ what: 'in advance, paid', term: 'in_advance', isPaid: true, at: '2024-04-16T00:00:00Z' },
    ...{ open: '127.00', cost: '157.00' }, // 7 - 15 + 45 + 90; and April's 30
  },
  {
    ...{ what: 'in advance, unpaid', term: 'in_advance', at: '2024-04-16T00:00:00Z' },
    ...{ open: '142.00', cost: '157.00' }, // 15 are a credit note on the unpaid amount
  },
  {
    ...{ what: 'in advance, paid, into the wallet', term: 'in_advance', isPaid: true, at: '2024-04-16T00:00:00Z' },
    ...{ fields: { credit: 'wallet' }, open: '142.00', cost: '157.00' },
  },
  {
    ...{ what: 'in advance, paid, without credit', term: 'in_advance', isPaid: true, at: '2024-04-16T00:00:00Z' },
    ...{ fields: { credit: 'none' }, open: '142.00', cost: '172.00' },
  },
  {
    ...{ what: 'in arrears', term: 'in_arrears', at: '2024-04-16T00:00:00Z' },
    ...{ open: '67.00', cost: '67.00' }, // 7 + 15 + 45
  },
  {
    ...{ what: 'in arrears without proration', term: 'in_arrears', at: '2024-04-16T00:00:00Z' },
    ...{ fields: { proration: 'none' }, open: '37.00', cost: '37.00' }, // 7 + 30
  },
  {
    ...{ what: 'in arrears by the day', term: 'in_arrears', at: '2024-04-16T18:00:00Z' },
    ...{ fields: { proration: 'day' }, open: '67.00', cost: '67.00' },
  },
  {
    ...{ what: 'in advance, paid, after a closeNow on the 11th', term: 'in_advance', isPaid: true },
    ...{ cutAt: '2024-04-11T00:00:00Z', at: '2024-04-16T00:00:00Z', open: '120.00', cost: '157.00' }, // - 15 + 45 + 90
  },
  {
    ...{ what: 'in arrears, after a closeNow on the 11th', term: 'in_arrears' },
    ...{ cutAt: '2024-04-11T00:00:00Z', at: '2024-04-16T00:00:00Z', open: '50.00', cost: '67.00' }, // 5 + 45
  },
  {
    ...{ what: 'in arrears without proration, after a closeNow on the 11th', term: 'in_arrears' },
    ...{ fields: { proration: 'none' }, cutAt: '2024-04-11T00:00:00Z', at: '2024-04-16T00:00:00Z' },
    ...{ open: '20.00', cost: '37.00' }, // the old fee has the other 20 days
  },
  {
    ...{ what: 'at the very start, in advance and paid', term: 'in_advance', isPaid: true, at: APRIL },
    ...{ open: null, cost: '187.00' }, // 7 + 90 for April, 90 for May
  },
  {
    ...{ what: 'at the very start, in advance and unpaid', term: 'in_advance', at: APRIL },
    ...{ open: null, cost: '187.00' },
  },
  {
    ...{ what: 'in advance and paid, at 20 % tax', term: 'in_advance', isPaid: true, at: '2024-04-16T00:00:00Z' },
    ...{ plan: { defaultTaxRate: 20 }, open: '152.40', cost: '188.40' }, // 127 and 157 and a fifth
  },
  {
    ...{ what: 'in advance and paid, 19 % inside', term: 'in_advance', isPaid: true, at: '2024-04-16T00:00:00Z' },
    ...{ plan: { defaultTaxRate: 19, taxBehavior: 'inclusive' }, open: '127.00', cost: '157.00' },
  },
];

describe.each(CROSSINGS)('a change $what', ({ term, plan, isPaid, at, cutAt, fields, open, cost }) => {
  it('bills what its preview said, and what the open invoice showed until its end', async () => {
    const usage = await shop.usagePrice();
    const a = await promptPlan(shop, [usage, await fee(shop, term, '30')], plan);
    const b = await promptPlan(shop, [usage, await fee(shop, term, '90')], plan);
    const { clock, subscription, customerId } = await subscribed(shop, a, APRIL);
    if (isPaid) await payAll(shop, customerId);
    await shop.use(subscription.id, '2024-04-03T00:00:00Z', 7);
    if (cutAt !== undefined) {
      await shop.advance(clock, cutAt);
      await closeNow(shop, subscription);
      await shop.advance(clock, 'PT1H');
    }
    if (at !== APRIL) await shop.advance(clock, at);
    const path = `/v0/subscriptions/${subscription.id}/changes`;
    const before = await upcoming(subscription);
    const preview = await shop.act(path, { planId: b.id, ...fields, dryRun: true });
    expect(await upcoming(subscription)).toEqual(before); // no change
    const done = await changeTo(shop, subscription, b, fields);
    expect(said(done.invoicePreview)).toEqual(said(preview.invoicePreview));

    const live = await upcoming(subscription);
    if (open !== null) {
      expect(preview.invoicePreview.grandTotal).toBe(open);
      expect(said(live)).toEqual(said(preview.invoicePreview));
    }
    const lines = linesOf(live.lineItems.lineItems);
    await shop.advance(clock, MAY);
    await shop.advance(clock, 'PT1H');
    const issued = await shop.invoice(live.id);
    expect(said(issued)).toEqual(said(live));
    expect(linesOf(issued.lines)).toEqual(lines);
    expect(await costOf(shop, customerId)).toBe(cost);
  });
});

describe('the upcoming invoice', () => {
  /** 100 calls are billed in January, 60 of them were not made; February has 70 so far. */
  it('shows a correction before it is billed', async () => {
    const { clock, subscription } = await subscribed(
      shop,
      await promptPlan(shop, [await shop.usagePrice()], { defaultTaxRate: 20 }),
      '2026-01-01T00:00:00Z',
    );
    await shop.use(subscription.id, '2026-01-10T00:00:00Z', 100);
    await shop.advance(clock, '2026-02-10T00:00:00Z');
    await shop.use(subscription.id, '2026-01-20T00:00:00Z', -60);
    await shop.use(subscription.id, '2026-02-05T00:00:00Z', 70);
    const shown = await upcoming(subscription);
    expect(said(shown)).toMatchObject({ subtotal: '10.00', totalTax: '2.00', grandTotal: '12.00' });
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    expect(said(await shop.invoice(shown.id))).toEqual(said(shown));
  });

  /** A change and its reversal at one instant leave the bills as before. */
  it('is after there and back what it was before', async () => {
    const [a, b] = [
      await promptPlan(shop, [await fee(shop, 'in_advance', '31')]),
      await promptPlan(shop, [await fee(shop, 'in_advance', '62')]),
    ];
    const { clock, subscription, customerId } = await subscribed(shop, a, '2026-01-01T00:00:00Z');
    await payAll(shop, customerId);
    await shop.advance(clock, '2026-01-11T00:00:00Z');
    const before = said(await upcoming(subscription));
    await changeTo(shop, subscription, b);
    expect(said(await upcoming(subscription))).toMatchObject({ grandTotal: '83.00' }); // 62 + 42 - 21
    await changeTo(shop, subscription, a);
    expect(said(await upcoming(subscription))).toEqual(before);
  });
});

/*
 * A costs 30.00 a month in advance, and 20 calls at 1.00 are made on the 3rd of April. While April runs, the end is
 * planned for the 16th: 15 of 30 days are not used, and 15.00 are credited with the end.
 */
describe('an end that is planned after the period was billed in advance', () => {
  const MIDDLE = '2024-04-16T00:00:00Z';

  async function planned({ unitPrice = '30', cadence = 'P1M', isPaid = true, plan = {} }) {
    const usage = await shop.usagePrice();
    const ahead = await fee(shop, 'in_advance', unitPrice, { billingCadence: cadence });
    const sold = await subscribed(shop, await promptPlan(shop, [usage, ahead], plan), APRIL);
    if (isPaid) await payAll(shop, sold.customerId);
    await shop.use(sold.subscription.id, '2024-04-03T00:00:00Z', 20);
    await shop.advance(sold.clock, '2024-04-11T00:00:00Z');
    await shop.change(`/v0/subscriptions/${sold.subscription.id}`, { endingAt: MIDDLE });
    return { ...sold, usage };
  }

  it.each([
    { what: 'a fee that is paid', open: '5.00' }, // 20 - 15
    { what: 'a fee that is not paid', isPaid: false, open: '20.00' }, // the credit is off the unpaid invoice
    { what: 'a fee with 20 % tax', plan: { defaultTaxRate: 20 }, open: '6.00' }, // 24 - 18
    { what: 'a fee with 19 % inside', plan: { defaultTaxRate: 19, taxBehavior: 'inclusive' }, open: '5.00' },
    { what: 'a credit above the invoice', unitPrice: '90', open: '0.00' }, // 20 - 45
    { what: 'a fee of another series', unitPrice: '365', cadence: 'P1Y', open: '0.00' }, // 20 - 350
    { what: 'yen', unitPrice: '301', plan: { currency: 'JPY' }, open: '0' }, // 20 - 151
    { what: 'dinars', unitPrice: '0.333', plan: { currency: 'KWD' }, open: '19.833' }, // 20 - 0.1665, of which 0.167
  ])('shows on the upcoming invoice what it credits: $what', async ({ open, ...of }) => {
    const { clock, subscription } = await planned(of);
    const shown = await upcoming(subscription);
    expect(shown.grandTotal).toBe(open);
    await shop.advance(clock, '2024-04-17T00:00:00Z');
    const billed = await shop.invoice(shown.id);
    expect({ ...said(billed), lines: linesOf(billed.lines) }).toEqual({
      ...said(shown),
      lines: linesOf(shown.lineItems.lineItems),
    });
  });

  it('shows what a change before it credits once', async () => {
    const { clock, subscription, usage } = await planned({});
    const dear = await promptPlan(shop, [usage, await fee(shop, 'in_advance', '90')]);
    await changeTo(shop, subscription, dear);
    const shown = await upcoming(subscription);
    expect(shown.grandTotal).toBe('15.00'); // 20 - 20 of A + 15 of B
    await shop.advance(clock, '2024-04-17T00:00:00Z');
    expect((await shop.invoice(shown.id)).grandTotal).toBe('15.00');
  });

  it('is not shown any more when the end is removed', async () => {
    const { subscription } = await planned({});
    await shop.change(`/v0/subscriptions/${subscription.id}`, { endingAt: null });
    expect((await upcoming(subscription)).grandTotal).toBe('50.00'); // 20 and May
  });
});

/*
 * Calls cost 1.00 each and are billed monthly. 100 calls of January are billed on the 1st of February; 15 more of
 * January come later. The next calculated invoice bills them, and no later one.
 */
describe('calls that come late', () => {
  const upcomingOf = (subscription: Resource, cadence: string) =>
    shop.read(`/v0/subscriptions/${subscription.id}/upcomingInvoice?billingCadence=${cadence}`);
  const late = (lines: readonly Resource[]) =>
    lines.filter(({ type }) => type === 'late_usage').map(({ totalPrice }) => totalPrice);

  async function withLateCalls(prices: readonly Resource[], until: string) {
    const sold = await subscribed(shop, await promptPlan(shop, prices), '2026-01-01T00:00:00Z');
    await shop.use(sold.subscription.id, '2026-01-10T00:00:00Z', 100);
    await shop.advance(sold.clock, until);
    await shop.use(sold.subscription.id, '2026-01-20T00:00:00Z', 15);
    return sold;
  }

  /** Weeks end on the 5th, 12th, 19th and 26th of February. */
  it('are shown on the invoice of the week that ends first, not on that of the month', async () => {
    const weekly = await fee(shop, 'in_arrears', '7', { billingCadence: 'P1W' });
    const { clock, subscription } = await withLateCalls([await shop.usagePrice(), weekly], '2026-02-02T00:00:00Z');
    const week = await upcomingOf(subscription, 'P1W');
    const month = await upcomingOf(subscription, 'P1M');
    expect([week.grandTotal, late(week.lineItems.lineItems)]).toEqual(['22.00', ['15.00']]); // 7 and 15
    expect([month.grandTotal, late(month.lineItems.lineItems)]).toEqual(['0.00', []]);
    await shop.advance(clock, '2026-03-01T01:00:00Z');
    expect((await shop.invoice(week.id)).grandTotal).toBe('22.00');
    expect((await shop.invoice(month.id)).grandTotal).toBe('0.00');
  });

  /** The change ends February on the 11th; the invoice of these 10 days is still to be calculated. */
  it('are shown on the invoice that a change of plan cut, not on the first one of the new plan', async () => {
    const usage = await shop.usagePrice();
    const { clock, subscription } = await withLateCalls([usage], '2026-02-11T00:00:00Z');
    const FORTNIGHTLY = { billingCadence: 'P2W' };
    const other = await promptPlan(shop, [await fee(shop, 'in_arrears', '14', FORTNIGHTLY)], FORTNIGHTLY);
    await changeTo(shop, subscription, other);
    const next = await upcomingOf(subscription, 'P2W');
    expect([next.grandTotal, late(next.lineItems.lineItems)]).toEqual(['14.00', []]);
    await shop.advance(clock, '2026-02-25T01:00:00Z');
    expect((await shop.invoice(next.id)).grandTotal).toBe('14.00');
    const [, cut] = await shop.invoices(subscription);
    expect([cut.grandTotal, late(cut.lines)]).toEqual(['15.00', ['15.00']]);
  });
});

describe('two series that end together, one of them by a change that is to come', () => {
  it('show usage that comes late on the invoice that will bill it', async () => {
    const monthly = await shop.usagePrice({ billingCadence: 'P1M' });
    const yearly = await shop.usagePrice({ billingCadence: 'P1Y' });
    const plan = await promptPlan(shop, [monthly, yearly]);
    const { clock, subscription } = await subscribed(shop, plan, APRIL);
    await shop.advance(clock, '2024-05-10T00:00:00Z');
    await shop.use(subscription.id, '2024-04-20T00:00:00Z', 12); // both prices bill it; April is closed
    await shop.use(subscription.id, '2024-05-05T00:00:00Z', 1);
    await changeTo(shop, subscription, await promptPlan(shop, [monthly]), { effective: 'periodEnd' });
    const shown = async (cadence: string) =>
      shop.read(`/v0/subscriptions/${subscription.id}/upcomingInvoice?billingCadence=${cadence}`);
    const [month, year] = [await shown('P1M'), await shown('P1Y')];
    await shop.advance(clock, '2024-06-01T00:00:00Z');
    const billed = [await shop.invoice(month.id), await shop.invoice(year.id)];
    expect(billed.map(({ subtotal }) => subtotal)).toEqual(['1.00', '25.00']); // 13 units of the year, and 12 of April
    expect([month.subtotal, year.subtotal]).toEqual(['1.00', '25.00']);
  });
});
