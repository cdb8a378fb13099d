import { Formed, OneOf, Type } from '../../http/index.ts';
import type { Aggregation } from '../../invoicing/rating/index.ts';
import type { FieldError } from '../../kernel/result.ts';
import { isOverTime, type Meter, type TimeUnit } from '../../metering/index.ts';

export type { Aggregation, Meter };

export const AGGREGATIONS = ['SUM', 'COUNT', 'AVG', 'MIN', 'MAX', 'UNIQUE_COUNT', 'LATEST', 'TIME_WEIGHTED'] as const;

export const AggregationWord = OneOf(AGGREGATIONS);

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

/**
 * §4 metric rule 3; a distinct count needs to know of what (api.md, Metering). Only counting events needs no value. A
 * figure over time needs its unit, and no other has one.
 */
export function checkMeter({
  aggregation,
  valueProperty,
  timeUnit,
}: {
  aggregation: Aggregation;
  valueProperty: string | null;
  timeUnit?: TimeUnit | null;
}): FieldError[] {
  const errors: FieldError[] = [];
  if (aggregation !== 'COUNT' && valueProperty === null)
    errors.push({ field: 'valueProperty', message: `is required for ${aggregation}` });
  if (isOverTime({ aggregation }) && timeUnit == null)
    errors.push({ field: 'timeUnit', message: `is required for ${aggregation}` });
  if (!isOverTime({ aggregation }) && timeUnit != null)
    errors.push({ field: 'timeUnit', message: 'is for TIME_WEIGHTED' });
  return errors;
}
