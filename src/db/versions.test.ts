import { expect, it } from 'vitest';
import { compareMigrations } from './versions.ts';

const files = ['0010_a', '0020_b', '0030_c'].map((name) => ({ name, text: '', hash: `hash of ${name}` }));
const all = files.map(({ name, hash }) => ({ name, hash: hash as string | null }));

it.each([
  { what: 'all of them', applied: all, missing: [], problem: null },
  { what: 'none', applied: [], missing: ['0010_a', '0020_b', '0030_c'], problem: null },
  { what: 'the first ones', applied: all.slice(0, 2), missing: ['0030_c'], problem: null },
  { what: 'all, without hashes', applied: all.map(({ name }) => ({ name, hash: null })), missing: [], problem: null },
  {
    what: 'one that was edited',
    applied: all.map(({ name, hash }) => ({ name, hash: name === '0020_b' ? 'another' : hash })),
    missing: [],
    problem: 'another version of Reckoner: its migration 0020_b differs from the file of this version',
  },
  {
    what: 'a later one',
    applied: [...all, { name: '0040_d', hash: 'd' }],
    missing: [],
    problem: 'a newer version of Reckoner: this version has no migration 0040_d',
  },
  {
    what: 'an unknown one among them',
    applied: [...all, { name: '0015_z', hash: 'z' }],
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
    isNewer: what === 'a later one',
  });
});
