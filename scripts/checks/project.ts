import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the project, with a slash at its end. */
export const home = fileURLToPath(new URL('../../', import.meta.url));

/** A file as the checks see it: where it stands in the project, with slashes, and what it says. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** What a check found. The line is 1-based. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly what: string;
}

const NOT_OURS = new Set([
  ...['node_modules', '.git', '.reckoner', '.next', 'coverage', 'dist', 'generated', 'package-lock.json'],
]);
const TEXT =
  /(?:\.(?:ts|js|json|md|sql|sh|css|html|typ|yml|yaml|txt)|^\.ci\/run|(?:^|\/)(?:\.editorconfig|\.git\w+|LICENSE))$/;

/** Every text file of the project that a person wrote, in the order of the paths. */
export function projectFiles(): SourceFile[] {
  return filesUnder('')
    .filter((path) => TEXT.test(path))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(home + path, 'utf8') }));
}

function filesUnder(folder: string): string[] {
  return readdirSync(home + folder, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name)) return [];
    const path = folder + entry.name;
    return entry.isDirectory() ? filesUnder(`${path}/`) : [path];
  });
}

/** Is this a file of the program itself: TypeScript in `src`, neither a test nor what tests share? */
export const isProgram = ({ path }: { readonly path: string }): boolean =>
  path.startsWith('src/') &&
  path.endsWith('.ts') &&
  !path.endsWith('.test.ts') &&
  !path.endsWith('.d.ts') &&
  !path.includes('/testing/');

/** Is this a file of tests? */
export const isTest = ({ path }: { readonly path: string }): boolean => path.endsWith('.test.ts');

/** The 1-based line on which a character stands. */
export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

/** What a file may do although the rule says otherwise, with the reason. */
export type Exceptions = Readonly<Record<string, string>>;

/**
 * The findings as lines to read, without those in files that are excused. An excuse that nothing needs any more is a
 * line as well, so that the list only holds what is.
 */
export function report(findings: readonly Finding[], exceptions: Exceptions = {}): string[] {
  const excused = (path: string) => Object.hasOwn(exceptions, path);
  return [
    ...findings.filter(({ path }) => !excused(path)).map(({ path, line, what }) => `${path}:${line} ${what}`),
    ...Object.keys(exceptions)
      .filter((path) => !findings.some((finding) => finding.path === path))
      .map((path) => `${path} is excused, but does nothing that needs it`),
  ];
}
