import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { compareAtRandom, compareFiles, LONGEST, type TestFile } from '../support/sequencer.ts';

const [longest, second] = LONGEST as [string, string];

it('files with a process of their own run first, then the longest, then the largest', () => {
  const files: TestFile[] = [
    { path: 'small.test.ts', bytes: 1, isolate: false },
    { path: 'large.test.ts', bytes: 9, isolate: false },
    { path: second, bytes: 1, isolate: false },
    { path: longest, bytes: 1, isolate: false },
    { path: 'b.test.ts', bytes: 1, isolate: true },
    { path: 'a.test.ts', bytes: 1, isolate: true },
  ];
  expect(files.toSorted(compareFiles).map(({ path }) => path)).toEqual([
    'a.test.ts',
    'b.test.ts',
    longest,
    second,
    'large.test.ts',
    'small.test.ts',
  ]);
});

it.each(LONGEST)('%s, which is said to take long, is there', (path) => expect(existsSync(path)).toBe(true));

it('a random order has every file once, is the same for one seed, and another for another seed', () => {
  const files = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((path) => ({ path, bytes: 1, isolate: path < 'c' }));
  const order = (seed: number) =>
    files
      .toSorted(compareAtRandom(seed))
      .map(({ path }) => path)
      .join('');
  expect([...order(1)].toSorted().join('')).toBe('abcdefgh');
  expect([order(1), order(1) === order(2)]).toEqual([order(1), false]);
});
