import type { Tx } from '../db/index.ts';
import type { DueKind } from '../jobs/index.ts';
import type { Instant } from '../kernel/time.ts';
import { startCalculation, tryCalculation } from './calculation.ts';
import { closePeriod, closeUsage } from './close.ts';
import { renderCreditNote, renderIssued } from './documents.ts';
import { dunningDueKinds } from './dunning-steps.ts';
import { type InvoiceRow, lockInvoice } from './invoices.sql.ts';
import { issueInvoice } from './issue.ts';
import type { InvoicingParts } from './parts.ts';
import { retryCharge } from './pay-now.ts';
import { tellOverdue } from './tell.ts';

/** The due work of invoicing: invoices move by themselves, and issued ones and credit notes get their documents. */
export const invoicingDueKinds = (parts: InvoicingParts): DueKind[] => [
  {
    kind: 'invoice',
    step: async (tx, { merchantId, id }, now) => {
      const invoice = await lockInvoice(tx, merchantId, id);
      if (invoice) await step(parts, tx, invoice, now);
    },
  },
  {
    kind: 'invoice_document',
    step: (tx, { merchantId, id }, now) => renderIssued(parts, tx, merchantId, id, now),
  },
  {
    kind: 'credit_note_document',
    step: (tx, { merchantId, id }, now) => renderCreditNote(parts, tx, merchantId, id, now),
  },
  ...dunningDueKinds(parts),
];

/** One move of an invoice that is due, in one transaction (domain.md §4). A state without a case here has no due time. */
export async function step(parts: InvoicingParts, tx: Tx, invoice: InvoiceRow, now: Instant): Promise<unknown> {
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
