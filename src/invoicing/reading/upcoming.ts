import type { Tx } from '../../db/index.ts';
import { type Route, routesOf, Strict, Type } from '../../http/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { type Instant, isOnce, normaliseCadence, parseCadence } from '../../kernel/time.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { InvoiceReply } from '../invoice/schemas.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';
import { selectNextToClose } from './open-invoices.sql.ts';
import { showInvoice, withLiveTotals } from './read.ts';

const api = routesOf('Subscriptions');

/** GET /v0/subscriptions/{id}/upcomingInvoice: the bill of the open period that closes next, as of effective now. */
export const upcomingInvoiceRoute = (dependencies: InvoicingDependencies): Route =>
  api.get('/v0/subscriptions/:id/upcomingInvoice', 'getUpcomingInvoice', {
    summary: 'Preview the next invoice',
    description:
      'Answers the open period that closes next, rated as of now, with up to 1,000 lines. `billingCadence` chooses ' +
      'another series of invoices. Nothing is stored. If no period is open: 404.',
    access: { role: 'viewer', merchant: { of: 'id', kind: 'subscription' } },
    query: Strict(
      { billingCadence: Type.Optional(Type.String({ maxLength: 64 })) },
      {
        'x-fields': {
          billingCadence:
            'Only the series of invoices with this cadence, an ISO 8601 duration such as `P1Y`. Default: all series.',
        },
      },
    ),
    replies: { 200: InvoiceReply },
    handler: ({ tx, params, query }) => upcomingInvoice(dependencies, tx, params.id, query.billingCadence),
  });

/** How many lines are shown; the others are in GET …/lineItems. */
const MOST_LINES = 1000;

async function upcomingInvoice(
  dependencies: InvoicingDependencies,
  tx: Tx,
  subscriptionId: string,
  billingCadence: string | undefined,
): Promise<Result<unknown>> {
  if (billingCadence !== undefined && (parseCadence(billingCadence) === null || isOnce(billingCadence)))
    return invalidField('billingCadence', 'must be a duration of days, weeks, months or years');
  const cadence = billingCadence === undefined ? null : normaliseCadence(billingCadence);
  const shown = await showNextInvoice(dependencies, tx, subscriptionId, cadence);
  return shown ? ok(shown) : notFound('invoice');
}

/**
 * The open period that closes next, rated as of effective now.
 * @param cadence only the series of invoices with this one; null: all series
 */
export async function showNextInvoice(
  dependencies: InvoicingDependencies,
  tx: Tx,
  subscriptionId: string,
  cadence: string | null = null,
) {
  const open = await selectNextToClose(tx, subscriptionId, cadence);
  return open ? showInvoice(dependencies, tx, open, { expand: 'lineItems', lineItemsLimit: MOST_LINES }) : null;
}

/**
 * The present bill of a cadence's open period, with the fees in advance of the next one: the bill at its end.
 * @returns null where no period is open, or its price cannot be calculated now
 */
export async function estimateRenewal(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { subscriptionId, cadence }: { merchantId: string; subscriptionId: string; cadence: string },
): Promise<{ amount: Decimal; currency: string } | null> {
  const open = await selectNextToClose(tx, subscriptionId, cadence);
  if (!open) return null;
  const { invoice } = await withLiveTotals(dependencies, tx, open);
  return invoice.failureReason === null ? { amount: invoice.grandTotal, currency: invoice.currency } : null;
}

/**
 * The end of the open period that closes next, and its present bill; null if none is open.
 * @param terms of the subscription; loaded if absent
 */
export async function estimateNextInvoice(
  dependencies: InvoicingDependencies,
  tx: Tx,
  subscriptionId: string,
  terms?: BillingTerms,
): Promise<{ at: Instant; amount: Decimal } | null> {
  const open = await selectNextToClose(tx, subscriptionId, null);
  if (!open) return null;
  const { invoice } = await withLiveTotals(dependencies, tx, open, terms && { terms });
  return { at: open.periodEnd, amount: invoice.grandTotal };
}
