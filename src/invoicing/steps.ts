import type { Tx } from '../db/index.ts';
import type { DueKind } from '../jobs/index.ts';
import { type Instant, isAfter } from '../kernel/time.ts';
import { dunningDueKinds } from './collecting/dunning-steps.ts';
import { retryCharge } from './collecting/pay-now.ts';
import { renderCreditNote, renderIssued, renderReceipt } from './documents/documents.ts';
import type { InvoicingParts } from './invoice/dependencies.ts';
import type { InvoiceRow } from './invoice/invoice.ts';
import { customerOfInvoice, lockInvoice } from './invoice/invoices.sql.ts';
import { tellOverdue } from './invoice/webhooks.ts';
import { closePeriod, closeUsage } from './issue/close.ts';
import { issueInvoice } from './issue/issue.ts';
import { startCalculation, tryCalculation } from './issue/run-calculation.ts';

/** Invoices of one merchant in one transaction; their customers are kept apart, with whose wallets and credits they are paid. */
const INVOICES_TOGETHER = 200;

/**
 * The due work of invoicing: invoices move by themselves, and issued ones, credit notes and payments get their
 * documents.
 */
export const invoicingDueKinds = (parts: InvoicingParts): DueKind[] => [
  {
    kind: 'invoice',
    together: { most: INVOICES_TOGETHER, apart: (tx, { merchantId, id }) => customerOfInvoice(tx, merchantId, id) },
    step: async (tx, { merchantId, id }, now) => {
      const invoice = await lockInvoice(tx, merchantId, id);
      if (!invoice) return;
      let moved = await step(parts, tx, invoice, now);
      while (moved && goesOn(moved, now)) moved = await step(parts, tx, moved, now);
    },
  },
  {
    kind: 'invoice_document',
    isSlow: true,
    step: (tx, { merchantId, id }, now) => renderIssued(parts, tx, merchantId, id, now),
  },
  {
    kind: 'credit_note_document',
    isSlow: true,
    step: (tx, { merchantId, id }, now) => renderCreditNote(parts, tx, merchantId, id, now),
  },
  {
    kind: 'receipt_document',
    isSlow: true,
    step: (tx, { merchantId, id }, now) => renderReceipt(parts, tx, merchantId, id, now),
  },
  ...dunningDueKinds(parts),
];

/**
 * From the closed usage to the issued invoice nothing is waited for, so that is one transaction: what calculations read and draw is read
 * once, and a number is drawn by who is issued. The usage is closed in a transaction before, because that holds up the merchant's events.
 */
const goesOn = ({ status, next_action_at: due }: InvoiceRow, now: Instant): boolean =>
  (status === 'CALCULATING' || status === 'DRAFT') && due !== null && !isAfter(due, now);

/** One move of an invoice that is due, in one transaction (domain.md §4). A state without a case here has no due time. */
export async function step(
  parts: InvoicingParts,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
  // biome-ignore lint/suspicious/noConfusingVoidType: what is told or charged moves nothing that could go on
): Promise<InvoiceRow | void> {
  switch (invoice.status) {
    case 'ACTIVE':
      return closePeriod(tx, parts.source, invoice, 'endPeriod', now);
    case 'CLOSING':
      return closeUsage(tx, parts.source, invoice, now);
    case 'CLOSED':
      return startCalculation(parts, tx, invoice, now);
    case 'CALCULATING':
      return tryCalculation(parts, tx, invoice, now);
    case 'DRAFT':
      return issueInvoice(parts, tx, invoice, 'autoApprove', now);
    case 'ISSUED':
      return tellOverdue(tx, invoice, now);
    case 'PAYMENT_FAILED':
      return retryCharge(parts, tx, invoice, now);
    default:
      throw new Error(`Invoice ${invoice.id} is due, but nothing happens by itself when it is ${invoice.status}.`);
  }
}
