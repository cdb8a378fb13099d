import type { Database, Tx } from '../../db/index.ts';
import { Reply, type Route, routesOf, Strict } from '../../http/index.ts';
import { findLogo } from '../../identity/index.ts';
import { isId } from '../../kernel/ids.ts';
import { localeAskedFor } from '../../kernel/locale.ts';
import { mapped, notFound, ok, orThrow, RefusalError, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import {
  errorPage,
  FORM,
  HTML,
  IMAGE,
  isForeign,
  LOGO_HEADERS,
  PRIVATE,
  pageReply,
  unknownReply,
} from '../../pages/index.ts';
import type { DocumentOwner } from '../documents/document-owner.ts';
import { documentOf, eInvoiceOfDocument, numberOfDocument } from '../documents/documents.ts';
import { fileHeaders } from '../documents/file.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { lockWithNow, openInvoiceSession } from '../issue/actions.ts';
import { invoicePage } from './invoice-page.ts';
import { isPayableByCard } from './standing.ts';
import { payableSession, viewInvoice } from './view.ts';

const api = routesOf('Pages');

const PDF = { contentType: 'application/pdf', description: 'The document.' } as const;
const XML = { contentType: 'application/xml', description: 'The e-invoice.' } as const;

/**
 * The page of an invoice, whose address stands on documents and in mails. Whoever has the address, which nobody
 * can guess, may see the invoice, pay it, and have its documents; nothing else is asked of a customer
 * (docs/decisions/0048).
 */
export function invoicePageRoutes(dependencies: InvoicingDependencies): readonly Route[] {
  const { environment } = dependencies;
  const usual = { access: { public: true }, hidden: true, errorPage: errorPage(environment) } as const;
  return [
    api.get('/pay/invoices/:id', 'showInvoicePage', {
      ...usual,
      summary: 'The page of an invoice: its status and its documents. It opens nothing and charges nothing',
      replies: { 200: HTML, 404: HTML },
      free: async ({ database, params, request, now }) => {
        const asked = localeAskedFor(request.headers['accept-language']);
        const view = await ofInvoice(database, params.id, (tx, id) => viewInvoice(tx, environment, id, now, asked));
        if (!view) return ok(unknownReply(environment, asked));
        return ok(pageReply(200, invoicePage(view), view.look, { showsLogo: view.hasLogo, isFramedByConsole: true }));
      },
    }),
    api.post('/pay/invoices/:id', 'payInvoice', {
      ...usual,
      summary: 'Redirects to the payment session of an invoice, and opens one if needed',
      body: Strict({}),
      contentTypes: [FORM],
      bodyLimit: 4096,
      replies: { 303: HTML, 404: HTML },
      free: async ({ database, params, request, now }) => {
        const location = await ofInvoice(database, params.id, (tx, id) =>
          isForeign(request) ? Promise.resolve(id) : whereToPay(dependencies, tx, id, now),
        );
        if (location === null) return ok(unknownReply(environment, localeAskedFor(request.headers['accept-language'])));
        return ok(new Reply(303, '', { ...PRIVATE, location }));
      },
    }),
    api.get('/pay/invoices/:id/logo', 'showLogo', {
      ...usual,
      summary: 'The logo of the merchant of an invoice',
      replies: { 200: IMAGE, 404: HTML },
      free: async ({ database, params, now }) => {
        const logo = await ofInvoice(database, params.id, async (tx, id) =>
          (await viewInvoice(tx, environment, id, now)) ? ((await findLogo(tx)) ?? null) : null,
        );
        if (!logo) return notFound('logo');
        return ok(new Reply(200, logo.content, { ...PRIVATE, ...LOGO_HEADERS, 'content-type': logo.contentType }));
      },
    }),
    ...downloadRoutes(dependencies, usual),
  ];
}

/** Runs in a transaction of the merchant whose invoice it is. @returns null where there is no such invoice */
async function ofInvoice<T>(
  database: Database,
  id: string,
  work: (tx: Tx, id: string) => Promise<T | null>,
): Promise<T | null> {
  const merchantId = isId('invoice', id) ? await database.owners.find(id) : null;
  if (merchantId === null) return null;
  return database.transaction({ merchants: [merchantId] }, (tx) => work(tx, id), { byKeys: 'one thing' });
}

/**
 * The session by which an invoice can be paid, found or opened under the invoice's lock: two presses are one
 * session. Where nothing can be paid by card, the page says what there is.
 * @returns an address relative to that of the page
 */
async function whereToPay(
  dependencies: InvoicingDependencies,
  tx: Tx,
  id: string,
  wall: Instant,
): Promise<string | null> {
  const locked = await lockWithNow(tx, id, wall);
  if (!locked.ok) return null;
  const { invoice, now } = locked.value;
  const open = await payableSession(tx, invoice, now);
  const view = await viewInvoice(tx, dependencies.environment, id, wall);
  if (!view) return null;
  if (!isPayableByCard(view)) return id;
  if (!open) orThrow(await openInvoiceSession(dependencies, tx, id, {}, wall));
  const session = open ?? (await payableSession(tx, invoice, now));
  return session === null ? id : `../${session.id}`;
}

type Usual = Pick<Route['declaration'], 'hidden' | 'errorPage'> & {
  readonly access: { readonly public: true };
};

/** Missing documents are rendered on request; this many at a time, so that strangers do not occupy the renderer. */
const DOWNLOADS_AT_ONCE = 8;

/**
 * The files behind the page. A HEAD renders nothing. What could not be rendered is left to the job that tries
 * again, however often somebody asks here.
 */
function downloadRoutes(dependencies: InvoicingDependencies, usual: Usual): readonly Route[] {
  let underWay = 0;
  const { text, headers } = errorPage(dependencies.environment)(503);
  const busy = new Reply(503, text, { ...headers, 'retry-after': '2' });
  const download = (
    path: string,
    operationId: string,
    summary: string,
    type: 'pdf' | 'xml',
    make: (tx: Tx, owner: DocumentOwner, now: Instant) => Promise<Result<Uint8Array>>,
  ): Route =>
    api.get(`/pay/invoices/:id/${path}`, operationId, {
      ...usual,
      summary,
      replies: { 200: type === 'pdf' ? PDF : XML, 404: HTML },
      free: async ({ database, params, request, now }) => {
        const { id, ...of } = params as { id: string; creditNoteId?: string; paymentId?: string };
        if (underWay >= DOWNLOADS_AT_ONCE) return ok(busy);
        underWay += 1;
        const made = await ofInvoice(database, id, async (tx) => {
          const view = await viewInvoice(tx, dependencies.environment, id, now);
          if (view?.invoice.documentFailure !== null) return null; // not there, or left to the job
          if (request.method === 'HEAD') return ok(null);
          const owner = { merchantId: tx.merchantId, invoiceId: id, ...of };
          const content = await orNothing(make(tx, owner, now));
          return content.ok ? ok({ content: content.value, number: await numberOfDocument(tx, owner), type }) : content;
        }).finally(() => {
          underWay -= 1;
        });
        if (made === null) return { ok: false, refusal: { kind: 'not_found', what: 'document' } } as const;
        if (!made.ok) return made;
        if (made.value === null) return ok(new Reply(200, '', { ...PRIVATE, 'content-type': `application/${type}` }));
        return ok(new Reply(200, Buffer.from(made.value.content), { ...PRIVATE, ...fileHeaders(made.value) }));
      },
    });
  return [
    download('invoice.pdf', 'downloadInvoice', 'The document of an invoice', 'pdf', (tx, owner, now) =>
      documentOf(dependencies, tx, owner, now),
    ),
    download('invoice.xml', 'downloadEInvoice', 'The e-invoice', 'xml', async (tx, owner, now) =>
      mapped(await eInvoiceOfDocument(dependencies, tx, owner, now), (made) => Buffer.from(made)),
    ),
    download(
      'creditNotes/:creditNoteId',
      'downloadCreditNote',
      'The document of a credit note',
      'pdf',
      (tx, owner, now) => documentOf(dependencies, tx, owner, now),
    ),
    download('receipts/:paymentId', 'downloadReceipt', 'The receipt of a payment', 'pdf', (tx, owner, now) =>
      documentOf(dependencies, tx, owner, now),
    ),
  ];
}

/** A refusal that was thrown, as the value that it is: it undoes nothing, for nothing was written. */
async function orNothing<T>(work: Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RefusalError) return { ok: false, refusal: error.refusal };
    throw error;
  }
}
