import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cases } from '../../test/support/cases.ts';
import { LOCALES } from '../kernel/locale.ts';
import { figuresOf } from '../look/index.ts';
import { createCompiler } from './compile.ts';
import type { DocumentLine, InvoiceDocument, Party } from './document.ts';
import { eInvoiceOf } from './e-invoice/e-invoice.ts';
import { readPdf } from './testing/read-pdf.ts';
import { nodesAt, readXml, textsAt, type XmlNode } from './testing/read-xml.ts';
import { invoice, platformFee, totalled } from './testing/samples.ts';
import { viewOf } from './view.ts';
import { DOCUMENT_WORDS } from './words.ts';

/** Seller and buyer read the PDF, their programs read the e-invoice: both say the same. */
const compile = createCompiler();

const party = (name: string, taxId: string | null, country: string): Party => ({
  ...{ id: 'org_1', name, taxId },
  address: { city: 'Town', zipCode: '12345', country },
});
const sellers = [
  party('Berlin GmbH', 'DE 123 456 789', 'DE'),
  party('Kleine Werkstatt', null, 'DE'),
  party('Nube SL', 'ESB58378431', 'ES'),
  party('Alpen AG', 'CHE-116.281.710 MWST', 'CH'),
  party('Acme Inc.', '12-3456789', 'US'),
];
const buyers = [
  party('Müller GmbH', 'DE987654321', 'DE'),
  party('Cliente SA', 'ESA28015865', 'ES'),
  party('Consumer', null, 'FR'),
];

const day = (from: number) =>
  fc.integer({ min: from, max: from + 40 }).map((days) => invoice.issuedAt.add({ hours: days * 19 }));
const time = fc.tuple(day(-60), day(0)).map(([from, to]) => ({ from, to }));

const line = fc
  .record({
    amount: fc.integer({ min: -50_000, max: 2_000_000 }).map((cents) => (cents / 100).toFixed(2)),
    taxRate: fc.constantFrom('0', '0', '7', '19', '8.875'),
    untaxed: fc.constantFrom('exempt' as const, 'prepayment' as const, null),
    notes: fc.subarray(['500 inclus', '35% of 44.71', '17 of 31 days of 397.00']),
    time: fc.option(time, { nil: null }),
  })
  .map(
    ({ time: span, untaxed, ...given }): DocumentLine => ({
      ...platformFee,
      ...given,
      unitPrice: given.amount,
      untaxed: given.taxRate === '0' ? untaxed : null,
      periodStart: span?.from,
      periodEnd: span?.to,
    }),
  );

const documents = fc
  .record({
    lines: fc.array(line, { minLength: 1, maxLength: 4 }),
    seller: fc.constantFrom(...sellers),
    buyer: fc.constantFrom(...buyers),
    locale: fc.constantFrom(...LOCALES),
    kind: fc.constantFrom('invoice' as const, 'credit_note' as const),
    untaxedBy: fc.constantFrom('outside' as const, 'reverseCharge' as const, 'exempt' as const, null),
    exempt: fc.constantFrom('Kleinunternehmer, § 19 UStG', null),
    service: fc.option(time, { nil: null }),
    isPaid: fc.boolean(),
  })
  .map(({ service, isPaid, exempt, ...given }): InvoiceDocument => {
    const made = totalled({
      ...{ ...invoice, ...given, notes: null, footer: null, invoiceNotes: { exempt } },
      ...(service && { serviceFrom: service.from, serviceTo: service.to }),
    });
    const isDue = Number(made.grandTotal) > 0 && !isPaid;
    return isDue ? made : { ...made, paidAmount: made.grandTotal, unpaidAmount: '0.00' };
  })
  .filter((document) => 'xml' in eInvoiceOf(document));

/** Without the gaps at which a line of the PDF may break. */
const tight = (text: string): string => text.replace(/[\s\u200b]/g, '');

const TRADE = 'SupplyChainTradeTransaction';
const LINE = `${TRADE}/IncludedSupplyChainTradeLineItem`;
const SETTLEMENT = `${TRADE}/ApplicableHeaderTradeSettlement`;
const SUMS = `${SETTLEMENT}/SpecifiedTradeSettlementHeaderMonetarySummation`;
const PERIOD = `${SETTLEMENT}/BillingSpecifiedPeriod`;

/** A date of the e-invoice (`20251201`) as an instant; null for none. */
function dateAt(root: XmlNode, path: string): Temporal.Instant | null {
  const [text] = textsAt(root, `${path}/DateTimeString`);
  return text === undefined ? null : Temporal.PlainDate.from(text).toZonedDateTime('UTC').toInstant();
}

it('PDF and e-invoice say the same amounts, reasons, notes, dates and tax numbers', () =>
  fc.assert(
    fc.property(documents, (document) => {
      const made = eInvoiceOf(document);
      const xml = 'xml' in made ? made.xml : '';
      const root = readXml(xml);
      const { pdf } = compile({ view: JSON.stringify(viewOf(document)), eInvoice: xml, createdAtSeconds: 1 });
      const paper = tight(readPdf(pdf).pages.join('\n'));
      const { amount, money, day: dayText, period } = figuresOf(document.locale);
      const isOnPaper = (text: string): void => expect(paper).toContain(tight(text));

      const lineAmounts = textsAt(
        root,
        `${LINE}/SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount`,
      );
      expect(lineAmounts).toEqual(document.lines.map((each) => each.amount));
      for (const text of lineAmounts) isOnPaper(amount(text, 'EUR'));
      const { subtotal, totalTax, grandTotal } = document;
      expect(
        ['LineTotalAmount', 'TaxTotalAmount', 'GrandTotalAmount'].flatMap((name) => textsAt(root, `${SUMS}/${name}`)),
      ).toEqual([subtotal, totalTax, grandTotal]);
      isOnPaper(money(grandTotal, 'EUR'));
      isOnPaper(money(subtotal, 'EUR'));
      for (const group of nodesAt(root, `${SETTLEMENT}/ApplicableTradeTax`))
        if (textsAt(group, 'CategoryCode')[0] === 'S')
          isOnPaper(money(textsAt(group, 'CalculatedAmount')[0] ?? '', 'EUR'));

      const reasons = textsAt(root, `${SETTLEMENT}/ApplicableTradeTax/ExemptionReason`).flatMap((text) =>
        text.split('; '),
      );
      for (const reason of reasons) isOnPaper(reason);
      const { exempt, outside, notRegistered, ...others } = DOCUMENT_WORDS[document.locale].untaxed;
      for (const sentence of Object.values(others))
        expect([sentence, paper.includes(tight(sentence))]).toEqual([sentence, reasons.includes(sentence)]);
      const needsReason = textsAt(root, `${SETTLEMENT}/ApplicableTradeTax/CategoryCode`).some((code) =>
        'EAEO'.includes(code),
      );
      expect(reasons.length > 0).toBe(needsReason);

      const notes = textsAt(root, `${LINE}/AssociatedDocumentLineDocument/IncludedNote/Content`);
      expect(notes.flatMap((text) => text.split('; '))).toEqual(document.lines.flatMap((each) => each.notes ?? []));
      for (const note of notes.flatMap((text) => text.split('; '))) isOnPaper(note);

      isOnPaper(dayText(dateAt(root, 'ExchangedDocument/IssueDateTime') as Temporal.Instant));
      const due = dateAt(root, `${SETTLEMENT}/SpecifiedTradePaymentTerms/DueDateDateTime`);
      if (due) isOnPaper(dayText(due));
      const supplied = dateAt(
        root,
        `${TRADE}/ApplicableHeaderTradeDelivery/ActualDeliverySupplyChainEvent/OccurrenceDateTime`,
      );
      if (supplied) isOnPaper(dayText(supplied));
      const [first, last] = [dateAt(root, `${PERIOD}/StartDateTime`), dateAt(root, `${PERIOD}/EndDateTime`)];
      if (first && last) isOnPaper(period(first, last.add({ hours: 24 })));
      expect(supplied !== null || first !== null).toBe(true);

      for (const side of ['Seller', 'Buyer'] as const) {
        const { taxId } = side === 'Seller' ? document.seller : document.buyer;
        const at = `${TRADE}/ApplicableHeaderTradeAgreement/${side}TradeParty`;
        const numbers = [...textsAt(root, `${at}/SpecifiedTaxRegistration/ID`), ...textsAt(root, `${at}/ID`)];
        const bare = (text: string): string => text.replace(/[^0-9A-Z]/g, '').replace(/^ES/, '');
        expect(numbers.some((number) => bare(number) === bare(taxId ?? 'org_1')) || taxId == null).toBe(true);
        if (taxId != null) expect(paper.replace(/[^0-9A-Z]/g, '')).toContain(bare(taxId));
      }
    }),
    cases(20, 1000),
  ));
