import { expect, it } from 'vitest';
import { intersect, lengthOf, subtract } from './spans.ts';
import type { Period } from './time.ts';

const day = (number: number) => Temporal.Instant.from('2026-01-01T00:00:00Z').add({ hours: 24 * (number - 1) });
/** `1-5 8-9`: from the first day to the fifth, and from the eighth to the ninth. */
const spans = (text: string): Period[] =>
  text
    .split(' ')
    .filter((each) => each !== '')
    .map((each) => {
      const [start, end] = each.split('-').map(Number) as [number, number];
      return { start: day(start), end: day(end) };
    });
const shown = (list: readonly Period[]) =>
  list
    .map(({ start, end }) =>
      [start, end].map((at) => Number(lengthOf([{ start: day(1), end: at }]) / DAY) + 1).join('-'),
    )
    .join(' ');
const DAY = 86_400_000_000n;

it.each([
  { some: '1-5', others: '3-8', both: '3-5', left: '1-3' },
  { some: '1-9', others: '2-3 5-6', both: '2-3 5-6', left: '1-2 3-5 6-9' },
  { some: '1-5', others: '5-8', both: '', left: '1-5' },
  { some: '3-5', others: '1-8', both: '3-5', left: '' },
  { some: '1-3 4-6', others: '2-5', both: '2-3 4-5', left: '1-2 5-6' },
  { some: '1-5', others: '', both: '', left: '1-5' },
  { some: '', others: '1-5', both: '', left: '' },
])('$some and $others have $both in common; without it $left is left', ({ some, others, both, left }) => {
  expect(shown(intersect(spans(some), spans(others)))).toBe(both);
  expect(shown(subtract(spans(some), spans(others)))).toBe(left);
  expect(lengthOf(intersect(spans(some), spans(others))) + lengthOf(subtract(spans(some), spans(others)))).toBe(
    lengthOf(spans(some)),
  );
});

it('of no spans is no time', () => expect(lengthOf([])).toBe(0n));
