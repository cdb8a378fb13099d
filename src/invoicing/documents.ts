import type { Tx } from '../db/index.ts';
import { DocumentRenderError, type InvoiceDocument } from '../documents/index.ts';
import { merchantSettings } from '../identity/index.ts';
import { plain } from '../kernel/decimal.ts';
import { formatMoney } from '../kernel/money.ts';
import { fail, notFound, ok, type Result } from '../kernel/result.ts';
import { type Instant, isBefore } from '../kernel/time.ts';
import { endDocumentJob, findDocument, storeDocument } from './documents.sql.ts';
import { findInvoice, type InvoiceRow, type LineRow, linesOf, type PartyRecord } from './invoices.sql.ts';
import type { InvoicingParts } from './parts.ts';
import { payUrl } from './present.ts';

/**
 * The document of an invoice: rendered once after issue, stored, never rendered again. Who asks before the job has run
 * renders and stores it at once (domain.md §4).
 */
export async function documentOf(
  parts: InvoicingParts,
  tx: Tx,
  merchantId: string,
  invoiceId: string,
  now: Instant,
): Promise<Result<Uint8Array>> {
  const stored = await findDocument(tx, merchantId, invoiceId);
  if (stored) return ok(stored.content);
  const invoice = await findInvoice(tx, merchantId, invoiceId);
  if (!invoice || invoice.invoice_number === null) return fail('DOCUMENT_NOT_AVAILABLE', { reason: 'not_issued' });
  const rendered = await tryRender(parts, await describe(parts, tx, invoice));
  if (!rendered.ok) return rendered;
  await storeDocument(tx, merchantId, invoiceId, rendered.value, now);
  const kept = await findDocument(tx, merchantId, invoiceId);
  return kept ? ok(kept.content) : notFound('document');
}

/** What no attempt could render is a reason that is told, not a fault: the invoice stands without its document. */
async function tryRender(parts: InvoicingParts, document: InvoiceDocument): Promise<Result<Uint8Array>> {
  try {
    return ok(await parts.renderer.render(document));
  } catch (error) {
    if (error instanceof DocumentRenderError && error.code !== 'CLOSED')
      return fail('DOCUMENT_NOT_AVAILABLE', { reason: 'render_failed' });
    throw error;
  }
}

/** The due work that renders after issue. */
export async function renderIssued(
  parts: InvoicingParts,
  tx: Tx,
  merchantId: string,
  invoiceId: string,
  now: Instant,
): Promise<void> {
  const document = await documentOf(parts, tx, merchantId, invoiceId, now);
  await endDocumentJob(tx, merchantId, invoiceId, document.ok ? null : 'render_failed');
}

/** What stands on the document: what was stored at issue, and the merchant's look (which carries no figure). */
async function describe(parts: InvoicingParts, tx: Tx, invoice: InvoiceRow): Promise<InvoiceDocument> {
  const { branding } = await merchantSettings(tx, invoice.merchant_id);
  const lines = await linesOf(tx, invoice.merchant_id, invoice.id);
  const money = (amount: InvoiceRow['subtotal']) => formatMoney(amount, invoice.currency);
  const hasPeriod = invoice.billing_cadence !== 'P0D';
  return {
    kind: 'invoice',
    number: invoice.invoice_number as string,
    issuedAt: invoice.issued_at as Instant,
    dueAt: invoice.due_at,
    currency: invoice.currency,
    periodStart: hasPeriod ? invoice.period_start : null,
    periodEnd: hasPeriod ? invoice.period_end : null,
    seller: invoice.seller as PartyRecord,
    buyer: invoice.buyer as PartyRecord,
    lines: lines.map((line) => describeLine(line, money)),
    taxes: invoice.taxes,
    subtotal: money(invoice.subtotal),
    totalTax: money(invoice.total_tax),
    grandTotal: money(invoice.grand_total),
    paidAmount: money(invoice.paid_amount),
    unpaidAmount: money(invoice.unpaid_amount),
    walletApplied: money(invoice.wallet_applied),
    paymentTermDays: invoice.payment_term_days,
    ...(invoice.pays_online && invoice.unpaid_amount.gt(0) && { paymentUrl: payUrl(parts.publicUrl, invoice.id) }),
    ...(branding?.footer && { footer: branding.footer }),
    ...(branding?.color && { color: branding.color }),
    environment: parts.environment,
  };
}

const describeLine = (
  line: LineRow,
  money: (amount: LineRow['total_price']) => string,
): InvoiceDocument['lines'][number] => ({
  description: line.display_name,
  ...(isBefore(line.period_start, line.period_end) && { periodStart: line.period_start, periodEnd: line.period_end }),
  quantity: plain(line.quantity),
  unit: line.metric_unit,
  unitPrice: plain(line.unit_price),
  amount: money(line.total_price),
  taxRate: plain(line.tax_rate),
  kind: line.event_type,
  group: line.group_values,
  tiers: line.tiers?.map(({ above, ...tier }) => ({ from: above, ...tier })) ?? null,
});
