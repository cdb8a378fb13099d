import type { Tx } from '../../db/index.ts';
import { merchantSettings } from '../../identity/index.ts';
import { type InvoiceAtIssue, snapshotHash } from './content-hash.ts';
import type { InvoiceRow } from './invoice.ts';
import { drawNumber } from './invoices.sql.ts';
import { invoiceNumber } from './numbering.ts';

/**
 * What makes a document of an invoice: the next number of the merchant's series, drawn in this transaction, and the hash over
 * all that it says. @throws for one whose parties and dates are not settled.
 */
export async function numberOf(
  tx: Tx,
  invoice: InvoiceRow,
): Promise<{ invoice_number: string; snapshot_hash: string }> {
  if (!isSettled(invoice)) throw new Error(`Invoice ${invoice.id} is not issued and gets no number.`);
  const { invoicePrefix } = await merchantSettings(tx, invoice.merchant_id);
  const number = invoiceNumber(invoicePrefix, await drawNumber(tx, invoice.merchant_id, 'invoice'));
  return { invoice_number: number, snapshot_hash: await snapshotHash(tx, invoice, number) };
}

const isSettled = (invoice: InvoiceRow): invoice is InvoiceAtIssue =>
  invoice.seller !== null && invoice.buyer !== null && invoice.issued_at !== null && invoice.due_at !== null;
