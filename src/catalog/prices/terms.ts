import { validate } from '../../http/index.ts';
import {
  canBeShownIn,
  checkLimits,
  checkProperties,
  type DisplayUnit,
  dimensionsOf,
  isOfEvents,
  isPriceModel,
  modelOf,
  type PriceModelName,
  type Pricing,
  propertiesSchema,
} from '../../invoicing/rating/index.ts';
import { type Decimal, decimal, isRawNumber, ONE } from '../../kernel/decimal.ts';
import type { FieldError } from '../../kernel/result.ts';
import { isOnce, parseCadence } from '../../kernel/time.ts';
import type { Feature } from '../features/feature.ts';
import type { Aggregation } from '../meters/meter.ts';
import type { Metric } from '../metrics/metric.ts';
import { isSame } from '../same.ts';
import type { CurrencyPrice, PaymentTerm } from './price.ts';
import { BOOLEAN_BY_DEFAULT, checkTemplate, type EntitlementTemplate } from './template.ts';

/** The terms of a price, without its subject. */
export interface PriceTerms {
  readonly invoiceDisplayName: string;
  readonly paymentTerm: PaymentTerm;
  readonly model: PriceModelName;
  /** Of any form, until it is checked against its model. */
  readonly properties: unknown;
  readonly billingCadence: string | null;
  readonly quantity: Decimal;
  readonly minimumAmount: Decimal | null;
  readonly maximumAmount: Decimal | null;
  /** Properties of any form, too. */
  readonly currencyPrices: Readonly<Record<string, Omit<CurrencyPrice, 'properties'> & { properties: unknown }>>;
  readonly taxRate: Decimal | null;
  readonly displayUnit: DisplayUnit | null;
  readonly groupFilters: Readonly<Record<string, readonly string[]>> | null;
  readonly grantDiscountEnabled: boolean;
  readonly feature: { readonly featureId: string; readonly entitlementTemplate: EntitlementTemplate } | null;
}

/** The faults of terms alone, for a metric's or a fee's price; every failing field. */
export function checkTerms(terms: PriceTerms, priced: 'metric' | 'fee'): FieldError[] {
  return [
    ...checkModel(terms),
    ...checkLimits(terms.minimumAmount, terms.maximumAmount),
    ...eachCurrency(terms, checkCurrencyPrice),
    ...checkDisplayUnit(terms),
    ...(priced === 'fee' ? checkFeeTerms(terms) : checkMetricTerms(terms)),
  ];
}

function checkDisplayUnit({ model, displayUnit }: PriceTerms): FieldError[] {
  if (displayUnit === null || canBeShownIn({ model })) return [];
  return [{ field: 'displayUnit', message: `is not for ${model}, which has no price of a unit` }];
}

/** The faults of a price in each other currency, which has the model of the price. */
const eachCurrency = (
  { model, currencyPrices }: Pick<PriceTerms, 'model' | 'currencyPrices'>,
  check: (one: Pick<PriceTerms, 'model'> & PriceTerms['currencyPrices'][string]) => FieldError[],
): FieldError[] =>
  Object.entries(currencyPrices).flatMap(([currency, one]) =>
    check({ model, ...one }).map((error) => ({ ...error, field: `currencyPrices.${currency}.${error.field}` })),
  );

const checkCurrencyPrice: Parameters<typeof eachCurrency>[1] = ({
  model,
  properties,
  minimumAmount,
  maximumAmount,
}) => [
  ...checkModel({ model, properties }),
  ...checkLimits(
    minimumAmount === null ? null : decimal(minimumAmount),
    maximumAmount === null ? null : decimal(maximumAmount),
  ),
];

/**
 * The faults of a body's properties, whatever else is wrong with the body. A body without a model has the usual one;
 * undefined: the model of the stored price, which `checkTerms` knows.
 */
export function checkPropertiesOf(body: unknown, usual?: PriceModelName): FieldError[] {
  const { model = usual, properties } = fieldsOf(body) ?? {};
  if (typeof model !== 'string' || !isPriceModel(model) || fieldsOf(properties) === null) return [];
  return checkModel({ model, properties });
}

/** The fields of a JSON object; null for another value. */
const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)
    ? (value as Record<string, unknown>)
    : null;

function checkModel({ model, properties }: Pick<PriceTerms, 'model' | 'properties'>): FieldError[] {
  const inForm = validate('body', propertiesSchema(model), properties);
  const errors = inForm.length > 0 ? inForm : checkProperties({ model, properties } as Pricing);
  return errors.map((error) => ({ ...error, field: error.field === '' ? 'properties' : `properties.${error.field}` }));
}

const CADENCE = 'must be an ISO 8601 duration of whole days, weeks, months or years';

function checkFeeTerms(terms: PriceTerms): FieldError[] {
  const errors: FieldError[] = [];
  if (terms.billingCadence === null)
    errors.push({ field: 'billingCadence', message: 'is required for a fee; P0D charges it once' });
  else if (!parseCadence(terms.billingCadence)) errors.push({ field: 'billingCadence', message: `${CADENCE}, or P0D` });
  if (terms.groupFilters)
    errors.push({ field: 'groupFilters', message: 'is for prices of metrics; a fee has no usage' });
  if (terms.grantDiscountEnabled)
    errors.push({ field: 'grantDiscountEnabled', message: 'is for prices of metrics; grants cover usage only' });
  if (modelOf(terms).aggregations)
    errors.push({ field: 'model', message: `${terms.model} is for prices of metrics; a fee has no events` });
  errors.push(...checkByEvent(terms, null));
  return errors;
}

function checkMetricTerms(terms: PriceTerms): FieldError[] {
  const errors: FieldError[] = [];
  const cadence = terms.billingCadence;
  if (cadence !== null && (!parseCadence(cadence) || isOnce(cadence)))
    errors.push({ field: 'billingCadence', message: CADENCE });
  if (terms.paymentTerm === 'in_advance')
    errors.push({ field: 'paymentTerm', message: 'must be in_arrears: usage is known when its period is over' });
  if (!terms.quantity.eq(ONE)) errors.push({ field: 'quantity', message: 'is for prices of fees; usage has its own' });
  if (terms.grantDiscountEnabled && modelOf(terms).aggregations)
    errors.push({
      field: 'grantDiscountEnabled',
      message: `is not for ${terms.model}: which of its units were granted is not known`,
    });
  return errors;
}

/**
 * A price on each event by itself is for usage that adds up, and none of its units is granted: which events they were
 * of is not known (commercial.md §12).
 * @param aggregation of its metric; null: it is for a fee
 */
export function checkByEvent(
  { model, properties, grantDiscountEnabled }: Pick<PriceTerms, 'model' | 'properties' | 'grantDiscountEnabled'>,
  aggregation: Aggregation | null,
): FieldError[] {
  const given = (modelOf({ model }).byEvent?.fields ?? []).filter(
    (field) => fieldsOf(properties)?.[field] !== undefined,
  );
  const at = (message: string) => given.map((field) => ({ field: `properties.${field}`, message }));
  if (aggregation === null) return at('is for prices of metrics; a fee has no events');
  if (!isOfEvents(aggregation)) return at('is for a metric of SUM or COUNT');
  const message = `is not for a price with ${given[0]}: which of its events were granted is not known`;
  return grantDiscountEnabled && given.length > 0 ? [{ field: 'grantDiscountEnabled', message }] : [];
}

/** Metrics whose figure a balance can be counted down by (domain.md §5). */
const BACKING: readonly Aggregation[] = ['SUM', 'COUNT', 'UNIQUE_COUNT', 'MAX', 'LATEST', 'TIME_WEIGHTED'];

/**
 * Why a metered feature cannot be measured by such a metric; null: it can. The average of a period is not known before
 * the period ends, nor is a percentile (commercial.md §5).
 */
export function whyNotBacking({ aggregation, timeUnit }: Pick<Metric, 'aggregation' | 'timeUnit'>): string | null {
  if (!BACKING.includes(aggregation)) return `must be of ${BACKING.join(', ')}`;
  return timeUnit === 'period' ? 'must have the timeUnit hour or day: an average of a period uses nothing up' : null;
}

/** Can a metered feature be measured by such a metric? */
export const canBackFeature = (metric: Pick<Metric, 'aggregation' | 'timeUnit'>): boolean =>
  whyNotBacking(metric) === null;

/** The context of terms: their subject, the feature that they carry, and the metrics that can measure it. */
export interface PriceSurroundings {
  readonly metric: Metric | null;
  readonly feature: Feature | null;
  /** The metrics that the template names, in its order. */
  readonly namedMetrics: readonly Metric[];
  /** Does another price give the feature a metric? */
  readonly isFeatureOnMetrics: boolean;
}

/** The faults of terms in their context; every failing field. */
export function checkSurroundings(terms: PriceTerms, around: PriceSurroundings): FieldError[] {
  const errors = [
    ...checkDimensions(terms, around),
    ...checkAggregation(terms, around),
    ...(around.metric ? checkByEvent(terms, around.metric.aggregation) : []),
  ];
  if (!(terms.feature && around.feature)) return errors;
  const { entitlementTemplate: template } = terms.feature;
  if (template === BOOLEAN_BY_DEFAULT && around.feature.type !== 'boolean')
    return [
      ...errors,
      { field: 'feature.entitlementTemplate', message: `is required for a ${around.feature.type} feature` },
    ];
  const inTemplate = [...checkTemplate(template, around.feature.type), ...checkMeasures(template, around)];
  return [...errors, ...inTemplate.map((error) => ({ ...error, field: `feature.entitlementTemplate.${error.field}` }))];
}

/** Filters and matrices may use only the dimensions of the metric. */
function checkDimensions(terms: PriceTerms, { metric }: PriceSurroundings): FieldError[] {
  if (metric === null) return []; // of a fee, which takes neither
  const dimensions = metric.groupBy ?? {};
  const unknown = (named: readonly { readonly dimension: string; readonly field: string }[]): FieldError[] =>
    named
      .filter(({ dimension }) => !Object.hasOwn(dimensions, dimension))
      .map(({ field }) => ({ field, message: "is not among the metric's groupBy" }));
  const crossed = ({ model, properties }: Pick<PriceTerms, 'model' | 'properties'>): FieldError[] => {
    const named: unknown = dimensionsOf({ model, properties }); // of any form: other faults are told with these
    return unknown(
      (Array.isArray(named) ? named : []).map((dimension: string, index) => ({
        dimension,
        field: `properties.dimensions.${index}`,
      })),
    );
  };
  const filtered = Object.keys(terms.groupFilters ?? {});
  return [
    ...unknown(filtered.map((dimension) => ({ dimension, field: `groupFilters.${dimension}` }))),
    ...crossed(terms),
    ...eachCurrency(terms, crossed),
  ];
}

/**
 * A model that sums what events carry needs a sum; one that bills groups apart needs figures of groups that can be
 * added.
 */
function checkAggregation({ model }: PriceTerms, { metric }: PriceSurroundings): FieldError[] {
  const usable = modelOf({ model }).aggregations;
  if (!(usable && metric) || usable.includes(metric.aggregation)) return [];
  return [{ field: 'model', message: `${model} is for a metric of ${listed(usable)}` }];
}

/** `A, B or C`. */
const listed = (words: readonly string[]): string => words.join(', ').replace(/, (?=[^,]*$)/, ' or ');

/** A metered feature measures something that can be counted down (domain.md §5, "What it measures"). */
function checkMeasures(template: EntitlementTemplate, around: PriceSurroundings): FieldError[] {
  if (template.type !== 'metered') return [];
  if (template.billableMetricIds)
    return around.namedMetrics.flatMap((metric, index) => {
      const message = whyNotBacking(metric);
      return message === null ? [] : [{ field: `billableMetricIds.${index}`, message }];
    });
  if (around.metric) {
    const words = whyNotBacking(around.metric);
    return words === null
      ? []
      : [{ field: 'billableMetricIds', message: `is required: the metric that backs a feature ${words}` }];
  }
  return around.isFeatureOnMetrics
    ? []
    : [{ field: 'billableMetricIds', message: 'is required: no price gives this feature a metric to measure' }];
}

/** The fields in which terms differ; for a price that a version holds, anything but its display name is too many. */
export function changedFields(before: PriceTerms, after: PriceTerms): (keyof PriceTerms)[] {
  return (Object.keys(before) as (keyof PriceTerms)[]).filter((field) => !isSame(before[field], after[field]));
}
