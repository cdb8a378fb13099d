import { describe, expect, it } from 'vitest';
import { movedBy, periodAt } from './periods.ts';

describe('movedBy', () => {
  it.each([
    ['2026-01-31T00:00:00Z', 'P1M', 1, '2026-02-28T00:00:00.000Z'],
    ['2026-01-31T00:00:00Z', 'P1M', 2, '2026-03-31T00:00:00.000Z'],
    ['2028-02-29T12:00:00Z', 'P1Y', 1, '2029-02-28T12:00:00.000Z'],
    ['2026-12-30T00:00:00Z', 'P1W', 1, '2027-01-06T00:00:00.000Z'],
    ['2026-03-01T00:00:00Z', 'P14D', -1, '2026-02-15T00:00:00.000Z'],
  ])('%s by %s × %d is %s', (instant, cadence, times, expected) => {
    expect(movedBy(instant, cadence, times)).toBe(expected);
  });
});

describe('periodAt', () => {
  it.each([
    ['2026-01-31T00:00:00Z', 'P1M', '2026-02-28T00:00:00Z', '2026-02-28T00:00:00.000Z', '2026-03-31T00:00:00.000Z'],
    ['2026-01-01T00:00:00Z', 'P1M', '2025-12-31T23:59:59Z', '2025-12-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:00Z', 'P1Y', '2040-05-01T00:00:00Z', '2040-01-01T00:00:00.000Z', '2041-01-01T00:00:00.000Z'],
  ])('from %s by %s at %s', (anchor, cadence, instant, start, end) => {
    expect(periodAt(anchor, cadence, instant)).toEqual({ start, end });
  });
  it('a fee that is charged once has no periods', () => {
    expect(periodAt('2026-01-01T00:00:00Z', 'P0D', '2026-01-01T00:00:00Z')).toBeNull();
  });
});
