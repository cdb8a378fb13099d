import { describe, expect, it } from 'vitest';
import { decimal, sum } from '../../kernel/decimal.ts';
import type { UsageRow } from '../../metering/index.ts';
import { seriesOf } from './usage-series.ts';

/** Ten models: m0 with 10 on the first day, m1 with 9, and so on; m9 with 1 more on the second. */
const STARTS = [0, 86_400_000];
const at = (start: number) => Temporal.Instant.fromEpochMilliseconds(start);
const row = (model: string, value: string, start?: number): UsageRow => ({
  ...{ group: { model }, value: decimal(value), eventCount: 1 },
  ...(start !== undefined && { windowStart: at(start) }),
});
const MODELS = Array.from({ length: 10 }, (_, index) => `m${index}`);
const byGroup = MODELS.map((model, index) => row(model, String(index === 9 ? 2 : 10 - index)));
const byWindow = [...MODELS.map((model, index) => row(model, String(10 - index), 0)), row('m9', '1', STARTS[1])];

describe('the groups of a metric', () => {
  it('are the largest first, and the remainder is one; nothing is lost', () => {
    const series = seriesOf('SUM', [byGroup, byWindow], STARTS);
    expect(series.map(({ name }) => name)).toEqual([...MODELS.slice(0, 7).map((model) => `model: ${model}`), null]);
    expect(series.at(-1)?.groups).toHaveLength(3);
    for (const { value, days } of series) expect(sum(days ?? []).toFixed()).toBe(value.toFixed());
    expect(sum(series.map(({ value }) => value)).toFixed()).toBe(sum(byGroup.map(({ value }) => value)).toFixed());
  });

  it('have no bars where they do not add up', () => {
    const series = seriesOf('UNIQUE_COUNT', [byGroup, byWindow], STARTS);
    expect(series).toHaveLength(10);
    expect(series.every(({ days }) => days === null)).toBe(true);
  });
});
