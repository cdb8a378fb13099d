import type { Tx } from '../db/index.ts';
import { Intended, type Outcome, Reply, type Route, routesOf } from '../http/index.ts';
import { notFound, ok } from '../kernel/result.ts';
import { isCallOpen, PaymentSessionReply, type Payments } from '../payments/index.ts';
import { billingCreditRoutes } from './billing-credits/routes.ts';
import { payNow } from './collecting/pay-now.ts';
import { paymentRoutes } from './collecting/payment-routes.ts';
import { receiptRoutes } from './collecting/receipt-routes.ts';
import { commitmentRoutes } from './commitments/routes.ts';
import { selectCreditNote, selectLinesOfCreditNote } from './credit-notes/credit-note-lines.sql.ts';
import { selectRefunds } from './credit-notes/credit-notes.sql.ts';
import { creditNoteRoutes } from './credit-notes/routes.ts';
import { CreditNoteReply, PartCreditBody, toCreditNoteReply } from './credit-notes/schemas.ts';
import { toRefundReply } from './documents/present.ts';
import { documentRoutes } from './documents/routes.ts';
import type { CreditNoteRow, ReadCreditNote } from './invoice/credit-note.ts';
import type { InvoicingDependencies } from './invoice/dependencies.ts';
import { selectInvoice } from './invoice/invoices.sql.ts';
import {
  CancelBody,
  InvoiceCreateBody,
  InvoiceLineItemsReply,
  InvoiceListQuery,
  InvoiceQuery,
  InvoiceRefundReply,
  InvoiceReply,
  LineItemsQuery,
  PaymentSessionBody,
  ReasonBody,
  RefundBody,
  ReissueBody,
} from './invoice/schemas.ts';
import { actOnInvoice, type InvoiceAction, openInvoiceSession } from './issue/actions.ts';
import { closeInvoiceNow } from './issue/close-now.ts';
import { creditPart, voidPart } from './issue/credit-part.ts';
import { refundInvoice, voidRefund } from './issue/refund.ts';
import { reissueInvoice } from './issue/reissue.ts';
import { createInvoice } from './one-off/create-invoice.ts';
import { walletTopUpRoute } from './one-off/wallet-routes.ts';
import { awaitTaxRecords, isTaxRecordOpen, keepOwnNumber } from './outside-tax/records.ts';
import { invoicePageRoutes } from './page/routes.ts';
import { explainRoute } from './reading/explain-route.ts';
import { lineItemRoutes } from './reading/line-item-routes.ts';
import { readInvoice, readInvoices, readLines, toInvoiceReplies } from './reading/read.ts';
import { upcomingInvoiceRoute } from './reading/upcoming.ts';
import { statementRoute } from './statements/routes.ts';

const api = routesOf('Invoices');
const ofInvoice = (role: 'viewer' | 'member') => ({ role, merchant: { of: 'id', kind: 'invoice' } }) as const;

/** Every route about invoices (§4 Invoices; api.md, Invoices and payments). */
export const invoiceRoutes = (
  dependencies: InvoicingDependencies,
  { awaitOutcome }: Pick<Payments, 'awaitOutcome'>,
): readonly Route[] => [
  ...invoicePageRoutes(dependencies),
  upcomingInvoiceRoute(dependencies),
  ...lineItemRoutes(dependencies),
  explainRoute(dependencies),
  walletTopUpRoute(dependencies),
  ...billingCreditRoutes(dependencies),
  ...commitmentRoutes(dependencies),
  ...receiptRoutes(dependencies),
  statementRoute(dependencies),
  api.post('/v2/invoices', 'createInvoice', {
    summary: 'Create a one-off invoice',
    description:
      'Creates a draft with lines of your own. With `autoApprove` it is issued at once, unless the merchant requires ' +
      'an approval. Tax comes on top of the lines. The same `idempotencyKey` again answers 200 with the first ' +
      'invoice.',
    access: { role: 'member', merchant: 'body', by: ['customerId'] },
    body: InvoiceCreateBody,
    replies: { 201: InvoiceReply, 200: InvoiceReply },
    errors: [409],
    handler: async ({ tx, body, now }) => {
      const created = await createInvoice(dependencies, tx, body, now);
      if (!created.ok) return created;
      const { invoice, isNew } = created.value;
      return ok(new Reply(isNew ? 201 : 200, (await toInvoiceReplies(dependencies, tx, [invoice]))[0]));
    },
  }),
  api.list('/v2/invoices', 'listInvoices', {
    summary: 'List invoices',
    description:
      'The newest invoice comes first. Several filters narrow each other. `customerId` is authorized on the merchant ' +
      'of that customer, and wins over `merchantId`. Filters of times include the start and exclude the end. Filters ' +
      'of amounts include both, and find no open period. Lines are never in this list.',
    access: { role: 'viewer', merchant: 'query', by: ['customerId', 'subscriptionId'] },
    query: InvoiceListQuery,
    of: InvoiceReply,
    list: ({ tx, merchantId, caller, query, now, page }) =>
      readInvoices(dependencies, tx, { merchantId, isOperator: caller.isOperator }, query, page, now),
  }),
  api.get('/v2/invoices/:id', 'getInvoice', {
    summary: 'Retrieve an invoice',
    description: 'Lines come with `expand=lineItems`. The totals of an open period are those of now.',
    access: ofInvoice('viewer'),
    query: InvoiceQuery,
    replies: { 200: InvoiceReply },
    handler: async ({ tx, params, query }) => readInvoice(dependencies, tx, params.id, query),
  }),
  api.get('/v2/invoices/:id/lineItems', 'listInvoiceLineItems', {
    summary: 'List line items of an invoice',
    description:
      'The lines come in pages, in the order of the document. Send `nextPageToken` as `pageToken` for the next page.',
    access: ofInvoice('viewer'),
    query: LineItemsQuery,
    replies: { 200: InvoiceLineItemsReply },
    handler: async ({ tx, params, query }) => readLines(dependencies, tx, params.id, query),
  }),
  ...documentRoutes(dependencies),
  ...creditNoteRoutes(dependencies),
  ...partCreditRoutes(dependencies),
  api.post('/v2/invoices/:id/closeNow', 'closeInvoiceNow', {
    summary: 'Close the open period of an invoice now',
    description:
      'The period ends now, without grace, and its invoice is calculated and issued. The next invoice runs to the ' +
      'old end of the period. No charge in advance is billed twice.',
    access: ofInvoice('member'),
    body: ReasonBody,
    replies: { 200: InvoiceReply },
    errors: [409],
    handler: async ({ tx, params, now }) => {
      const closed = await closeInvoiceNow(dependencies, tx, params.id, now);
      return closed.ok ? ok((await toInvoiceReplies(dependencies, tx, [closed.value]))[0]) : closed;
    },
  }),
  ...(['approve', 'cancel', 'writeOff', 'recalculate'] as const).map((action) => actionRoute(dependencies, action)),
  payRoute(dependencies, awaitOutcome),
  ...paymentRoutes(dependencies),
  api.post('/v2/invoices/:id/paymentSessions', 'openInvoicePaymentSession', {
    summary: 'Open a payment session for the unpaid amount',
    description: 'Opens a hosted page. An open session of the invoice expires in the same transaction.',
    access: ofInvoice('member'),
    body: PaymentSessionBody,
    replies: { 201: PaymentSessionReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) => openInvoiceSession(dependencies, tx, params.id, body, now),
  }),
  api.post('/v2/invoices/:id/reissue', 'reissueInvoice', {
    summary: 'Replace an issued invoice by a corrected one',
    description:
      'A credit note is over what is left of the invoice, and a new invoice with the parties of now has its place, ' +
      'in one transaction. The old one is CANCELLED; a paid one stays PAID, and what was paid pays the new one, which ' +
      'gets `partial` credit notes again. Fails with 409 where something was bought with it, it was refunded, or, ' +
      'with `recalculate`, unused time or less usage of it was credited.',
    access: ofInvoice('member'),
    body: ReissueBody,
    replies: { 201: InvoiceReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) => {
      const asked = { reason: body.reason, recalculate: body.recalculate ?? false };
      const made = await reissueInvoice(dependencies, tx, params.id, asked, now);
      return made.ok ? ok(new Reply(201, (await toInvoiceReplies(dependencies, tx, [made.value]))[0])) : made;
    },
  }),
  refundRoute(dependencies, awaitOutcome),
  api.list('/v2/invoices/:id/refunds', 'listInvoiceRefunds', {
    summary: 'List the refunds of an invoice',
    description: 'The newest refund comes first. An invoice has at most one refund that is not voided.',
    access: ofInvoice('viewer'),
    of: InvoiceRefundReply,
    list: ({ tx, params, page }) => selectRefunds(tx, params.id, page),
    each: (note) => toRefundReply(note, dependencies.publicUrl),
  }),
  api.post('/v2/invoices/:id/refunds/:refundId/void', 'voidInvoiceRefund', {
    summary: 'Void a refund',
    description:
      'Voids a refund, or a `partial` credit note, permanently. Money that was not sent yet is kept. Money that was ' +
      'sent is owed by the customer again. A second void is a 409.',
    access: ofInvoice('member'),
    body: ReasonBody,
    replies: { 200: InvoiceRefundReply },
    errors: [409],
    handler: async ({ tx, merchantId, params, body, now }) => {
      const { id: invoiceId, refundId } = params as { id: string; refundId: string };
      const reason = body.reason ?? null;
      const refund = await voidRefund(dependencies, tx, { merchantId, invoiceId, refundId }, reason, now);
      const isRefund = refund.ok || refund.refusal.kind !== 'not_found';
      const note = isRefund
        ? refund
        : await voidPart(dependencies, tx, { invoiceId, creditNoteId: refundId }, reason, now);
      return note.ok ? ok(toRefundReply(note.value, dependencies.publicUrl)) : note;
    },
  }),
];

/** Credit notes of a person over parts of lines. */
const partCreditRoutes = (dependencies: InvoicingDependencies): readonly Route[] => {
  const path = '/v2/invoices/:id/creditNotes';
  const { publicUrl } = dependencies;
  const reply = async (tx: Tx, { id, invoiceId }: CreditNoteRow) => {
    const note = (await selectCreditNote(tx, invoiceId, id)) as ReadCreditNote;
    return toCreditNoteReply(note, publicUrl, await selectLinesOfCreditNote(tx, note));
  };
  return [
    api.post(path, 'creditInvoiceLines', {
      summary: 'Credit parts of an issued invoice',
      description:
        'Makes a credit note over parts of charges, with their tax in proportion. Later credits, usage and minimums ' +
        'take the charges as they were billed, less the credit note. The amount goes off what is unpaid, back as it ' +
        'was paid, or into the wallet, as `settlement` says. The same `idempotencyKey` again answers 200 with the ' +
        'first credit note.',
      access: ofInvoice('member'),
      body: PartCreditBody,
      replies: { 201: CreditNoteReply, 200: CreditNoteReply },
      errors: [409],
      handler: async ({ tx, params, body, now }) => {
        const credited = await creditPart(dependencies, tx, params.id, body, now);
        if (!credited.ok) return credited;
        const { note, isNew } = credited.value;
        return ok(new Reply(isNew ? 201 : 200, await reply(tx, note)));
      },
    }),
    api.post(`${path}/:creditNoteId/void`, 'voidInvoiceCreditNote', {
      summary: 'Void a credit note over parts of an invoice',
      description:
        'Voids a `partial` credit note permanently. What it took off is owed again. Money that was not sent yet is ' +
        'kept, and money that was sent is owed by the customer again. A second void is a 409.',
      access: ofInvoice('member'),
      body: ReasonBody,
      replies: { 200: CreditNoteReply },
      errors: [409],
      handler: async ({ tx, params, body, now }) => {
        const { id: invoiceId, creditNoteId } = params as { id: string; creditNoteId: string };
        const of = { invoiceId, creditNoteId };
        const voided = await voidPart(dependencies, tx, of, body.reason ?? null, now);
        return voided.ok ? ok(await reply(tx, voided.value)) : voided;
      },
    }),
  ];
};

const ACTION_SUMMARIES: Readonly<Record<InvoiceAction, string>> = {
  approve: 'Approve a draft invoice',
  cancel: 'Cancel an invoice',
  writeOff: 'Write off an invoice',
  recalculate: 'Calculate an invoice again',
};

const ACTION_DESCRIPTIONS: Readonly<Record<InvoiceAction, string>> = {
  approve:
    'The draft is issued: it gets its number, its dates and its document, and it can be paid. ' +
    'While a required approval is missing: 409 `APPROVAL_PENDING`, and `details.missing` names it.',
  cancel:
    'A draft is dropped without a number. An issued invoice is cancelled by a credit note, if only the wallet has ' +
    'paid a part of it or nobody has; the wallet gets its part back. Its charges count as billed, so no later ' +
    'invoice bears them; with `rebill: true` the next invoice of the subscription does.',
  writeOff:
    'The unpaid amount is given up. No card is charged for it any more. A later payment still makes the ' +
    'invoice `PAID`.',
  recalculate:
    'Calculates a draft or failed invoice again, at the present tax rates, and with the present discounts whose window ' +
    'holds the end of its grace period. Pending approvals are cancelled.',
};

type AwaitOutcome = Payments['awaitOutcome'];

/** The intent of a route that calls a provider for an invoice, and how its outcome is waited for. */
const waitForInvoice =
  (awaitOutcome: AwaitOutcome): Outcome['wait'] =>
  ({ merchantId, intent: { invoiceId } }, signal) =>
    awaitOutcome({ merchantId, invoiceId: invoiceId as string }, signal);

const payRoute = (dependencies: InvoicingDependencies, awaitOutcome: AwaitOutcome): Route =>
  api.post('/v2/invoices/:id/pay', 'payInvoiceNow', {
    summary: 'Charge the unpaid amount to the customer’s default card',
    description:
      'Charges the unpaid amount now. A declined card is a 200: the invoice is `PAYMENT_FAILED`, and `failureReason` ' +
      'has the reason. The answer waits up to 10 seconds for the payment provider. After that `paymentInFlight` is ' +
      'true, and the outcome follows. Automatic retries keep their days. Without a stored card: 409 ' +
      '`NO_PAYMENT_METHOD`.',
    access: ofInvoice('member'),
    body: ReasonBody,
    replies: { 200: InvoiceReply },
    errors: [409],
    outcome: {
      wait: waitForInvoice(awaitOutcome),
      answer: async ({ tx, intent }) => {
        const invoice = await selectInvoice(tx, intent.invoiceId as string);
        return invoice ? ok((await toInvoiceReplies(dependencies, tx, [invoice]))[0]) : notFound('invoice');
      },
    },
    handler: async ({ tx, params, now }) => {
      const paid = await payNow(dependencies, tx, params.id, now);
      if (!paid.ok) return paid;
      const [standing] = await toInvoiceReplies(dependencies, tx, [paid.value]);
      return ok(paid.value.paymentInFlight ? new Intended({ invoiceId: paid.value.id }, standing) : standing);
    },
  });

const refundRoute = (dependencies: InvoicingDependencies, awaitOutcome: AwaitOutcome): Route =>
  api.post('/v2/invoices/:id/refunds', 'refundInvoice', {
    summary: 'Refund a paid invoice in full',
    description:
      'Makes a credit note over the whole invoice, and sends the money back as it came: to the card, or into the ' +
      'wallet. Credits that the invoice bore go into the wallet. The invoice stays `PAID`. An invoice that is not ' +
      'paid, or already refunded, is a 400. The answer waits up to 10 seconds for the payment provider and the tax ' +
      'provider; `returnStatus` of the payments says how far it is. `externalCreditNoteId` does not change ' +
      'afterwards.',
    access: ofInvoice('member'),
    body: RefundBody,
    replies: { 201: InvoiceRefundReply },
    errors: [409],
    outcome: {
      wait: async (of, signal) => {
        await waitForInvoice(awaitOutcome)(of, signal);
        const { merchantId, intent } = of;
        const invoice = { merchantId, invoiceId: intent.invoiceId as string };
        await awaitTaxRecords(dependencies.taxProviders, invoice, signal);
      },
      answer: async ({ tx, intent }) => {
        const note = await selectCreditNote(tx, intent.invoiceId as string, intent.refundId as string);
        return note ? ok(toRefundReply(await keepOwnNumber(tx, note), dependencies.publicUrl)) : notFound('refund');
      },
    },
    handler: async ({ tx, merchantId, params, body, now }) => {
      const invoiceId = params.id;
      const note = await refundInvoice(dependencies, tx, invoiceId, body.reason ?? null, now);
      if (!note.ok) return note;
      const standing = toRefundReply(note.value, dependencies.publicUrl);
      const isWaiting = (await isCallOpen(tx, { merchantId, invoiceId })) || (await isTaxRecordOpen(tx, invoiceId));
      return ok(isWaiting ? new Intended({ invoiceId, refundId: note.value.id }, standing) : standing);
    },
  });

const actionRoute = (dependencies: InvoicingDependencies, action: InvoiceAction): Route =>
  api.post(`/v2/invoices/:id/${action}`, `${action}Invoice`, {
    summary: ACTION_SUMMARIES[action],
    description: ACTION_DESCRIPTIONS[action],
    access: ofInvoice('member'),
    body: action === 'cancel' ? CancelBody : ReasonBody,
    replies: { 200: InvoiceReply },
    errors: [409],
    handler: async ({ tx, merchantId, params, body, now }) => {
      const key = { merchantId, invoiceId: params.id };
      const rebill = 'rebill' in body && body.rebill === true;
      const acted = await actOnInvoice(dependencies, tx, key, { action, reason: body.reason ?? null, rebill }, now);
      return acted.ok ? ok((await toInvoiceReplies(dependencies, tx, [acted.value]))[0]) : acted;
    },
  });
