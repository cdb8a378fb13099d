import { expect, it } from 'vitest';
import { type SampleWindow, samplesIn } from './samples.ts';

it.each<{ window: SampleWindow; spans: [string, string][]; count: bigint }>([
  { window: 'PT5M', spans: [['2026-01-01T00:00Z', '2026-01-01T01:00Z']], count: 12n },
  { window: 'PT5M', spans: [['2026-01-01T00:01Z', '2026-01-01T01:01Z']], count: 13n },
  { window: 'PT1H', spans: [['2026-01-01T00:30Z', '2026-01-01T00:40Z']], count: 1n },
  { window: 'P1D', spans: [['2026-01-31T23:59Z', '2026-03-01T00:00Z']], count: 29n },
  { window: 'P1D', spans: [['1969-12-31T12:00Z', '1970-01-01T12:00Z']], count: 2n },
  { window: 'PT1H', spans: [], count: 0n },
  {
    // The third hour has a part of both.
    window: 'PT1H',
    spans: [
      ['2026-01-01T00:00Z', '2026-01-01T02:10Z'],
      ['2026-01-01T02:50Z', '2026-01-01T04:00Z'],
    ],
    count: 4n,
  },
  {
    window: 'P1D',
    spans: [
      ['2026-01-01T00:00Z', '2026-01-01T02:00Z'],
      ['2026-01-01T03:00Z', '2026-01-01T04:00Z'],
      ['2026-01-01T05:00Z', '2026-01-02T05:00Z'],
    ],
    count: 2n,
  },
])('windows of $window in $spans: $count', ({ window, spans, count }) => {
  const at = (text: string) => Temporal.Instant.from(text);
  expect(
    samplesIn(
      window,
      spans.map(([start, end]) => ({ start: at(start), end: at(end) })),
    ),
  ).toBe(count);
});
