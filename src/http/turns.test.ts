import { setImmediate as iteration } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { turn } from './turns.ts';

it('lets one of those who wait go on at each turn of the loop, in the order in which they came', async () => {
  const slices: string[] = [];
  const work = async (name: string, count: number) => {
    for (let slice = 1; slice <= count; slice += 1) {
      await turn();
      slices.push(`${name}${slice}`);
    }
  };
  const all = Promise.all([work('a', 2), work('b', 3)]);
  const seen: number[] = [];
  while (slices.length < 5) {
    seen.push(slices.length);
    await iteration();
  }
  await all;
  expect(slices).toEqual(['a1', 'b1', 'a2', 'b2', 'b3']);
  for (const [index, count] of seen.entries()) expect(count - (seen[index - 1] ?? 0)).toBeLessThanOrEqual(1);
});
