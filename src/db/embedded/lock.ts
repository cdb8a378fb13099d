import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresFailure } from './failure.ts';

/** Holds a data folder for this process; the kernel lets go of it when the process ends, however it ends. */
export interface DataDirectoryLock {
  release(): void;
}

const SQLITE_BUSY = 5;

/** A start right after a stop meets one that is just ending; the lock is tried for so long before it counts as held. */
const PATIENCE_MILLISECONDS = 1_500;
const RETRY_MILLISECONDS = 50;

/**
 * Takes the folder for this process alone, or throws `DATA_DIRECTORY_IN_USE`.
 *
 * Node has no file locks of its own, but the SQLite inside it does: an exclusive transaction on an empty file is an
 * advisory lock of the operating system, on every platform, that neither `kill -9` nor a reboot can leave behind. The
 * file itself stays for ever: removing it would let a third start lock a new file of the same name beside the holder of
 * the old one.
 */
export async function lockDataDirectory(dataDirectory: string): Promise<DataDirectoryLock> {
  const giveUp = performance.now() + PATIENCE_MILLISECONDS;
  for (;;) {
    const lock = tryLock(dataDirectory);
    if (lock) return lock;
    if (performance.now() > giveUp) throw inUse(dataDirectory);
    await sleep(RETRY_MILLISECONDS);
  }
}

const holderFileIn = (dataDirectory: string): string => join(dataDirectory, 'holder.json');

function tryLock(dataDirectory: string): DataDirectoryLock | null {
  const holderFile = holderFileIn(dataDirectory);
  const database = new DatabaseSync(join(dataDirectory, 'lock'), { timeout: 0 });
  try {
    database.exec('pragma journal_mode = memory');
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    return null;
  }
  writeFileSync(holderFile, `${JSON.stringify({ processId: process.pid })}\n`);
  return {
    release() {
      rmSync(holderFile, { force: true });
      database.close();
    },
  };
}

function inUse(dataDirectory: string): EmbeddedPostgresFailure {
  let holder = '';
  try {
    const written = JSON.parse(readFileSync(holderFileIn(dataDirectory), 'utf8')) as { processId: number };
    holder = ` (process ${written.processId})`;
  } catch {
    // The holder has the lock but has not written its number yet; the lock is what counts.
  }
  return new EmbeddedPostgresFailure(
    'DATA_DIRECTORY_IN_USE',
    `${dataDirectory} is in use by another Reckoner process${holder}; that process continues.`,
    'stop that one first, or give this one its own folder and ports: DATA_DIR=./.reckoner-2 PORT=0 ' +
      'SANDBOX_PORT=0 npm start',
  );
}
