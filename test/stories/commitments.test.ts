import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Commitments over a term (commercial.md §4). Amounts are worked by hand: a month costs 100.00, a call 1.00. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let fee: Resource;
let calls: Resource;
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
  fee = await shop.feePrice({ properties: { unitPrice: '100' } });
  calls = await shop.usagePrice();
  plan = await shop.plan([fee, calls]);
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
const bodyOf = (segments: string, fields: object = {}, of = subscription) => ({
  ...{ customerId: of.customerId, subscriptionId: of.id, name: 'Contract', currency: 'USD', type: 'postpaid' },
  segments: segmentsOf(segments),
  ...fields,
});
const commit = (segments: string, fields: object = {}, of = subscription): Promise<Resource> =>
  shop.create('/v0/commitments', bodyOf(segments, fields, of));
const read = ({ id }: Resource): Promise<Resource> => shop.read(`/v0/commitments/${id}`);
const invoiceOf = async (place: number, of = subscription): Promise<Resource> => (await shop.invoices(of))[place];
const linesOf = async (place: number, of = subscription) =>
  ((await invoiceOf(place, of)).lines as Resource[]).map(({ type, totalPrice }) => [type, totalPrice]);

describe('what is missing to a commitment', () => {
  it('is a line of the invoice with which its segment ends', async () => {
    const made = await commit('01-01 500 04-01 100 05-01');
    expect(made).toMatchObject({ object: 'commitment', status: 'active', trueUp: 'segment', onEnd: 'owed' });
    await shop.use(subscription.id, day('02-10'), 20);
    await shop.advance(clock, 'P3M');
    // 3 × 100.00 and 20 calls: 500.00 − 320.00.
    expect(await linesOf(1)).toEqual([
      ['charge', '100.00'],
      ['charge', '20.00'],
    ]);
    const march = await invoiceOf(2);
    expect(await linesOf(2)).toEqual([
      ['charge', '100.00'],
      ['charge', '0.00'],
      ['true_up', '180.00'],
    ]);
    expect(march.lines.at(-1)).toMatchObject({
      ...{ commitmentId: made.id, invoiceDisplayName: 'Contract: true-up', eventType: 'fee', priceId: null },
      ...{ periodStart: day('01-01'), periodEnd: day('04-01') },
    });
    expect(march.lines[0].commitmentId).toBe(null);
    const explained = await shop.read(`/v2/invoices/${march.id}/explain`);
    expect(explained.lines.at(-1)).toMatchObject({
      workings: {
        trueUp: { commitmentId: made.id, segment: 0 },
        limit: { amount: '500', reached: '320' },
      },
    });
    expect(march.subtotal).toBe('280.00');
    expect((await read(made)).segments).toMatchObject([
      { amount: '500.00', spent: '320.00', remaining: '180.00', shortfall: '180.00', invoiceId: march.id },
      // The service of April has begun.
      { amount: '100.00', spent: '100.00', invoiceId: null },
    ]);
    await shop.advance(clock, 'P1M');
    // The fee of April is all of its amount.
    expect((await invoiceOf(3)).subtotal).toBe('100.00');
    expect((await read(made)).status).toBe('ended');
  });

  it('counts usage by its own time and fees where their service begins, also within a period', async () => {
    const made = await commit('01-01 150 01-15 50 02-01 10 02-15');
    await shop.use(subscription.id, day('01-05'), 10);
    await shop.use(subscription.id, day('01-20'), 20);
    await shop.advance(clock, 'P1M');
    // 150.00 − 100.00 − 10 calls, and 50.00 − 20 calls.
    expect(await linesOf(0)).toEqual([
      ['charge', '100.00'],
      ['charge', '30.00'],
      ['true_up', '40.00'],
      ['true_up', '30.00'],
    ]);
    expect((await read(made)).segments.map(({ spent }: Resource) => spent)).toEqual(['110.00', '20.00', '100.00']);
  });

  it('counts the minimum of a price at the end of its period, also that of a fee', async () => {
    const least = await shop.plan([await shop.feePrice({ properties: { unitPrice: '10' }, minimumAmount: '15' })]);
    const own = await shop.subscribe(least, { clock });
    const made = await commit('01-01 50 01-15 50 02-01', {}, own);
    await shop.advance(clock, 'P1M');
    expect((await read(made)).segments.map(({ spent }: Resource) => spent)).toEqual(['10.00', '5.00']);
    expect((await linesOf(0, own)).slice(2)).toEqual([
      ['true_up', '40.00'],
      ['true_up', '45.00'],
    ]);
  });

  it('is asked once where the term has one amount', async () => {
    const made = await commit('01-01 150 02-01 300 03-01', { trueUp: 'term' });
    await shop.use(subscription.id, day('02-05'), 10);
    await shop.advance(clock, 'P2M');
    expect((await linesOf(0)).map(([type]) => type)).toEqual(['charge', 'charge']);
    // 450.00 − 2 × 100.00 − 10 calls.
    expect((await linesOf(1)).at(-1)).toEqual(['true_up', '240.00']);
    const { id } = await invoiceOf(1);
    expect((await read(made)).segments).toMatchObject([
      { spent: '100.00', shortfall: '50.00', invoiceId: null },
      { spent: '110.00', shortfall: '190.00', invoiceId: id },
    ]);
  });

  it('is nothing where enough is spent', async () => {
    await commit('01-01 100 02-01');
    await shop.advance(clock, 'P1M');
    expect((await linesOf(0)).map(([type]) => type)).toEqual(['charge', 'charge']);
  });

  it('is lowered by a credit for late usage, at most to nothing', async () => {
    await commit('01-01 150 02-01');
    await shop.use(subscription.id, day('01-05'), 10);
    await shop.advance(clock, 'P1M');
    expect((await linesOf(0)).at(-1)).toEqual(['true_up', '40.00']);
    await shop.use(subscription.id, day('01-20'), 5);
    await shop.advance(clock, 'P1M');
    expect(await linesOf(1)).toEqual([
      ['charge', '100.00'],
      ['charge', '0.00'],
      ['true_up', '-5.00'],
      ['late_usage', '5.00'],
    ]);
    await shop.use(subscription.id, day('01-21'), 50);
    await shop.advance(clock, 'P1M');
    // 65 calls: 15.00 more than the amount. 35.00 of the 40.00 were left.
    expect((await linesOf(2)).filter(([, amount]) => amount !== '0.00')).toEqual([
      ['charge', '100.00'],
      ['true_up', '-35.00'],
      ['late_usage', '50.00'],
    ]);
  });

  it('does not go back twice: not by late usage and a credit note or a refund', async () => {
    await commit('01-01 150 02-01');
    await shop.advance(clock, 'P1M');
    const january = await invoiceOf(0);
    await shop.pay(january);
    await shop.use(subscription.id, day('01-20'), 45);
    await shop.advance(clock, 'P1M');
    expect((await linesOf(1)).slice(2)).toEqual([
      ['true_up', '-45.00'],
      ['late_usage', '45.00'],
    ]);
    const refund = await merchant.post(`/v2/invoices/${january.id}/refunds`, {});
    expect([refund.status, refund.body.code]).toEqual([400, 'INVOICE_ALREADY_REFUNDED']);
    const note = (amount: string) =>
      merchant.post(`/v2/invoices/${january.id}/creditNotes`, {
        ...{ lines: [{ lineItemId: january.lines.at(-1).id, amount }], reason: 'Fault', idempotencyKey: amount },
      });
    expect((await note('6')).body.errors?.[0]?.field).toBe('lines.0.amount');
    expect((await note('5')).status).toBe(201);
    await shop.use(subscription.id, day('01-21'), 10);
    await shop.advance(clock, 'P1M');
    // 155.00 are spent, but nothing is left to give back.
    expect((await linesOf(2)).slice(2)).toEqual([['late_usage', '10.00']]);
  });

  it('counts late usage where it belongs, when a segment ends within the period', async () => {
    await commit('01-01 150 01-15 50 02-01');
    await shop.advance(clock, 'P1M');
    expect((await linesOf(0)).slice(2)).toEqual([
      ['true_up', '50.00'],
      ['true_up', '50.00'],
    ]);
    await shop.use(subscription.id, day('01-05'), 10);
    await shop.use(subscription.id, day('01-20'), 20);
    await shop.advance(clock, 'P1M');
    expect((await linesOf(1)).slice(2)).toEqual([
      ['true_up', '-10.00'],
      ['true_up', '-20.00'],
      ['late_usage', '30.00'],
    ]);
  });

  it('rises by a credit note: what is credited is not spent', async () => {
    await commit('01-01 150 02-01');
    await shop.advance(clock, 'P1M');
    const january = await invoiceOf(0);
    await shop.create(`/v2/invoices/${january.id}/creditNotes`, {
      ...{ lines: [{ lineItemId: january.lines[0].id, amount: '10' }], reason: 'Fault', idempotencyKey: january.id },
    });
    await shop.advance(clock, 'P1M');
    expect((await linesOf(1)).at(-1)).toEqual(['true_up', '10.00']);
  });

  it('is measured after coupons, and the minimum of the plan counts', async () => {
    const of = await shop.subscribe(await shop.plan([fee], { minimumAmount: '80', defaultTaxRate: 20 }), { clock });
    const coupon = await shop.create('/v0/coupons', { name: 'Half', percentOff: '0.5', duration: 'forever' });
    await shop.create(`/v0/subscriptions/${of.id}/coupons`, { couponId: coupon.id });
    await commit('01-01 150 02-01', {}, of);
    await shop.advance(clock, 'P1M');
    // 100.00 reaches the minimum of 80.00 before the coupon. Spent: 50.00, missing: 100.00; tax: 20 % of 150.00.
    expect(await linesOf(0, of)).toEqual([
      ['charge', '100.00'],
      ['coupon', '-50.00'],
      ['true_up', '100.00'],
    ]);
    const { subtotal, totalTax } = await invoiceOf(0, of);
    expect([subtotal, totalTax]).toEqual(['150.00', '30.00']);
    const low = await shop.subscribe(await shop.plan([fee], { minimumAmount: '130' }), {
      clock: await shop.clock(START),
    });
    await commit('01-01 150 02-01', {}, low);
    await shop.advance(await shop.read(`/v0/testClocks/${low.testClockId}`), 'P1M');
    expect(await linesOf(0, low)).toEqual([
      ['charge', '100.00'],
      ['commitment', '30.00'],
      ['true_up', '20.00'],
    ]);
  });

  it('is net of tax, also under inclusive prices', async () => {
    const gross = await shop.feePrice({ properties: { unitPrice: '120' } });
    const of = await shop.subscribe(await shop.plan([gross], { taxBehavior: 'inclusive', defaultTaxRate: 20 }), {
      clock,
    });
    await commit('01-01 150 02-01', {}, of);
    await shop.advance(clock, 'P1M');
    // 120.00 holds 20.00 of tax: 50.00 is missing, and 10.00 is its tax.
    const { lines, subtotal, totalTax } = await invoiceOf(0, of);
    expect(lines[1]).toMatchObject({ type: 'true_up', totalPrice: '50.00', totalTax: '10.00' });
    expect([subtotal, totalTax]).toEqual(['150.00', '30.00']);
  });

  it('is paid by billing credits as a line, and what they pay is spent', async () => {
    await commit('01-01 150 02-01');
    await shop.create(`/v0/customers/${subscription.customerId}/billingCredits`, {
      ...{ name: 'Welcome', amount: '120', currency: 'USD', idempotencyKey: 'for a true-up' },
    });
    await shop.advance(clock, 'P1M');
    expect((await linesOf(0)).filter(([, amount]) => amount !== '0.00')).toEqual([
      ['charge', '100.00'],
      ['true_up', '50.00'],
      ['billing_credit', '-100.00'],
      ['billing_credit', '-20.00'],
    ]);
  });

  it('leaves out what the commitment is not for', async () => {
    await commit('01-01 150 02-01', { appliesTo: { billableMetricIds: [calls.billableMetricId] } });
    await shop.use(subscription.id, day('01-05'), 10);
    await shop.advance(clock, 'P1M');
    expect((await linesOf(0)).at(-1)).toEqual(['true_up', '140.00']);
  });

  it('counts for one commitment at a time, the lowest priority first', async () => {
    const last = await commit('01-01 60 02-01', { priority: 1, name: 'Last' });
    const first = await commit('01-01 80 02-01', { priority: 0, name: 'First' });
    await shop.use(subscription.id, day('01-05'), 10);
    await shop.advance(clock, 'P1M');
    // 110.00: 80.00 for the first, 30.00 for the other one.
    expect((await invoiceOf(0)).lines.at(-1)).toMatchObject({ commitmentId: last.id, totalPrice: '30.00' });
    expect((await linesOf(0)).length).toBe(3);
    const spent = async (of: Resource) => (await read(of)).segments[0].spent;
    expect([await spent(first), await spent(last)]).toEqual(['80.00', '30.00']);
  });

  it('asks all series that end by then first', async () => {
    const weekly = await shop.feePrice({ properties: { unitPrice: '7' }, billingCadence: 'P1W' });
    const of = await shop.subscribe(await shop.plan([fee, weekly]), { clock });
    await commit('01-01 150 01-29 30 02-01', {}, of);
    await shop.advance(clock, 'P1M');
    // 100.00 and four weeks of 7.00. The fifth week begins on 29 January, and is billed on 5 February.
    const monthly = (await shop.invoices(of)).find(({ lines }: Resource) =>
      lines.some(({ type }: Resource) => type === 'true_up'),
    );
    expect(monthly.lines.map(({ totalPrice }: Resource) => totalPrice)).toEqual(['100.00', '22.00', '30.00']);
    await shop.advance(clock, 'P1M');
    const amounts = (await shop.invoices(of)).flatMap(({ lines }: Resource) =>
      lines.flatMap(({ type, totalPrice }: Resource) => (type === 'true_up' ? [totalPrice] : [])),
    );
    expect(amounts).toEqual(['22.00', '30.00', '-7.00']);
  });
});

describe('an early end', () => {
  const end = ({ id }: Resource): Promise<Resource> => shop.act(`/v0/commitments/${id}/end`, { reason: 'Agreed' });
  /** Ends a commitment of 59 and 31 days on 11 January, with 10 calls before and 20 after. */
  const ended = async (onEnd: string, fields: object = {}) => {
    const made = await commit('01-01 1180 03-01 300 04-01', { onEnd, ...fields });
    await shop.use(subscription.id, day('01-05'), 10);
    await shop.use(subscription.id, day('01-20'), 20);
    await shop.advance(clock, 'P10D');
    const over = await end(made);
    expect(over).toMatchObject({ status: 'ended', endedAt: day('01-11') });
    await shop.advance(clock, day('02-01'));
    return { made, trueUps: (await linesOf(0)).slice(2).map(([, amount]) => amount) };
  };

  it('asks the rest of all segments, if it is owed', async () => {
    const { made, trueUps } = await ended('owed');
    // 1,180.00 − 100.00 − 10 calls; nothing can be spent for the second one.
    expect(trueUps).toEqual(['1070.00', '300.00']);
    const again = await merchant.post(`/v0/commitments/${made.id}/end`, {});
    expect([again.status, again.body.code]).toEqual([409, 'INVALID_TRANSITION']);
    const late = await merchant.patch(`/v0/commitments/${made.id}`, { onEnd: 'waived' });
    expect([late.status, late.body.code]).toEqual([409, 'INVALID_TRANSITION']);
  });

  it('asks the part that is over, if it is prorated', async () => {
    // 10 of 59 days: 200.00 − 110.00.
    expect((await ended('prorated')).trueUps).toEqual(['90.00']);
  });

  it('asks nothing, if it is waived', async () => {
    expect((await ended('waived')).trueUps).toEqual([]);
  });

  it('asks of a term what is missing to all of it', async () => {
    // 1,480.00 − 110.00.
    expect((await ended('owed', { trueUp: 'term' })).trueUps).toEqual(['1370.00']);
  });

  it('comes with the end of the subscription', async () => {
    const made = await commit('01-01 500 04-01');
    await shop.use(subscription.id, day('01-05'), 10);
    await shop.advance(clock, 'P10D');
    await shop.change(`/v0/subscriptions/${subscription.id}`, { terminatedAt: day('01-11') });
    await shop.advance(clock, 'P3D');
    // 10 of 31 days: 32.26. 500.00 − 32.26 − 10.00.
    expect(await linesOf(0)).toEqual([
      ['charge', '32.26'],
      ['charge', '10.00'],
      ['true_up', '457.74'],
    ]);
    expect(await read(made)).toMatchObject({ status: 'ended', endedAt: day('01-11') });
    await shop.use(subscription.id, day('01-06'), 20);
    await shop.advance(clock, 'P40D');
    expect((await linesOf(1)).toSorted()).toEqual([
      ['late_usage', '20.00'],
      ['true_up', '-20.00'],
    ]);
  });

  it('counts what a coupon has back with the credit note of an end', async () => {
    const quarter = await shop.feePrice({
      ...{ paymentTerm: 'in_advance', billingCadence: 'P3M', properties: { unitPrice: '90' } },
    });
    const of = await shop.subscribe(await shop.plan([quarter]), { clock, bankTransferOnly: true });
    const all = { name: 'All', percentOff: '1', duration: 'forever', minimumAmount: '10', currency: 'USD' };
    const coupon = await shop.create('/v0/coupons', all);
    await shop.create(`/v0/subscriptions/${of.id}/coupons`, { couponId: coupon.id, from: day('04-01') });
    const [upfront] = (await shop.invoices(of)).filter(({ kind }) => kind === 'upfront');
    await shop.create(`/v2/invoices/${upfront?.id}/payments`, {
      ...{ amount: '90.00', method: 'bank_transfer', idempotencyKey: 'quarter' },
    });
    const made = await commit('01-01 1000 08-01', {}, of);
    await shop.advance(clock, day('05-01'));
    await shop.act(`/v0/subscriptions/${of.id}/termination`, { reason: 'x', credit: 'wallet' });
    await shop.advance(clock, day('05-02'));
    // 90.00 of the first three months; of the second ones nothing, before the end and after it.
    expect((await read(made)).segments).toMatchObject([{ spent: '90.00' }]);
  });

  it('as of the past, behind the last invoice, makes an invoice for what is missing', async () => {
    await commit('01-01 500 04-01');
    await shop.use(subscription.id, day('01-10'), 20);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    await shop.advance(clock, 'PT1H');
    const before = (await shop.invoices(subscription)).length;
    await shop.change(`/v0/subscriptions/${subscription.id}`, { terminatedAt: day('02-01') });
    await shop.advance(clock, 'PT1H');
    // January was 100.00 and 20 calls, and its invoice is issued. February is taken back: 500.00 − 120.00.
    const asked = (await shop.invoices(subscription)).filter(({ kind }: Resource) => kind === 'ad_hoc');
    expect(asked.map(({ lines, status }: Resource) => [status, lines[0].type, lines[0].totalPrice])).toEqual([
      ['ISSUED', 'true_up', '380.00'],
    ]);
    expect(before).toBe(2);
    await shop.advance(clock, 'P2M'); // nobody asks it again
    expect((await shop.invoices(subscription)).filter(({ kind }: Resource) => kind === 'ad_hoc')).toHaveLength(1);
  });

  // January was 100.00, so 400.00 were asked. Of its half 50.00 stay, and 250.00 of the amount, or nothing.
  it.each([
    ['prorated', '200.00'],
    ['waived', '400.00'],
  ])('as of the past gives back what was asked too much, if it is %s', async (onEnd, back) => {
    await commit('01-01 500 02-01 500 03-01', { onEnd });
    await shop.advance(clock, '2026-02-01T01:00:00Z');
    expect((await linesOf(0)).at(-1)).toEqual(['true_up', '400.00']);
    await shop.change(`/v0/subscriptions/${subscription.id}`, { terminatedAt: '2026-01-16T12:00:00Z' });
    await shop.advance(clock, 'P2M'); // once
    const { data: notes } = await shop.read(`/v2/invoices/${(await invoiceOf(0)).id}/creditNotes`);
    const said = notes.map(({ amount, lines }: Resource) => [lines[0].displayName, amount]);
    expect(said.toSorted()).toEqual([
      ['Contract: true-up', back],
      [`${fee.invoiceDisplayName}: not used`, '50.00'],
    ]);
    expect((await shop.invoices(subscription)).filter(({ kind }: Resource) => kind === 'ad_hoc')).toEqual([]);
  });

  it('as of the past gives back what one invoice asked for two segments', async () => {
    await commit('01-01 300 01-10 300 01-20 500 03-01', { onEnd: 'waived' });
    await shop.advance(clock, '2026-02-01T01:00:00Z');
    await shop.change(`/v0/subscriptions/${subscription.id}`, { terminatedAt: day('01-05') });
    await shop.advance(clock, 'P2D');
    const { data: notes } = await shop.read(`/v2/invoices/${(await invoiceOf(0)).id}/creditNotes`);
    const back = notes.filter(({ lines }: Resource) => lines[0].displayName === 'Contract: true-up');
    expect(back.map(({ amount }: Resource) => amount).toSorted()).toEqual(['200.00', '300.00']);
  });
});

describe('the figures of a segment', () => {
  it('say what is spent until now, the pace and where it leads', async () => {
    const made = await commit('01-01 300 01-31');
    expect(made.segments[0]).toMatchObject({ spent: '100.00', remaining: '200.00', pace: null, forecast: null });
    await shop.advance(clock, 'P15D');
    await shop.use(subscription.id, day('01-05'), 10);
    // Half is over: 110.00 of 150.00 is 0.73333…, and twice 110.00 by the end.
    expect((await read(made)).segments[0]).toEqual({
      ...{ startDate: day('01-01'), endDate: day('01-31'), amount: '300.00', spent: '110.00', remaining: '190.00' },
      ...{ pace: '0.7333', forecast: '220.00', shortfall: '190.00', billingCreditId: null, invoiceId: null },
    });
    expect(await read(made)).toMatchObject({
      ...{ status: 'active', endedAt: null, orderId: null, testClockId: clock.id },
      ...{ invoiceAt: null, availableOn: null, rollover: null, overrides: [] },
    });
  });

  it('wait for the start', async () => {
    const made = await commit('03-01 300 04-01');
    expect(made).toMatchObject({ status: 'scheduled', segments: [{ spent: '0.00', pace: null, forecast: null }] });
  });
});

describe('a commitment that is refused', () => {
  it.each<[string, object, string]>([
    ['a gap', { segments: [...segmentsOf('01-01 1 02-01'), ...segmentsOf('02-02 1 03-01')] }, 'segments.1.startDate'],
    ['an end before its start', { segments: segmentsOf('02-01 1 01-01') }, 'segments.0.endDate'],
    ['no segments', { segments: [] }, 'segments'],
    ['too many digits', { segments: segmentsOf('01-01 1.001 02-01') }, 'segments.0.amount'],
    ['another currency', { currency: 'EUR' }, 'currency'],
    ['its dates', { invoiceAt: 'start' }, 'invoiceAt'],
    ['its rollover', { rollover: { fraction: '0.5', days: 30 } }, 'rollover'],
    ['an order', { orderId: 'ord_00000000000000000000000000' }, 'orderId'],
  ])('names %s', async (_, fields, field) => {
    const answer = await merchant.post('/v0/commitments', bodyOf('01-01 1 02-01', fields));
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, field]);
  });

  it('is over, or of another customer or clock', async () => {
    await shop.advance(clock, 'P1M');
    const other = await shop.subscribe(plan, { clock: await shop.clock(START) });
    const fieldOf = async (fields: object) =>
      (await merchant.post('/v0/commitments', bodyOf('02-01 1 03-01', fields))).body.errors?.[0]?.field;
    expect(await fieldOf({ segments: segmentsOf('01-01 1 02-01') })).toBe('segments.0.endDate');
    expect(await fieldOf({ customerId: other.customerId })).toBe('subscriptionId');
    expect(await fieldOf({ testClockId: other.testClockId })).toBe('testClockId');
  });
});

it('comes out the same from the events, and holds what the auditor asks', async () => {
  expect((await recomputeDatabase(env.url)).differing).toEqual([]);
  expect((await auditDatabase(env.url)).violations).toEqual([]);
});
