/** All that other domains may use of entitlements. */

export { endEntitlements, planEndOfEntitlements } from './changes/end.ts';
export { pauseEntitlements } from './changes/pause.ts';
export type { ReconciledFeatures } from './changes/plan-reconciliation.ts';
export { snapshotRecheck } from './changes/recheck.ts';
export { reconcileEntitlements } from './changes/reconcile.ts';
export { entitlementDueKind } from './changes/steps.ts';
export { moveTrialReset } from './changes/trial.ts';
export { unendedEntitlements } from './changes/unended.ts';
export { checkEntitles, type EntitlingSubscription, entitle, type SeriesAnchor } from './entitlement/create.ts';
export type { EntitlementDependencies } from './entitlement/dependencies.ts';
export { hasMetered, isMetricMeasured, selectEntitlement as findEntitlement } from './entitlement/entitlements.sql.ts';
export { entitlementErrors } from './errors.ts';
export { updateOfCustomer as wakeBalancesOf } from './notices/notices.sql.ts';
export { evaluateBalances, publishBalanceEvents } from './notices/notices.ts';
export { findWatchedBalances, findWhenUsed, type WatchedBalance } from './notices/watched.ts';
export { eventBalances } from './of-events.ts';
export { grantPurchases } from './purchases/paid.ts';
export { GRANT_PURCHASE } from './purchases/purchase.ts';
export { selectPlanEntitlementsMeasuring as findPlanEntitlementsMeasuring } from './reading/burnt.sql.ts';
export { burntUnits } from './reading/burnt.ts';
export { type CustomerBalance, findCustomerBalances } from './reading/of-customer.ts';
export { reservationDueKind } from './reservations/reservations.ts';
export { entitlementRoutes } from './routes.ts';
