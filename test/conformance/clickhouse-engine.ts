import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClickHouse, overClient } from '../../src/metering/clickhouse/store.ts';

/** A folder in which `chdb` and `@clickhouse/client` are installed; scripts/conformance-clickhouse.sh makes one. */
const folder = process.env.RECKONER_CHDB;

/** Is there a ClickHouse to try this on? */
export const hasEngine: boolean = folder !== undefined && folder !== '';

/** What is said of tests that need one and do not have it. */
export const unlessEngine: string = hasEngine ? '' : ' (not run: scripts/conformance-clickhouse.sh does)';

/** ClickHouse inside this process, through the client that talks to a server in production. One at a time. */
export async function openEngine(): Promise<ClickHouse> {
  if (folder === undefined) throw new Error('RECKONER_CHDB names no folder with chdb in it.');
  const load = createRequire(join(folder, 'package.json'));
  const { createClient } = load('@clickhouse/client');
  const { createChdbConnection } = load('chdb/connection');
  const path = await mkdtemp(join(tmpdir(), 'reckoner-chdb-'));
  const engine = overClient(createClient({ connection: createChdbConnection({ path }) }));
  return {
    ...engine,
    close: async () => {
      await engine.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}
