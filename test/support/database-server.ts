import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/db/embedded/index.ts';
import { migrate } from '../../src/db/index.ts';
import { dataFolder } from './data-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the server's own database; test files clone theirs from `reckoner_template` beside it. */
    postgresUrl: string;
    /** A folder that is removed after the run: what test files share lies there. */
    runFolder: string;
  }
}

export const TEMPLATE = 'reckoner_template';

/** This data ends with the test run: it need not be safe, and no replica follows its log. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
};

/** One real PostgreSQL for a test run, with a migrated template that each file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDirectory = await mkdtemp(join(dataFolder(), 'reckoner-test-'));
  const server = await startEmbeddedPostgres({
    dataDirectory,
    settings: SETTINGS,
  });
  await server.ensureDatabase(TEMPLATE);
  await migrate(server.urlFor(TEMPLATE));
  project.provide('postgresUrl', server.urlFor('postgres'));
  project.provide('runFolder', dataDirectory);
  return async () => {
    await server.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  };
}
