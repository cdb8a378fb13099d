import { describe, expect, it } from 'vitest';
import { type DatabaseFacts, judgeDatabase, shownDatabase } from './database-check.ts';

const sound: DatabaseFacts = {
  versionNumber: 180004,
  version: '18.4',
  fsync: 'on',
  fullPageWrites: 'on',
  synchronousCommit: 'on',
  dataChecksums: 'on',
  isSuperuser: false,
};

describe('a database before the first write', () => {
  it.each([
    { facts: sound, production: [0, 0], sandbox: [0, 0] },
    { facts: { ...sound, fsync: 'off' }, production: [1, 0], sandbox: [0, 1] },
    { facts: { ...sound, fullPageWrites: 'off' }, production: [1, 0], sandbox: [0, 1] },
    { facts: { ...sound, synchronousCommit: 'off' }, production: [1, 0], sandbox: [0, 1] },
    { facts: { ...sound, synchronousCommit: 'local' }, production: [0, 0], sandbox: [0, 0] },
    { facts: { ...sound, dataChecksums: 'off' }, production: [0, 1], sandbox: [0, 1] },
    { facts: { ...sound, isSuperuser: true }, production: [0, 1], sandbox: [0, 1] },
    { facts: { ...sound, versionNumber: 170009, version: '17.9' }, production: [1, 0], sandbox: [1, 0] },
    { facts: { ...sound, versionNumber: 190000, version: '19' }, production: [0, 0], sandbox: [0, 0] },
  ])('$facts: refusals and warnings are $production in production, $sandbox in the sandbox', (row) => {
    for (const environment of ['production', 'sandbox'] as const) {
      const { refusals, warnings } = judgeDatabase(environment, row.facts);
      expect([refusals.length, warnings.length]).toEqual(row[environment]);
    }
  });

  it.each([
    ['postgres://a:secret@db.example/one?sslmode=require', 'db.example:5432/one'],
    ['postgres://a:secret@one.example:6000,two.example/one', 'one.example:6000,two.example:5432/one'],
    ['postgres://a@localhost:6000/one?host=/run/pg', '/run/pg:6000/one'],
  ])('%s is shown as %s', (url, shown) => {
    expect(shownDatabase(url)).toBe(shown);
  });
});
