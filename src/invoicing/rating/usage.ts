import { Decimal, sum } from '../../kernel/decimal.ts';

/** The aggregation of a meter (§2 Billable metric). */
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

/** The values of a metric's `groupBy` dimensions; null where an event has none. */
export type GroupValues = Readonly<Record<string, string | null>>;

/** The usage of one combination of group values in one period. */
export interface UsageGroup {
  readonly group: GroupValues;
  readonly quantity: Decimal;
  readonly eventCount: bigint;
  /** What its events come to one by one, for a price on each of them (`EventRule`). Absent: it was not read. */
  readonly ofEach?: Decimal;
}

/**
 * A price on each event by itself: its value × `part` + `fixed`, within the bounds. An event of 0 or less has its part
 * only, at least `most` below 0. The first `free` events in order of time cost nothing (commercial.md §12).
 */
export interface EventRule {
  readonly part: Decimal;
  readonly fixed: Decimal;
  readonly least: Decimal | null;
  readonly most: Decimal | null;
  readonly free: bigint;
}

/** Only usage with one of these values counts, in every dimension that is named (domain.md §2). */
export type GroupFilters = Readonly<Record<string, readonly string[]>>;

/**
 * Do the figures of parts add up to the figure of the whole? The others (an average, a maximum, a distinct count …) are
 * asked from the meter as one figure, and hold for a time rather than happen in it.
 */
export const isAdditive = (aggregation: Aggregation): boolean =>
  isOfEvents(aggregation) || aggregation === 'TIME_WEIGHTED';

/** Is the figure the sum of what its events bring? */
export const isOfEvents = (aggregation: Aggregation): boolean => aggregation === 'SUM' || aggregation === 'COUNT';

/**
 * Do the figures of groups add up to one of all of them? Levels that hold side by side do: three seats here and four
 * there are seven.
 */
const addsOverGroups = (aggregation: Aggregation): boolean => isAdditive(aggregation) || aggregation === 'LATEST';

/**
 * The usage that a price's filters let through. A missing value (null) is never among the values of a filter.
 * @throws for usage that was not grouped by a dimension that is filtered: all of it would silently count as none.
 */
export function filterGroups(groups: readonly UsageGroup[], filters: GroupFilters): UsageGroup[] {
  const dimensions = Object.entries(filters);
  return groups.filter(({ group }) =>
    dimensions.every(([dimension, values]) => {
      const value = group[dimension];
      if (value === undefined) throw new RangeError(`The usage is not grouped by ${dimension}.`);
      return value !== null && values.includes(value);
    }),
  );
}

/**
 * The one quantity of all groups; below 0 it counts as 0 (domain.md §2).
 * @throws for several figures that do not add up.
 */
export function totalQuantity(groups: readonly UsageGroup[], aggregation: Aggregation): Decimal {
  if (groups.length > 1 && !addsOverGroups(aggregation))
    throw new RangeError(
      `${aggregation} of ${groups.length} groups is not the sum of theirs: ask the meter for one figure.`,
    );
  return Decimal.max(0, sum(groups.map((group) => group.quantity)));
}

/** What the events of all groups come to one by one; null where they were not read so. */
export const totalOfEach = (groups: readonly UsageGroup[]): Decimal | null => {
  const read = groups.flatMap(({ ofEach }) => ofEach ?? []);
  return read.length === 0 ? null : sum(read);
};

/** How many events all groups are made of. */
export const totalEvents = (groups: readonly UsageGroup[]): bigint =>
  groups.reduce((total, { eventCount }) => total + eventCount, 0n);
