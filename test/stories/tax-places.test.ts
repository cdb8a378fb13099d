import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPdf } from '../../src/documents/testing/read-pdf.ts';
import { nodesAt, readXml, textsAt, type XmlNode } from '../../src/documents/testing/read-xml.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';
import { openVies, type Vies } from '../support/vies.ts';

/** Sales of a German merchant to the world, from the setting to the invoice and its documents. */
let vies: Vies;
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  vies = await openVies();
  env = await openTestEnvironment({ viesUrl: vies.url, documents: 'typeset', recomputed: true });
  [merchant, shop] = await registered([GERMANY, OSS]);
});
afterAll(async () => {
  await env.close();
  vies.close();
});

const GERMANY = { country: 'DE', taxId: 'DE136695976', from: '2020-01-01' };
const OSS = { ...GERMANY, scheme: 'oss' };

async function registered(taxRegistrations: readonly object[], settings: object = {}): Promise<[Merchant, Shop]> {
  const made = await env.merchant();
  const of = shopOf(made);
  await of.change(`/v0/organizations/${made.id}`, {
    ...{ name: 'Nord GmbH', address: { line1: 'Am Tor 1', city: 'Bremen', zipCode: '28195', country: 'DE' } },
    settings: { taxRegistrations, ...settings },
  });
  return [made, of];
}

let made = 0;
const buyer = (of: Shop, country: string, fields: object = {}, address: object = {}): Promise<Resource> => {
  made += 1;
  const consumer = { name: `Buyer ${made}`, email: `place${made}@example.com`, address: { country, ...address } };
  return of.customer({ consumer, ...fields });
};
const bill = async (of: Shop, customer: Resource, fields: object = {}, currency = 'EUR'): Promise<Resource> => {
  const invoice = await of.create('/v2/invoices', {
    ...{ customerId: customer.id, currency, autoApprove: true },
    lines: [{ displayName: 'Service', quantity: 1, unitPrice: '100', ...fields }],
  });
  await env.runDueWork();
  return of.invoice(invoice.id);
};
const explained = (of: Shop, { id }: Resource) => of.read(`/v2/invoices/${id}/explain`);
const SETTLEMENT = 'SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement';
/** The tax in the e-invoice, and the text of the PDF. */
async function documentsOf(by: Merchant, { id }: Resource) {
  const xml = readXml((await by.get(`/v2/invoices/${id}/document.xml`)).bytes.toString());
  const groups = nodesAt(xml, `${SETTLEMENT}/ApplicableTradeTax`).map((group: XmlNode) => [
    ...[textsAt(group, 'CategoryCode')[0], textsAt(group, 'RateApplicablePercent')[0] ?? null],
    textsAt(group, 'ExemptionReason')[0] ?? null,
  ]);
  return {
    groups,
    text: readPdf((await by.get(`/v2/invoices/${id}/pdf`)).bytes)
      .pages.join('\n')
      .replaceAll('\u00a0', ' '),
  };
}

describe('with registrations in Germany and for the one-stop shop', () => {
  it.each([
    { what: 'a consumer at home', country: 'DE', address: {}, totalTax: '19.00', treatment: 'domestic' },
    { what: 'a consumer in Finland', country: 'FI', address: {}, totalTax: '25.50', treatment: 'consumer_abroad' },
    {
      what: 'a consumer on the Canary Islands',
      country: 'ES',
      address: { zipCode: '35001' },
      ...{ totalTax: '0.00', treatment: 'outside' },
    },
    { what: 'a customer in the United States', country: 'US', address: {}, totalTax: '0.00', treatment: 'outside' },
  ])('$what pays $totalTax of tax', async ({ country, address, totalTax, treatment }) => {
    const invoice = await bill(shop, await buyer(shop, country, {}, address));
    expect(invoice).toMatchObject({ status: 'ISSUED', subtotal: '100.00', totalTax });
    expect(await explained(shop, invoice)).toMatchObject({
      place: { treatment, taxIdStatus: 'none' },
      lines: [{ tax: { decidedBy: 'place' } }],
      recalculation: { isSame: true },
    });
  });

  it('a business in France owes the tax itself once its number is confirmed, and the documents say so', async () => {
    const customer = await buyer(shop, 'FR', { taxId: 'FR40303265045' });
    const before = await bill(shop, customer);
    expect(before.totalTax).toBe('20.00'); // the number was unconfirmed: the register is down
    expect((await explained(shop, before)).place).toMatchObject({
      ...{ treatment: 'consumer_abroad', country: 'FR', rate: 20, taxIdStatus: 'unchecked' },
      because: expect.stringContaining('No register has confirmed'),
      registration: { country: 'DE', taxId: 'DE136695976', scheme: 'oss' },
    });

    vies.tell('FR40303265045', 'valid');
    env.setNow(Temporal.Now.instant().add({ hours: 1 }).toString());
    await env.runDueWork();
    const after = await bill(shop, customer);
    expect(after).toMatchObject({ totalTax: '0.00', grandTotal: '100.00' });
    expect((await explained(shop, after)).place).toMatchObject({
      ...{ treatment: 'reverse_charge', country: 'FR', rate: 0, taxIdStatus: 'valid' },
    });
    const { groups, text } = await documentsOf(merchant, after);
    expect(groups).toEqual([['AE', '0', expect.stringContaining('Article 196')]]);
    expect(text).toContain('Reverse charge: the recipient accounts for the VAT');
    expect(text).toContain('DE136695976'); // of the registration, for the merchant itself has none
    expect((await documentsOf(merchant, before)).groups).toEqual([['S', '20', null]]);
  });

  it('a business whose number is wrong pays like a consumer', async () => {
    const customer = await buyer(shop, 'NL', { taxId: 'NL004495455B01' });
    const invoice = await bill(shop, customer);
    expect(invoice.totalTax).toBe('21.00');
    expect((await explained(shop, invoice)).place).toMatchObject({ taxIdStatus: 'invalid', country: 'NL' });
  });

  it('a number that was confirmed counts while the register is down', async () => {
    vies.tell('ATU13585627', 'valid');
    const customer = await buyer(shop, 'AT', { taxId: 'ATU13585627' });
    await env.runDueWork();
    vies.tell('ATU13585627', 'down');
    env.setNow(
      Temporal.Now.instant()
        .add({ hours: 24 * 91 })
        .toString(),
    );
    await env.runDueWork();
    expect((await bill(shop, customer)).totalTax).toBe('0.00');
  });

  it('a sale outside the European Union is outside the scope of tax, and the documents say so', async () => {
    const invoice = await bill(shop, await buyer(shop, 'US', {}, { zipCode: '10001' }));
    const { groups, text } = await documentsOf(merchant, invoice);
    const note = 'Outside the scope of VAT: the place of supply is not in the country of the seller';
    expect(groups).toEqual([['O', '0', note]]);
    expect(text).toContain('Outside the scope of VAT');
  });

  it('rates that are set for the customer win, and rates of a line hold at home only', async () => {
    expect((await bill(shop, await buyer(shop, 'FR', { taxRates: { default: 5.5 } }))).totalTax).toBe('5.50');
    expect((await bill(shop, await buyer(shop, 'DE'), { taxRate: 7 })).totalTax).toBe('7.00');
    const abroad = await bill(shop, await buyer(shop, 'FR'), { taxRate: 7 });
    expect(abroad.totalTax).toBe('20.00');
    const own = await bill(shop, await buyer(shop, 'US', { taxRates: { default: 8.875 } }));
    expect(own.totalTax).toBe('8.88');
    expect((await explained(shop, own)).lines[0].tax).toMatchObject({ decidedBy: 'customer_default' });
    expect((await documentsOf(merchant, own)).groups).toEqual([['S', '8.875', null]]);
  });

  it('taxes currencies of no and of three digits to their minor unit', async () => {
    const yen = await bill(shop, await buyer(shop, 'FI'), { unitPrice: '101' }, 'JPY');
    expect(yen).toMatchObject({ subtotal: '101', totalTax: '26', grandTotal: '127' }); // 25.755
    const dinar = await bill(shop, await buyer(shop, 'FI'), { unitPrice: '0.101' }, 'KWD');
    expect(dinar).toMatchObject({ subtotal: '0.101', totalTax: '0.026', grandTotal: '0.127' });
  });
});

describe('subscriptions', () => {
  it('are taxed by the place and the last day of each period, also in previews', async () => {
    const clock = await shop.clock('2025-05-15T00:00:00Z');
    const plan = await shop.plan([await shop.feePrice()], { currency: 'EUR', defaultTaxRate: 7 });
    const subscription = await shop.subscribe(plan, { clock, customer: await buyer(shop, 'EE') });
    expect(subscription.estimatedTaxRate).toBe(22);
    await shop.advance(clock, '2025-07-20T00:00:00Z');
    // 15 May to 15 June ends under 22 %, 15 June to 15 July under the 24 % of July: the rate changes inside the period.
    const [first, second] = await shop.invoices(subscription);
    expect([first.totalTax, second.totalTax]).toEqual(['2.20', '2.40']);
    expect((await explained(shop, second)).place).toMatchObject({ rate: 24, taxPoint: '2025-07-14' });
    expect((await shop.read(`/v0/subscriptions/${subscription.id}`)).estimatedTaxRate).toBe(24);
  });

  it('at home estimate the highest rate of their prices and metrics, which come before the plan’s', async () => {
    const customer = await buyer(shop, 'DE');
    const clock = await shop.clock('2026-01-01T00:00:00Z');
    const estimateOf = async (...prices: Resource[]) =>
      (await shop.subscribe(await shop.plan(prices, { currency: 'EUR', defaultTaxRate: 7 }), { clock, customer }))
        .estimatedTaxRate;
    const metric = await shop.metric({ taxRate: 19 });
    const usage = await shop.usagePrice({ billableMetricId: metric.id });
    expect(await estimateOf(await shop.feePrice({ taxRate: 20 }))).toBe(20);
    expect(await estimateOf(usage)).toBe(19);
    expect(await estimateOf(usage, await shop.feePrice())).toBe(19);
    expect(await estimateOf(await shop.feePrice({ taxRate: 0 }))).toBe(0);
  });

  it('at home have the rate of their plan, and exempt ones none', async () => {
    const plan = await shop.plan([await shop.feePrice()], { currency: 'EUR', defaultTaxRate: 7 });
    const customer = await buyer(shop, 'DE');
    const clock = await shop.clock('2026-01-01T00:00:00Z');
    const taxed = await shop.subscribe(plan, { clock, customer });
    const exempt = await shop.subscribe(plan, { clock, customer, taxExempt: true });
    expect([taxed.estimatedTaxRate, exempt.estimatedTaxRate]).toEqual([7, 0]);
    await shop.advance(clock, '2026-02-02T00:00:00Z');
    const [[seven], [none]] = [await shop.invoices(taxed), await shop.invoices(exempt)];
    expect([seven.totalTax, none.totalTax]).toEqual(['0.70', '0.00']);
    expect((await explained(shop, none)).place).toMatchObject({ treatment: 'exempt' });
    expect((await documentsOf(merchant, none)).groups).toEqual([['E', '0', 'Exempt from VAT']]);
  });

  it('keep the registration that taxed them on their invoices when it is gone', async () => {
    const [by, of] = await registered([GERMANY, OSS]);
    const invoice = await bill(of, await buyer(of, 'FR'));
    await of.change(`/v0/organizations/${by.id}`, { settings: { taxRegistrations: null, defaultTaxRate: 3 } });
    expect((await explained(of, invoice)).place).toMatchObject({ registration: { scheme: 'oss' } });
    expect(await explained(of, invoice)).toMatchObject({ recalculation: { isSame: true } });
    const next = await bill(of, await buyer(of, 'FR'));
    expect(next.totalTax).toBe('3.00'); // as before there were registrations
    expect((await explained(of, next)).place).toBeNull();
  });
});

describe('without the one-stop shop', () => {
  it('consumers in other member states pay the tax at home', async () => {
    const [, of] = await registered([GERMANY]);
    const invoice = await bill(of, await buyer(of, 'FR'));
    expect(invoice.totalTax).toBe('19.00');
    expect((await explained(of, invoice)).place).toMatchObject({
      ...{ treatment: 'domestic', country: 'DE', because: expect.stringContaining('Article 59c') },
    });
  });

  it('a registration in the country of the customer taxes there, and its number is on the document', async () => {
    const [by, of] = await registered([GERMANY, { country: 'GB', taxId: 'GB980780684', from: '2021-01-01' }]);
    const invoice = await bill(of, await buyer(of, 'GB'));
    expect(invoice.totalTax).toBe('20.00');
    const { groups, text } = await documentsOf(by, invoice);
    expect(groups).toEqual([['S', '20', null]]);
    expect(text).toContain('GB980780684');
  });

  it('words of the merchant stand for sales outside the scope of tax', async () => {
    const [by, of] = await registered([GERMANY], { invoiceNotes: { outside: 'Nicht steuerbar in Deutschland' } });
    const invoice = await bill(of, await buyer(of, 'CH'));
    const { groups, text } = await documentsOf(by, invoice);
    expect(groups).toEqual([['O', '0', 'Nicht steuerbar in Deutschland']]);
    expect(text).toContain('Nicht steuerbar in Deutschland');
  });
});

describe('the number of a registration abroad', () => {
  const AGREEMENT = 'SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement';
  it.each([
    { home: 'IE', own: 'IE6433435F', to: 'GB', taxId: 'GB980780684', currency: 'GBP', totalTax: '20.00' },
    { home: 'DE', own: 'DE136695976', to: 'CH', taxId: 'CHE-116.281.710', currency: 'CHF', totalTax: '8.10' },
    { home: 'DE', own: 'DE136695976', to: 'FR', taxId: 'FR40303265045', currency: 'EUR', totalTax: '20.00' },
    { home: 'FR', own: 'FR40303265045', to: 'DE', taxId: 'DE136695976', currency: 'EUR', totalTax: '19.00' },
  ])('of a seller in $home for a sale to $to is a VAT number', async ({ home, own, to, taxId, currency, totalTax }) => {
    const [seller, of] = await registered([
      { country: home, taxId: own, from: '2020-01-01' },
      { country: to, taxId, from: '2020-01-01' },
    ]);
    const address = { line1: 'Am Tor 1', city: 'Bremen', zipCode: '28195', country: home };
    await of.change(`/v0/organizations/${seller.id}`, { address });
    const invoice = await bill(of, await buyer(of, to), {}, currency);
    expect(invoice.totalTax).toBe(totalTax);
    const xml = readXml((await seller.get(`/v2/invoices/${invoice.id}/document.xml`)).bytes.toString());
    const [id] = nodesAt(xml, `${AGREEMENT}/SellerTradeParty/SpecifiedTaxRegistration/ID`);
    expect(id).toMatchObject({ attributes: { schemeID: 'VA' }, text: taxId.replace(/[^0-9A-Z]/g, '') });
    expect((await documentsOf(seller, invoice)).text).toContain(`VAT ID ${taxId}`);
  });

  it('and of a buyer is judged by its own country, too', async () => {
    vies.tell('DE136695976', 'valid');
    const customer = await buyer(shop, 'AT', { taxId: 'DE136695976' });
    await env.runDueWork();
    expect((await shop.read(`/v0/customers/${customer.id}`)).taxIdStatus).toBe('valid');
    const invoice = await bill(shop, customer);
    expect(invoice.totalTax).toBe('19.00'); // an establishment at home
    expect((await explained(shop, invoice)).place).toMatchObject({
      ...{ treatment: 'domestic', because: expect.stringContaining('Article 22') },
    });
    const xml = readXml((await merchant.get(`/v2/invoices/${invoice.id}/document.xml`)).bytes.toString());
    const [id] = nodesAt(xml, `${AGREEMENT}/BuyerTradeParty/SpecifiedTaxRegistration/ID`);
    expect(id).toMatchObject({ attributes: { schemeID: 'VA' }, text: 'DE136695976' });
  });
});

describe('numbers to try with', () => {
  it('are confirmed, unknown, or of a register that is away, without a network, in the sandbox', async () => {
    const asked = vies.asked.length;
    const said: unknown[] = [];
    for (const taxId of ['FR00000000000', 'FR11111111111', 'FR22222222222']) {
      const customer = await buyer(shop, 'FR', { taxId });
      expect(customer.taxIdStatus).toBe('unchecked');
      await env.runDueWork();
      const { taxIdStatus } = await shop.read(`/v0/customers/${customer.id}`);
      const invoice = await bill(shop, customer);
      said.push([taxIdStatus, invoice.totalTax, (await explained(shop, invoice)).place.because]);
    }
    expect(said).toEqual([
      ['valid', '0.00', expect.stringContaining('Article')],
      ['invalid', '20.00', expect.stringContaining('is not valid')],
      ['unchecked', '20.00', expect.stringContaining('No register has confirmed')],
    ]);
    expect(vies.asked).toHaveLength(asked);
  });
});
