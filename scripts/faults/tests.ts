import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { home } from '../checks/project.ts';
import { parse } from '../checks/syntax.ts';

/**
 * Tests that look at the text of the project, or that start a program of their own: they cannot see a fault of the
 * copy.
 */
const BLIND = /^(?:scripts|test\/(?:browser|checks|clients|crash|docs|start|support))\//;

/** The test files that can find a fault, in the order of their paths. */
export const testFiles = (): string[] =>
  globSync('{src,test}/**/*.test.ts', { cwd: home })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !BLIND.test(path))
    .toSorted();

/** The program that tests with an environment load. */
const PROGRAM = 'src/app.ts';

/** What the files of the project load: their imports, theirs, and so on, types left out. */
export class Loads {
  readonly #direct = new Map<string, readonly string[]>();

  /** All files that a file loads. */
  of(path: string): ReadonlySet<string> {
    const found = new Set<string>();
    const waiting = [path];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      waiting.push(...this.#importsOf(next));
    }
    return found;
  }

  /** Does a test file load the whole program? Others are unit tests. */
  loadsProgram = (path: string): boolean => this.of(path).has(PROGRAM);

  #importsOf(path: string): readonly string[] {
    const known = this.#direct.get(path);
    if (known) return known;
    const found = path.endsWith('.ts') ? valueImports(path) : [];
    this.#direct.set(path, found);
    return found;
  }
}

function valueImports(path: string): string[] {
  const { module, text } = parse({ path, text: readFileSync(home + path, 'utf8') });
  const requests = [
    ...module.staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
      .map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, isType }) => (moduleRequest && !isType ? [moduleRequest.value] : [])),
    ),
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
  ];
  return requests
    .filter((request) => request.startsWith('.') && request.endsWith('.ts'))
    .map((request) => posix.normalize(posix.join(posix.dirname(path), request)));
}

/** How far a test file stands from a file: in its folder, in its domain, elsewhere. */
export function distance(test: string, file: string): number {
  if (posix.dirname(test) === posix.dirname(file)) return 0;
  return test.split('/')[1] === file.split('/')[1] && test.startsWith('src/') ? 1 : 2;
}
