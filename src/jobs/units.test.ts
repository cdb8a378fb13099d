import { expect, it } from 'vitest';
import type { DueKind, DueRecord } from './due-kind.ts';
import { unitsOf } from './units.ts';

const step = () => Promise.resolve();
const kinds: readonly DueKind[] = [
  { kind: 'invoice', list: { most: 3, steps: () => Promise.resolve([]) }, step },
  { kind: 'session', step },
  { kind: 'letter', list: { most: 2, steps: () => Promise.resolve([]) }, step },
  { kind: 'document', isSlow: true, step },
];

const takenOf = (found: string, drivesClocks = false, takesSlow = true): string[] =>
  unitsOf(due(found), kinds, { drivesClocks, takesSlow }).map((unit) => unit.map(({ id }) => id).join(' '));

/** `invoice:m1` is an invoice of the merchant m1; the due times follow each other. */
const due = (text: string): DueRecord[] =>
  text.split(' ').map((each, index) => {
    const [kind = '', merchantId = ''] = each.split(':');
    return { kind, merchantId, id: String(index), dueAt: Temporal.Instant.fromEpochMilliseconds(index) };
  });

it.each([
  { what: 'records of one merchant', found: 'invoice:a invoice:a', units: ['0 1'] },
  { what: 'no more than their kind allows', found: 'invoice:a invoice:a invoice:a invoice:a', units: ['0 1 2', '3'] },
  { what: 'those of two merchants apart', found: 'invoice:a invoice:b invoice:a invoice:b', units: ['0 2', '1 3'] },
  { what: 'no more than a list may have', found: 'letter:a letter:a letter:a', units: ['0 1', '2'] },
  { what: 'others each by itself', found: 'session:a session:a invoice:a', units: ['0', '1', '2'] },
  {
    what: 'in the order in which they are due',
    found: 'session:a invoice:a session:a invoice:a',
    units: ['0', '1 3', '2'],
  },
  {
    what: 'a few of a slow kind while something else is due',
    found: 'document:a document:a document:a invoice:a document:a document:a document:a invoice:a',
    units: ['0', '1', '2', '3 7', '4'],
  },
  {
    what: 'more of a slow kind while nothing else is due',
    found: 'document:a document:a document:a document:a document:a document:a',
    units: ['0', '1', '2', '3', '4', '5'],
  },
  {
    what: 'not so many of a slow kind that others would wait long',
    found: Array.from({ length: 60 }, () => 'document:a').join(' '),
    units: Array.from({ length: 50 }, (_, index) => String(index)),
  },
])('takes together $what', ({ found, units }) => {
  expect(takenOf(found)).toEqual(units);
});

it('takes one of a slow kind while a test clock is driven', () => {
  expect(takenOf('document:a document:a invoice:a document:a', true)).toEqual(['0', '2']);
});

it('takes none of a slow kind that has not its turn', () => {
  expect(takenOf('document:a invoice:a document:a', false, false)).toEqual(['1']);
});
