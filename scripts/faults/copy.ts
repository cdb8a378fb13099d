import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { home } from '../checks/project.ts';
import { type Fault, type Placed, placeOf, withSwitches } from './fault.ts';

/** A copy of the project with the switches of all faults. */
export interface Copy {
  /** Its folder, without a slash at its end. */
  readonly root: string;
  remove(): void;
}

/**
 * Copies the files that git knows or would add, and writes the switches into the copy. The checkout stays as it is.
 * @param faults a fault's number is its place here
 */
export function copyWithFaults(faults: readonly Fault[]): Copy {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'reckoner-faults-')));
  const remove = () => rmSync(root, { recursive: true, force: true });
  try {
    for (const path of filesOfGit()) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      copyFileSync(home + path, join(root, path));
    }
    symlinkSync(realpathSync(`${home}node_modules`), join(root, 'node_modules'));
    for (const [path, placed] of placesByFile(faults)) {
      const text = readFileSync(home + path, 'utf8');
      writeFileSync(join(root, path), withSwitches(text, placed));
    }
    return { root, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function filesOfGit(): string[] {
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const listed = execFileSync('git', words, { cwd: home, encoding: 'utf8' }).split('\0').filter(Boolean);
  return listed.filter((path) => existsSync(home + path));
}

function placesByFile(faults: readonly Fault[]): Map<string, Placed[]> {
  const numbered = faults.map((fault, number) => ({ fault, number }));
  const byFile = Map.groupBy(numbered, ({ fault }) => fault.file);
  return new Map(
    [...byFile].map(([path, those]) => {
      const text = readFileSync(home + path, 'utf8');
      return [path, those.map(({ fault, number }) => ({ ...placeOf({ path, text }, fault), number }))];
    }),
  );
}
