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
export function* withoutRepeats(rows: readonly Stamped[]): Generator<void, UsageRow[]> {
  const kept: UsageRow[] = [];
  for (const ofGroup of Map.groupBy(rows, ([row]) => groupOf(row)).values()) {
    let last: Stamped[1] | undefined;
    for (const [row, stamp] of ofGroup.toSorted(([a], [b]) => byTime(a, b))) {
      if (last !== undefined && !isLater(stamp, last)) continue;
      last = stamp;
      kept.push(row);
    }
    yield;
  }
  return kept;
}

/** The key of a row of one cut, beside windows. */
const groupOf = ({ group, customerId }: UsageRow): string => JSON.stringify([Object.entries(group), customerId]);

const isLater = (one: Stamped[1], other: Stamped[1]): boolean =>
  one.at === other.at ? one.seq > other.seq : one.at > other.at;

/**
 * The windows of a question in the answer: a level continues over windows without events; others have only those with
 * events.
 */
export function* everyWindow(
  meter: Pick<Meter, 'aggregation'>,
  rows: readonly UsageRow[],
  size: WindowSize,
  { to }: { readonly to: Instant },
): Generator<void, UsageRow[]> {
  if (!isLevel(meter)) return [...rows];
  const every: UsageRow[] = [];
  for (const ofGroup of Map.groupBy(rows, groupOf).values()) {
    const set = new Map(ofGroup.map((row) => [row.windowStart?.epochMilliseconds, row]));
    const [first] = ofGroup.toSorted(byTime);
    let level = first as UsageRow;
    for (const window of windowsOf(size, level.windowStart as Instant, to)) {
      const row = set.get(window.windowStart.epochMilliseconds);
      level = row ?? level;
      every.push(row ?? { ...level, ...window, eventCount: 0 });
      yield;
    }
  }
  return every;
}
