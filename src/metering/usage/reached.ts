import { type Decimal, decimal, ZERO } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { LevelFrom } from './integrals.ts';

/** The levels of a meter from an instant on, and the microseconds of the unit in which they are counted over time. */
export interface CountedLevels {
  readonly levels: readonly LevelFrom[];
  readonly unit: bigint;
}

/** What lies less than this below the figure has reached it: no instant is cut so finely. */
const NOISE = decimal('1e-15');

/**
 * The first microsecond by which levels have added an amount to a figure over time, from the first level on; null:
 * never. Levels of several meters add up.
 * @param amount above 0
 */
export function whenReached(meters: readonly CountedLevels[], amount: Decimal): Instant | null {
  const units = [...new Set(meters.map(({ unit }) => unit))];
  const common = units.reduce((product, unit) => product * unit, 1n);
  const weighed = meters.map(({ levels, unit }) => ({ levels, weight: decimal(common / unit) }));
  const instants = meters.flatMap(({ levels }) => levels.map(({ at }) => at.epochNanoseconds / 1000n));
  const changes = [...new Set(instants)].toSorted((a, b) => (a < b ? -1 : 1));
  const rateAt = (at: bigint): Decimal =>
    weighed.reduce((rate, { levels, weight }) => {
      const level = levels.findLast((each) => each.at.epochNanoseconds / 1000n <= at)?.level ?? ZERO;
      return rate.plus(level.times(weight));
    }, ZERO);
  let left = amount.times(decimal(common)).minus(NOISE);
  for (const [place, at] of changes.entries()) {
    const rate = rateAt(at);
    const next = changes[place + 1];
    if (rate.gt(0)) {
      const whole = BigInt(left.div(rate).ceil().toFixed());
      const needed = whole > 0n ? whole : 1n;
      if (next === undefined || at + needed <= next)
        return isReachable(at + needed) ? Temporal.Instant.fromEpochNanoseconds((at + needed) * 1000n) : null;
    }
    if (next !== undefined) left = left.minus(rate.times(decimal(next - at)));
  }
  return null;
}

/** No instant lies so far ahead. */
const isReachable = (at: bigint): boolean => at < 8_640_000_000_000_000_000n;
