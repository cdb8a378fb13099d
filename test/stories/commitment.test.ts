import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recomputeDatabase } from '../../src/app.ts';
import { type Merchant, openTestEnvironment, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** The minimum of a period, for all prices of the plan together, on clocks (docs/prices-and-plans.md). */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ documents: 'typeset', recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const THE_11TH = '2026-01-11T00:00:00Z';
const MIDDLE = '2026-01-16T12:00:00Z'; // half of January
const FEBRUARY = '2026-02-01T00:00:00Z';
const MARCH = '2026-03-01T00:00:00Z';

/** A plan of these prices (1.00 a unit by default) with a minimum of 500.00 a month. */
const committed = async (prices: readonly Resource[] | null = null, fields: object = {}) =>
  shop.plan(prices ?? [await shop.usagePrice()], { gracePeriod: 'P0D', minimumAmount: '500', ...fields });

async function subscribed(plan: Resource, fields: object = {}, start = START) {
  const clock = await shop.clock(start);
  const subscription = await shop.subscribe(plan, { clock, bankTransferOnly: true, ...fields });
  const invoices = async () =>
    (await shop.invoices(subscription)).filter(({ billingCadence }) => billingCadence !== 'P0D');
  return { clock, subscription, invoices };
}

/** The kinds of an invoice's lines, with their days and net amounts. */
const said = ({ lines }: Resource): string[] =>
  lines.map(
    ({ type, totalPrice, periodStart, periodEnd }: Resource) =>
      `${type} ${periodStart.slice(5, 10)}/${periodEnd.slice(5, 10)} ${totalPrice}`,
  );

describe('what a month falls short of its commitment', () => {
  it.each([
    { units: 0, lines: ['charge 01-01/02-01 0.00', 'commitment 01-01/02-01 500.00'] },
    { units: 120, lines: ['charge 01-01/02-01 120.00', 'commitment 01-01/02-01 380.00'] },
    { units: '499.99', lines: ['charge 01-01/02-01 499.99', 'commitment 01-01/02-01 0.01'] },
    { units: 500, lines: ['charge 01-01/02-01 500.00'] },
    { units: 620, lines: ['charge 01-01/02-01 620.00'] },
  ])('after $units units', async ({ units, lines }) => {
    const { clock, subscription, invoices } = await subscribed(await committed());
    if (units !== 0) await shop.use(subscription.id, THE_11TH, units);
    await shop.advance(clock, FEBRUARY);
    const [january, february] = await invoices();
    expect(said(january)).toEqual(lines);
    await shop.advance(clock, MARCH);
    expect(said((await invoices())[1])).toEqual(['charge 02-01/03-01 0.00', 'commitment 02-01/03-01 500.00']);
    expect(february.status).toBe('ACTIVE');
  });

  it('is one line, of no price, taxed as the plan is', async () => {
    const { clock, subscription, invoices } = await subscribed(await committed(null, { defaultTaxRate: 20 }));
    await shop.use(subscription.id, THE_11TH, 120);
    await shop.advance(clock, FEBRUARY);
    const [january] = await invoices();
    expect(january).toMatchObject({ subtotal: '500.00', totalTax: '100.00', grandTotal: '600.00' });
    expect(january.lines[1]).toMatchObject({
      type: 'commitment',
      eventType: 'fee',
      lineItemType: 'charge',
      priceId: null,
      billableMetricId: '',
      quantity: 1,
      totalPrice: '380.00',
      taxRate: 20,
      totalTax: '76.00',
    });
  });

  it('counts the charges of all prices, those in advance in the month which they are for', async () => {
    const [arrears, advance] = [
      await shop.feePrice({ properties: { unitPrice: '50' } }),
      await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '200' } }),
    ];
    const plan = await committed([await shop.usagePrice(), arrears, advance]);
    const { clock, subscription, invoices } = await subscribed(plan);
    await shop.use(subscription.id, THE_11TH, 120);
    await shop.advance(clock, FEBRUARY);
    expect(said((await invoices())[0]).toSorted()).toEqual([
      'charge 01-01/02-01 120.00',
      'charge 01-01/02-01 50.00',
      'charge 02-01/03-01 200.00', // of February, and counted there
      'commitment 01-01/02-01 130.00', // 500 − 120 − 50 − 200 of January, which the upfront invoice has
    ]);
  });

  it('counts what discounts leave, and is not discounted', async () => {
    const { clock, subscription, invoices } = await subscribed(await committed());
    await shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, {
      type: 'percentageDiscount',
      percentageDiscount: '0.25',
      effectiveFrom: START,
      description: 'A quarter off',
    });
    await shop.use(subscription.id, THE_11TH, 120);
    await shop.advance(clock, FEBRUARY);
    expect(said((await invoices())[0]).toSorted()).toEqual([
      'adjustment 01-01/02-01 -30.00',
      'charge 01-01/02-01 120.00',
      'commitment 01-01/02-01 410.00',
    ]);
  });

  it.each([
    { currency: 'JPY', minimumAmount: '1000', missing: '645' }, // 1000 × 20 ÷ 31 = 645.16…
    { currency: 'KWD', minimumAmount: '1', missing: '0.645' },
  ])('has the digits of $currency', async ({ currency, minimumAmount, missing }) => {
    const plan = await committed(null, { currency, minimumAmount, billingAnchor: START });
    const { clock, invoices } = await subscribed(plan, {}, '2026-01-12T00:00:00Z');
    await shop.advance(clock, FEBRUARY);
    expect((await invoices())[0].lines.at(-1)).toMatchObject({ type: 'commitment', totalPrice: missing });
  });
});

describe('a part of a month has its part of the commitment', () => {
  it('at the beginning: half of January, 250.00', async () => {
    const plan = await committed(null, { billingAnchor: START });
    const { clock, subscription, invoices } = await subscribed(plan, {}, MIDDLE);
    await shop.use(subscription.id, MIDDLE, 100);
    await shop.advance(clock, FEBRUARY);
    expect(said((await invoices())[0])).toEqual(['charge 01-16/02-01 100.00', 'commitment 01-16/02-01 150.00']);
  });

  it('at the end: half of January, 250.00', async () => {
    const { clock, subscription, invoices } = await subscribed(await committed());
    await shop.use(subscription.id, THE_11TH, 100);
    await shop.advance(clock, MIDDLE);
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over' });
    await shop.advance(clock, FEBRUARY);
    expect(said((await invoices())[0])).toEqual(['charge 01-01/01-16 100.00', 'commitment 01-01/01-16 150.00']);
  });

  it('after a trial: none for the trial', async () => {
    const { clock, subscription, invoices } = await subscribed(await committed(null, { trialPeriod: 'P14D' }));
    await shop.use(subscription.id, '2026-01-20T00:00:00Z', 100);
    await shop.advance(clock, '2026-02-15T00:00:00Z');
    expect(said((await invoices())[0])).toEqual(['charge 01-15/02-15 100.00', 'commitment 01-15/02-15 400.00']);
  });

  it('never at a cut: closeNow asks what was used, the end of the month the commitment of all of it', async () => {
    const { clock, subscription, invoices } = await subscribed(await committed());
    await shop.use(subscription.id, '2026-01-05T00:00:00Z', 100);
    await shop.advance(clock, THE_11TH);
    await shop.act(`/v2/invoices/${(await invoices())[0].id}/closeNow`);
    await shop.use(subscription.id, MIDDLE, 50);
    await shop.advance(clock, FEBRUARY);
    const [first, remainder] = await invoices();
    expect(said(first)).toEqual(['charge 01-01/01-11 100.00']);
    expect(remainder.subtotal).toBe('400.00'); // 50 used, and 350 short of 500
    expect(remainder.lines.at(-1)).toMatchObject({ type: 'commitment', totalPrice: '350.00' });
  });

  it('a new version with another commitment has its days of it', async () => {
    const plan = await committed(null, { minimumAmount: '310' });
    const { clock, subscription, invoices } = await subscribed(plan);
    await shop.create(`/v0/plans/${plan.id}/versions`, { minimumAmount: '620' });
    await shop.advance(clock, THE_11TH);
    await shop.create(`/v0/subscriptions/${subscription.id}/changes`, { versionNumber: 2 });
    await shop.use(subscription.id, MIDDLE, 100);
    await shop.advance(clock, FEBRUARY);
    const [january] = await invoices();
    expect(january.subtotal).toBe('520.00'); // 310 × 10 ÷ 31 + 620 × 21 ÷ 31 = 100 + 420
    await shop.advance(clock, MARCH);
    expect((await invoices())[1].subtotal).toBe('620.00');
  });

  it('a change of quantities asks the commitment once, over all of the month', async () => {
    const seats = await shop.feePrice({ quantity: 5, properties: { unitPrice: '31' } });
    const { clock, subscription, invoices } = await subscribed(await committed([seats]));
    await shop.advance(clock, THE_11TH);
    await shop.create(`/v0/subscriptions/${subscription.id}/changes`, { quantities: { [seats.id]: 8 } });
    await shop.advance(clock, FEBRUARY);
    const [january] = await invoices();
    expect(january.subtotal).toBe('500.00'); // 50 for five seats, 168 for eight, and the missing amount
    expect(january.lines.at(-1)).toMatchObject({ type: 'commitment', totalPrice: '282.00' });
  });
});

describe('usage that comes late', () => {
  it.each([
    // 80 − 80, and February's 500
    { late: 80, february: '500.00', what: 'only fills the commitment up: nothing more is owed' },
    { late: 500, february: '620.00', what: 'passes it: what is above it is owed' }, // 120 + 500 − 500 of January
  ])('$what', async ({ late, february }) => {
    const { clock, subscription, invoices } = await subscribed(await committed());
    await shop.use(subscription.id, THE_11TH, 120);
    await shop.advance(clock, '2026-02-10T00:00:00Z');
    expect((await invoices())[0].subtotal).toBe('500.00');
    await shop.use(subscription.id, MIDDLE, late);
    await shop.advance(clock, MARCH);
    expect((await invoices())[1].subtotal).toBe(february);
  });
});

/** The total of a subscription: its issued invoices less their credit notes, before tax. */
async function kept(subscription: Resource): Promise<string> {
  let cents = 0;
  for (const { id, status, subtotal } of await shop.invoices(subscription)) {
    if (status === 'ACTIVE') continue;
    const notes = (await shop.read(`/v2/invoices/${id}/creditNotes`)).data;
    const amounts = [subtotal, ...notes.map(({ amount }: Resource) => `-${amount}`)];
    for (const amount of amounts) cents += Math.round(Number(amount) * 100);
  }
  return (cents / 100).toFixed(2);
}

describe('a commitment that was asked follows what changes afterwards', () => {
  it('an end in the past: the commitment of the time after it is credited', async () => {
    const { clock, subscription } = await subscribed(await committed());
    await shop.use(subscription.id, THE_11TH, 100);
    await shop.advance(clock, '2026-02-05T00:00:00Z');
    expect(await kept(subscription)).toBe('500.00');
    await shop.change(`/v0/subscriptions/${subscription.id}`, { terminatedAt: MIDDLE });
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    expect(await kept(subscription)).toBe('250.00'); // half of January, which 100 of usage does not reach
  });

  it('an end in the past counts the minimum of a price with a coupon as it is then', async () => {
    const calls = await shop.usagePrice({ minimumAmount: '90' });
    const all = { name: 'All', percentOff: '1', duration: 'forever', appliesTo: { priceIds: [calls.id] } };
    const { id } = await shop.create('/v0/coupons', all);
    const { clock, subscription } = await subscribed(await committed([calls]), { coupons: [id] });
    const later = await shop.create('/v0/coupons', { name: 'Half', percentOff: '0.5', duration: 'once' });
    await shop.create(`/v0/subscriptions/${subscription.id}/coupons`, {
      couponId: later.id,
      from: '2026-07-01T00:00:00Z',
    });
    await shop.advance(clock, '2026-02-05T00:00:00Z');
    await shop.change(`/v0/subscriptions/${subscription.id}`, { terminatedAt: MIDDLE });
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    expect(await kept(subscription)).toBe('250.00'); // half of January: 45.00 of the price, and 205.00 that are missing
  });

  it.each([
    { late: -60, end: '500.00' }, // 60 of usage less, 60 of the commitment more
    { late: 80, end: '500.00' },
    { late: 500, end: '620.00' },
  ])('usage of $late that comes after the last invoice', async ({ late, end }) => {
    const { clock, subscription } = await subscribed(await committed(null, { defaultTaxRate: 20 }));
    await shop.use(subscription.id, THE_11TH, 120);
    await shop.advance(clock, FEBRUARY);
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over' });
    await shop.use(subscription.id, MIDDLE, late);
    await shop.advance(clock, '2026-05-01T00:00:00Z');
    expect(await kept(subscription)).toBe(end);
  });

  it('usage that comes late in a series of weeks, for a commitment of the month', async () => {
    const weekly = await shop.usagePrice({ billingCadence: 'P1W' });
    const { clock, subscription, invoices } = await subscribed(await committed([weekly]));
    await shop.use(subscription.id, '2026-01-02T00:00:00Z', 120); // in the week that ends on 8 January
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    expect(await kept(subscription)).toBe('500.00');
    await shop.use(subscription.id, '2026-01-03T00:00:00Z', 80);
    await shop.advance(clock, '2026-03-02T00:00:00Z');
    expect(await kept(subscription)).toBe('1000.00'); // two months
    expect((await invoices()).flatMap(said).filter((line) => line.startsWith('commitment 02'))).toHaveLength(1);
  });

  it('a credit for the rest of a yearly fee: January counts its days of the fee as it did', async () => {
    const yearly = await shop.feePrice({
      ...{ billingCadence: 'P1Y', paymentTerm: 'in_advance', properties: { unitPrice: '78' } },
    });
    const { clock, subscription, invoices } = await subscribed(await committed([await shop.usagePrice(), yearly]));
    await shop.advance(clock, '2026-03-11T00:00:00Z');
    expect(said((await invoices())[0])[1]).toBe('commitment 01-01/02-01 493.38'); // 500 less 31 of 365 days of 78.00
    await shop.create(`/v0/subscriptions/${subscription.id}/changes`, {
      ...{ priceOverrides: [{ priceId: yearly.id, multiplier: '0' }], effective: 'now', proration: 'second' },
    });
    await shop.use(subscription.id, MIDDLE, 1);
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    const march = (await invoices()).find(({ periodStart }) => periodStart === MARCH) as Resource;
    expect(said(march).filter((line) => line.startsWith('commitment 01'))).toEqual(['commitment 01-01/02-01 -1.00']);
  });

  it.each([
    { of: 'another month', price: {}, refunded: FEBRUARY, amount: '500.00' },
    { of: 'another week of its month', price: { billingCadence: 'P1W' }, refunded: START, amount: '20.00' },
  ])(
    'usage that comes late before an invoice of $of is refunded: the next one has both, and a void leaves them',
    async ({ price, refunded, amount }) => {
      const { clock, subscription, invoices } = await subscribed(await committed([await shop.usagePrice(price)]));
      await shop.use(subscription.id, '2026-01-02T00:00:00Z', 20);
      await shop.use(subscription.id, THE_11TH, 100);
      await shop.advance(clock, MARCH);
      await shop.use(subscription.id, THE_11TH, 30);
      const isAsked = ({ periodStart, grandTotal }: Resource) => periodStart === refunded && grandTotal === amount;
      const { id } = (await invoices()).find(isAsked) as Resource;
      await shop.create(`/v2/invoices/${id}/payments`, { amount, method: 'bank_transfer', idempotencyKey: id });
      const refund = await shop.create(`/v2/invoices/${id}/refunds`);
      await shop.advance(clock, '2026-04-01T00:00:00Z');
      await shop.act(`/v2/invoices/${id}/refunds/${refund.id}/void`);
      await shop.advance(clock, '2026-05-10T00:00:00Z');
      const january = (await invoices()).filter(({ periodStart }) => periodStart < FEBRUARY);
      for (const each of january) {
        const { data } = await shop.read(`/v2/invoices/${each.id}/creditNotes`);
        expect(data.filter(({ kind }: Resource) => kind !== 'refund')).toEqual([]);
      }
      const later = (await invoices()).filter(({ periodEnd }) => periodEnd > MARCH);
      const late = later.flatMap(({ lines }) => lines).filter(({ periodStart }) => periodStart < FEBRUARY);
      expect(said({ lines: late }).map((line) => line.replace(/ .* /, ' '))).toEqual([
        'late_usage 30.00',
        'commitment -30.00',
      ]);
    },
  );

  it('another tax rate by now: what goes back has the tax that was asked', async () => {
    const plan = await committed(null, { defaultTaxRate: 20 });
    const { clock, subscription, invoices } = await subscribed(plan);
    await shop.use(subscription.id, THE_11TH, 120);
    await shop.advance(clock, FEBRUARY);
    await shop.change(`/v0/plans/${plan.id}`, { defaultTaxRate: 10 });
    await shop.use(subscription.id, MIDDLE, 80);
    await shop.advance(clock, MARCH);
    const lines: Resource[] = (await invoices())[1].lines;
    const back = lines.find(({ type, totalPrice }) => type === 'commitment' && totalPrice.startsWith('-'));
    expect(back).toMatchObject({ totalPrice: '-80.00', taxRate: 20, totalTax: '-16.00' });
  });
});

/** A monthly plan with a minimum of 100.00 beside a year or a quarter in arrears, from the 1st of January 2024. */
async function beside(prices: readonly Resource[]) {
  const plan = await committed(prices, { minimumAmount: '100' });
  const { clock, subscription, invoices } = await subscribed(plan, {}, '2024-01-01T00:00:00Z');
  const live = async (cadence: string) =>
    (await shop.read(`/v0/subscriptions/${subscription.id}/upcomingInvoice?billingCadence=${cadence}`)).subtotal;
  const closeNow = async (cadence: string) => {
    const open = (await invoices()).find((each) => each.status === 'ACTIVE' && each.billingCadence === cadence);
    return shop.act(`/v2/invoices/${open.id}/closeNow`);
  };
  return { plan, clock, subscription, invoices, live, closeNow };
}

describe('a month with a commitment beside a price of another cadence', () => {
  const usage = (billingCadence: string) => shop.usagePrice({ billingCadence });
  const yearly = () =>
    shop.feePrice({ billingCadence: 'P1Y', paymentTerm: 'in_advance', properties: { unitPrice: '120' } });

  it.each([
    {
      what: 'a year of usage',
      cadence: 'P1Y',
      prices: async () => [await usage('P1M'), await usage('P1Y')],
      live: '0.00',
    },
    { what: 'a quarter of usage', cadence: 'P3M', prices: async () => [await usage('P3M')], live: '0.00' },
    { what: 'a yearly fee', cadence: 'P1Y', prices: async () => [await usage('P1M'), await yearly()], live: '120.00' },
  ])('asks nothing of the open invoice of $what, nor of its own', async ({ cadence, prices, live }) => {
    const plan = await beside(await prices());
    for (const day of ['2024-01-11', '2024-05-11']) {
      await shop.advance(plan.clock, `${day}T00:00:00Z`);
      expect([await plan.live(cadence), await plan.live('P1M')]).toEqual([live, '0.00']);
      const listed = await shop.read(`/v2/invoices?subscriptionId=${plan.subscription.id}&status=ACTIVE`);
      expect(listed.data.map(({ subtotal }: Resource) => subtotal).toSorted()).toEqual(['0.00', live].toSorted());
    }
  });

  it.each([
    { what: 'an end in May', at: '2024-05-16T12:00:00Z', net: '450.00' }, // four months, and half of May
    { what: 'the year', at: '2025-01-02T00:00:00Z', net: '1200.00' },
    { what: 'no minimum from June', at: '2024-06-01T00:00:00Z', net: '500.00' },
  ])('a cut of the year asks nothing, and nothing of it is kept: $what', async ({ what, at, net }) => {
    const { plan, clock, subscription, closeNow } = await beside([await usage('P1M'), await usage('P1Y')]);
    await shop.advance(clock, '2024-05-11T00:00:00Z');
    await closeNow('P1Y');
    expect(await kept(subscription)).toBe('400.00');
    await shop.advance(clock, at);
    if (what.startsWith('an end'))
      await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over' });
    if (what.startsWith('no minimum')) {
      await shop.create(`/v0/plans/${plan.id}/versions`, { minimumAmount: '0' });
      await shop.create(`/v0/subscriptions/${subscription.id}/changes`, { versionNumber: 2 });
      await shop.advance(clock, '2025-01-02T00:00:00Z');
    }
    await shop.advance(clock, '2025-01-03T00:00:00Z');
    expect(await kept(subscription)).toBe(net);
    for (const { id } of await shop.invoices(subscription))
      expect((await shop.read(`/v2/invoices/${id}/creditNotes`)).data).toEqual([]);
  });

  it('a cut of a quarter leaves June to its own invoice', async () => {
    const { clock, subscription, closeNow } = await beside([await usage('P3M')]);
    await shop.advance(clock, '2024-05-11T00:00:00Z');
    await closeNow('P3M');
    await shop.advance(clock, '2024-08-02T00:00:00Z');
    expect(await kept(subscription)).toBe('700.00');
  });

  it('counts a yearly fee by its days, and a year of usage in its last month', async () => {
    const { clock, subscription, invoices } = await beside([await usage('P1Y'), await yearly()]);
    await shop.use(subscription.id, '2024-03-11T00:00:00Z', 366);
    await shop.advance(clock, '2025-01-01T00:00:00Z');
    const months = (await invoices()).filter((each) => each.billingCadence === 'P1M' && each.status !== 'ACTIVE');
    // 100 less 31, 29 or 30 of 366 days of 120.00; in December less 31 days of the year's 366 units too.
    expect(months.map(({ subtotal }) => subtotal)).toEqual([
      ...['89.84', '90.49', '89.84', '90.16', '89.84', '90.16', '89.84', '89.84', '90.16', '89.84', '90.16', '58.84'],
    ]);
    expect((await shop.read(`/v2/invoices/${months[0].id}/explain`)).lines[0].notes).toEqual([
      'Minimum 100.00 less 10.163934426',
    ]);
  });

  it.each([
    {
      what: 'a week',
      unitPrice: '70',
      minimumAmount: '500',
      start: '2024-01-01T00:00:00Z',
      end: '2024-01-12T12:00:00Z',
      told: '2024-01-16T00:00:00Z',
      net: '185.48',
    },
    {
      what: 'a month and more',
      unitPrice: '366.40',
      minimumAmount: '1422',
      start: '2023-02-28T00:00:00Z',
      end: '2023-04-02T03:00:00Z',
      told: '2023-04-13T03:00:00Z',
      net: '1733.86',
    },
    {
      what: 'four months',
      unitPrice: '292.42',
      minimumAmount: '1878.97',
      start: '2024-02-29T12:30:00Z',
      end: '2024-07-03T23:30:00Z',
      told: '2024-07-04T23:30:00Z',
      net: '8338.18',
    }, // 4 months, 107 of 720 hours, and 13 days of weeks that end after their month
  ])(
    'an end that is told late is as one told in time: $what with a weekly fee',
    async ({ unitPrice, minimumAmount, start, end, told, net }) => {
      const weekly = await shop.feePrice({ billingCadence: 'P1W', properties: { unitPrice } });
      const plan = await committed([weekly], { minimumAmount });
      const endedAs = async (at: string) => {
        const { clock, subscription } = await subscribed(plan, {}, start);
        await shop.advance(clock, at);
        await shop.change(`/v0/subscriptions/${subscription.id}`, { terminatedAt: end });
        await shop.advance(clock, 'P40D');
        return kept(subscription);
      };
      expect([await endedAs(end), await endedAs(told)]).toEqual([net, net]);
    },
  );
});

describe('a year with a commitment beside months', () => {
  it.each([
    { december: 50, gracePeriod: 'P0D', year: '600.00 + 120.00', last: '50.00 + 3.50' }, // 1,200 less 12 × 50
    { december: 50, gracePeriod: 'P3D', year: '600.00 + 120.00', last: '50.00 + 3.50' },
    { december: 5000, gracePeriod: 'P0D', year: '0.00 + 0.00', last: '5000.00 + 350.00' },
  ])(
    'is asked after December is billed: $december units, grace $gracePeriod',
    async ({ december, gracePeriod, ...is }) => {
      const metric = await shop.metric({ taxRate: 7 });
      const prices = [await shop.usagePrice({ billingCadence: 'P1M', billableMetricId: metric.id })];
      const fields = { billingCadence: 'P1Y', minimumAmount: '1200', gracePeriod, defaultTaxRate: 20 };
      const { clock, subscription, invoices } = await subscribed(await committed(prices, fields));
      for (let month = 1; month <= 12; month += 1) {
        await shop.advance(clock, `2026-${String(month).padStart(2, '0')}-15T00:00:00Z`);
        await shop.use(
          subscription.id,
          `2026-${String(month).padStart(2, '0')}-15T00:00:00Z`,
          month < 12 ? 50 : december,
        );
      }
      await shop.advance(clock, '2027-01-05T00:00:00Z');
      const billed = (await invoices()).filter(({ status }) => status !== 'ACTIVE');
      const [year, last] = ['P1Y', 'P1M'].map((of) => billed.findLast(({ billingCadence }) => billingCadence === of));
      expect([year, last].map(({ subtotal, totalTax }) => `${subtotal} + ${totalTax}`)).toEqual([is.year, is.last]);
      expect(year.issuedAt).toBe(last.issuedAt);
      expect(year.invoiceNumber > last.invoiceNumber).toBe(true);
      expect(billed.filter(({ totalTax }) => totalTax.startsWith('-'))).toEqual([]);
      expect(await kept(subscription)).toBe(december === 50 ? '1200.00' : '5550.00');
    },
  );
});

describe('where a commitment is shown', () => {
  it('its line says what it is, in explain, in lists, on the document and in the e-invoice', async () => {
    const { clock, subscription, invoices } = await subscribed(await committed());
    await shop.use(subscription.id, THE_11TH, 120);
    await shop.advance(clock, FEBRUARY);
    const [january] = await invoices();
    const explained = await shop.read(`/v2/invoices/${january.id}/explain`);
    expect(explained.lines[1]).toMatchObject({
      type: 'commitment',
      amount: '380.00',
      notes: ['Minimum 500.00 less 120.00'],
    });
    const { data } = await shop.read(`/v2/invoices/lineItems?invoiceId=${january.id}`);
    expect(data).toContainEqual(expect.objectContaining({ type: 'fee', priceId: null, subtotal: '380.00' }));
    expect((await merchant.get(`/v2/invoices/${january.id}/pdf`)).status).toBe(200);
  });

  it('a simulation asks it for the time as one period', async () => {
    const price = await shop.usagePrice();
    const plan = await committed([price]);
    const simulated = await shop.act(`/v0/plans/${plan.id}/simulate`, {
      usage: { [price.billableMetricId]: '120' },
      from: START,
      to: FEBRUARY,
    });
    expect(simulated.subtotal).toBe('500.00');
    expect(simulated.lineItems.at(-1)).toMatchObject({ type: 'commitment', totalPrice: '380.00' });
  });
});

it('recompute finds a changed commitment', async () => {
  const other = await openTestEnvironment({ documents: 'typeset' });
  const client = new pg.Client({ connectionString: other.url });
  await client.connect();
  try {
    const its = shopOf(await other.merchant());
    const clock = await its.clock(START);
    const plan = await its.plan([await its.usagePrice()], { gracePeriod: 'P0D', minimumAmount: '500' });
    await its.subscribe(plan, { clock });
    await its.advance(clock, FEBRUARY);
    expect(await recomputeDatabase(other.url)).toEqual({ checked: 1, differing: [] });
    await client.query('set session_replication_role = replica'); // no trigger prevents the damage
    await client.query(`update invoice_line set total_price = 400, total_amount = 400 where type = 'commitment'`);
    const { differing } = await recomputeDatabase(other.url);
    await client.query(`update invoice_line set total_price = 500, total_amount = 500 where type = 'commitment'`);
    expect(differing.flatMap(({ differences }) => differences)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^line 2: commitment .* = 400\.00 .*, by the events .* = 500\.00 /),
        'the commitment from 2026-01-01T00:00:00Z to 2026-02-01T00:00:00Z owes 100.00 more than is billed',
      ]),
    );
  } finally {
    await client.end();
    await other.close();
  }
});
