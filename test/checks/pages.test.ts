import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { brokenLinks, roomsWithoutPage } from '../../scripts/checks/pages.ts';
import { home, projectFiles, report } from '../../scripts/checks/project.ts';

const files = projectFiles();

describe('the pages', () => {
  it('lead to files that are there, and so do comments', () => {
    expect(report(brokenLinks(files, (path) => existsSync(home + path)))).toEqual([]);
  });

  it('say of each room what it means', () => expect(report(roomsWithoutPage(files))).toEqual([]));
});

describe('these checks see', () => {
  const there = new Set(['docs/a.md', 'docs/b/c.md', 'src/tax', 'src/tax/a.ts']);
  const broken = (path: string, text: string) => brokenLinks([{ path, text }], (name) => there.has(name));

  it.each([
    { path: 'docs/a.md', text: '[b](b.md)' },
    { path: 'docs/a.md', text: '[b](../b/c.md)' },
    { path: 'README.md', text: 'It is in `src/tax/b.ts`.' },
    { path: 'src/tax/a.ts', text: '// see docs/c.md' },
    { path: 'migrations/0001_a.sql', text: '-- as src/tax/b.ts says' },
  ])('a link that leads nowhere in $path: $text', ({ path, text }) => expect(broken(path, text)).toHaveLength(1));

  it.each([
    { path: 'docs/a.md', text: '[c](b/c.md#part), [here](#part), [there](https://example.com/x.md)' },
    { path: 'docs/b/c.md', text: '[a](../a.md) and [tax](../../src/tax)' },
    { path: 'src/tax/a.ts', text: '// see src/tax/a.ts and docs/a.md' },
    { path: 'src/tax/a.test.ts', text: '// an example: docs/c.md' },
  ])('none in $path: $text', ({ path, text }) => expect(broken(path, text)).toEqual([]));

  it('a room without a page', () => {
    const room = { path: 'src/tax/a.ts', text: '' };
    expect(report(roomsWithoutPage([room]))).toEqual(['src/tax:1 has no README.md']);
    expect(roomsWithoutPage([room, { path: 'src/tax/README.md', text: '' }])).toEqual([]);
  });
});
