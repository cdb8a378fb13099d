import type { Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { type EventType, type OutboxEvent, publish, publishAll } from '../../webhooks/index.ts';
import { changed } from './changed-invoice.ts';
import type { InvoiceRow } from './invoice.ts';
import { updateInvoice, updateInvoices } from './invoices.sql.ts';

/** The webhook event of an invoice. */
type InvoiceEvent = EventType & `invoice.${string}`;

/** Writes a webhook about an invoice into the outbox; its data holds ids, never amounts (domain.md §9). */
export const publishInvoice = (
  tx: Tx,
  invoice: InvoiceRow,
  type: InvoiceEvent,
  now: Instant,
  more: Record<string, string> = {},
): Promise<string> => publish(tx, eventOf(invoice, type, more), now);

/** The same of some invoices. */
export const publishInvoices = (
  tx: Tx,
  invoices: readonly InvoiceRow[],
  type: InvoiceEvent,
  now: Instant,
): Promise<string[]> =>
  publishAll(
    tx,
    invoices.map((invoice) => eventOf(invoice, type)),
    now,
  );

const eventOf = (invoice: InvoiceRow, type: InvoiceEvent, more: Record<string, string> = {}): OutboxEvent => ({
  merchantId: invoice.merchantId,
  type,
  data: {
    merchantId: invoice.merchantId,
    invoiceId: invoice.id,
    customerId: invoice.customerId,
    ...(invoice.subscriptionId !== null && { subscriptionId: invoice.subscriptionId }),
    ...more,
  },
});

/** Publishes that an invoice is overdue. Its due time stays, because it belongs to the next retry of the charge. */
export async function publishOverdueAtOnce(tx: Tx, invoice: InvoiceRow, now: Instant): Promise<void> {
  const overdue = await updateInvoice(tx, invoice, { overdueAt: now }, now);
  await publishInvoice(tx, overdue, 'invoice.overdue.v0', now);
}

/** Overdue is derived and never stored as a state; the webhook about it is written once. */
export async function publishOverdue(tx: Tx, invoices: readonly InvoiceRow[], now: Instant): Promise<void> {
  await updateInvoices(
    tx,
    invoices.map((invoice) => changed(invoice, { overdueAt: now, nextActionAt: null }, now)),
  );
  await publishInvoices(tx, invoices, 'invoice.overdue.v0', now);
}
