import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/db/embedded/index.ts';
import { migrate } from '../../src/db/index.ts';
import { isDeep } from './cases.ts';
import { DATA_FOLDERS, dataFolder } from './data-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the server's own database; test files clone theirs from `reckoner_template` beside it. */
    postgresUrl: string;
    /** A folder that is removed after the run: what test files share lies there. */
    runFolder: string;
  }
}

export const TEMPLATE = 'reckoner_template';

/**
 * A file in the run's folder. It has a line for each merchant of a shared environment: database, merchant, test file.
 */
export const SHARED_MERCHANTS = 'shared-merchants';

/** This data ends with the test run: it need not be safe, and no replica follows its log. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  // kept-plans.ts: each statement is planned once, when tables are almost empty, so by keys.
  ...(!isDeep && { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' }),
};

const DATA = 'reckoner-test-';

/** Data of runs that were killed stays until the next run: in memory, so that it makes the whole machine slow. */
async function removeLeftOver(): Promise<void> {
  for (const folder of DATA_FOLDERS.filter(existsSync))
    for (const name of await readdir(folder)) {
      const [, pid] = new RegExp(`^${DATA}(\\d+)-`).exec(name) ?? [];
      if (pid && !isAlive(Number(pid))) await rm(join(folder, name), { recursive: true, force: true });
    }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'; // another user's
  }
}

/** One real PostgreSQL for a test run, with a migrated template that each file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeLeftOver();
  const dataDirectory = await mkdtemp(join(dataFolder(), `${DATA}${process.pid}-`));
  const server = await startEmbeddedPostgres({
    dataDirectory,
    settings: SETTINGS,
  });
  await server.ensureDatabase(TEMPLATE);
  await migrate(server.urlFor(TEMPLATE));
  project.provide('postgresUrl', server.urlFor('postgres'));
  project.provide('runFolder', dataDirectory);
  return async () => {
    try {
      await auditShared(join(dataDirectory, SHARED_MERCHANTS));
    } finally {
      await server.stop();
      await rm(dataDirectory, { recursive: true, force: true });
    }
  };
}

/** The auditor, once for each environment that test files shared. @throws with what does not hold, and whose it is */
async function auditShared(registry: string): Promise<void> {
  if (!existsSync(registry)) return;
  const lines = readFileSync(registry, 'utf8').trimEnd().split('\n');
  const merchants = lines.map((line) => line.split(' ') as [url: string, merchantId: string, file: string]);
  const fileOf = new Map(merchants.map(([, merchantId, file]) => [merchantId, file]));
  const { auditDatabase } = await import('../../src/app.ts');
  const urls = [...new Set(merchants.map(([url]) => url))];
  const found = (await Promise.all(urls.map((url) => auditDatabase(url)))).flatMap(({ violations }) => violations);
  if (found.length === 0) return;
  const violations = found.map(({ examples, ...violation }) => ({
    ...violation,
    examples: examples.map((example) => ({ ...example, file: fileOf.get(example.merchantId) })),
  }));
  throw new Error(`The auditor found what must not be: ${JSON.stringify(violations, null, 2)}`);
}
