import { describe, expect, it } from 'vitest';
import type { LineWorkings } from './document.ts';
import { notesOf } from './line-notes.ts';

const DAY = 86_400;
const days = (part: number, whole: number) => ({ part: `${part * DAY}`, whole: `${whole * DAY}` });
const credit = {
  ...{ invoiceNumber: 'INV-000012', from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' },
  ...{ billed: '397', share: days(17, 31), amount: '217.71', before: '0' },
};

describe('the notes of a line', () => {
  it.each<{ notes: string[]; workings: LineWorkings | null; fields?: object; currency?: string }>([
    { workings: null, notes: [] },
    { workings: { share: days(14, 31), whole: '99' }, notes: ['14 of 31 days of 99.00'] },
    { workings: { share: { part: '3600', whole: '86400' }, whole: '99' }, notes: ['1 of 24 hours of 99.00'] },
    {
      workings: { share: { part: '1.5', whole: '86400' }, whole: '9900' },
      currency: 'JPY',
      notes: ['1.5 of 86,400 seconds of 9,900'],
    },
    { workings: { included: { units: '20', allowance: '20' } }, notes: ['20 included, 7 charged'] },
    {
      workings: { included: { units: '10', allowance: '20', share: days(1, 2) } },
      notes: ['10 included, 17 charged (included: 1 of 2 days of 20)'],
    },
    { workings: { flatShare: days(14, 31) }, notes: ['Flat prices for 14 of 31 days'] },
    {
      workings: { packages: { count: '3', size: '1000000', price: '0.4' } },
      currency: 'KWD',
      notes: ['3 packages of 1,000,000 at 0.400'],
    },
    { workings: { packages: { count: '1', size: '10', price: '5' } }, notes: ['1 package of 10 at 5.00'] },
    { workings: { percentage: { percent: '2.9', of: '1000' } }, notes: ['2.9% of 1,000'] },
    {
      workings: { percentage: { percent: '2.9', of: '1000', fixed: '0.3', events: '3', least: '1', most: '500' } },
      notes: ['2.9% of 1,000 + 3 × 0.30, at least 1.00, at most 500.00'],
    },
    { workings: { others: { groups: ['ap', 'us'], more: 0 } }, notes: ['Others: ap; us'] },
    { workings: { others: { groups: ['ap', 'us'], more: 2 } }, notes: ['Others: ap; us and 2 more'] },
    { workings: { discount: { percent: '35', of: '44.71' } }, notes: ['35% of 44.71'] },
    {
      workings: { limit: { amount: '25', reached: '4.07' } },
      fields: { kind: 'minimum' },
      notes: ['Minimum 25.00 less 4.07'],
    },
    {
      workings: { share: days(16, 31), whole: '100', limit: { amount: '51.61', reached: '20' } },
      fields: { kind: 'minimum' },
      notes: ['Minimum 51.61 (16 of 31 days of 100.00) less 20.00'],
    },
    {
      workings: { limit: { amount: '50', reached: '67' } },
      fields: { kind: 'maximum' },
      notes: ['67.00, limited to 50.00'],
    },
    { workings: { soFar: { total: '30', before: '25' } }, notes: ['30.00 in all, less 25.00 billed before'] },
    { workings: { rows: { exact: '3.45' } }, notes: [] },
    { workings: { rows: { exact: '3.45378' } }, notes: [] }, // rounded by itself
    { workings: { rows: { exact: '3.45678' } }, notes: ['Exactly 3.45678'] }, // 3.46 by itself
    {
      workings: { rows: { exact: '3.45', all: { count: 2, exact: '4.961234', amount: '4.96' } } },
      notes: ['The 2 lines of this price come to 4.961234, rounded to 4.96'],
    },
    { workings: { credit }, notes: ['17 of 31 days of 397.00 billed on INV-000012 for 1 – 31 Jan 2026'] },
    {
      workings: {
        credit: { ...credit, billed: null, before: '10', notes: [{ number: 'CN-000001', amount: '62.87' }] },
      },
      fields: { amount: '-154.84' },
      notes: [
        '17 of 31 days of the charge billed on INV-000012 for 1 – 31 Jan 2026, less 10.00 credited before',
        '217.71 in all: 154.84 here, 62.87 on credit note CN-000001',
      ],
    },
  ])('are $notes', ({ workings, fields, currency = 'USD', notes }) =>
    expect(
      notesOf({ ...{ kind: 'other', quantity: '27', amount: '3.45' }, ...fields, workings }, currency, 'en').map(
        (note) => note.replaceAll('\u00a0', ' '),
      ),
    ).toEqual(notes),
  );
});
