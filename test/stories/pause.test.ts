import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** The pause of a subscription (commercial.md §6). Amounts are worked by hand: 310.00 are 10.00 a day in January. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let clock: Resource;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());
beforeEach(async () => {
  clock = await shop.clock(START);
});

const day = (date: number, month = 1): string => `2026-0${month}-${String(date).padStart(2, '0')}T00:00:00Z`;
const feeOf = (fields: Record<string, unknown> = {}) => shop.feePrice({ properties: { unitPrice: '310' }, ...fields });
const sell = (
  prices: readonly Resource[],
  of: Record<string, unknown> = {},
  fields: Record<string, unknown> = {},
): Promise<Resource> =>
  shop.plan(prices, of).then((plan) => shop.subscribe(plan, { clock, bankTransferOnly: true, ...fields }));
const post = (path: string, of: Resource, body?: object) => merchant.post(`/v0/subscriptions/${of.id}${path}`, body);
const pause = (of: Resource, body: object = {}) => shop.act(`/v0/subscriptions/${of.id}/pause`, body);
const resume = (of: Resource, body: object = {}) => shop.act(`/v0/subscriptions/${of.id}/resume`, body);
const read = (of: Resource) => shop.read(`/v0/subscriptions/${of.id}`);
/** What the invoices of periods ask, oldest first: the end of the period, the state, and the lines. */
const billed = async (of: Resource): Promise<string[]> =>
  (await shop.invoices(of))
    .filter(({ kind }) => kind === 'subscription')
    .map(({ periodEnd, status, lines }) =>
      [
        ...[periodEnd.slice(5, 10), status],
        ...lines.map(({ type, totalPrice }: Resource) => (type === 'charge' ? totalPrice : `${type} ${totalPrice}`)),
      ].join(' '),
    );
/** Pays what a subscription asked in advance. */
const paid = async (of: Resource) => {
  const { id, grandTotal: amount } = (await shop.invoices(of)).find(({ kind }) => kind === 'upfront') as Resource;
  return shop.create(`/v2/invoices/${id}/payments`, { amount, method: 'bank_transfer', idempotencyKey: `paid ${id}` });
};

describe('a pause takes its seconds', () => {
  it('of a fee in arrears, and says so while it lasts', async () => {
    const subscription = await sell([await feeOf()]);
    expect(subscription).toMatchObject({ pausedAt: null, resumesAt: null, pauseUsage: null });
    await shop.advance(clock, day(11));
    const paused = await pause(subscription, { usage: 'free', reason: 'Closed' });
    expect(paused).toMatchObject({ status: 'active', pausedAt: day(11), resumesAt: null, pauseUsage: 'free' });
    await shop.advance(clock, day(21));
    expect(await resume(subscription)).toMatchObject({ pausedAt: null, resumesAt: null, pauseUsage: null });
    await shop.advance(clock, day(1, 2));
    expect((await billed(subscription))[0]).toBe('02-01 ISSUED 100.00 110.00');
  });

  it('of a fee in advance: the rest is credited, and is on the open invoice from the resumption on', async () => {
    const subscription = await sell([await feeOf({ paymentTerm: 'in_advance' })]);
    await paid(subscription);
    await shop.advance(clock, day(11));
    await pause(subscription, { resumesAt: day(21) });
    await shop.advance(clock, day(1, 2));
    expect(await billed(subscription)).toEqual([
      '02-01 ISSUED 310.00 110.00 credit -210.00', // of February, and of 11 days
      '03-01 ACTIVE 310.00',
    ]);
    expect(await read(subscription)).toMatchObject({ pausedAt: null });
  });

  it('and gives them into the wallet, or not at all', async () => {
    const fee = await feeOf({ paymentTerm: 'in_advance' });
    const customers = [];
    for (const credit of ['wallet', 'none']) {
      const customer = await shop.customer();
      const subscription = await sell([fee], {}, { customer });
      await paid(subscription);
      customers.push({ customer, subscription, credit });
    }
    await shop.advance(clock, day(11));
    for (const { subscription, credit } of customers) await pause(subscription, { credit });
    await shop.advance(clock, day(21));
    for (const { subscription } of customers) await resume(subscription);
    const [toWallet, toNobody] = customers as [(typeof customers)[0], (typeof customers)[0]];
    const { balances } = await shop.read(`/v0/customers/${toWallet.customer.id}/wallet`);
    expect(balances).toMatchObject([{ balance: '210.00' }]);
    expect((await billed(toWallet.subscription))[0]).toBe('02-01 ACTIVE 310.00 110.00');
    expect((await billed(toNobody.subscription))[0]).toBe('02-01 ACTIVE 310.00'); // the old bill still counts
  });

  it('of minimums and limits, and leaves included units and tiers of billed usage whole', async () => {
    const calls = (fields: object) =>
      shop.usagePrice({ properties: { unitPrice: '1', includedUnits: '31' }, ...fields });
    const [included, least, most] = [
      await calls({}),
      await calls({ minimumAmount: '31' }),
      await calls({ properties: { unitPrice: '10' }, maximumAmount: '62' }),
    ];
    const bill = await sell([included, least, most]);
    const free = await sell([included, least, most]);
    const committed = await sell([await feeOf({ properties: { unitPrice: '31' } })], { minimumAmount: '310' });
    await shop.advance(clock, day(11));
    for (const each of [bill, committed]) await pause(each, { usage: 'bill', resumesAt: day(21) });
    await pause(free, { usage: 'free', resumesAt: day(21) });
    for (const { id } of [bill, free]) {
      await shop.use(id, day(5), 30);
      await shop.use(id, day(15), 20);
    }
    await shop.advance(clock, day(1, 2));
    // 50 less 31; at least 21 of 31 days; at most 42.00
    expect((await billed(bill))[0]).toMatch(/^02-01 ISSUED 19\.00/);
    // 30 less 21
    expect((await billed(free))[0]).toMatch(/^02-01 ISSUED 9\.00/);
    // 10.00 and 11.00 of the fee; 210.00 less 21.00
    expect((await billed(committed))[0]).toBe('02-01 ISSUED 10.00 11.00 commitment 189.00');
  });
});

describe('a period that is paused throughout', () => {
  it('has no invoice of 0.00, and late usage of it is billed on the next one', async () => {
    const subscription = await sell([await feeOf(), await shop.usagePrice()]);
    expect(await pause(subscription, { effective: 'periodEnd' })).toMatchObject({ pausedAt: day(1, 2) });
    await shop.advance(clock, day(10, 3));
    expect(await billed(subscription)).toEqual([
      '02-01 ISSUED 310.00 0.00',
      '03-01 CANCELLED 0.00',
      '04-01 ACTIVE 0.00',
    ]);
    expect((await shop.invoices(subscription))[1].invoiceNumber).toBeNull();
    await shop.use(subscription.id, day(10, 2), 5);
    await resume(subscription);
    await shop.advance(clock, day(1, 4));
    const [, , march] = await billed(subscription);
    expect(march).toContain('ISSUED');
    expect(march).toContain('late_usage 5.00');
  });

  it('bears no credit: that is a note at once', async () => {
    const year = await feeOf({ paymentTerm: 'in_advance', billingCadence: 'P1Y', properties: { unitPrice: '3650' } });
    const customer = await shop.customer();
    const subscription = await sell([year], {}, { customer });
    await paid(subscription);
    await pause(subscription, { effective: 'periodEnd' });
    await shop.advance(clock, day(2, 2));
    // 10.00 for each of 334 days
    expect((await shop.read(`/v0/customers/${customer.id}/wallet`)).balances).toMatchObject([{ balance: '3340.00' }]);
  });
});

describe('an end in a pause', () => {
  it('gives the credit that would have waited for the resumption', async () => {
    const yearly = await shop.feePrice({
      ...{ properties: { unitPrice: '365' }, paymentTerm: 'in_advance', billingCadence: 'P1Y' },
    });
    const customer = await shop.customer();
    const subscription = await sell([yearly], {}, { customer });
    await paid(subscription);
    await pause(subscription, { effective: 'periodEnd', resumesAt: day(15, 2) });
    await shop.advance(clock, day(6, 2));
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Sold' });
    await shop.advance(clock, day(1, 3));
    const { balances } = await shop.read(`/v0/customers/${customer.id}/wallet`);
    expect(balances).toMatchObject([{ balance: '334.00' }]); // all days but the 31 of January
  });
});

describe('an end in a pause of a trial', () => {
  it('bills nothing where the end of the trial paused it', async () => {
    const subscription = await sell(
      [await feeOf()],
      { trialPeriod: 'P14D', trialEndBehavior: 'pause' },
      { bankTransferOnly: false },
    );
    await shop.advance(clock, day(20));
    expect(await read(subscription)).toMatchObject({ status: 'active', pausedAt: day(15) });
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Sold' });
    await shop.advance(clock, day(1, 4));
    expect(await shop.invoices(subscription)).toEqual([]);
  });

  it.each([
    ['before the trial would have been over', day(10)],
    ['after that', day(20, 2)],
  ])('bills nothing: %s', async (_when, at) => {
    const subscription = await sell([await feeOf()], { trialPeriod: 'P14D' });
    await shop.advance(clock, day(5));
    await pause(subscription);
    await shop.advance(clock, at);
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Sold' });
    await shop.advance(clock, day(1, 4));
    expect(await shop.invoices(subscription)).toEqual([]);
  });
});

describe('what waits', () => {
  it('a scheduled change comes with the resumption', async () => {
    const [small, large] = [await feeOf(), await feeOf({ properties: { unitPrice: '620' } })];
    const plan = await shop.plan([large]);
    const subscription = await sell([small]);
    const { change } = await shop.create(`/v0/subscriptions/${subscription.id}/changes`, {
      ...{ planId: plan.id, effective: 'periodEnd' },
    });
    await shop.advance(clock, day(21));
    await pause(subscription);
    await shop.advance(clock, day(11, 2));
    expect((await read(subscription)).planId).not.toBe(plan.id);
    await resume(subscription);
    await shop.advance(clock, day(12, 2));
    expect((await read(subscription)).planId).toBe(plan.id);
    const { data } = await shop.read(`/v0/subscriptions/${subscription.id}/changes`);
    expect(data).toMatchObject([{ id: change.id, status: 'applied', effectiveAt: day(11, 2) }]);
    await shop.advance(clock, day(1, 3));
    // 20 days of January; 18 of 28 days of February at 620.00
    expect(await billed(subscription)).toEqual(['02-01 ISSUED 200.00', '03-01 ISSUED 398.57', '04-01 ACTIVE 620.00']);
  });

  it('and the periods of a fee that it brings are counted from there', async () => {
    const quarter = await feeOf({ paymentTerm: 'in_advance', billingCadence: 'P3M' });
    const plan = await shop.plan([quarter]);
    const subscription = await sell([await feeOf()]);
    await shop.create(`/v0/subscriptions/${subscription.id}/changes`, {
      ...{ planId: plan.id, effective: 'periodEnd' },
    });
    await shop.advance(clock, day(21));
    await pause(subscription, { resumesAt: day(11, 2) });
    await shop.advance(clock, day(12, 5));
    const fees = (await shop.invoices(subscription)).flatMap(({ lines }) =>
      lines
        .filter(({ priceId }: Resource) => priceId === quarter.id)
        .map(({ periodStart, periodEnd, totalPrice }: Resource) => [periodStart, periodEnd, totalPrice]),
    );
    expect(fees.toSorted().slice(0, 2)).toEqual([
      [day(11, 2), day(11, 5), '310.00'],
      [day(11, 5), day(11, 8), '310.00'],
    ]);
  });

  it('access, with its reason, while balances go on', async () => {
    const feature = await shop.create('/v0/features', {
      ...{ key: 'pdf-export', name: 'Export', type: 'boolean', productId: (await shop.metric()).productId },
    });
    const fee = await feeOf({ feature: { featureId: feature.id, entitlementTemplate: { type: 'boolean' } } });
    const customer = await shop.customer();
    const subscription = await sell([fee], {}, { customer });
    const access = async () => (await shop.read(`/v1/customers/${customer.id}/access`)).features;
    expect(await access()).toMatchObject([{ hasAccess: true, reason: null }]);
    await pause(subscription, { resumesAt: day(3) });
    expect(await access()).toMatchObject([{ hasAccess: false, reason: 'paused' }]);
    await shop.advance(clock, day(3));
    expect(await access()).toMatchObject([{ hasAccess: true, reason: null }]);
  });

  it('a trial, for as long as the pause', async () => {
    const subscription = await sell([await feeOf()], { trialPeriod: 'P14D' });
    await shop.advance(clock, day(5));
    await pause(subscription);
    await shop.advance(clock, day(20));
    expect(await billed(subscription)).toEqual([]);
    await resume(subscription);
    await shop.advance(clock, day(1, 2));
    // 15 days later than 15 January
    expect(await shop.invoices(subscription)).toMatchObject([{ periodStart: day(30), status: 'ACTIVE' }]);
  });

  it('usage of the customer, where another subscription prices it', async () => {
    const plan = await shop.plan([await shop.usagePrice()]);
    const customer = await shop.customer();
    const [older, younger] = [
      await shop.subscribe(plan, { clock, customer }),
      await shop.subscribe(plan, { clock, customer }),
    ];
    await shop.advance(clock, day(11));
    await pause(older, { resumesAt: day(21) });
    for (const date of [5, 15, 25]) await shop.use(customer.id, day(date), date);
    await shop.advance(clock, day(1, 2));
    expect((await billed(older))[0]).toBe('02-01 ISSUED 30.00');
    expect((await billed(younger))[0]).toBe('02-01 ISSUED 15.00');
  });
});

it('says of usage in a free pause that nothing prices it', async () => {
  const calls = await shop.usagePrice();
  const subscription = await sell([calls]);
  await shop.advance(clock, day(11));
  await pause(subscription, { usage: 'free', resumesAt: day(21) });
  const reasons = [];
  for (const date of [5, 15, 25]) {
    const event = await shop.use(subscription.id, day(date), 1);
    const { metrics } = await shop.read(`/v0/events/${event.id}/explain`);
    reasons.push(metrics.find(({ billableMetricId: id }: Resource) => id === calls.billableMetricId).prices.length);
  }
  expect(reasons).toEqual([1, 0, 1]);
});

it('can count the periods from the resumption on', async () => {
  const subscription = await sell([await feeOf()]);
  await shop.advance(clock, day(11));
  await pause(subscription);
  await shop.advance(clock, day(21));
  await resume(subscription, { anchor: 'restart' });
  await shop.advance(clock, day(21, 2));
  expect(await billed(subscription)).toEqual(['01-21 ISSUED 100.00', '02-21 ISSUED 310.00', '03-21 ACTIVE 310.00']);
});

it('can be followed by a change at the instant of the resumption, whose invoice is issued', async () => {
  const fee = await feeOf({ paymentTerm: 'in_advance' });
  const subscription = await sell([fee]);
  await shop.advance(clock, day(11));
  await pause(subscription);
  await shop.advance(clock, day(21));
  await resume(subscription, { anchor: 'restart' });
  await env.runDueWork();
  await shop.create(`/v0/subscriptions/${subscription.id}/changes`, {
    ...{ quantities: { [fee.id]: 3 }, effective: 'now' },
  });
  const [period, , , upfront] = await shop.invoices(subscription);
  // all of the first one is credited, so nothing of it is to be paid
  expect([period, upfront].map((of) => [of?.grandTotal, of?.status, of?.unpaidAmount])).toEqual([
    ['310.00', 'PAID', '0.00'],
    ['930.00', 'ISSUED', '930.00'],
  ]);
});

it('begins a whole period there, and what an earlier series had billed of it is credited', async () => {
  const fee = await feeOf({ properties: { unitPrice: '365' }, paymentTerm: 'in_advance', billingCadence: 'P1Y' });
  const priceOverrides = [{ priceId: fee.id, multiplier: '0.5', to: day(1, 2) }]; // two charges, cut at 1 February
  const subscription = await sell([fee], {}, { priceOverrides });
  for (const [from, resumesAt] of [
    [day(5), day(20)],
    [day(1, 3), day(5, 3)],
    [day(1, 4), day(10, 4)],
  ] as const) {
    await shop.advance(clock, from);
    await pause(subscription, { resumesAt, anchor: 'restart' });
  }
  await shop.advance(clock, day(20, 4));
  expect((await billed(subscription)).filter((invoice) => invoice.includes('.'))).toEqual([
    ...['01-20 ISSUED 6.00 353.00', '03-05 ISSUED 365.00', '04-10 ISSUED 365.00'],
    '04-10 ACTIVE 365.00',
  ]);
  // of the four are left 4 and 12 days at half the price and 28 days, 27 days, and a whole year
  const issued = (await shop.invoices(subscription)).filter(({ status }) => status === 'ISSUED');
  expect(issued.map(({ unpaidAmount }) => unpaidAmount)).toEqual(['34.00', '2.00', '27.00', '365.00']);
});

it('asks the fee of a longer period on the invoice that is open at a known resumption', async () => {
  const fee = await feeOf({ properties: { unitPrice: '365' }, paymentTerm: 'in_advance', billingCadence: 'P1Y' });
  const subscription = await sell([fee, await feeOf({ properties: { unitPrice: '1' } })]);
  await shop.advance(clock, day(10));
  await pause(subscription, { resumesAt: day(10, 3) });
  await shop.advance(clock, day(1, 4));
  expect(await billed(subscription)).toEqual([
    ...['02-01 ISSUED 0.29', '01-01 ACTIVE 365.00', '03-01 CANCELLED', '04-01 ISSUED 0.71 297.00', '05-01 ACTIVE 1.00'],
  ]);
});

it('is moved and withdrawn', async () => {
  const subscription = await sell([await feeOf()]);
  await pause(subscription, { effective: 'periodEnd', resumesAt: day(11, 2) });
  const moved = await shop.change(`/v0/subscriptions/${subscription.id}`, { resumesAt: null });
  expect(moved).toMatchObject({ pausedAt: day(1, 2), resumesAt: null });
  expect(await resume(subscription)).toMatchObject({ pausedAt: null });
  await shop.advance(clock, day(11));
  await pause(subscription, { resumesAt: day(15) });
  await shop.change(`/v0/subscriptions/${subscription.id}`, { resumesAt: day(21) });
  await shop.advance(clock, day(1, 2));
  expect((await billed(subscription))[0]).toBe('02-01 ISSUED 100.00 110.00');
  const { data } = await shop.read(`/v0/customers/${subscription.customerId}/timeline?limit=100`);
  const what = data.map(({ type, what: of }: Resource) => of ?? type);
  expect(what.filter((each: string) => /paused|resumed/.test(each))).toEqual([
    'subscription.resumed',
    'subscription.paused',
  ]);
});

describe('it is refused', () => {
  it('twice, without a pause, after the end, and for times that are not ahead', async () => {
    const subscription = await sell([await feeOf()]);
    const conflict = { status: 409, body: { code: 'INVALID_TRANSITION' } };
    expect(await post('/resume', subscription, {})).toMatchObject(conflict);
    const patched = await merchant.patch(`/v0/subscriptions/${subscription.id}`, { resumesAt: day(1, 2) });
    expect(patched).toMatchObject(conflict);
    const past = await post('/pause', subscription, { resumesAt: START });
    expect(past).toMatchObject({ status: 400, body: { errors: [{ field: 'resumesAt' }] } });
    const early = await post('/pause', subscription, { effective: 'periodEnd', resumesAt: day(31) });
    expect(early).toMatchObject({ status: 400, body: { errors: [{ field: 'resumesAt' }] } });
    await pause(subscription);
    expect(await post('/pause', subscription, {})).toMatchObject(conflict);
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved' });
    expect(await post('/resume', subscription, {})).toMatchObject(conflict);
    expect(await post('/pause', subscription, {})).toMatchObject(conflict);
  });

  it('to another merchant', async () => {
    const subscription = await sell([await feeOf()]);
    const other = await env.merchant();
    for (const path of ['pause', 'resume'])
      expect((await other.post(`/v0/subscriptions/${subscription.id}/${path}`, {})).status).toBe(403);
  });
});

it('comes out the same from the events, and the audit holds', async () => {
  expect((await recomputeDatabase(env.url)).differing).toEqual([]);
  expect((await auditDatabase(env.url)).violations).toEqual([]);
});
