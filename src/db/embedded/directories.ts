import { chownSync, lchownSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** True where this process may act as any user. */
export const isRoot = (): boolean => process.getuid?.() === 0;

/**
 * Creates a folder and its missing parents. Root gives what it makes to the owner of the folder it makes it in, so that one
 * start with `sudo` does not lock the owner of the project out of it.
 */
export function makeDirectory(path: string, mode: number): void {
  const missing: string[] = [];
  let existing = path;
  while (!exists(existing)) {
    missing.unshift(existing);
    existing = dirname(existing);
  }
  const owner = statSync(existing);
  for (const directory of missing) {
    mkdirSync(directory, { recursive: true, mode });
    if (isRoot()) chownSync(directory, owner.uid, owner.gid);
  }
}

/** True for everything that has a name, also for a link that leads nowhere. */
export function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Gives a folder and all in it to an account, the folder itself last: an interrupted run is begun again by the next one. */
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
