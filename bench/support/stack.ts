import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '../../src/db/embedded/index.ts';
import { migrate } from '../../src/db/index.ts';
import { generateMasterKey } from '../../src/kernel/sealing.ts';
import type { FloodOrder, FloodReport } from './flood.ts';
import type { LoadOrder, LoadReport } from './load.ts';
import type { ReadOrder, ReadReport } from './reads.ts';

export interface Target {
  readonly port: number;
  /** Of a server in the same process whose only route, `/v0/one`, is `select 1` with a key. */
  readonly limitPort: number;
  readonly key: string;
  readonly merchantId: string;
  /** The key of another merchant. */
  readonly otherKey: string;
  readonly processId: number;
  /** The most processor time that one turn of its event loop took since this was asked last, in milliseconds. */
  longestHold(): Promise<number>;
}

/** How a server differs from one that has all roles and runs no due work. */
type How = 'any slots' | 'with worker' | 'api' | 'ingest' | 'worker';

/**
 * What a benchmark runs on: a PostgreSQL of its own with everything on that makes a commit last, and processes to load
 * it.
 */
export interface Stack {
  readonly postgresId: number;
  /** A new, migrated database. */
  database(): Promise<string>;
  /** A server process on a database, or the bare one; gone when `work` ends. @param how see server.ts */
  serving<T>(what: string, work: (target: Target) => Promise<T>, how?: How): Promise<T>;
  load(target: Target, order: Omit<LoadOrder, 'port' | 'key'>): Promise<LoadReport>;
  /** Loads a server by the clock; see `FloodOrder`. `log` is written in the stack's folder. */
  flood(target: Target, order: Omit<FloodOrder, 'port' | 'key' | 'now'> & { key?: string }): Promise<FloodReport>;
  /** Reads from a server by the clock; see `ReadOrder`. */
  read(target: Target, order: Omit<ReadOrder, 'port' | 'key'> & { key?: string; port?: number }): Promise<ReadReport>;
  /** The path of a file that is removed with the stack. */
  file(name: string): string;
}

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const START = Date.now();
const AS_STARTED = ['--max-semi-space-size=16']; // as by npm start (docs/decisions/0030)

/**
 * Runs `work` on a stack in a temporary folder, and removes it.
 * @param settings of PostgreSQL, beside the usual ones
 */
export async function withStack(
  work: (stack: Stack) => Promise<void>,
  settings: Readonly<Record<string, string | number>> = {},
): Promise<void> {
  process.env.BENCH_MASTER_KEY = generateMasterKey(); // several servers may use one database
  const folder = mkdtempSync(join(tmpdir(), 'reckoner-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDirectory: folder, settings });
  let databases = 0;
  try {
    await work({
      postgresId: postgres.processId,
      database: async () => {
        databases += 1;
        const name = `bench_${databases}`;
        await postgres.ensureDatabase(name);
        await migrate(postgres.urlFor(name));
        return postgres.urlFor(name);
      },
      serving: async (what, use, how) => {
        const child = fork(here('server.ts'), how === undefined ? [what] : [what, how], {
          stdio: 'inherit',
          execArgv: AS_STARTED,
        });
        try {
          const said = await firstMessage<Omit<Target, 'processId' | 'longestHold'>>(child);
          const longestHold = (): Promise<number> => {
            const answer = firstMessage<number>(child);
            child.send('longest hold');
            return answer;
          };
          return await use({ ...said, processId: child.pid as number, longestHold });
        } finally {
          const ended = new Promise((resolve) => child.once('exit', resolve));
          child.kill('SIGKILL');
          await ended;
        }
      },
      load: ({ port, key }, order) =>
        firstMessage<LoadReport>(fork(here('load.ts'), [JSON.stringify({ ...order, port, key, now: START })])),
      flood: ({ port, key }, order) =>
        firstMessage<FloodReport>(fork(here('flood.ts'), [JSON.stringify({ key, ...order, port, now: START })])),
      read: ({ port, key }, order) =>
        firstMessage<ReadReport>(fork(here('reads.ts'), [JSON.stringify({ key, port, ...order })])),
      file: (name) => join(folder, name),
    });
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const firstMessage = <T>(child: ChildProcess): Promise<T> =>
  new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`A process of the benchmark ended with ${code}.`));
    child.once('exit', onExit);
    child.once('error', reject);
    child.once('message', (message) => {
      child.off('exit', onExit).off('error', reject);
      resolve(message as T);
    });
  });

const TICKS_PER_SECOND = 100; // of /proc on every Linux

/** Processor seconds that a process and its descendants have taken so far. Linux. */
export function processorSeconds(ancestor: number): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ id: Number(name), fields: statOf(name) }));
  const found = [ancestor];
  for (const parent of found)
    found.push(...all.filter(({ fields }) => Number(fields[1]) === parent).map(({ id }) => id));
  const ticks = all
    .filter(({ id }) => found.includes(id))
    .flatMap(({ fields }) => fields.slice(11, 15)) // its own, and that of its children that have ended
    .reduce((total, ticksOfOne) => total + Number(ticksOfOne), 0);
  return ticks / TICKS_PER_SECOND;
}

/** The processor time that a process of one thread has taken, in microseconds: finer than ticks. */
export const processMicroseconds = (processId: number): number =>
  Number(readFileSync(`/proc/${processId}/schedstat`, 'utf8').split(' ')[0]) / 1_000;

/** The fields of /proc/<pid>/stat after the name: state, parent, … */
function statOf(name: string): string[] {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return []; // it ended in between
  }
}

/** Memory of one process that nobody else has, in MiB. Linux. */
export function residentMegabytes(processId: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}
