import { describe, expect, it } from 'vitest';
import type { InvoiceDocument, PrintedDocument, ReceiptDocument } from './document.ts';
import {
  creditNote,
  inputTokens,
  invoice,
  launchDiscount,
  platformFee,
  receipt,
  tieredRequests,
  totalled,
  transferred,
} from './testing/samples.ts';
import { viewOf } from './view.ts';

const totals = (document: PrintedDocument): string[] =>
  viewOf(document).totals.map(({ label, figure }) => `${label}: ${figure}`.replaceAll('\u00a0', ' '));

describe('the sums', () => {
  it('show each tax rate with its base, what the wallet paid, and what is due', () =>
    expect(totals(invoice)).toEqual([
      'Subtotal: €798.89',
      'VAT 19% on €741.89: €140.96',
      'VAT 7% on €57.00: €3.99',
      'Total VAT: €144.95',
      'Total: €943.84',
      'Paid from your balance: −€20.00',
      'Amount due: €923.84',
    ]));

  it('tell other payments from the wallet', () =>
    expect(totals({ ...invoice, paidAmount: '120.00', unpaidAmount: '823.84' }).slice(-3)).toEqual([
      'Paid from your balance: −€20.00',
      'Paid: −€100.00',
      'Amount due: €823.84',
    ]));

  it('of a credit note ask for nothing', () =>
    expect(totals(creditNote)).toEqual([
      'Subtotal: KWD 250.000',
      'VAT 8.875% on KWD 250.000: KWD 22.188',
      'Total credited: KWD 272.188',
    ]));

  it('without any tax say so', () =>
    expect(totals({ ...invoice, taxes: [], totalTax: '0.00' })).toContain('Total VAT: €0.00'));

  const free = { ...platformFee, taxRate: '0' };
  it.each<{ what: string; fields: Partial<InvoiceDocument>; shown: string[]; rates: string[] }>([
    { what: 'where the buyer owes the tax', fields: { lines: [free] }, shown: ['Total: €250.00'], rates: ['—'] },
    {
      what: 'beside what is taxed',
      fields: { lines: [platformFee, { ...free, untaxed: 'exempt' }] },
      shown: ['Subtotal: €500.00', 'VAT 19% on €250.00: €47.50', 'Total: €547.50'],
      rates: ['19%', '—'],
    },
    {
      what: 'of a rate of 0 %, which is one',
      fields: { buyer: { name: 'B', address: { country: 'DE' } }, lines: [free] },
      shown: ['Subtotal: €250.00', 'VAT 0% on €250.00: €0.00', 'Total: €250.00'],
      rates: ['0%'],
    },
  ])('have no row for tax that is not there: $what', ({ fields, shown, rates }) => {
    const document = totalled({ ...invoice, ...fields });
    expect(totals(document)).toEqual(shown);
    expect(viewOf(document).lines.map(({ tax }) => tax)).toEqual(rates);
  });
});

describe('the headline', () => {
  it.each([
    { name: 'an unpaid invoice', document: invoice, headline: ['Amount due', '€923.84', 'Due 15 December 2025'] },
    {
      name: 'a paid invoice',
      document: { ...invoice, paidAmount: '943.84', unpaidAmount: '0.00' },
      headline: ['Total', '€943.84', 'Paid in full'],
    },
    {
      name: 'an invoice over nothing',
      document: { ...invoice, grandTotal: '0', paidAmount: '0', unpaidAmount: '0' },
      headline: ['Total', '€0.00', 'Nothing to pay'],
    },
    {
      name: 'an invoice without a due date',
      document: { ...invoice, dueAt: null },
      headline: ['Amount due', '€923.84', null],
    },
    { name: 'a credit note', document: creditNote, headline: ['Total credited', 'KWD 272.188', null] },
  ])('of $name', ({ document, headline }) => {
    const { label, figure, note } = viewOf(document).headline;
    expect([label, figure, note].map((text) => text?.replaceAll('\u00a0', ' ') ?? null)).toEqual(headline);
  });
});

describe('a payment link', () => {
  it('is given with an unpaid invoice', () => {
    const { headline, payment } = viewOf(invoice);
    expect(headline.payment).toBe('https://pay.northwind.example/s/ps_01JD8X4Z7Q2M');
    expect(payment?.address).toBe(headline.payment);
  });

  it.each([
    'javascript:app.alert(1)',
    'file:///etc/passwd',
    '/pay',
    'https://user:secret@example.com/',
    `https://example.com/${'x'.repeat(3000)}`,
    '',
    null,
  ])('is never %s', (paymentUrl) => {
    const view = viewOf({ ...invoice, paymentUrl });
    expect([view.headline.payment, view.payment]).toEqual([null, null]);
  });

  it('is not given where nothing is due', () => {
    expect(viewOf({ ...invoice, unpaidAmount: '0' }).payment).toBeNull();
    expect(
      viewOf({ ...creditNote, paymentUrl: 'https://example.com/', unpaidAmount: '1' }).headline.payment,
    ).toBeNull();
  });

  it('cannot carry what ends a string', () =>
    expect(viewOf({ ...invoice, paymentUrl: 'https://example.com/a) /JS (x"<>' }).payment?.address).toBe(
      'https://example.com/a)%20/JS%20(x%22%3C%3E',
    ));
});

describe('the tax', () => {
  it.each([
    { country: 'DE', label: 'VAT' },
    { country: 'GB', label: 'VAT' },
    { country: 'Switzerland', label: 'VAT' },
    { country: 'NO', label: 'VAT' },
    { country: 'AU', label: 'GST' },
    { country: 'in', label: 'GST' },
    { country: 'US', label: 'Tax' },
    { country: 'JP', label: 'Tax', sum: 'Consumption tax' },
    { country: 'CH', label: 'VAT' },
    { country: undefined, label: 'Tax' },
  ])('is called $label where the seller is in $country', ({ country, label, sum = label }) => {
    const view = viewOf({ ...invoice, seller: { ...invoice.seller, address: { country } } });
    expect(view.taxLabel).toBe(label);
    expect(view.totals[1]?.label).toMatch(new RegExp(`^${sum} 19% on `));
  });
});

describe('the notes', () => {
  const exempt = { ...platformFee, taxRate: '0', untaxed: 'exempt' as const };
  const notes = (fields: Partial<InvoiceDocument>) => viewOf({ ...invoice, notes: null, ...fields }).notes[0]?.text;
  const home = { name: 'Müller GmbH', address: { country: 'DE' } };

  it.each<{ what: string; fields: Partial<InvoiceDocument>; note: string | undefined }>([
    { what: 'an exempt sale', fields: { buyer: home, lines: [exempt] }, note: 'Exempt from VAT' },
    {
      what: 'an exempt sale in the merchant’s words',
      fields: { buyer: home, lines: [exempt], invoiceNotes: { exempt: 'Steuerfrei' } },
      note: 'Steuerfrei',
    },
    {
      what: 'an exempt sale in the United States',
      fields: { seller: { name: 'A', taxId: '1', address: { country: 'US' } }, buyer: home, lines: [exempt] },
      note: 'Exempt from tax',
    },
    {
      what: 'a sale to a business in another member state',
      fields: { lines: [{ ...platformFee, taxRate: '0' }] },
      note: 'Reverse charge: the recipient accounts for the VAT (Article 196 of Directive 2006/112/EC)',
    },
    {
      what: 'a sale of a seller without a tax id',
      fields: { seller: home, buyer: home, lines: [{ ...platformFee, taxRate: '0' }] },
      note: 'No VAT is charged: the seller is not registered for VAT',
    },
    {
      what: 'a sale of a small business in its own words',
      fields: {
        ...{ seller: home, buyer: home, lines: [{ ...platformFee, taxRate: '0' }] },
        invoiceNotes: { exempt: 'Kleinunternehmer, § 19 UStG' },
      },
      note: 'Kleinunternehmer, § 19 UStG',
    },
    {
      what: 'a sale where no tax of that name is known',
      fields: { seller: { name: 'A', address: { country: 'US' } }, lines: [{ ...platformFee, taxRate: '0' }] },
      note: 'No tax is charged',
    },
    {
      what: 'money for the wallet beside a sale',
      fields: { buyer: home, lines: [platformFee, { ...exempt, untaxed: 'prepayment' }] },
      note: 'Payment in advance of any supply, outside the scope of tax',
    },
    { what: 'a taxed sale', fields: { lines: [platformFee] }, note: undefined },
    {
      what: 'a rate of 0 at home',
      fields: { buyer: home, lines: [{ ...platformFee, taxRate: '0' }] },
      note: undefined,
    },
  ])('say of $what: $note', ({ fields, note }) => expect(notes(fields)).toBe(note));
});

describe('the account', () => {
  const shown = (document: InvoiceDocument) =>
    viewOf(document).bankTransfer.map(({ label, value }) =>
      `${label}: ${typeof value === 'string' ? value : value.text}`.replaceAll('\u00a0', ' '),
    );

  it('stands on what is paid by transfer, its IBAN in groups', () =>
    expect(shown(transferred)).toEqual([
      'Account holder: Northwind Models GmbH',
      'IBAN: DE89 3704 0044 0532 0130 00',
      'BIC: COBADEFFXXX',
      'Bank: Commerzbank',
      ': Transfers from abroad: charges are borne by the payer.',
    ]));

  it.each<{ what: string; fields: Partial<InvoiceDocument> }>([
    { what: 'what is paid online', fields: { paymentUrl: 'https://pay.example/1' } },
    { what: 'what is paid', fields: { paidAmount: '943.84', unpaidAmount: '0.00' } },
    { what: 'a credit note', fields: { kind: 'credit_note' } },
  ])('does not stand on $what', ({ fields }) => expect(shown({ ...transferred, ...fields })).toEqual([]));
});

describe('money for the wallet alone', () => {
  const topUp = totalled({
    ...invoice,
    lines: [{ ...platformFee, description: 'Wallet top-up', taxRate: '0', untaxed: 'prepayment' }],
  });

  it('is a payment on account, and explains its use', () => {
    const view = viewOf({ ...topUp, paidAmount: topUp.grandTotal, unpaidAmount: '0.00' });
    expect([view.title, view.facts[0]?.label]).toEqual(['Payment on account', 'Number']);
    expect(view.terms.sentences).toEqual([
      'This payment goes to your balance and pays later invoices. They state the taxes.',
    ]);
  });

  it('is an invoice where something else is sold with it', () =>
    expect(viewOf({ ...topUp, lines: [...topUp.lines, platformFee] }).title).toBe('Invoice'));
});

describe('the facts', () => {
  const fact = (label: string, fields: Partial<InvoiceDocument>) =>
    viewOf({ ...invoice, ...fields })
      .facts.filter((each) => each.label === label)
      .map(({ value }) => (typeof value === 'string' ? value : value.text).replaceAll('\u00a0', ' '));
  const at = (time: string) => Temporal.Instant.from(time);

  it('have the time from the first start to the last end of the lines', () => {
    expect(fact('Period', {})).toEqual(['1 Nov – 31 Dec 2025']);
    expect(fact('Period', { lines: [launchDiscount] })).toEqual(['1 – 30 Nov 2025']);
  });

  it('have the date of supply, which is a day or some', () => {
    const supply = (to: string) => ({
      serviceFrom: at('2025-11-20T14:00Z'),
      serviceTo: at(to),
      lines: [launchDiscount],
    });
    expect(fact('Date of supply', supply('2025-11-20T14:00Z'))).toEqual(['20 November 2025']);
    expect(fact('Date of supply', supply('2025-12-05T00:00Z'))).toEqual(['20 Nov – 4 Dec 2025']);
    expect(fact('Period', supply('2025-12-05T00:00Z'))).toEqual([]);
  });
});

describe('the title', () => {
  const title = (fields: Partial<InvoiceDocument>, country: string) =>
    viewOf({ ...invoice, ...fields, seller: { name: 'A', taxId: '100', address: { country } } }).title;

  it.each([
    { country: 'AE', invoice: 'Tax Invoice', credit: 'Tax Credit Note', inGerman: 'Rechnung (Tax Invoice)' },
    { country: 'AU', invoice: 'Tax invoice', credit: 'Credit note', inGerman: 'Rechnung (Tax invoice)' },
    { country: 'DE', invoice: 'Invoice', credit: 'Credit note', inGerman: 'Rechnung' },
  ])('of a registered seller in $country is $invoice', ({ country, invoice: own, credit, inGerman }) => {
    expect(title({}, country)).toBe(own);
    expect(title({ kind: 'credit_note' }, country)).toBe(credit);
    expect(title({ locale: 'de' }, country)).toBe(inGerman);
  });
});

describe('a receipt', () => {
  it('shows what the payment paid', () =>
    expect(totals(receipt)).toEqual([
      'Invoice total: €943.84',
      'Paid or credited before: −€20.00',
      'This payment, up to the amount due: −€923.84',
      'Remaining on the invoice: €0.00',
      'Overpaid, added to the balance: €26.16',
    ]));

  it.each<{ fields: Partial<ReceiptDocument>; note: string; paidBy: string }>([
    { fields: {}, note: 'with Visa ending in 4242', paidBy: 'Visa ending in 4242' },
    {
      fields: { card: { brand: 'hausbank', last4: '1111' } },
      note: 'with a card ending in 1111',
      paidBy: 'Card ending in 1111',
    },
    { fields: { card: null }, note: 'by card', paidBy: 'Card' },
    { fields: { method: 'bank_transfer', card: null }, note: 'by bank transfer', paidBy: 'Bank transfer' },
    { fields: { method: 'cash', card: null }, note: 'in cash', paidBy: 'Cash' },
    { fields: { method: 'other', card: null }, note: 'by other means', paidBy: 'Other means' },
  ])('says that it was paid $note', ({ fields, note, paidBy }) => {
    const view = viewOf({ ...receipt, ...fields });
    expect(view.headline.note?.replaceAll('\u00a0', ' ')).toBe(`Paid on 11 December 2025 ${note}`);
    expect(view.facts.find(({ label }) => label === 'Payment method')?.value).toBe(paidBy);
  });
});

describe('the terms', () => {
  const terms = (document: InvoiceDocument) =>
    viewOf(document).terms.sentences.map((term) =>
      (typeof term === 'string' ? term : term.text).replaceAll('\u00a0', ' '),
    );

  it.each([
    { paymentTermDays: 14, sentence: 'Payment is due within 14 days, by 15 December 2025.' },
    { paymentTermDays: 1, sentence: 'Payment is due within 1 day, by 15 December 2025.' },
    { paymentTermDays: 0, sentence: 'Payment is due on receipt, by 15 December 2025.' },
  ])('of $paymentTermDays days', ({ paymentTermDays, sentence }) =>
    expect(terms({ ...invoice, paymentTermDays })).toEqual([sentence, 'Please quote INV-000123 with your payment.']),
  );

  it('of a credit note name the invoice and the reason', () =>
    expect(terms(creditNote)).toEqual([
      'This credit note corrects invoice INV-000099 of 3 November 2025.',
      'Reason: The export failed for two days.',
    ]));
});

describe('a party', () => {
  const lines = (document: InvoiceDocument) => viewOf(document).buyer.lines.map(({ text }) => text);
  const buyer = (country: string) => ({ name: 'A', address: { city: 'Town', state: 'ST', zipCode: '123', country } });

  it.each([
    { country: 'US', written: ['Town, ST 123', 'United States'] },
    { country: 'de', written: ['123 Town, ST', 'Germany'] },
    { country: 'Middle-earth', written: ['123 Town, ST', 'Middle-earth'] },
  ])('in $country', ({ country, written }) => expect(lines({ ...invoice, buyer: buyer(country) })).toEqual(written));

  it('shows nothing for what is not known', () =>
    expect(lines({ ...invoice, buyer: { name: 'A', phone: ' ' } })).toEqual([]));

  it('that sells stands under its trading name above and its legal name below', () => {
    const view = viewOf(invoice);
    expect([view.brand.text, view.seller.name.text]).toEqual(['Northwind Models', 'Northwind Models GmbH']);
  });
});

describe('a line', () => {
  const line = (of: InvoiceDocument['lines'][number]) => viewOf({ ...invoice, lines: [of] }).lines[0];

  it('of usage shows its period, its group, its unit, and its price for so many units that it has few digits', () =>
    expect(line(inputTokens)).toMatchObject({
      period: '1 – 30 Nov 2025',
      group: [{ text: 'model: atlas-large' }, { text: 'region: –' }],
      quantity: '18,240,512',
      unit: { text: 'tokens' },
      unitPrice: '12.00',
      per: 'per 1,000,000',
      tax: '19%',
      amount: '218.89',
    }));

  it('with tiers shows theirs and no average price', () => {
    expect(line(tieredRequests)?.unitPrice).toBe('tiered');
    expect(line(tieredRequests)?.tiers).toEqual([
      { range: '0 – 100,000', quantity: '100,000', unitPrice: '0.00', per: null, amount: '0.00' },
      {
        range: '100,000 – 1,000,000, plus 10.00 flat',
        ...{ quantity: '900,000', unitPrice: '0.0004', per: null, amount: '370.00' },
      },
      { range: 'Over 1,000,000', quantity: '250,000', unitPrice: '0.0002', per: null, amount: '50.00' },
    ]);
  });

  it.each([
    { unitPrice: '0.15', currency: 'USD', shown: '0.15', per: null },
    { unitPrice: '0.0004', currency: 'USD', shown: '0.0004', per: null },
    { unitPrice: '0.00001', currency: 'USD', shown: '0.01', per: 'per 1,000' },
    { unitPrice: '0.00000015', currency: 'USD', shown: '0.15', per: 'per 1,000,000' },
    { unitPrice: '0.0000000025', currency: 'USD', shown: '2.50', per: 'per 1,000,000,000' },
    { unitPrice: '-0.000012', currency: 'USD', shown: '−12.00', per: 'per 1,000,000' },
    { unitPrice: '0.00002', currency: 'JPY', shown: '20', per: 'per 1,000,000' },
    { unitPrice: '0.000002', currency: 'KWD', shown: '0.002', per: 'per 1,000' },
    { unitPrice: '0.0925925931', currency: 'USD', shown: '0.0925925931', per: null }, // no count shortens it
  ])('at $unitPrice $currency shows $shown $per', ({ unitPrice, currency, shown, per }) => {
    const view = viewOf({ ...invoice, currency, lines: [{ ...inputTokens, unitPrice }] }).lines[0];
    expect([view?.unitPrice, view?.per]).toEqual([shown, per]);
  });

  it('of one price shows it for as many units as the other lines of the price', () => {
    const prices = ['0.000003', '0.00001', '0.000000025', '0.000000125'];
    const lines = prices.map((unitPrice) => ({ ...inputTokens, price: 'prc_1', unitPrice }));
    const other = { ...inputTokens, price: 'prc_2', unitPrice: '0.00001' };
    expect(
      viewOf({ ...invoice, lines: [...lines, other] }).lines.map(({ unitPrice, per }) => [unitPrice, per]),
    ).toEqual([...['3.00', '10.00', '0.025', '0.125'].map((shown) => [shown, 'per 1,000,000']), ['0.01', 'per 1,000']]);
  });

  it('of a package or a percentage shows the price as it was agreed', () => {
    expect(line({ ...inputTokens, agreed: { price: '0.4', per: '1000000' } })).toMatchObject({
      ...{ unitPrice: '0.40', per: 'per 1,000,000' },
    });
    expect(line({ ...inputTokens, agreed: { percent: '2.9' } })).toMatchObject({ unitPrice: '2.9%', per: null });
  });

  it('that is an amount alone shows no quantity, no unit and no price', () =>
    expect(line({ ...launchDiscount, unit: 'calls', isAmount: true, notes: ['35% of 420.00'] })).toMatchObject({
      ...{ quantity: '', unit: null, unitPrice: '', amount: '−147.00' },
      notes: [{ text: '35% of 420.00', rtl: false }],
    }));

  it('at a price that includes the tax shows its amount with the tax', () => {
    const view = viewOf({
      ...invoice,
      taxIncluded: true,
      lines: [{ ...platformFee, unitPrice: '119', amount: '100.00', grossAmount: '119.00' }],
    });
    expect(view.lines[0]).toMatchObject({ unitPrice: '119.00', amount: '119.00' });
    expect(view.amountLabel).toBe('EUR incl. VAT');
    expect(view.totals[0]?.label).toBe('Subtotal without VAT');
    expect(view.notes[0]?.text).toBe('Prices and amounts of the lines include VAT.');
  });

  it('that takes away shows a minus', () => expect(line(launchDiscount)?.amount).toBe('−147.00'));

  it('longer than a page may break', () => {
    expect(line(platformFee)?.keepTogether).toBe(true);
    expect(line({ ...platformFee, description: 'x '.repeat(400) })?.keepTogether).toBe(false);
  });
});

it('a sandbox document says on every page that it is none for the tax office', () => {
  expect(viewOf(invoice).mark).toBeNull();
  expect(viewOf({ ...invoice, environment: 'sandbox' }).mark).toBe('Sandbox – not a tax document');
});

it('a figure that is no decimal is refused', () => {
  expect(() => viewOf({ ...invoice, subtotal: 'a lot' })).toThrow();
  expect(() => viewOf({ ...invoice, currency: 'EURO' })).toThrow(RangeError);
});
