import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { withReaders } from '../support/changed-files.ts';

const filesLike = (pattern: string) => globSync(pattern);

it.each([
  { changed: 'migrations/0001_tenants.sql', reader: 'test/support/database-server.ts' },
  { changed: 'docs/events.md', reader: 'test/docs/pages.test.ts' },
  { changed: 'bin/reckoner.js', reader: 'test/start/lifecycle.test.ts' },
  { changed: 'test/lives/kept/one.json', reader: 'test/lives/lives.test.ts' },
  { changed: 'src/tax/tax.ts', reader: 'test/checks/imports.test.ts' },
])('a change of $changed counts as one of $reader, which reads it', ({ changed, reader }) => {
  expect(withReaders([changed], filesLike)).toEqual(expect.arrayContaining([changed, reader]));
});

it('a change of a rule starts no program, and no change is no change', () => {
  const readers = withReaders(['src/tax/tax.ts'], filesLike);
  expect(readers.filter((path) => path.startsWith('test/start/'))).toEqual([]);
  expect(withReaders([], filesLike)).toEqual([]);
});
