import { createHash } from 'node:crypto';
import { sql, type Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { InvoiceRow } from './invoices.sql.ts';

/** Writes the job that renders an invoice's document; it runs by itself as due work (kind `invoice_document`). */
export const scheduleDocument = (tx: Tx, invoice: InvoiceRow, now: Instant): Promise<number> =>
  tx.run(sql`
    insert into document_job (merchant_id, id, clock_id, next_action_at)
    values (${invoice.merchant_id}, ${invoice.id}, ${invoice.clock_id}, ${now}) on conflict do nothing`);

/** The job is done: the document stands, or the invoice says why it does not. */
export async function endDocumentJob(
  tx: Tx,
  merchantId: string,
  invoiceId: string,
  failure: 'render_failed' | null,
): Promise<void> {
  await tx.run(
    sql`update document_job set next_action_at = null where merchant_id = ${merchantId} and id = ${invoiceId}`,
  );
  await tx.run(sql`
    update invoice set document_failure = ${failure}
     where merchant_id = ${merchantId} and id = ${invoiceId} and document_failure is distinct from ${failure}::text`);
}

/** A document that the job could not make was made after all: nothing withholds it any more. */
export const forgetDocumentFailure = (tx: Tx, merchantId: string, invoiceId: string): Promise<number> =>
  tx.run(sql`
    update invoice set document_failure = null
     where merchant_id = ${merchantId} and id = ${invoiceId} and document_failure is not null`);

/** The job of a credit note is done; where no document could be made, who asks for it is told why. */
export const endCreditNoteJob = (tx: Tx, merchantId: string, creditNoteId: string): Promise<number> =>
  tx.run(
    sql`update credit_note_job set next_action_at = null where merchant_id = ${merchantId} and id = ${creditNoteId}`,
  );

/** The stored document of an invoice or a credit note. */
export const findDocument = (tx: Tx, merchantId: string, ownerId: string): Promise<{ content: Buffer } | undefined> =>
  tx.maybe<{ content: Buffer }>(
    sql`select content from document where merchant_id = ${merchantId} and owner_id = ${ownerId}`,
  );

/** Stores a document; the first one stays, whoever comes second. */
export const storeDocument = (
  tx: Tx,
  merchantId: string,
  ownerId: string,
  content: Uint8Array,
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    insert into document (merchant_id, owner_id, content, sha256, created_at)
    values (${merchantId}, ${ownerId}, ${Buffer.from(content)}, ${createHash('sha256').update(content).digest()}, ${now})
    on conflict do nothing`);

/** The stored e-invoice of an invoice or a credit note. */
export const findEInvoice = (tx: Tx, merchantId: string, ownerId: string): Promise<{ content: string } | undefined> =>
  tx.maybe<{ content: string }>(
    sql`select content from e_invoice where merchant_id = ${merchantId} and owner_id = ${ownerId}`,
  );

/** Stores an e-invoice; the first one stays. */
export const storeEInvoice = (
  tx: Tx,
  merchantId: string,
  ownerId: string,
  content: string,
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    insert into e_invoice (merchant_id, owner_id, content, created_at)
    values (${merchantId}, ${ownerId}, ${content}, ${now}) on conflict do nothing`);
