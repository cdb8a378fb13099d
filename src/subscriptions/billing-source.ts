import { findPlan, findPlanVersion } from '../catalog/index.ts';
import type { Tx } from '../db/index.ts';
import { burntUnits } from '../entitlements/index.ts';
import type { BilledPrice, BilledVersion, BillingSource, BillingTerms } from '../invoicing/index.ts';
import type { Instant, Period } from '../kernel/time.ts';
import { normaliseCadence } from '../kernel/time.ts';
import { ownSpans, type UsageSource } from '../metering/index.ts';
import { adjustmentsOf } from './adjustments.sql.ts';
import { findSubscription, olderSiblings, type SubscriptionRow } from './subscriptions.sql.ts';
import { type VersionRow, versionsOfSubscription } from './versions.sql.ts';

/** When a subscription was or will be ended; null while no end is set. */
export const endOf = (subscription: Pick<SubscriptionRow, 'terminated_at' | 'ending_at'>): Instant | null =>
  subscription.terminated_at ?? subscription.ending_at;

/** What invoicing asks of subscriptions. */
export const billingSource: BillingSource = {
  terms: (tx, merchantId, subscriptionId) =>
    tx.once(`terms of ${subscriptionId} of ${merchantId}`, async () => {
      const subscription = await findSubscription(tx, merchantId, subscriptionId);
      if (!subscription) throw new Error(`There is no subscription ${subscriptionId}.`);
      return termsOf(tx, subscription);
    }),

  async usageSources(tx, { merchantId, subscriptionId }, metricId, period) {
    const among = await tx.once(`usage sources of ${subscriptionId} of ${merchantId}`, async () => {
      const subscription = await findSubscription(tx, merchantId, subscriptionId);
      if (!subscription) throw new Error(`There is no subscription ${subscriptionId}.`);
      return { subscription, olderPins: await olderPinsOf(tx, subscription) };
    });
    return usageSources(among, metricId, period);
  },

  granted: (tx, { merchantId, subscriptionId }, metricIds, period) =>
    burntUnits(tx, { merchantId, subscriptionId, metricIds }, period),

  async adjustments(tx, merchantId, subscriptionId) {
    const rows = await adjustmentsOf(tx, merchantId, subscriptionId);
    return rows.map((row) => ({
      id: row.id,
      percentageDiscount: row.percentage_discount,
      effectiveFrom: row.effective_from,
      effectiveTo: row.effective_to,
      description: row.description,
      createdAt: row.created_at,
    }));
  },
};

/** The terms on which a subscription is billed: those of its pinned plan version. */
export async function termsOf(tx: Tx, subscription: SubscriptionRow): Promise<BillingTerms> {
  const { merchant_id: merchantId } = subscription;
  const plan = await findPlan(tx, merchantId, subscription.plan_id);
  const version = await findPlanVersion(tx, merchantId, subscription.plan_version_id);
  if (!plan || !version) throw new Error(`The plan version of subscription ${subscription.id} is gone.`);
  const planCadence = normaliseCadence(plan.billingCadence);
  return {
    merchantId,
    subscriptionId: subscription.id,
    customerId: subscription.customer_id,
    planId: plan.id,
    clockId: subscription.clock_id,
    currency: plan.currency,
    planCadence,
    bounds: {
      anchor: subscription.billing_anchor,
      startedAt: subscription.billing_starts_at,
      endsAt: endOf(subscription),
    },
    gracePeriod: Temporal.Duration.from(plan.gracePeriod),
    autoApprove: subscription.auto_approve ?? plan.autoApprove,
    paymentTermDays: subscription.payment_term_days,
    bankTransferOnly: subscription.bank_transfer_only,
    autoCharge: subscription.auto_charge,
    checkout: checkoutOf(subscription),
    taxExempt: subscription.tax_exempt,
    taxBehavior: plan.taxBehavior,
    planTaxRate: plan.defaultTaxRate,
    prices: version.prices,
    minimumAmount: version.minimumAmount,
    ...(await historyOf(tx, subscription)),
  };
}

/** All versions that a subscription was or will be pinned to, where there is more than the one. */
async function historyOf(tx: Tx, subscription: SubscriptionRow): Promise<Pick<BillingTerms, 'versions'>> {
  const rows = await versionsOfSubscription(tx, subscription.merchant_id, subscription.id);
  if (rows.length === 0) return {};
  const versions: BilledVersion[] = [];
  for (const row of rows) versions.push(await versionOf(tx, row));
  return { versions };
}

async function versionOf(tx: Tx, row: VersionRow): Promise<BilledVersion> {
  const plan = await findPlan(tx, row.merchant_id, row.plan_id);
  const version = await findPlanVersion(tx, row.merchant_id, row.plan_version_id);
  if (!plan || !version) throw new Error(`Plan version ${row.plan_version_id} is gone.`); // a foreign key holds it
  return {
    from: row.holds_from,
    planId: plan.id,
    planTaxRate: plan.defaultTaxRate,
    planCadence: normaliseCadence(plan.billingCadence),
    prices: version.prices,
    minimumAmount: version.minimumAmount,
    anchors: Object.fromEntries(
      Object.entries(row.anchors).map(([cadence, anchor]) => [cadence, Temporal.Instant.from(anchor)]),
    ),
    proration: row.proration,
  };
}

/** How long a customer may pay before a subscription that waits for it ends, where nobody says otherwise (domain.md §3). */
const CHECKOUT_MINUTES = 240;

const checkoutOf = ({ redirect_urls: urls, session_expiry_minutes: minutes }: SubscriptionRow) => ({
  redirectUrls: {
    ...(urls?.onSuccess !== undefined && { onSuccess: urls.onSuccess }),
    ...(urls?.onFailure !== undefined && { onFailure: urls.onFailure }),
  },
  sessionExpiryMinutes: minutes ?? CHECKOUT_MINUTES,
});

/** The prices that a subscription had, and from when to when. */
interface Pin {
  readonly prices: readonly BilledPrice[];
  readonly from: Instant;
  readonly to: Instant | null;
}

/**
 * Whose usage of a metric a subscription bills in a period: what is addressed to the subscription itself, and what is
 * addressed to its customer while no older subscription prices the metric.
 */
function usageSources(
  { subscription, olderPins }: { readonly subscription: SubscriptionRow; readonly olderPins: readonly Pin[] },
  metricId: string,
  period: Period,
): UsageSource[] {
  const older = olderPins.filter(({ prices }) => prices.some((price) => price.metric?.id === metricId));
  const own = ownSpans(period, { from: subscription.started_at, to: endOf(subscription) }, older);
  return [
    { subject: subscription.id, from: period.start, to: period.end },
    ...own.map(({ start, end }) => ({ subject: subscription.customer_id, from: start, to: end })),
  ];
}

async function olderPinsOf(tx: Tx, subscription: SubscriptionRow): Promise<Pin[]> {
  const pins: Pin[] = [];
  for (const sibling of await olderSiblings(tx, subscription)) pins.push(...(await pinnedOf(tx, sibling)));
  return pins;
}

async function pinnedOf(tx: Tx, subscription: SubscriptionRow): Promise<Pin[]> {
  const { started_at: start } = subscription;
  const { versions } = await historyOf(tx, subscription);
  if (!versions) {
    const version = await findPlanVersion(tx, subscription.merchant_id, subscription.plan_version_id);
    return [{ prices: version?.prices ?? [], from: start, to: endOf(subscription) }];
  }
  return versions.map(({ prices, from }, index) => ({
    prices,
    from: index === 0 ? start : from,
    to: versions[index + 1]?.from ?? endOf(subscription),
  }));
}
