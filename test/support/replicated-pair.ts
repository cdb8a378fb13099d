import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/db/embedded/index.ts';

/** A PostgreSQL and its standby. */
export interface ReplicatedPair {
  /** A connection string with both hosts. */
  readonly url: string;
  readonly primaryUrl: string;
  readonly standbyUrl: string;
  /** Kills every process of the primary with SIGKILL. */
  killPrimary(): Promise<void>;
  /** The same with the standby. */
  killStandby(): Promise<void>;
  /** Makes the standby the primary. */
  promote(): Promise<void>;
  /** Asks the standby, or former standby. */
  query<Row extends object>(text: string): Promise<Row[]>;
  queryPrimary<Row extends object>(text: string): Promise<Row[]>;
  close(): Promise<void>;
}

const ACCESS = 'local all all trust\nlocal replication all trust\n';

/**
 * Starts both, on data of their own, with an empty database of this name.
 * @param isSynchronous does the standby have every commit before it is acknowledged?
 */
export async function openReplicatedPair(database: string, isSynchronous = true): Promise<ReplicatedPair> {
  const folder = mkdtempSync(join(tmpdir(), 'reckoner-pair-'));
  chmodSync(folder, 0o755);
  const access = join(folder, 'access.conf');
  writeFileSync(access, ACCESS, { mode: 0o644 });
  const settings = { hba_file: access, fsync: 'off', wal_level: 'replica', max_wal_senders: 5 };
  const primary = await startEmbeddedPostgres({ dataDirectory: join(folder, 'primary'), settings });
  await primary.ensureDatabase(database);
  const standby = await startStandby(folder, primary, settings);
  // Only from here on: a commit without a standby would wait for ever.
  if (isSynchronous) await ask(primary.urlFor('postgres'), `alter system set synchronous_standby_names = '*'`);
  await ask(primary.urlFor('postgres'), 'select pg_reload_conf()');
  for (let state = ''; state !== (isSynchronous ? 'sync' : 'async'); await sleep(50)) {
    const text = 'select sync_state as state from pg_stat_replication';
    state = (await ask<{ state: string }>(primary.urlFor('postgres'), text))[0]?.state ?? '';
  }
  const standbyUrl = standby.urlFor(database);
  const alive = new Set([primary, standby]);
  const kill = async (server: EmbeddedPostgres) => {
    const { processId } = server;
    const children = childrenOf(processId);
    process.kill(processId, 'SIGKILL');
    const stopping = server.stop(); // in the same moment, so that it is not started again
    for (const child of children) killIfThere(child);
    alive.delete(server);
    await stopping;
  };
  return {
    url: `postgres://reckoner@${hostOf(primary)},${hostOf(standby)}/${database}?target_session_attrs=read-write`,
    primaryUrl: primary.urlFor(database),
    standbyUrl,
    killPrimary: () => kill(primary),
    killStandby: () => kill(standby),
    promote: async () => void (await ask(standbyUrl, 'select pg_promote()')),
    query: (text) => ask(standbyUrl, text),
    queryPrimary: (text) => ask(primary.urlFor(database), text),
    close: async () => {
      for (const server of alive) await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The standby is a copy of the files, with a mark by which PostgreSQL follows the primary. */
async function startStandby(
  folder: string,
  primary: EmbeddedPostgres,
  settings: Record<string, string | number>,
): Promise<EmbeddedPostgres> {
  const copy = join(folder, 'standby');
  mkdirSync(copy, { mode: 0o711 });
  const client = new pg.Client({ connectionString: primary.urlFor('postgres') });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('standby', true)`);
    const from = join(folder, 'primary', 'cluster');
    const isLeftOut = (path: string) => path.endsWith('postmaster.pid') || path.includes('/pg_wal/');
    cpSync(from, join(copy, 'cluster'), { recursive: true, filter: (path) => !isLeftOut(path.slice(from.length)) });
    chmodSync(join(copy, 'cluster'), 0o700);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    writeFileSync(join(copy, 'cluster', 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
  writeFileSync(join(copy, 'cluster', 'standby.signal'), '');
  const socket = new URL(primary.urlFor('postgres')).searchParams.get('host');
  return startEmbeddedPostgres({
    dataDirectory: copy,
    settings: { ...settings, primary_conninfo: `host=${socket} port=5432 user=reckoner` },
  });
}

/** The folder of the socket, as a host in a connection string. */
const hostOf = (server: EmbeddedPostgres): string =>
  `${encodeURIComponent(new URL(server.urlFor('postgres')).searchParams.get('host') ?? '')}:5432`;

async function ask<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const childrenOf = (processId: number): number[] =>
  execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (parent === processId && child !== undefined ? [child] : []));

function killIfThere(processId: number): void {
  try {
    process.kill(processId, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
