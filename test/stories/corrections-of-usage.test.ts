import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readXml } from '../../src/documents/testing/read-xml.ts';
import { transfer } from '../support/bills.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * A correction of usage that its invoice can bear only in part: units at their price on both sides, or amounts
 * (docs/decisions/0218). January used 100 units, the second month 40, and 90 of January go back.
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
  await shop.change(`/v0/organizations/${merchant.id}`, { address: { country: 'DE' }, taxId: 'DE136695976' });
});
afterAll(() => env.close());

type Fields = Record<string, unknown>;
interface Story {
  readonly price?: Fields;
  readonly plan?: Fields;
  readonly metric?: Fields;
  readonly start?: string;
  readonly discount?: string;
  /** Of the first month, late; and of the second. */
  readonly back?: number;
  readonly second?: number;
  /** In advance, so that the invoice of the second month has it, too. */
  readonly fee?: string;
}

async function corrected({ price, plan, metric, start = START, back = -90, second = 40, ...more }: Story) {
  const clock = await shop.clock(start);
  const { id: billableMetricId } = await shop.metric(metric);
  const prices = [await shop.usagePrice({ billableMetricId, ...price })];
  if (more.fee !== undefined) prices.push(await shop.feePrice({ properties: { unitPrice: more.fee } }));
  const subscription = await shop.subscribe(await shop.plan(prices, { defaultTaxRate: 20, ...plan }), {
    clock,
    autoCharge: false,
    bankTransferOnly: true,
  });
  if (more.discount !== undefined)
    await shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, {
      type: 'percentageDiscount',
      percentageDiscount: more.discount,
      effectiveFrom: start,
      description: 'Launch',
    });
  const [open] = await shop.invoices(subscription);
  const at = Temporal.Instant.from(start).add({ hours: 24 }).toString();
  await shop.use(subscription.id, at, 100);
  await shop.advance(clock, open.periodEnd);
  await shop.advance(clock, 'P1D');
  await shop.use(subscription.id, at, back);
  if (second > 0) await shop.use(subscription.id, open.periodEnd, second);
  const next = (await shop.invoices(subscription))[1];
  await shop.advance(clock, next.periodEnd);
  return { clock, subscription, at };
}

const linesOf = ({ lines }: Resource) =>
  lines
    .filter(({ type }: Resource) => type === 'late_usage' || type === 'adjustment')
    .map(
      ({ displayName, invoiceDisplayName, quantity, unitPrice, totalPrice }: Resource) =>
        `${displayName ?? invoiceDisplayName}: ${quantity} × ${unitPrice} = ${totalPrice}`,
    );
async function notesOn(invoice: Resource): Promise<Resource[]> {
  const { data } = await shop.read(`/v2/invoices/${invoice.id}/creditNotes`);
  return Promise.all(data.map(({ id }: Resource) => shop.read(`/v2/invoices/${invoice.id}/creditNotes/${id}`)));
}
const saidOn = (notes: readonly Resource[]) =>
  notes.flatMap(({ lines }) =>
    lines.map(
      ({ displayName, quantity, unitPrice, amount }: Resource) =>
        `${displayName}: ${quantity} × ${unitPrice} = ${amount}`,
    ),
  );

const tiers = [
  { upTo: '50', unitPrice: '1' },
  { upTo: null, unitPrice: '2' },
];
const AT_3_DECIMALS = { currency: 'KWD', defaultTaxRate: 7 };

describe('a correction that its invoice bears in part', () => {
  it.each<{ of: string; story: Story; here: string[]; onNote: string[] }>([
    {
      of: 'units at 1.00',
      story: {},
      here: ['Calls: correction of usage: -40 × 1 = -40.00'],
      onNote: ['Calls: correction of usage: 50 × 1 = 50.00'],
    },
    {
      of: 'units from the 31st of January on',
      story: { start: '2026-01-31T00:00:00Z' },
      here: ['Calls: correction of usage: -40 × 1 = -40.00'],
      onNote: ['Calls: correction of usage: 50 × 1 = 50.00'],
    },
    {
      of: 'units in yen',
      story: { price: { properties: { unitPrice: '7' } }, plan: { currency: 'JPY' } },
      here: ['Calls: correction of usage: -40 × 7 = -280'],
      onNote: ['Calls: correction of usage: 50 × 7 = 350'],
    },
    {
      of: 'units in dinar',
      story: { price: { properties: { unitPrice: '0.125' } }, plan: AT_3_DECIMALS },
      here: ['Calls: correction of usage: -40 × 0.125 = -5.000'],
      onNote: ['Calls: correction of usage: 50 × 0.125 = 6.250'],
    },
    {
      of: 'units at an inclusive price',
      story: { price: { properties: { unitPrice: '1.2' } }, plan: { taxBehavior: 'inclusive' } },
      here: ['Calls: correction of usage: -40 × 1.2 = -40.00'], // 48.00 with tax
      onNote: ['Calls: correction of usage: 50 × 1.2 = 50.00'],
    },
    {
      of: 'parts of a unit, which come to it exactly',
      story: { price: { properties: { unitPrice: '1.6' } }, fee: '10', second: 0 },
      here: ['Calls: correction of usage: -6.25 × 1.6 = -10.00'],
      onNote: ['Calls: correction of usage: 83.75 × 1.6 = 134.00'],
    },
    {
      of: 'no whole units: two amounts',
      story: { price: { properties: { unitPrice: '3' } }, fee: '10', second: 0 },
      here: ['Calls: correction of usage: 1 × -10 = -10.00'],
      onNote: ['Calls: correction of usage: 1 × 260 = 260.00'],
    },
    {
      of: 'tiers: two amounts',
      story: { price: { model: 'graduated', properties: { tiers } } },
      here: ['Calls: correction of usage: 1 × -40 = -40.00'],
      onNote: ['Calls: correction of usage: 1 × 100 = 100.00'], // 150.00 less 10.00 is 140.00
    },
    {
      of: 'packages: two amounts',
      story: { price: { model: 'package', properties: { size: '10', price: '15' } } },
      here: ['Calls: correction of usage: 1 × -60 = -60.00'],
      onNote: ['Calls: correction of usage: 1 × 75 = 75.00'],
    },
    {
      of: 'a percentage: two amounts',
      story: { price: { model: 'percentage', properties: { percentage: '0.5' } } },
      here: ['Calls: correction of usage: 1 × -20 = -20.00'],
      onNote: ['Calls: correction of usage: 1 × 25 = 25.00'],
    },
    {
      of: 'included units: two amounts',
      story: { price: { properties: { unitPrice: '1', includedUnits: '30' } } }, // 70.00 and 10.00
      here: ['Calls: correction of usage: 1 × -10 = -10.00'],
      onNote: ['Calls: correction of usage: 1 × 60 = 60.00'],
    },
    {
      of: 'a discounted charge: two amounts, and its discount',
      story: { discount: '0.1' }, // 36.00 less 81.00
      here: ['Launch: 1 × -4 = -4.00', 'Calls: correction of usage: 1 × -45 = -45.00', 'Launch: 1 × 9 = 9.00'],
      onNote: ['Calls: correction of usage: 1 × 45 = 45.00'],
    },
    {
      of: 'more than was billed',
      story: { back: -150 },
      here: ['Calls: correction of usage: -40 × 1 = -40.00'],
      onNote: ['Calls: correction of usage: 60 × 1 = 60.00'],
    },
    {
      of: 'all of it, by a credit note',
      story: { second: 0 },
      here: ['Calls: correction of usage: 0 × 1 = 0.00'],
      onNote: ['Calls: correction of usage: 90 × 1 = 90.00'],
    },
  ])('says $of', async ({ story, here, onNote }) => {
    const { subscription } = await corrected(story);
    const [first, second] = await shop.invoices(subscription);
    expect(linesOf(second)).toEqual(here);
    expect(second.grandTotal).toMatch(/^0(\.0+)?$/);
    const notes = await notesOn(first);
    expect(saidOn(notes)).toEqual(onNote);
    for (const { lines, amount, taxAmount, total } of notes)
      expect(lines).toMatchObject([{ amount, taxAmount, total }]);
  });

  it('names the line that it credits, and its document says the units', async () => {
    const { subscription } = await corrected({});
    const [first, second] = await shop.invoices(subscription);
    const [note] = await notesOn(first);
    const [charge] = first.lines;
    expect(note.lines).toEqual([
      {
        id: expect.stringMatching(/^li_/),
        ...{ appliesToLineId: charge.eventId, priceId: charge.priceId },
        displayName: 'Calls: correction of usage',
        ...{ quantity: '50', unitPrice: '1' },
        ...{ amount: '50.00', taxAmount: '10.00', taxRate: 20, total: '60.00' },
        ...{ periodStart: first.periodStart, periodEnd: first.periodEnd },
      },
    ]);
    const address = `/v2/invoices/${first.id}/refunds/${note.id}/document.xml`;
    const xml = (await merchant.get(address)).text;
    readXml(xml);
    expect(xml).toMatch(/<ram:ChargeAmount>1<\/ram:ChargeAmount>/);
    expect(xml).toMatch(/<ram:BilledQuantity unitCode="C62">50<\/ram:BilledQuantity>/);
    expect(second.lines[1]).toMatchObject({ metricUnit: 'call', priceId: charge.priceId });
  });

  it('counts its units once: a later correction begins where it ended', async () => {
    const { clock, subscription, at } = await corrected({});
    await shop.use(subscription.id, at, -4);
    await shop.use(subscription.id, '2026-03-10T00:00:00Z', 7);
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    await shop.use(subscription.id, at, 20);
    await shop.advance(clock, '2026-05-01T00:00:00Z');
    const [first, , third, fourth] = await shop.invoices(subscription);
    expect(linesOf(third)).toEqual(['Calls: correction of usage: -4 × 1 = -4.00']);
    expect(linesOf(fourth)).toEqual(['Calls: late usage: 20 × 1 = 20.00']);
    expect(saidOn(await notesOn(first))).toEqual(['Calls: correction of usage: 50 × 1 = 50.00']);
  });

  it('also where amounts say it', async () => {
    const { clock, subscription, at } = await corrected({ price: { model: 'graduated', properties: { tiers } } });
    await shop.use(subscription.id, at, 70); // 80 in all, of which 10 are billed: 40 at 1 and 30 at 2
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    const late = (await shop.invoices(subscription))[2].lines.find(({ type }: Resource) => type === 'late_usage');
    expect(late).toMatchObject({ quantity: 70, totalPrice: '100.00' });
  });
});

describe('a correction that no invoice bears', () => {
  it('says its units on the credit notes of the invoices that billed it, the last one first', async () => {
    const { clock, subscription, at } = await corrected({ back: 30 }); // billed 100, then 30
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved' });
    await shop.advance(clock, 'PT1S');
    await shop.use(subscription.id, at, -50);
    await shop.advance(clock, 'P2M');
    const [first, second] = await shop.invoices(subscription);
    const notes = await notesOn(second);
    expect(saidOn(notes)).toEqual(['Calls: correction of usage: 30 × 1 = 30.00']);
    expect(notes[0].lines[0].appliesToLineId).toBe(second.lines[1].eventId);
    expect(saidOn(await notesOn(first))).toEqual(['Calls: correction of usage: 20 × 1 = 20.00']);
  });

  it("is nobody's money where its bill was never paid, and was written off before it is taken back", async () => {
    const { clock, subscription } = await corrected({});
    const [january, february] = await shop.invoices(subscription);
    expect([january.unpaidAmount, february.grandTotal]).toEqual(['60.00', '0.00']); // it bears 40 of the 90 units
    await shop.act(`/v2/invoices/${january.id}/writeOff`);
    await shop.use(subscription.id, february.periodStart, -40);
    await shop.advance(clock, '2026-03-05T00:00:00Z');
    await shop.advance(clock, '2026-04-05T00:00:00Z');
    expect(await notesOn(february)).toMatchObject([{ total: '0.00' }]);
    expect((await shop.read(`/v0/customers/${subscription.customerId}/wallet`)).balances).toMatchObject([]);
  });
});

it('the unused time of a fee is an amount, and names the line that billed it', async () => {
  const clock = await shop.clock(START);
  const plan = await shop.plan([await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '31' } })]);
  const subscription = await shop.subscribe(plan, { clock, autoCharge: false, bankTransferOnly: true });
  const upfront = (await shop.invoices(subscription)).find(({ kind }) => kind === 'upfront');
  await transfer(shop, upfront, upfront.unpaidAmount);
  await shop.advance(clock, '2026-01-11T00:00:00Z');
  await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved', credit: 'wallet' });
  const [note] = await notesOn(upfront);
  const [charge] = upfront.lines;
  expect(note.lines).toMatchObject([
    {
      ...{ appliesToLineId: charge.eventId, priceId: charge.priceId, displayName: 'Flat fee: not used' },
      ...{ quantity: '1', unitPrice: '21', amount: '21.00', total: '21.00' },
    },
  ]);
});
