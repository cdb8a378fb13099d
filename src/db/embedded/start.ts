import { randomBytes } from 'node:crypto';
import { chownSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { chooseAccount, ownerOf } from './account.ts';
import { copyBinaries, locatePackage, prepareBinaries } from './binaries.ts';
import { prepareCluster } from './cluster.ts';
import {
  connectionUrl,
  type Endpoint,
  LOGIN,
  type PostgresSettings,
  SUPERUSER,
  writeConfiguration,
} from './configuration.ts';
import { exists, isDiskFull, isRoot, makeDirectory } from './directories.ts';
import { stopLeftovers } from './leftovers.ts';
import { lockDataDirectory } from './lock.ts';
import { forgetEndpoint, noteEndpoint } from './running.ts';
import { type RunningServer, type ServerPlan, startServer } from './server.ts';
import { makeSocketDirectory, removeSocketDirectory } from './socket-directory.ts';

/** A PostgreSQL server that this process started and will stop. */
export interface EmbeddedPostgres {
  /** The superuser's connection string of a database of this server, whether or not it exists: for migrations. */
  urlFor(database: string): string;
  /** The same for the role that the program works under, which is no superuser. */
  loginUrlFor(database: string): string;
  /**
   * Creates the database, and the role that logs in, if they do not exist.
   * @param like the database that a new one is a copy of; nobody may be connected to it
   * @returns whether the database is new
   */
  ensureDatabase(name: string, like?: string): Promise<boolean>;
  /** Shuts the server down cleanly and lets go of the data folder; a second call waits for the first. */
  stop(): Promise<void>;
  /** The version of PostgreSQL, as in `18.4`. */
  readonly version: string;
  /** The process id of the server's main process; another one after the server died and was started again. */
  readonly processId: number;
}

export interface EmbeddedPostgresOptions {
  /** A folder of its own; made when missing, with all its parents. */
  readonly dataDirectory: string;
  /** Receives messages for a person, in whole sentences. */
  readonly log?: (message: string) => void;
  /** PostgreSQL settings over our defaults. */
  readonly settings?: PostgresSettings;
  /** Called once, when a program of PostgreSQL is at work and this process would only wait for it. */
  readonly meanwhile?: () => void;
}

const RESTART_PAUSE_MILLISECONDS = [0, 1_000, 5_000, 15_000, 30_000];
const FULL_PAUSE_MILLISECONDS = 5_000;
const STABLE_AFTER_MILLISECONDS = 60_000;

/**
 * Starts the PostgreSQL that came with the npm packages, on a folder that nobody else may use meanwhile; what a killed
 * start left behind is cleared away first. Should the server die while we live, it is started again on the same
 * address.
 *
 * @throws EmbeddedPostgresFailure with a cause and a fix; whatever was started by then is stopped.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDirectory = resolve(options.dataDirectory);
  const log = options.log ?? (() => {});
  makeDirectory(dataDirectory, 0o700);
  const lock = await lockDataDirectory(dataDirectory);
  try {
    const { root, packageVersion } = locatePackage();
    const packaged = prepareBinaries(root, packageVersion, join(dataDirectory, 'lib'));
    const chosen = await chooseAccount(dataDirectory, packaged, () => copyBinaries(packaged, dataDirectory));
    const { account, binaries, version } = chosen;
    await stopLeftovers(join(dataDirectory, 'cluster'), log);
    const endpoint = await chooseEndpoint(dataDirectory, ownerOf(account));
    const password = endpoint.kind === 'tcp' ? endpoint.password : undefined;
    const meanwhile = once(options.meanwhile ?? (() => {}));
    const isNew = !exists(join(dataDirectory, 'cluster'));
    const preparing = prepareCluster(dataDirectory, account, binaries, password);
    if (isNew) meanwhile();
    const cluster = await preparing;
    writeConfiguration(cluster, endpoint, options.settings ?? {});
    forgetEndpoint(dataDirectory);
    const plan: ServerPlan = { account, binaries, cluster, logFile: join(dataDirectory, 'postgresql.log'), log };
    const starting = keepRunning(plan);
    meanwhile();
    const keeper = await starting;
    noteEndpoint(dataDirectory, endpoint);
    return {
      version,
      get processId() {
        return keeper.processId();
      },
      urlFor: (database) => connectionUrl(endpoint, database),
      loginUrlFor: (database) => connectionUrl(endpoint, database, LOGIN),
      ensureDatabase: (name, like) => ensureDatabase(endpoint, name, like),
      stop: once(async () => {
        forgetEndpoint(dataDirectory);
        await keeper.stop();
        removeSocketDirectory(dataDirectory);
        lock.release();
      }),
    };
  } catch (error) {
    removeSocketDirectory(dataDirectory);
    lock.release();
    throw error;
  }
}

/** A socket in a private folder; Windows, where Node cannot reach such sockets, gets a local port and a password. */
async function chooseEndpoint(dataDirectory: string, owner: { uid: number; gid: number }): Promise<Endpoint> {
  if (process.platform === 'win32') {
    return { kind: 'tcp', port: await freePort(), password: keptPassword(join(dataDirectory, 'password')) };
  }
  const directory = makeSocketDirectory(dataDirectory);
  if (isRoot()) chownSync(directory, owner.uid, owner.gid);
  return { kind: 'socket', directory };
}

function keptPassword(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    const password = randomBytes(24).toString('base64url');
    writeFileSync(path, password, { mode: 0o600 });
    return password;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}

interface Keeper {
  processId(): number;
  stop(): Promise<void>;
}

/** Starts the server, restarts it after a failure, and ends it with this process even without a call of `stop`. */
async function keepRunning(plan: ServerPlan): Promise<Keeper> {
  let server: RunningServer = await startServer(plan);
  const stopping = new AbortController();
  const onExit = () => server.askToStop();
  process.once('exit', onExit);

  const watch = async () => {
    let failures = 0;
    for (;;) {
      const since = performance.now();
      await server.ended;
      if (stopping.signal.aborted) return;
      if (performance.now() - since > STABLE_AFTER_MILLISECONDS) failures = 0;
      const isFull = isDiskFull(plan.cluster); // it is tried until there is space, however long that takes
      const pause = isFull ? FULL_PAUSE_MILLISECONDS : RESTART_PAUSE_MILLISECONDS[failures];
      if (pause === undefined)
        return plan.log(`PostgreSQL failed repeatedly and is not restarted (its log: ${plan.logFile})`);
      plan.log(
        isFull
          ? `The disk of ${plan.cluster} is full; PostgreSQL restarts when there is space`
          : 'PostgreSQL ended unexpectedly and is started again',
      );
      if (!isFull) failures += 1;
      try {
        await sleep(pause, undefined, { signal: stopping.signal, ref: false });
        await stopLeftovers(plan.cluster, plan.log);
        server = await startServer(plan);
      } catch (error) {
        if (stopping.signal.aborted) return;
        plan.log(`PostgreSQL could not be started again: ${(error as Error).message}`);
      }
    }
  };
  const watched = watch();

  return {
    processId: () => server.processId,
    async stop() {
      stopping.abort();
      process.removeListener('exit', onExit);
      const last = server;
      await last.stop();
      await watched;
      if (server !== last) await server.stop(); // a restart was on its way
    },
  };
}

const DUPLICATE_DATABASE = '42P04';
const DUPLICATE_OBJECT = '42710';
const UNIQUE_VIOLATION = '23505';

async function ensureDatabase(endpoint: Endpoint, name: string, like = 'template1'): Promise<boolean> {
  const client = new pg.Client({ connectionString: connectionUrl(endpoint, 'postgres') });
  await client.connect();
  try {
    await ensureLogin(client, endpoint);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount !== 0) return false;
    const [made, model] = [pg.escapeIdentifier(name), pg.escapeIdentifier(like)];
    await client.query(`create database ${made} owner ${SUPERUSER} template ${model}`);
    return true;
  } catch (error) {
    // Two who ask at once: the second one finds what it wanted.
    if (![DUPLICATE_DATABASE, DUPLICATE_OBJECT, UNIQUE_VIOLATION].includes((error as { code?: string }).code ?? ''))
      throw error;
    return false;
  } finally {
    await client.end();
  }
}

/** The role exists before the first migration, so that every connection but those of migrations can use it. */
async function ensureLogin(client: pg.Client, endpoint: Endpoint): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [LOGIN]);
  if (rowCount === 0) await client.query(`create role ${LOGIN} login noinherit`);
  if (endpoint.kind === 'tcp')
    await client.query(`alter role ${LOGIN} password ${pg.escapeLiteral(endpoint.password)}`);
}

function once<T>(action: () => T): () => T {
  let done: { readonly result: T } | undefined;
  return () => {
    done ??= { result: action() };
    return done.result;
  };
}
