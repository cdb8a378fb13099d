/** All that other domains may use of subscriptions. */
export { rehearseStart } from './life/activate.ts';
export { billingSource } from './billing/billing-source.ts';
export { scheduledChange } from './subscription/changes.sql.ts';
export { changePlan } from './changes/changes.ts';
export { createSubscription } from './life/create.ts';
export { endUnpaid } from './life/end-unpaid.ts';
export { subscriptionErrors } from './errors.ts';
export { holdSubscription, lockRow as lockSubscriptionRow, lockStatus } from './life/hold.ts';
export type { ComingRenewal, SubscriptionParts } from './subscription/parts.ts';
export { patchSubscription } from './life/patch.ts';
export { planMigrationDueKind } from './plan-migration/steps.ts';
export { quantitiesOf } from './life/present.ts';
export { type BillableUsage, findBillableUsage, type PricedUsage } from './billing/priced-usage.ts';
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
} from './subscription/subscriptions.sql.ts';
export { UPFRONT, upfrontPayments } from './life/upfront.ts';
