/** All that other domains may use of the catalog. */
import type { Tx } from '../db/index.ts';
import { type Cost, selectCostsByEventType } from './costs/costs.sql.ts';
import type { Feature } from './features/feature.ts';
import { lockFeatureShared, selectFeaturesById, selectFeaturesByKey } from './features/features.sql.ts';
import { type Item, lockItemsShared } from './items/items.sql.ts';
import type { Metric } from './metrics/metric.ts';
import { lockMetricsShared, selectMetric, selectMetricsByEventType } from './metrics/metrics.sql.ts';
import { type FeeQuantity, selectFeeQuantities } from './prices/prices.sql.ts';

export type { Blocker } from './blockers.ts';
export type { Cost } from './costs/costs.sql.ts';
export { catalogErrors } from './errors.ts';
export type { Feature } from './features/feature.ts';
export { type ResolvedItem, resolveItems } from './items/items.ts';
export type { Aggregation, Meter } from './meters/meter.ts';
export type { Metric } from './metrics/metric.ts';
export type { CatalogOptions } from './options.ts';
export {
  defaultVersionOf,
  findPlan,
  findPlanNames,
  findPlans,
  findPlanVersion,
  findPlanVersionByNumber,
  findPlanVersions,
  findPrices,
  type PricedVersion,
} from './plans/find.ts';
export { currencyErrors, versionIn } from './plans/in-currency.ts';
export type { Plan, TaxBehavior } from './plans/plans.sql.ts';
export type { VersionStatus } from './plans/version-states.ts';
export { type CarriedFeature, carriedFeatures, publishedMetricsOf } from './prices/carried-features.ts';
export type { CatalogPrice, PricedMetric } from './prices/catalog-price.ts';
export type { PriceFeature } from './prices/price.ts';
export { toPriceReply } from './prices/prices.ts';
export { PriceReply } from './prices/schema.ts';
export { checkTemplate, EntitlementTemplate, meaningOf, withDefaults } from './prices/template.ts';
export { checkByEvent, checkPropertiesOf, whyNotBacking } from './prices/terms.ts';
export { catalogRoutes } from './routes.ts';
export {
  type FoundInCatalog,
  selectCatalogNames as findNamesInCatalog,
  selectInCatalog as findInCatalog,
} from './search.sql.ts';
export { costText } from './usage/cost-money.ts';
export type { MeteredCost } from './usage/cost-usage.ts';
export { type CustomerCost, costsWithMeters, measureCustomerCosts } from './usage/customer-costs.ts';
export {
  type MeteredMetric,
  selectMeteredMetrics as findMeteredMetrics,
  selectMeters as findMeters,
} from './usage/meters.sql.ts';
export { usageRoutes } from './usage/routes.ts';

/** A billable metric of the merchant. */
export const findMetric = (tx: Tx, id: string): Promise<Metric | undefined> => selectMetric(tx, id);

/** Metrics of the merchant, kept as they are until the transaction ends. */
export const lockMetrics = (tx: Tx, ids: readonly string[]): Promise<Metric[]> => lockMetricsShared(tx, ids);

/** Items of the merchant, kept from being deleted until the transaction ends; ids that are none are left out. */
export const lockItems = (tx: Tx, ids: readonly string[]): Promise<Item[]> => lockItemsShared(tx, ids);

/** A feature of the merchant that is not deleted, kept from being deleted until the transaction ends. */
export const lockFeature = (tx: Tx, id: string): Promise<Feature | undefined> => lockFeatureShared(tx, id);

/** Features of some merchants by id, deleted ones too; unknown ids are left out. */
export const findFeatures = (tx: Tx, merchantIds: readonly string[], ids: readonly string[]): Promise<Feature[]> =>
  selectFeaturesById(tx, merchantIds, ids);

/** The features with a key, in any product and deleted ones too, of one merchant or (null, for operators) of all. */
export const findFeaturesByKey = (tx: Tx, merchantId: string | null, key: string): Promise<Feature[]> =>
  selectFeaturesByKey(tx, merchantId, key);

/** The fee prices of some plan versions in their order, with their own quantities, by the version's id. */
export const findFeeQuantities = (
  tx: Tx,
  merchantIds: readonly string[],
  versionIds: readonly string[],
): Promise<ReadonlyMap<string, readonly FeeQuantity[]>> => selectFeeQuantities(tx, merchantIds, versionIds);

/** The metrics and costs whose meters count events of these types: what tells a matched event from an unmatched one. */
export async function listMetricsAndCostsByEventType(
  tx: Tx,
  eventTypes: readonly string[],
): Promise<{ metrics: Metric[]; costs: Cost[] }> {
  const metrics = await selectMetricsByEventType(tx, eventTypes);
  return { metrics, costs: await selectCostsByEventType(tx, eventTypes) };
}
