import { createHash } from 'node:crypto';
import { insertion, recordset, sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { DocumentOwner } from './document-owner.ts';

/**
 * Writes the jobs that render invoices' documents; they are background jobs (kind `invoice_document`), in wall time
 * also for an invoice on a test clock.
 */
export const scheduleDocuments = (tx: Tx, invoices: readonly InvoiceRow[], now: Instant): Promise<number> =>
  tx.run(sql`
    insert into document_job (merchant_id, id, next_action_at)
    select merchant_id, id, document_due(merchant_id, clock_id, ${now})
      from jsonb_to_recordset(${recordset(invoices.map(({ merchantId, id, clockId }) => ({ merchantId, id, clockId })))})
        as i (merchant_id text, id text, clock_id text)
    on conflict do nothing`);

/** The job is done, or tried again at `next`; the invoice says why it has no document. */
export async function updateDocumentJob(
  tx: Tx,
  invoiceId: string,
  failure: string | null,
  next: Instant | null,
): Promise<void> {
  await tx.run(sql`
    update document_job set next_action_at = ${next}, attempts = attempts + ${failure === null ? 0 : 1}
     where merchant_id = ${tx.merchantId} and id = ${invoiceId}`);
  await updateDocumentFailure(tx, invoiceId, failure);
}

/**
 * Notes why an invoice has no document; null: nothing withholds it. Almost always that stands already, and it is asked
 * first: an update of no row costs ten times as much as the question, because all triggers of invoices run for it.
 */
export async function updateDocumentFailure(tx: Tx, invoiceId: string, failure: string | null): Promise<void> {
  const other = sql`merchant_id = ${tx.merchantId} and id = ${invoiceId}
    and document_failure is distinct from ${failure}::text`;
  if ((await tx.maybe(sql`select 1 from invoice where ${other}`)) === undefined) return;
  await tx.run(sql`update invoice set document_failure = ${failure} where ${other}`);
}

/** The content of a receipt beside its payment. */
export interface ReceiptRecord {
  /** The n-th payment of its invoice. */
  position: number;
  /** The remaining amount of the invoice after this payment. */
  remaining: Decimal;
}

/**
 * Writes what the receipt of a payment says, and the job that renders it. Payments of an invoice are counted under its
 * lock; the unique index on the count holds without it.
 * @param invoice as the payment has left it
 */
export const scheduleReceipt = (tx: Tx, invoice: InvoiceRow, paymentId: string, now: Instant): Promise<number> =>
  tx.run(sql`
    insert into receipt_job (merchant_id, id, invoice_id, position, remaining, next_action_at)
    select ${invoice.merchantId}::text, ${paymentId}::text, ${invoice.id}::text, 1 + count(*),
           ${invoice.unpaidAmount}::numeric, document_due(${invoice.merchantId}, ${invoice.clockId}, ${now})
      from receipt_job where merchant_id = ${invoice.merchantId} and invoice_id = ${invoice.id}`);

export const selectReceiptRecord = (tx: Tx, paymentId: string): Promise<ReceiptRecord | undefined> =>
  tx.maybe<ReceiptRecord>(sql`
    select position, remaining from receipt_job where merchant_id = ${tx.merchantId} and id = ${paymentId}`);

/** The invoice of a receipt to render. */
export const selectInvoiceOfReceipt = (tx: Tx, paymentId: string): Promise<{ invoiceId: string } | undefined> =>
  tx.maybe<{ invoiceId: string }>(sql`
    select invoice_id from receipt_job where merchant_id = ${tx.merchantId} and id = ${paymentId}`);

/** How often the job of a document has failed. */
export async function countFailedRenderings(
  tx: Tx,
  { merchantId, invoiceId, creditNoteId, paymentId }: DocumentOwner,
): Promise<number> {
  const jobs =
    paymentId !== undefined ? sql`receipt_job` : creditNoteId !== undefined ? sql`credit_note_job` : sql`document_job`;
  const id = paymentId ?? creditNoteId ?? invoiceId;
  const job = await tx.maybe<{ attempts: number }>(
    sql`select attempts from ${jobs} where merchant_id = ${merchantId} and id = ${id}`,
  );
  return job?.attempts ?? 0;
}

/**
 * The job of a credit note is done, or tried again at `next`; a request for the document gets the reason for its
 * absence.
 */
export const updateCreditNoteJob = (
  tx: Tx,
  creditNoteId: string,
  hasFailed: boolean,
  next: Instant | null,
): Promise<number> =>
  tx.run(sql`
    update credit_note_job set next_action_at = ${next}, attempts = attempts + ${hasFailed ? 1 : 0}
     where merchant_id = ${tx.merchantId} and id = ${creditNoteId}`);

/** The job of a receipt is done, or tried again at `next`. */
export const updateReceiptJob = (
  tx: Tx,
  paymentId: string,
  hasFailed: boolean,
  next: Instant | null,
): Promise<number> =>
  tx.run(sql`
    update receipt_job set next_action_at = ${next}, attempts = attempts + ${hasFailed ? 1 : 0}
     where merchant_id = ${tx.merchantId} and id = ${paymentId}`);

/** The stored document of an invoice, a credit note or a payment. */
export const selectDocument = (tx: Tx, ownerId: string): Promise<{ content: Buffer } | undefined> =>
  tx.maybe<{ content: Buffer }>(
    sql`select content from document where merchant_id = ${tx.merchantId} and owner_id = ${ownerId}`,
  );

/** Stores a document; the first one stays. */
export const insertDocument = (tx: Tx, ownerId: string, content: Uint8Array, now: Instant): Promise<number> =>
  tx.run(sql`
    insert into document (merchant_id, owner_id, content, sha256, created_at)
    values (${tx.merchantId}, ${ownerId}, ${Buffer.from(content)}, ${createHash('sha256').update(content).digest()},
            ${now})
    on conflict do nothing`);

/** The stored e-invoice of an invoice or a credit note. */
export const selectEInvoice = (tx: Tx, ownerId: string): Promise<{ content: string } | undefined> =>
  tx.maybe<{ content: string }>(
    sql`select content from e_invoice where merchant_id = ${tx.merchantId} and owner_id = ${ownerId}`,
  );

/** Is there one, without reading it? */
export const hasEInvoice = async (tx: Tx, ownerId: string): Promise<boolean> =>
  (await tx.maybe(sql`select 1 from e_invoice where merchant_id = ${tx.merchantId} and owner_id = ${ownerId}`)) !==
  undefined;

/** Stores an e-invoice; the first one stays. */
export const insertEInvoice = (tx: Tx, ownerId: string, content: string, now: Instant): Promise<number> =>
  tx.run(
    sql`${insertion('e_invoice', { merchantId: tx.merchantId, ownerId, content, createdAt: now })} on conflict do nothing`,
  );
