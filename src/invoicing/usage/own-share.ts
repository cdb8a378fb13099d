import type { Fraction } from '../../kernel/fraction.ts';
import { microsecondsBetween, type Period } from '../../kernel/time.ts';
import type { UsageSource } from '../../metering/index.ts';

/**
 * The share of a price's time for a figure that does not add up (§3, Plan change: the whole line is scaled). If the
 * customer's usage moves to or from another subscription of the customer inside the period, each of them has its figure
 * for its own time.
 * @param spans the time of the price
 * @param sources the sources of its usage in that time
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
