import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPdf } from '../../src/documents/testing/read-pdf.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Every line of an invoice can be checked with a calculator, by the notes on its document and in its explanation. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ documents: 'typeset', recomputed: true });
  env.setNow('2026-06-01T00:00:00Z');
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

/** The invoice of January. */
async function billed(
  prices: readonly Resource[],
  {
    units,
    regions,
    plan = {},
    startedAt = START,
    adjust,
  }: {
    units?: number | string;
    regions?: Readonly<Record<string, string | number>>;
    plan?: object;
    startedAt?: string;
    adjust?: string;
  },
): Promise<Resource> {
  const clock = await shop.clock(startedAt);
  const subscription = await shop.subscribe(await shop.plan(prices, { billingAnchor: START, ...plan }), { clock });
  if (units !== undefined) await shop.use(subscription.id, startedAt, units);
  for (const [region, used] of Object.entries(regions ?? {}))
    await shop.use(subscription.id, startedAt, used, { data: { units: used, region } });
  if (adjust !== undefined)
    await shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, {
      type: 'percentageDiscount',
      percentageDiscount: adjust,
      effectiveFrom: startedAt,
      description: 'Launch offer',
    });
  await shop.advance(clock, '2026-02-02T00:00:00Z');
  const found = (await shop.invoices(subscription)).filter(({ status }: Resource) => status !== 'ACTIVE');
  return found[0];
}

const textOf = async ({ id }: Resource): Promise<string> => {
  const { bytes } = await merchant.get(`/v2/invoices/${id}/pdf`);
  return readPdf(bytes)
    .pages.join('\n')
    .replaceAll(/[\u00a0\n]/g, ' ');
};

/** The notes of all lines in `explain`; a discount's notes follow those of its charge. */
const notesOf = async ({ id }: Resource): Promise<string[]> =>
  (await shop.read(`/v2/invoices/${id}/explain`)).lines
    .flatMap(({ notes, discounts }: Resource) => [...notes, ...discounts.flatMap((each: Resource) => each.notes)])
    .map((note: string) => note.replaceAll('\u00a0', ' '));

const HALF = '2026-01-18T00:00:00Z'; // 14 of 31 days are left
const TIERS = [
  { upTo: '100', unitPrice: '0.1', flatPrice: '10' },
  { upTo: null, unitPrice: '0.05' },
];
const usage = (fields: Record<string, unknown>) => shop.usagePrice(fields);
const fee = (fields: Record<string, unknown>) => shop.feePrice(fields);

describe('a line says how its amount came about', () => {
  it.each<{ what: string; price: () => Promise<Resource>; given: Parameters<typeof billed>[1]; notes: string[] }>([
    {
      what: 'a fee of a part of the period',
      price: () => fee({ properties: { unitPrice: '99' } }),
      given: { startedAt: HALF },
      notes: ['14 of 31 days of 99.00'],
    },
    {
      what: 'a fee of a part in a currency without decimals',
      price: () => fee({ properties: { unitPrice: '9900' } }),
      given: { startedAt: HALF, plan: { currency: 'JPY' } },
      notes: ['14 of 31 days of 9,900'],
    },
    { what: 'a fee of a whole period', price: () => fee({}), given: {}, notes: [] },
    {
      what: 'included units',
      price: () => usage({ properties: { unitPrice: '0.02', includedUnits: '20' } }),
      given: { units: 27 },
      notes: ['20 included, 7 charged'],
    },
    {
      what: 'packages after included units',
      price: () => usage({ model: 'package', properties: { size: '1000000', price: '0.4', includedUnits: '1000000' } }),
      given: { units: 3_000_001 },
      notes: ['1,000,000 included, 2,000,001 charged', '3 packages of 1,000,000 at 0.40'],
    },
    {
      what: 'a percentage with a fixed part',
      price: () => usage({ model: 'percentage', properties: { percentage: '0.029', fixed: '0.3' } }),
      given: { units: 1000 },
      notes: ['2.9% of 1,000 + 1 × 0.30'],
    },
    {
      what: 'a discount',
      price: () => usage({}),
      given: { units: 42, adjust: '0.35' },
      notes: ['35% of 42.00'],
    },
    {
      what: 'a minimum',
      price: () => usage({ minimumAmount: '25' }),
      given: { units: '4.07' },
      notes: ['Minimum 25.00 less 4.07'],
    },
    {
      what: 'a minimum of a part of the period',
      price: () => usage({ minimumAmount: '31' }),
      given: { units: '4.07', startedAt: HALF },
      notes: ['Minimum 14.00 (14 of 31 days of 31.00) less 4.07'],
    },
    {
      what: 'a maximum',
      price: () => usage({ maximumAmount: '50' }),
      given: { units: 67 },
      notes: ['67.00, limited to 50.00'],
    },
    {
      what: 'flat prices of tiers in a part of the period',
      price: () => usage({ model: 'graduated', properties: { tiers: TIERS } }),
      given: { units: 150, startedAt: HALF },
      notes: ['Flat prices for 14 of 31 days'],
    },
  ])('$what', async ({ price, given, notes }) => {
    const invoice = await billed([await price()], given);
    expect(await notesOf(invoice)).toEqual(notes);
    const text = await textOf(invoice);
    for (const note of notes) expect(text).toContain(note);
    expect(invoice.lines.flatMap((line: Resource) => line.notes)).toEqual(
      await notesOf(invoice).then((all) => expect.arrayContaining(all)),
    );
  });

  it('a matrix names what fell into its default, and shows the sum that was rounded once', async () => {
    const metric = await shop.metric({ groupBy: { region: '$.region' } });
    const cells = [{ match: { region: 'eu' }, unitPrice: '0.00001' }];
    const invoice = await billed(
      [
        await usage({
          billableMetricId: metric.id,
          model: 'matrix',
          properties: { dimensions: ['region'], cells, default: '0.000005' },
        }),
      ],
      { regions: { eu: 345_678, us: 1000, ap: 27 } },
    );
    const notes = ['Others: ap; us', 'Exactly 0.005135', 'The 2 lines of this price come to 3.461915, rounded to 3.46'];
    expect(await notesOf(invoice)).toEqual(notes);
    const text = await textOf(invoice);
    for (const words of [...notes, '10.00 per 1,000,000', '5.00 per 1,000,000', '345,678 calls'])
      expect(text).toContain(words);
  });

  it('a price that includes the tax stands with the tax, and so does its amount', async () => {
    const invoice = await billed([await fee({ properties: { unitPrice: '119' } })], {
      plan: { taxBehavior: 'inclusive', defaultTaxRate: 19 },
    });
    expect(invoice).toMatchObject({ subtotal: '100.00', grandTotal: '119.00' });
    const text = await textOf(invoice);
    for (const words of [
      'USD incl. tax',
      '1 119.00 19% 119.00',
      'Subtotal without tax $100.00',
      'Tax 19% on $100.00 $19.00',
    ])
      expect(text).toContain(words);
  });
});

describe('an amount of a tier', () => {
  it.each([
    { what: 'is exact where it ends', startedAt: START, amounts: ['20', '2.55555'] },
    { what: 'is rounded where it does not, and sums to the line', startedAt: HALF, amounts: ['14.52', '2.55'] },
  ])('$what', async ({ startedAt, amounts }) => {
    const price = await usage({ model: 'graduated', properties: { tiers: TIERS } });
    const invoice = await billed([price], { units: '151.111', startedAt });
    const [line] = invoice.lines;
    expect(line.tiers.map(({ amount }: Resource) => amount)).toEqual(amounts);
    for (const tier of line.tiers)
      for (const text of [tier.quantity, tier.flatPrice, tier.amount]) expect(text.length).toBeLessThanOrEqual(12);
  });
});

describe('a plan that changes inside a period', () => {
  it('credits days of a fee of an invoice, names the credit note over the rest, and stands in the order of time', async () => {
    const ahead = (unitPrice: string, invoiceDisplayName: string) =>
      fee({ paymentTerm: 'in_advance', properties: { unitPrice }, invoiceDisplayName });
    const [large, small] = [
      await shop.plan([await ahead('397', 'Large')]),
      await shop.plan([await ahead('100', 'Small')]),
    ];
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(large, { clock, bankTransferOnly: true });
    const upfront = (await shop.read(`/v2/invoices?subscriptionId=${subscription.id}`)).data.find(
      ({ kind }: Resource) => kind === 'upfront',
    );
    await shop.create(`/v2/invoices/${upfront.id}/payments`, {
      ...{ amount: upfront.grandTotal, method: 'bank_transfer', idempotencyKey: `upfront of ${subscription.id}` },
    });
    await shop.advance(clock, '2026-01-15T00:00:00Z');
    await shop.create(`/v0/subscriptions/${subscription.id}/changes`, { planId: small.id, effective: 'now' });
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    const invoice = (await shop.read(`/v2/invoices?subscriptionId=${subscription.id}`)).data.find(
      ({ kind, status }: Resource) => kind === 'subscription' && status !== 'ACTIVE',
    );
    const [note] = (await shop.read(`/v2/invoices/${upfront.id}/creditNotes`)).data;
    const credited = [
      `17 of 31 days of 397.00 billed on ${upfront.invoiceNumber} for 1 – 31 Jan 2026`,
      `217.71 in all: 154.84 here, 62.87 on credit note ${note.number ?? note.externalCreditNoteId}`,
    ];
    expect(await notesOf(invoice)).toEqual(expect.arrayContaining(['17 of 31 days of 100.00', ...credited]));
    const text = await textOf(invoice);
    for (const words of credited) expect(text).toContain(words);
    const next = text.indexOf('1 – 28 Feb 2026');
    expect(next).toBeGreaterThan(text.lastIndexOf('15 – 31 Jan 2026'));
  });
});
