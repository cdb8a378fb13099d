import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ProviderAway } from '../../src/payments/index.ts';
import { connectFake } from '../support/connected.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { scriptedTax } from '../support/scripted-tax.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** A tax provider that gives documents of its own: then they are the documents, and ours are not served. */
const provider = scriptedTax();
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await openTestEnvironment({ taxProviders: [provider] });
  merchant = await env.merchant();
  shop = shopOf(merchant);
  await connectFake(env, merchant);
  await shop.change(`/v0/organizations/${merchant.id}`, {
    settings: { taxProvider: 'stripe_tax', paymentProvider: 'sandbox' },
  });
});
afterAll(() => env.close());

const download = (path: string) => merchant.get(path);
const gone = { status: 404, body: { code: 'DOCUMENT_NOT_AVAILABLE', details: { reason: 'tax_provider' } } };

// Proves 2.invoice.pdfSource.taxProvider, 4.invoices.pdf.taxProvider.
it('the document of an invoice is the provider’s', async () => {
  const { invoice } = await shop.issued();
  expect(invoice).toMatchObject({
    totalTax: '1.00',
    pdfSource: 'tax_provider',
    pdfUrl: `https://tax.example/${invoice.id}.pdf`,
    permalink: `https://tax.example/${invoice.id}`,
    documentWithheldReason: null,
    tax: { actualTax: '1.00', reconciled: true },
  });
  expect(await download(`/v2/invoices/${invoice.id}/pdf`)).toMatchObject(gone);
  expect(await download(`/v2/invoices/${invoice.id}/document.xml`)).toMatchObject(gone);
});

// Proves 3.refund.void.taxProvider, 2.refund.externalCreditNoteId.
it('so is that of a refund, which is reversed at the provider when it is voided', async () => {
  const { clock, invoice } = await shop.paid();
  const refund = await shop.create(`/v2/invoices/${invoice.id}/refunds`, {});
  expect(refund.externalCreditNoteId).toBe(`note_${refund.id}`);
  await shop.advance(clock, 'PT1H');
  const path = `/v2/invoices/${invoice.id}/refunds`;
  const [known] = (await shop.read(path)).data as [Resource];
  expect(known).toMatchObject({
    externalCreditNoteId: `note_${refund.id}`,
    permalink: `https://tax.example/${refund.id}`,
    pdfUrl: `https://tax.example/${refund.id}.pdf`,
  });
  expect(await download(`${path}/${refund.id}/pdf`)).toMatchObject(gone);
  expect(provider.credited.map(({ key, part }) => [key, part.net.toFixed(2), part.tax.toFixed(2)])).toEqual([
    [refund.id, '10.00', '1.00'],
  ]);
  await shop.act(`${path}/${refund.id}/void`);
  await shop.advance(clock, 'PT1H');
  expect(provider.voided).toEqual([{ key: `${refund.id}:void`, creditNote: `note_${refund.id}`, currency: 'USD' }]);
});

it('a refund that was answered before the provider keeps its own number as the id there', async () => {
  const { clock, invoice } = await shop.paid();
  vi.spyOn(provider, 'createCreditNote').mockRejectedValueOnce(new ProviderAway('The provider is away.'));
  const refund = await shop.create(`/v2/invoices/${invoice.id}/refunds`, {});
  expect(refund.externalCreditNoteId).toMatch(/^CN-/);
  await shop.advance(clock, 'PT2H');
  const [known] = (await shop.read(`/v2/invoices/${invoice.id}/refunds`)).data as [Resource];
  expect(known).toMatchObject({
    externalCreditNoteId: refund.externalCreditNoteId,
    permalink: `https://tax.example/${refund.id}`,
  });
});

it('the receipt of a payment is ours', async () => {
  const { invoice } = await shop.paid();
  const [payment] = (await shop.read(`/v2/invoices/${invoice.id}/payments`)).data as [Resource];
  expect(await download(`/v2/invoices/${invoice.id}/payments/${payment.id}/receipt`)).toMatchObject({ status: 200 });
});
