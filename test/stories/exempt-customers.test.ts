import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPdf } from '../../src/documents/testing/read-pdf.ts';
import { nodesAt, readXml, textsAt } from '../../src/documents/testing/read-xml.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Customers that are exempt from tax, whatever they buy, and what their documents say (docs/taxes.md). */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await openTestEnvironment({ documents: 'typeset', recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
  await shop.change(`/v0/organizations/${merchant.id}`, {
    ...{ taxId: 'GB980780684', address: { line1: '2 High Street', city: 'London', zipCode: 'E1 6AN', country: 'GB' } },
    settings: { defaultTaxRate: 20, invoiceNotes: { exempt: 'Exempt, says the merchant' } },
  });
});
afterAll(() => env.close());

const REASON = 'Exempt: diplomatic mission';
const exempt = (fields: object = {}): Promise<Resource> => shop.customer({ taxExempt: true, ...fields });
const lines = [{ displayName: 'Service', quantity: 1, unitPrice: '100' }];
const bill = (customer: Resource, fields: object = {}, of = shop): Promise<Resource> =>
  of.create('/v2/invoices', { customerId: customer.id, currency: 'USD', lines, ...fields });
const TAX = 'SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/ApplicableTradeTax';
async function documentsOf({ id }: Resource, by = merchant) {
  await env.runDueWork();
  const xml = readXml((await by.get(`/v2/invoices/${id}/document.xml`)).bytes.toString());
  return {
    groups: nodesAt(xml, TAX).map((group) => [
      ...textsAt(group, 'CategoryCode'),
      textsAt(group, 'ExemptionReason')[0] ?? null,
    ]),
    text: readPdf((await by.get(`/v2/invoices/${id}/pdf`)).bytes)
      .pages.join('\n')
      .replaceAll('\u00a0', ' '),
  };
}

describe('a customer', () => {
  it('is not exempt unless it is said, and answers both fields', async () => {
    const plain = await shop.customer();
    expect(plain).toMatchObject({ taxExempt: false, taxExemptReason: null });
    const changed = await shop.change(`/v0/customers/${plain.id}`, { taxExempt: true, taxExemptReason: REASON });
    expect(changed).toMatchObject({ taxExempt: true, taxExemptReason: REASON });
    expect(await shop.change(`/v0/customers/${plain.id}`, { taxExemptReason: null })).toMatchObject({
      ...{ taxExempt: true, taxExemptReason: null },
    });
    expect(await shop.read(`/v0/customers/${plain.id}`)).toMatchObject({ taxExempt: true });
  });

  it('of a known externalId is the same only with the same exemption', async () => {
    const consumer = { name: 'Mission', email: 'mission@example.com', address: { country: 'GB' } };
    const body = { externalId: 'mission', consumer, taxExempt: true, taxExemptReason: REASON };
    await shop.create('/v0/customers', body);
    expect((await merchant.post('/v0/customers', body)).status).toBe(200);
    const other = await merchant.post('/v0/customers', { ...body, taxExempt: false, taxExemptReason: 'Other' });
    expect(other).toMatchObject({
      status: 409,
      body: { code: 'EXTERNAL_ID_TAKEN', details: { differing: ['taxExempt', 'taxExemptReason'] } },
    });
  });

  it.each([{ taxExempt: 'yes' }, { taxExemptReason: '' }, { taxExemptReason: 'x'.repeat(501) }])(
    'is not changed by %j',
    async (fields) => {
      const { id } = await shop.customer();
      const answer = await merchant.patch(`/v0/customers/${id}`, fields);
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: Object.keys(fields)[0] }] } });
    },
  );

  it('of another merchant is not touched', async () => {
    const { id } = await exempt();
    const stranger = await env.merchant();
    expect((await stranger.patch(`/v0/customers/${id}`, { taxExempt: false })).status).toBe(403);
    expect((await shop.read(`/v0/customers/${id}`)).taxExempt).toBe(true);
  });
});

describe('an exempt customer', () => {
  it('pays no tax on an invoice by hand, whatever rates there are, and the documents say why', async () => {
    const customer = await exempt({ taxExemptReason: REASON, taxRates: { default: 7 } });
    const rated = [...lines, { displayName: 'Book', quantity: 1, unitPrice: '10', taxRate: 5 }];
    const invoice = await bill(customer, { lines: rated, autoApprove: true });
    expect(invoice).toMatchObject({ status: 'ISSUED', subtotal: '110.00', totalTax: '0.00' });
    const { groups, text } = await documentsOf(invoice);
    expect(groups).toEqual([['E', REASON]]);
    expect(text).toContain(REASON);
    expect(text).not.toContain('says the merchant');
  });

  it("has the merchant's words on its documents without a reason of its own", async () => {
    const invoice = await bill(await exempt(), { autoApprove: true });
    expect((await documentsOf(invoice)).groups).toEqual([['E', 'Exempt, says the merchant']]);
  });

  it('pays no tax on a period, an upfront invoice, a grant or a simulation; a top-up has none anyway', async () => {
    const customer = await exempt({ taxExemptReason: REASON });
    const fees = [await shop.feePrice(), await shop.feePrice({ paymentTerm: 'in_advance', taxRate: 25 })];
    const plan = await shop.plan(fees, { defaultTaxRate: 20 });
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(plan, { customer, clock, bankTransferOnly: true });
    expect(subscription.estimatedTaxRate).toBe(0);
    await shop.advance(clock, 'P1M');
    const invoices = await shop.invoices(subscription);
    expect(invoices.map(({ kind }) => kind)).toContain('upfront');
    for (const { totalTax, lines: own } of invoices) {
      expect(totalTax).toBe('0.00');
      expect(own.map(({ taxRate }: Resource) => taxRate)).toEqual(own.map(() => 0));
    }
    const span = { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' };
    const simulated = (customerId?: string) =>
      shop.act(`/v0/plans/${plan.id}/simulate`, { ...span, ...(customerId ? { customerId } : { usage: {} }) });
    expect([(await simulated(customer.id)).totalTax, (await simulated()).totalTax]).toEqual(['0.00', '4.50']);
    const topUp = await shop.create(`/v0/customers/${customer.id}/wallet/topUps`, {
      ...{ amount: '50', currency: 'USD', idempotencyKey: 'top-up' },
    });
    expect(await shop.invoice(topUp.invoiceId)).toMatchObject({ totalTax: '0.00', serviceFrom: null });
  });

  it('pays the quoted price where prices include tax', async () => {
    const customer = await exempt();
    const plan = await shop.plan([await shop.feePrice({ properties: { unitPrice: '119' } })], {
      ...{ taxBehavior: 'inclusive', defaultTaxRate: 19 },
    });
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(plan, { customer, clock, bankTransferOnly: true });
    await shop.advance(clock, 'P1M');
    const [first] = await shop.invoices(subscription);
    expect(first).toMatchObject({ subtotal: '119.00', totalTax: '0.00', grandTotal: '119.00' });
  });

  it('keeps the tax of a draft whose customer was changed, and has the reason as of its issue', async () => {
    const customer = await exempt({ taxExemptReason: 'Written badly' });
    const draft = await bill(customer);
    await shop.change(`/v0/customers/${customer.id}`, { taxExempt: false, taxExemptReason: REASON });
    const issued = await shop.act(`/v2/invoices/${draft.id}/approve`);
    expect(issued).toMatchObject({ status: 'ISSUED', totalTax: '0.00' });
    expect((await documentsOf(issued)).groups).toEqual([['E', REASON]]);
    await shop.change(`/v0/customers/${customer.id}`, { taxExemptReason: 'Too late' });
    expect((await documentsOf(issued)).text).toContain(REASON);
    expect((await bill(customer)).totalTax).toBe('20.00');
  });

  it('is taxed again by recalculate, while it is a draft', async () => {
    const customer = await exempt();
    const draft = await bill(customer);
    await shop.change(`/v0/customers/${customer.id}`, { taxExempt: false });
    await shop.act(`/v2/invoices/${draft.id}/recalculate`);
    await env.runDueWork();
    expect(await shop.invoice(draft.id)).toMatchObject({ status: 'DRAFT', totalTax: '20.00' });
  });

  it('has its reason on a refund, too', async () => {
    const invoice = await bill(await exempt({ taxExemptReason: REASON }), { autoApprove: true });
    await shop.pay(invoice);
    const refund = await shop.create(`/v2/invoices/${invoice.id}/refunds`);
    await env.runDueWork();
    const xml = (await merchant.get(`/v2/invoices/${invoice.id}/refunds/${refund.id}/document.xml`)).bytes;
    expect(textsAt(readXml(xml.toString()), `${TAX}/ExemptionReason`)).toEqual([REASON]);
  });
});

describe('taxExempt of an invoice', () => {
  it('decides over the customer, both ways', async () => {
    expect((await bill(await exempt(), { taxExempt: false })).totalTax).toBe('20.00');
    const invoice = await bill(await shop.customer(), { taxExempt: true, autoApprove: true });
    expect(invoice.totalTax).toBe('0.00');
    expect((await documentsOf(invoice)).groups).toEqual([['E', 'Exempt, says the merchant']]);
  });

  it('makes a reason without an exempt customer count', async () => {
    const customer = await shop.customer({ taxExemptReason: REASON });
    const taxed = await bill(customer, { autoApprove: true });
    expect((await documentsOf(taxed)).text).not.toContain(REASON);
    const free = await bill(customer, { taxExempt: true, autoApprove: true });
    expect((await documentsOf(free)).groups).toEqual([['E', REASON]]);
  });

  it('is part of the content under an idempotency key', async () => {
    const customer = await shop.customer();
    const body = { customerId: customer.id, currency: 'USD', lines, idempotencyKey: 'one' };
    await shop.create('/v2/invoices', { ...body, taxExempt: true });
    expect((await merchant.post('/v2/invoices', { ...body, taxExempt: true })).status).toBe(200);
    for (const other of [{}, { taxExempt: false }, { taxExempt: true, serviceFrom: START }])
      expect((await merchant.post('/v2/invoices', { ...body, ...other })).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });
});

describe('with a registration for tax', () => {
  it('an exempt business abroad keeps reverse charge, and a consumer abroad is exempt', async () => {
    const german = await env.merchant();
    const of = shopOf(german);
    await of.change(`/v0/organizations/${german.id}`, {
      address: { line1: 'Am Tor 1', city: 'Bremen', zipCode: '28195', country: 'DE' },
      settings: { taxRegistrations: [{ country: 'DE', taxId: 'DE136695976', from: '2020-01-01' }] },
    });
    const buyer = (fields: object) =>
      of.customer({
        consumer: { name: 'Buyer', email: `b${JSON.stringify(fields).length}@example.com`, address: { country: 'FR' } },
        ...{ taxExempt: true, taxExemptReason: REASON, ...fields },
      });
    const business = await buyer({ taxId: 'FR00000000000' });
    await env.runDueWork();
    const reversed = await bill(business, { autoApprove: true }, of);
    expect((await documentsOf(reversed, german)).groups).toEqual([['AE', expect.stringContaining('Article 196')]]);
    const consumer = await bill(await buyer({}), { autoApprove: true }, of);
    expect((await documentsOf(consumer, german)).groups).toEqual([['E', REASON]]);
    expect((await of.read(`/v2/invoices/${consumer.id}/explain`)).place).toMatchObject({ treatment: 'exempt' });
  });

  it('without one, a reason of its own comes before the guess of reverse charge', async () => {
    const seller = await env.merchant();
    const of = shopOf(seller);
    await of.change(`/v0/organizations/${seller.id}`, {
      ...{ taxId: 'DE136695976', address: { line1: 'Am Tor 1', city: 'Bremen', zipCode: '28195', country: 'DE' } },
    });
    const consumer = { name: 'Buyer', email: 'guess@example.com', address: { country: 'FR' } };
    const customer = await of.customer({ consumer, taxId: 'FR40303265045', taxExempt: true, taxExemptReason: REASON });
    const first = await bill(customer, { autoApprove: true }, of);
    expect((await documentsOf(first, seller)).groups).toEqual([['E', REASON]]);
    await of.change(`/v0/customers/${customer.id}`, { taxExemptReason: null });
    const second = await bill(customer, { autoApprove: true }, of);
    expect((await documentsOf(second, seller)).groups).toEqual([['AE', expect.stringContaining('Article 196')]]);
  });
});
