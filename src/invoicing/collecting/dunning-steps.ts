import type { DueKind } from '../../jobs/index.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { subscriptionsOf } from '../invoice/invoice.ts';
import { lockInvoice, selectInvoice } from '../invoice/invoices.sql.ts';
import { publishOverdueAtOnce } from '../invoice/webhooks.ts';
import { markDunningEndDone, markOverdueDone } from './dunning.sql.ts';

/** The jobs beside an invoice with a declined charge: it becomes overdue, and at the end its subscription may end. */
export const dunningDueKinds = ({ endUnpaid }: Pick<InvoicingDependencies, 'endUnpaid'>): DueKind[] => [
  {
    kind: 'invoice_overdue',
    step: async (tx, { id }, now) => {
      const invoice = await lockInvoice(tx, id);
      if (invoice?.status === 'PAYMENT_FAILED' && invoice.overdueAt === null)
        await publishOverdueAtOnce(tx, invoice, now);
      await markOverdueDone(tx, id);
    },
  },
  {
    kind: 'dunning_end',
    step: async (tx, { merchantId, id }, now) => {
      const invoice = await selectInvoice(tx, id); // not locked: its subscription is locked before it
      const subscriptionIds = invoice?.status === 'PAYMENT_FAILED' ? subscriptionsOf(invoice) : [];
      for (const subscriptionId of subscriptionIds.toSorted()) await endUnpaid(tx, { merchantId, subscriptionId }, now);
      await markDunningEndDone(tx, id);
    },
  },
];
