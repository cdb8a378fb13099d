import type { Tx } from '../db/index.ts';
import { type Route, route, Strict, Type } from '../http/index.ts';
import { invalidField, notFound, type Result } from '../kernel/result.ts';
import { isOnce, normaliseCadence, parseCadence } from '../kernel/time.ts';
import { nextToClose } from './open-invoices.sql.ts';
import type { InvoicingParts } from './parts.ts';
import { readInvoice } from './read.ts';
import { Invoice } from './schemas.ts';

/** GET /v0/subscriptions/{id}/upcomingInvoice: what the open period that closes next comes to as of effective now. */
export const upcomingInvoiceRoute = (parts: InvoicingParts): Route =>
  route(
    {
      method: 'GET',
      path: '/v0/subscriptions/:id/upcomingInvoice',
      operationId: 'getUpcomingInvoice',
      tag: 'Subscriptions',
      summary: 'Preview the next invoice',
      description:
        'The open period that closes next, of all series or of that of `billingCadence`, with its lines. 404 where no period is open.',
      access: { role: 'viewer', merchant: { of: 'id', kind: 'subscription' } },
      query: Strict({ billingCadence: Type.Optional(Type.String({ maxLength: 64 })) }),
      replies: { 200: Invoice },
    },
    ({ tx, merchantId, params, query }) =>
      upcomingInvoice(parts, tx, merchantId, params.id as string, query.billingCadence),
  );

/** How many lines are shown; the others are in GET …/lineItems. */
const MOST_LINES = 1000;

async function upcomingInvoice(
  parts: InvoicingParts,
  tx: Tx,
  merchantId: string,
  subscriptionId: string,
  billingCadence: string | undefined,
): Promise<Result<unknown>> {
  if (billingCadence !== undefined && (parseCadence(billingCadence) === null || isOnce(billingCadence)))
    return invalidField('billingCadence', 'must be a duration of days, weeks, months or years');
  const cadence = billingCadence === undefined ? null : normaliseCadence(billingCadence);
  const invoice = await nextToClose(tx, merchantId, subscriptionId, cadence);
  if (!invoice) return notFound('invoice');
  return readInvoice(parts, tx, merchantId, invoice.id, { expand: 'lineItems', lineItemsLimit: MOST_LINES });
}
