import { findPlan } from '../../catalog/index.ts';
import { createUnidentified, findCustomer } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import type { InvoiceRow } from '../../invoicing/index.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import { createSubscription, type PlanAtVersion, type SubscriptionRow } from '../../subscriptions/index.ts';
import type { CheckoutDependencies } from '../link/dependencies.ts';
import type { CheckoutLink } from '../link/link.ts';
import type { Checkout } from './checkout.ts';
import type { Details } from './details.ts';

/** The subscriber, the subject, and the promised ids. */
export interface Subscribing
  extends Pick<Checkout, 'customerId' | 'subscriptionId' | 'invoiceId' | 'planVersionId' | 'typed'> {
  readonly link: CheckoutLink;
  /** A card is kept, and charged for later invoices. */
  readonly keepsCard: boolean;
  /** The instant of the calculation that was shown. */
  readonly startedAt: Instant;
  /** The plan at its version; loaded if absent. */
  readonly pinned?: PlanAtVersion;
}

/** The result: the subscription, and the invoice over the amount due now; null if nothing is due. */
export interface Subscribed {
  readonly subscription: SubscriptionRow;
  readonly upfront: InvoiceRow | null;
}

/**
 * Makes the customer and the subscription of a checkout, by the operations that the API has for them. The invoice over
 * what is due now waits for its money; without one the subscription is active when this returns.
 */
export async function subscribe(
  dependencies: CheckoutDependencies,
  tx: Tx,
  { link, customerId, subscriptionId, invoiceId, planVersionId, typed, keepsCard, startedAt, pinned }: Subscribing,
  now: Instant,
): Promise<Result<Subscribed>> {
  const { planId } = link;
  const plan = pinned?.plan ?? (await findPlan(tx, planId));
  if (!plan) return notFound('plan', 'planId');
  const buyer = await buyerOf(dependencies, tx, { link, customerId, typed }, now);
  if (!buyer.ok) return buyer;
  const created = await createSubscription(
    dependencies.subscriptions,
    tx,
    {
      name: plan.invoiceDisplayName ?? plan.name,
      planId,
      currency: link.currency,
      customerId,
      startedAt: formatInstant(startedAt),
      autoCharge: keepsCard,
      metadata: link.metadata,
      ...(link.coupons.length > 0 && { coupons: [...link.coupons] }),
    },
    now,
    { id: subscriptionId, planVersionId, invoiceId, pinned },
  );
  return created.ok ? ok({ subscription: created.value.subscription, upfront: created.value.upfront }) : created;
}

/** The customer of the link, or a new one: nobody becomes an existing customer by typing its address. */
async function buyerOf(
  dependencies: CheckoutDependencies,
  tx: Tx,
  { link, customerId, typed }: Pick<Subscribing, 'link' | 'customerId' | 'typed'>,
  now: Instant,
): Promise<Result<unknown>> {
  const { known } = link;
  if (link.customerId !== null) {
    const customer = await findCustomer(tx, link.customerId, { keep: true }); // a deletion waits for us
    return customer ? ok(customer) : notFound('customer', 'customerId');
  }
  if (typed === null) throw new Error('The details from the page were deleted before their customer was created.');
  const { name, email, address, taxId, locale }: Details = typed;
  return createUnidentified(
    tx,
    {
      id: customerId,
      consumer: { name, email, address },
      ...(taxId !== null && { taxId }),
      ...(known?.externalId != null && { externalId: known.externalId }),
      locale,
    },
    now,
    dependencies.customerHooks,
  );
}
