import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBefore } from '../../kernel/time.ts';
import { disjointSources, type UsageSource } from './usage-request.ts';
import { clippedWindow } from './windows.ts';

const at = (hours: number) => Temporal.Instant.from('2026-01-01T00:00:00Z').add({ hours });
const hour = fc.integer({ min: 0, max: 20 });
const sources = fc.array(
  fc
    .record({ subject: fc.constantFrom('cus_a', 'cus_b'), from: hour, to: hour })
    .map(({ subject, from, to }) => ({ subject, from: at(from), to: at(to) })),
  { maxLength: 6 },
);

describe('sources', () => {
  it('hold each moment of a subject once, and the same moments as before', () =>
    fc.assert(
      fc.property(sources, hour, hour, (given, from, to) => {
        const joined = disjointSources(given, at(from), at(to));
        for (const subject of ['cus_a', 'cus_b'])
          for (let moment = 0; moment < 20; moment += 1) {
            const holds = (source: UsageSource) =>
              source.subject === subject && !isBefore(at(moment), source.from) && isBefore(at(moment), source.to);
            const inside = moment >= from && moment < to;
            expect(joined.filter(holds).length).toBe(inside && given.some(holds) ? 1 : 0);
          }
      }),
    ));
});

describe('a window', () => {
  it.each([
    {
      start: '2026-01-01T00:00:00Z',
      size: 'MONTH',
      from: '2026-01-31T12:00:00Z',
      to: '2026-06-01T00:00:00Z',
      is: ['2026-01-31T12:00:00Z', '2026-02-01T00:00:00Z'],
    },
    {
      start: '2024-02-01T00:00:00Z',
      size: 'MONTH',
      from: '2024-01-01T00:00:00Z',
      to: '2024-02-29T00:00:00Z',
      is: ['2024-02-01T00:00:00Z', '2024-02-29T00:00:00Z'],
    },
    {
      start: '2024-02-29T00:00:00Z',
      size: 'DAY',
      from: '2024-01-01T00:00:00Z',
      to: '2025-01-01T00:00:00Z',
      is: ['2024-02-29T00:00:00Z', '2024-03-01T00:00:00Z'],
    },
    {
      start: '2026-01-01T05:00:00Z',
      size: 'HOUR',
      from: '2026-01-01T05:20:00Z',
      to: '2026-01-01T05:40:00Z',
      is: ['2026-01-01T05:20:00Z', '2026-01-01T05:40:00Z'],
    },
    {
      start: '2026-01-01T05:07:00Z',
      size: 'MINUTE',
      from: '2026-01-01T00:00:00Z',
      to: '2026-02-01T00:00:00Z',
      is: ['2026-01-01T05:07:00Z', '2026-01-01T05:08:00Z'],
    },
  ] as const)('of a $size from $start is clipped to $from … $to', ({ start, size, from, to, is }) => {
    const instant = (text: string) => Temporal.Instant.from(text);
    const window = clippedWindow(instant(start), size, instant(from), instant(to));
    expect([window.windowStart.toString(), window.windowEnd.toString()]).toEqual(is);
  });
});
