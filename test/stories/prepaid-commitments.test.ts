import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * Prepaid commitments (commercial.md §4). Amounts are worked by hand: a month costs 100.00, a call 1.00, and tax is
 * 20 %.
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let plan: Resource;
let clock: Resource;
let subscription: Resource;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());
beforeEach(async () => {
  plan = await shop.plan([await shop.feePrice({ properties: { unitPrice: '100' } }), await shop.usagePrice()], {
    defaultTaxRate: 20,
  });
  clock = await shop.clock(START);
  subscription = await shop.subscribe(plan, { clock });
});

const day = (date: string): string => `2026-${date}T00:00:00Z`;
/** Segments from `MM-DD amount MM-DD amount MM-DD`. */
const segmentsOf = (text: string): object[] => {
  const parts = text.split(' ');
  return parts.flatMap((date, at) =>
    at % 2 === 0 && at + 2 < parts.length
      ? [{ startDate: day(date), endDate: day(parts[at + 2] as string), amount: parts[at + 1] }]
      : [],
  );
};
/** Dates from `MM-DD amount MM-DD amount`. */
const datesOf = (text: string): object[] => {
  const parts = text.split(' ');
  return parts.flatMap((date, at) => (at % 2 === 0 ? [{ date: day(date), amount: parts[at + 1] }] : []));
};
const bodyOf = (segments: string, fields: object = {}, of = subscription) => ({
  ...{ customerId: of.customerId, subscriptionId: of.id, name: 'Contract', currency: 'USD', type: 'prepaid' },
  segments: segmentsOf(segments),
  ...fields,
});
const commit = (segments: string, fields: object = {}, of = subscription): Promise<Resource> =>
  shop.create('/v0/commitments', bodyOf(segments, fields, of));
const read = ({ id }: Resource): Promise<Resource> => shop.read(`/v0/commitments/${id}`);
const creditsOf = async (of = subscription): Promise<Resource[]> =>
  (await shop.read(`/v0/customers/${of.customerId}/billingCredits?limit=100`)).data.toReversed();
/** The invoices of a kind, the oldest first. */
const invoicesOf = async (kind: 'ad_hoc' | 'subscription', of = subscription): Promise<Resource[]> =>
  (await shop.invoices(of)).filter((invoice) => invoice.kind === kind);
const amountsOf = (invoice: Resource): string[][] =>
  invoice.lines.map(({ type, totalPrice }: Resource) => [type, totalPrice]);
const periodLines = async (place: number, of = subscription) =>
  amountsOf((await invoicesOf('subscription', of))[place]);

describe('a prepaid commitment', () => {
  it('asks each segment at its start, and pays its charges with the credit of the segment', async () => {
    const made = await commit('01-01 300 02-01 200 03-01', { priority: 3 });
    expect(made).toMatchObject({
      ...{ type: 'prepaid', status: 'active', trueUp: null, invoiceAt: 'start', availableOn: 'issue', rollover: null },
      ...{ onEnd: 'owed', overrides: [] },
    });
    const [first] = await invoicesOf('ad_hoc');
    expect(first).toMatchObject({ status: 'ISSUED', subtotal: '300.00', totalTax: '60.00', grandTotal: '360.00' });
    expect(first.lines).toMatchObject([
      {
        ...{ type: 'prepayment', commitmentId: made.id, invoiceDisplayName: 'Contract: prepayment', eventType: 'fee' },
        ...{ totalPrice: '300.00', taxRate: 20, priceId: null },
      },
    ]);
    const [credit, ...others] = await creditsOf();
    expect(others).toEqual([]);
    expect(credit).toMatchObject({
      ...{ commitmentId: made.id, subscriptionId: subscription.id, invoiceId: first.id, category: 'paid' },
      ...{ source: 'commitment', amount: '300.00', priority: 3, effectiveAt: day('01-01'), expiresAt: day('02-01') },
      ...{ name: 'Contract', status: 'active', testClockId: clock.id },
    });
    expect(made.segments).toMatchObject([
      { billingCreditId: credit.id, invoiceId: first.id, amount: '300.00' },
      { billingCreditId: null, invoiceId: null },
    ]);
    await shop.use(subscription.id, day('01-10'), 50);
    await shop.advance(clock, 'P1M');
    // The fee of January and 50 calls. 150.00 of 300.00 expire with January.
    expect(await periodLines(0)).toEqual([
      ['charge', '100.00'],
      ['charge', '50.00'],
      ['billing_credit', '-100.00'],
      ['billing_credit', '-50.00'],
    ]);
    expect((await invoicesOf('ad_hoc')).map(({ subtotal }) => subtotal)).toEqual(['300.00', '200.00']);
    const credits = await creditsOf();
    expect(credits).toMatchObject([
      { usedAmount: '150.00', expiredAmount: '150.00', remaining: '0.00', status: 'expired' },
      { amount: '200.00', effectiveAt: day('02-01'), expiresAt: day('03-01') },
    ]);
    expect((await read(made)).segments).toMatchObject([
      { spent: '150.00', remaining: '150.00' },
      { spent: '100.00', billingCreditId: credits[1]?.id }, // the fee of February has begun
    ]);
    await shop.use(subscription.id, day('02-10'), 150);
    await shop.advance(clock, 'P1M');
    // 250.00, of which the credit pays 200.00.
    expect(await periodLines(1)).toEqual([
      ['charge', '100.00'],
      ['charge', '150.00'],
      ['billing_credit', '-100.00'],
      ['billing_credit', '-100.00'],
    ]);
    expect(await read(made)).toMatchObject({ status: 'ended', endedAt: null });
  });

  it('asks the dates that were agreed, whose money fills the segments in order', async () => {
    const invoiceAt = datesOf('01-01 150 01-15 100 03-01 50');
    const made = await commit('01-01 100 02-01 200 03-01', { invoiceAt });
    const windows = async () =>
      (await creditsOf()).map(({ amount, effectiveAt, expiresAt }) => [amount, effectiveAt, expiresAt]);
    const [january, february] = [
      [day('01-01'), day('02-01')],
      [day('02-01'), day('03-01')],
    ];
    expect(await windows()).toEqual([
      ['100.00', ...january],
      ['50.00', ...february],
    ]);
    const [first] = await invoicesOf('ad_hoc');
    expect(made.invoiceAt).toEqual([
      { date: day('01-01'), amount: '150.00', invoiceId: first.id },
      { date: day('01-15'), amount: '100.00', invoiceId: null },
      { date: day('03-01'), amount: '50.00', invoiceId: null },
    ]);
    await shop.advance(clock, 'P1M');
    expect((await windows()).slice(2)).toEqual([['100.00', ...february]]);
    await shop.use(subscription.id, day('02-10'), 90);
    await shop.advance(clock, 'P1M');
    // Of 190.00 in February 150.00 are paid. The last date comes when February is over, and finds 40.00 billed.
    expect((await periodLines(1)).slice(2)).toEqual([
      ['billing_credit', '-50.00'],
      ['billing_credit', '-50.00'],
      ['billing_credit', '-50.00'],
      ['billing_credit', '-40.00'],
    ]);
    expect((await invoicesOf('ad_hoc')).map(({ subtotal }) => subtotal)).toEqual(['150.00', '100.00', '50.00']);
  });
});
