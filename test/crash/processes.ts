import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { project, variables } from '../start/support.ts';

/** A process of the program that is started again whenever it ends, as a supervisor would. */
export interface Member {
  /** Resolves when it answers; at once where it does. */
  ready(): Promise<void>;
  /** Kills it with SIGKILL once it is ready, and resolves at its end. The next process is already starting then. */
  kill(): Promise<void>;
  /** The number of its ends without a kill, once it was ready. */
  readonly deaths: number;
  /** Ends it for good. */
  close(): Promise<void>;
}

export interface MemberOptions {
  readonly roles: string;
  readonly databaseUrl: string;
  readonly platformKey: string;
  readonly masterKey: string;
  readonly port: number;
  /** A folder for the data of processes; each gets one in it. */
  readonly folder: string;
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

export const addressOf = (port: number): string => `http://127.0.0.1:${port}`;

const READY = /ready [\d.]+ s after the start/;
/** After a failed start, which costs a second of a processor. */
const PAUSE_MILLISECONDS = 400;

export function startMember({ roles, databaseUrl, platformKey, masterKey, port, folder }: MemberOptions): Member {
  const dataDirectory = mkdtempSync(join(folder, 'member-'));
  let child: ChildProcess;
  let ended: Promise<void>;
  let up: Promise<void>;
  let isReady = false;
  let isExpected = false;
  let deaths = 0;

  /** Starts one, and another where it ends before it is ready: the database may be away. */
  const start = (): Promise<void> =>
    new Promise((resolve) => {
      isReady = false;
      child = spawn(process.execPath, [join(project, 'bin', 'reckoner.js'), 'start'], {
        cwd: project,
        stdio: ['ignore', 'pipe', 'ignore'],
        env: variables({
          DATA_DIR: dataDirectory,
          RECKONER_ENVIRONMENT: 'sandbox',
          RECKONER_ROLES: roles,
          SANDBOX_DATABASE_URL: databaseUrl,
          RECKONER_SANDBOX_PLATFORM_KEY: platformKey,
          RECKONER_SANDBOX_MASTER_KEY: masterKey,
          SANDBOX_PUBLIC_URL: 'https://pay.example',
          SANDBOX_PORT: String(port),
          LOG_LEVEL: 'silent', // every request of an outage would be a line
        }),
      });
      let output = '';
      child.stdout?.on('data', (chunk: Buffer) => {
        if (isReady) return;
        output += chunk.toString('utf8');
        if (!READY.test(output)) return;
        isReady = true;
        resolve();
      });
      ended = new Promise((gone) => {
        child.once('exit', () => {
          gone();
          if (isExpected) return resolve();
          if (isReady) {
            deaths += 1;
            up = start();
            return;
          }
          setTimeout(() => (isExpected ? resolve() : void start().then(resolve)), PAUSE_MILLISECONDS);
        });
      });
    });

  up = start();
  return {
    ready: () => up,
    get deaths() {
      return deaths;
    },
    async kill() {
      await up;
      isExpected = true;
      child.kill('SIGKILL');
      await ended;
      isExpected = false;
      up = start();
    },
    async close() {
      isExpected = true;
      child.kill('SIGKILL');
      await ended;
    },
  };
}
