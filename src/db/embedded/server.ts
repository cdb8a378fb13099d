import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, readSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, commandAs, serverEnvironment } from './account.ts';
import type { Binaries } from './binaries.ts';
import { explainOutput } from './failure.ts';

/** One run of the PostgreSQL server. */
export interface RunningServer {
  readonly processId: number;
  /** Resolves when the server has ended, for any reason. */
  readonly ended: Promise<void>;
  /** Asks for a clean end, then insists; resolves when nothing of it runs any more. */
  stop(): Promise<void>;
  /** Asks for a clean end without waiting: the last thing a dying process can do. */
  askToStop(): void;
}

export interface ServerPlan {
  readonly account: Account;
  readonly binaries: Binaries;
  /** The folder of PostgreSQL's files (PGDATA). */
  readonly cluster: string;
  readonly logFile: string;
  readonly log: (message: string) => void;
}

const READY_POLL_MILLISECONDS = 5;
const SLOW_START_MILLISECONDS = 5_000;
const FAST_SHUTDOWN_MILLISECONDS = 60_000;
const LARGEST_LOG_BYTES = 16 * 1024 * 1024;

/**
 * Starts the server and waits until it takes connections, however long a recovery takes; throws what its log says if it
 * gives up.
 */
export async function startServer(plan: ServerPlan): Promise<RunningServer> {
  setAsideLargeLog(plan.logFile);
  const logDescriptor = openSync(plan.logFile, 'a', 0o600);
  const logStart = fstatSync(logDescriptor).size;
  try {
    return process.platform === 'win32' ? startOnWindows(plan) : await startOnUnix(plan, logDescriptor);
  } catch (error) {
    const output = readFrom(plan.logFile, logStart);
    throw Object.assign(explainOutput(output || String(error), plan.cluster, plan.logFile), { cause: error });
  } finally {
    closeSync(logDescriptor);
  }
}

async function startOnUnix(plan: ServerPlan, logDescriptor: number): Promise<RunningServer> {
  const command = commandAs(plan.account, plan.binaries.postgres, ['-D', plan.cluster]);
  // A session of its own: Ctrl-C in the terminal reaches us alone, and we end the server after our own work.
  const child = spawn(command.program, command.arguments, {
    ...command.options,
    cwd: '/',
    detached: true,
    env: serverEnvironment(plan.binaries),
    stdio: ['ignore', logDescriptor, logDescriptor],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  await untilReady(child, ended, plan);
  child.unref();
  const processId = child.pid as number;
  return {
    processId,
    ended,
    askToStop: () => void child.kill('SIGINT'),
    async stop() {
      child.ref();
      child.kill('SIGINT');
      if (await endsWithin(ended, FAST_SHUTDOWN_MILLISECONDS)) return;
      plan.log('PostgreSQL did not shut down in time and is stopped at once; the next start recovers');
      child.kill('SIGQUIT');
      if (await endsWithin(ended, FAST_SHUTDOWN_MILLISECONDS)) return;
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** PostgreSQL writes its state into the eighth line of postmaster.pid. */
async function untilReady(child: ChildProcess, ended: Promise<void>, plan: ServerPlan): Promise<void> {
  const note = join(plan.cluster, 'postmaster.pid');
  const started = performance.now();
  let isReported = false;
  while (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    const lines = readLines(note);
    if (Number(lines[0]) === child.pid && lines[7]?.startsWith('ready')) return;
    if (!isReported && performance.now() - started > SLOW_START_MILLISECONDS) {
      isReported = true;
      plan.log(`PostgreSQL is recovering after an unclean stop (its log: ${plan.logFile})`);
    }
    await Promise.race([ended, sleep(READY_POLL_MILLISECONDS)]);
  }
  if (child.pid === undefined) throw new Error('the program could not be run');
  throw new Error(`postgres ended with code ${child.exitCode ?? child.signalCode}`);
}

/**
 * Windows has neither the signals nor the sessions: pg_ctl starts the server without an administrator's rights, and
 * stops it.
 */
function startOnWindows(plan: ServerPlan): RunningServer {
  const control = (...words: string[]) =>
    execFileSync(plan.binaries.pgCtl, ['-D', plan.cluster, '-w', '-t', '600', ...words], {
      env: serverEnvironment(plan.binaries),
      stdio: 'ignore',
      windowsHide: true,
    });
  control('-l', plan.logFile, 'start');
  const processId = Number(readLines(join(plan.cluster, 'postmaster.pid'))[0]);
  const end = Promise.withResolvers<void>();
  const watch = setInterval(() => {
    try {
      process.kill(processId, 0);
    } catch {
      clearInterval(watch);
      end.resolve();
    }
  }, 1_000);
  watch.unref();
  const stop = () => {
    control('-m', 'fast', 'stop');
    clearInterval(watch);
    end.resolve();
  };
  return { processId, ended: end.promise, askToStop: stop, stop: async () => stop() };
}

async function endsWithin(promise: Promise<void>, milliseconds: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(milliseconds, false, { signal: timer.signal }).catch(() => false);
  const ended = await Promise.race([promise.then(() => true), late]);
  timer.abort();
  return ended;
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return [];
  }
}

function setAsideLargeLog(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LARGEST_LOG_BYTES) renameSync(path, `${path}.1`);
}

function readFrom(path: string, start: number): string {
  const descriptor = openSync(path, 'r');
  try {
    const length = Math.min(fstatSync(descriptor).size - start, 1024 * 1024);
    const text = Buffer.alloc(Math.max(length, 0));
    readSync(descriptor, text, 0, text.length, start);
    return text.toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}
