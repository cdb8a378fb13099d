import type { Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { InvoiceChanges, InvoiceRow } from '../invoice/invoice.ts';
import { updateInvoiceStatus } from '../invoice/invoices.sql.ts';
import { overdueFrom } from './issue.ts';

/**
 * Transition 20: what had paid it is taken back, so it is owed again. Its due day stays; no card is charged by itself,
 * and it is reported as overdue where that was not done before.
 */
export const reopen = (tx: Tx, invoice: InvoiceRow, changes: InvoiceChanges, now: Instant): Promise<InvoiceRow> => {
  const { dueAt, overdueAt } = invoice;
  const nextActionAt = dueAt === null || overdueAt !== null ? null : overdueFrom(dueAt);
  return updateInvoiceStatus(tx, invoice, 'reopen', { ...changes, paidAt: null, nextActionAt }, now);
};
