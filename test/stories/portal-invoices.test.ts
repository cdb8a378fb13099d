import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { visit } from '../support/portal.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Plans, invoices and payments of customers in the portal. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const HOSTILE = `"><script>alert('x')</script>`;

describe('the overview', () => {
  it('asks for what is due, and leads to the page that takes the payment', async () => {
    const { invoice, subscription } = await shop.issued();
    const reader = await visit(env, shop, { id: subscription.customerId });
    expect(reader.first.words).toContain(`$12.00 Invoice ${invoice.invoiceNumber}`);
    const session = await reader.press(reader.first, /^Pay \$12\.00/);
    expect(session.address).toMatch(/^\/pay\/ps_/);
    const paid = await reader.press(session, /^Pay/, { paymentMethod: 'pm_ok' });
    expect(paid.status).toBe(200);
    const after = await reader.open('/portal');
    expect(after.words).toContain('There is nothing to pay.');
    expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID' });
  });

  it('names the next invoice and what it comes to, as the API does', async () => {
    const clock = await shop.clock(START);
    const metric = await shop.metric({ eventType: 'portal.call' });
    const price = await shop.usagePrice({ billableMetricId: metric.id });
    const plan = await shop.plan([await shop.feePrice(), price], { defaultTaxRate: 20 });
    const subscription = await shop.subscribe(plan, { clock });
    await shop.advance(clock, 'P10D');
    await shop.use(subscription.customerId, '2026-01-05T00:00:00Z', 7, { type: 'portal.call' });
    const upcoming = await shop.read(`/v0/subscriptions/${subscription.id}/upcomingInvoice`);
    expect(upcoming.grandTotal).toBe('20.40');
    const { first } = await visit(env, shop, { id: subscription.customerId });
    expect(first.words).toContain('Next invoice on 1 February 2026');
    expect(first.words).toContain('$20.40');
  });

  it('is another one for each customer, in the customer’s language', async () => {
    const { invoice, subscription } = await shop.issued();
    await shop.change(`/v0/customers/${subscription.customerId}`, { locale: 'fr' });
    const mine = await visit(env, shop, { id: subscription.customerId });
    expect(mine.first.language).toBe('fr');
    expect(mine.first.words).toContain(`Facture ${invoice.invoiceNumber}`);
    const other = await visit(env, shop, await shop.customer());
    expect(other.first.words).not.toContain(invoice.invoiceNumber);
  });
});

describe('the invoices', () => {
  it('are listed newest first, 20 on a page', async () => {
    const clock = await shop.clock(START);
    const plan = await shop.plan([await shop.feePrice()]);
    const subscription = await shop.subscribe(plan, { clock });
    for (let count = 0; count < 3; count += 1) await shop.advance(clock, 'P7M');
    const issued = (await shop.invoices(subscription)).filter(({ issuedAt }) => issuedAt !== null);
    expect(issued).toHaveLength(21);
    const reader = await visit(env, shop, { id: subscription.customerId });
    const first = await reader.follow(reader.first, 'Invoices');
    const numbers = issued.map(({ invoiceNumber }) => invoiceNumber).toReversed();
    const shown = (page: typeof first) => page.links.map(({ words }) => words).filter((each) => numbers.includes(each));
    expect(shown(first)).toEqual(numbers.slice(0, 20));
    const second = await reader.follow(first, 'Older');
    expect(shown(second)).toEqual(numbers.slice(20));
    expect((await reader.open('/portal/invoices?page=nonsense')).status).toBe(200);
    expect((await reader.open('/portal/invoices?page=99999')).status).toBe(200);
  });

  it.each(['en', 'de', 'fr'])('explain an amount that is not quantity times price, in %s', async (locale) => {
    const clock = await shop.clock(START);
    const metric = await shop.metric({ eventType: `portal.image.${locale}`, unit: 'image' });
    const properties = { unitPrice: '0.02', includedUnits: '20' };
    const price = await shop.usagePrice({ billableMetricId: metric.id, properties, maximumAmount: '1000' });
    const subscription = await shop.subscribe(await shop.plan([price, await shop.feePrice()]), { clock });
    await shop.use(subscription.customerId, '2026-01-05T00:00:00Z', 34, { type: metric.eventType });
    await shop.change(`/v0/customers/${subscription.customerId}`, { locale });
    const reader = await visit(env, shop, { id: subscription.customerId });
    const included = {
      en: '20 included, 14 charged',
      de: '20 inbegriffen, 14 berechnet',
      fr: '20 inclus, 14 facturés',
    }[locale] as string;
    await shop.advance(clock, 'P1M');
    const [invoice] = await shop.invoices(subscription);
    expect(invoice.lines.map(({ totalPrice }: Resource) => totalPrice)).toContain('0.28');
    const page = await reader.open(`/portal/invoices/${invoice.id}`);
    expect(page.words).toContain(included);
    // each note of the API is on the page of a customer who reads English
    const notes: string[] = invoice.lines.flatMap((line: Resource) => line.notes);
    expect(notes.length).toBeGreaterThan(0);
    if (locale === 'en') for (const note of notes) expect(page.words).toContain(note);
  });

  it('say where each figure comes from, and lead to their documents', async () => {
    const clock = await shop.clock(START);
    const metric = await shop.metric({ eventType: 'portal.tier' });
    const price = await shop.usagePrice({
      billableMetricId: metric.id,
      model: 'graduated',
      properties: {
        tiers: [
          { upTo: '10', unitPrice: '2' },
          { upTo: null, unitPrice: '1.5' },
        ],
      },
    });
    const plan = await shop.plan([price], { defaultTaxRate: 20 });
    const subscription = await shop.subscribe(plan, { clock });
    await shop.use(subscription.customerId, '2026-01-05T00:00:00Z', 14, { type: 'portal.tier' });
    await shop.advance(clock, 'P1M');
    const [invoice] = await shop.invoices(subscription);
    await shop.pay(invoice);
    const reader = await visit(env, shop, { id: subscription.customerId });
    const list = await reader.follow(reader.first, 'Invoices');
    const page = await reader.follow(list, invoice.invoiceNumber);
    for (const part of [
      'Subtotal $26.00',
      'Tax 20% $5.20',
      'Total $31.20',
      'Paid −$31.20',
      'Amount due $0.00',
      '14 calls Tiered prices $26.00',
      'above 0, up to 10 10 calls $2.00 $20.00',
      'above 10 4 calls $1.50 $6.00',
    ])
      expect(page.words).toContain(part);
    for (const { href } of page.links.filter(({ words }) => /\((?:PDF|XML)\)$/.test(words)))
      expect((await env.client().get(href)).status).toBe(200);
    expect(page.links.map(({ words }) => words)).toContain('Invoice (PDF)');
  });

  it('say how to pay where no card can', async () => {
    const { invoice, subscription } = await shop.issued({ bankTransferOnly: true });
    const reader = await visit(env, shop, { id: subscription.customerId });
    for (const page of [reader.first, await reader.open(`/portal/invoices/${invoice.id}`)]) {
      expect(page.text).not.toContain('Pay $');
      const shown = await reader.follow(page, /^How to pay/);
      expect([shown.address, shown.words]).toEqual([
        `/pay/invoices/${invoice.id}`,
        expect.stringContaining('transfer'),
      ]);
    }
  });

  it('show discounts as lines, so that the lines add up to the total', async () => {
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await shop.plan([await shop.feePrice()]), { clock });
    const off = { type: 'percentageDiscount', percentageDiscount: '0.25', effectiveFrom: START, description: 'Spring' };
    await shop.create(`/v0/subscriptions/${subscription.id}/adjustments`, off);
    await shop.advance(clock, 'P1M');
    const [invoice] = await shop.invoices(subscription);
    const reader = await visit(env, shop, { id: subscription.customerId });
    expect((await reader.open(`/portal/invoices/${invoice.id}`)).words).toMatch(/\$10\.00 .*−\$2\.50 /);
  });

  it('keep hostile names as text', async () => {
    const fee = await shop.create('/v0/fees', {
      name: HOSTILE,
      description: HOSTILE,
      productId: (await shop.product()).id,
    });
    const price = await shop.feePrice({ feeId: fee.id, invoiceDisplayName: HOSTILE });
    const plan = await shop.plan([price], { name: HOSTILE, invoiceDisplayName: HOSTILE });
    const customer = await shop.customer({
      consumer: { name: HOSTILE, email: 'hostile@example.com', address: { line1: HOSTILE, city: HOSTILE } },
    });
    const clock = await shop.clock(START);
    const subscription: Resource = await shop.subscribe(plan, { clock, customer, name: HOSTILE });
    await shop.advance(clock, 'P1M');
    const [invoice] = await shop.invoices(subscription);
    const reader = await visit(env, shop, customer);
    for (const path of ['', '/invoices', `/invoices/${invoice.id}`]) {
      const page = await reader.open(`/portal${path}`);
      expect(page.status).toBe(200);
      expect(page.text).not.toContain('<script');
      expect(page.text).toContain('&quot;&gt;&lt;script&gt;');
    }
  });
});
