import type { Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import { insertCreditNote } from './credit-notes.sql.ts';
import { type InvoiceRow, moveInvoice } from './invoices.sql.ts';
import { expireSessionsOf } from './sessions.ts';
import { publishInvoice } from './tell.ts';

/** Transitions 11 and 18. A numbered invoice gets its cancellation credit note in the same transaction. */
export async function cancelInvoice(
  tx: Tx,
  invoice: InvoiceRow,
  reason: string | null,
  now: Instant,
): Promise<InvoiceRow> {
  const cancelled = await moveInvoice(tx, invoice, 'cancel', { next_action_at: null }, now);
  if (cancelled.invoice_number !== null) {
    await insertCreditNote(tx, cancelled, 'cancellation', reason, now);
    await expireSessionsOf(tx, cancelled, now);
  }
  await publishInvoice(tx, cancelled, 'invoice.cancelled.v0', now);
  return cancelled;
}

/** Transition 16, by hand. */
export async function writeOffInvoice(tx: Tx, invoice: InvoiceRow, now: Instant): Promise<InvoiceRow> {
  const written = await moveInvoice(tx, invoice, 'writeOff', { next_action_at: null }, now);
  await expireSessionsOf(tx, written, now);
  await publishInvoice(tx, written, 'invoice.written_off.v0', now);
  return written;
}
