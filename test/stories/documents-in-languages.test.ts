import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPdf } from '../../src/documents/testing/read-pdf.ts';
import { readXml, textsAt } from '../../src/documents/testing/read-xml.ts';
import { LOCALES, type Locale } from '../../src/kernel/locale.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** Documents and mails in the language of each customer (docs/decisions/0129). */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ documents: 'typeset' });
  env.setNow('2026-03-10T09:30:00Z');
  merchant = await env.merchant();
  shop = shopOf(merchant);
  await shop.change(`/v0/organizations/${merchant.id}`, {
    taxId: 'DE 123 456 789',
    address: { line1: 'Torstraße 140', city: 'Berlin', zipCode: '10119', country: 'DE' },
  });
});
afterAll(() => env.close());

const SPACES = /[\u00a0\u202f]/g;
const pdfOf = async (path: string): Promise<string> =>
  readPdf((await merchant.get(path)).bytes)
    .pages.join('\n')
    .replace(SPACES, ' ');

const mailsOf = async (customer: Resource): Promise<string[]> => {
  const { body } = await merchant.get(`/v0/mails?customerId=${customer.id}`);
  return body.data.map(({ subject, text }: Resource) => `${subject}\n${text}`.replace(SPACES, ' '));
};

const said: Readonly<
  Record<Locale, { invoice: string[]; creditNote: string[]; receipt: string[]; eInvoice: string[]; mails: string[] }>
> = {
  en: {
    invoice: ['Invoice', 'Billed to', 'VAT ID', 'VAT 20% on €1,234.50', '€1,481.40', '10 March 2026', 'within 14 days'],
    creditNote: ['Credit note', 'corrects invoice', 'Total credited'],
    receipt: ['Receipt', 'Amount paid', 'by bank transfer', 'Remaining on the invoice'],
    eInvoice: ['Payment is due within 14 days, by'],
    mails: ['Please pay €1,481.40 by 24 March 2026.', 'Thank you: invoice'],
  },
  de: {
    invoice: [
      ...['Rechnung', 'Rechnung an', 'USt-IdNr.', 'Umsatzsteuer 20 % auf 1.234,50 €', '1.481,40 €', '10. März 2026'],
      'innerhalb von 14 Tagen',
    ],
    creditNote: ['Gutschrift', 'berichtigt die Rechnung', 'Gutgeschriebener Betrag'],
    receipt: ['Zahlungsbeleg', 'Gezahlter Betrag', 'per Überweisung', 'Noch offen'],
    eInvoice: ['Zahlbar innerhalb von 14 Tagen, bis zum'],
    mails: ['Bitte zahlen Sie 1.481,40 € bis zum 24. März 2026.', 'Vielen Dank: Die Rechnung'],
  },
  fr: {
    invoice: [
      'Facture',
      'Facturé à',
      'N° TVA',
      'TVA 20 % sur 1 234,50 €',
      '1 481,40 €',
      '10 mars 2026',
      'sous 14 jours',
    ],
    creditNote: ['Avoir', 'rectifie la facture', 'Total crédité'],
    receipt: ['Reçu', 'Montant payé', 'par virement', 'Reste à payer sur la facture'],
    eInvoice: ['Paiement sous 14 jours, au plus tard le'],
    mails: ['Veuillez payer 1 481,40 € au plus tard le 24 mars 2026.', 'Merci : la facture'],
  },
  es: {
    invoice: [
      ...['Factura', 'Facturado a', 'NIF-IVA', 'IVA 20 % sobre 1.234,50 €', '1.481,40 €', '10 de marzo de 2026'],
      'en 14 días',
    ],
    creditNote: ['Factura rectificativa', 'rectifica la factura', 'Importe abonado'],
    receipt: ['Recibo', 'Importe pagado', 'por transferencia', 'Pendiente en la factura'],
    eInvoice: ['El pago vence en 14 días, a más tardar el'],
    mails: ['Pague 1.481,40 € a más tardar el 24 de marzo de 2026', 'Gracias: la factura'],
  },
};

const TERMS = 'SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/SpecifiedTradePaymentTerms/Description';

const REFERENCE = 'SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement/BuyerReference';

describe.each(LOCALES)('a customer who reads %s', (locale) => {
  const words = said[locale];

  it('gets invoice, receipt, credit note and mails in it, whatever language it reads later', async () => {
    const customer = await shop.customer();
    await shop.change(`/v0/customers/${customer.id}`, { locale });
    const invoice = await shop.create('/v2/invoices', {
      customerId: customer.id,
      currency: 'EUR',
      lines: [{ displayName: 'Nordlicht', quantity: 2, unitPrice: '617.25', taxRate: 20 }],
      paymentTermDays: 14,
      autoApprove: true,
    });
    await shop.change(`/v0/customers/${customer.id}`, { locale: locale === 'en' ? 'de' : 'en' });
    const shown = await pdfOf(`/v2/invoices/${invoice.id}/pdf`);
    for (const part of [...words.invoice, 'Nordlicht']) expect(shown).toContain(part);
    const payment = await shop.create(`/v2/invoices/${invoice.id}/payments`, {
      amount: '1481.40',
      method: 'bank_transfer',
      idempotencyKey: `transfer-${locale}`,
    });
    const refund = await shop.create(`/v2/invoices/${invoice.id}/refunds`, { reason: 'Doppelt' });
    const receipt = await pdfOf(`/v2/invoices/${invoice.id}/payments/${payment.id}/receipt`);
    for (const part of words.receipt) expect(receipt).toContain(part);
    const note = await pdfOf(`/v2/invoices/${invoice.id}/refunds/${refund.id}/pdf`);
    for (const part of [...words.creditNote, 'Doppelt']) expect(note).toContain(part);
    const mails = (await mailsOf(customer)).join('\n');
    for (const part of words.mails) expect(mails).toContain(part);
  });
});

it('an e-invoice says its terms in the language of the customer, and its codes in none', async () => {
  for (const locale of LOCALES) {
    const customer = await shop.customer();
    await shop.change(`/v0/customers/${customer.id}`, { locale, buyerReference: '04011000-12345-34' });
    await shop.change(`/v0/organizations/${customer.consumerId}`, { address: { country: 'DE', city: 'Köln' } });
    const invoice = await shop.create('/v2/invoices', {
      customerId: customer.id,
      currency: 'EUR',
      lines: [{ displayName: 'Nordlicht', quantity: 1, unitPrice: '10', taxRate: 20 }],
      paymentTermDays: 14,
      autoApprove: true,
    });
    expect(await pdfOf(`/v2/invoices/${invoice.id}/pdf`)).toContain('04011000-12345-34');
    const answer = await merchant.get(`/v2/invoices/${invoice.id}/document.xml`);
    const root = readXml(answer.bytes.toString());
    for (const part of said[locale].eInvoice) expect(textsAt(root, TERMS).join()).toContain(part);
    expect(textsAt(root, 'ExchangedDocument/TypeCode')).toEqual(['380']);
    expect(textsAt(root, REFERENCE)).toEqual(['04011000-12345-34']);
  }
});

it('a customer without a language gets English', async () => {
  const { invoice } = await shop.issued();
  expect(await pdfOf(`/v2/invoices/${invoice.id}/pdf`)).toContain('Billed to');
});

describe('a reason that Reckoner gives itself', () => {
  it.each([
    ['en', 'Not used'],
    ['de', 'Nicht genutzte Zeit'],
    ['fr', 'Période non utilisée'],
    ['es', 'Periodo no utilizado'],
  ] as const)('is said in %s on paper and in the e-invoice, and in English by the API', async (locale, reason) => {
    const consumer = { name: `Unused ${locale}`, email: `unused-${locale}@example.com`, address: { country: 'DE' } };
    const customer = await shop.customer({ locale, consumer });
    const plan = await shop.plan([await shop.feePrice({ paymentTerm: 'in_advance' })], { currency: 'EUR' });
    const clock = await shop.clock('2026-01-01T00:00:00Z');
    const subscription = await shop.subscribe(plan, { customer, clock });
    const pay = `/v0/paymentSessions/${subscription.payment.paymentSessionId}/complete`;
    await shop.act(pay, { paymentMethod: 'pm_ok' });
    const [upfront] = await shop.invoices(subscription);
    await shop.advance(clock, 'P10D');
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moves on', credit: 'wallet' });
    const { data } = await shop.read(`/v2/invoices/${upfront.id}/creditNotes`);
    expect(data).toMatchObject([{ kind: 'credit', reason: 'Not used' }]);
    const [{ pdfUrl, documentXmlUrl }] = data;
    expect(await pdfOf(new URL(pdfUrl).pathname)).toContain(reason);
    const xml = (await merchant.get(new URL(documentXmlUrl).pathname)).bytes.toString();
    expect(textsAt(readXml(xml), 'ExchangedDocument/IncludedNote/Content')).toContain(reason);
  });
});
