import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';

/** PostgreSQL settings by name, in PostgreSQL's own spelling. */
export type PostgresSettings = Readonly<Record<string, string | number>>;

/** How programs on this machine reach the server. */
export type Endpoint =
  | { readonly kind: 'socket'; readonly directory: string }
  | { readonly kind: 'tcp'; readonly port: number; readonly password: string };

/**
 * The superuser of an embedded server, the role that the program's connections log in as, and the port that names the
 * socket.
 */
export const SUPERUSER = 'reckoner';
export const LOGIN = 'reckoner_login';
export const SOCKET_PORT = 5432;

/** A sixteenth of the machine's memory, from 128 to 512 MiB. It is only taken once it is used. */
const bufferMebibytes = (): number => Math.round(Math.min(512, Math.max(128, totalmem() / 2 ** 20 / 16)));

/**
 * For a small machine that takes in many events: little memory at rest, few and large checkpoints, and nothing given up
 * of what makes a commit last. Compressing the log costs more processor than it saves disk when rows are small.
 */
const DEFAULT_SETTINGS: PostgresSettings = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  max_connections: 100,
  shared_buffers: `${bufferMebibytes()}MB`,
  effective_cache_size: '1GB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  max_wal_size: '4GB',
  min_wal_size: '256MB',
  checkpoint_timeout: '30min',
  wal_compression: 'off',
  random_page_cost: '1.1',
  // A table that was empty a moment ago is to be planned for as what it is now: the first run of invoices writes
  // thousands of rows.
  autovacuum_naptime: '5s',
  // No processes of their own for reading ahead: they cost memory at rest, and our reads are short.
  io_method: 'sync',
  // Plans are short too; compiling them would take longer than running them.
  jit: 'off',
  max_logical_replication_workers: 0,
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] %d ',
  log_checkpoints: 'off',
};

const quoted = (value: string | number): string => `'${String(value).replaceAll("'", "''")}'`;

/**
 * The text of postgresql.conf. First what initdb found out about this system (which shared memory it has), then ours,
 * then what the reader wrote into `local.conf`: the last one wins, so a wish survives the next start.
 */
function renderConfiguration(endpoint: Endpoint, settings: PostgresSettings): string {
  const connection: PostgresSettings =
    endpoint.kind === 'socket'
      ? {
          listen_addresses: '',
          port: SOCKET_PORT,
          unix_socket_directories: endpoint.directory,
          unix_socket_permissions: '0700',
        }
      : { listen_addresses: '127.0.0.1', port: endpoint.port };
  const lines = Object.entries({ ...DEFAULT_SETTINGS, ...settings, ...connection });
  return [
    '# Written by Reckoner at every start. Put your own settings into local.conf, in the same folder.',
    "include 'initdb.conf'",
    ...lines.map(([name, value]) => `${name} = ${quoted(value)}`),
    "include 'local.conf'",
    '',
  ].join('\n');
}

/**
 * The text of pg_hba.conf: the socket lies in a folder that only its owner may enter; a port is open to all of this
 * machine.
 */
function renderAccessRules(endpoint: Endpoint): string {
  return endpoint.kind === 'socket' ? 'local all all trust\n' : 'host all all 127.0.0.1/32 scram-sha-256\n';
}

/**
 * Writes both files, each whole or not at all; sets initdb's one aside, and makes the reader's own one, where they are
 * not there.
 */
export function writeConfiguration(cluster: string, endpoint: Endpoint, settings: PostgresSettings): void {
  const found = join(cluster, 'initdb.conf');
  if (!existsSync(found)) renameSync(join(cluster, 'postgresql.conf'), found);
  replaceFile(join(cluster, 'postgresql.conf'), renderConfiguration(endpoint, settings));
  replaceFile(join(cluster, 'pg_hba.conf'), renderAccessRules(endpoint));
  const own = join(cluster, 'local.conf');
  if (!existsSync(own)) writeFileSync(own, '# Your own PostgreSQL settings: they win over those of Reckoner.\n');
}

function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.unfinished`, text, { mode: 0o644 });
  renameSync(`${path}.unfinished`, path);
}

/** A connection string that `pg`, libpq and the URL class all understand. */
export function connectionUrl(endpoint: Endpoint, database: string, user = SUPERUSER): string {
  const path = encodeURIComponent(database);
  return endpoint.kind === 'socket'
    ? `postgres://${user}@localhost/${path}?host=${encodeURIComponent(endpoint.directory)}&port=${SOCKET_PORT}`
    : `postgres://${user}:${encodeURIComponent(endpoint.password)}@127.0.0.1:${endpoint.port}/${path}`;
}
