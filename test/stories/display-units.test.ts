import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { readPdf } from '../../src/documents/testing/read-pdf.ts';
import { readXml, textsAt } from '../../src/documents/testing/read-xml.ts';
import type { Locale } from '../../src/kernel/locale.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { readerOf } from '../support/page-reader.ts';
import { visit } from '../support/portal.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Units in which quantities and prices are shown (commercial.md §5). Amounts are worked by hand. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await openTestEnvironment({ documents: 'typeset' });
  env.setNow(START);
  merchant = await env.merchant();
  shop = shopOf(merchant);
  await shop.change(`/v0/organizations/${merchant.id}`, {
    taxId: 'DE 123 456 789',
    address: { line1: 'Torstraße 140', city: 'Berlin', zipCode: '10119', country: 'DE' },
  });
});
afterAll(() => env.close());

const MILLION = { per: '1000000', name: '1M tokens' };
const TIERS = {
  tiers: [
    { upTo: '10000000', unitPrice: '0.0000025', flatPrice: '1' },
    { upTo: null, unitPrice: '0.0000012' },
  ],
};
const LINE_BASIS =
  'SupplyChainTradeTransaction/IncludedSupplyChainTradeLineItem/SpecifiedLineTradeAgreement/NetPriceProductTradePrice/BasisQuantity';
const SPACES = /[\u00a0\u202f]/g;
const pdfOf = async (path: string): Promise<string> =>
  readPdf((await merchant.get(path)).bytes)
    .pages.join('\n')
    .replace(SPACES, ' ');

/** A month with 12,400,000 tokens on a price of a metric that is shown in millions, and its invoice. */
async function month(price: object = {}, { locale = 'en' as Locale, metric = {} } = {}) {
  const clock = await shop.clock(START);
  const measured = await shop.metric({ unit: 'token', displayUnit: MILLION, eventType: `t${clock.id}`, ...metric });
  const sold = await shop.usagePrice({
    ...{ billableMetricId: measured.id, properties: { unitPrice: '0.0000025' } },
    ...price,
  });
  const customer = await shop.customer({ locale });
  const plan = await shop.plan([sold]);
  const subscription = await shop.subscribe(plan, { clock, customer, bankTransferOnly: true });
  await shop.use(subscription.id, '2026-01-10T00:00:00Z', 12_400_000, { type: `t${clock.id}` });
  await shop.advance(clock, 'P1M');
  const [invoice] = await shop.invoices(subscription);
  return { clock, plan, metric: measured, price: sold, customer, subscription, invoice };
}
const pageOf = async (invoice: Resource): Promise<string> =>
  (await readerOf(env.client()).open(`/pay/invoices/${invoice.id}`)).words.replace(SPACES, ' ');

describe('an invoice says quantities and prices in the display unit', () => {
  it('on paper, on its page and in the portal; figures on the wire stay for one unit', async () => {
    const { invoice, customer, metric, price } = await month();
    expect([metric.displayUnit, price.displayUnit]).toEqual([MILLION, null]);
    // 12,400,000 × 0.0000025 = 31.00
    expect(invoice.lines[0]).toMatchObject({
      ...{ quantity: 12_400_000, unitPrice: '0.0000025', metricUnit: 'token', displayUnit: MILLION },
      totalPrice: '31.00',
    });
    expect(await pdfOf(`/v2/invoices/${invoice.id}/pdf`)).toMatch(/12\.4 ×\s+1M tokens\s+2\.50/);
    expect(await pageOf(invoice)).toContain('12.4 × 1M tokens at $2.50');
    const portal = await visit(env, shop, { id: customer.id });
    const shown = (await portal.open(`/portal/invoices/${invoice.id}`)).words.replace(SPACES, ' ');
    expect(shown).toMatch(/12\.4 × 1M tokens \$2\.50 \$31\.00/);
    expect((await portal.open('/portal/usage')).words.replace(SPACES, ' ')).toContain('$2.50 per 1M tokens');
    const xml = readXml((await merchant.get(`/v2/invoices/${invoice.id}/document.xml`)).bytes.toString());
    expect(textsAt(xml, LINE_BASIS)).toEqual(['1000000']);
  });

  it('with all digits, of any number of units', async () => {
    const hours = { displayUnit: { per: '3600', name: 'hours' } };
    const { invoice } = await month({ properties: { unitPrice: '0.0025' } }, { metric: hours });
    // 12,400,000 ÷ 3600 does not end: 12 digits; 0.0025 × 3600 = 9
    expect(await pageOf(invoice)).toContain('3,444.444444444444 × hours at $9.00');
  });

  it('with a row for each tier', async () => {
    const { invoice, customer } = await month({ model: 'graduated', properties: TIERS });
    // 1 + 10,000,000 × 0.0000025 + 2,400,000 × 0.0000012 = 1 + 25 + 2.88
    expect(invoice.lines[0]).toMatchObject({ totalPrice: '28.88', tiers: [{ quantity: '10000000' }, {}] });
    expect(await pageOf(invoice)).toContain('10 × 1M tokens at $2.50 + $1.00 + 2.4 × 1M tokens at $1.20');
    const paper = await pdfOf(`/v2/invoices/${invoice.id}/pdf`);
    for (const row of [/0 – 10.*\s+10\s+2\.50\s+26\.00/, /over 10\s+2\.4\s+1\.20\s+2\.88/i]) expect(paper).toMatch(row);
    const portal = await visit(env, shop, { id: customer.id });
    const shown = (await portal.open(`/portal/invoices/${invoice.id}`)).words.replace(SPACES, ' ');
    for (const row of ['10 × 1M tokens $2.50 $1.00 $26.00', '2.4 × 1M tokens $1.20 $0.00 $2.88'])
      expect(shown).toContain(row);
  });

  it.each([
    ['de', '12,4 × 1M tokens zu je 2,50 $'],
    ['fr', '12,4 × 1M tokens à 2,50 $'],
    ['es', '12,4 × 1M tokens a 2,50 $'],
  ] as const)('in the language of the customer: %s', async (locale, said) => {
    const { invoice } = await month({}, { locale });
    expect(await pageOf(invoice)).toContain(said);
    expect(await pdfOf(`/v2/invoices/${invoice.id}/pdf`)).toMatch(/12,4 ×\s+1M tokens\s+2,50/);
  });

  it('with included units, and on the credit note of a refund', async () => {
    const { invoice, subscription } = await month({ properties: { unitPrice: '0.0000025', includedUnits: '400000' } });
    // 12,000,000 × 0.0000025 = 30.00
    expect(invoice.lines[0]).toMatchObject({
      totalPrice: '30.00',
      notes: ['0.4\u00a0× 1M tokens included, 12\u00a0× 1M tokens charged'],
    });
    await shop.create(`/v2/invoices/${invoice.id}/payments`, {
      ...{ amount: '30.00', method: 'bank_transfer', idempotencyKey: 'paid' },
    });
    const note = await shop.create(`/v2/invoices/${invoice.id}/refunds`, { reason: 'wrong' });
    expect(await pdfOf(`/v2/invoices/${invoice.id}/refunds/${note.id}/pdf`)).toMatch(/12\.4 ×\s+1M tokens/);
    expect(subscription.id).toBe(invoice.subscriptionId);
  });
});

describe('the unit', () => {
  it('is the one of the price, else of the metric, and of issued invoices as it was', async () => {
    const own = { per: '1000', name: '1K tokens' };
    const { clock, invoice, metric, price, subscription } = await month({ displayUnit: own });
    expect(price.displayUnit).toEqual(own);
    expect(await pageOf(invoice)).toContain('12,400 × 1K tokens at $0.0025');
    // a version has the price: what only pages say can change all the same
    expect((await shop.change(`/v0/prices/${price.id}`, { displayUnit: null })).displayUnit).toBeNull();
    const renamed = { per: '1000000', name: 'Mtok' };
    await shop.change(`/v0/billableMetrics/${metric.id}`, { displayUnit: { ...renamed, per: '1000000.0' } });
    await shop.use(subscription.id, '2026-02-10T00:00:00Z', 2_000_000, { type: `t${clock.id}` });
    await shop.advance(clock, 'P1M');
    const [first, second] = await shop.invoices(subscription);
    expect([first.lines[0].displayUnit, second.lines[0].displayUnit]).toEqual([own, renamed]);
    expect(await pageOf(second)).toContain('2 × Mtok at $2.50');
    await shop.change(`/v0/billableMetrics/${metric.id}`, { displayUnit: null });
    expect(await pageOf(first)).toContain('12,400 × 1K tokens at $0.0025');
  });

  it('is refused on a price of packages or of a percentage, whose metric may have one', async () => {
    const metric = await shop.metric({ displayUnit: MILLION });
    const price = { billableMetricId: metric.id, invoiceDisplayName: 'x', paymentTerm: 'in_arrears' };
    for (const fields of [
      { model: 'package', properties: { size: '1000', price: '2' } },
      { model: 'percentage', properties: { percentage: '0.1' } },
    ]) {
      const answer = await merchant.post('/v0/prices', { ...price, ...fields, displayUnit: MILLION });
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'displayUnit']);
    }
    const { invoice } = await month({ model: 'package', properties: { size: '1000000', price: '2' } });
    expect(invoice.lines[0]).toMatchObject({ displayUnit: null, totalPrice: '26.00' });
    expect(await pageOf(invoice)).toContain('12,400,000 tokens');
  });

  it.each([
    [{ per: '0', name: 'x' }, 'displayUnit.per'],
    [{ per: '-1', name: 'x' }, 'displayUnit.per'],
    [{ per: '1' }, 'displayUnit.name'],
    [{ per: '1', name: '' }, 'displayUnit.name'],
    [{ per: '1', name: 'x', unit: 'y' }, 'displayUnit.unit'],
  ])('is refused as %j', async (displayUnit, field) => {
    const body = { name: 'x', aggregation: 'COUNT', productId: (await shop.product()).id, displayUnit };
    const answer = await merchant.post('/v0/billableMetrics', body);
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
  });
});

it('a sign-up page says prices in it', async () => {
  const metric = await shop.metric({ unit: 'token', displayUnit: MILLION });
  const prices = [
    await shop.usagePrice({ billableMetricId: metric.id, properties: { unitPrice: '0.0000025' } }),
    await shop.usagePrice({ billableMetricId: metric.id, model: 'graduated', properties: TIERS }),
  ];
  const link = await shop.create('/v0/checkoutLinks', { planId: (await shop.plan(prices)).id });
  const { words } = await readerOf(env.client()).open(new URL(link.url).pathname);
  for (const part of ['$2.50 per 1M tokens', 'per 1M tokens', 'up to 10,000,000 $2.50', '$1.20'])
    expect(words.replace(SPACES, ' ').toLowerCase()).toContain(part.toLowerCase());
});

it('nothing is left that the auditor or a recomputation would see', async () => {
  expect((await auditDatabase(env.url)).violations).toEqual([]);
  expect((await recomputeDatabase(env.url, { merchants: [merchant.id] })).differing).toEqual([]);
});
