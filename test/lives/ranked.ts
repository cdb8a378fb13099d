import { ceiling, type Exact, exact, isAbove, read, times } from '../support/exact.ts';
import type { Span } from './history.ts';
import { DAY, HOUR, type Life, type Metric, type Of } from './life.ts';

const LENGTHS = { PT1H: HOUR, PT12H: 12 * HOUR, P1D: DAY } as const;

/**
 * The figure of PERCENTILE (commercial.md §5): of all windows in some spans, each of them with its own figure, the one
 * at the rank from below. Windows lie in UTC; those without events are 0.
 * @param inside the events that count
 * @param time whose windows are counted
 */
export function rankedIn(life: Life, metric: Metric, inside: readonly Of<'use'>[], time: readonly Span[]): Exact {
  const { percentile = '0', sampleWindow = 'P1D', sampleAggregation = 'SUM' } = metric;
  const begin = Date.parse(life.start) / 1000;
  const windowAt = (at: number): number => Math.floor((begin + at) / LENGTHS[sampleWindow]);
  const all = new Set<number>();
  for (const { from, to } of time)
    for (let window = windowAt(from); window <= windowAt(to - 1); window += 1) all.add(window);
  const used = Map.groupBy(inside, ({ at }) => windowAt(at));
  const figures = [...all]
    .map((window) => sampleOf(sampleAggregation, used.get(window) ?? []))
    .toSorted((a, b) => (isAbove(a, b) ? 1 : isAbove(b, a) ? -1 : 0));
  const rank = ceiling(times(times(read(percentile), exact(BigInt(all.size))), exact(1n, 100n)));
  return figures[Number(rank) - 1] ?? exact(0n);
}

function sampleOf(aggregation: NonNullable<Metric['sampleAggregation']>, uses: readonly Of<'use'>[]): Exact {
  const units = uses.map((use) => BigInt(use.units));
  if (units.length === 0) return exact(0n);
  const sum = units.reduce((total, each) => total + each);
  if (aggregation === 'COUNT') return exact(BigInt(units.length));
  if (aggregation === 'MAX') return exact(units.reduce((one, other) => (one > other ? one : other)));
  return aggregation === 'AVG' ? exact(sum, BigInt(units.length)) : exact(sum);
}
