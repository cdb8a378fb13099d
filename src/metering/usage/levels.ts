import type { Instant } from '../../kernel/time.ts';
import { isLevel, type Meter } from '../meter/meter.ts';
import { byTime, type UsageRow } from '../meter/usage-request.ts';
import { type WindowSize, windowsOf } from '../meter/windows.ts';

/** A figure of a level in a window, and the time and place of the event that has the value. */
export type Stamped = readonly [row: UsageRow, stamp: { readonly at: bigint; readonly seq: bigint }];

/**
 * The windows of a level in which it was set, of each group in the order of time. Whose part of a question begins later
 * brings a level along that may be older than what others set before: then nothing changes there.
 */
export function withoutRepeats(rows: readonly Stamped[]): UsageRow[] {
  const groups = Map.groupBy(rows, ([row]) => groupOf(row));
  return [...groups.values()].flatMap((ofGroup) => {
    let last: Stamped[1] | undefined;
    return ofGroup
      .toSorted(([a], [b]) => byTime(a, b))
      .flatMap(([row, stamp]) => {
        if (last !== undefined && !isLater(stamp, last)) return [];
        last = stamp;
        return [row];
      });
  });
}

/** The key of a row of one cut, beside windows. */
const groupOf = ({ group, customerId }: UsageRow): string => JSON.stringify([Object.entries(group), customerId]);

const isLater = (one: Stamped[1], other: Stamped[1]): boolean =>
  one.at === other.at ? one.seq > other.seq : one.at > other.at;

/**
 * The windows of a question in the answer: a level continues over windows without events; others have only those with
 * events.
 */
export function everyWindow(
  meter: Pick<Meter, 'aggregation'>,
  rows: readonly UsageRow[],
  size: WindowSize,
  { to }: { readonly to: Instant },
): UsageRow[] {
  if (!isLevel(meter)) return [...rows];
  const groups = Map.groupBy(rows, groupOf);
  return [...groups.values()].flatMap((ofGroup) => {
    const set = new Map(ofGroup.map((row) => [row.windowStart?.epochMilliseconds, row]));
    const [first] = ofGroup.toSorted(byTime);
    let level = first as UsageRow;
    return [...windowsOf(size, level.windowStart as Instant, to)].map((window): UsageRow => {
      const row = set.get(window.windowStart.epochMilliseconds);
      level = row ?? level;
      return row ?? { ...level, ...window, eventCount: 0 };
    });
  });
}
