import { describe, expect, it } from 'vitest';
import { decimal } from '../../kernel/decimal.ts';
import { whenReached } from './reached.ts';

const HOUR = 3_600_000_000n;
const DAY = 24n * HOUR;
/** Levels by the microsecond at which they begin. */
const meter = (levels: Readonly<Record<string, string>>, unit = HOUR) => ({
  unit,
  levels: Object.entries(levels).map(([at, level]) => ({
    at: Temporal.Instant.fromEpochNanoseconds(BigInt(at) * 1000n),
    level: decimal(level),
  })),
});
const reached = (meters: ReturnType<typeof meter>[], amount: string) => {
  const at = whenReached(meters, decimal(amount));
  return at === null ? null : at.epochNanoseconds / 1000n;
};

describe('an amount over time is reached', () => {
  it.each([
    { what: 'at a constant level', meters: [meter({ 0: '4' })], amount: '100', at: 25n * HOUR },
    { what: 'at the next microsecond', meters: [meter({ 0: '7' })], amount: '10', at: 5_142_857_143n },
    { what: 'after three thirds', meters: [meter({ 0: '3' })], amount: '1', at: HOUR / 3n },
    { what: 'by a level to come', meters: [meter({ 0: '0', 5: '2' })], amount: '2', at: HOUR + 5n },
    {
      what: 'by what a level adds before it ends',
      meters: [meter({ 0: '1', [`${HOUR}`]: '0', [`${2n * HOUR}`]: '1' })],
      amount: '1.5',
      at: (5n * HOUR) / 2n,
    },
    { what: 'at the end of a level', meters: [meter({ 0: '1', [`${HOUR}`]: '0' })], amount: '1', at: HOUR },
    {
      what: 'after what a level below 0 takes back',
      meters: [meter({ 0: '-1', [`${HOUR}`]: '2' })],
      amount: '1',
      at: 2n * HOUR,
    },
    {
      what: 'by hours and days together', // 1 + 1 an hour
      meters: [meter({ 0: '24' }, DAY), meter({ 0: '1' }, HOUR)],
      amount: '24',
      at: 12n * HOUR,
    },
    { what: 'never without a level', meters: [meter({ 0: '0' })], amount: '1', at: null },
    { what: 'never once it has ended', meters: [meter({ 0: '1', [`${HOUR}`]: '0' })], amount: '1.1', at: null },
    { what: 'never that far ahead', meters: [meter({ 0: '0.000000000001' })], amount: '1000000000', at: null },
  ])('$what', ({ meters, amount, at }) => expect(reached(meters, amount)).toBe(at));
});
