/** All that other domains may use of subscriptions. */
export { rehearseStart } from './activate.ts';
export { billingSource } from './billing-source.ts';
export { scheduledChange } from './changes.sql.ts';
export { changePlan } from './changes.ts';
export { createSubscription } from './create.ts';
export { endUnpaid } from './end-unpaid.ts';
export { subscriptionErrors } from './errors.ts';
export { holdSubscription, lockRow as lockSubscriptionRow, lockStatus } from './hold.ts';
export type { ComingRenewal, SubscriptionParts } from './parts.ts';
export { patchSubscription } from './patch.ts';
export { planMigrationDueKind } from './plan-migration/steps.ts';
export { quantitiesOf } from './present.ts';
export { type BillableUsage, findBillableUsage, type PricedUsage } from './priced-usage.ts';
export { subscriptionRoutes } from './routes.ts';
export { subscriptionChangeDueKind, subscriptionDueKind } from './steps.ts';
export {
  activePlansOf,
  countByVersion,
  findSubscription,
  listSubscriptions,
  lockFreeSubscriptions,
  type SubscriptionRow,
  subscriptionsOfPlan,
  unendedSubscriptions,
  updateEndedToBeDue as wakeEnded,
} from './subscriptions.sql.ts';
export { UPFRONT, upfrontPayments } from './upfront.ts';
