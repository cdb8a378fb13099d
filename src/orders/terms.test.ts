import { describe, expect, it } from 'vitest';
import { parseInstant } from '../kernel/time.ts';
import { leftOutside, lineTermProblems, termProblems } from './terms.ts';

const at = (date: string | null) => (date === null ? null : parseInstant(`${date}T00:00:00Z`));
const term = (start: string, end: string) => ({
  termStartDate: at(start) as Temporal.Instant,
  termEndDate: at(end) as Temporal.Instant,
});
const ORDER = term('2026-01-31', '2027-01-31');

describe('the term of an order', () => {
  it.each([
    { start: '2026-01-31', end: '2026-02-01', wrong: [] },
    { start: '2026-01-31', end: '2026-01-31', wrong: ['termEndDate'] },
    { start: '2026-01-31', end: '2026-01-30', wrong: ['termEndDate'] },
  ])('from $start to $end is wrong in $wrong', ({ start, end, wrong }) => {
    expect(termProblems(term(start, end)).map(({ field }) => field)).toEqual(wrong);
  });
});

describe('the term of a line', () => {
  it.each([
    { start: null, end: null, wrong: [] },
    { start: '2026-01-31', end: '2027-01-31', wrong: [] },
    { start: '2026-02-28', end: null, wrong: [] },
    { start: null, end: '2026-02-28', wrong: [] },
    { start: '2026-01-30', end: null, wrong: ['termStartDate'] },
    { start: null, end: '2027-02-01', wrong: ['termEndDate'] },
    { start: '2026-01-30', end: '2027-02-01', wrong: ['termStartDate', 'termEndDate'] },
    { start: '2027-02-01', end: '2027-03-01', wrong: ['termStartDate', 'termEndDate'] },
    { start: '2026-06-01', end: '2026-06-01', wrong: ['termEndDate'] },
    { start: '2026-06-02', end: '2026-06-01', wrong: ['termEndDate'] },
    { start: '2027-01-31', end: null, wrong: ['termStartDate'] }, // no amount is left
    { start: null, end: '2026-01-31', wrong: ['termEndDate'] },
  ])('from $start to $end is wrong in $wrong', ({ start, end, wrong }) => {
    const problems = lineTermProblems({ termStartDate: at(start), termEndDate: at(end) }, ORDER, 'lineItems.0.');
    expect(problems.map(({ field }) => field)).toEqual(wrong.map((name) => `lineItems.0.${name}`));
  });
});

it('a new term of the order names, once for each end, that it leaves lines outside', () => {
  const line = (id: string, start: string | null, end: string | null) => ({
    id,
    termStartDate: at(start),
    termEndDate: at(end),
  });
  const lines = [
    line('oli_a', null, null),
    line('oli_b', '2026-02-28', '2026-12-31'),
    line('oli_c', '2026-03-01', null),
  ];
  expect(leftOutside(lines, ORDER)).toEqual([]);
  expect(leftOutside(lines, term('2026-02-28', '2026-12-31'))).toEqual([]);
  expect(leftOutside(lines, term('2026-03-02', '2026-06-01')).map(({ field }) => field)).toEqual([
    'termStartDate',
    'termEndDate',
  ]);
});
