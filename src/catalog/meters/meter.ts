import { DecimalText, Formed, OneOf, Type } from '../../http/index.ts';
import type { Aggregation } from '../../invoicing/rating/index.ts';
import type { FieldError } from '../../kernel/result.ts';
import { isOverTime, isPercentile, type Meter, SAMPLE_WINDOWS } from '../../metering/index.ts';

export type { Aggregation, Meter };

/** Those of costs: the cost of a percentile has no time in which it came about (commercial.md §5). */
const COST_AGGREGATIONS = ['SUM', 'COUNT', 'AVG', 'MIN', 'MAX', 'UNIQUE_COUNT', 'LATEST', 'TIME_WEIGHTED'] as const;
export const AGGREGATIONS = [...COST_AGGREGATIONS, 'PERCENTILE'] as const;

export const AggregationWord = OneOf(AGGREGATIONS);
export const CostAggregationWord = OneOf(COST_AGGREGATIONS);

/** Data may be 32 levels deep; reports need no deeper paths than these. */
const MOST_SEGMENTS = 8;

/** §2: `$.` and segments of letters, digits and underscores, joined by dots. */
export const JsonPath = Formed(
  `^\\$(?:\\.[A-Za-z0-9_]+){1,${MOST_SEGMENTS}}$`,
  `must be a path of at most ${MOST_SEGMENTS} segments in the data of an event, such as $.tokens or $.usage.tokens`,
  { maxLength: 255 },
);

/** Names that are possible in a query (`groupBy=region,model`), in a column head and as a key. */
const Dimension = Formed(
  '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$',
  'must be a name of 1 to 64 letters, digits, dots, underscores and hyphens, such as model',
);

const MOST_DIMENSIONS = 50;

/** Dimension → JSONPath (§4 metric rule 4). */
export const GroupBy = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: MOST_DIMENSIONS,
  'x-words': 'must be an object such as {"model": "$.model"}',
  propertyNames: Dimension,
  additionalProperties: JsonPath,
});

export const TimeUnitWord = OneOf(['hour', 'day', 'period']);

/** The percentile of a metric, above 0 and up to 100. */
export const PercentileText = DecimalText({ exclusiveMinimum: '0', maximum: '100' });
export const SampleWindowWord = OneOf(SAMPLE_WINDOWS);
export const SampleAggregationWord = OneOf(['SUM', 'MAX', 'COUNT', 'AVG']);

/** What is checked of a meter. */
type CheckedMeter = Pick<Meter, 'valueProperty' | 'timeUnit' | keyof OfPercentile> & { aggregation: Aggregation };

/** The fields of a percentile. */
type OfPercentile = Pick<Meter, 'percentile' | 'sampleWindow' | 'sampleAggregation'>;

/**
 * §4 metric rule 3; a distinct count needs to know of what (api.md, Metering). Only counting events needs no value. A
 * figure over time needs its unit, a percentile its windows, and no other has one.
 */
export function checkMeter(meter: CheckedMeter): FieldError[] {
  const { aggregation, valueProperty, timeUnit, percentile, sampleWindow, sampleAggregation } = meter;
  const isOfSamples = isPercentile(meter);
  const isRequired = (field: string) => ({ field, message: `is required for ${aggregation}` });
  const isFor = (field: string, other: Aggregation) => ({ field, message: `is for ${other}` });
  const isCount = aggregation === 'COUNT' || (isOfSamples && sampleAggregation === 'COUNT');
  return [
    ...(!isCount && valueProperty === null ? [isRequired('valueProperty')] : []),
    ...(isOverTime(meter) && timeUnit == null ? [isRequired('timeUnit')] : []),
    ...(!isOverTime(meter) && timeUnit != null ? [isFor('timeUnit', 'TIME_WEIGHTED')] : []),
    ...(['percentile', 'sampleWindow'] as const).flatMap((field) =>
      isOfSamples && meter[field] == null ? [isRequired(field)] : [],
    ),
    ...Object.entries({ percentile, sampleWindow, sampleAggregation }).flatMap(([field, value]) =>
      !isOfSamples && value != null ? [isFor(field, 'PERCENTILE')] : [],
    ),
  ];
}
