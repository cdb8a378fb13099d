import type { Tx } from '../../db/index.ts';
import {
  DocumentRenderError,
  eInvoiceOf,
  type InvoiceDocument,
  type PrintedDocument,
  type ReceiptDocument,
} from '../../documents/index.ts';
import { fail, notFound, ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { findReceipt } from '../../payments/index.ts';
import { selectCreditNote, selectInvoiceOfCreditNote } from '../credit-notes/credit-note-lines.sql.ts';
import type { CreditNoteRow } from '../invoice/credit-note.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { selectInvoice } from '../invoice/invoices.sql.ts';
import { describeCreditNote, describeInvoice, describeReceipt, receiptNumberOf } from './describe-document.ts';
import type { DocumentOwner } from './document-owner.ts';
import {
  countFailedRenderings,
  insertDocument,
  insertEInvoice,
  selectDocument,
  selectEInvoice,
  selectInvoiceOfReceipt,
  selectReceiptRecord,
  updateCreditNoteJob,
  updateDocumentFailure,
  updateDocumentJob,
  updateReceiptJob,
} from './documents.sql.ts';
import { TAX_PROVIDER } from './present.ts';
import { nextRendering } from './render-again.ts';

const idOf = ({ invoiceId, creditNoteId, paymentId }: DocumentOwner): string => paymentId ?? creditNoteId ?? invoiceId;

/**
 * A document: rendered once after issue, stored, never rendered again. Who asks before the job has run renders and
 * stores it at once (domain.md §4). The document of a payment is its receipt.
 * @returns 404 for a credit note or a payment that the invoice does not have; DOCUMENT_NOT_AVAILABLE with the reason.
 */
export async function documentOf(
  dependencies: InvoicingDependencies,
  tx: Tx,
  owner: DocumentOwner,
  now: Instant,
): Promise<Result<Uint8Array>> {
  if (!(await isOfInvoice(tx, owner))) return notFound(owner.paymentId === undefined ? 'refund' : 'payment');
  if (await isOfTaxProvider(tx, owner)) return fail('DOCUMENT_NOT_AVAILABLE', { reason: TAX_PROVIDER });
  const stored = await selectDocument(tx, idOf(owner));
  if (stored) return ok(stored.content);
  const described = await describe(dependencies, tx, owner);
  if (!described.ok) return described;
  const rendered = await tryRender(dependencies, described.value);
  if (!rendered.ok) return rendered;
  await insertDocument(tx, idOf(owner), rendered.value, now);
  const made = 'lines' in described.value ? eInvoiceOf(described.value) : null;
  if (made && 'xml' in made) await insertEInvoice(tx, idOf(owner), made.xml, now);
  // One that the job could not make was made after all.
  if (idOf(owner) === owner.invoiceId) await updateDocumentFailure(tx, owner.invoiceId, null);
  const kept = await selectDocument(tx, idOf(owner));
  return kept ? ok(kept.content) : notFound('document');
}

/**
 * The e-invoice of a document, made and stored with it, so that it is the one inside the PDF; a document that was
 * rendered before there were e-invoices gets its own at the first question. @returns DOCUMENT_NOT_AVAILABLE with the
 * reason.
 */
export async function eInvoiceOfDocument(
  dependencies: InvoicingDependencies,
  tx: Tx,
  owner: Omit<DocumentOwner, 'paymentId'>,
  now: Instant,
): Promise<Result<string>> {
  const document = await documentOf(dependencies, tx, owner, now);
  if (!document.ok) return document;
  const stored = await selectEInvoice(tx, idOf(owner));
  if (stored) return ok(stored.content);
  const described = await describeTaxDocument(dependencies, tx, owner);
  if (!described.ok) return described;
  const made = eInvoiceOf(described.value);
  if (!('xml' in made)) {
    const { withheld: reason, ...details } = made;
    return fail('DOCUMENT_NOT_AVAILABLE', { reason, ...details });
  }
  await insertEInvoice(tx, idOf(owner), made.xml, now);
  const kept = await selectEInvoice(tx, idOf(owner));
  return kept ? ok(kept.content) : notFound('document');
}

/** The number that stands on a document. @throws where there is no document */
export async function numberOfDocument(tx: Tx, owner: DocumentOwner): Promise<string> {
  const { invoiceId, creditNoteId, paymentId } = owner;
  if (creditNoteId !== undefined)
    return ((await selectCreditNote(tx, invoiceId, creditNoteId)) as CreditNoteRow).number;
  const invoiceNumber = (await selectInvoice(tx, invoiceId))?.invoiceNumber;
  if (invoiceNumber == null) throw new Error(`Invoice ${invoiceId} has no number, but a document.`);
  const record = paymentId === undefined ? undefined : await selectReceiptRecord(tx, paymentId);
  return record ? receiptNumberOf(invoiceNumber, record.position) : invoiceNumber;
}

/** Is the credit note, or the payment, one of the invoice by which it was asked for? */
async function isOfInvoice(
  tx: Tx,
  { merchantId, invoiceId, creditNoteId, paymentId }: DocumentOwner,
): Promise<boolean> {
  if (paymentId !== undefined) return (await findReceipt(tx, { merchantId, invoiceId, id: paymentId })) !== undefined;
  return creditNoteId === undefined || (await selectCreditNote(tx, invoiceId, creditNoteId)) !== undefined;
}

/** Is the document the tax provider's (`pdfSource`)? Receipts are always ours. */
async function isOfTaxProvider(tx: Tx, { invoiceId, creditNoteId, paymentId }: DocumentOwner): Promise<boolean> {
  if (paymentId !== undefined) return false;
  const owner =
    creditNoteId === undefined
      ? await selectInvoice(tx, invoiceId)
      : await selectCreditNote(tx, invoiceId, creditNoteId);
  return owner?.outsideTax?.pdfUrl != null;
}

/** The content of the document. @returns 404 for a credit note or a payment that the invoice does not have. */
async function describe(
  dependencies: InvoicingDependencies,
  tx: Tx,
  owner: DocumentOwner,
): Promise<Result<PrintedDocument>> {
  return owner.paymentId === undefined
    ? describeTaxDocument(dependencies, tx, owner)
    : describePayment(dependencies, tx, { ...owner, paymentId: owner.paymentId });
}

/** The content of a receipt. A payment without a receipt is of an invoice without a number. */
async function describePayment(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { merchantId, invoiceId, paymentId }: DocumentOwner & { readonly paymentId: string },
): Promise<Result<ReceiptDocument>> {
  const invoice = await selectInvoice(tx, invoiceId);
  const payment = await findReceipt(tx, { merchantId, invoiceId, id: paymentId });
  if (!invoice || !payment) return notFound('payment');
  const record = await selectReceiptRecord(tx, paymentId);
  return record && invoice.invoiceNumber !== null
    ? ok(await describeReceipt(dependencies, tx, invoice, payment, record))
    : fail('DOCUMENT_NOT_AVAILABLE', { reason: 'not_issued' });
}

/** The content of an invoice or a credit note. @returns 404 for a credit note that the invoice does not have. */
async function describeTaxDocument(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { invoiceId, creditNoteId }: DocumentOwner,
): Promise<Result<InvoiceDocument>> {
  const invoice = await selectInvoice(tx, invoiceId);
  const isIssued = invoice !== undefined && invoice.invoiceNumber !== null;
  if (creditNoteId === undefined)
    return isIssued
      ? ok(await describeInvoice(dependencies, tx, invoice))
      : fail('DOCUMENT_NOT_AVAILABLE', { reason: 'not_issued' });
  const note = await selectCreditNote(tx, invoiceId, creditNoteId);
  return note && isIssued ? ok(await describeCreditNote(dependencies, tx, note, invoice)) : notFound('refund');
}

/**
 * A document that no attempt could render is an answer with a reason, not a fault: the invoice stands without its
 * document.
 */
export async function tryRender(
  dependencies: InvoicingDependencies,
  document: PrintedDocument,
): Promise<Result<Uint8Array>> {
  try {
    return ok(await dependencies.renderer.render(document));
  } catch (error) {
    if (!(error instanceof DocumentRenderError) || error.code === 'CLOSED') throw error;
    return error.code === 'TOO_LARGE'
      ? fail('DOCUMENT_NOT_AVAILABLE', {
          reason: 'too_many_lines',
          lines: 'lines' in document ? document.lines.length : 0,
        })
      : fail('DOCUMENT_NOT_AVAILABLE', { reason: 'render_failed' });
  }
}

/** The due work that renders an invoice after issue. */
export async function renderIssued(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoiceId: string,
  now: Instant,
): Promise<void> {
  const { failure, next } = await tryDocument(dependencies, tx, { merchantId: tx.merchantId, invoiceId }, now);
  await updateDocumentJob(tx, invoiceId, failure, next);
}

/** The due work that renders a credit note. */
export async function renderCreditNote(
  dependencies: InvoicingDependencies,
  tx: Tx,
  creditNoteId: string,
  now: Instant,
): Promise<void> {
  const of = await selectInvoiceOfCreditNote(tx, creditNoteId);
  const owner = of && { merchantId: tx.merchantId, invoiceId: of.invoiceId, creditNoteId };
  const { failure, next } = owner ? await tryDocument(dependencies, tx, owner, now) : { failure: null, next: null };
  await updateCreditNoteJob(tx, creditNoteId, failure !== null, next);
}

/** The due work that renders a receipt. */
export async function renderReceipt(
  dependencies: InvoicingDependencies,
  tx: Tx,
  paymentId: string,
  now: Instant,
): Promise<void> {
  const of = await selectInvoiceOfReceipt(tx, paymentId);
  if (!of) return;
  const { failure, next } = await tryDocument(
    dependencies,
    tx,
    { merchantId: tx.merchantId, invoiceId: of.invoiceId, paymentId },
    now,
  );
  await updateReceiptJob(tx, paymentId, failure !== null, next);
}

/** An attempt of the due work. @returns why there is no document, and when to try again; both null where it stands. */
async function tryDocument(
  dependencies: InvoicingDependencies,
  tx: Tx,
  owner: DocumentOwner,
  now: Instant,
): Promise<{ failure: string | null; next: Instant | null }> {
  const document = await documentOf(dependencies, tx, owner, now);
  if (document.ok) return { failure: null, next: null };
  const reason = document.refusal.kind === 'code' ? document.refusal.details?.reason : undefined;
  if (typeof reason !== 'string') throw new Error(`The job of ${idOf(owner)} has nothing to render.`);
  const mayPass = reason === 'render_failed';
  return { failure: reason, next: mayPass ? nextRendering((await countFailedRenderings(tx, owner)) + 1, now) : null };
}
