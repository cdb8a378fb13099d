import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import pino from 'pino';
import { type Environment, openEnvironment } from '../../src/app.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/db/embedded/index.ts';
import { generateApiKey } from '../../src/identity/index.ts';
import { generateMasterKey } from '../../src/kernel/sealing.ts';
import { dataFolder } from '../support/data-folder.ts';
import type { Answer, Client } from '../support/environment.ts';
import { addressOf, freePort, type Member, startMember } from './processes.ts';

/** The targets of kills in turn, alternating between the two intake servers. */
export const VICTIMS = ['server', 'backend', 'postmaster', 'worker', 'all of PostgreSQL'] as const;
export type Victim = (typeof VICTIMS)[number];

/**
 * A PostgreSQL, two intake servers and a worker. Each is a process that can be killed at any time and comes back. The
 * API server is queried and never killed.
 */
export interface Cluster {
  /** The addresses for events. */
  readonly addresses: readonly string[];
  readonly platformKey: string;
  /** Repeats the question until a proper answer comes: calls may come at any time, and each is safe to repeat. */
  client(apiKey: string): Client;
  /**
   * Kills with SIGKILL, once it is there; resolves when it is dead, and where it is PostgreSQL, when it has recovered.
   */
  kill(victim: Victim): Promise<void>;
  /** Resolves when everything is up. */
  whole(): Promise<void>;
  /** The number of processes that ended without a kill. */
  deaths(): number;
  /** As the owner of the database. */
  query<Row extends object>(text: string): Promise<Row[]>;
  close(): Promise<void>;
}

/**
 * @param waitsForDisk as in production. Without it, the data of a killed process is safe in the operating system. With
 * it, each recovery writes every file of the database to the disk, which takes seconds on a busy disk.
 */
export async function openCluster({ waitsForDisk }: { waitsForDisk: boolean }): Promise<Cluster> {
  const folder = await mkdtemp(join(waitsForDisk ? tmpdir() : dataFolder(), 'reckoner-crash-'));
  const options = { dataDirectory: join(folder, 'pg'), settings: { fsync: waitsForDisk ? 'on' : 'off' } };
  let postgres: EmbeddedPostgres = await startEmbeddedPostgres(options);
  await postgres.ensureDatabase('crash');
  const databaseUrl = postgres.urlFor('crash');
  const platformKey = generateApiKey('sandbox');
  const masterKey = generateMasterKey();
  const environment = await openEnvironment({
    environment: 'sandbox',
    roles: ['api'],
    databaseUrl,
    publicUrl: 'https://pay.example',
    platformKey,
    masterKey: { key: masterKey },
    logger: pino({ level: 'silent' }),
  });
  const ports = [await freePort(), await freePort(), await freePort()] as const;
  const shared = { databaseUrl, platformKey, masterKey, folder };
  const start = (roles: string, port: number) => startMember({ ...shared, roles, port });
  const servers = [start('ingest', ports[0]), start('ingest', ports[1])];
  const worker = start('worker', ports[2]);
  const members: readonly Member[] = [...servers, worker];

  /**
   * Starts PostgreSQL on the same folder, as the next start of the program would: its keeper waits longer each time.
   */
  const restart = async (stopping: Promise<void>) => {
    await stopping;
    postgres = await startEmbeddedPostgres(options);
    if (postgres.urlFor('crash') !== databaseUrl) throw new Error('PostgreSQL came back at another address.');
  };

  const query = async <Row extends object>(text: string): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: databaseUrl });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  };

  /** Kills a process that PostgreSQL works with; the postmaster then ends all others, and recovers. */
  const killBackend = async () => {
    for (let isDone = false; !isDone; ) {
      const rows = await query<{ pid: number }>(
        `select pid from pg_stat_activity
          where backend_type in ('client backend', 'walwriter', 'checkpointer') and pid <> pg_backend_pid()
          order by (state = 'active') desc nulls last, random() limit 1`,
      );
      isDone = rows.some(({ pid }) => killIfThere(pid));
    }
  };

  const kill = async (victim: Victim): Promise<void> => {
    if (victim === 'backend') return killBackend();
    if (victim === 'postmaster' || victim === 'all of PostgreSQL') {
      const { processId } = postgres;
      const children = victim === 'postmaster' ? [] : childrenOf(processId);
      process.kill(processId, 'SIGKILL');
      const stopping = postgres.stop(); // in the same moment, so that no other process starts it again
      for (const child of children) killIfThere(child);
      return restart(stopping);
    }
    if (victim === 'worker') return worker.kill();
    servers.reverse();
    return (servers[0] as Member).kill();
  };

  return {
    addresses: [addressOf(ports[0]), addressOf(ports[1])],
    platformKey,
    client: (apiKey) => clientOf(environment, apiKey),
    kill,
    whole: async () => {
      await Promise.all(members.map((member) => member.ready()));
      await clientOf(environment, platformKey).get('/v0/me');
    },
    deaths: () => members.reduce((total, { deaths }) => total + deaths, 0),
    query,
    close: async () => {
      await Promise.all(members.map((member) => member.close()));
      await environment.close();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const childrenOf = (processId: number): number[] =>
  execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (parent === processId && child !== undefined ? [child] : []));

/** @returns whether it was. */
function killIfThere(processId: number): boolean {
  try {
    return process.kill(processId, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}

const PAUSE_MILLISECONDS = 25;
const PATIENCE_MILLISECONDS = 60_000;

/** Is this an answer to wait no longer for? All others say that the call may be sent again. */
const isFinal = ({ status, body }: Answer): boolean =>
  status < 500 && status !== 429 && body?.code !== 'IDEMPOTENCY_IN_PROGRESS';

/** A client that repeats each call until an answer comes. A creation has a key, so it happens once. */
function clientOf({ server }: Environment, apiKey: string): Client {
  const once = async (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    body: unknown,
    headers: object,
  ) => {
    const reply = await server.inject({
      method,
      url,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    const isJson = String(reply.headers['content-type'] ?? '').startsWith('application/json');
    return {
      status: reply.statusCode,
      body: isJson && reply.payload !== '' ? JSON.parse(reply.payload) : reply.payload,
      headers: reply.headers,
      text: reply.payload,
      bytes: reply.rawPayload,
    };
  };
  const call = async (...words: Parameters<typeof once>): Promise<Answer> => {
    const giveUp = performance.now() + PATIENCE_MILLISECONDS;
    for (;;) {
      const answer = await once(...words);
      if (isFinal(answer) || performance.now() > giveUp) return answer;
      await sleep(PAUSE_MILLISECONDS);
    }
  };
  return {
    key: apiKey,
    get: (path, headers = {}) => call('GET', path, undefined, headers),
    post: (path, body, headers = {}) => call('POST', path, body, { 'idempotency-key': randomUUID(), ...headers }),
    put: (path, body, headers = {}) => call('PUT', path, body, headers),
    patch: (path, body, headers = {}) => call('PATCH', path, body, headers),
    delete: (path, body, headers = {}) => call('DELETE', path, body, headers),
  };
}
