import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import { sqlState, UNDEFINED_FUNCTION } from './sql-state.ts';

const folder = fileURLToPath(new URL('../../migrations/', import.meta.url));

export interface Migrated {
  /** The names of the migrations that this run applied. */
  applied: string[];
  /** The name of the newest migration that the database has. */
  current: string;
}

/**
 * Brings a database to the newest schema: plain numbered SQL files, each applied once, in order, all in one transaction
 * under kysely's lock. Running it again changes nothing. @throws with the file's name where one fails.
 */
export async function migrate(url: string): Promise<Migrated> {
  const current = await currentIfComplete(url);
  if (current !== null) return { applied: [], current };
  const pool = new pg.Pool({ connectionString: url, max: 1, application_name: 'reckoner migrate' });
  pool.on('error', () => undefined); // a broken connection is reported by the statement that meets it
  const db = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) });
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: readMigrations } });
    const { error, results = [] } = await migrator.migrateToLatest();
    const failed = results.find((result) => result.status === 'Error');
    if (error) {
      const why = error instanceof Error ? error.message : JSON.stringify(error);
      throw new Error(`Migration ${failed?.migrationName ?? ''} failed: ${why}`, { cause: error });
    }
    const all = await migrator.getMigrations();
    return {
      applied: results.map((result) => result.migrationName),
      current: all.findLast((migration) => migration.executedAt)?.name ?? '',
    };
  } finally {
    await db.destroy();
  }
}

/**
 * The newest migration of a database that lacks none; this needs no right to change anything. @returns null where one
 * is missing
 */
async function currentIfComplete(url: string): Promise<string | null> {
  const wanted = await migrationNames();
  const client = new pg.Client({ connectionString: url, application_name: 'reckoner migrate' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      'select name from applied_migrations() as name order by name',
    );
    const applied = new Set(rows.map(({ name }) => name));
    return wanted.every((name) => applied.has(name)) ? (rows.at(-1)?.name ?? null) : null;
  } catch (error) {
    if (sqlState(error) === UNDEFINED_FUNCTION) return null;
    throw error;
  } finally {
    await client.end();
  }
}

/** The names of all migrations that this program brings with it, in order. */
export async function migrationNames(): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  return files.map((name) => name.replace(/\.sql$/, ''));
}

async function readMigrations(): Promise<Record<string, Migration>> {
  const migrations: Record<string, Migration> = {};
  for (const name of await migrationNames()) {
    const text = await readFile(`${folder}${name}.sql`, 'utf8');
    migrations[name] = { up: async (db) => void (await sql.raw(text).execute(db)) };
  }
  return migrations;
}
