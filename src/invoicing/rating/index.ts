/**
 * The door of rating: pure, below every domain (it imports the kernel and the words of schemas), so that the catalog
 * may read it too.
 */
export { matrixCellOf } from './matrix.ts';
export type { Charge, Measured, PriceModel, TierUse } from './model.ts';
export {
  casesOfModels,
  checkProperties,
  type PriceModelName,
  PriceProperties,
  type Pricing,
  type PropertiesOf,
  priceModelNames,
  priceModels,
} from './models.ts';
export { normaliseProperties } from './properties.ts';
export {
  checkLimits,
  limitLines,
  type PriceInPeriod,
  type Rated,
  type RatedLine,
  type RatedPrice,
  ratePrice,
  withoutNoise,
} from './rate-price.ts';
export { type Aggregation, type GroupFilters, type GroupValues, isAdditive, type UsageGroup } from './usage.ts';
export { type ShareOfTime, shareOfTime, shortened, shortText, type Workings } from './workings.ts';
