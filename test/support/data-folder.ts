import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/**
 * The folder that Linux keeps in memory for all users. Other systems, and many containers, have none or a small one.
 */
const MEMORY = '/dev/shm';
const TMPFS = 0x01021994;
const ENOUGH_BYTES = 4 * 2 ** 30;

/** All folders that `dataFolder` may answer. */
export const DATA_FOLDERS: readonly string[] = [MEMORY, tmpdir()];

/**
 * The folder under which tests keep databases that outlive no test run: in memory where it is and has 4 GiB free,
 * otherwise the folder for temporary files. A clone of the template is written there several times faster than to a
 * disk.
 */
export function dataFolder(): string {
  if (process.platform !== 'linux') return tmpdir();
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY);
    return type === TMPFS && bavail * bsize >= ENOUGH_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}
