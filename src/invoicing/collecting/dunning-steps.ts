import type { DueKind } from '../../jobs/index.ts';
import type { InvoicingParts } from '../invoice/dependencies.ts';
import { findInvoice, lockInvoice } from '../invoice/invoices.sql.ts';
import { tellOverdueBeside } from '../invoice/webhooks.ts';
import { finishDunningEnd, finishOverdue } from './dunning.sql.ts';

/** The jobs beside an invoice with a declined charge: it becomes overdue, and at the end its subscription may end. */
export const dunningDueKinds = ({ endUnpaid }: Pick<InvoicingParts, 'endUnpaid'>): DueKind[] => [
  {
    kind: 'invoice_overdue',
    step: async (tx, { merchantId, id }, now) => {
      const invoice = await lockInvoice(tx, merchantId, id);
      if (invoice?.status === 'PAYMENT_FAILED' && invoice.overdueAt === null) await tellOverdueBeside(tx, invoice, now);
      await finishOverdue(tx, merchantId, id);
    },
  },
  {
    kind: 'dunning_end',
    step: async (tx, { merchantId, id }, now) => {
      const invoice = await findInvoice(tx, merchantId, id); // not locked: its subscription is locked before it
      const subscriptionId = invoice?.status === 'PAYMENT_FAILED' ? invoice.subscriptionId : null;
      if (subscriptionId !== null) await endUnpaid(tx, { merchantId, subscriptionId }, now);
      await finishDunningEnd(tx, merchantId, id);
    },
  },
];
