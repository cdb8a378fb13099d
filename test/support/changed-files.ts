import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { VCSProvider } from 'vitest/node';

/**
 * Files that tests read or start without an import. A change of a file on the left counts as a change of the files on
 * the right. The checks read the whole project.
 */
const READ_BY: readonly { readonly changed: RegExp; readonly counts: readonly string[] }[] = [
  { changed: /./, counts: ['test/checks/*.test.ts'] },
  { changed: /^migrations\//, counts: ['test/support/database-server.ts'] },
  { changed: /\.md$/, counts: ['test/docs/*.test.ts'] },
  { changed: /^(?:bin\/|src\/main\.ts|src\/start\/|src\/db\/embedded\/)/, counts: ['test/start/*.test.ts'] },
  { changed: /^test\/lives\/kept\//, counts: ['test/lives/lives.test.ts'] },
];

/**
 * The files that count as changed after a change of these: they, and their readers. Pure except for the lists of files.
 */
export function withReaders(changed: readonly string[], filesLike: (pattern: string) => readonly string[]): string[] {
  const readers = READ_BY.filter((each) => changed.some((path) => each.changed.test(path)));
  return [...new Set([...changed, ...readers.flatMap(({ counts }) => counts.flatMap(filesLike))])];
}

function changedIn(root: string, since: string): string[] {
  const git = (...words: string[]): string[] =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
  return [
    ...git('diff', '--name-only', '-z', '--relative', `${since}...HEAD`),
    ...git('diff', '--name-only', '-z', '--relative', 'HEAD'),
    ...git('ls-files', '-z', '--others', '--exclude-standard'),
  ];
}

/** For `vitest --changed`: the files that differ from a commit, and their readers. @throws if git fails */
export const changedFiles: VCSProvider = {
  findChangedFiles: async ({ root, changedSince }) => {
    const changed = changedIn(root, typeof changedSince === 'string' ? changedSince : 'HEAD');
    const filesLike = (pattern: string) => globSync(pattern, { cwd: root });
    return withReaders(changed, filesLike).map((path) => join(root, path));
  },
};
