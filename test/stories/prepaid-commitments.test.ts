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
  env.setNow(null);
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
    // 190.00. The last date comes with the end of February, before its invoice: its credit pays, too.
    expect((await periodLines(1)).slice(2)).toEqual([
      ['billing_credit', '-50.00'],
      ['billing_credit', '-50.00'],
      ['billing_credit', '-50.00'],
      ['billing_credit', '-40.00'],
    ]);
    expect((await invoicesOf('ad_hoc')).map(({ subtotal }) => subtotal)).toEqual(['150.00', '100.00', '50.00']);
  });
});

describe('the credit of a segment', () => {
  it('waits for the payment, if that was agreed, and pays what is not billed yet', async () => {
    const made = await commit('01-01 300 02-01 200 03-01', { availableOn: 'payment', invoiceAt: datesOf('01-01 500') });
    const [invoice] = await invoicesOf('ad_hoc');
    expect([invoice.status, await creditsOf()]).toEqual(['ISSUED', []]);
    expect(made.segments[0].billingCreditId).toBe(null);
    await shop.use(subscription.id, day('01-10'), 50);
    await shop.advance(clock, 'P20D');
    const payment = { amount: '600', method: 'bank_transfer', idempotencyKey: invoice.id };
    await shop.create(`/v2/invoices/${invoice.id}/payments`, payment);
    expect((await creditsOf()).map(({ amount }) => amount)).toEqual(['300.00', '200.00']);
    await shop.advance(clock, 'P11D');
    expect((await periodLines(0)).slice(2)).toEqual([
      ['billing_credit', '-100.00'],
      ['billing_credit', '-50.00'],
    ]);
  });

  it('carries a part of its rest over, once, and late usage burns what stayed', async () => {
    const made = await commit('01-01 300 02-01 200 03-01', { rollover: { fraction: '0.5', days: 20 } });
    expect(made.rollover).toEqual({ fraction: '0.5', days: 20 });
    await shop.use(subscription.id, day('01-10'), 50);
    await shop.advance(clock, 'P1M');
    const windows = async () =>
      (await creditsOf()).map(({ amount, effectiveAt, expiresAt, usedAmount, expiredAmount }) => [
        ...[amount, effectiveAt.slice(5, 10), expiresAt.slice(5, 10), usedAmount, expiredAmount],
      ]);
    // 300.00 − 100.00 − 50 calls: half of 150.00 goes on.
    expect((await windows()).toSorted()).toEqual([
      ['200.00', '02-01', '03-01', '0.00', '0.00'],
      ['300.00', '01-01', '02-01', '150.00', '150.00'],
      ['75.00', '02-01', '02-21', '0.00', '0.00'],
    ]);
    await shop.use(subscription.id, day('01-20'), 100);
    await shop.advance(clock, 'P1M');
    // 100 late calls of January find 75.00 of its rest. The fee of February takes 75.00 of January's part that goes on
    // first, and 25.00 of its own.
    expect((await periodLines(1)).filter(([, amount]) => amount !== '0.00')).toEqual([
      ['charge', '100.00'],
      ['billing_credit', '-75.00'],
      ['billing_credit', '-25.00'],
      ['late_usage', '100.00'],
      ['billing_credit', '-75.00'],
    ]);
    // 175.00 are left of February: 87.50 go on behind the term.
    expect((await windows()).toSorted()).toEqual([
      ['200.00', '02-01', '03-01', '25.00', '175.00'],
      ['300.00', '01-01', '02-01', '225.00', '75.00'],
      ['75.00', '02-01', '02-21', '75.00', '0.00'],
      ['87.50', '03-01', '03-21', '0.00', '0.00'],
    ]);
  });

  it('begins on 31 January, in yen and in dinars too', async () => {
    const end31 = await shop.clock(day('01-31'));
    const fee = await shop.feePrice({ properties: { unitPrice: '1001' } });
    const yen = await shop.subscribe(await shop.plan([fee], { currency: 'JPY', defaultTaxRate: 10 }), { clock: end31 });
    const rollover = { fraction: '0.5', days: 31 };
    await commit('01-31 3000 02-28 1000 03-31', { currency: 'JPY', rollover }, yen);
    const [asked] = await invoicesOf('ad_hoc', yen);
    expect([asked.subtotal, asked.totalTax]).toEqual(['3000', '300']);
    await shop.advance(end31, day('02-28'));
    expect(await periodLines(0, yen)).toEqual([
      ['charge', '1001'],
      ['billing_credit', '-1001'],
    ]);
    // Half of 1,999 is 999.5.
    expect((await creditsOf(yen)).map(({ amount }) => amount).toSorted()).toEqual(['1000', '1000', '3000']);

    const dinars = await shop.clock(START);
    const small = await shop.feePrice({ properties: { unitPrice: '0.125' } });
    const of = await shop.subscribe(await shop.plan([small], { currency: 'KWD' }), { clock: dinars });
    await commit('01-01 0.500 02-01', { currency: 'KWD', rollover: { fraction: '0.3333', days: 1 } }, of);
    await shop.advance(dinars, 'P1M');
    // 0.3333 of 0.375 is 0.1249875.
    expect((await creditsOf(of)).map(({ amount }) => amount)).toEqual(['0.500', '0.125']);
  });
});

describe('money that comes at any time', () => {
  it('fills segments in their order, also where two dates are paid at once', async () => {
    const fields = { availableOn: 'payment', invoiceAt: datesOf('01-01 120 01-01 130 01-01 250') };
    await commit('01-01 300 02-01 200 03-01', fields);
    const dates = await invoicesOf('ad_hoc');
    expect(dates.map(({ subtotal }) => subtotal).toSorted()).toEqual(['120.00', '130.00', '250.00']);
    const pay = ({ id, grandTotal: amount }: Resource) =>
      shop.create(`/v2/invoices/${id}/payments`, { amount, method: 'bank_transfer', idempotencyKey: id });
    const [last, ...others] = dates.toSorted((a, b) => Number(b.subtotal) - Number(a.subtotal)) as [Resource];
    await pay(last); // 250.00 of January
    await Promise.all(others.map(pay));
    const sumOf = async (start: string) =>
      (await creditsOf())
        .filter(({ effectiveAt }) => effectiveAt === day(start))
        .reduce((total, { amount }) => total + Number(amount) * 100, 0);
    expect([await sumOf('01-01'), await sumOf('02-01')]).toEqual([30_000, 20_000]);
  });

  it('waits for the approval of a draft; one that an end finds is cancelled', async () => {
    const strict = await shop.plan([await shop.feePrice({ properties: { unitPrice: '100' } })], { autoApprove: false });
    const of = await shop.subscribe(strict, { clock });
    const made = await commit('01-01 310 02-01 100 03-01', { onEnd: 'prorated' }, of);
    const [draft] = await invoicesOf('ad_hoc', of);
    expect([draft.status, await creditsOf(of)]).toEqual(['DRAFT', []]);
    await shop.act(`/v2/invoices/${draft.id}/approve`);
    expect(await creditsOf(of)).toMatchObject([{ amount: '310.00' }]);

    const other = await commit('01-01 620 02-01', { onEnd: 'prorated' }, of);
    await shop.advance(clock, 'P10D');
    await shop.act(`/v0/commitments/${made.id}/end`, {});
    await shop.act(`/v0/commitments/${other.id}/end`, {});
    // 10 of 31 days are 100.00 of 310.00: the fee of January is as much. Of the draft over 620.00 nothing is asked.
    expect((await invoicesOf('ad_hoc', of)).map(({ status, unpaidAmount }) => [status, unpaidAmount])).toEqual([
      ['ISSUED', '100.00'],
      ['CANCELLED', '620.00'],
    ]);
  });

  it('is of who pays for the customer, and the credit of the customer', async () => {
    const payer = await shop.customer();
    await shop.change(`/v0/customers/${subscription.customerId}`, { payerId: payer.id });
    await commit('01-01 300 02-01');
    const [asked] = await invoicesOf('ad_hoc');
    expect(asked).toMatchObject({ customerId: subscription.customerId, payerId: payer.id });
    expect(await creditsOf()).toMatchObject([{ customerId: subscription.customerId, amount: '300.00' }]);
    await shop.advance(clock, 'P1M');
    expect(await periodLines(0)).toContainEqual(['billing_credit', '-100.00']);
  });

  it('is asked on the wall clock, too', async () => {
    const now = Temporal.Instant.from('2026-06-01T00:00:00Z');
    env.setNow(now.toString());
    const of = await shop.subscribe(plan, { startedAt: now.toString() });
    const [start, end] = [now.add({ hours: 24 }).toString(), now.add({ hours: 72 }).toString()];
    const segments = [{ startDate: start, endDate: end, amount: '50' }];
    await commit('01-01 1 02-01', { segments, rollover: { fraction: '1', days: 2 } }, of);
    expect(await invoicesOf('ad_hoc', of)).toEqual([]);
    env.setNow(start);
    await env.runDueWork();
    expect((await invoicesOf('ad_hoc', of)).map(({ subtotal }) => subtotal)).toEqual(['50.00']);
    env.setNow(end);
    await env.runDueWork();
    await env.runDueWork();
    const credits = (await creditsOf(of)).map(({ amount, effectiveAt }) => [amount, effectiveAt]);
    expect(credits).toEqual([
      ['50.00', start],
      ['50.00', end],
    ]);
  });
});

describe('an early end of a prepaid commitment', () => {
  const end = ({ id }: Resource) => merchant.post(`/v0/commitments/${id}/end`, { reason: 'Agreed' });
  const wallet = async () =>
    (await shop.read(`/v0/customers/${subscription.customerId}/wallet`)).balances[0]?.balance ?? '0.00';

  it('asks all dates now, if it is owed, and the credits stay', async () => {
    const made = await commit('01-01 300 02-01 200 03-01', { onEnd: 'owed' });
    await shop.advance(clock, 'P20D');
    const answers = await Promise.all([end(made), end(made)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect((await invoicesOf('ad_hoc')).map(({ subtotal }) => subtotal)).toEqual(['300.00', '200.00']);
    expect(await read(made)).toMatchObject({ status: 'ended', endedAt: day('01-21') });
    await shop.advance(clock, day('03-01'));
    expect((await invoicesOf('ad_hoc')).length).toBe(2);
    expect(await periodLines(1)).toContainEqual(['billing_credit', '-100.00']);
  });

  it('asks no more, if it is waived, and the credits that are asked stay', async () => {
    const made = await commit('01-01 300 02-01 200 03-01', { onEnd: 'waived' });
    await shop.advance(clock, 'P20D');
    expect((await end(made)).status).toBe(200);
    await shop.use(subscription.id, day('01-25'), 30);
    await shop.advance(clock, day('03-01'));
    expect((await invoicesOf('ad_hoc')).map(({ subtotal }) => subtotal)).toEqual(['300.00']);
    expect((await periodLines(0)).slice(2)).toEqual([
      ['billing_credit', '-100.00'],
      ['billing_credit', '-30.00'],
    ]);
    expect((await periodLines(1)).map(([type]) => type)).toEqual(['charge', 'charge']);
  });

  it('is prorated: what is asked comes to the part that is over, and the credits end', async () => {
    const made = await commit('01-01 1000 04-11', { onEnd: 'prorated' });
    await shop.use(subscription.id, day('01-10'), 30);
    await shop.advance(clock, 'P20D');
    expect((await end(made)).status).toBe(200);
    // 20 of 100 days are 200.00, more than the 130.00 that are used. 800.00 and their tax of 160.00 are off.
    const [invoice] = await invoicesOf('ad_hoc');
    expect(invoice).toMatchObject({ grandTotal: '1200.00', unpaidAmount: '240.00' });
    await shop.use(subscription.id, day('01-25'), 10);
    await shop.use(subscription.id, day('01-11'), 90);
    await shop.advance(clock, 'P11D');
    // 130 calls, of which 10 come behind the end. 70.00 were left after 130.00, and 20 of the late calls find nothing.
    expect(await periodLines(0)).toEqual([
      ['charge', '100.00'],
      ['charge', '130.00'],
      ['billing_credit', '-100.00'],
      ['billing_credit', '-100.00'],
    ]);
    expect(await creditsOf()).toMatchObject([{ voidedAt: day('01-21'), usedAmount: '200.00', voidedAmount: '800.00' }]);
  });

  it('gives money that was paid into the wallet, and never what the credits paid', async () => {
    const made = await commit('01-01 1000 04-11', { onEnd: 'prorated' });
    const [invoice] = await invoicesOf('ad_hoc');
    await shop.pay(invoice);
    await shop.use(subscription.id, day('01-05'), 150);
    await shop.advance(clock, 'P10D');
    expect((await end(made)).status).toBe(200);
    // 10 of 100 days are 100.00; the fee and 150 calls are 250.00. 750.00 and 150.00 of tax go back.
    expect(await wallet()).toBe('900.00');
    await shop.advance(clock, 'P21D');
    expect((await invoicesOf('subscription'))[0].subtotal).toBe('0.00');
  });

  it('asks what is missing to the part that is over', async () => {
    const made = await commit('01-01 1000 04-11', { onEnd: 'prorated', invoiceAt: datesOf('04-11 1000') });
    await shop.use(subscription.id, day('01-10'), 30);
    await shop.advance(clock, 'P20D');
    expect(await creditsOf()).toEqual([]);
    expect((await end(made)).status).toBe(200);
    expect((await invoicesOf('ad_hoc')).map(({ subtotal }) => subtotal)).toEqual(['200.00']);
    expect(await creditsOf()).toMatchObject([{ amount: '200.00', effectiveAt: day('01-01'), expiresAt: day('01-21') }]);
    await shop.advance(clock, 'P11D');
    expect((await periodLines(0)).slice(2)).toEqual([
      ['billing_credit', '-100.00'],
      ['billing_credit', '-30.00'],
    ]);
  });

  it('comes with the end of the subscription, also one that was planned', async () => {
    const made = await commit('01-01 1000 04-11', { onEnd: 'prorated', invoiceAt: datesOf('01-01 400 03-01 600') });
    await shop.change(`/v0/subscriptions/${subscription.id}`, { endingAt: day('02-10') });
    await shop.advance(clock, day('03-10'));
    expect(await read(made)).toMatchObject({ status: 'ended', endedAt: day('02-10') });
    // 40 of 100 days are 400.00: as much as was asked.
    expect((await invoicesOf('ad_hoc')).map(({ subtotal, unpaidAmount }) => [subtotal, unpaidAmount])).toEqual([
      ['400.00', '480.00'],
    ]);
    expect(await creditsOf()).toMatchObject([{ voidedAt: day('02-10'), expiresAt: day('04-11') }]);
  });
});

describe('a prepaid commitment of all subscriptions of a customer', () => {
  it('pays each of them, and those of customers for which it pays', async () => {
    const { customerId } = subscription;
    const second = await shop.subscribe(plan, { clock, customer: { id: customerId } });
    const child = await shop.subscribe(plan, { clock, customer: await shop.customer({ payerId: customerId }) });
    const made = await commit('01-01 250 02-01 300 03-01', { subscriptionId: null });
    expect(made).toMatchObject({ subscriptionId: null, testClockId: clock.id, customerId });
    const [credit] = await creditsOf();
    expect(credit).toMatchObject({ subscriptionId: null, amount: '250.00', commitmentId: made.id });
    // No plan says its tax, nor do customer and merchant.
    const asked = await shop.invoice(made.segments[0].invoiceId);
    expect(asked).toMatchObject({ kind: 'ad_hoc', subscriptionId: null, subtotal: '250.00', totalTax: '0.00' });
    await shop.advance(clock, 'P1M');
    const used = async (of: Resource) =>
      (await periodLines(0, of)).filter(([type]) => type === 'billing_credit').map(([, amount]) => amount);
    // Three fees of 100.00, and 250.00. The older subscription of a customer comes first.
    const [first, ...others] = [await used(subscription), await used(second), await used(child)];
    expect(first).toEqual(['-100.00']);
    expect(others.flat().toSorted()).toEqual(['-100.00', '-50.00']);
    // The fees of February have begun.
    expect((await read(made)).segments).toMatchObject([
      { spent: '300.00', remaining: '0.00' },
      { spent: '300.00', remaining: '0.00' },
    ]);
    const refund = await merchant.post(`/v2/invoices/${asked.id}/cancel`, {});
    expect([refund.status, refund.body.code]).toEqual([409, 'WALLET_SPENT']);
  });

  it('ends by a request alone', async () => {
    const made = await commit('01-01 310 02-01', { subscriptionId: null, onEnd: 'prorated' });
    await shop.advance(clock, 'P15D');
    await shop.change(`/v0/subscriptions/${subscription.id}`, { terminatedAt: day('01-16') });
    expect((await read(made)).status).toBe('active');
    await shop.advance(clock, 'P5D');
    const ended = await shop.act(`/v0/commitments/${made.id}/end`, {});
    expect(ended).toMatchObject({ status: 'ended', endedAt: day('01-21') });
    // 20 of 31 days are 200.00; the fee until 16 January is 48.39.
    expect(await shop.invoice(made.segments[0].invoiceId)).toMatchObject({ unpaidAmount: '200.00' });
    expect(await creditsOf()).toMatchObject([{ voidedAt: day('01-21') }]);
  });
});

describe('the invoice of a date that is given back', () => {
  it('undoes its credits, and makes them again where the refund is void', async () => {
    await commit('02-01 300 03-01', { invoiceAt: datesOf('01-01 300') });
    const [invoice] = await invoicesOf('ad_hoc');
    await shop.pay(invoice);
    const refund = await shop.create(`/v2/invoices/${invoice.id}/refunds`, {});
    expect(await creditsOf()).toMatchObject([{ status: 'voided', voidedAmount: '300.00' }]);
    await shop.act(`/v2/invoices/${invoice.id}/refunds/${refund.id}/void`, {});
    expect((await creditsOf()).map(({ status, amount }) => [status, amount])).toEqual([
      ['voided', '300.00'],
      ['scheduled', '300.00'],
    ]);
    await shop.advance(clock, 'P2M');
    expect(await periodLines(1)).toContainEqual(['billing_credit', '-100.00']);
    const spent = await merchant.post(`/v2/invoices/${invoice.id}/refunds`, {});
    expect([spent.status, spent.body.code]).toEqual([409, 'WALLET_SPENT']);
  });

  it('is refused where an open period uses them', async () => {
    await commit('01-01 300 02-01');
    const [invoice] = await invoicesOf('ad_hoc');
    // The fee of January has begun.
    const cancelled = await merchant.post(`/v2/invoices/${invoice.id}/cancel`, { reason: 'A mistake' });
    expect([cancelled.status, cancelled.body.code]).toEqual([409, 'WALLET_SPENT']);
    expect(cancelled.body.details).toMatchObject({ used: '100', amount: '300' });
  });

  it('is cancelled, and is not asked for again', async () => {
    const made = await commit('02-01 300 03-01', { invoiceAt: datesOf('01-01 300') });
    const [invoice] = await invoicesOf('ad_hoc');
    await shop.act(`/v2/invoices/${invoice.id}/cancel`, { reason: 'A mistake' });
    await shop.advance(clock, 'P2M');
    expect(await creditsOf()).toMatchObject([{ status: 'voided' }]);
    expect((await invoicesOf('ad_hoc')).length).toBe(1);
    expect((await read(made)).segments[0].billingCreditId).toBe(null);
  });

  it('is unpaid again, and its credits wait for the next payment', async () => {
    await commit('02-01 300 03-01', { invoiceAt: datesOf('01-01 300'), availableOn: 'payment' });
    const [invoice] = await invoicesOf('ad_hoc');
    const pay = (idempotencyKey: string) =>
      shop.create(`/v2/invoices/${invoice.id}/payments`, {
        ...{ amount: '360', method: 'bank_transfer', idempotencyKey },
      });
    const payment = await pay('first');
    await shop.act(`/v2/invoices/${invoice.id}/payments/${payment.id}/reverse`, {
      ...{ reason: 'It came back', idempotencyKey: 'back' },
    });
    expect((await creditsOf()).map(({ status }) => status)).toEqual(['voided']);
    await pay('second');
    expect((await creditsOf()).map(({ status }) => status)).toEqual(['voided', 'scheduled']);
    await shop.advance(clock, 'P2M');
    const again = await shop.read(`/v2/invoices/${invoice.id}/payments`);
    const last = again.data.find(({ status }: Resource) => status === 'completed');
    const spent = await merchant.post(`/v2/invoices/${invoice.id}/payments/${last.id}/reverse`, {
      ...{ reason: 'It came back', idempotencyKey: 'again' },
    });
    expect([spent.status, spent.body.code]).toEqual([409, 'WALLET_SPENT']);
  });

  it('takes no partial credit note', async () => {
    await commit('02-01 300 03-01', { invoiceAt: datesOf('01-01 300') });
    const [{ id, lines }] = await invoicesOf('ad_hoc');
    const note = await merchant.post(`/v2/invoices/${id}/creditNotes`, {
      ...{ lines: [{ lineItemId: lines[0].id, amount: '100' }], reason: 'Fault', idempotencyKey: id },
    });
    expect([note.status, note.body.errors?.[0]?.field]).toEqual([400, 'lines.0.lineItemId']);
  });
});

describe('a prepaid commitment that is refused', () => {
  it.each<[string, object, string]>([
    ['dates of another sum', { invoiceAt: datesOf('01-01 2') }, 'invoiceAt'],
    ['a date of nothing', { invoiceAt: datesOf('01-01 0') }, 'invoiceAt.0.amount'],
    ['too many digits of a date', { invoiceAt: datesOf('01-01 0.501 01-02 0.499') }, 'invoiceAt.0.amount'],
    ['another word', { invoiceAt: 'end' }, 'invoiceAt'],
    ['a true-up', { trueUp: 'segment' }, 'trueUp'],
    ['more than the rest', { rollover: { fraction: '1.1', days: 30 } }, 'rollover.fraction'],
    ['no days', { rollover: { fraction: '1', days: 0 } }, 'rollover.days'],
    ['dates of a postpaid one', { type: 'postpaid', invoiceAt: 'start' }, 'invoiceAt'],
    ['a rollover of a postpaid one', { type: 'postpaid', rollover: { fraction: '1', days: 1 } }, 'rollover'],
    ['availableOn of a postpaid one', { type: 'postpaid', availableOn: 'issue' }, 'availableOn'],
  ])('names %s', async (_, fields, field) => {
    const answer = await merchant.post('/v0/commitments', bodyOf('01-01 1 02-01', fields));
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, field]);
  });

  it('may say null for what the other type has', async () => {
    const postpaid = { type: 'postpaid', invoiceAt: null, availableOn: null, rollover: null };
    expect((await commit('01-01 1 02-01', postpaid)).trueUp).toBe('segment');
    expect((await commit('01-01 1 02-01', { trueUp: null, invoiceAt: null })).invoiceAt).toBe('start');
  });
});

it('comes out the same from the events, and holds what the auditor asks', async () => {
  expect((await recomputeDatabase(env.url)).differing).toEqual([]);
  expect((await auditDatabase(env.url)).violations).toEqual([]);
});
