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
