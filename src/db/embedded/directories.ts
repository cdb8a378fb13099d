import { chownSync, lchownSync, lstatSync, mkdirSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** True where this process may act as any user. */
export const isRoot = (): boolean => process.getuid?.() === 0;

/** A folder cannot be created, because it or one of its parents is a file. */
export class NotADirectory extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`${path} is a file and not a folder.`);
    this.name = 'NotADirectory';
    this.path = path;
  }
}

/** A folder that could not be made, and the folder in which it should have been. */
export class DirectoryNotMade extends Error {
  readonly path: string;

  constructor(path: string, cause: NodeJS.ErrnoException) {
    super(`The folder ${path} cannot be created: ${reasonOf(cause, dirname(path))}.`, { cause });
    this.name = 'DirectoryNotMade';
    this.path = path;
  }
}

/** Some file systems, as /proc, report "no such file" instead of a missing permission. */
function reasonOf({ code, message }: NodeJS.ErrnoException, parent: string): string {
  switch (code) {
    case 'EROFS':
      return `${parent} is on a file system that can only be read`;
    case 'EACCES':
    case 'EPERM':
      return `this user may not write ${parent}`;
    case 'ENOENT':
      return `no folder can be created in ${parent}`;
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full';
    default:
      return message;
  }
}

/**
 * Creates a folder and its missing parents. Root gives what it makes to the owner of the folder it makes it in, so that
 * one start with `sudo` does not lock the owner of the project out of it.
 * @throws NotADirectory, DirectoryNotMade
 */
export function makeDirectory(path: string, mode: number): void {
  const missing: string[] = [];
  let existing = path;
  while (!exists(existing)) {
    missing.unshift(existing);
    existing = dirname(existing);
  }
  const owner = statSync(existing, { throwIfNoEntry: false });
  if (!owner?.isDirectory()) throw new NotADirectory(existing);
  for (const directory of missing) {
    makeOne(directory, mode);
    if (isRoot()) chownSync(directory, owner.uid, owner.gid);
  }
}

/** Its parent is there. Another start may make it at the same moment. */
function makeOne(directory: string, mode: number): void {
  try {
    mkdirSync(directory, { mode });
  } catch (error) {
    if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return;
    throw new DirectoryNotMade(directory, error as NodeJS.ErrnoException);
  }
}

/** PostgreSQL stops when it cannot make the next file of its log, which has 16 MiB. */
const LEAST_FREE_BYTES = 32 * 1024 * 1024;

/** Has the disk of a folder too little space for PostgreSQL to write on? */
export function isDiskFull(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize < LEAST_FREE_BYTES;
  } catch {
    return false;
  }
}

/** True for everything that has a name, also for a link that leads nowhere. */
export function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // a file stands in place of one of its parents
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false;
    throw error;
  }
}

/**
 * Gives a folder and all in it to an account, the folder itself last: an interrupted run is begun again by the next
 * one.
 */
export function giveTree(path: string, uid: number, gid: number): void {
  const owner = lstatSync(path);
  if (owner.uid === uid && owner.gid === gid) return;
  giveEntries(path, uid, gid);
  lchownSync(path, uid, gid);
}

function giveEntries(directory: string, uid: number, gid: number): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) giveEntries(path, uid, gid);
    lchownSync(path, uid, gid);
  }
}
