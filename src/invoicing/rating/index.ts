/**
 * The public interface of rating. Rating is pure and below every domain, so that the catalog may import it too. It
 * imports the kernel and the words of schemas.
 */
export { canBeShownIn, type DisplayUnit, displayUnitOf } from './display-unit.ts';
export { DISPLAY_UNIT_FIELDS, DisplayUnitReply } from './display-unit-schema.ts';
export { propertiesSchema } from './fields-of-models.ts';
export type { Charge, Measured, PriceModel, TierUse } from './model.ts';
export {
  casesOfModels,
  checkProperties,
  dimensionsOf,
  eventRuleOf,
  isPriceModel,
  modelOf,
  type PriceModelName,
  PriceProperties,
  type Pricing,
  type PropertiesOf,
  priceModelNames,
  priceModels,
  scaledPricing,
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
export type { ShownPrice } from './shown-price.ts';
export {
  type Aggregation,
  type GroupFilters,
  type GroupValues,
  isAdditive,
  isOfEvents,
  type UsageGroup,
} from './usage.ts';
export { limitsOf, type ShareOfTime, shareOfTime, shortened, shortText, type Workings } from './workings.ts';
