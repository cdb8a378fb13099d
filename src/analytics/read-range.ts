import { type FieldError, invalid, ok, type Result } from '../kernel/result.ts';
import { type InstantText, instantOf, isBefore } from '../kernel/time.ts';
import { type BucketWidth, bucketCount, type Range } from './buckets.ts';

/** A trend has a value in every bucket, so that a far range in small buckets would have no end. */
const MOST_BUCKETS = 10_000;

/** Reads the range of a report. @param to the name of its end in the query */
export function readRange(
  { from: start, to: end }: { readonly from: InstantText; readonly to: InstantText },
  width: BucketWidth | undefined,
  { to: name, mostBuckets: most = MOST_BUCKETS }: { readonly to: string; readonly mostBuckets?: number },
): Result<Range> {
  const range = { from: instantOf(start), to: instantOf(end) };
  const errors: FieldError[] = [];
  if (!isBefore(range.from, range.to)) errors.push({ field: name, message: 'must be after the start' });
  else if (width !== undefined && bucketCount(width, range) > most)
    errors.push({
      field: 'bucketWidth',
      message: `${width} gives more than ${most.toLocaleString('en')} buckets: choose wider buckets or a shorter time`,
    });
  return errors.length > 0 ? invalid(errors) : ok(range);
}

const MOST_DAYS = 1_000;

/** The default width of buckets: days, or months of a long range. */
export const defaultWidth = ({ from, to }: { readonly from: InstantText; readonly to: InstantText }): BucketWidth => {
  const range = { from: instantOf(from), to: instantOf(to) };
  return bucketCount('day', range) > MOST_DAYS ? 'month' : 'day';
};
