import type { Aggregation } from '../../catalog/index.ts';
import { type Decimal, sum, ZERO } from '../../kernel/decimal.ts';
import type { UsageRow } from '../../metering/index.ts';
import { MOST_SERIES } from '../frame/chart.ts';
import { groupInWords } from '../frame/lines.ts';

/** The group of some usage: the values of its dimensions. */
export type Group = UsageRow['group'];

/** A group of a metric's usage, or the remainder of many. */
export interface Series {
  /** `model: atlas-4 · kind: output`; null for the remainder. */
  readonly name: string | null;
  readonly groups: readonly Group[];
  readonly value: Decimal;
  /** A value for each window; null where groups do not add up, so that no bar can be made of them. */
  readonly days: readonly Decimal[] | null;
}

/** Figures whose groups add up to the whole. */
const ADDED_UP: ReadonlySet<Aggregation> = new Set(['SUM', 'COUNT']);

const keyOf = (group: Group): string => JSON.stringify(group);

/**
 * The groups of a period, the largest first. Those beyond what a chart can tell apart are one remainder, where groups
 * add up; else they are left out.
 * @param measured by group, and by group and window
 * @param starts of the windows, in milliseconds
 */
export function seriesOf(
  aggregation: Aggregation,
  [byGroup = [], byWindow = []]: readonly (readonly UsageRow[])[],
  starts: readonly number[],
): Series[] {
  const isAdded = ADDED_UP.has(aggregation);
  const places = new Map(starts.map((start, place) => [start, place]));
  const daysOf = new Map<string, Decimal[]>();
  for (const { group, windowStart, value } of byWindow) {
    const days = daysOf.get(keyOf(group)) ?? starts.map(() => ZERO);
    days[places.get((windowStart as Temporal.Instant).epochMilliseconds) as number] = value;
    daysOf.set(keyOf(group), days);
  }
  const all = byGroup
    .toSorted((one, other) => other.value.comparedTo(one.value) || (keyOf(one.group) < keyOf(other.group) ? -1 : 1))
    .map(
      ({ group, value }): Series => ({
        name: groupInWords(group).join(' · '),
        groups: [group],
        value,
        days: isAdded ? (daysOf.get(keyOf(group)) ?? starts.map(() => ZERO)) : null,
      }),
    );
  if (all.length <= MOST_SERIES || !isAdded) return all.slice(0, MOST_ROWS_OF_GROUPS);
  const [shown, rest] = [all.slice(0, MOST_SERIES - 1), all.slice(MOST_SERIES - 1)];
  return [
    ...shown,
    {
      name: null,
      groups: rest.flatMap(({ groups }) => groups),
      value: sum(rest.map(({ value }) => value)),
      days: starts.map((_, place) => sum(rest.map(({ days }) => days?.[place] ?? ZERO))),
    },
  ];
}

const MOST_ROWS_OF_GROUPS = 50;
