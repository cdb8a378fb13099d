import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { note, readJournal } from './journal.ts';
import { FAULTLESS, judge } from './verdict.ts';

/** A harness that cannot fail proves nothing: here it must fail. */
const LOG = [
  'sent 0/1',
  'sent 1/1',
  'acknowledged 1000 0/1=evt_a 1/1=evt_c',
  'sent 0/2',
  'refused 503',
  'sent 0/2',
  'refused ECONNRESET',
];
const journalOf = (...more: readonly string[]) => readJournal(`${[...LOG, ...more].join('\n')}\n`);

const a = { key: '0/1', id: 'evt_a' };
const b = { key: '0/2', id: 'evt_b' };
const c = { key: '1/1', id: 'evt_c' };

describe('the log of a load', () => {
  it('says what was sent, acknowledged and refused', () => {
    const { sent, acknowledged, acknowledgedAt, refusals } = journalOf('acknowledged 2000 0/1=evt_a 0/2=evt_b');
    expect([...sent]).toEqual(['0/1', '1/1', '0/2']);
    expect([...acknowledged].map(([key, ids]) => [key, ...ids])).toEqual([
      ['0/1', 'evt_a'],
      ['1/1', 'evt_c'],
      ['0/2', 'evt_b'],
    ]);
    expect(Object.fromEntries(acknowledgedAt)).toEqual({ '0/1': 1000, '1/1': 1000, '0/2': 2000 });
    expect(Object.fromEntries(refusals)).toEqual({ 503: 1, ECONNRESET: 1 });
  });

  it('is read as it was written, and a line that was not finished says nothing', () => {
    const folder = mkdtempSync(join(tmpdir(), 'reckoner-journal-'));
    const path = join(folder, 'log');
    const file = openSync(path, 'a');
    note(file, 'sent', '0/1', '0/2');
    note(file, 'acknowledged', 5, '0/1=evt_a');
    note(file, 'overwritten', '0/1');
    note(file, 'refused', 503);
    closeSync(file);
    const text = readFileSync(path, 'utf8');
    rmSync(folder, { recursive: true });
    const { sent, acknowledged, overwritten, refusals } = readJournal(`${text}acknowledged 6 0/2=ev`);
    expect([sent.size, [...acknowledged.keys()], overwritten, refusals.get('503')]).toEqual([2, ['0/1'], ['0/1'], 1]);
  });

  it('is refused with a line that it does not know', () =>
    expect(() => readJournal('acknowledge 6 0/2=evt_b\n')).toThrow('acknowledge 6'));
});

describe('a verdict', () => {
  it.each([
    { what: 'what was not acknowledged is stored once', stored: [a, b, c] },
    { what: 'what was not acknowledged is not stored', stored: [a, c] },
  ])('finds nothing where $what', ({ stored }) => expect(judge(journalOf(), stored)).toEqual(FAULTLESS));

  it.each([
    { what: 'a loss', stored: [a, b], faults: { lost: ['1/1'] } },
    { what: 'everything lost', stored: [], faults: { lost: ['0/1', '1/1'] } },
    {
      what: 'an event of another merchant in its place',
      stored: [a, { ...c, key: '0/3' }],
      faults: { lost: ['1/1'], unsent: ['0/3'] },
    },
    { what: 'a double', stored: [a, c, { ...a, id: 'evt_z' }], faults: { doubled: ['0/1'] } },
    { what: 'a double of what was not acknowledged', stored: [a, b, c, b], faults: { doubled: ['0/2'] } },
    { what: 'an event that nobody sent', stored: [a, c, { key: '9/9', id: 'evt_x' }], faults: { unsent: ['9/9'] } },
    { what: 'another id than was told', stored: [{ ...a, id: 'evt_z' }, c], faults: { renamed: ['0/1'] } },
  ])('finds $what', ({ stored, faults }) => expect(judge(journalOf(), stored)).toEqual({ ...FAULTLESS, ...faults }));

  it('finds an event that was told under two ids', () =>
    expect(judge(journalOf('acknowledged 2000 0/1=evt_z'), [a, c])).toEqual({ ...FAULTLESS, renamed: ['0/1'] }));

  it('finds content that was accepted over what was there', () =>
    expect(judge(journalOf('overwritten 1/1'), [a, c])).toEqual({ ...FAULTLESS, overwritten: ['1/1'] }));

  it.each([
    { what: 'whole', more: ['sent 2/1 2/2'], stored: ['2/1', '2/2'], torn: [] },
    { what: 'not at all', more: ['sent 2/1 2/2'], stored: [], torn: [] },
    { what: 'in part', more: ['sent 2/1 2/2'], stored: ['2/2'], torn: ['2/1 2/2'] },
    { what: 'in part, and was sent twice', more: ['sent 2/1 2/2', 'sent 2/2 2/1'], stored: ['2/2'], torn: ['2/1 2/2'] },
    {
      what: 'in part, of which another request had that part',
      more: ['sent 2/1 2/2', 'sent 2/2'],
      stored: ['2/2'],
      torn: [],
    },
    { what: 'whole, with one event in it twice', more: ['sent 2/1 2/1'], stored: ['2/1'], torn: [] },
  ])('of a request that is stored $what', ({ more, stored, torn }) => {
    const rows = stored.map((key) => ({ key, id: `evt_${key}` }));
    expect(judge(journalOf(...more), [a, c, ...rows])).toEqual({ ...FAULTLESS, torn });
  });
});
