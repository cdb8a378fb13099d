import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { SOCKET_PORT } from './configuration.ts';

/** The longest path a socket may have: 108 bytes with its closing zero on Linux, 104 on macOS. */
const LONGEST_SOCKET_PATH = process.platform === 'linux' ? 107 : 103;
const PREFIX = 'reckoner-';

/** PostgreSQL keeps `.s.PGSQL.5432` and a lock of the same name in the folder. */
const socketPathFits = (directory: string): boolean =>
  Buffer.byteLength(join(directory, `.s.PGSQL.${SOCKET_PORT}`)) <= LONGEST_SOCKET_PATH;

/**
 * A new, private folder for the socket: in the data folder, or with the system's temporary files when the path would be
 * too long for a socket. What an earlier start left is removed, so no stale socket is ever in the way. Call it under
 * the lock only.
 */
export function makeSocketDirectory(dataDirectory: string): string {
  removeSocketDirectory(dataDirectory);
  const near = join(dataDirectory, 'run');
  if (socketPathFits(near)) {
    mkdirSync(near, { mode: 0o700 });
    return near;
  }
  const elsewhere =
    [tmpdir(), '/tmp'].find((directory) => socketPathFits(join(directory, `${PREFIX}XXXXXX`))) ?? '/tmp';
  const directory = mkdtempSync(join(elsewhere, PREFIX));
  writeFileSync(join(dataDirectory, 'socket-directory'), directory);
  return directory;
}

/** Removes the folder of this or an earlier start, wherever it was. */
export function removeSocketDirectory(dataDirectory: string): void {
  rmSync(join(dataDirectory, 'run'), { recursive: true, force: true });
  const note = join(dataDirectory, 'socket-directory');
  const far = readNote(note);
  const looksLikeOurs = basename(far).startsWith(PREFIX) && lstatSync(far, { throwIfNoEntry: false })?.isDirectory();
  if (looksLikeOurs) rmSync(far, { recursive: true, force: true });
  rmSync(note, { force: true });
}

function readNote(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
