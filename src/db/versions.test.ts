import { expect, it } from 'vitest';
import { type AppliedMigration, compareMigrations, oldestOf } from './versions.ts';

const files = ['0010_a', '0020_b', '0030_c'].map((name) => ({ name, text: '', hash: `hash of ${name}` }));
const all: readonly AppliedMigration[] = files.map(({ name, hash }) => ({ name, hash, oldest: null }));
const later = (oldest: string | null): AppliedMigration => ({ name: '0040_d', hash: 'd', oldest });

it.each<{ what: string; applied: readonly AppliedMigration[]; missing: string[]; problem: string | null }>([
  { what: 'all of them', applied: all, missing: [], problem: null },
  { what: 'none', applied: [], missing: ['0010_a', '0020_b', '0030_c'], problem: null },
  { what: 'the first ones', applied: all.slice(0, 2), missing: ['0030_c'], problem: null },
  { what: 'all, without hashes', applied: all.map((each) => ({ ...each, hash: null })), missing: [], problem: null },
  {
    what: 'one that was edited',
    applied: all.map((each) => (each.name === '0020_b' ? { ...each, hash: 'another' } : each)),
    missing: [],
    problem: 'another version of Reckoner: its migration 0020_b differs from the file of this version',
  },
  { what: 'a later one', applied: [...all, later(null)], missing: [], problem: null },
  { what: 'a later one for this version', applied: [...all, later('0030_c')], missing: [], problem: null },
  {
    what: 'a later one for later programs',
    applied: [...all, later('0040_d')],
    missing: [],
    problem: 'a newer version of Reckoner: this version has no migration 0040_d',
  },
  {
    what: 'an edited one and a later one',
    applied: [...all.map((each) => (each.name === '0020_b' ? { ...each, hash: 'another' } : each)), later(null)],
    missing: [],
    problem: 'another version of Reckoner: its migration 0020_b differs from the file of this version',
  },
  {
    what: 'a gap and a later one',
    applied: [...all.filter(({ name }) => name !== '0020_b'), later(null)],
    missing: ['0020_b'],
    problem: 'a newer version of Reckoner: this version has no migration 0040_d',
  },
  {
    what: 'an unknown one among them',
    applied: [...all, { name: '0015_z', hash: 'z', oldest: null }],
    missing: [],
    problem: 'another version of Reckoner: this version has no migration 0015_z',
  },
  {
    what: 'a gap',
    applied: all.filter(({ name }) => name !== '0020_b'),
    missing: ['0020_b'],
    problem: 'another version of Reckoner: it lacks the migration 0020_b',
  },
])('a database with $what', ({ what, applied, missing, problem }) => {
  expect(compareMigrations(files, applied)).toEqual({
    missing,
    problem,
    isNewer: ['a later one', 'a later one for this version'].includes(what),
  });
});

it.each([
  { text: '-- Drops a column.\n-- Oldest program: 0030_c.\n\nalter table a drop column b;', oldest: '0030_c' },
  { text: '-- Adds a column, which every program may ignore.\nalter table a add column b int;', oldest: undefined },
])('the oldest program of a migration is $oldest', ({ text, oldest }) => expect(oldestOf(text)).toBe(oldest));
