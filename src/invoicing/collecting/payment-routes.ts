import type { Tx } from '../../db/index.ts';
import { createdReply, type Route, routesOf } from '../../http/index.ts';
import { mapped, type Result } from '../../kernel/result.ts';
import { instantOrNull } from '../../kernel/time.ts';
import { listReceiptsOf, type PartReturn, type PaymentReceipt, partsOfPayments } from '../../payments/index.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import {
  InvoicePaymentReply,
  PaymentCreateBody,
  PaymentListQuery,
  PaymentReturnCreateBody,
  PaymentReverseBody,
  toInvoicePaymentReply,
} from './payment-schemas.ts';
import { recordPayment } from './record-payment.ts';
import { returnPayment } from './return-payment.ts';
import { reversePayment } from './reverse-payment.ts';

const api = routesOf('Invoices');
const path = '/v2/invoices/:id/payments';

/** The payments of an invoice: recording them, and the list (api.md, Invoices and payments). */
export const paymentRoutes = (dependencies: InvoicingDependencies): readonly Route[] => [
  api.post(path, 'recordInvoicePayment', {
    summary: 'Record a payment by bank transfer, in cash or by other means',
    description:
      'Records money that was received outside Reckoner. Part payments add up; the invoice is `PAID` when nothing is ' +
      'left to pay. An excess goes into the wallet of the customer. The same `idempotencyKey` again answers 200 with ' +
      'the first payment.',
    access: { role: 'member', merchant: { of: 'id', kind: 'invoice' } },
    body: PaymentCreateBody,
    replies: { 201: InvoicePaymentReply, 200: InvoicePaymentReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) =>
      createdReply(await recordPayment(dependencies, tx, params.id, body, now), ({ receipt }) =>
        toInvoicePaymentReply(dependencies.publicUrl, receipt),
      ),
  }),
  api.list(path, 'listInvoicePayments', {
    summary: 'List the payments of an invoice',
    description:
      'The newest payment comes first: by card and recorded by hand. `returnStatus` shows whether the money went ' +
      'back after a refund. `manual`: send the money back yourself, then mark the payment as returned.',
    access: { role: 'viewer', merchant: { of: 'id', kind: 'invoice' } },
    query: PaymentListQuery,
    of: InvoicePaymentReply,
    list: async ({ tx, params, query, page }) => {
      const { rows, ...more } = await listReceiptsOf(tx, params.id, instantOrNull(query.updatedFrom), page);
      return { ...more, rows: await withReturns(tx, rows) };
    },
    each: ({ receipt, returns }) => toInvoicePaymentReply(dependencies.publicUrl, receipt, returns),
  }),
  api.post(`${path}/:paymentId/reverse`, 'reverseInvoicePayment', {
    summary: 'Reverse a recorded payment',
    description:
      'A recorded payment came back, or was a mistake. What it paid is owed again: a `PAID` invoice is `ISSUED`, or ' +
      '`WRITTEN_OFF` if it had been. What it put into the wallet is taken out; the next issued invoice collects the ' +
      'part that was spent. A grant or a top-up that it made is undone, or the request fails with 409 ' +
      '`WALLET_SPENT` if some of it is used. A subscription stays active. Payments by a provider cannot be reversed.',
    access: { role: 'member', merchant: { of: 'id', kind: 'invoice' } },
    body: PaymentReverseBody,
    replies: { 200: InvoicePaymentReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) => {
      const { id: invoiceId, paymentId } = params as { id: string; paymentId: string };
      return answer(tx, await reversePayment(dependencies, tx, { invoiceId, paymentId }, body, now), dependencies);
    },
  }),
  api.post(`${path}/:paymentId/markReturned`, 'markInvoicePaymentReturned', {
    summary: 'Mark a recorded payment as returned',
    description:
      'Confirms that you have sent the money of a payment back. Only a payment with `returnStatus` `manual` can be ' +
      'marked, and only once. A later void of the refund does not undo it.',
    access: { role: 'member', merchant: { of: 'id', kind: 'invoice' } },
    body: PaymentReturnCreateBody,
    replies: { 200: InvoicePaymentReply },
    errors: [409],
    handler: async ({ tx, merchantId, params, body, now }) => {
      const { id, paymentId } = params as { id: string; paymentId: string };
      const returned = await returnPayment(tx, { merchantId, invoiceId: id, paymentId }, body, now);
      return answer(tx, returned, dependencies);
    },
  }),
];

/** A payment, and its parts that go back. */
interface ReturnedPayment {
  readonly receipt: PaymentReceipt;
  readonly returns: readonly PartReturn[];
}

async function answer(tx: Tx, payment: Result<PaymentReceipt>, { publicUrl }: InvoicingDependencies) {
  const [read] = payment.ok ? await withReturns(tx, [payment.value]) : [];
  return mapped(payment, (receipt) => toInvoicePaymentReply(publicUrl, receipt, read?.returns));
}

async function withReturns(tx: Tx, receipts: readonly PaymentReceipt[]): Promise<ReturnedPayment[]> {
  const partsOf = await partsOfPayments(
    tx,
    receipts.map(({ id }) => id),
  );
  return receipts.map((receipt) => ({ receipt, returns: partsOf.get(receipt.id) ?? [] }));
}
