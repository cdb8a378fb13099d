import type { Tx } from '../../db/index.ts';
import { Reply, type Route, routesOf } from '../../http/index.ts';
import { ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { DocumentOwner } from './document-owner.ts';
import { documentOf, eInvoiceOfDocument, numberOfDocument } from './documents.ts';
import { fileHeaders } from './file.ts';

const api = routesOf('Invoices');
const VIEWER = { role: 'viewer', merchant: { of: 'id', kind: 'invoice' } } as const;
const PDF = { contentType: 'application/pdf', description: 'The document.' };
const XML = { contentType: 'application/xml', description: 'UN/CEFACT Cross Industry Invoice, profile EN 16931.' };

/**
 * The documents of invoices, of their credit notes and of their payments, as PDF and, but for payments, as e-invoice.
 */
export const documentRoutes = (dependencies: InvoicingDependencies): readonly Route[] => [
  api.get('/v2/invoices/:id/pdf', 'getInvoicePdf', {
    summary: 'Download the PDF of an invoice',
    description:
      'The PDF is a PDF/A-3 with the e-invoice inside. It is rendered once, so its bytes never change. Without a ' +
      'document: 404 `DOCUMENT_NOT_AVAILABLE`, with the reason in `details.reason`.',
    access: VIEWER,
    replies: { 200: PDF },
    handler: ({ tx, merchantId, params, now }) => fileReply(dependencies, tx, ownerOf(merchantId, params), 'pdf', now),
  }),
  api.get('/v2/invoices/:id/document.xml', 'getInvoiceDocumentXml', {
    summary: 'Download the e-invoice of an invoice',
    description:
      'The e-invoice follows EN 16931. Without a document: 404 `DOCUMENT_NOT_AVAILABLE`. `details.reason` is one of ' +
      'the PDF, or `legal_details_missing` (`details.missing` names them), or `not_representable`.',
    access: VIEWER,
    replies: { 200: XML },
    handler: ({ tx, merchantId, params, now }) => fileReply(dependencies, tx, ownerOf(merchantId, params), 'xml', now),
  }),
  api.get('/v2/invoices/:id/refunds/:refundId/pdf', 'getInvoiceRefundPdf', {
    summary: 'Download the PDF of a credit note',
    description:
      'The PDF is rendered once, so its bytes never change. It serves every credit note, not only refunds. Without a ' +
      'document: 404 `DOCUMENT_NOT_AVAILABLE`, with the reason in `details.reason`.',
    access: VIEWER,
    replies: { 200: PDF },
    handler: ({ tx, merchantId, params, now }) => fileReply(dependencies, tx, ownerOf(merchantId, params), 'pdf', now),
  }),
  api.get('/v2/invoices/:id/refunds/:refundId/document.xml', 'getInvoiceRefundDocumentXml', {
    summary: 'Download the e-invoice of a credit note',
    description:
      'The e-invoice follows EN 16931. Without a document: 404 `DOCUMENT_NOT_AVAILABLE`. The reasons are those of ' +
      'the e-invoice of an invoice.',
    access: VIEWER,
    replies: { 200: XML },
    handler: ({ tx, merchantId, params, now }) => fileReply(dependencies, tx, ownerOf(merchantId, params), 'xml', now),
  }),
  api.get('/v2/invoices/:id/payments/:paymentId/receipt', 'getInvoicePaymentReceipt', {
    summary: 'Download the receipt of a payment',
    description:
      'The receipt has the amount, the means and the time of the payment, its invoice, and the amount that remained. ' +
      'Without a document: 404 `DOCUMENT_NOT_AVAILABLE`, with the reason in `details.reason`.',
    access: VIEWER,
    replies: { 200: PDF },
    handler: ({ tx, merchantId, params, now }) => fileReply(dependencies, tx, ownerOf(merchantId, params), 'pdf', now),
  }),
];

const ownerOf = (merchantId: string, params: Readonly<Record<string, unknown>>): DocumentOwner => {
  const { id, refundId, paymentId } = params as { id: string; refundId?: string; paymentId?: string };
  return {
    merchantId,
    invoiceId: id,
    ...(refundId !== undefined && { creditNoteId: refundId }),
    ...(paymentId !== undefined && { paymentId }),
  };
};

/** A document as a file, or the reason why there is none. */
async function fileReply(
  dependencies: InvoicingDependencies,
  tx: Tx,
  owner: DocumentOwner,
  type: 'pdf' | 'xml',
  now: Instant,
): Promise<Result<unknown>> {
  const document = await (type === 'pdf' ? documentOf : eInvoiceOfDocument)(dependencies, tx, owner, now);
  if (!document.ok) return document;
  const content = Buffer.from(document.value);
  const file = { content, number: await numberOfDocument(tx, owner), type };
  return ok(new Reply(200, content, { ...fileHeaders(file), ...REVALIDATED }));
}

/** A caller may keep its copy, and asks with the tag whether it may still have it. */
const REVALIDATED = { 'cache-control': 'private, no-cache' };
