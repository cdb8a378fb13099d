import { describe, expect, it } from 'vitest';
import type { Instant } from '../../kernel/time.ts';
import { ownShare } from './own-share.ts';

const day = (n: number): Instant => Temporal.Instant.from('2026-01-01T00:00:00Z').add({ hours: 24 * n });
const DAY = 86_400_000_000n;
const spans = (...days: readonly (readonly [number, number])[]) =>
  days.map(([from, to]) => ({ start: day(from), end: day(to) }));
const sources = (subject: string, ...days: readonly (readonly [number, number])[]) =>
  days.map(([from, to]) => ({ subject, from: day(from), to: day(to) }));

describe('a figure that is for a time', () => {
  it.each([
    {
      what: 'all of it, where the usage is its own throughout',
      held: spans([0, 31]),
      own: sources('cus', [0, 31]),
      share: null,
    },
    { what: 'its own days', held: spans([0, 31]), own: sources('cus', [19, 31]), share: [12n, 31n] },
    {
      what: 'before and after another one',
      held: spans([0, 30]),
      own: sources('cus', [0, 5], [20, 30]),
      share: [15n, 30n],
    },
    {
      what: 'of a price that was away',
      held: spans([0, 10], [20, 30]),
      own: sources('cus', [5, 10], [20, 30]),
      share: [15n, 20n],
    },
    {
      what: 'none of the customer’s: then it is of what names the subscription',
      held: spans([0, 31]),
      own: [],
      share: null,
    },
  ])('is for $what', ({ held, own, share }) => {
    const asked = [...sources('sub', [0, 31]), ...own];
    expect(ownShare(held, asked, 'cus')).toEqual(
      share && { numerator: (share[0] as bigint) * DAY, denominator: (share[1] as bigint) * DAY },
    );
  });
});
