import { type Instant, isBefore } from '../kernel/time.ts';

/** Half-open. */
export interface Interval {
  readonly from: Instant;
  readonly to: Instant;
}

/** An interval as the full hours in it and what is left before and after them. */
export function hoursOf({ from, to }: Interval): { full: Interval | null; rest: Interval[] } {
  const first = from.round({ smallestUnit: 'hour', roundingMode: 'ceil' });
  const last = to.round({ smallestUnit: 'hour', roundingMode: 'floor' });
  if (!isBefore(first, last)) return { full: null, rest: isBefore(from, to) ? [{ from, to }] : [] };
  const rest = [
    { from, to: first },
    { from: last, to },
  ].filter((each) => isBefore(each.from, each.to));
  return { full: { from: first, to: last }, rest };
}
