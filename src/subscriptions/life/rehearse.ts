import type { Tx } from '../../db/index.ts';
import { type InvoiceRow, showInvoice, showNextInvoice } from '../../invoicing/index.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant, isAfter } from '../../kernel/time.ts';
import { loadAgreement } from '../billing/agreement.ts';
import type { SubscriptionDependencies } from '../subscription/dependencies.ts';
import type { SubscriptionCreateBody } from '../subscription/schemas.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import { askAtStart, openBilling } from './activate.ts';
import { createSubscription } from './create.ts';
import { upfrontPayments } from './upfront.ts';

/** How many lines of an invoice are shown. */
const MOST_LINES = 1000;

/**
 * Goes on from the creation until billing has begun, as if the customer paid at once. The caller rolls back.
 * @param made the subscription, and the invoice that it asked for as it was made
 * @returns the invoice of what is asked as billing starts; null where nothing is
 */
export async function rehearseStart(
  dependencies: Pick<SubscriptionDependencies, 'invoicing'>,
  tx: Tx,
  { subscription, upfront }: { readonly subscription: SubscriptionRow; readonly upfront: InvoiceRow | null },
  now: Instant,
): Promise<InvoiceRow | null> {
  const at = subscription.billingStartsAt;
  if (isAfter(at, now)) {
    const agreement = await loadAgreement(tx, subscription);
    const asked = await askAtStart(dependencies, tx, subscription, agreement, at);
    await openBilling(tx, subscription, agreement, at);
    return asked;
  }
  if (upfront && subscription.status === 'pending_payment') await upfrontPayments.paid(tx, upfront, now);
  return upfront;
}

/**
 * The first invoices of a subscription that could be made (api.md has none for this; decision 0244). The same code as
 * the creation's runs, and is rolled back: no card is charged, and no number is used up.
 */
export const previewSubscription = (
  dependencies: SubscriptionDependencies,
  tx: Tx,
  { idempotencyKey: _, ...input }: SubscriptionCreateBody,
  wall: Instant,
): Promise<Result<unknown>> =>
  tx.savepoint(
    async () => {
      const chargeNow = async (_tx: Tx, invoice: InvoiceRow) => invoice;
      const created = await createSubscription({ ...dependencies, chargeNow }, tx, input, wall);
      if (!created.ok) return created;
      const { subscription, from } = created.value;
      const upfront = await rehearseStart(dependencies, tx, created.value, from?.now ?? wall);
      const shown = { expand: 'lineItems', lineItemsLimit: MOST_LINES } as const;
      return ok({
        object: 'subscription_preview' as const,
        merchantId: tx.merchantId,
        billingStartsAt: formatInstant(subscription.billingStartsAt),
        upfrontInvoice: upfront && (await showInvoice(dependencies.invoicing, tx, upfront, shown)),
        upcomingInvoice: await showNextInvoice(dependencies.invoicing, tx, subscription.id),
      });
    },
    () => false,
  );
