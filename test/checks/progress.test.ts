import { expect, it } from 'vitest';
import { describeProgress, isLineDue } from '../support/progress.ts';

it('a run says the files that are done of all, and the seconds', () => {
  expect(describeProgress(120, 434, 61_400)).toBe('120 of 434 test files done, 61 s');
});

it.each([
  { all: 434, lines: 20 },
  { all: 40, lines: 20 },
  { all: 19, lines: 19 },
  { all: 1, lines: 1 },
])('a run of $all files prints $lines lines, the last one at its end', ({ all, lines }) => {
  const due = Array.from({ length: all }, (_, index) => index + 1).filter((done) => isLineDue(done, all));
  expect(due).toHaveLength(lines);
  expect(due.at(-1)).toBe(all);
});
