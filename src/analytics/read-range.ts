import { type FieldError, invalid, ok, type Result } from '../kernel/result.ts';
import { type Instant, isBefore, parseInstant } from '../kernel/time.ts';
import { type BucketWidth, mostBuckets, type Range } from './buckets.ts';

/** A trend has a value in every bucket, so that a far range in small buckets would have no end. */
const MOST_BUCKETS = 10_000;

/** Reads the range of a report. @param names what the query calls its bounds */
export function readRange(
  { from: start, to: end }: { readonly from: string; readonly to: string },
  width: BucketWidth | undefined,
  names: { readonly to: string },
): Result<Range> {
  const range = { from: parseInstant(start) as Instant, to: parseInstant(end) as Instant }; // the schema has seen to both
  const errors: FieldError[] = [];
  if (!isBefore(range.from, range.to)) errors.push({ field: names.to, message: 'must be after the start' });
  else if (width !== undefined && mostBuckets(width, range) > MOST_BUCKETS)
    errors.push({
      field: 'bucketWidth',
      message: `${width} gives more than ${MOST_BUCKETS.toLocaleString('en')} buckets: take wider buckets or a shorter time`,
    });
  return errors.length > 0 ? invalid(errors) : ok(range);
}

const MOST_DAYS = 1_000;

/** The width of buckets that nobody asked for: days, or months of a long range. */
export const defaultWidth = ({ from, to }: { readonly from: string; readonly to: string }): BucketWidth => {
  const range = { from: parseInstant(from) as Instant, to: parseInstant(to) as Instant };
  return mostBuckets('day', range) > MOST_DAYS ? 'month' : 'day';
};
