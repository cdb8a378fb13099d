import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { findPlanVersion } from '../plans/find.ts';
import { type Builder, builderFor } from '../testing/build.ts';
import { carriedFeatures, publishedMetricsOf } from './carried-features.ts';

let env: TestEnvironment;
let merchant: Merchant;
let build: Builder;
let productId: string;
beforeAll(async () => {
  env = await sharedEnvironment();
  merchant = await env.merchant();
  build = builderFor(merchant);
  productId = await build.product();
});
afterAll(() => env.close());

const METERED = { type: 'metered' };
const carrying = (featureId: string, entitlementTemplate: object = METERED) => ({
  feature: { featureId, entitlementTemplate },
});

/** The features of a plan with these prices, each with its metrics. */
async function carriedBy(prices: readonly string[]) {
  const { defaultVersionId } = await build.plan(productId, { prices });
  return env.database.transaction({ merchants: [merchant.id] }, async (tx) => {
    const version = await findPlanVersion(tx, defaultVersionId);
    const carried = await carriedFeatures(tx, version?.prices ?? []);
    return carried.map(({ feature, template, metricIds }) => ({ id: feature.id, type: template.type, metricIds }));
  });
}
const published = (featureId: string) =>
  env.database.transaction({ merchants: [merchant.id] }, (tx) => publishedMetricsOf(tx, featureId));

it('each once, in the prices’ order, measuring the metrics of all prices of the version that carry it', async () => {
  const [feature, flag] = [await build.feature(productId), await build.feature(productId, { type: 'boolean' })];
  const metrics = [await build.metric(productId), await build.metric(productId)] as const;
  const prices = [
    await build.metricPrice(metrics[1], carrying(feature)),
    await build.feePrice(await build.fee(productId), carrying(flag, { type: 'boolean' })),
    await build.metricPrice(metrics[0], carrying(feature)),
    await build.metricPrice(metrics[0], carrying(feature)),
    await build.feePrice(await build.fee(productId)),
  ];
  expect(await carriedBy(prices)).toEqual([
    { id: feature, type: 'metered', metricIds: [metrics[1], metrics[0]] },
    { id: flag, type: 'boolean', metricIds: [] },
  ]);
});

it('what its template names comes before what prices are for', async () => {
  const feature = await build.feature(productId);
  const [priced, named] = [await build.metric(productId), await build.metric(productId)];
  const price = await build.metricPrice(priced, carrying(feature, { type: 'metered', billableMetricIds: [named] }));
  expect(await carriedBy([price])).toEqual([{ id: feature, type: 'metered', metricIds: [named] }]);
});

it('on fees alone: the metrics of all published prices that carry it, else of all prices', async () => {
  const feature = await build.feature(productId);
  const [first, second] = [await build.metric(productId), await build.metric(productId)];
  const average = await build.metric(productId, { aggregation: 'AVG' });
  const price = await build.metricPrice(first, carrying(feature));
  await build.metricPrice(second, carrying(feature));
  await build.metricPrice(average, carrying(feature, { type: 'metered', billableMetricIds: [first] }));
  const onFee = await build.feePrice(await build.fee(productId), carrying(feature));
  expect(await published(feature)).toEqual([]);
  expect(await carriedBy([onFee])).toEqual([{ id: feature, type: 'metered', metricIds: [first, second] }]);
  await build.plan(productId, { prices: [price] });
  expect(await published(feature)).toEqual([first]);
  expect(await carriedBy([onFee])).toEqual([{ id: feature, type: 'metered', metricIds: [first] }]);
});

it('nothing where no price carries a feature', async () => {
  expect(await carriedBy([await build.metricPrice(await build.metric(productId))])).toEqual([]);
});
