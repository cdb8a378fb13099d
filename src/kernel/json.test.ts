import { expect, it } from 'vitest';
import { decimal, jsonNumber } from './decimal.ts';
import { compareText, isJsonObject, sortedEntries } from './json.ts';

it.each([
  { value: {}, is: true },
  { value: { a: 1 }, is: true },
  { value: [], is: false },
  { value: null, is: false },
  { value: 'a', is: false },
  { value: undefined, is: false },
  { value: jsonNumber(decimal(1)), is: false },
])('tells an object from other JSON: $value', ({ value, is }) => {
  expect(isJsonObject(value)).toBe(is);
});

it('orders texts by their code units, capitals first and accents last', () => {
  expect(['b', 'é', 'a', 'Z', 'a'].toSorted(compareText)).toEqual(['Z', 'a', 'a', 'b', 'é']);
});

it('orders fields by their names', () => {
  expect(sortedEntries({ b: 1, a: 2 })).toEqual([
    ['a', 2],
    ['b', 1],
  ]);
});
