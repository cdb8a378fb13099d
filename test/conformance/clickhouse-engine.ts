import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClickHouse, overClient } from '../../src/metering/clickhouse/store.ts';

/** A folder with `chdb` and `@clickhouse/client`; `npm run test:clickhouse` makes one. */
const folder = process.env.RECKONER_CHDB;

/** Is there a ClickHouse to try this on? */
export const hasEngine: boolean = folder !== undefined && folder !== '';

/** The message about tests that need an engine and do not have it. */
export const unlessEngine: string = hasEngine ? '' : ' (not run: npm run test:clickhouse does)';

/** ClickHouse inside this process: one for each process, as the engine has one folder of data. */
export interface Engine {
  /** Through the client that talks to a server in production, without a network. */
  readonly clickhouse: ClickHouse;
  /** The rows of an answer as anybody gets them from the client: one object each. */
  objects(text: string): Promise<unknown[]>;
  /**
   * Runs statements and returns the output. The last statement may end in data. @throws with ClickHouse's own message
   */
  run(text: string): Promise<string>;
  close(): Promise<void>;
}

/** @param options as the program `clickhouse` takes them */
export async function openEngine(options: readonly string[] = []): Promise<Engine> {
  if (folder === undefined) throw new Error('RECKONER_CHDB names no folder with chdb in it.');
  const load = createRequire(join(folder, 'package.json'));
  const { createClient } = load('@clickhouse/client');
  const { createChdbConnection } = load('chdb/connection');
  const path = await mkdtemp(join(tmpdir(), 'reckoner-chdb-'));
  const { Session } = load('chdb');
  // the first opener of the folder decides the options
  const first = new Session(path, { connectionArgs: [...options] });
  const connection = createChdbConnection({ path });
  const client = createClient({ connection });
  const clickhouse = overClient(client);
  return {
    clickhouse,
    objects: async (text) => {
      const found = await client.query({ query: text, format: 'JSONEachRow' });
      return (await found.json()) as unknown[];
    },
    run: async (text) => {
      try {
        const { stream } = await connection.query({ query: text });
        return Buffer.concat(await stream.toArray()).toString();
      } catch (error) {
        const { code, type, message } = error as Error & { code?: string; type?: string };
        throw new Error(`Code: ${code}. DB::Exception: ${message} (${type})`, { cause: error });
      }
    },
    close: async () => {
      await clickhouse.close();
      first.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}
