import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { type Resource, type Shop, shopOf } from '../../../test/support/shop.ts';
import { noTaxProviders } from '../../../test/support/tax.ts';
import { sql, type Tx } from '../../db/index.ts';
import {
  createDocumentRenderer,
  DocumentRenderError,
  type DocumentRenderer,
  type RendererOptions,
} from '../../documents/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { billingSource } from '../../subscriptions/index.ts';
import { documentOf, eInvoiceOfDocument } from '../index.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { renderCreditNote, renderIssued, renderReceipt } from './documents.ts';
import { nextRendering } from './render-again.ts';

/** Documents that cannot be made at once: the attempts of the background job, and the answers in between. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
const renderers: DocumentRenderer[] = [];
const NOW = Temporal.Instant.from('2026-03-10T09:30:00Z');

beforeAll(async () => {
  env = await openTestEnvironment({ documents: 'typeset' });
  env.setNow(NOW.toString());
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(async () => {
  await env.close();
  await Promise.all(renderers.map((renderer) => renderer.close()));
});

const rendererOf = (options: RendererOptions): DocumentRenderer => {
  const made = createDocumentRenderer(options);
  renderers.push(made);
  return made;
};

/** A renderer. Each of its processes gets this signal as soon as it starts. */
const stoppedBy = (signal: NodeJS.Signals, options: RendererOptions = {}): DocumentRenderer =>
  rendererOf({
    ...options,
    onEvent: (event) => {
      if (event.kind === 'started') process.kill(event.processId, signal);
    },
  });

const dependenciesWith = (renderer: DocumentRenderer): InvoicingDependencies => ({
  environment: 'sandbox',
  publicUrl: 'http://localhost:4401',
  source: billingSource,
  renderer,
  mails: { notify: async () => {}, notifyAll: async () => {} },
  purposes: {},
  endUnpaid: () => Promise.reject(new Error('Nothing here is ended.')),
  lockNamedOrder: () => Promise.reject(new Error('Nothing here is of an order.')),
  taxProviders: noTaxProviders,
});

const inTransaction = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
  env.database.transaction({ merchants: [merchant.id] }, work);

const attempt = (renderer: DocumentRenderer, id: string, now: Instant, render = renderIssued): Promise<void> =>
  inTransaction((tx) => render(dependenciesWith(renderer), tx, id, now));

const jobOf = (id: string, table: 'document_job' | 'credit_note_job' | 'receipt_job' = 'document_job') =>
  inTransaction((tx) =>
    tx.one<{ attempts: number; nextActionAt: Instant | null; documents: number }>(
      sql`select attempts, next_action_at, (select count(*)::int from document where owner_id = ${id}) as documents
            from ${sql.table(table)} where id = ${id}`,
    ),
  );

const issued = async (): Promise<Resource> =>
  shop.create('/v2/invoices', {
    customerId: (await shop.customer()).id,
    currency: 'EUR',
    lines: [{ displayName: 'Workshop', quantity: 1, unitPrice: 800, taxRate: 20 }],
    autoApprove: true,
  });

it.each([
  { failures: 1, next: '2026-03-10T09:31:00Z' },
  { failures: 2, next: '2026-03-10T09:40:00Z' },
  { failures: 3, next: '2026-03-10T10:30:00Z' },
  { failures: 4, next: '2026-03-10T15:30:00Z' },
  { failures: 5, next: '2026-03-11T09:30:00Z' },
  { failures: 6, next: undefined },
])('after failure $failures the next attempt is at $next', ({ failures, next }) =>
  expect(nextRendering(failures, NOW)?.toString()).toBe(next),
);

it.each([
  { why: 'dies', make: () => stoppedBy('SIGKILL') },
  { why: 'hangs', make: () => stoppedBy('SIGSTOP', { timeLimitMilliseconds: 200 }) },
  { why: 'grows', make: () => rendererOf({ mostMemoryBytes: 1 }) },
])('a document whose process $why is made by a later attempt, and withheld until then', async ({ make }) => {
  const { id } = await issued();
  await attempt(make(), id, NOW);
  expect(await jobOf(id)).toMatchObject({ attempts: 1, documents: 0 });
  expect((await jobOf(id)).nextActionAt?.toString()).toBe('2026-03-10T09:31:00Z');
  expect(await shop.invoice(id)).toMatchObject({ documentWithheldReason: 'render_failed' });
  env.setNow('2026-03-10T09:31:00Z');
  await env.runDueWork();
  expect(await jobOf(id)).toEqual({ attempts: 1, nextActionAt: null, documents: 1 });
  expect(await shop.invoice(id)).toMatchObject({ documentWithheldReason: null });
  env.setNow(NOW.toString());
});

const refusing = (code: DocumentRenderError['code']): DocumentRenderer => ({
  render: () => Promise.reject(new DocumentRenderError(code, 'Refused.')),
  close: async () => {},
});

it('a document that no attempt could make is withheld for good, and still made for who asks', async () => {
  const { id } = await issued();
  for (let tries = 1; tries <= 6; tries += 1) {
    expect((await jobOf(id)).nextActionAt).not.toBeNull();
    await attempt(refusing('LOST'), id, NOW);
  }
  expect(await jobOf(id)).toEqual({ attempts: 6, nextActionAt: null, documents: 0 });
  expect(await shop.invoice(id)).toMatchObject({ documentWithheldReason: 'render_failed' });
  expect((await merchant.get(`/v2/invoices/${id}/pdf`)).status).toBe(200);
  expect(await shop.invoice(id)).toMatchObject({ documentWithheldReason: null });
});

it('a credit note is tried again as an invoice is', async () => {
  const invoice = await issued();
  await shop.pay(invoice);
  const { id } = await shop.create(`/v2/invoices/${invoice.id}/refunds`, { reason: 'Fell ill' });
  await attempt(refusing('TIMED_OUT'), id, NOW, renderCreditNote);
  expect(await jobOf(id, 'credit_note_job')).toMatchObject({ attempts: 1, documents: 0 });
  expect((await jobOf(id, 'credit_note_job')).nextActionAt?.toString()).toBe('2026-03-10T09:31:00Z');
  await attempt(rendererOf({}), id, NOW, renderCreditNote);
  expect(await jobOf(id, 'credit_note_job')).toEqual({ attempts: 1, nextActionAt: null, documents: 1 });
});

it('a receipt is tried again as an invoice is', async () => {
  const invoice = await issued();
  await shop.pay(invoice);
  const { data } = await shop.read(`/v2/invoices/${invoice.id}/payments`);
  const [{ id }] = data;
  await attempt(refusing('TIMED_OUT'), id, NOW, renderReceipt);
  expect(await jobOf(id, 'receipt_job')).toMatchObject({ attempts: 1, documents: 0 });
  expect((await jobOf(id, 'receipt_job')).nextActionAt?.toString()).toBe('2026-03-10T09:31:00Z');
  expect(await shop.invoice(invoice.id)).toMatchObject({ documentWithheldReason: null });
  await attempt(rendererOf({}), id, NOW, renderReceipt);
  expect(await jobOf(id, 'receipt_job')).toEqual({ attempts: 1, nextActionAt: null, documents: 1 });
});

it('other domains get the bytes that the API answers', async () => {
  const invoice = await issued();
  await shop.pay(invoice);
  const { data } = await shop.read(`/v2/invoices/${invoice.id}/payments`);
  const owner = { merchantId: merchant.id, invoiceId: invoice.id };
  const dependencies = dependenciesWith(rendererOf({}));
  const asked = await inTransaction(async (tx) => [
    await documentOf(dependencies, tx, owner, NOW),
    await documentOf(dependencies, tx, { ...owner, paymentId: data[0].id }, NOW),
    await eInvoiceOfDocument(dependencies, tx, owner, NOW),
  ]);
  const [pdf, receipt] = await Promise.all(
    ['pdf', `payments/${data[0].id}/receipt`].map((path) => merchant.get(`/v2/invoices/${invoice.id}/${path}`)),
  );
  expect(asked.slice(0, 2)).toEqual([
    { ok: true, value: pdf?.bytes },
    { ok: true, value: receipt?.bytes },
  ]);
  expect(asked[2]).toMatchObject({ ok: false }); // its seller has no address
});

it('a document of too many lines is not tried again, says so, and its invoice can be paid', async () => {
  const invoice = await issued();
  await attempt(refusing('TOO_LARGE'), invoice.id, NOW);
  expect(await jobOf(invoice.id)).toEqual({ attempts: 1, nextActionAt: null, documents: 0 });
  expect(await shop.invoice(invoice.id)).toMatchObject({ documentWithheldReason: 'too_many_lines' });
  await shop.pay(invoice);
  expect(await shop.invoice(invoice.id)).toMatchObject({ status: 'PAID' });
});

it('a renderer that is being closed leaves the document to the next process', async () => {
  const { id } = await issued();
  await expect(attempt(refusing('CLOSED'), id, NOW)).rejects.toMatchObject({ code: 'CLOSED' });
  expect(await jobOf(id)).toMatchObject({ attempts: 0, nextActionAt: NOW });
});
