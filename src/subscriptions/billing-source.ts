import { findPlan, findPlanVersion } from '../catalog/index.ts';
import type { Tx } from '../db/index.ts';
import { burntUnits } from '../entitlements/index.ts';
import type { BilledVersion, BillingSource, BillingTerms, PaymentTerms } from '../invoicing/index.ts';
import { normaliseCadence } from '../kernel/time.ts';
import { adjustmentsOf } from './adjustments.sql.ts';
import { endOf } from './decide.ts';
import { withQuantities } from './quantities.ts';
import { findSubscription, findSubscriptions, type SubscriptionRow } from './subscriptions.sql.ts';
import { loadClaims, readBeyondTheEnd } from './usage-claims.ts';
import { ownedSpans } from './usage-owner.ts';
import { type VersionRow, versionsOfSubscription } from './versions.sql.ts';

/** What invoicing asks of subscriptions. */
export const billingSource: BillingSource = {
  async paymentTerms(tx, merchantId, subscriptionIds) {
    const found = await findSubscriptions(tx, merchantId, [...new Set(subscriptionIds)]);
    return new Map(found.map((subscription) => [subscription.id, paymentTermsOf(subscription)]));
  },

  terms: (tx, merchantId, subscriptionId) =>
    tx.once(`terms of ${subscriptionId} of ${merchantId}`, async () => {
      const subscription = await findSubscription(tx, merchantId, subscriptionId);
      if (!subscription) throw new Error(`There is no subscription ${subscriptionId}.`);
      return termsOf(tx, subscription);
    }),

  async usageSources(tx, terms, metricId, period) {
    const { merchantId, subscriptionId } = terms;
    const subscription = await tx.once(`subscription ${subscriptionId} of ${merchantId}`, () =>
      findSubscription(tx, merchantId, subscriptionId),
    );
    if (!subscription) throw new Error(`There is no subscription ${subscriptionId}.`);
    const claims = await loadClaims(tx, subscription, terms);
    const read = await readBeyondTheEnd(tx, merchantId, claims, period);
    const own = ownedSpans(claims, { subscriptionId, metricId }, period, read);
    return [
      { subject: subscriptionId, from: period.start, to: period.end },
      ...own.map(({ start, end }) => ({ subject: subscription.customer_id, from: start, to: end })),
    ];
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

/** The terms on which a subscription is billed: those of its pinned plan version, in its own quantities. */
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
    ...paymentTermsOf(subscription),
    taxExempt: subscription.tax_exempt,
    endCredit: subscription.end_credit,
    taxBehavior: plan.taxBehavior,
    planTaxRate: plan.defaultTaxRate,
    prices: withQuantities(version.prices, subscription.quantities),
    minimumAmount: version.minimumAmount,
    ...(await historyOf(tx, subscription)),
  };
}

/** All versions and quantities that a subscription had or will have, where there is more than the one. */
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
    changeId: row.change_id,
    planId: plan.id,
    planTaxRate: plan.defaultTaxRate,
    planCadence: normaliseCadence(plan.billingCadence),
    prices: withQuantities(version.prices, row.quantities),
    minimumAmount: version.minimumAmount,
    anchors: Object.fromEntries(
      Object.entries(row.anchors).map(([cadence, anchor]) => [cadence, Temporal.Instant.from(anchor)]),
    ),
    proration: row.proration,
    credit: row.credit,
  };
}

const paymentTermsOf = (subscription: SubscriptionRow): PaymentTerms => ({
  paymentTermDays: subscription.payment_term_days,
  bankTransferOnly: subscription.bank_transfer_only,
  autoCharge: subscription.auto_charge,
  checkout: checkoutOf(subscription),
});

/** How long a customer may pay before a subscription that waits for it ends, where nobody says otherwise (domain.md §3). */
const CHECKOUT_MINUTES = 240;

const checkoutOf = ({ redirect_urls: urls, session_expiry_minutes: minutes }: SubscriptionRow) => ({
  redirectUrls: {
    ...(urls?.onSuccess !== undefined && { onSuccess: urls.onSuccess }),
    ...(urls?.onFailure !== undefined && { onFailure: urls.onFailure }),
  },
  sessionExpiryMinutes: minutes ?? CHECKOUT_MINUTES,
});
