import { earliest, isBefore, latest } from '../kernel/time.ts';
import { type BucketWidth, bucketStart, nextBucketStart, type Range } from './buckets.ts';

/** Of which length a kept sum is. */
export type Grain = 'hour' | 'day' | 'month';

/** The way to read a range: from sums for its whole buckets, and from facts at its edges. */
export interface Cover {
  readonly sums: readonly (Range & { readonly grain: Grain })[];
  readonly facts: readonly Range[];
  /** The time of all sums together; null where there are none. */
  readonly summed: Range | null;
}

/**
 * Covers a range with the longest sums that lie in it, each instant once. Pure.
 * @param grains longest first; the sums of one are whole numbers of those of the next
 */
export function coverOf(range: Range, grains: readonly Grain[]): Cover {
  const [grain, ...finer] = grains;
  if (grain === undefined) return { sums: [], facts: isBefore(range.from, range.to) ? [range] : [], summed: null };
  const whole = wholeOf(grain, range);
  if (whole === null) return coverOf(range, finer);
  const before = coverOf({ from: range.from, to: whole.from }, finer);
  const after = coverOf({ from: whole.to, to: range.to }, finer);
  return {
    sums: [...before.sums, { ...whole, grain }, ...after.sums],
    facts: [...before.facts, ...after.facts],
    summed: [before.summed, whole, after.summed].reduce(together, null),
  };
}

const wholeOf = (width: BucketWidth, { from, to }: Range): Range | null => {
  const whole = { from: nextBucketStart(width, from), to: bucketStart(width, to) };
  return isBefore(whole.from, whole.to) ? whole : null;
};

const together = (one: Range | null, other: Range | null): Range | null =>
  one === null || other === null
    ? (one ?? other)
    : { from: earliest(one.from, other.from), to: latest(one.to, other.to) };
