import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresFailure } from './failure.ts';

const FAST_SHUTDOWN_MILLISECONDS = 60_000;
const IMMEDIATE_SHUTDOWN_MILLISECONDS = 10_000;

/**
 * Ends what a killed Reckoner left behind in this database folder, and removes the note of a server that is no more.
 *
 * Call it under the lock only: then every server that still works in the folder is an orphan. It is told to shut down
 * cleanly; what does not, or has lost its main process, is stopped at once, which costs the next server a recovery and
 * nobody a committed row. PostgreSQL would check the note itself, but takes any living process of that number for a
 * server: after a reboot, and in containers always, the number belongs to somebody else.
 */
export async function stopLeftovers(cluster: string, log: (message: string) => void): Promise<void> {
  const note = join(cluster, 'postmaster.pid');
  const noted = readProcessId(note);
  if (noted === undefined) return;
  if (worksIn(noted, cluster)) {
    log(`stopping PostgreSQL (process ${noted}), which an earlier start left running`);
    await end([noted], 'SIGINT', FAST_SHUTDOWN_MILLISECONDS, cluster);
  }
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    const remaining = processesIn(cluster, noted);
    if (remaining.length > 0) await end(remaining, signal, IMMEDIATE_SHUTDOWN_MILLISECONDS, cluster);
  }
  const survivors = processesIn(cluster, noted);
  if (survivors.length > 0) {
    throw new EmbeddedPostgresFailure(
      'LEFTOVER_DOES_NOT_STOP',
      `PostgreSQL of an earlier start still works in ${cluster} and does not stop (process ${survivors.join(', ')}).`,
      `end it: kill -9 ${survivors.join(' ')}`,
    );
  }
  rmSync(note, { force: true });
}

function readProcessId(note: string): number | undefined {
  try {
    const processId = Number(readFileSync(note, 'utf8').split('\n')[0]);
    return Number.isSafeInteger(processId) && processId > 1 ? processId : undefined;
  } catch {
    return undefined;
  }
}

async function end(processIds: readonly number[], signal: NodeJS.Signals, patience: number, cluster: string) {
  for (const processId of processIds) {
    try {
      process.kill(processId, signal);
    } catch {
      // It ended by itself in between, or belongs to someone else: what still works in the folder is counted
      // afterwards.
    }
  }
  const giveUp = performance.now() + patience;
  while (performance.now() < giveUp && processIds.some((processId) => worksIn(processId, cluster))) await sleep(20);
}

/** All processes of PostgreSQL that work in the folder. Where the system cannot list them, the main process alone. */
function processesIn(cluster: string, noted: number): number[] {
  if (process.platform !== 'linux') return worksIn(noted, cluster) ? [noted] : [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((processId) => worksIn(processId, cluster));
}

/** True if the process is a PostgreSQL of this very folder, not another process that got its number. */
function worksIn(processId: number, cluster: string): boolean {
  try {
    if (process.platform === 'linux') {
      const program = readFileSync(`/proc/${processId}/stat`, 'utf8');
      if (!/^\d+ \(postgres\) [^ZX]/.test(program)) return false;
      const there = statSync(`/proc/${processId}/cwd`);
      const here = statSync(cluster);
      return there.dev === here.dev && there.ino === here.ino;
    }
    if (process.platform === 'win32') {
      return execFileSync('tasklist', ['/FI', `PID eq ${processId}`, '/NH'], { encoding: 'utf8' }).includes('postgres');
    }
    return execFileSync('ps', ['-p', String(processId), '-o', 'command='], { encoding: 'utf8' }).includes(cluster);
  } catch {
    return false;
  }
}
