import { describe, expect, it } from 'vitest';
import { ageOf, type Beat, withBeat } from './age.ts';

const at = (second: number): Temporal.Instant => Temporal.Instant.fromEpochMilliseconds(second * 1_000);
const beat = (second: number, begunAt: number): Beat => ({ beatenAt: at(second), begunAt });
const beats = [beat(10, 1_000), beat(11, 2_000), beat(13, 3_000)];

describe('the age of data', () => {
  it.each([
    { what: 'with the last beat', seen: 13, age: 500 },
    { what: 'with a beat of another process after it', seen: 14, age: 500 },
    { what: 'with the beat before it', seen: 11, age: 1_500 },
    { what: 'with a beat of another process between the two', seen: 12, age: 1_500 },
    { what: 'with the oldest beat', seen: 10, age: 2_500 },
    { what: 'without any of them', seen: 9, age: null },
  ])('$what is $age', ({ seen, age }) => expect(ageOf(beats, at(seen), 3_500)).toBe(age));

  it('is unknown before the first beat', () => expect(ageOf([], at(9), 3_500)).toBeNull());

  it('grows while an idle primary is out of reach', () => expect(ageOf(beats, at(13), 63_000)).toBe(60_000));
});

describe('beats', () => {
  it('are kept for a time', () =>
    expect(withBeat(beats, beat(14, 4_000), 2_000)).toEqual([...beats.slice(1), beat(14, 4_000)]));

  it.each([13, 12])('begin anew on a primary that lost some', (second) =>
    expect(withBeat(beats, beat(second, 4_000), 60_000)).toEqual([beat(second, 4_000)]),
  );
});
