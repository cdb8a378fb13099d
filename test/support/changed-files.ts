import { importsOf } from '../../scripts/checks/imports.ts';
import { isTest, type SourceFile } from '../../scripts/checks/project.ts';

/**
 * Files that tests read or start without an import. A change of a file on the left concerns the tests on the right. The
 * checks read the whole project.
 */
const READ_BY: readonly { readonly changed: RegExp; readonly tests: RegExp }[] = [
  { changed: /./, tests: /^test\/checks\// },
  { changed: /\.md$/, tests: /^test\/docs\/(?:blocks|links)/ },
];

/** With it a test has the whole program, and so depends on every file of it. */
const PROGRAM = new Set(['src/app.ts', 'src/wiring.ts', 'test/support/environment.ts']);

/** The domain of a file of the program or of a migration; undefined for others. */
const domainOf = (path: string): string | undefined => /^(?:src\/|migrations\/\d+_)([a-z]+)/.exec(path)?.[1];

export interface Selection {
  /** The tests that a change concerns most: its own, those of its domains, and those of rules that use it. */
  readonly tests: readonly string[];
  /** The number of other tests, which call the whole program. */
  readonly others: number;
}

/**
 * The tests to run after a change of these files. A test that calls the whole program is among them if it changed
 * itself, or if it stands in the folder of a changed domain. Pure.
 * @param isLeftOut tests of the deep run
 */
export function selectTests(
  changed: readonly string[],
  files: readonly SourceFile[],
  isLeftOut: (path: string) => boolean,
): Selection {
  const imports = new Map(
    files.filter(({ path }) => path.endsWith('.ts')).map((file) => [file.path, importsOf(file).map(({ to }) => to)]),
  );
  const domains = new Set(changed.filter((path) => !path.endsWith('.test.ts')).map(domainOf));
  const isChanged = new Set(changed);
  const concerns = (path: string): boolean => {
    const reached = reachedFrom(path, imports);
    if (reached.has(path) && isChanged.has(path)) return true;
    if (path.startsWith('src/') && domains.has(domainOf(path))) return true;
    if (READ_BY.some((each) => each.tests.test(path) && changed.some((one) => each.changed.test(one)))) return true;
    return ![...PROGRAM].some((each) => reached.has(each)) && changed.some((each) => reached.has(each));
  };
  const all = files.filter((file) => isTest(file) && !isLeftOut(file.path)).map(({ path }) => path);
  const tests = changed.length === 0 ? [] : all.filter(concerns);
  return { tests, others: all.length - tests.length };
}

/** A file and all that it imports, up to the program itself. */
function reachedFrom(path: string, imports: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set([path]);
  for (const each of reached) if (!PROGRAM.has(each)) for (const to of imports.get(each) ?? []) reached.add(to);
  return reached;
}
