import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { sqlState } from '../sql-state.ts';
import { CONNECT_MILLISECONDS, Hosts } from './hosts.ts';

/** What a connection keeps from one transaction to the next (decision 0248). */
export interface Pooler {
  /** Does each transaction get another connection of the server? */
  readonly isByTransaction: boolean;
  /** Are statements that have a name found again? */
  readonly keepsNames: boolean;
  /** Do the settings of the start of a connection hold? */
  readonly keepsSettings: boolean;
}

/** A connection to PostgreSQL itself. */
export const NO_POOLER: Pooler = { isByTransaction: false, keepsNames: true, keepsSettings: true };

/** Everything works through a pooler that is expected to keep nothing. */
export const STRICT_POOLER: Pooler = { isByTransaction: true, keepsNames: false, keepsSettings: false };

const LOST_NAME = new Set(['26000', '42P05']); // a name that is unknown, or is there already
const REFUSED_STATES = new Set(['08P01', '0A000']);
const REFUSED_SETTING = /startup parameter|startup option|command-line option/i;

const refusesSettings = (error: unknown): boolean =>
  REFUSED_STATES.has(sqlState(error)) && error instanceof Error && REFUSED_SETTING.test(error.message);

/** Does this error come from a pooler that does not keep what it was expected to keep? */
export const losesSession = (error: unknown): boolean => LOST_NAME.has(sqlState(error)) || refusesSettings(error);

/**
 * A connection of the server, whatever machine it is on. Numbers of processes are used again, and two servers behind
 * one address may have the same.
 */
const SERVER_CONNECTION = `
  select concat(pid, ' ', backend_start) as server, pid from pg_stat_activity where pid = pg_backend_pid()`;

const ROUNDS = 20;

/** So long a busy server may need for one statement. Only a pooler without a second connection lets one wait longer. */
const PATIENCE_MILLISECONDS = 4 * CONNECT_MILLISECONDS;

const SETTINGS = '-c TimeZone=UTC -c DateStyle=ISO -c statement_timeout=54321';

/**
 * Finds a pooler of transactions between the program and PostgreSQL, and what it keeps.
 *
 * PostgreSQL begins a connection with a key for its cancellation, which has the number of its process. A pooler that
 * shares connections has keys of its own. So a connection whose two numbers are equal has no pooler, and costs one
 * question.
 *
 * Otherwise one connection asks again and again which connection of the server it has: while another connection holds a
 * transaction open, which takes away the server connection that has just become free, and when that transaction has
 * ended, which leaves behind the connection of its own. A server that is not shared never answers differently on one
 * connection, and never the same on two: so a pooler of sessions is never taken for one of transactions. A pooler that
 * gives out connections in any order is found: if the other does not get the same connection at once, the first gets a
 * different one soon.
 */
export async function findPooler(url: string): Promise<Pooler> {
  const primary = await new Hosts(url).choose();
  await using first = await open(primary, SETTINGS).catch((error: unknown) => {
    if (refusesSettings(error)) return open(primary);
    throw error;
  });
  const [home, keepsSettings] = [await first.server(), await first.hasSettings()];
  if (first.key === home.pid && keepsSettings) return NO_POOLER;
  await using second = await open(primary);
  const { isByTransaction, keepsNames } = await compare(first, home.server, second);
  return { isByTransaction, keepsNames, keepsSettings: keepsSettings && !isByTransaction };
}

async function compare(first: Opened, home: string, second: Opened): Promise<Omit<Pooler, 'keepsSettings'>> {
  let isByTransaction = false;
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      await second.begin();
      isByTransaction ||= (await second.server()).server === home;
      const during = await first.server();
      await second.commit();
      const after = await first.server();
      // The name was made known on one connection of the server, and was found on another.
      if (during.server !== home || after.server !== home) return { isByTransaction: true, keepsNames: true };
    }
  } catch (error) {
    if (losesSession(error)) return { isByTransaction: true, keepsNames: false };
    if (!isLate(error)) throw error;
  }
  return { isByTransaction, keepsNames: !isByTransaction };
}

/** A pooler of sessions that has no second connection lets the second wait. */
const isLate = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout';

interface Opened extends AsyncDisposable {
  /** The number in the key of the connection, by which a statement can be cancelled. */
  readonly key: number | null;
  /** Which connection of the server is it? Asked by a statement with a name that nobody else has. */
  server(): Promise<{ server: string; pid: number }>;
  hasSettings(): Promise<boolean>;
  begin(): Promise<unknown>;
  commit(): Promise<unknown>;
}

async function open(url: string, options?: string): Promise<Opened> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5 * CONNECT_MILLISECONDS,
    query_timeout: PATIENCE_MILLISECONDS,
    application_name: 'reckoner',
    ...(options !== undefined && { options }),
  });
  client.on('error', () => undefined); // a connection that breaks is reported by the statement that meets it
  await client.connect();
  const name = `reckoner_${randomBytes(9).toString('hex')}`;
  return {
    key: (client as { processID?: number | null }).processID ?? null,
    server: async () => {
      const { rows } = await client.query<{ server: string; pid: number }>({ name, text: SERVER_CONNECTION });
      return rows[0] as { server: string; pid: number };
    },
    hasSettings: async () => {
      const { rows } = await client.query<{ holds: boolean }>(
        `select current_setting('statement_timeout') = '54321ms' and current_setting('TimeZone') = 'UTC' as holds`,
      );
      return rows[0]?.holds === true;
    },
    begin: () => client.query('begin'),
    commit: () => client.query('commit'),
    [Symbol.asyncDispose]: async () => {
      await client.end().catch(() => undefined);
    },
  };
}
