import { type Database, ownerOf, type Tx } from '../db/index.ts';
import { freeRoute, Reply, type Route } from '../http/index.ts';
import { isId } from '../kernel/ids.ts';
import { notFound, ok, type Result } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import { lockWithNow, openInvoiceSession } from './actions.ts';
import type { InvoicingParts } from './parts.ts';
import { sessionUrls } from './sessions.ts';

/**
 * The address that stands on a document: it leads to the open payment session of an invoice, and opens the next one where
 * the last has expired (domain.md §4). Whoever has the unguessable address may pay; it shows nothing else.
 */
export const payLinkRoute = (parts: InvoicingParts): Route =>
  freeRoute(
    {
      method: 'GET',
      path: '/pay/invoices/:id',
      operationId: 'payInvoice',
      tag: 'Payment page',
      summary: 'Leads to the payment page of an invoice',
      access: { public: true },
      replies: { 303: { contentType: 'text/html', description: 'The payment page.' } },
      errors: [404, 409],
      hidden: true,
    },
    async ({ database, params, now }) => leadToSession(parts, database, params.id as string, now),
  );

async function leadToSession(
  parts: InvoicingParts,
  database: Database,
  invoiceId: string,
  wall: Instant,
): Promise<Result<Reply>> {
  const owner = isId('invoice', invoiceId)
    ? await database.transaction('nobody', (tx) => ownerOf(tx, invoiceId))
    : null;
  if (owner === null) return notFound('invoice');
  return database.transaction({ merchants: [owner] }, (tx) => openOrFind(parts, tx, owner, invoiceId, wall));
}

async function openOrFind(
  parts: InvoicingParts,
  tx: Tx,
  merchantId: string,
  invoiceId: string,
  wall: Instant,
): Promise<Result<Reply>> {
  const locked = await lockWithNow(tx, merchantId, invoiceId, wall);
  if (!locked.ok) return locked;
  const { invoice } = locked.value;
  const open = (await sessionUrls(parts, tx, [invoice])).get(invoice.id);
  if (open !== undefined) return ok(see(open));
  const opened = await openInvoiceSession(parts, tx, merchantId, invoiceId, {}, wall);
  if (!opened.ok) return opened;
  return ok(see((await sessionUrls(parts, tx, [invoice])).get(invoice.id) as string));
}

const see = (location: string): Reply => new Reply(303, '', { location, 'content-type': 'text/html; charset=utf-8' });
