import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/db/embedded/index.ts';
import { migrate } from '../src/db/index.ts';
import { home } from './checks/project.ts';
import { schemaPage } from './checks/schema-page.ts';

/** Prints docs/schema.sql from a database that all migrations have made: `npm run docs:schema`. */
const dataDirectory = await mkdtemp(join(tmpdir(), 'reckoner-schema-'));
const server = await startEmbeddedPostgres({ dataDirectory });
try {
  await server.ensureDatabase('schema');
  const connectionString = server.urlFor('schema');
  await migrate(connectionString);
  const client = new pg.Client({ connectionString });
  await client.connect();
  await writeFile(
    `${home}docs/schema.sql`,
    await schemaPage(async (text) => (await client.query<Record<string, unknown>>(text)).rows),
  );
  await client.end();
} finally {
  await server.stop();
  await rm(dataDirectory, { recursive: true, force: true });
}
