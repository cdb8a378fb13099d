/** All that other domains may use of entitlements. */
export { burntUnits } from './burnt.ts';
export { checkEntitles, type EntitlingSubscription, entitle } from './create.ts';
export { endEntitlements, planEndOfEntitlements } from './end.ts';
export { findEntitlement, isMetricMeasured } from './entitlements.sql.ts';
export { entitlementErrors } from './errors.ts';
export { balanceNoticeChore, balanceSweepChore, tellOfBalance } from './notices.ts';
export { type CustomerBalance, findCustomerBalances } from './of-customer.ts';
export type { EntitlementParts } from './parts.ts';
export type { ReconciledFeatures } from './plan-reconciliation.ts';
export { grantPurchases } from './purchases/paid.ts';
export { GRANT_PURCHASE } from './purchases/purchase.ts';
export { snapshotRecheck } from './recheck.ts';
export { reconcileEntitlements } from './reconcile.ts';
export { reservationDueKind } from './reservations.ts';
export { entitlementRoutes } from './routes.ts';
export { entitlementDueKind } from './steps.ts';
export { unendedEntitlements } from './unended.ts';
export { findWatchedBalance, type WatchedBalance } from './watched.ts';
