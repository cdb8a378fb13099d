import { findPlans, findPlanVersions, type Plan, type PricedVersion } from '../../catalog/index.ts';
import type { Tx } from '../../db/index.ts';
import { burntUnits } from '../../entitlements/index.ts';
import type { Adjustment, BilledVersion, BillingSource, BillingTerms, PaymentTerms } from '../../invoicing/index.ts';
import { normaliseCadence } from '../../kernel/time.ts';
import { type AdjustmentRow, selectAdjustments } from '../subscription/adjustments.sql.ts';
import { endOf } from '../subscription/decide.ts';
import { withQuantities } from '../subscription/quantities.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import { selectSubscription, selectSubscriptionsById } from '../subscription/subscriptions.sql.ts';
import { selectVersionsOfSubscriptions, type VersionRow } from '../subscription/versions.sql.ts';
import { loadUsageSources } from './usage-claims.ts';

/** The answers of subscriptions to invoicing. */
export const billingSource: BillingSource = {
  async paymentTerms(tx, merchantId, subscriptionIds) {
    const found = await selectSubscriptionsById(tx, merchantId, [...new Set(subscriptionIds)]);
    return new Map(found.map((subscription) => [subscription.id, paymentTermsOf(subscription)]));
  },

  terms: (tx, merchantId, subscriptionId) =>
    tx.once(`terms of ${subscriptionId} of ${merchantId}`, async () => {
      const subscription = await selectSubscription(tx, merchantId, subscriptionId);
      if (!subscription) throw new Error(`Subscription ${subscriptionId} does not exist.`);
      return termsOf(tx, subscription);
    }),

  async termsOf(tx, merchantId, subscriptionIds) {
    const found = await selectSubscriptionsById(tx, merchantId, [...new Set(subscriptionIds)]);
    return new Map((await termsOfAll(tx, merchantId, found)).map((terms) => [terms.subscriptionId, terms]));
  },

  usageSources: loadUsageSources,

  granted: (tx, { merchantId, subscriptionId }, metricIds, period) =>
    burntUnits(tx, { merchantId, subscriptionId, metricIds }, period),

  async adjustments(tx, merchantId, subscriptionIds) {
    const rows = await selectAdjustments(tx, merchantId, subscriptionIds);
    const bySubscription = Map.groupBy(rows, ({ subscriptionId: id }) => id);
    return new Map(subscriptionIds.map((id) => [id, (bySubscription.get(id) ?? []).map(adjustmentOf)]));
  },
};

const adjustmentOf = (row: AdjustmentRow): Adjustment => ({
  id: row.id,
  percentageDiscount: row.percentageDiscount,
  effectiveFrom: row.effectiveFrom,
  effectiveTo: row.effectiveTo,
  description: row.description,
  createdAt: row.createdAt,
});

/** The terms on which a subscription is billed: those of its pinned plan version, in its own quantities. */
export async function termsOf(tx: Tx, subscription: SubscriptionRow): Promise<BillingTerms> {
  const [terms] = await termsOfAll(tx, subscription.merchantId, [subscription]);
  return terms as BillingTerms;
}

/** The same of some subscriptions of one merchant, in their order. Each plan and version is loaded once. */
async function termsOfAll(
  tx: Tx,
  merchantId: string,
  subscriptions: readonly SubscriptionRow[],
): Promise<BillingTerms[]> {
  if (subscriptions.length === 0) return [];
  const history = Map.groupBy(
    await selectVersionsOfSubscriptions(
      tx,
      merchantId,
      subscriptions.map(({ id }) => id),
    ),
    ({ subscriptionId: id }) => id,
  );
  const pinned = await loadPinned(tx, merchantId, [...subscriptions, ...[...history.values()].flat()]);
  return subscriptions.map((subscription) => billingTerms(subscription, history.get(subscription.id) ?? [], pinned));
}

type PinnedTo = Pick<VersionRow, 'planId' | 'planVersionId'>;

/** The plan and the version of a subscription. */
type Pinned = (to: PinnedTo) => { readonly plan: Plan; readonly version: PricedVersion };

/** A foreign key holds both, so one that is gone is a fault of ours. */
async function loadPinned(tx: Tx, merchantId: string, all: readonly PinnedTo[]): Promise<Pinned> {
  const plans = await findPlans(
    tx,
    merchantId,
    all.map((each) => each.planId),
  );
  const versions = await findPlanVersions(
    tx,
    merchantId,
    all.map((each) => each.planVersionId),
  );
  return ({ planId, planVersionId: versionId }) => {
    const [plan, version] = [plans.get(planId), versions.get(versionId)];
    if (!plan || !version) throw new Error(`Plan version ${versionId} no longer exists.`);
    return { plan, version };
  };
}

function billingTerms(subscription: SubscriptionRow, history: readonly VersionRow[], pinned: Pinned): BillingTerms {
  const { plan, version } = pinned(subscription);
  return {
    merchantId: subscription.merchantId,
    subscriptionId: subscription.id,
    customerId: subscription.customerId,
    planId: plan.id,
    clockId: subscription.clockId,
    currency: plan.currency,
    planCadence: normaliseCadence(plan.billingCadence),
    bounds: {
      anchor: subscription.billingAnchor,
      startedAt: subscription.billingStartsAt,
      endsAt: endOf(subscription),
    },
    gracePeriod: Temporal.Duration.from(plan.gracePeriod),
    autoApprove: subscription.autoApprove ?? plan.autoApprove,
    ...paymentTermsOf(subscription),
    taxExempt: subscription.taxExempt,
    endCredit: subscription.endCredit,
    taxBehavior: plan.taxBehavior,
    planTaxRate: plan.defaultTaxRate,
    prices: withQuantities(version.prices, subscription.quantities),
    minimumAmount: version.minimumAmount,
    // All versions and quantities that it had or will have, where there is more than the one.
    ...(history.length > 0 && { versions: history.map((row) => billedVersion(row, pinned)) }),
  };
}

function billedVersion(row: VersionRow, pinned: Pinned): BilledVersion {
  const { plan, version } = pinned(row);
  return {
    from: row.holdsFrom,
    changeId: row.changeId,
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
    takesUpAnew: row.takesUpAnew,
  };
}

const paymentTermsOf = (subscription: SubscriptionRow): PaymentTerms => ({
  paymentTermDays: subscription.paymentTermDays,
  bankTransferOnly: subscription.bankTransferOnly,
  autoCharge: subscription.autoCharge,
  checkout: checkoutOf(subscription),
});

/** The default time to pay before a waiting subscription ends (domain.md §3). */
const CHECKOUT_MINUTES = 240;

const checkoutOf = ({ redirectUrls: urls, sessionExpiryMinutes: minutes }: SubscriptionRow) => ({
  redirectUrls: {
    ...(urls?.onSuccess !== undefined && { onSuccess: urls.onSuccess }),
    ...(urls?.onFailure !== undefined && { onFailure: urls.onFailure }),
  },
  sessionExpiryMinutes: minutes ?? CHECKOUT_MINUTES,
});
