import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../test/support/cases.ts';
import { reductions } from '../look/index.ts';
import { type CompileOutcome, type CompileRequest, createCompiler } from './compile.ts';
import type { InvoiceDocument } from './document.ts';
import { eInvoiceOf } from './e-invoice/e-invoice.ts';
import { declareFacturX } from './factur-x.ts';
import { loadFonts } from './fonts.ts';
import { readPdf } from './testing/read-pdf.ts';
import { creditNote, invoice, invoiceOf, platformFee, worldwide } from './testing/samples.ts';
import { viewOf } from './view.ts';

const compile = createCompiler();

const requestOf = (document: InvoiceDocument, shown: (view: string) => string = (view) => view): CompileRequest => {
  const electronic = eInvoiceOf(document);
  return {
    view: shown(JSON.stringify(viewOf(document))),
    eInvoice: 'xml' in electronic ? electronic.xml : null,
    createdAtSeconds: Math.floor(document.issuedAt.epochMilliseconds / 1000),
  };
};

const rendered = (document: InvoiceDocument, shown?: (view: string) => string): CompileOutcome =>
  compile(requestOf(document, shown));

const pagesOf = (document: InvoiceDocument): string[] =>
  readPdf(rendered(document).pdf).pages.map((page) => page.replaceAll('\u00a0', ' '));

describe('an invoice', () => {
  it('shows who, to whom, what, when and how much', () => {
    const pages = pagesOf(invoice);
    expect(pages).toHaveLength(1);
    for (const words of [
      'Northwind Models GmbH',
      'VAT ID DE 123 456 789',
      'Έρευνα & Ανάπτυξη Α.Ε.',
      'INV-000123',
      '1 December 2025',
      '15 December 2025',
      '€923.84',
      'Input tokens',
      '18,240,512',
      '12.00',
      'per 1,000,000',
      '100,000 – 1,000,000, plus 10.00 flat',
      '−147.00',
      'VAT 7% on €57.00',
      'Payment is due within 14 days, by 15 December 2025.',
      'https://pay.northwind.example/s/ps_01JD8X4Z7Q2M',
      'Thank you for building with us.',
      'Amtsgericht Charlottenburg',
      '1 / 1',
    ])
      expect(pages[0]).toContain(words);
    expect(pages[0]).not.toContain('Sandbox');
  });

  it('of several subscriptions names each above its lines, and its subtotal below them', () => {
    const sections = [
      { name: 'Team North', subtotal: '500.00' },
      { name: 'Team South', subtotal: '250.00' },
    ];
    const lines = [0, 0, 1].map((section) => ({ ...platformFee, section }));
    const [page] = pagesOf({ ...invoice, lines, sections }) as [string];
    const said = page.split('\n').filter((line) => /^(Subtotal: )?Team (North|South)$|^(500|250)\.00$/.test(line));
    const subtotal = (name: string, amount: string) => [`Subtotal: ${name}`, amount];
    const north = said.slice(said.indexOf('Team North'), said.indexOf('Team South'));
    expect(north.slice(-2)).toEqual(subtotal('Team North', '500.00'));
    expect(said.slice(said.indexOf('Team South')).slice(-2)).toEqual(subtotal('Team South', '250.00'));
  });

  it('of 400 lines repeats its header, counts its pages and loses no line', () => {
    const pages = pagesOf(invoiceOf(400));
    expect(pages.length).toBeGreaterThan(5);
    pages.forEach((page, index) => {
      expect(page).toContain(`${index + 1} / ${pages.length}`);
      if (index + 1 < pages.length) expect(page).toContain('Unit price');
      if (index > 0) expect(page).toContain('Invoice INV-000123');
    });
    const numbers = pages.join('\n').match(/^\d+(?=\. )/gm);
    expect(numbers).toEqual(Array.from({ length: 400 }, (_, index) => String(index + 1)));
  });

  it('keeps a line and its tiers on one page', () => {
    for (const page of pagesOf(invoiceOf(60)))
      expect(page.match(/API requests/g)?.length ?? 0).toBe(page.match(/Over 1,000,000/g)?.length ?? 0);
  });

  it('of the sandbox says so on every page', () => {
    const pages = pagesOf({ ...invoiceOf(60), environment: 'sandbox' });
    expect(pages.length).toBeGreaterThan(1);
    for (const page of pages) expect(page).toContain('Sandbox – not a tax document');
  });
});

it('a credit note names the invoice that it credits', () => {
  const [page] = pagesOf(creditNote);
  for (const words of ['Credit note', 'CN-000004', 'INV-000099', 'KWD 272.188', 'Reason: The export failed'])
    expect(page).toContain(words);
});

describe('the file', () => {
  it('is PDF/A-3b with a title, an author and a language', () => {
    const { pdf, standard } = rendered(invoice);
    const { opened } = readPdf(pdf);
    expect(standard).toBe('a-3b');
    expect(opened).toMatch(/<pdfaid:part>3<\/pdfaid:part><pdfaid:conformance>B</);
    expect(Buffer.from(opened, 'latin1').toString()).toContain('Invoice INV-000123 – Northwind Models');
    expect(opened).toContain('/Lang (en)');
    expect(opened).toContain('2025-12-01T09:30:00Z');
  });

  it.each([
    ['an invoice', invoice],
    ['a credit note', creditNote],
    ['names in other scripts', worldwide],
  ])('is the same to the byte for the same value: %s', (_, document) => {
    const first = rendered(document).pdf;
    rendered(invoiceOf(3));
    expect(Buffer.compare(first, rendered(document).pdf)).toBe(0);
    expect(Buffer.compare(first, createOther()(document))).toBe(0);
  });

  const createOther = () => {
    const other = createCompiler();
    return (document: InvoiceDocument) => other(requestOf(document)).pdf;
  };

  it('has no script, no action but its payment link, and no font from elsewhere', () => {
    const { opened } = readPdf(rendered(invoice).pdf);
    expect(opened).not.toMatch(/\/(JS|JavaScript|Launch|OpenAction|AA|SubmitForm|GoToR)\b/);
    const addresses = new Set([...opened.matchAll(/\/URI \(([^)]*)\)/g)].map(([, address]) => address));
    expect([...addresses]).toEqual([invoice.paymentUrl]);
    expect(readPdf(rendered({ ...invoice, paymentUrl: null }).pdf).opened).not.toContain('/URI');
    for (const [, font] of opened.matchAll(/\/BaseFont \/\w+\+([\w-]+)/g)) expect(font).toMatch(/^NotoSans/);
  });
});

describe('the e-invoice inside', () => {
  it('is the text that the document comes to, attached as another form of it, and the metadata says so', () => {
    const { eInvoice } = requestOf(invoice);
    const { pdf, standard } = rendered(invoice);
    const { attachments, opened } = readPdf(pdf);
    expect(standard).toBe('a-3b');
    expect(attachments).toEqual([
      { name: 'factur-x.xml', type: 'text/xml', relationship: 'Alternative', content: eInvoice },
    ]);
    expect(opened).toMatch(/\/AF \[\d+ 0 R\]/);
    expect(opened).toContain(
      '<fx:DocumentFileName>factur-x.xml</fx:DocumentFileName><fx:DocumentType>INVOICE</fx:DocumentType>' +
        '<fx:Version>1.0</fx:Version><fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>',
    );
    expect(opened).toContain('<pdfaSchema:prefix>fx</pdfaSchema:prefix>');
  });

  it.each([
    ['names in other scripts', worldwide],
    ['pages', invoiceOf(200)],
  ])('leaves a file whose every object is where its table says: %s', (_, document) => {
    const file = Buffer.from(rendered(document).pdf).toString('latin1');
    const table = Number(/startxref\n(\d+)/.exec(file)?.[1]);
    expect(file.startsWith('xref\n', table)).toBe(true);
    const offsets = [...file.slice(table).matchAll(/^(\d{10}) \d{5} n/gm)].map(([, offset]) => Number(offset));
    expect(offsets.length).toBeGreaterThan(10);
    for (const [index, offset] of offsets.entries()) expect(file.startsWith(`${index + 1} 0 obj\n`, offset)).toBe(true);
    const [, length] = /\/Length (\d+)\s+\/Type \/Metadata/.exec(file) ?? [];
    const start = file.indexOf('stream\n', file.indexOf('/Type /Metadata')) + 'stream\n'.length;
    expect(
      file
        .slice(start + Number(length))
        .trimStart()
        .startsWith('endstream'),
    ).toBe(true);
  });

  it('is not there where there is none, and then the file promises none', () => {
    const { opened, attachments } = readPdf(rendered(creditNote).pdf);
    expect(attachments).toEqual([]);
    expect(opened).not.toContain('urn:factur-x');
    expect(opened).not.toContain('/EmbeddedFile');
  });

  it('is refused where the file is not as Typst writes them', () => {
    expect(() => declareFacturX(Buffer.from('%PDF-1.7\n'))).toThrow('no metadata');
  });
});

describe('scripts', () => {
  it('Greek, Arabic, Chinese and Japanese are set in fonts that have them, in PDF/A', () => {
    const { pdf, standard } = rendered(worldwide);
    const { opened, pages } = readPdf(pdf);
    expect(standard).toBe('a-3b');
    for (const font of ['NotoSans-Regular', 'NotoSansArabic-Regular', 'NotoSansArabic-SemiBold', 'NotoSansSC-SemiBold'])
      expect(opened).toContain(`+${font}`);
    expect(pages[0]).toContain('上海星辰科技有限公司');
    expect(pages[0]).toContain('カスタムモデル');
    expect(pages[0]).toContain('¥43,065');
  });

  it('a character that no font has does not kill the document', () => {
    const { pdf, standard } = rendered({ ...invoice, buyer: { name: 'Rocket 🚀 Inc' } });
    expect(standard).toBe('a-3b');
    expect(readPdf(pdf).pages[0]).toContain('Rocket \ufffd Inc');
  });

  it('where PDF/A refuses all the same, a plain PDF is made', () => {
    const careless = createCompiler({ ...loadFonts(), displayable: (text) => text });
    const { pdf, standard } = careless(requestOf({ ...invoice, buyer: { ...invoice.buyer, name: 'Rocket 🚀 Inc' } }));
    expect(standard).toBe('1.7');
    expect(readPdf(pdf).pages[0]).toContain('INV-000123');
    expect(readPdf(pdf).attachments).toMatchObject([{ name: 'factur-x.xml' }]);
  });
});

describe('hostile text', () => {
  const hostile = [
    '#eval("1+1")',
    '#import "/etc/passwd"',
    '#read("/etc/passwd")',
    '"); #panic("x',
    '*bold* _it_ $x$ <label> @ref `raw` = heading',
    '\\u{1F600} \\ // /* comment */',
    '{"text":"x"}',
    ') /JS (app.alert(1)) >>',
    '<script>alert(1)</script>',
  ];

  it.each(hostile)('is printed as it is: %s', (text) => {
    const { pages, opened } = readPdf(rendered({ ...invoice, lines: [{ ...platformFee, description: text }] }).pdf);
    expect(pages[0]).toContain(text);
    expect(opened).not.toContain('/JS');
  });

  it('of any length in every field keeps to the page and to PDF/A', () => {
    const long = 'W'.repeat(5000);
    const { standard, pdf } = rendered({
      ...invoice,
      number: long,
      seller: { name: long, legalName: long, taxId: long, address: { line1: long, country: long }, emails: [long] },
      buyer: { name: long },
      lines: [
        {
          ...platformFee,
          description: long,
          unit: long,
          quantity: '9'.repeat(60),
          unitPrice: `0.${'1'.repeat(60)}`,
          group: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${index}${long}`, long])),
        },
      ],
      notes: long,
      footer: long,
    });
    expect(standard).toBe('a-3b');
    expect(readPdf(pdf).pages.length).toBeLessThan(10);
  });

  // Unreduced, one text in some thousands ends the process that typesets (renderer.test.ts has three of them).
  it('of any characters whatever, reduced as after two failures, gives PDF/A', () =>
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        (a, b) => {
          const document = {
            ...invoice,
            seller: { name: a },
            buyer: { name: b },
            lines: [{ ...platformFee, description: a + b, group: { [b]: a } }],
            notes: `${b}\n${a}`,
          };
          const { standard } = rendered(document, reductions.at(-1));
          expect(standard).toBe('a-3b');
        },
      ),
      cases(12, 60),
    ));
});
