import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { SampleWindow } from './samples.ts';

/** §2: how the values of the events of a meter become one figure. */
export type Aggregation =
  | 'SUM'
  | 'COUNT'
  | 'AVG'
  | 'MIN'
  | 'MAX'
  | 'UNIQUE_COUNT'
  | 'LATEST'
  | 'TIME_WEIGHTED'
  | 'PERCENTILE';

/** How the values of each window of a percentile become its figure. */
export type SampleAggregation = 'SUM' | 'MAX' | 'COUNT' | 'AVG';

/** The unit in which a level is counted over time; `period`: its average. */
export type TimeUnit = 'hour' | 'day' | 'period';

/**
 * A level is a height that continues until the next event (domain.md §5). All other figures start again with each
 * question.
 */
export const isLevel = ({ aggregation }: Pick<Meter, 'aggregation'>): boolean => aggregation === 'LATEST';

/** Is it the integral of a level? It happens in time as a sum does, and it has the level from before. */
export const isOverTime = ({ aggregation }: Pick<Meter, 'aggregation'>): boolean => aggregation === 'TIME_WEIGHTED';

/** Is it a percentile of the figures of windows? */
export const isPercentile = ({ aggregation }: Pick<Meter, 'aggregation'>): boolean => aggregation === 'PERCENTILE';

/** The aggregation by which the values of events are read: of a percentile, that of its windows. */
export const aggregationOfEvents = ({
  aggregation,
  sampleAggregation,
}: Pick<Meter, 'aggregation' | 'sampleAggregation'>): Aggregation =>
  aggregation === 'PERCENTILE' ? (sampleAggregation ?? 'SUM') : aggregation;

/** The definition of a count (domain.md §1). Metrics and costs have one; metering knows nothing else of them. */
export interface Meter {
  /** Events of this type count; without one, none do. */
  readonly eventType: string | null;
  readonly aggregation: Aggregation;
  /** Of TIME_WEIGHTED, which is the integral of a level (commercial.md §5). Null or absent: of another aggregation. */
  readonly timeUnit?: TimeUnit | null;
  /** Of PERCENTILE: above 0, up to 100; of the figures of which windows, and how each of them becomes one. */
  readonly percentile?: Decimal | null;
  readonly sampleWindow?: SampleWindow | null;
  readonly sampleAggregation?: SampleAggregation | null;
  /** `$.tokens` is `data.tokens`. Null (COUNT only): every event counts. */
  readonly valueProperty: string | null;
  /** Dimension name to path, e.g. `{ model: '$.request.model' }`. */
  readonly groupBy: Readonly<Record<string, string>> | null;
  /** Only events strictly later count (§2). */
  readonly eventFrom: Instant | null;
}

/** The segments of a path of §2: `$.request.model` is `['request', 'model']`. */
export function pathSegments(path: string): string[] {
  if (!path.startsWith('$.')) throw new RangeError(`${path} is no path: it must start with $.`);
  return path.slice(2).split('.');
}

/** The names of a meter's dimensions. */
export const dimensionsOf = (meter: Meter): string[] => Object.keys(meter.groupBy ?? {});

/**
 * The path of a dimension. @throws if the meter has no such dimension; a caller with names from outside checks them
 * first
 */
export function dimensionPath(meter: Meter, dimension: string): string[] {
  const path = Object.hasOwn(meter.groupBy ?? {}, dimension) ? meter.groupBy?.[dimension] : undefined;
  if (path === undefined) throw new RangeError(`The meter has no dimension ${dimension}.`);
  return pathSegments(path);
}
