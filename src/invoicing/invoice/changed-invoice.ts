import { next } from '../../kernel/state-table.ts';
import type { Instant } from '../../kernel/time.ts';
import type { InvoiceChanges, InvoiceRow } from './invoice.ts';
import { type InvoiceTrigger, invoiceStates } from './states.ts';

/** An invoice as it is stored, and as it shall be. */
export interface ChangedInvoice {
  readonly before: InvoiceRow;
  readonly after: InvoiceRow;
  /** The changed fields, beside the status and `updated_at`. */
  readonly changes: InvoiceChanges;
}

/** An invoice after some changes, with what follows from them. */
export function changed(before: InvoiceRow, changes: InvoiceChanges, now: Instant): ChangedInvoice {
  const after = { ...before, ...changes, updatedAt: now };
  return { before, changes, after: { ...after, unpaidAmount: after.grandTotal.minus(after.paidAmount) } };
}

/** The same along the table of states. @throws where the table refuses. */
export function moved(
  before: InvoiceRow,
  trigger: InvoiceTrigger,
  changes: InvoiceChanges,
  now: Instant,
): ChangedInvoice {
  const to = next(invoiceStates, before.status, trigger);
  if (!to.ok) throw new Error(`Invoice ${before.id} is ${before.status}; ${trigger} does not apply.`);
  const done = changed(before, changes, now);
  return { ...done, after: { ...done.after, status: to.value } };
}

/** An invoice of which nothing is changed yet. */
export const unchanged = (invoice: InvoiceRow): ChangedInvoice => ({ before: invoice, after: invoice, changes: {} });

/** Two successive changes of an invoice, as one. */
export const followedBy = ({ before, changes }: ChangedInvoice, then: ChangedInvoice): ChangedInvoice => ({
  before,
  changes: { ...changes, ...then.changes },
  after: then.after,
});
