/** All that other domains may use of subscriptions. */

export {
  findOverrides,
  loadPinned as findPinned,
  type PlanAtVersion,
  pinnedIn,
  termsOfNew,
} from './billing/agreement.ts';
export { billingSource } from './billing/billing-source.ts';
export { type BillableUsage, findBillableUsage, type PricedUsage } from './billing/priced-usage.ts';
export { changePlan } from './changes/changes.ts';
export { subscriptionErrors } from './errors.ts';
export { createSubscription } from './life/create.ts';
export { endUnpaid } from './life/end-unpaid.ts';
export {
  holdForChange,
  holdLiving,
  lockActiveSubscription,
  lockRow as lockSubscriptionRow,
  lockStatus,
} from './life/lock.ts';
export { patchSubscription } from './life/patch.ts';
export { quantitiesOf } from './life/present.ts';
export { rehearseStart } from './life/rehearse.ts';
export { withTrialCards } from './life/trial-card.ts';
export { UPFRONT, upfrontPayments } from './life/upfront.ts';
export { planMigrationDueKind } from './plan-migration/steps.ts';
export { subscriptionRoutes } from './routes.ts';
export { subscriptionChangeDueKind, subscriptionDueKind } from './steps.ts';
export { selectScheduledChange as findScheduledChange } from './subscription/changes.sql.ts';
export {
  selectCouponNames as findCouponNames,
  updateGivenBack as giveBackCoupons,
} from './subscription/coupons.sql.ts';
export type { ComingRenewal, EndingTrial, SubscriptionDependencies } from './subscription/dependencies.ts';
export { currentPause } from './subscription/pauses.ts';
export { holdCoupons } from './subscription/redeem.ts';
export type { SubscriptionRow } from './subscription/subscription.ts';
export {
  countByVersion,
  countEnding as countEndingSubscriptions,
  lockFreeSubscriptions,
  selectActivePlans as findActivePlans,
  selectSubscription as findSubscription,
  selectSubscriptionNames as findSubscriptionNames,
  selectSubscriptionsOfCustomer as findSubscriptionsOfCustomer,
  selectSubscriptionsOfOrder as findSubscriptionsOfOrder,
  selectSubscriptionsOfPlan as findSubscriptionsOfPlan,
  selectUnendedSubscriptions as findUnendedSubscriptions,
  updateEndedToBeDue as wakeEnded,
} from './subscription/subscriptions.sql.ts';
