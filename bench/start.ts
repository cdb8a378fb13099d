import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The time a newcomer waits, and the memory that the program takes when nobody calls it. See README.md. */

const project = fileURLToPath(new URL('../', import.meta.url));
const GIVE_UP_MILLISECONDS = 120_000;
const POLL_MILLISECONDS = 10;
const REST_MILLISECONDS = 5_000;

/** On a quiet machine of two processors, with the packages in place. */
const LIMIT_FIRST_SECONDS = 4;
const LIMIT_SECOND_SECONDS = 1.5;
const LIMIT_DEMO_SECONDS = 20;
const DEMO_COMPLETE = 'Demo complete';

interface Start {
  readonly child: ChildProcess;
  readonly seconds: number;
  /** What the program says each step took, until it was ready. */
  readonly steps: readonly string[];
  /** Waits for what the program says. @returns the seconds since the start was begun. */
  until(text: string): Promise<number>;
}

const folder = mkdtempSync(join(tmpdir(), 'reckoner-bench-start-'));
const ports = [await freePort(), await freePort()] as const;
let running: ChildProcess | undefined;
try {
  const first = await start();
  const demoSeconds = await first.until(DEMO_COMPLETE);
  await stop(first.child);
  const second = await start();
  await sleep(REST_MILLISECONDS);
  const memory = memoryOf(second.child.pid as number);
  await stop(second.child);

  console.log(`npm start, ${cpus().length} processors, Node ${process.versions.node}`);
  report('first start, both /readyz green', first.seconds, LIMIT_FIRST_SECONDS);
  for (const step of first.steps) console.log(`    ${step.trim()}`);
  report('first start, demo complete', demoSeconds, LIMIT_DEMO_SECONDS);
  report('second start, both /readyz green', second.seconds, LIMIT_SECOND_SECONDS);
  for (const step of second.steps) console.log(`    ${step.trim()}`);
  if (memory === null) {
    console.log('  memory at rest: not to be had on this system (it has no /proc/<pid>/smaps_rollup)');
  } else {
    console.log(`  memory at rest, node       ${megabytes(memory.node)}`);
    console.log(`  memory at rest, postgres   ${megabytes(memory.postgres)}   (${memory.postgresProcesses} processes)`);
    console.log(`  memory at rest, npm        ${megabytes(memory.other)}   (gone when started by bin/reckoner.js)`);
  }
} finally {
  if (running) await stop(running);
  rmSync(folder, { recursive: true, force: true });
}

function report(label: string, seconds: number, limit: number): void {
  const ratio = seconds / limit;
  console.log(
    `  ${label.padEnd(34)} ${seconds.toFixed(2)} s   limit ${limit} s   ratio ${ratio.toFixed(2)}   ${ratio <= 1 ? 'yes' : 'NO'}`,
  );
}

function megabytes(kibibytes: number): string {
  return `${(kibibytes / 1024).toFixed(1).padStart(7)} MiB`;
}

/** Runs `npm start` as a newcomer would, on ports that nobody else has, and waits for both environments. */
async function start(): Promise<Start> {
  const [PORT, SANDBOX_PORT] = ports;
  const began = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: project,
    env: {
      ...withoutSettings(),
      DATA_DIR: join(folder, '.reckoner'),
      PORT: String(PORT),
      SANDBOX_PORT: String(SANDBOX_PORT),
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running = child;
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  for (const port of ports) {
    while (!(await isReady(port))) {
      if (child.exitCode !== null || performance.now() - began > GIVE_UP_MILLISECONDS) {
        throw new Error(`port ${port} did not become ready:\n${said}`);
      }
      await sleep(POLL_MILLISECONDS);
    }
  }
  const elapsed = () => (performance.now() - began) / 1000;
  const until = async (text: string): Promise<number> => {
    while (!said.includes(text)) {
      if (child.exitCode !== null || elapsed() * 1000 > GIVE_UP_MILLISECONDS) throw new Error(`no "${text}":\n${said}`);
      await sleep(POLL_MILLISECONDS);
    }
    return elapsed();
  };
  const steps = said.split('\n').filter((line) => line.includes('✔') || line.includes(' after the start'));
  return { child, seconds: elapsed(), steps, until };
}

/** This program itself runs under npm; what npm told it must not reach the start, nor may the caller's settings. */
function withoutSettings(): NodeJS.ProcessEnv {
  const ours = /^(npm_|RECKONER_|DATABASE_URL$|SANDBOX_|CLICKHOUSE_URL$|DATA_DIR$|HOST$|PORT$|PUBLIC_URL$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}

async function isReady(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: 'close' } });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false; // nobody listens yet
  }
}

async function stop(child: ChildProcess): Promise<void> {
  running = undefined;
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

interface Memory {
  node: number;
  postgres: number;
  postgresProcesses: number;
  other: number;
}

/** What the processes below this one take, in KiB: pages that several share are counted once in all (PSS). */
function memoryOf(ancestor: number): Memory | null {
  if (process.platform !== 'linux') return null;
  const memory: Memory = { node: 0, postgres: 0, postgresProcesses: 0, other: 0 };
  for (const processId of descendants(ancestor)) {
    const size = Number(/^Pss:\s+(\d+) kB/m.exec(read(`/proc/${processId}/smaps_rollup`))?.[1] ?? 0);
    const command = read(`/proc/${processId}/cmdline`).replaceAll('\0', ' ');
    if (command.includes('postgres')) {
      memory.postgres += size;
      memory.postgresProcesses += 1;
    } else if (command.includes('bin/reckoner.js') && !command.startsWith('sh ')) {
      memory.node += size;
    } else {
      memory.other += size;
    }
  }
  return memory;
}

function descendants(ancestor: number): number[] {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ processId: Number(name), parent: Number(/\) \S (\d+)/.exec(read(`/proc/${name}/stat`))?.[1]) }));
  const found = [ancestor];
  for (const parent of found) {
    found.push(...processes.filter((each) => each.parent === parent).map(({ processId }) => processId));
  }
  return found;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it ended in between
  }
}
