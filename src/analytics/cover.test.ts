import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUCKET_WIDTHS, bucketCount, bucketStart, bucketsOf, type Range } from './buckets.ts';
import { coverOf, type Grain } from './cover.ts';

const at = (text: string) => Temporal.Instant.from(text);
const range = (from: string, to: string): Range => ({ from: at(from), to: at(to) });
const shown = ({ from, to }: Range) => `${from} ${to}`;

const instant = fc
  .integer({ min: 0, max: 400 * 24 * 3600 })
  .map((seconds) => at('2026-01-01T00:00:00Z').add({ seconds }));
const anyRange = fc
  .tuple(instant, instant)
  .filter(([a, b]) => !a.equals(b))
  .map(([a, b]): Range => (Temporal.Instant.compare(a, b) < 0 ? { from: a, to: b } : { from: b, to: a }));

describe('buckets', () => {
  it.each([
    { width: 'hour', start: '2026-03-04T10:00:00Z' },
    { width: 'day', start: '2026-03-04T00:00:00Z' },
    { width: 'week', start: '2026-03-02T00:00:00Z' }, // a Monday
    { width: 'month', start: '2026-03-01T00:00:00Z' },
  ] as const)('of a $width begin in UTC', ({ width, start }) =>
    expect(bucketStart(width, at('2026-03-04T10:20:30.5Z')).toString()).toBe(start),
  );

  it('are cut to the range', () =>
    expect([...bucketsOf('week', range('2026-03-01T12:00:00Z', '2026-03-10T00:00:00Z'))].map(shown)).toEqual([
      '2026-03-01T12:00:00Z 2026-03-02T00:00:00Z',
      '2026-03-02T00:00:00Z 2026-03-09T00:00:00Z',
      '2026-03-09T00:00:00Z 2026-03-10T00:00:00Z',
    ]));

  it('tile the range, and are as many as were counted', () =>
    fc.assert(
      fc.property(anyRange, fc.constantFrom(...BUCKET_WIDTHS), (whole, width) => {
        fc.pre(bucketCount(width, whole) < 2_000);
        const buckets = [...bucketsOf(width, whole)];
        expect(buckets).toHaveLength(bucketCount(width, whole));
        expectTiled(buckets, whole);
      }),
    ));
});

describe('a cover', () => {
  it('takes the longest sums, and facts at the edges', () => {
    const cover = coverOf(range('2026-01-30T22:30:00Z', '2026-02-02T01:00:00Z'), ['day', 'hour']);
    expect(cover.sums.map((each) => `${each.grain} ${shown(each)}`)).toEqual([
      'hour 2026-01-30T23:00:00Z 2026-01-31T00:00:00Z',
      'day 2026-01-31T00:00:00Z 2026-02-02T00:00:00Z',
      'hour 2026-02-02T00:00:00Z 2026-02-02T01:00:00Z',
    ]);
    expect(cover.facts.map(shown)).toEqual(['2026-01-30T22:30:00Z 2026-01-30T23:00:00Z']);
    expect(cover.summed && shown(cover.summed)).toBe('2026-01-30T23:00:00Z 2026-02-02T01:00:00Z');
  });

  it('of less than an hour has facts alone', () =>
    expect(coverOf(range('2026-01-01T00:10:00Z', '2026-01-01T01:50:00Z'), ['day', 'hour'])).toMatchObject({
      sums: [],
      summed: null,
      facts: [{}],
    }));

  const GRAINS: readonly (readonly Grain[])[] = [['day', 'hour'], ['hour'], ['month']];
  it('holds each instant of the range once, and sums that lie in it whole', () =>
    fc.assert(
      fc.property(anyRange, fc.constantFrom(...GRAINS), (whole, grains) => {
        const { sums, facts, summed } = coverOf(whole, grains);
        expectTiled(
          [...sums, ...facts].toSorted((a, b) => Temporal.Instant.compare(a.from, b.from)),
          whole,
        );
        if (summed !== null) expectTiled(sums, summed);
        for (const { grain, from, to } of sums)
          expect([bucketStart(grain, from), bucketStart(grain, to)].map(String)).toEqual([from, to].map(String));
      }),
    ));
});

function expectTiled(parts: readonly Range[], whole: Range): void {
  expect(parts[0]?.from.toString()).toBe(whole.from.toString());
  expect(parts.at(-1)?.to.toString()).toBe(whole.to.toString());
  for (const [index, part] of parts.entries())
    if (index > 0) expect(part.from.toString()).toBe(parts[index - 1]?.to.toString());
}
