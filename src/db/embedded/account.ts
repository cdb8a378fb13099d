import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import type { Binaries } from './binaries.ts';
import { exists, isRoot } from './directories.ts';
import { EmbeddedPostgresFailure, EXTERNAL_DATABASE, explainOutput } from './failure.ts';

/**
 * Under which account PostgreSQL, which refuses root, runs:
 * - `self`: the user of this process;
 * - `mapped`: the user of this process seen as another one through a user namespace. Root becomes an ordinary user that
 *   still owns root's files, so it works in a folder that only root may enter, and no user has to be made;
 * - `other`: another user of this system, which only root can choose.
 */
export type Account =
  | { readonly kind: 'self' }
  | {
      readonly kind: 'mapped';
      readonly insideUid: number;
      readonly insideGid: number;
      /** The user to map, where it is not the one of this process. */
      readonly outside?: { readonly uid: number; readonly gid: number };
    }
  | { readonly kind: 'other'; readonly uid: number; readonly gid: number; readonly name: string };

/** One line of the user list. */
export interface PasswordEntry {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** A program with its arguments, as the account has to start it. */
export interface Command {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly options: { readonly uid?: number; readonly gid?: number };
}

/** How `program` is started so that it runs under `account`. */
export function commandAs(account: Account, program: string, programArguments: readonly string[]): Command {
  switch (account.kind) {
    case 'self':
      return { program, arguments: programArguments, options: {} };
    case 'mapped':
      return {
        program: 'unshare',
        arguments: [
          '--user',
          `--map-user=${account.insideUid}`,
          `--map-group=${account.insideGid}`,
          program,
          ...programArguments,
        ],
        options: account.outside ?? {},
      };
    case 'other':
      return { program, arguments: programArguments, options: { uid: account.uid, gid: account.gid } };
  }
}

/** The owner of PostgreSQL's files, as this process sees it. */
export function ownerOf(account: Account): { uid: number; gid: number } {
  if (account.kind === 'other') return { uid: account.uid, gid: account.gid };
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

/**
 * Root's choices, best first: the owner of the folder if that is an ordinary user (who can then go on without root),
 * root through a user namespace, then an account made for databases or for nothing. Pure: the caller tries them in this
 * order.
 */
export function candidatesForRoot(
  ownersOfFolders: readonly { uid: number; gid: number }[],
  entries: readonly PasswordEntry[],
): Account[] {
  const owners = ownersOfFolders
    .filter(({ uid }) => uid !== 0)
    .map(({ uid, gid }): Account => {
      const name = entries.find((entry) => entry.uid === uid)?.name ?? `user ${uid}`;
      return { kind: 'other', uid, gid, name };
    });
  const services = ['postgres', 'nobody']
    .flatMap((name) => entries.filter((entry) => entry.name === name && entry.uid !== 0))
    .map((entry): Account => ({ kind: 'other', ...entry }));
  const nearest = owners.slice(0, 1);
  return [...nearest, mappedAccount(entries), ...owners.slice(1), ...services];
}

/** Inside the namespace the user must have a name, or initdb gives up; any that is not root's will do. */
export function mappedAccount(entries: readonly PasswordEntry[]): Account & { kind: 'mapped' } {
  const entry =
    entries.find(({ uid }) => uid === 1000) ??
    entries.find(({ name }) => name === 'nobody') ??
    entries.find(({ uid }) => uid !== 0);
  return { kind: 'mapped', insideUid: entry?.uid ?? 65534, insideGid: entry?.gid ?? 65534 };
}

/** The users that this system lists in a file; those of a directory service are missing, which costs nothing here. */
function readPasswordEntries(): PasswordEntry[] {
  if (!exists('/etc/passwd')) return [];
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4 && /^\d+$/.test(fields[2] ?? '') && /^\d+$/.test(fields[3] ?? ''))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}

/** The owners of a folder and of the folders around it, the nearest first, each once. */
function folderOwners(directory: string): { uid: number; gid: number }[] {
  const owners: { uid: number; gid: number }[] = [];
  for (let folder = directory; ; folder = dirname(folder)) {
    const { uid, gid } = statSync(folder);
    if (!owners.some((owner) => owner.uid === uid)) owners.push({ uid, gid });
    if (folder === dirname(folder)) return owners;
  }
}

type Trial =
  | { readonly works: true; readonly version: string }
  | { readonly works: false; readonly obstacle: 'account' | 'folder' | 'binaries' | 'output'; readonly output: string };

const CANNOT_ENTER = 97;

/**
 * Starts `postgres --version` in the data folder as the account would: shows at once whether account, folder and
 * libraries will do.
 */
function tryAccount(account: Account, binaries: Binaries, dataDirectory: string): Trial {
  const script = `cd "$1" || exit ${CANNOT_ENTER}; exec "$2" --version`;
  const windows = process.platform === 'win32';
  const command = windows
    ? commandAs(account, binaries.postgres, ['--version'])
    : commandAs(account, '/bin/sh', ['-c', script, 'sh', dataDirectory, binaries.postgres]);
  const options: SpawnSyncOptions = {
    ...command.options,
    cwd: '/',
    env: serverEnvironment(binaries),
    encoding: 'utf8',
    windowsHide: true,
  };
  const result = spawnSync(command.program, command.arguments, options);
  const output = result.error ? result.error.message : `${result.stderr}`.trim();
  const version = /\(PostgreSQL\) (\S+)/.exec(`${result.stdout}`)?.[1];
  if (result.status === 0 && version) return { works: true, version };
  if (account.kind === 'mapped' && (result.error || /^unshare: /m.test(output))) {
    return { works: false, obstacle: 'account', output };
  }
  if (result.status === CANNOT_ENTER) return { works: false, obstacle: 'folder', output };
  if (result.status === 126 || (result.status === 127 && !output.includes('shared libraries'))) {
    return { works: false, obstacle: 'binaries', output };
  }
  return { works: false, obstacle: result.error ? 'account' : 'output', output };
}

/**
 * The environment variables of PostgreSQL's programs: no settings of another PostgreSQL, one language, one time zone.
 */
export function serverEnvironment(binaries: Binaries): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG|LD_PRELOAD$|NODE_|npm_)/.test(name));
  return { ...Object.fromEntries(inherited), LC_ALL: 'C', TZ: 'UTC', ...binaries.environment };
}

/**
 * The account that works, with programs it can run; `copy` is asked when it cannot enter the folder npm installed into.
 */
export async function chooseAccount(
  dataDirectory: string,
  binaries: Binaries,
  copy: () => Promise<Binaries>,
): Promise<{ account: Account; binaries: Binaries; version: string }> {
  const candidates = isRoot()
    ? candidatesForRoot(folderOwners(dataDirectory), readPasswordEntries())
    : [{ kind: 'self' } as const];
  const refusals: string[] = [];
  for (const account of candidates) {
    let used = binaries;
    // Entering is all that others are allowed: what lies in the folder stays closed to them.
    if (account.kind === 'other') chmodSync(dataDirectory, statSync(dataDirectory).mode | 0o011);
    let trial = tryAccount(account, used, dataDirectory);
    if (!trial.works && trial.obstacle === 'binaries' && account.kind === 'other') {
      used = await copy();
      trial = tryAccount(account, used, dataDirectory);
    }
    if (trial.works) return { account, binaries: used, version: trial.version };
    if (trial.obstacle === 'output') throw explainOutput(trial.output, dataDirectory, 'the line above');
    refusals.push(`${describe(account)}: ${trial.output || 'it may not enter the folder'}`);
  }
  throw noAccount(dataDirectory, refusals);
}

/** Alpine and its like: the programs are there, and still the system says "not found", for it lacks their loader. */
const usesMusl = (): boolean => exists('/etc/alpine-release') || exists('/lib/ld-musl-x86_64.so.1');

function describe(account: Account): string {
  if (account.kind === 'mapped') return 'root through a user namespace';
  return account.kind === 'other' ? account.name : 'this user';
}

function noAccount(dataDirectory: string, refusals: readonly string[]): EmbeddedPostgresFailure {
  if (!isRoot()) {
    return new EmbeddedPostgresFailure(
      'BINARIES_DO_NOT_RUN',
      `The embedded PostgreSQL cannot be run here (${refusals.join('; ')}).`,
      usesMusl() ? EXTERNAL_DATABASE : 'install the packages again: rm -rf node_modules && npm ci',
    );
  }
  return new EmbeddedPostgresFailure(
    'NO_ACCOUNT',
    `PostgreSQL refuses to run as root, and no other way is open for ${dataDirectory} (${refusals.join('; ')}).`,
    'name a folder that every user may enter: DATA_DIR=/var/lib/reckoner npm start (or start as an ordinary user)',
  );
}

/**
 * initdb wants to know its user's name; a user without one (a container's random number) borrows one in a namespace.
 */
export function accountForInitialization(account: Account): Account {
  if (process.platform !== 'linux') return account;
  const entries = readPasswordEntries();
  if (account.kind === 'self' && !hasName()) return mappedAccount(entries);
  if (account.kind === 'other' && !entries.some(({ uid }) => uid === account.uid)) {
    return { ...mappedAccount(entries), outside: { uid: account.uid, gid: account.gid } };
  }
  return account;
}

function hasName(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}
