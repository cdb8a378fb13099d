import { checkFigures } from '../http/index.ts';
import { invalidField, ok, type Result } from '../kernel/result.ts';
import { type InstantText, instantOf, isBefore } from '../kernel/time.ts';
import { type BucketWidth, bucketCount, type Range } from './buckets.ts';

/**
 * Reads the range of a report.
 * @param asked `to`: the name of its end in the query; `groups`: how many of them a trend has
 */
export function readRange(
  { from: start, to: end }: { readonly from: InstantText; readonly to: InstantText },
  width: BucketWidth | undefined,
  { to: name, groups }: { readonly to: string; readonly groups?: number },
): Result<Range> {
  const range = { from: instantOf(start), to: instantOf(end) };
  if (!isBefore(range.from, range.to)) return invalidField(name, 'must be after the start');
  const checked = width === undefined ? ok(null) : checkBuckets(range, width, groups);
  return checked.ok ? ok(range) : checked;
}

/** Limits the buckets of an answer, also those without figures. */
export const checkBuckets = (range: Range, width: BucketWidth, groups = 1): Result<null> =>
  checkFigures('bucketWidth', width, { windows: bucketCount(width, range), groups });

const MOST_DAYS = 1_000;

/** The default width of buckets: days, or months of a long range. */
export const defaultWidth = ({ from, to }: { readonly from: InstantText; readonly to: InstantText }): BucketWidth => {
  const range = { from: instantOf(from), to: instantOf(to) };
  return bucketCount('day', range) > MOST_DAYS ? 'month' : 'day';
};
