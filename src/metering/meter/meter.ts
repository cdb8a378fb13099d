import type { Instant } from '../../kernel/time.ts';

/** §2: how the values of the events of a meter become one figure. */
export type Aggregation = 'SUM' | 'COUNT' | 'AVG' | 'MIN' | 'MAX' | 'UNIQUE_COUNT' | 'LATEST';

/**
 * A level is a height that continues until the next event (domain.md §5). All other figures start again with each
 * question.
 */
export const isLevel = ({ aggregation }: Pick<Meter, 'aggregation'>): boolean => aggregation === 'LATEST';

/** The definition of a count (domain.md §1). Metrics and costs have one; metering knows nothing else of them. */
export interface Meter {
  /** Events of this type count; without one, none do. */
  readonly eventType: string | null;
  readonly aggregation: Aggregation;
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
