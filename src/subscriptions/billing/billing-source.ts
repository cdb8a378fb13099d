import { burntUnits } from '../../entitlements/index.ts';
import type { Adjustment, BillingSource } from '../../invoicing/index.ts';
import { type AdjustmentRow, selectAdjustments } from '../subscription/adjustments.sql.ts';
import { decideOverrides } from '../subscription/price-overrides.ts';
import {
  markCommitted,
  selectClocksOfCustomer,
  selectRequiringCredits,
  selectSubscription,
  selectSubscriptionsById,
  selectUnendedSubscriptions,
} from '../subscription/subscriptions.sql.ts';
import { loadAgreement, loadAgreements, paymentTermsOf, termsUnder } from './agreement.ts';
import { loadUsageSources } from './usage-claims.ts';

/** The answers of subscriptions to invoicing. */
export const billingSource: BillingSource = {
  async paymentTerms(tx, subscriptionIds) {
    const found = await selectSubscriptionsById(tx, [...new Set(subscriptionIds)]);
    return new Map(
      found.map((subscription) => [subscription.id, { ...paymentTermsOf(subscription), name: subscription.name }]),
    );
  },

  async terms(tx, subscriptionId) {
    const subscription = await selectSubscription(tx, subscriptionId);
    if (!subscription) throw new Error(`Subscription ${subscriptionId} does not exist.`);
    return termsUnder(await loadAgreement(tx, subscription), subscription);
  },

  async termsOf(tx, subscriptionIds) {
    const found = await selectSubscriptionsById(tx, [...new Set(subscriptionIds)]);
    const agreements = await loadAgreements(tx, found);
    return new Map(
      found.map((subscription) => [subscription.id, termsUnder(agreements(subscription.id), subscription)]),
    );
  },

  async clockOf(tx, customerId) {
    const clockIds = await selectClocksOfCustomer(tx, customerId);
    return clockIds.length === 1 ? (clockIds[0] ?? null) : null;
  },

  usageSources: loadUsageSources,

  markCommitted,

  decideOverrides: (tx, given, prices) => decideOverrides(tx, given, { prices, from: null, field: 'overrides' }),

  unended: async (tx, customerId) => (await selectUnendedSubscriptions(tx, { customerId })).map(({ id }) => id),

  requiringCredits: selectRequiringCredits,

  granted: (tx, { merchantId, subscriptionId }, metricIds, period) =>
    burntUnits(tx, { merchantId, subscriptionId, metricIds }, period),

  async adjustments(tx, subscriptionIds) {
    const rows = await selectAdjustments(tx, subscriptionIds);
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
