import type { Fraction } from '../../kernel/fraction.ts';
import { microsecondsBetween, type Period } from '../../kernel/time.ts';
import type { UsageSource } from '../../metering/index.ts';

/**
 * What of the time of a price a figure is for that does not add up (§3, Plan change: the whole line is scaled). Where
 * the customer's usage passes to or from another subscription of the customer inside the period, each of them has its
 * figure for its own time.
 * @param spans the time in which the price holds
 * @param sources whose usage it counts in that time
 * @returns null: for all of it
 */
export function ownShare(
  spans: readonly Period[],
  sources: readonly UsageSource[],
  customerId: string,
): Fraction | null {
  const denominator = sum(spans.map(({ start, end }) => microsecondsBetween(start, end)));
  const own = sources.filter(({ subject }) => subject === customerId);
  const numerator = sum(own.map(({ from, to }) => microsecondsBetween(from, to)));
  return numerator === 0n || numerator === denominator ? null : { numerator, denominator };
}

const sum = (lengths: readonly bigint[]): bigint => lengths.reduce((total, length) => total + length, 0n);
