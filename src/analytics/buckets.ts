import { earliest, HOURS_PER_DAY, type Instant, isBefore } from '../kernel/time.ts';

export const BUCKET_WIDTHS = ['hour', 'day', 'week', 'month'] as const;
export type BucketWidth = (typeof BUCKET_WIDTHS)[number];

/** A stretch of time, half-open. */
export interface Range {
  readonly from: Instant;
  readonly to: Instant;
}

/** The start of the bucket in UTC that holds an instant. Weeks begin on Monday. */
export const bucketStart = (width: BucketWidth, at: Instant): Instant => startOf(width, numberOf(width, at));

/** The start of the first bucket that does not begin before an instant. */
export function nextBucketStart(width: BucketWidth, at: Instant): Instant {
  const start = bucketStart(width, at);
  return start.equals(at) ? at : startOf(width, numberOf(width, at) + 1);
}

/** All buckets of a range in order, the first and the last clipped to it. */
export function* bucketsOf(width: BucketWidth, { from, to }: Range): Generator<Range, void> {
  let number = numberOf(width, from);
  for (let start = from; isBefore(start, to); number += 1) {
    const end = earliest(startOf(width, number + 1), to);
    yield { from: start, to: end };
    start = end;
  }
}

/** How many buckets a range has, without looking at each of them. */
export const bucketCount = (width: BucketWidth, { from, to }: Range): number =>
  numberOf(width, to.subtract({ nanoseconds: 1 })) - numberOf(width, from) + 1;

const HOUR_MILLISECONDS = 3_600_000;
const DAY_MILLISECONDS = HOURS_PER_DAY * HOUR_MILLISECONDS;
/** From the last Monday before 1970 to its first day. */
const DAYS_BEFORE = 3;

/** Which bucket holds an instant, counted from 1970. */
function numberOf(width: BucketWidth, at: Instant): number {
  const { epochMilliseconds } = at;
  if (width === 'hour') return Math.floor(epochMilliseconds / HOUR_MILLISECONDS);
  const day = Math.floor(epochMilliseconds / DAY_MILLISECONDS);
  if (width === 'day') return day;
  if (width === 'week') return Math.floor((day + DAYS_BEFORE) / 7);
  const { year, month } = at.toZonedDateTimeISO('UTC');
  return year * 12 + month - 1;
}

function startOf(width: BucketWidth, number: number): Instant {
  const { fromEpochMilliseconds } = Temporal.Instant;
  if (width === 'hour') return fromEpochMilliseconds(number * HOUR_MILLISECONDS);
  if (width === 'month')
    return new Temporal.PlainDate(Math.floor(number / 12), (number % 12) + 1, 1).toZonedDateTime('UTC').toInstant();
  return fromEpochMilliseconds((width === 'day' ? number : number * 7 - DAYS_BEFORE) * DAY_MILLISECONDS);
}
