/** All that other domains may use of entitlements. */
export { type EntitlingSubscription, entitle, entitleTo } from './create.ts';
export { endEntitlements, planEndOfEntitlements } from './end.ts';
export { entitlementErrors } from './errors.ts';
