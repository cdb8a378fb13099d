import { type Instant, isBefore } from '../../kernel/time.ts';

/** Half-open. */
export interface Interval {
  readonly from: Instant;
  readonly to: Instant;
}

/**
 * Time beside the full hours: `1` where it is asked about and in none of them, `-1` where one of them holds it and it
 * is not, `0` where it lies before what is asked about and only its level goes on.
 */
export interface Remainder extends Interval {
  readonly sign: 1 | -1 | 0;
}

/**
 * An interval as full hours and what is left before and after them. Where what counts can be taken away again, the
 * hours are the nearest ones: so there is never more than half an hour left at an end.
 */
export function hoursOf(
  { from, to }: Interval,
  canTakeAway: boolean,
): { readonly full: Interval | null; readonly remainder: readonly Remainder[] } {
  const first = from.round({ smallestUnit: 'hour', roundingMode: canTakeAway ? 'halfExpand' : 'ceil' });
  const last = to.round({ smallestUnit: 'hour', roundingMode: canTakeAway ? 'halfExpand' : 'floor' });
  if (!isBefore(first, last)) return { full: null, remainder: isBefore(from, to) ? [{ from, to, sign: 1 }] : [] };
  return {
    full: { from: first, to: last },
    remainder: [...remainderBetween(from, first), ...remainderBetween(last, to)],
  };
}

/** Between the ends of the question and of its full hours; subtracted if the hours come first. */
function remainderBetween(one: Instant, other: Instant): Remainder[] {
  if (isBefore(one, other)) return [{ from: one, to: other, sign: 1 }];
  return isBefore(other, one) ? [{ from: other, to: one, sign: -1 }] : [];
}
