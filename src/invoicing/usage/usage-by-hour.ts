import { sum } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { UsageRow } from '../../metering/index.ts';
import { type GroupValues, modelOf, type Pricing } from '../rating/index.ts';

/** The usage of an hour; of a level from when it was set until it was set again. */
export interface HourOfUsage {
  readonly from: Instant;
  readonly to: Instant;
  readonly value: UsageRow['value'];
  readonly eventCount: number;
}

/** The rows of a price that one of its lines charges: all of them, or those of its group. */
export function rowsOfLine(pricing: Pricing, group: GroupValues | null, rows: readonly UsageRow[]): UsageRow[] {
  const { byGroup } = modelOf(pricing);
  return rows.filter((row) => byGroup?.isCharged(pricing.properties, row.group, group ?? {}) ?? true);
}

/**
 * The usage of some groups together, hour by hour, in order of time.
 * @param levelsUntil given where the groups are levels, which add up: each holds until its next hour, the last until
 *   here
 */
export function usageByHour(rows: readonly UsageRow[], levelsUntil: Instant | null): HourOfUsage[] {
  const hours = Map.groupBy(rows, ({ windowStart }) => (windowStart as Instant).epochNanoseconds);
  const ordered = [...hours.values()].toSorted((a, b) => Temporal.Instant.compare(startOf(a), startOf(b)));
  const levels = new Map<string, UsageRow['value']>();
  return ordered.map((those, index) => {
    for (const { group, value } of those) levels.set(JSON.stringify(Object.entries(group)), value);
    const next = ordered[index + 1];
    return {
      from: startOf(those),
      ...(levelsUntil === null
        ? { to: endOf(those), value: sum(those.map(({ value }) => value)) }
        : { to: next ? startOf(next) : levelsUntil, value: sum([...levels.values()]) }),
      eventCount: those.reduce((total, { eventCount }) => total + eventCount, 0),
    };
  });
}

const startOf = ([row]: readonly UsageRow[]): Instant => row?.windowStart as Instant;
const endOf = ([row]: readonly UsageRow[]): Instant => row?.windowEnd as Instant;
