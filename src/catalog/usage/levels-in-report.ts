import { Decimal, ZERO } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { type WindowSize, windowsOf } from '../../metering/index.ts';
import { type CostPart, NO_VALUE_KEY } from './report-groups.ts';

/** The amount of one cost for one group in one window. */
export interface WindowPart extends CostPart {
  readonly windowStart: Instant;
  readonly windowEnd: Instant;
}

/**
 * The levels of a report in every window, from the changes of its parts: the cost of work grows with the windows of the
 * groups that are shown, and not with those of all groups that are gathered in one.
 */
export function heldOver(
  changes: readonly WindowPart[],
  size: WindowSize,
  { from, to }: { readonly from: Instant; readonly to: Instant },
): WindowPart[] {
  const groups = Map.groupBy(changes, ({ key }) => key ?? NO_VALUE_KEY);
  const windows = groups.size === 0 ? [] : [...windowsOf(size, from, to)];
  return [...groups.values()].flatMap((ofGroup) => {
    const byStart = Map.groupBy(ofGroup, ({ windowStart }) => windowStart.epochMilliseconds);
    let level: WindowPart | undefined;
    return windows.flatMap((window): WindowPart[] => {
      for (const change of byStart.get(window.windowStart.epochMilliseconds) ?? [])
        level = {
          ...change,
          quantity: Decimal.sum(level?.quantity ?? ZERO, change.quantity),
          cost: Decimal.sum(level?.cost ?? ZERO, change.cost),
        };
      return level === undefined ? [] : [{ ...level, ...window }];
    });
  });
}
