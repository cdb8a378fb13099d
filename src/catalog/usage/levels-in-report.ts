import { Decimal, ZERO } from '../../kernel/decimal.ts';
import { earliest, type Instant, isBefore } from '../../kernel/time.ts';
import { byTime, type UsageRow, type WindowSize, windowsOf } from '../../metering/index.ts';
import { type UnitCosts, unitCostAt } from '../costs/unit-cost.ts';
import { type CostPart, NO_VALUE_KEY } from './report-groups.ts';

/** The amount of one cost for one group in one window. */
export interface WindowPart extends CostPart {
  readonly windowStart: Instant;
  readonly windowEnd: Instant;
}

/**
 * By how much a level changed in each window in which it was set. Changes add up over groups and customers, and over
 * time to the level.
 */
export function* changesOf<Row extends UsageRow>(rows: readonly Row[]): Generator<void, Row[]> {
  const changes: Row[] = [];
  for (const ofGroup of Map.groupBy(rows, ({ group, customerId }) => JSON.stringify([group, customerId])).values()) {
    let before = ZERO;
    for (const row of ofGroup.toSorted(byTime)) {
      changes.push({ ...row, value: row.value.minus(before) });
      before = row.value;
      yield;
    }
  }
  return changes;
}

/**
 * The levels of a cost in every window, from the changes of its parts, with the unit cost at the window's end: the cost
 * of work grows with the windows of the groups that are shown, and not with those of all groups that are gathered in
 * one.
 */
export function* heldOver(
  cost: UnitCosts,
  changes: readonly WindowPart[],
  size: WindowSize,
  { from, to }: { readonly from: Instant; readonly to: Instant },
): Generator<void, WindowPart[]> {
  const end = cost.deletedAt ? earliest(to, cost.deletedAt) : to;
  const groups = Map.groupBy(changes, ({ key }) => key ?? NO_VALUE_KEY);
  const windows = groups.size === 0 ? [] : windowsOf(size, from, to).toArray();
  const held: WindowPart[] = [];
  for (const ofGroup of groups.values()) {
    const byStart = Map.groupBy(ofGroup, ({ windowStart }) => windowStart.epochMilliseconds);
    let level: WindowPart | undefined;
    for (const window of windows) {
      for (const change of byStart.get(window.windowStart.epochMilliseconds) ?? [])
        level = { ...change, quantity: Decimal.sum(level?.quantity ?? ZERO, change.quantity) };
      if (level === undefined || !isBefore(window.windowStart, end)) continue;
      const unitCost = unitCostAt(cost, earliest(window.windowEnd, end).subtract({ nanoseconds: 1 }));
      held.push({ ...level, ...window, cost: level.quantity.times(unitCost) });
      yield;
    }
  }
  return held;
}
