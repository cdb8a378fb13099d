import { expect, it } from 'vitest';
import type { DueRecord } from './due-kind.ts';
import { Rounds } from './rounds.ts';

const record = (id: string, hour = 0): DueRecord => ({
  kind: 'toy',
  merchantId: 'org_1',
  id,
  dueAt: Temporal.Instant.fromEpochMilliseconds(hour * 3_600_000),
});

it('counts the steps of a record at one due time, and starts from 0 at another', () => {
  const rounds = new Rounds();
  expect([rounds.count(record('a')), rounds.count(record('b')), rounds.count(record('a'))]).toEqual([1, 1, 2]);
  expect([rounds.count(record('a', 1)), rounds.count(record('a', 1))]).toEqual([1, 2]);
});

it('forgets a record that has moved on', () => {
  const rounds = new Rounds();
  rounds.count(record('a'));
  rounds.end(record('a'));
  expect(rounds.count(record('a'))).toBe(1);
});

it('notices a record that turns in a circle however many others pass, and has a bound', () => {
  const rounds = new Rounds(3);
  for (let other = 0; other < 1_000; other += 1) {
    rounds.count(record('circling'));
    rounds.count(record(`passing ${other}`));
    rounds.end(record(`passing ${other}`));
  }
  expect(rounds.count(record('circling'))).toBe(1_001);
  for (const id of ['a', 'b', 'c']) rounds.count(record(id));
  expect(rounds.count(record('circling'))).toBe(1);
});
