import type { Tx } from '../../db/index.ts';
import type { Feature } from '../features/feature.ts';
import { selectFeaturesById } from '../features/features.sql.ts';
import type { Price } from './price.ts';
import { selectMetricsOfFeature } from './prices.sql.ts';
import type { EntitlementTemplate } from './template.ts';
import { canBackFeature } from './terms.ts';

/** A feature that a plan version gives its subscribers. */
export interface CarriedFeature {
  readonly feature: Feature;
  readonly template: EntitlementTemplate;
  /** The metrics, summed; empty if the feature is not metered, or has no metric left. */
  readonly metricIds: readonly string[];
  /** Of the prices that carry it; null: the plan's. */
  readonly cadences: readonly (string | null)[];
}

/**
 * The features that the prices of one version carry, each once, in the prices' order, with what they measure (domain.md
 * §5): the metrics that the template names; else those of the prices that carry it; else, on fees only, those of all
 * prices that carry it.
 */
export async function carriedFeatures(
  tx: Tx,
  prices: readonly Pick<Price, 'features' | 'billableMetricId' | 'billingCadence'>[],
): Promise<CarriedFeature[]> {
  const carried = prices.flatMap(({ features, ...price }) =>
    features.map(({ featureId, entitlementTemplate }) => ({ featureId, entitlementTemplate, ...price })),
  );
  const byFeature = Map.groupBy(carried, ({ featureId }) => featureId);
  const features = await selectFeaturesById(tx, [tx.merchantId], [...byFeature.keys()]);
  const found = [];
  for (const [featureId, carriers] of byFeature) {
    const feature = features.find(({ id }) => id === featureId);
    const template = carriers[0]?.entitlementTemplate;
    if (!(feature && template)) throw new Error(`Feature ${featureId} does not exist.`); // a foreign key holds it
    const priced = carriers.map(({ billableMetricId }) => billableMetricId).filter((id) => id !== null);
    const cadences = carriers.map(({ billingCadence }) => billingCadence);
    found.push({ feature, template, metricIds: await measured(tx, feature, template, priced), cadences });
  }
  return found;
}

/** The metrics of a template's feature. @param priced the metrics of the prices with this feature */
async function measured(
  tx: Tx,
  { id }: Feature,
  template: EntitlementTemplate,
  priced: readonly string[],
): Promise<readonly string[]> {
  if (template.type !== 'metered') return [];
  if (template.billableMetricIds) return template.billableMetricIds;
  if (priced.length > 0) return [...new Set(priced)];
  const published = await publishedMetricsOf(tx, id);
  if (published.length > 0) return published;
  const all = await selectMetricsOfFeature(tx, id); // such a price let the fee's carry the feature
  return all.filter(canBackFeature).map((metric) => metric.id);
}

/** The metrics by which all published prices that carry a feature can measure it, oldest first. */
export async function publishedMetricsOf(tx: Tx, featureId: string): Promise<string[]> {
  const metrics = await selectMetricsOfFeature(tx, featureId);
  return metrics.filter((metric) => metric.isPublished && canBackFeature(metric)).map(({ id }) => id);
}
