import { Intended, listReply, type Outcome, pageOf, Reply, type Route, route } from '../http/index.ts';
import { notFound, ok } from '../kernel/result.ts';
import { isCallOpen, PaymentSessionReply, type Payments } from '../payments/index.ts';
import { payNow } from './collecting/pay-now.ts';
import { paymentRoutes } from './collecting/payment-routes.ts';
import { findCreditNote } from './credit-notes/credit-note-lines.sql.ts';
import { refundsOf } from './credit-notes/credit-notes.sql.ts';
import { creditNoteRoutes } from './credit-notes/routes.ts';
import { presentRefund } from './documents/present.ts';
import { documentRoutes } from './documents/routes.ts';
import type { InvoicingParts } from './invoice/dependencies.ts';
import { findInvoice } from './invoice/invoices.sql.ts';
import {
  Invoice,
  InvoiceCreate,
  InvoiceLineItems,
  InvoiceList,
  InvoiceListQuery,
  InvoiceQuery,
  InvoiceRefund,
  LineItemsQuery,
  PaymentSessionBody,
  ReasonBody,
  RefundBody,
  RefundList,
  RefundListQuery,
} from './invoice/schemas.ts';
import { actOnInvoice, type InvoiceAction, openInvoiceSession } from './issue/actions.ts';
import { closeInvoiceNow } from './issue/close-now.ts';
import { refundInvoice, voidRefund } from './issue/refund.ts';
import { createInvoice } from './one-off/create-invoice.ts';
import { walletTopUpRoute } from './one-off/wallet-routes.ts';
import { invoicePageRoutes } from './page/routes.ts';
import { explainRoute } from './reading/explain-route.ts';
import { lineItemRoutes } from './reading/line-item-routes.ts';
import { present, readInvoice, readInvoices, readLines } from './reading/read.ts';
import { upcomingInvoiceRoute } from './reading/upcoming.ts';

const TAG = 'Invoices';
const ofInvoice = (role: 'viewer' | 'member') => ({ role, merchant: { of: 'id', kind: 'invoice' } }) as const;

/** Every route about invoices (§4 Invoices; api.md, Invoices and payments). */
export const invoiceRoutes = (
  parts: InvoicingParts,
  { awaitOutcome }: Pick<Payments, 'awaitOutcome'>,
): readonly Route[] => [
  ...invoicePageRoutes(parts),
  upcomingInvoiceRoute(parts),
  ...lineItemRoutes(parts),
  explainRoute(parts),
  walletTopUpRoute(parts),
  route(
    {
      method: 'POST',
      path: '/v2/invoices',
      operationId: 'createInvoice',
      tag: TAG,
      summary: 'Create a one-off invoice',
      description:
        'A draft, or with `autoApprove` issued at once. 200 with the first invoice where the idempotencyKey was used before.',
      access: { role: 'member', merchant: 'body', by: ['customerId'] },
      body: InvoiceCreate,
      replies: { 201: Invoice, 200: Invoice },
      errors: [409],
    },
    async ({ tx, merchantId, body, now }) => {
      const created = await createInvoice(parts, tx, merchantId, body, now);
      if (!created.ok) return created;
      const { invoice, isNew } = created.value;
      return ok(new Reply(isNew ? 201 : 200, (await present(parts, tx, [invoice]))[0]));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v2/invoices',
      operationId: 'listInvoices',
      tag: TAG,
      summary: 'List invoices, newest first',
      description:
        '`customerId` authorizes on that customer’s merchant and wins over `merchantId`. Times (`issuedFrom`, `issuedTo`, ' +
        '`dueFrom`, `dueTo`) include the start and not the end; amounts (`amountFrom`, `amountTo`: `grandTotal`) include ' +
        'both, and find no open period. `overdue=true` finds unpaid invoices whose UTC day of `dueAt` is over. ' +
        '`nextActionAt=ready` is for platform operators.',
      access: { role: 'viewer', merchant: 'query', by: ['customerId', 'subscriptionId'] },
      query: InvoiceListQuery,
      replies: { 200: InvoiceList },
    },
    async ({ tx, merchantId, caller, query, now }) => {
      const page = pageOf(query);
      const found = await readInvoices(parts, tx, { merchantId, isOperator: caller.isOperator }, query, page, now);
      return found.ok ? ok(listReply(found.value, page)) : found;
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v2/invoices/:id',
      operationId: 'getInvoice',
      tag: TAG,
      summary: 'Retrieve an invoice',
      description: 'Lines come with `expand=lineItems`. The totals of an open period are what it comes to now.',
      access: ofInvoice('viewer'),
      query: InvoiceQuery,
      replies: { 200: Invoice },
    },
    async ({ tx, merchantId, params, query }) => readInvoice(parts, tx, merchantId, params.id, query),
  ),
  route(
    {
      method: 'GET',
      path: '/v2/invoices/:id/lineItems',
      operationId: 'listInvoiceLineItems',
      tag: TAG,
      summary: 'List line items of an invoice',
      access: ofInvoice('viewer'),
      query: LineItemsQuery,
      replies: { 200: InvoiceLineItems },
    },
    async ({ tx, merchantId, params, query }) => readLines(parts, tx, merchantId, params.id, query),
  ),
  ...documentRoutes(parts),
  ...creditNoteRoutes(parts),
  route(
    {
      method: 'POST',
      path: '/v2/invoices/:id/closeNow',
      operationId: 'closeInvoiceNow',
      tag: TAG,
      summary: 'End the open period now: its invoice is issued without waiting',
      description: 'The next invoice runs to the old end of the period. Nothing in advance is billed twice.',
      access: ofInvoice('member'),
      body: ReasonBody,
      replies: { 200: Invoice },
      errors: [409],
    },
    async ({ tx, merchantId, params, now }) => {
      const closed = await closeInvoiceNow(parts, tx, merchantId, params.id, now);
      return closed.ok ? ok((await present(parts, tx, [closed.value]))[0]) : closed;
    },
  ),
  ...(['approve', 'cancel', 'writeOff', 'recalculate'] as const).map((action) => actionRoute(parts, action)),
  payRoute(parts, awaitOutcome),
  ...paymentRoutes(parts),
  route(
    {
      method: 'POST',
      path: '/v2/invoices/:id/paymentSessions',
      operationId: 'openInvoicePaymentSession',
      tag: TAG,
      summary: 'Open a payment session for what is unpaid',
      description: 'The session before it expires in the same transaction.',
      access: ofInvoice('member'),
      body: PaymentSessionBody,
      replies: { 201: PaymentSessionReply },
      errors: [409],
    },
    async ({ tx, merchantId, params, body, now }) => openInvoiceSession(parts, tx, merchantId, params.id, body, now),
  ),
  refundRoute(parts, awaitOutcome),
  route(
    {
      method: 'GET',
      path: '/v2/invoices/:id/refunds',
      operationId: 'listInvoiceRefunds',
      tag: TAG,
      summary: 'List refunds of an invoice, newest first',
      access: ofInvoice('viewer'),
      query: RefundListQuery,
      replies: { 200: RefundList },
    },
    async ({ tx, merchantId, params, query }) => {
      const page = pageOf(query);
      const { rows, total } = await refundsOf(tx, merchantId, params.id, page);
      return ok(listReply({ data: rows.map((note) => presentRefund(note, parts.publicUrl)), total }, page));
    },
  ),
  route(
    {
      method: 'POST',
      path: '/v2/invoices/:id/refunds/:refundId/void',
      operationId: 'voidInvoiceRefund',
      tag: TAG,
      summary: 'Void a refund',
      description: 'Money that has not left yet stays. Final: a second void is 409.',
      access: ofInvoice('member'),
      body: ReasonBody,
      replies: { 200: InvoiceRefund },
      errors: [409],
    },
    async ({ tx, merchantId, params, body, now }) => {
      const { id, refundId } = params as { id: string; refundId: string };
      const note = await voidRefund(parts, tx, merchantId, id, refundId, body.reason ?? null, now);
      return note.ok ? ok(presentRefund(note.value, parts.publicUrl)) : note;
    },
  ),
];

const ACTION_SUMMARIES: Readonly<Record<InvoiceAction, string>> = {
  approve: 'Approve a draft: it is issued with its number',
  cancel: 'Cancel a draft, or an issued invoice on which nothing is paid',
  writeOff: 'Write off what is unpaid of an issued invoice',
  recalculate: 'Calculate a draft or a failed invoice again',
};

type AwaitOutcome = Payments['awaitOutcome'];

/** The intent of a route that calls a provider for an invoice, and how its outcome is waited for. */
const waitForInvoice =
  (awaitOutcome: AwaitOutcome): Outcome['wait'] =>
  ({ merchantId, intent: { invoiceId } }, signal) =>
    awaitOutcome({ merchantId, invoiceId: invoiceId as string }, signal);

const payRoute = (parts: InvoicingParts, awaitOutcome: AwaitOutcome): Route =>
  route(
    {
      method: 'POST',
      path: '/v2/invoices/:id/pay',
      operationId: 'payInvoiceNow',
      tag: TAG,
      summary: 'Charge the unpaid amount to the customer’s default card',
      description:
        'A declined card is a 200: the invoice is PAYMENT_FAILED and `failureReason` says why. The answer waits up to 10 seconds ' +
        'for a payment provider; after that `paymentInFlight` is true and the outcome follows.',
      access: ofInvoice('member'),
      body: ReasonBody,
      replies: { 200: Invoice },
      errors: [409],
      outcome: {
        wait: waitForInvoice(awaitOutcome),
        answer: async ({ tx, merchantId, intent }) => {
          const invoice = await findInvoice(tx, merchantId, intent.invoiceId as string);
          return invoice ? ok((await present(parts, tx, [invoice]))[0]) : notFound('invoice');
        },
      },
    },
    async ({ tx, merchantId, params, now }) => {
      const paid = await payNow(parts, tx, merchantId, params.id, now);
      if (!paid.ok) return paid;
      const [standing] = await present(parts, tx, [paid.value]);
      return ok(paid.value.paymentInFlight ? new Intended({ invoiceId: paid.value.id }, standing) : standing);
    },
  );

const refundRoute = (parts: InvoicingParts, awaitOutcome: AwaitOutcome): Route =>
  route(
    {
      method: 'POST',
      path: '/v2/invoices/:id/refunds',
      operationId: 'refundInvoice',
      tag: TAG,
      summary: 'Refund a paid invoice in full',
      description:
        '400 `INVOICE_NOT_PAID` or `INVOICE_ALREADY_REFUNDED`. The answer waits up to 10 seconds for a payment provider that ' +
        'sends the money back; `returnStatus` of the invoice’s payments says how far it is.',
      access: ofInvoice('member'),
      body: RefundBody,
      replies: { 201: InvoiceRefund },
      errors: [409],
      outcome: {
        wait: waitForInvoice(awaitOutcome),
        answer: async ({ tx, merchantId, intent }) => {
          const note = await findCreditNote(tx, merchantId, intent.invoiceId as string, intent.refundId as string);
          return note ? ok(presentRefund(note, parts.publicUrl)) : notFound('refund');
        },
      },
    },
    async ({ tx, merchantId, params, body, now }) => {
      const invoiceId = params.id;
      const note = await refundInvoice(parts, tx, merchantId, invoiceId, body.reason ?? null, now);
      if (!note.ok) return note;
      const standing = presentRefund(note.value, parts.publicUrl);
      const isWaiting = await isCallOpen(tx, { merchantId, invoiceId });
      return ok(isWaiting ? new Intended({ invoiceId, refundId: note.value.id }, standing) : standing);
    },
  );

const actionRoute = (parts: InvoicingParts, action: InvoiceAction): Route =>
  route(
    {
      method: 'POST',
      path: `/v2/invoices/:id/${action}`,
      operationId: `${action}Invoice`,
      tag: TAG,
      summary: ACTION_SUMMARIES[action],
      access: ofInvoice('member'),
      body: ReasonBody,
      replies: { 200: Invoice },
      errors: [409],
    },
    async ({ tx, merchantId, params, body, now }) => {
      const acted = await actOnInvoice(parts, tx, merchantId, params.id, action, body.reason ?? null, now);
      return acted.ok ? ok((await present(parts, tx, [acted.value]))[0]) : acted;
    },
  );
