import { expect, it } from 'vitest';
import { inOrderOfTime } from './line-notes.ts';

const line = (id: string, day: number, appliesToLineId: string | null = null, subscriptionId = 'sub_1') => ({
  ...{ id, appliesToLineId, subscriptionId },
  periodStart: Temporal.Instant.from(`2026-01-0${day}T00:00:00Z`),
});

const orderOf = (kind: 'subscription' | 'grouped' | 'ad_hoc', lines: readonly ReturnType<typeof line>[]) =>
  inOrderOfTime({ kind }, lines).map(({ id }) => id);

it('a billing credit stands behind the line that it pays, and not behind the last line', () => {
  const lines = [line('fee', 1), line('usage', 1), line('true-up', 1), line('credit of fee', 1, 'fee')];
  expect(orderOf('subscription', lines)).toEqual(['fee', 'credit of fee', 'usage', 'true-up']);
});

it('several parts of one line keep their order, and a line of an earlier time comes first', () => {
  const lines = [line('late', 2), line('first', 2, 'late'), line('early', 1), line('second', 2, 'late')];
  expect(orderOf('subscription', lines)).toEqual(['early', 'late', 'first', 'second']);
});

it('a part of a line that is not among them stays', () => {
  expect(orderOf('subscription', [line('one', 1), line('part', 1, 'elsewhere')])).toEqual(['one', 'part']);
});

it('lines of a grouped invoice stay in their sections, those by hand in the order of the request', () => {
  const lines = [line('b', 2, null, 'sub_2'), line('a', 1), line('credit', 2, 'b', 'sub_2')];
  expect(orderOf('grouped', lines)).toEqual(['b', 'credit', 'a']);
  expect(orderOf('ad_hoc', lines)).toEqual(['b', 'a', 'credit']);
});
