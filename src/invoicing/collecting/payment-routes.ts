import { listReply, pageOf, Reply, type Route, route } from '../../http/index.ts';
import { ok } from '../../kernel/result.ts';
import { listReceiptsOf } from '../../payments/index.ts';
import type { InvoicingParts } from '../invoice/dependencies.ts';
import {
  InvoicePayment,
  PaymentCreate,
  PaymentList,
  PaymentListQuery,
  PaymentReturnCreate,
  presentPayment,
} from './payment-schemas.ts';
import { recordPayment } from './record-payment.ts';
import { returnPayment } from './return-payment.ts';

const TAG = 'Invoices';
const path = '/v2/invoices/:id/payments';

/** What came in for an invoice: recording it, and the list (api.md, Invoices and payments). */
export const paymentRoutes = (parts: InvoicingParts): readonly Route[] => [
  route(
    {
      method: 'POST',
      path,
      operationId: 'recordInvoicePayment',
      tag: TAG,
      summary: 'Record a payment by bank transfer, in cash or otherwise',
      description:
        'Part payments add up; what is more than the invoice asks goes to the customer’s wallet. 200 with the first payment where ' +
        'the idempotencyKey was used before.',
      access: { role: 'member', merchant: { of: 'id', kind: 'invoice' } },
      body: PaymentCreate,
      replies: { 201: InvoicePayment, 200: InvoicePayment },
      errors: [409],
    },
    async ({ tx, merchantId, params, body, now }) => {
      const recorded = await recordPayment(parts, tx, merchantId, params.id, body, now);
      if (!recorded.ok) return recorded;
      const { receipt, isNew } = recorded.value;
      return ok(new Reply(isNew ? 201 : 200, presentPayment(parts.publicUrl, receipt)));
    },
  ),
  route(
    {
      method: 'GET',
      path,
      operationId: 'listInvoicePayments',
      tag: TAG,
      summary: 'List payments of an invoice, newest first',
      description:
        '`returnStatus` says of each whether it went back: `manual` is for the merchant to give back by hand, and to mark as returned.',
      access: { role: 'viewer', merchant: { of: 'id', kind: 'invoice' } },
      query: PaymentListQuery,
      replies: { 200: PaymentList },
    },
    async ({ tx, merchantId, params, query }) => {
      const page = pageOf(query);
      const { rows, total } = await listReceiptsOf(tx, merchantId, params.id, page);
      return ok(listReply({ data: rows.map((row) => presentPayment(parts.publicUrl, row)), total }, page));
    },
  ),
  route(
    {
      method: 'POST',
      path: `${path}/:paymentId/markReturned`,
      operationId: 'markInvoicePaymentReturned',
      tag: TAG,
      summary: 'Mark a recorded payment as returned',
      description:
        'Only of a payment whose `returnStatus` is `manual`, once: it is `returned` then, and no void stops it any more.',
      access: { role: 'member', merchant: { of: 'id', kind: 'invoice' } },
      body: PaymentReturnCreate,
      replies: { 200: InvoicePayment },
      errors: [409],
    },
    async ({ tx, merchantId, params, body, now }) => {
      const { id, paymentId } = params as { id: string; paymentId: string };
      const returned = await returnPayment(tx, { merchantId, invoiceId: id, paymentId }, body, now);
      return returned.ok ? ok(presentPayment(parts.publicUrl, returned.value)) : returned;
    },
  ),
];
