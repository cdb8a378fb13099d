import { posix } from 'node:path';
import { type Finding, isProgram, lineAt, type SourceFile } from './project.ts';

const LINK = /\]\(([^)\s]+)\)/g;
const NAMED_FILE = /(?<![\w/.])(?:src|docs|test|scripts|bench|migrations|bin)\/[\w./-]+\.(?:ts|js|md|sql|typ)\b/g;

/**
 * Links of the pages, and names of our files in pages and comments, that lead nowhere. `exists` says whether there is
 * such a file or folder in the project.
 */
export function brokenLinks(files: readonly SourceFile[], exists: (path: string) => boolean): Finding[] {
  return files
    .filter(({ path }) => /\.(?:md|ts|js|sql|typ)$/.test(path) && !path.endsWith('.test.ts'))
    .flatMap((file) => {
      const say = (offset: number, name: string): Finding => ({
        path: file.path,
        line: lineAt(file.text, offset),
        what: `leads to ${name}, which is not there`,
      });
      const links = file.path.endsWith('.md') ? [...file.text.matchAll(LINK)] : [];
      return [
        ...links
          .map((match) => ({ offset: match.index, target: (match[1] ?? '').replace(/#.*$/, '') }))
          .filter(({ target }) => target !== '' && !/^[a-z]+:/.test(target))
          .filter(({ target }) => !exists(posix.join(posix.dirname(file.path), target)))
          .map(({ offset, target }) => say(offset, target)),
        ...[...file.text.matchAll(NAMED_FILE)]
          .filter(([name]) => !exists(name))
          .map((match) => say(match.index, match[0])),
      ];
    });
}

/** Rooms without a README.md that says what they mean. */
export function roomsWithoutPage(files: readonly SourceFile[]): Finding[] {
  const pages = new Set(files.map(({ path }) => path));
  const rooms = new Set(files.filter(isProgram).map(({ path }) => path.split('/').slice(0, -1).join('/')));
  return [...rooms]
    .filter((room) => /^src\/[^/]+$/.test(room) && !pages.has(`${room}/README.md`))
    .map((room) => ({ path: room, line: 1, what: 'has no README.md' }));
}
