import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { connectionUrl, type Endpoint, LOGIN } from './configuration.ts';

/** The server of another process, which keeps it running. */
export interface RunningPostgres {
  urlFor(database: string): string;
  loginUrlFor(database: string): string;
  readonly version: string;
}

const noteIn = (dataDirectory: string): string => join(dataDirectory, 'endpoint.json');

/**
 * Says in the data folder how its server is reached, for commands that join a running program. Call it under the lock
 * only.
 */
export function noteEndpoint(dataDirectory: string, endpoint: Endpoint): void {
  writeFileSync(noteIn(dataDirectory), `${JSON.stringify(endpoint)}\n`, { mode: 0o600 });
}

/** Removes what this or an earlier start noted. */
export function forgetEndpoint(dataDirectory: string): void {
  rmSync(noteIn(dataDirectory), { force: true });
}

/**
 * The server of a data folder now, started by any process.
 * @returns null if there is none, or this user cannot reach it
 */
export async function joinEmbeddedPostgres(dataDirectory: string): Promise<RunningPostgres | null> {
  let endpoint: Endpoint;
  try {
    endpoint = JSON.parse(readFileSync(noteIn(resolve(dataDirectory)), 'utf8')) as Endpoint;
  } catch {
    return null;
  }
  const client = new pg.Client({
    connectionString: connectionUrl(endpoint, 'postgres'),
    connectionTimeoutMillis: 5_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string }>(`select current_setting('server_version') as version`);
    return {
      urlFor: (database) => connectionUrl(endpoint, database),
      loginUrlFor: (database) => connectionUrl(endpoint, database, LOGIN),
      version: rows[0]?.version ?? '',
    };
  } catch {
    return null;
  } finally {
    await client.end().catch(() => undefined);
  }
}
