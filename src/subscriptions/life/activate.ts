import type { Tx } from '../../db/index.ts';
import { type EntitlingSubscription, entitle, type SeriesAnchor } from '../../entitlements/index.ts';
import {
  asksUpfront,
  type BillingTerms,
  boundsOfSeries,
  type InvoiceRow,
  makeUpfrontInvoice,
  openFirstInvoices,
} from '../../invoicing/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { orThrow } from '../../kernel/result.ts';
import { boundary, type Instant, isOnce, latest, normaliseCadence, parseCadence } from '../../kernel/time.ts';
import { type Agreement, loadAgreement, termsUnder } from '../billing/agreement.ts';
import { lockToBill, markSiblings } from '../billing/usage-claims.ts';
import type { SubscriptionDependencies } from '../subscription/dependencies.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import { updateSubscription } from '../subscription/subscriptions.sql.ts';
import { publishSubscriptionEvent } from '../subscription/webhooks.ts';
import { nextActionOf } from './reminders.ts';

/** A subscription as entitlements see it. */
export const entitlingOf = (subscription: SubscriptionRow): EntitlingSubscription => ({
  merchantId: subscription.merchantId,
  subscriptionId: subscription.id,
  customerId: subscription.customerId,
  planId: subscription.planId,
  clockId: subscription.clockId,
  startedAt: subscription.startedAt,
  billingStartsAt: subscription.billingStartsAt,
  endsAt: subscription.endingAt,
  pauses: subscription.pauses.map(({ from, to }) => ({ from, to })),
});

/** From where the billing periods of a subscription's series are counted at an instant. */
export const seriesAnchors =
  (terms: BillingTerms, at: Instant): SeriesAnchor =>
  (cadences) => {
    const from = latest(at, terms.bounds.startedAt);
    const series = cadences.flatMap((each) => {
      const cadence = normaliseCadence(each ?? terms.planCadence);
      const length = isOnce(cadence) ? null : parseCadence(cadence);
      const bounds = length && boundsOfSeries(terms, cadence, from);
      return length && bounds ? [{ anchor: bounds.anchor, next: boundary(from, length, 1) }] : [];
    });
    const [shortest] = series.toSorted((a, b) => Temporal.Instant.compare(a.next, b.next));
    return shortest?.anchor ?? terms.bounds.anchor;
  };

/** It is active from now on, at any start: its customer is entitled from `startedAt` (domain.md §5). */
export async function activate(
  tx: Tx,
  subscription: SubscriptionRow,
  agreement: Agreement,
  now: Instant,
): Promise<SubscriptionRow> {
  const active = await updateSubscription(tx, subscription, { status: 'active', activatedAt: now }, now);
  const anchors = seriesAnchors(termsUnder(agreement, active), active.startedAt);
  await entitle(tx, entitlingOf(active), agreement.at(active).version.prices, anchors, now);
  await markSiblings(tx, active, active.startedAt, now); // paid late, or begun as of the past
  await publishSubscriptionEvent(tx, active, 'subscription.activated.v0', now);
  return active;
}

/** The charges at the start of a subscription's billing; null: none. Pure. */
export function asksOf(
  terms: BillingTerms,
  { prefundAmount: prefund }: SubscriptionRow,
): { readonly terms: BillingTerms; readonly prefund: Decimal } | null {
  const asked = { terms, prefund };
  return asksUpfront(asked) ? asked : null;
}

/**
 * Billing starts of a subscription that is active: what it asks in advance is an invoice like any other (domain.md §3,
 * Starts), and the first invoice of each series opens.
 */
export async function startBilling(
  dependencies: Pick<SubscriptionDependencies, 'invoicing'>,
  tx: Tx,
  subscription: SubscriptionRow,
  now: Instant,
): Promise<SubscriptionRow> {
  await lockToBill(tx, subscription, now, now);
  const agreement = await loadAgreement(tx, subscription);
  await askAtStart(dependencies, tx, subscription, agreement, now);
  return openBilling(tx, subscription, agreement, now);
}

/** The invoice of what is asked as billing starts; null where nothing is. */
export async function askAtStart(
  { invoicing }: Pick<SubscriptionDependencies, 'invoicing'>,
  tx: Tx,
  subscription: SubscriptionRow,
  agreement: Agreement,
  now: Instant,
): Promise<InvoiceRow | null> {
  const asked = asksOf(termsUnder(agreement, subscription), subscription);
  return asked && orThrow(await makeUpfrontInvoice(invoicing, tx, { ...asked, awaitedBy: null }, now)).invoice;
}

/** The first invoice of each series opens, and the remaining jobs are renewals and the end. */
export async function openBilling(
  tx: Tx,
  subscription: SubscriptionRow,
  agreement: Agreement,
  now: Instant,
): Promise<SubscriptionRow> {
  await openFirstInvoices(tx, termsUnder(agreement, subscription), now);
  const { plan } = agreement.at(subscription);
  const nextActionAt = nextActionOf({ ...subscription, billingOpened: true }, plan, now);
  return updateSubscription(tx, subscription, { billingOpened: true, nextActionAt }, now);
}
