import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minorDigits } from '../../kernel/currency.ts';
import { type Decimal, decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { formatMoney, roundTo } from '../../kernel/money.ts';
import type { DocumentLine, InvoiceDocument } from '../document.ts';
import { eInvoiceCases } from '../testing/e-invoice-cases.ts';
import { nodesAt, readXml, textsAt, type XmlNode } from '../testing/read-xml.ts';
import {
  creditNote,
  inputTokens,
  invoice,
  launchDiscount,
  platformFee,
  tieredRequests,
  totalled,
  transferred,
} from '../testing/samples.ts';
import { eInvoiceOf } from './e-invoice.ts';

const TRADE = 'SupplyChainTradeTransaction';
const LINE = `${TRADE}/IncludedSupplyChainTradeLineItem`;
const SETTLEMENT = `${TRADE}/ApplicableHeaderTradeSettlement`;
const TOTALS = `${SETTLEMENT}/SpecifiedTradeSettlementHeaderMonetarySummation`;
const DELIVERY = `${TRADE}/ApplicableHeaderTradeDelivery`;
const SELLER = `${TRADE}/ApplicableHeaderTradeAgreement/SellerTradeParty`;
const BUYER = `${TRADE}/ApplicableHeaderTradeAgreement/BuyerTradeParty`;

const xmlOf = (document: InvoiceDocument): string => {
  const made = eInvoiceOf(document);
  if (!('xml' in made)) throw new Error(`There is no e-invoice: ${JSON.stringify(made)}`);
  return made.xml;
};
const read = (document: InvoiceDocument): XmlNode => readXml(xmlOf(document));

/** In euros, so every amount has the two digits that EN 16931 allows. */
const credit = totalled({
  ...creditNote,
  currency: 'EUR',
  lines: [{ ...platformFee, amount: '250.00' }],
});

describe('an invoice', () => {
  const root = read(invoice);

  it.each([
    ['ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID', ['urn:cen.eu:en16931:2017']], // BT-24
    ['ExchangedDocument/ID', ['INV-000123']], // BT-1
    ['ExchangedDocument/TypeCode', ['380']], // BT-3
    ['ExchangedDocument/IssueDateTime/DateTimeString', ['20251201']], // BT-2
    [`${SELLER}/Name`, ['Northwind Models GmbH']], // BT-27
    [`${SELLER}/SpecifiedLegalOrganization/TradingBusinessName`, ['Northwind Models']], // BT-28
    [`${SELLER}/PostalTradeAddress/CountryID`, ['DE']], // BT-40
    [`${SELLER}/URIUniversalCommunication/URIID`, ['billing@northwind.example']], // BT-34
    [`${SELLER}/DefinedTradeContact/PersonName`, ['Northwind Models']], // BT-41
    [`${SELLER}/DefinedTradeContact/EmailURIUniversalCommunication/URIID`, ['billing@northwind.example']], // BT-43
    [`${SELLER}/SpecifiedTaxRegistration/ID`, ['DE123456789']], // BT-31
    [`${BUYER}/Name`, ['Έρευνα & Ανάπτυξη Α.Ε.']], // BT-44
    [`${BUYER}/SpecifiedTaxRegistration/ID`, ['EL094259216']], // BT-48
    [`${LINE}/AssociatedDocumentLineDocument/LineID`, ['1', '2', '3', '4', '5']], // BT-126
    [`${LINE}/SpecifiedLineTradeDelivery/BilledQuantity`, ['1', '18240512', '1250000', '3', '-1']], // BT-129
    [
      `${LINE}/SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount`, // BT-146
      ['250', '12', '420', '19', '147'], // a price of 1,000,000, and an amount for all
    ],
    [`${LINE}/SpecifiedLineTradeAgreement/NetPriceProductTradePrice/BasisQuantity`, ['1000000', '1250000']], // BT-149
    [
      `${LINE}/SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount`, // BT-131
      ['250.00', '218.89', '420.00', '57.00', '-147.00'],
    ],
    [
      `${LINE}/SpecifiedLineTradeSettlement/BillingSpecifiedPeriod/EndDateTime/DateTimeString`, // BT-135: the last day
      ['20251231', '20251130', '20251130', '20251130'],
    ],
    [`${SETTLEMENT}/PaymentReference`, ['INV-000123']], // BT-83
    [`${SETTLEMENT}/InvoiceCurrencyCode`, ['EUR']], // BT-5
    [`${SETTLEMENT}/SpecifiedTradeSettlementPaymentMeans/TypeCode`, ['68']], // BT-81
    [`${SETTLEMENT}/ApplicableTradeTax/CategoryCode`, ['S', 'S']], // BT-118
    [`${SETTLEMENT}/ApplicableTradeTax/RateApplicablePercent`, ['19', '7']], // BT-119
    [`${SETTLEMENT}/ApplicableTradeTax/BasisAmount`, ['741.89', '57.00']], // BT-116
    [`${SETTLEMENT}/ApplicableTradeTax/CalculatedAmount`, ['140.96', '3.99']], // BT-117
    [`${SETTLEMENT}/BillingSpecifiedPeriod/StartDateTime/DateTimeString`, ['20251101']], // BT-73
    [`${SETTLEMENT}/BillingSpecifiedPeriod/EndDateTime/DateTimeString`, ['20251231']], // BT-74: of the last line
    [`${DELIVERY}/ShipToTradeParty/PostalTradeAddress/CountryID`, ['GR']], // BT-80
    [`${SETTLEMENT}/SpecifiedTradePaymentTerms/DueDateDateTime/DateTimeString`, ['20251215']], // BT-9
    [`${TOTALS}/LineTotalAmount`, ['798.89']], // BT-106
    [`${TOTALS}/TaxBasisTotalAmount`, ['798.89']], // BT-109
    [`${TOTALS}/TaxTotalAmount`, ['144.95']], // BT-110
    [`${TOTALS}/GrandTotalAmount`, ['943.84']], // BT-112
    [`${TOTALS}/TotalPrepaidAmount`, ['20.00']], // BT-113
    [`${TOTALS}/DuePayableAmount`, ['923.84']], // BT-115
    [`${SETTLEMENT}/InvoiceReferencedDocument`, []], // BG-3
  ])('says at %s: %j', (path, texts) => expect(textsAt(root, path)).toEqual(texts));

  it('says what was counted, by what it was grouped, and what each tier came to', () => {
    const [, tokens, requests] = nodesAt(root, `${LINE}/SpecifiedTradeProduct`) as [XmlNode, XmlNode, XmlNode];
    expect(textsAt(tokens, 'ApplicableProductCharacteristic/Description')).toEqual(['Unit', 'model']);
    expect(textsAt(tokens, 'ApplicableProductCharacteristic/Value')).toEqual(['tokens', 'atlas-large']);
    expect(textsAt(requests, 'Description')).toEqual([
      '0–100000: 100000 × 0 = 0.00; 100000–1000000: 900000 × 0.0004 + 10 = 370.00; 1000000–∞: 250000 × 0.0002 = 50.00',
    ]);
  });

  it('without an online payment names no means, and quotes no address', () => {
    const other = read({ ...invoice, paymentUrl: null, dueAt: null, paymentTermDays: 1 });
    expect(textsAt(other, `${SETTLEMENT}/SpecifiedTradeSettlementPaymentMeans/TypeCode`)).toEqual(['1']);
    expect(textsAt(other, `${SETTLEMENT}/SpecifiedTradePaymentTerms/Description`)).toEqual([
      'Payment is due within 1 day.',
    ]);
    expect(textsAt(other, `${SETTLEMENT}/SpecifiedTradePaymentTerms/DueDateDateTime/DateTimeString`)).toEqual([]);
  });

  it('of the sandbox says so', () =>
    expect(
      textsAt(
        read({ ...invoice, environment: 'sandbox', footer: null, notes: null }),
        'ExchangedDocument/IncludedNote/Content',
      ),
    ).toEqual(['Sandbox – not a tax document']));
});

it('says the reference that the buyer wants to find (BT-10), and none where it wants none', () => {
  const REFERENCE = `${TRADE}/ApplicableHeaderTradeAgreement/BuyerReference`;
  const buyer = { ...invoice.buyer, buyerReference: '04011000-12345-34' };
  expect(textsAt(read({ ...invoice, buyer }), REFERENCE)).toEqual(['04011000-12345-34']);
  expect(textsAt(read(invoice), REFERENCE)).toEqual([]);
});

describe('the time of the supply', () => {
  const said = (document: InvoiceDocument) => {
    const root = read(document);
    return [
      ...textsAt(root, `${DELIVERY}/ActualDeliverySupplyChainEvent/OccurrenceDateTime/DateTimeString`),
      ...textsAt(root, `${DELIVERY}/ShipToTradeParty/PostalTradeAddress/CountryID`),
      ...textsAt(root, `${SETTLEMENT}/BillingSpecifiedPeriod/StartDateTime/DateTimeString`),
      ...textsAt(root, `${SETTLEMENT}/BillingSpecifiedPeriod/EndDateTime/DateTimeString`),
    ];
  };
  const at = (time: string) => Temporal.Instant.from(time);
  const timeless = { ...platformFee, periodStart: null, periodEnd: null };
  const oneOff = totalled({ ...invoice, periodStart: null, periodEnd: null, lines: [timeless] });
  const day = at('2025-11-20T14:00Z');

  it.each<{ what: string; document: InvoiceDocument; expected: string[] }>([
    {
      what: 'from the first start to the last end of the lines, in the country of the buyer (BT-73, BT-74, BT-80)',
      document: invoice,
      expected: ['GR', '20251101', '20251231'],
    },
    {
      what: 'the billing period, where no line has a time',
      document: totalled({ ...invoice, lines: [timeless] }),
      expected: ['GR', '20251101', '20251130'],
    },
    {
      what: 'a day (BT-72)',
      document: { ...oneOff, serviceFrom: day, serviceTo: day },
      expected: ['20251120'],
    },
    {
      what: 'some days',
      document: { ...oneOff, serviceFrom: day, serviceTo: at('2025-12-05T00:00Z') },
      expected: ['GR', '20251120', '20251204'],
    },
    { what: 'not known', document: oneOff, expected: ['GR'] },
  ])('is $what', ({ document, expected }) => expect(said(document)).toEqual(expected));
});

it('the notes of a line are in its note (BT-127)', () => {
  const notes = ['500 included, 2,100.5 charged', '35% of 44.71'];
  const root = read(totalled({ ...invoice, lines: [{ ...platformFee, notes }, platformFee] }));
  expect(textsAt(root, `${LINE}/AssociatedDocumentLineDocument/IncludedNote/Content`)).toEqual([
    '500 included, 2,100.5 charged; 35% of 44.71',
  ]);
});

it('a line of a grouped invoice says its section in its note (BT-127)', () => {
  const sections = [
    { name: 'Berlin', subtotal: platformFee.amount },
    { name: 'Paris', subtotal: platformFee.amount },
  ];
  const [first, second] = [
    { ...platformFee, section: 0, notes: ['35% of 44.71'] },
    { ...platformFee, section: 1 },
  ];
  const root = read(totalled({ ...invoice, sections, lines: [first, second] }));
  expect(textsAt(root, `${LINE}/AssociatedDocumentLineDocument/IncludedNote/Content`)).toEqual([
    'Berlin; 35% of 44.71',
    'Paris',
  ]);
});

it.each([
  { what: 'paid', fields: { paidAmount: '943.84', unpaidAmount: '0.00' }, terms: 'Paid in full.' },
  { what: 'of nothing', fields: { lines: [{ ...platformFee, amount: '0.00' }] }, terms: 'Nothing to pay.' },
])('an invoice that is $what asks for no money, and by no day', ({ fields, terms }) => {
  const document = 'lines' in fields ? totalled({ ...invoice, ...fields }) : { ...invoice, ...fields };
  const [said] = nodesAt(read(document), `${SETTLEMENT}/SpecifiedTradePaymentTerms`) as [XmlNode];
  expect([textsAt(said, 'Description'), nodesAt(said, 'DueDateDateTime')]).toEqual([[terms], []]);
});

it('money for the wallet alone is a prepayment invoice (386)', () => {
  const root = read(totalled({ ...invoice, lines: [{ ...platformFee, taxRate: '0', untaxed: 'prepayment' }] }));
  expect(textsAt(root, 'ExchangedDocument/TypeCode')).toEqual(['386']);
  expect(textsAt(root, `${SELLER}/ID`)).toEqual(['DE 123 456 789']); // BR-CO-26, as BR-O-2 takes its VAT number
});

describe('the price of a line', () => {
  const priced = (line: Partial<DocumentLine>) => {
    const root = read(totalled({ ...invoice, lines: [{ ...inputTokens, ...line }] }));
    const PRICE = `${LINE}/SpecifiedLineTradeAgreement/NetPriceProductTradePrice`;
    return [...textsAt(root, `${PRICE}/ChargeAmount`), ...textsAt(root, `${PRICE}/BasisQuantity`)];
  };

  it.each<{ what: string; line: Partial<DocumentLine>; expected: string[] }>([
    { what: 'of one', line: { quantity: '3', unitPrice: '19.5', amount: '58.50' }, expected: ['19.5'] },
    {
      what: 'of a million tokens',
      line: { quantity: '2000000', unitPrice: '0.00000015', amount: '0.30' },
      expected: ['0.15', '1000000'],
    },
    {
      what: 'of so many that it has six digits, where the document shows all of them',
      line: { quantity: '27', unitPrice: '0.0925925931', amount: '2.50' },
      expected: ['92592.5931', '1000000'],
    },
    {
      what: 'no average of tiers, though it rounds to the amount',
      line: { ...tieredRequests, unitPrice: '0.000336' },
      expected: ['420', '1250000'],
    },
    {
      what: 'no average of packages',
      line: { quantity: '250', unitPrice: '0.08', amount: '20.00', agreed: { price: '10', per: '125' } },
      expected: ['20', '250'],
    },
    {
      what: 'no average of a percentage',
      line: { quantity: '1000', unitPrice: '0.029', amount: '29.00', agreed: { percent: '2.9' } },
      expected: ['29', '1000'],
    },
  ])('is $what', ({ line, expected }) => expect(priced(line)).toEqual(expected));
});

it('a credit note is a 381 that names the invoice it is to, and asks for no money', () => {
  const root = read(credit);
  expect(textsAt(root, 'ExchangedDocument/TypeCode')).toEqual(['381']);
  expect(textsAt(root, `${SETTLEMENT}/InvoiceReferencedDocument/IssuerAssignedID`)).toEqual(['INV-000099']);
  expect(textsAt(root, `${SETTLEMENT}/InvoiceReferencedDocument/FormattedIssueDateTime/DateTimeString`)).toEqual([
    '20251103',
  ]);
  expect(textsAt(root, `${TOTALS}/GrandTotalAmount`)).toEqual(['297.50']);
  expect(textsAt(root, `${TOTALS}/TotalPrepaidAmount`)).toEqual([]);
  expect(textsAt(root, `${TOTALS}/DuePayableAmount`)).toEqual(['297.50']);
  expect(textsAt(root, `${SETTLEMENT}/SpecifiedTradeSettlementPaymentMeans/TypeCode`)).toEqual(['1']);
  expect(textsAt(root, 'ExchangedDocument/IncludedNote/Content')[0]).toBe('The export failed for two days.');
});

describe('the account to which money is sent', () => {
  const MEANS = `${SETTLEMENT}/SpecifiedTradeSettlementPaymentMeans`;
  const ACCOUNT = `${MEANS}/PayeePartyCreditorFinancialAccount`;
  const at = (document: InvoiceDocument, ...paths: string[]) => paths.flatMap((path) => textsAt(read(document), path));

  it('is a transfer in euros by its IBAN (58, BT-84)', () =>
    expect(
      at(
        transferred,
        ...[`${MEANS}/TypeCode`, `${ACCOUNT}/IBANID`, `${ACCOUNT}/AccountName`],
        `${MEANS}/PayeeSpecifiedCreditorFinancialInstitution/BICID`,
      ),
    ).toEqual(['58', 'DE89370400440532013000', 'Northwind Models GmbH', 'COBADEFFXXX']));

  it('is a transfer by another number, where there is no IBAN (30)', () =>
    expect(
      at(
        { ...transferred, bankTransfer: { account: '000123456 / 021000021' } },
        ...[`${MEANS}/TypeCode`, `${ACCOUNT}/ProprietaryID`, `${ACCOUNT}/IBANID`],
      ),
    ).toEqual(['30', '000123456 / 021000021']));

  it.each<{ what: string; fields: Partial<InvoiceDocument>; code: string[] }>([
    { what: 'is paid online', fields: { paymentUrl: 'https://pay.example/1' }, code: ['68'] },
    { what: 'is paid', fields: { paidAmount: '943.84', unpaidAmount: '0.00' }, code: ['1'] },
    { what: 'names an account without a number', fields: { bankTransfer: { bank: 'Commerzbank' } }, code: ['1'] },
  ])('does not stand where the invoice $what', ({ fields, code }) => {
    const document = { ...transferred, ...fields };
    expect(at(document, `${MEANS}/TypeCode`)).toEqual(code);
    expect(at(document, `${ACCOUNT}/IBANID`)).toEqual([]);
  });
});

describe('the order of elements', () => {
  /** D16B: a sequence in which each may be left out, as its schema has it. */
  const ORDER: Readonly<Record<string, readonly string[]>> = {
    CrossIndustryInvoice: ['ExchangedDocumentContext', 'ExchangedDocument', 'SupplyChainTradeTransaction'],
    ExchangedDocumentContext: ['GuidelineSpecifiedDocumentContextParameter'],
    GuidelineSpecifiedDocumentContextParameter: ['ID'],
    ExchangedDocument: ['ID', 'TypeCode', 'IssueDateTime', 'IncludedNote'],
    IncludedNote: ['Content'],
    SupplyChainTradeTransaction: [
      'IncludedSupplyChainTradeLineItem',
      'ApplicableHeaderTradeAgreement',
      'ApplicableHeaderTradeDelivery',
      'ApplicableHeaderTradeSettlement',
    ],
    IncludedSupplyChainTradeLineItem: [
      'AssociatedDocumentLineDocument',
      'SpecifiedTradeProduct',
      'SpecifiedLineTradeAgreement',
      'SpecifiedLineTradeDelivery',
      'SpecifiedLineTradeSettlement',
    ],
    AssociatedDocumentLineDocument: ['LineID', 'IncludedNote'],
    SpecifiedTradeProduct: ['Name', 'Description', 'ApplicableProductCharacteristic'],
    ApplicableProductCharacteristic: ['Description', 'Value'],
    SpecifiedLineTradeAgreement: ['NetPriceProductTradePrice'],
    NetPriceProductTradePrice: ['ChargeAmount', 'BasisQuantity'],
    SpecifiedLineTradeDelivery: ['BilledQuantity'],
    SpecifiedLineTradeSettlement: [
      'ApplicableTradeTax',
      'BillingSpecifiedPeriod',
      'SpecifiedTradeSettlementLineMonetarySummation',
    ],
    SpecifiedTradeSettlementLineMonetarySummation: ['LineTotalAmount'],
    ApplicableTradeTax: [
      'CalculatedAmount',
      'TypeCode',
      'ExemptionReason',
      'BasisAmount',
      'CategoryCode',
      'ExemptionReasonCode',
      'RateApplicablePercent',
    ],
    BillingSpecifiedPeriod: ['StartDateTime', 'EndDateTime'],
    ApplicableHeaderTradeAgreement: ['BuyerReference', 'SellerTradeParty', 'BuyerTradeParty'],
    ...Object.fromEntries(
      ['SellerTradeParty', 'BuyerTradeParty'].map((party) => [
        party,
        [
          'ID',
          'Name',
          'SpecifiedLegalOrganization',
          'DefinedTradeContact',
          'PostalTradeAddress',
          'URIUniversalCommunication',
          'SpecifiedTaxRegistration',
        ],
      ]),
    ),
    SpecifiedLegalOrganization: ['TradingBusinessName'],
    DefinedTradeContact: ['PersonName', 'TelephoneUniversalCommunication', 'EmailURIUniversalCommunication'],
    TelephoneUniversalCommunication: ['CompleteNumber'],
    EmailURIUniversalCommunication: ['URIID'],
    PostalTradeAddress: ['PostcodeCode', 'LineOne', 'LineTwo', 'CityName', 'CountryID', 'CountrySubDivisionName'],
    URIUniversalCommunication: ['URIID'],
    SpecifiedTaxRegistration: ['ID'],
    ApplicableHeaderTradeDelivery: ['ShipToTradeParty', 'ActualDeliverySupplyChainEvent'],
    ShipToTradeParty: ['PostalTradeAddress'],
    ActualDeliverySupplyChainEvent: ['OccurrenceDateTime'],

    ApplicableHeaderTradeSettlement: [
      'PaymentReference',
      'InvoiceCurrencyCode',
      'SpecifiedTradeSettlementPaymentMeans',
      'ApplicableTradeTax',
      'BillingSpecifiedPeriod',
      'SpecifiedTradePaymentTerms',
      'SpecifiedTradeSettlementHeaderMonetarySummation',
      'InvoiceReferencedDocument',
    ],
    SpecifiedTradeSettlementPaymentMeans: [
      'TypeCode',
      'PayeePartyCreditorFinancialAccount',
      'PayeeSpecifiedCreditorFinancialInstitution',
    ],
    PayeePartyCreditorFinancialAccount: ['IBANID', 'AccountName', 'ProprietaryID'],
    PayeeSpecifiedCreditorFinancialInstitution: ['BICID'],
    SpecifiedTradePaymentTerms: ['Description', 'DueDateDateTime'],
    SpecifiedTradeSettlementHeaderMonetarySummation: [
      'LineTotalAmount',
      'TaxBasisTotalAmount',
      'TaxTotalAmount',
      'GrandTotalAmount',
      'TotalPrepaidAmount',
      'DuePayableAmount',
    ],
    InvoiceReferencedDocument: ['IssuerAssignedID', 'FormattedIssueDateTime'],
    ...Object.fromEntries(
      [
        'IssueDateTime',
        'StartDateTime',
        'EndDateTime',
        'DueDateDateTime',
        'FormattedIssueDateTime',
        'OccurrenceDateTime',
      ].map((date) => [date, ['DateTimeString']]),
    ),
  };

  const bare = (name: string) => name.replace(/^\w+:/, '');
  const check = (node: XmlNode): void => {
    if (node.children.length === 0) return;
    const order = ORDER[bare(node.name)] ?? [];
    const places = node.children.map(({ name }) => order.indexOf(bare(name)));
    expect({ of: node.name, places }).toEqual({ of: node.name, places: places.toSorted((a, b) => a - b) });
    expect(places).not.toContain(-1);
    node.children.forEach(check);
  };

  it.each(Object.entries(eInvoiceCases))('is that of the schema: %s', (_, document) => check(read(document)));
});

describe('the category of tax', () => {
  const untaxed = (more: Partial<DocumentLine> = {}): DocumentLine => ({ ...platformFee, taxRate: '0', ...more });
  const unregistered = { ...invoice.seller, id: 'org_1', taxId: null };
  /** In the seller's own country. */
  const buyer = { name: 'Müller GmbH', taxId: 'DE987654321', address: { country: 'DE' } };
  const groups = (document: Partial<InvoiceDocument>) => {
    const root = read(totalled({ ...invoice, buyer, ...document }));
    return nodesAt(root, `${SETTLEMENT}/ApplicableTradeTax`).map((group) =>
      ['CategoryCode', 'RateApplicablePercent', 'BasisAmount', 'ExemptionReason', 'ExemptionReasonCode'].flatMap(
        (name) => textsAt(group, name),
      ),
    );
  };

  it.each<{ what: string; document: Partial<InvoiceDocument>; expected: string[][] }>([
    { what: 'S for what is taxed', document: { lines: [platformFee] }, expected: [['S', '19', '250.00']] },
    { what: 'Z for a rate of 0', document: { lines: [untaxed()] }, expected: [['Z', '0', '250.00']] },
    {
      what: 'E for what is exempt',
      document: { lines: [untaxed({ untaxed: 'exempt' })] },
      expected: [['E', '0', '250.00', 'Exempt from VAT']],
    },
    {
      what: 'E for a payment in advance, beside what is taxed',
      document: { lines: [platformFee, untaxed({ untaxed: 'prepayment', amount: '100.00' })] },
      expected: [
        ['S', '19', '250.00'],
        ['E', '0', '100.00', 'Payment in advance of any supply, outside the scope of tax'],
      ],
    },
    {
      what: 'E once, with both reasons',
      document: { lines: [untaxed({ untaxed: 'prepayment' }), untaxed({ untaxed: 'exempt' })] },
      expected: [['E', '0', '500.00', 'Payment in advance of any supply, outside the scope of tax; Exempt from VAT']],
    },
    {
      what: 'E with the words of the merchant',
      document: { lines: [untaxed({ untaxed: 'exempt' })], invoiceNotes: { exempt: 'Steuerfrei nach § 4 UStG' } },
      expected: [['E', '0', '250.00', 'Steuerfrei nach § 4 UStG']],
    },
    {
      what: 'AE where the buyer is a business in another member state, and nothing is taxed',
      document: {
        buyer: invoice.buyer,
        lines: [untaxed(), untaxed({ untaxed: 'exempt' }), untaxed({ untaxed: 'prepayment', amount: '5.00' })],
      },
      expected: [
        [
          ...['AE', '0', '500.00'],
          'Reverse charge: the recipient accounts for the VAT (Article 196 of Directive 2006/112/EC)',
          'VATEX-EU-AE',
        ],
        ['E', '0', '5.00', 'Payment in advance of any supply, outside the scope of tax'],
      ],
    },
    {
      what: 'AE with the words of the merchant',
      document: { buyer: invoice.buyer, lines: [untaxed()], invoiceNotes: { reverseCharge: 'Autoliquidation' } },
      expected: [['AE', '0', '250.00', 'Autoliquidation', 'VATEX-EU-AE']],
    },
    {
      what: 'Z where a buyer in another member state has no VAT number',
      document: { buyer: { ...invoice.buyer, taxId: null }, lines: [untaxed()] },
      expected: [['Z', '0', '250.00']],
    },
    {
      what: 'Z beside what is taxed, also in another member state',
      document: { buyer: invoice.buyer, lines: [untaxed(), platformFee] },
      expected: [
        ['Z', '0', '250.00'],
        ['S', '19', '250.00'],
      ],
    },
    {
      what: 'one group for rates that are written in two ways',
      document: { lines: [platformFee, { ...platformFee, taxRate: '19.00' }] },
      expected: [['S', '19', '500.00']],
    },
    {
      what: 'O of a seller who is not registered for tax',
      document: { seller: unregistered, lines: [untaxed()] },
      expected: [['O', '0', '250.00', 'No VAT is charged: the seller is not registered for VAT', 'VATEX-EU-O']],
    },
    {
      what: 'O of a small business, in its own words',
      document: {
        seller: unregistered,
        lines: [untaxed({ untaxed: 'exempt' })],
        invoiceNotes: { exempt: 'Kleinunternehmer, § 19 UStG' },
      },
      expected: [['O', '0', '250.00', 'Kleinunternehmer, § 19 UStG', 'VATEX-EU-O']],
    },
    {
      what: 'O of money for the wallet alone',
      document: { lines: [untaxed({ untaxed: 'prepayment' })] },
      expected: [['O', '0', '250.00', 'Payment in advance of any supply, outside the scope of tax', 'VATEX-EU-O']],
    },
    {
      what: 'O of a sale outside the reach of the tax, with money for the wallet',
      document: { untaxedBy: 'outside', lines: [untaxed(), untaxed({ untaxed: 'prepayment', amount: '5.00' })] },
      expected: [
        [
          ...['O', '0', '255.00'],
          'Outside the scope of VAT: the place of supply is not in the country of the seller; ' +
            'Payment in advance of any supply, outside the scope of tax',
          'VATEX-EU-O',
        ],
      ],
    },
  ])('is $what', ({ document, expected }) => expect(groups(document)).toEqual(expected));

  it('O names no VAT number of the buyer (BR-O-2), and the seller by another id (BR-CO-26)', () => {
    const root = read(totalled({ ...invoice, seller: unregistered, lines: [untaxed()] }));
    expect(nodesAt(root, `${BUYER}/SpecifiedTaxRegistration`)).toEqual([]);
    expect(textsAt(root, `${BUYER}/ID`)).toEqual(['EL094259216']);
    expect(textsAt(root, `${SELLER}/ID`)).toEqual(['org_1']);
  });
});

describe('a tax id', () => {
  it.each([
    { taxId: 'DE 123 456 789', country: 'DE', scheme: 'VA', text: 'DE123456789' },
    { taxId: 'de123.456.789', country: 'Germany', scheme: 'VA', text: 'DE123456789' },
    { taxId: 'EL094259216', country: 'GR', scheme: 'VA', text: 'EL094259216' },
    { taxId: 'XI 110305878', country: 'GB', scheme: 'VA', text: 'XI110305878' },
    { taxId: 'CHE-123.456.789 MWST', country: 'CH', scheme: 'VA', text: 'CHE123456789MWST' },
    { taxId: '12-3456789', country: 'US', scheme: 'FC', text: '12-3456789' },
    { taxId: 'FR83404833048', country: 'DE', scheme: 'VA', text: 'FR83404833048' },
    { taxId: 'Department 7', country: 'DE', scheme: 'FC', text: 'Department 7' },
  ])('$taxId of $country is a $scheme number', ({ taxId, country, scheme, text }) => {
    const root = read({ ...invoice, seller: { ...invoice.seller, taxId, address: { country } } });
    const [id] = nodesAt(root, `${SELLER}/SpecifiedTaxRegistration/ID`);
    expect(id).toMatchObject({ attributes: { schemeID: scheme }, text });
  });
});

describe('there is none', () => {
  const { seller, buyer } = invoice;
  it.each<{ what: string; document: InvoiceDocument; missing: string[] }>([
    {
      what: 'no country of the seller',
      document: { ...invoice, seller: { ...seller, address: {} } },
      missing: ['seller.address.country'],
    },
    {
      what: 'a country that is none',
      document: { ...invoice, buyer: { ...buyer, address: { country: 'Atlantis' } } },
      missing: ['buyer.address.country'],
    },
    {
      what: 'no tax id of a seller who taxes',
      document: { ...invoice, seller: { ...seller, taxId: ' ' } },
      missing: ['seller.taxId'],
    },
    {
      what: 'no VAT number of a buyer who owes the tax',
      document: totalled({
        ...{ ...invoice, buyer: { ...buyer, taxId: null }, untaxedBy: 'reverseCharge' },
        lines: [{ ...platformFee, taxRate: '0' }],
      }),
      missing: ['buyer.taxId'],
    },
    {
      what: 'nothing at all',
      document: { ...invoice, seller: { name: 'A' }, buyer: { name: 'B' } },
      missing: ['seller.address.country', 'seller.taxId', 'buyer.address.country'],
    },
  ])('without legal details: $what', ({ document, missing }) =>
    expect(eInvoiceOf(document)).toEqual({ withheld: 'legal_details_missing', missing }),
  );

  it.each<{ what: string; document: InvoiceDocument; because: string }>([
    { what: 'three digits in an amount', document: creditNote, because: 'three digits' },
    { what: 'no lines', document: totalled({ ...invoice, lines: [] }), because: 'no lines' },
    { what: 'totals of something else', document: { ...invoice, grandTotal: '943.85' }, because: 'totals' },
  ])('that says the same as the document: $what', ({ document, because }) =>
    expect(eInvoiceOf(document)).toEqual({ withheld: 'not_representable', because: expect.stringContaining(because) }),
  );
});

describe('currencies', () => {
  it.each([
    ['JPY', '36150', '36150'],
    ['EUR', '36150.50', '36150.50'],
    ['KWD', '36150.500', '36150.50'], // three digits, of which two suffice
  ])('%s writes %s as %s', (currency, amount, written) => {
    const root = read(totalled({ ...invoice, currency, lines: [{ ...platformFee, taxRate: '0', amount }] }));
    expect(textsAt(root, `${TOTALS}/GrandTotalAmount`)).toEqual([written]);
  });
});

describe('what always holds', () => {
  const minor = (currency: string) =>
    fc.bigInt({ min: -10_000_000n, max: 10_000_000n }).map((units) => decimal(units).div(10 ** minorDigits(currency)));
  const scaled = (most: bigint, digits: number) =>
    fc.bigInt({ min: -most, max: most }).map((units) => decimal(units).div(10 ** digits));
  const line = (currency: string): fc.Arbitrary<DocumentLine> =>
    fc
      .record({
        amount: fc.option(minor(currency), { nil: null, freq: 2 }), // null: quantity × price
        quantity: scaled(10_000n, 3).map((quantity) => quantity.abs()),
        unitPrice: scaled(1_000_000n, 6),
        taxRate: fc.constantFrom('0', '7', '8.875', '19', '20.0'),
        untaxed: fc.constantFrom('exempt' as const, 'prepayment' as const, null),
      })
      .map(({ amount, quantity, unitPrice, taxRate, untaxed }) => ({
        ...(amount === null ? inputTokens : platformFee),
        quantity: quantity.toFixed(),
        unitPrice: unitPrice.toFixed(),
        amount: formatMoney(amount ?? roundTo(quantity.times(unitPrice), currency, 'half-away-from-zero'), currency),
        taxRate,
        untaxed: taxRate === '0' ? untaxed : null,
      }));
  const documents = fc
    .constantFrom('EUR', 'JPY')
    .chain((currency) =>
      fc.record({
        lines: fc.array(line(currency), { minLength: 1, maxLength: 12 }),
        currency: fc.constant(currency),
        part: fc.integer({ min: 0, max: 100 }),
        kind: fc.constantFrom('invoice' as const, 'credit_note' as const),
        behavior: fc.constantFrom('exclusive' as const, 'inclusive' as const),
      }),
    )
    .map(({ part, behavior, ...given }): InvoiceDocument => {
      const made = totalled({ ...invoice, ...given }, behavior);
      const paid = roundTo(decimal(made.grandTotal).times(part).div(100), made.currency, 'half-away-from-zero');
      return { ...made, paidAmount: formatMoney(paid, made.currency) };
    });
  const number = (node: XmlNode, path: string): Decimal => decimal(textsAt(node, path)[0] ?? '0');
  const all = (node: XmlNode, path: string): Decimal => sum(textsAt(node, path).map(decimal));

  it('the totals follow from the lines (BR-CO-10, 13, 14, 15, 16), and the tax from its bases (BR-CO-17)', () =>
    fc.assert(
      fc.property(documents, (document) => {
        const root = read(document);
        const [totals] = nodesAt(root, TOTALS) as [XmlNode];
        const lineAmount = 'SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount';
        expect(number(totals, 'LineTotalAmount')).toEqual(all(root, `${LINE}/${lineAmount}`));
        expect(number(totals, 'TaxBasisTotalAmount')).toEqual(number(totals, 'LineTotalAmount'));
        expect(number(totals, 'TaxTotalAmount')).toEqual(
          all(root, `${SETTLEMENT}/ApplicableTradeTax/CalculatedAmount`),
        );
        const [base, tax] = [number(totals, 'TaxBasisTotalAmount'), number(totals, 'TaxTotalAmount')];
        expect(number(totals, 'GrandTotalAmount')).toEqual(base.plus(tax));
        const prepaid = number(totals, 'TotalPrepaidAmount');
        expect(number(totals, 'DuePayableAmount')).toEqual(number(totals, 'GrandTotalAmount').minus(prepaid));
        for (const group of nodesAt(root, `${SETTLEMENT}/ApplicableTradeTax`)) {
          const exact = number(group, 'BasisAmount').times(number(group, 'RateApplicablePercent')).div(100);
          // Half a minor unit where tax is added. Where tax is inside the quoted price, the base was rounded with
          // it.
          const unit = decimal(1).div(10 ** minorDigits(document.currency));
          expect(number(group, 'CalculatedAmount').minus(exact).abs().lt(unit)).toBe(true);
        }
      }),
    ));

  it('each base is the sum of the lines of its category and rate (BR-S-8, Z-8, E-8)', () =>
    fc.assert(
      fc.property(documents, (document) => {
        const root = read(document);
        const keyOf = (node: XmlNode) =>
          [...textsAt(node, 'CategoryCode'), ...textsAt(node, 'RateApplicablePercent')].join(' ');
        const bases = new Map<string, Decimal>();
        for (const node of nodesAt(root, `${LINE}/SpecifiedLineTradeSettlement`)) {
          const key = keyOf(nodesAt(node, 'ApplicableTradeTax')[0] as XmlNode);
          const amount = number(node, 'SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount');
          bases.set(key, (bases.get(key) ?? ZERO).plus(amount));
        }
        const groups = nodesAt(root, `${SETTLEMENT}/ApplicableTradeTax`);
        expect(new Map(groups.map((group) => [keyOf(group), number(group, 'BasisAmount')]))).toEqual(bases);
      }),
    ));

  it('no amount has more than two digits (BR-DEC), no price is negative (BR-27), and price times quantity is the amount', () =>
    fc.assert(
      fc.property(documents, (document) => {
        const xml = xmlOf(document);
        for (const [, amount] of xml.matchAll(
          /<ram:\w*(?:TotalAmount|BasisAmount|CalculatedAmount|PayableAmount|PrepaidAmount)(?: [^>]*)?>([^<]*)</g,
        ))
          expect(amount).toMatch(document.currency === 'JPY' ? /^-?\d+$/ : /^-?\d+\.\d\d$/);
        for (const node of nodesAt(readXml(xml), LINE)) {
          const price = number(node, 'SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount');
          const [basis] = textsAt(node, 'SpecifiedLineTradeAgreement/NetPriceProductTradePrice/BasisQuantity');
          const quantity = number(node, 'SpecifiedLineTradeDelivery/BilledQuantity');
          const amount = number(
            node,
            'SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount',
          );
          expect(price.gte(0)).toBe(true);
          const product = roundTo(quantity.times(price).div(basis ?? '1'), document.currency, 'half-away-from-zero');
          expect(product.eq(amount)).toBe(true);
        }
      }),
    ));

  it('is well-formed whatever names and words hold, and says them back', () =>
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 80 }),
        fc.string({ unit: 'grapheme', maxLength: 80 }),
        (a, b) => {
          const party = { ...invoice.seller, name: a, legalName: b, emails: [a], phone: b };
          const address = { line1: a, line2: b, city: a, state: b, zipCode: a, country: 'DE' };
          const root = read({
            ...invoice,
            number: a,
            seller: { ...party, address },
            buyer: { ...party, taxId: b, address },
            lines: invoice.lines.map((each) => ({ ...each, description: a + b, unit: b, group: { [a]: b, [b]: a } })),
            notes: b,
            footer: a,
            original: { number: b, issuedAt: invoice.issuedAt },
          });
          expect(nodesAt(root, LINE)).toHaveLength(invoice.lines.length);
          for (const name of ['BT-27', ...textsAt(root, `${SELLER}/Name`)]) expect(name.trim()).not.toBe('');
        },
      ),
    ));

  it.each([
    ['markup', '</ram:Name><evil a="b">&lt;&amp;]]></evil>', '</ram:Name><evil a="b">&lt;&amp;]]></evil>'],
    [
      'a document type',
      '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>&e;',
      '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>&e;',
    ],
    ['controls', 'A\u0000\u0001\u001b[31mB\u007f\ud800C\ufffe', 'A[31mB\ufffdC\ufffd'],
    ['overrides of direction', 'A\u202e\u2066gnp.exe', 'Agnp.exe'],
    ['right to left', 'شركة النور', 'شركة النور'],
    ['line breaks', 'one\r\ntwo\u2028three', 'one two three'],
    ['nothing', '\u0000 \t', '–'],
  ])('writes %s as text', (_, name, expected) => {
    const root = read({ ...invoice, buyer: { ...invoice.buyer, name } });
    expect(textsAt(root, `${BUYER}/Name`)).toEqual([expected]);
  });

  it('keeps a description of 10,000 characters, and says the same twice', () => {
    const description = 'W & '.repeat(2500).trimEnd();
    const long = { ...invoice, lines: [launchDiscount, tieredRequests].map((each) => ({ ...each, description })) };
    const document = totalled(long);
    expect(textsAt(read(document), `${LINE}/SpecifiedTradeProduct/Name`)).toEqual([description, description]);
    expect(xmlOf(document)).toBe(xmlOf(document));
  });
});
