import { describe, expect, it } from 'vitest';
import { isForPeople, isRepeatable, lookUpAt, nextLookUp } from './look-ups.ts';

const start = Temporal.Instant.from('2026-03-01T00:00:00Z');

describe('look-ups of an unknown outcome', () => {
  it.each([
    { n: 0, after: 'PT1M' },
    { n: 1, after: 'PT5M' },
    { n: 2, after: 'PT30M' },
    { n: 3, after: 'PT2H' },
    { n: 4, after: 'PT12H' },
    { n: 5, after: 'PT24H' },
    { n: 6, after: 'PT48H' },
    { n: 7, after: 'PT72H' },
  ])('number $n is $after after the call', ({ n, after }) =>
    expect(lookUpAt(start, n)).toEqual(start.add(Temporal.Duration.from(after))),
  );

  it('that were missed are left out', () =>
    expect(nextLookUp(start, 0, start.add({ minutes: 30 }))).toEqual({ lookUps: 3, at: start.add({ hours: 2 }) }));

  it.each([
    { n: 5, people: false },
    { n: 6, people: true },
  ])('after $n of them a person must see to it: $people', ({ n, people }) => expect(isForPeople(n)).toBe(people));
});

it('repeats a call only while the provider knows its key', () => {
  expect(isRepeatable(start, start.add({ hours: 22, minutes: 59 }))).toBe(true);
  expect(isRepeatable(start, start.add({ hours: 23 }))).toBe(false);
});
