import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { readPdf } from '../../src/documents/testing/read-pdf.ts';
import { nodesAt, readXml, textsAt, type XmlNode } from '../../src/documents/testing/read-xml.ts';
import { newId } from '../../src/kernel/ids.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * The documents of a merchant: the document and the e-invoice of an invoice and of its credit notes (domain.md §4,
 * Document).
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await openTestEnvironment({ documents: 'typeset' });
  env.setNow('2026-03-10T09:30:00Z');
  ({ merchant, shop } = await registered());
});
afterAll(() => env.close());

/** A merchant with all data that the law requires of an issuer. */
async function registered(): Promise<{ merchant: Merchant; shop: Shop }> {
  const made = await env.merchant();
  const of = shopOf(made);
  await of.change(`/v0/organizations/${made.id}`, {
    name: 'Northwind Models',
    legalName: 'Northwind Models GmbH',
    taxId: 'DE 123 456 789',
    address: { line1: 'Torstraße 140', city: 'Berlin', zipCode: '10119', country: 'DE' },
  });
  return { merchant: made, shop: of };
}

const SETTLEMENT = 'SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement';
const TOTALS = `${SETTLEMENT}/SpecifiedTradeSettlementHeaderMonetarySummation`;
const documentOf = (path: string, by = merchant) => by.get(`/v2/invoices/${path}`);
const xmlOf = async (path: string): Promise<XmlNode> =>
  readXml((await documentOf(`${path}/document.xml`)).bytes.toString());
const textOf = (pdf: Buffer): string => readPdf(pdf).pages.join('\n').replaceAll('\u00a0', ' ');
const WORKSHOP = { displayName: 'Workshop', quantity: '1.5', unitPrice: 800, taxRate: 20 };
const issuedByHand = async (fields: object = {}, of = shop) =>
  of.create('/v2/invoices', {
    customerId: (await of.customer()).id,
    currency: 'EUR',
    lines: [WORKSHOP],
    autoApprove: true,
    ...fields,
  });
const stored = (ownerId: string, by = merchant) =>
  env.database.transaction({ merchants: [by.id] }, (tx) =>
    tx.rows<{ kind: string }>(sql`
      select 'pdf' as kind from document where owner_id = ${ownerId}
      union all select 'xml' from e_invoice where owner_id = ${ownerId} order by kind`),
  );

describe('an invoice', () => {
  it('of a period is the same for people and for machines, made once', async () => {
    const { invoice } = await shop.issued();
    await env.runDueWork();
    expect(await stored(invoice.id)).toEqual([{ kind: 'pdf' }, { kind: 'xml' }]);
    const xml = await documentOf(`${invoice.id}/document.xml`);
    const name = `inline; filename="${invoice.invoiceNumber}.xml"`;
    expect(xml).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/xml', 'content-disposition': name, 'cache-control': 'private, no-cache' },
    });
    const again = await env
      .client()
      .get(`/pay/invoices/${invoice.id}/invoice.xml`, { 'if-none-match': String(xml.headers.etag) });
    expect([again.status, again.text]).toEqual([304, '']);
    const pdf = (await documentOf(`${invoice.id}/pdf`)).bytes;
    expect(readPdf(pdf).attachments).toEqual([
      { name: 'factur-x.xml', type: 'text/xml', relationship: 'Alternative', content: xml.bytes.toString() },
    ]);
    const root = readXml(xml.bytes.toString());
    expect(textsAt(root, 'ExchangedDocument/ID')).toEqual([invoice.invoiceNumber]);
    expect(textsAt(root, 'ExchangedDocument/TypeCode')).toEqual(['380']);
    expect(textsAt(root, 'ExchangedDocument/IncludedNote/Content')).toEqual(['Sandbox – not a tax document']);
    expect(textsAt(root, `${SETTLEMENT}/BillingSpecifiedPeriod/EndDateTime/DateTimeString`)).toEqual(['20260131']);
    expect(textsAt(root, `${TOTALS}/GrandTotalAmount`)).toEqual(['12.00']);
    await shop.pay(invoice);
    expect((await documentOf(`${invoice.id}/document.xml`)).bytes.equals(xml.bytes)).toBe(true);
    expect((await documentOf(`${invoice.id}/pdf`)).bytes.equals(pdf)).toBe(true);
  });

  it('is made at once for who asks for the e-invoice before the job has run', async () => {
    const invoice = await issuedByHand();
    expect(await stored(invoice.id)).toEqual([]);
    expect(textsAt(await xmlOf(invoice.id), `${TOTALS}/GrandTotalAmount`)).toEqual(['1440.00']);
    expect(await stored(invoice.id)).toEqual([{ kind: 'pdf' }, { kind: 'xml' }]);
  });

  it('of an exempt subscription says that it is exempt, and not that its rate is 0', async () => {
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await shop.plan([await shop.feePrice()], { defaultTaxRate: 20 }), {
      clock,
      taxExempt: true,
    });
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    const [invoice] = await shop.invoices(subscription);
    const group = nodesAt(await xmlOf(invoice.id), `${SETTLEMENT}/ApplicableTradeTax`)[0] as XmlNode;
    expect([...textsAt(group, 'CategoryCode'), ...textsAt(group, 'ExemptionReason')]).toEqual(['E', 'Exempt from VAT']);
  });

  it('that is paid by transfer names the account; one that is paid online does not', async () => {
    const { merchant: by, shop: of } = await registered();
    await of.change(`/v0/organizations/${by.id}`, {
      settings: {
        bankTransfer: { holder: 'Northwind GmbH', iban: 'DE89 3704 0044 0532 0130 00', bic: 'COBADEFFXXX' },
      },
    });
    const online = await issuedByHand({}, of);
    await of.change(`/v0/organizations/${by.id}`, { settings: { paymentProvider: 'none' } });
    const byTransfer = await issuedByHand({}, of);
    const texts = await Promise.all(
      [online, byTransfer].map(async ({ id }) => textOf((await documentOf(`${id}/pdf`, by)).bytes)),
    );
    expect(texts.map((text) => text.includes('DE89 3704 0044 0532 0130 00'))).toEqual([false, true]);
    const means = nodesAt(
      readXml((await documentOf(`${byTransfer.id}/document.xml`, by)).bytes.toString()),
      `${SETTLEMENT}/SpecifiedTradeSettlementPaymentMeans`,
    )[0] as XmlNode;
    expect(textsAt(means, 'PayeePartyCreditorFinancialAccount/IBANID')).toEqual(['DE89370400440532013000']);
  });

  it('of an account that is mistyped is refused before anybody sends money there', async () => {
    const bankTransfer = { iban: 'DE89 3704 0044 0532 0130 01', bic: 'COBA' };
    expect(await merchant.patch(`/v0/organizations/${merchant.id}`, { settings: { bankTransfer } })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'settings.bankTransfer.iban' }, { field: 'settings.bankTransfer.bic' }] },
    });
  });

  it('to a business in another member state says who owes the tax', async () => {
    const { merchant: by, shop: of } = await registered();
    const customer = await of.customer({
      taxId: 'FR40303265045',
      consumer: {
        name: 'Atelier',
        email: 'a@atelier.example',
        address: { line1: '1 rue', city: 'Paris', country: 'FR' },
      },
    });
    const invoice = await issuedByHand({ customerId: customer.id, lines: [{ ...WORKSHOP, taxRate: 0 }] }, of);
    const note = 'Reverse charge: the recipient accounts for the VAT';
    expect(textOf((await documentOf(`${invoice.id}/pdf`, by)).bytes)).toContain(note);
    const xml = readXml((await documentOf(`${invoice.id}/document.xml`, by)).bytes.toString());
    const group = nodesAt(xml, `${SETTLEMENT}/ApplicableTradeTax`)[0] as XmlNode;
    expect(textsAt(group, 'CategoryCode')).toEqual(['AE']);
    expect(textsAt(group, 'ExemptionReason')[0]).toContain(note);
  });

  it('over money for the wallet is a payment on account', async () => {
    const customer = await shop.customer();
    const topUp = await shop.create(`/v0/customers/${customer.id}/wallet/topUps`, {
      ...{ amount: '25', currency: 'EUR', idempotencyKey: 'on account' },
    });
    await shop.act(`/v0/paymentSessions/${topUp.paymentSessions[0].url.split('/').at(-1)}/complete`, {
      paymentMethod: 'pm_ok',
    });
    const text = textOf((await documentOf(`${topUp.invoiceId}/pdf`)).bytes);
    for (const words of ['Payment on account', 'This payment goes to your balance']) expect(text).toContain(words);
    expect(text).not.toContain('Invoice number');
  });

  it('with a document from before there were e-invoices gets its own, once', async () => {
    const invoice = await issuedByHand();
    await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      tx.run(sql`insert into document (merchant_id, owner_id, content, sha256, created_at)
                 values (${merchant.id}, ${invoice.id}, ${Buffer.from('%PDF-1.7')}, ''::bytea, now())`),
    );
    const first = (await documentOf(`${invoice.id}/document.xml`)).bytes;
    expect(textsAt(readXml(first.toString()), 'ExchangedDocument/ID')).toEqual([invoice.invoiceNumber]);
    await shop.pay(invoice);
    expect((await documentOf(`${invoice.id}/document.xml`)).bytes.equals(first)).toBe(true);
    expect((await documentOf(`${invoice.id}/pdf`)).bytes.toString()).toBe('%PDF-1.7');
  });

  it.each([
    {
      why: 'a seller without a country and a tax id',
      make: async () => {
        const by = await env.merchant();
        return { by, invoice: await issuedByHand({}, shopOf(by)) };
      },
      details: { reason: 'legal_details_missing', missing: ['seller.address.country', 'seller.taxId'] },
    },
    {
      why: 'an amount of three digits',
      make: async () => ({
        by: merchant,
        invoice: await issuedByHand({ currency: 'KWD', lines: [{ ...WORKSHOP, unitPrice: '0.003', quantity: 1 }] }),
      }),
      details: { reason: 'not_representable', because: expect.stringContaining('BR-DEC') },
    },
  ])('has a PDF and no e-invoice for $why, and says why', async ({ make, details }) => {
    const { by, invoice } = await make();
    expect(await documentOf(`${invoice.id}/document.xml`, by)).toMatchObject({
      status: 404,
      body: { code: 'DOCUMENT_NOT_AVAILABLE', details },
    });
    const pdf = await documentOf(`${invoice.id}/pdf`, by);
    expect({ status: pdf.status, attachments: readPdf(pdf.bytes).attachments }).toEqual({
      status: 200,
      attachments: [],
    });
    expect(await stored(invoice.id, by)).toEqual([{ kind: 'pdf' }]);
  });

  it('that could not be rendered is tried again by who asks, and then nothing withholds it', async () => {
    const invoice = await issuedByHand();
    await env.database.transaction({ merchants: [merchant.id] }, async (tx) => {
      await tx.run(sql`update document_job set next_action_at = null where id = ${invoice.id}`);
      await tx.run(sql`update invoice set document_failure = 'render_failed' where id = ${invoice.id}`);
    });
    expect(await shop.invoice(invoice.id)).toMatchObject({ documentWithheldReason: 'render_failed' });
    expect((await documentOf(`${invoice.id}/pdf`)).status).toBe(200);
    expect(await shop.invoice(invoice.id)).toMatchObject({ documentWithheldReason: null });
  });

  it('that is a draft has neither', async () => {
    const draft = await issuedByHand({ autoApprove: false });
    for (const path of ['pdf', 'document.xml'])
      expect(await documentOf(`${draft.id}/${path}`)).toMatchObject({
        status: 404,
        body: { code: 'DOCUMENT_NOT_AVAILABLE', details: { reason: 'not_issued' } },
      });
  });
});

describe('a credit note', () => {
  const refunded = async () => {
    const invoice = await issuedByHand();
    await shop.pay(invoice);
    const refund = await shop.create(`/v2/invoices/${invoice.id}/refunds`, { reason: 'Fell ill' });
    return { invoice, refund, path: `${invoice.id}/refunds/${refund.id}` };
  };

  it('of a refund is rendered automatically, names the invoice, and is at its address', async () => {
    const { invoice, refund, path } = await refunded();
    await env.runDueWork();
    expect(await stored(refund.id)).toEqual([{ kind: 'pdf' }, { kind: 'xml' }]);
    expect(refund.pdfUrl).toMatch(new RegExp(`/v2/invoices/${path}/pdf$`));
    const { status, headers, bytes } = await documentOf(`${path}/pdf`);
    expect({ status, type: headers['content-type'], name: headers['content-disposition'] }).toEqual({
      status: 200,
      type: 'application/pdf',
      name: `inline; filename="${refund.externalCreditNoteId}.pdf"`,
    });
    const text = textOf(bytes);
    for (const words of [
      'Credit note',
      refund.externalCreditNoteId,
      invoice.invoiceNumber,
      '€1,440.00',
      'Reason: Fell ill',
    ])
      expect(text).toContain(words);
    const xml = await documentOf(`${path}/document.xml`);
    expect(readPdf(bytes).attachments[0]?.content).toBe(xml.bytes.toString());
    const root = readXml(xml.bytes.toString());
    expect(textsAt(root, 'ExchangedDocument/TypeCode')).toEqual(['381']);
    expect(textsAt(root, `${SETTLEMENT}/InvoiceReferencedDocument/IssuerAssignedID`)).toEqual([invoice.invoiceNumber]);
    expect(textsAt(root, `${TOTALS}/GrandTotalAmount`)).toEqual(['1440.00']);
  });

  it('over a part has the credited units with their tax, for people and for machines', async () => {
    const { id, invoiceNumber } = await issuedByHand();
    const [line] = (await shop.invoice(id)).lines;
    const note = await shop.create(`/v2/invoices/${id}/creditNotes`, {
      lines: [{ lineItemId: line.id, quantity: '0.5' }],
      ...{ reason: 'Fell ill', idempotencyKey: 'half a workshop' },
    });
    await env.runDueWork();
    const path = `${id}/refunds/${note.id}`;
    // 1.5 workshops at 800.00 and 20 %: half of one is 400.00 and 80.00.
    const text = textOf((await documentOf(`${path}/pdf`)).bytes);
    for (const words of ['Credit note', note.number, invoiceNumber, 'Workshop', '€480.00', 'Reason: Fell ill'])
      expect(text).toContain(words);
    const root = await xmlOf(path);
    expect(textsAt(root, 'ExchangedDocument/TypeCode')).toEqual(['381']);
    expect(textsAt(root, `${SETTLEMENT}/InvoiceReferencedDocument/IssuerAssignedID`)).toEqual([invoiceNumber]);
    expect(textsAt(root, `${TOTALS}/TaxBasisTotalAmount`)).toEqual(['400.00']);
    expect(textsAt(root, `${TOTALS}/GrandTotalAmount`)).toEqual(['480.00']);
  });

  it('stays what it was when it is voided', async () => {
    const { path } = await refunded();
    const before = (await documentOf(`${path}/pdf`)).bytes;
    const voided = await shop.act(`/v2/invoices/${path}/void`, { reason: 'By mistake' });
    const [id] = path.split('/');
    const [note] = (await shop.read(`/v2/invoices/${id}/creditNotes`)).data;
    expect([voided.voidReason, note.voidReason]).toEqual(['By mistake', 'By mistake']);
    expect((await documentOf(`${path}/pdf`)).bytes.equals(before)).toBe(true);
  });

  it('of a cancellation has its own, too', async () => {
    const invoice = await issuedByHand();
    await shop.act(`/v2/invoices/${invoice.id}/cancel`, { reason: 'Sent to the wrong customer' });
    await env.runDueWork();
    const [note] = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      tx.rows<{ id: string; number: string }>(sql`select id, number from credit_note where invoice_id = ${invoice.id}`),
    );
    const text = textOf((await documentOf(`${invoice.id}/refunds/${note?.id}/pdf`)).bytes);
    for (const words of [note?.number, 'Reason: Sent to the wrong customer']) expect(text).toContain(words);
    const root = await xmlOf(`${invoice.id}/refunds/${note?.id}`);
    expect(textsAt(root, 'ExchangedDocument/ID')).toEqual([note?.number]);
  });

  it('over a part shows that part, and one over the rest says what was credited before', async () => {
    const seats = await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '30' } });
    const clock = await shop.clock('2026-02-01T00:00:00Z');
    const subscription = await shop.subscribe(await shop.plan([seats], { defaultTaxRate: 20 }), {
      clock,
      bankTransferOnly: true,
    });
    await shop.advance(clock, '2026-02-15T00:00:00Z'); // half of February
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved' });
    const [invoice] = (await shop.read(`/v2/invoices?subscriptionId=${subscription.id}`)).data.filter(
      ({ grandTotal }: Resource) => grandTotal === '36.00',
    );
    await shop.act(`/v2/invoices/${invoice.id}/cancel`, { reason: 'Never used' });
    const notes = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      tx.rows<{ id: string; number: string }>(
        sql`select id, number from credit_note where invoice_id = ${invoice.id} order by seq`,
      ),
    );
    expect(notes).toHaveLength(2);
    const line = 'SupplyChainTradeTransaction/IncludedSupplyChainTradeLineItem';
    const net = `${line}/SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount`;
    const [part, remainder] = await Promise.all(notes.map(({ id }) => xmlOf(`${invoice.id}/refunds/${id}`)));
    const said = (root: XmlNode | undefined) =>
      root && [
        ...textsAt(root, net),
        ...textsAt(root, `${TOTALS}/TaxTotalAmount`),
        ...textsAt(root, `${TOTALS}/GrandTotalAmount`),
      ];
    expect(said(part)).toEqual(['15.00', '3.00', '18.00']);
    expect(said(remainder)).toEqual(['30.00', '-15.00', '3.00', '18.00']);
    expect(textsAt(remainder as XmlNode, `${line}/SpecifiedTradeProduct/Name`)).toEqual([
      'Flat fee',
      `Flat fee: not used (${notes[0]?.number})`,
    ]);
  });

  it('is not found by the address of another invoice or an unknown one', async () => {
    const { refund } = await refunded();
    const other = await issuedByHand();
    for (const id of [refund.id, newId('refund'), 'nonsense'])
      for (const path of ['pdf', 'document.xml'])
        expect((await documentOf(`${other.id}/refunds/${id}/${path}`)).status).toBe(404);
  });
});

it('hostile names do not break or change documents', async () => {
  const hostile: Resource = await shop.customer({
    consumer: {
      name: '#eval("1+1") </ram:Name><evil/> & ]]> \u202egpj.exe شركة',
      email: 'a@example.com',
      address: { line1: '*bold* $x$ #read("/etc/passwd")', country: 'DE' },
    },
  });
  const lines = [{ ...WORKSHOP, displayName: `${'W'.repeat(200)} <&"'> #panic()` }];
  const invoice = await issuedByHand({ customerId: hostile.id, lines });
  const root = await xmlOf(invoice.id);
  const buyer = 'SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement/BuyerTradeParty/Name';
  expect(textsAt(root, buyer)).toEqual(['#eval("1+1") </ram:Name><evil/> & ]]> gpj.exe شركة']);
  const { opened, pages } = readPdf((await documentOf(`${invoice.id}/pdf`)).bytes);
  const said = pages.join('').replaceAll(/\s/g, ''); // wherever lines are broken
  expect(said).toContain('#eval("1+1")');
  expect(said).toContain('*bold*$x$#read("/etc/passwd")');
  expect(opened).not.toMatch(/\/(JS|JavaScript|Launch|OpenAction|AA)\b/);
});
