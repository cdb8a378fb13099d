import { describe, expect, it } from 'vitest';
import { Parameters } from './parameters.ts';

describe('a list of a statement', () => {
  it.each<{ what: string; values: bigint[] | (string | null)[]; parts: number[] }>([
    { what: 'of nothing', values: [], parts: [0] },
    { what: 'of few numbers', values: [1n, 2n], parts: [2] },
    {
      what: 'of many numbers',
      values: Array.from({ length: 25_000 }, () => 123_456_789n),
      parts: [10_000, 10_000, 5_000],
    },
    {
      what: 'of texts that may all need backslashes',
      values: Array.from({ length: 100 }, () => "'".repeat(1_000)),
      parts: [49, 49, 2],
    },
    { what: 'with one text that is larger than a part', values: ['a', 'x'.repeat(200_000), null], parts: [1, 1, 1] },
  ])('$what is $parts.length parameters', ({ values, parts }) => {
    const parameters = new Parameters();
    const text = parameters.list('each', 'T', values);
    const lists = Object.values(parameters.values) as unknown[][];
    expect(lists.map(({ length }) => length)).toEqual(parts);
    expect(lists.flat()).toEqual(values);
    const names = parts.map((_, index) => `{each_${index}:Array(T)}`);
    expect(text).toBe(names.length === 1 ? names[0] : `arrayConcat(${names.join(', ')})`);
  });
});
