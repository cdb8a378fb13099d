import { earliest, type Instant, isBefore, latest } from '../kernel/time.ts';

export const BUCKET_WIDTHS = ['hour', 'day', 'week', 'month'] as const;
export type BucketWidth = (typeof BUCKET_WIDTHS)[number];

/** A stretch of time, half-open. */
export interface Range {
  readonly from: Instant;
  readonly to: Instant;
}

/** The start of the bucket in UTC that holds an instant. Weeks begin on Monday. */
export function bucketStart(width: BucketWidth, at: Instant): Instant {
  const time = at.toZonedDateTimeISO('UTC');
  if (width === 'hour') return time.round({ smallestUnit: 'hour', roundingMode: 'floor' }).toInstant();
  const day = time.startOfDay();
  if (width === 'month') return day.with({ day: 1 }).toInstant();
  return (width === 'week' ? day.subtract({ days: day.dayOfWeek - 1 }) : day).toInstant();
}

/** The start of the first bucket that does not begin before an instant. */
export function nextBucketStart(width: BucketWidth, at: Instant): Instant {
  const start = bucketStart(width, at);
  return start.equals(at) ? at : bucketEnd(width, start);
}

const bucketEnd = (width: BucketWidth, start: Instant): Instant =>
  start
    .toZonedDateTimeISO('UTC')
    .add({ [`${width}s`]: 1 })
    .toInstant();

/** All buckets of a range in order, the first and the last clipped to it. */
export function bucketsOf(width: BucketWidth, { from, to }: Range): Range[] {
  const buckets: Range[] = [];
  for (let start = bucketStart(width, from); isBefore(start, to); start = bucketEnd(width, start))
    buckets.push({ from: latest(start, from), to: earliest(bucketEnd(width, start), to) });
  return buckets;
}

const SHORTEST_HOURS: Readonly<Record<BucketWidth, number>> = { hour: 1, day: 24, week: 168, month: 672 };

/** About how many buckets a range has, never too few; without looking at each of them. */
export const bucketCount = (width: BucketWidth, { from, to }: Range): number =>
  Math.ceil((to.epochMilliseconds - from.epochMilliseconds) / (SHORTEST_HOURS[width] * 3_600_000)) + 1;
