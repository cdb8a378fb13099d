import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';

/** Applies these migrations to an empty database, and keeps their names alone, as version 0.1.0 did. */
export async function applyMigrations(
  url: string,
  files: readonly { readonly name: string; readonly text: string }[],
): Promise<void> {
  const migrations = Object.fromEntries(
    files.map(({ name, text }): [string, Migration] => [
      name,
      { up: async (db) => void (await sql.raw(text).execute(db)) },
    ]),
  );
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const db = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) });
  try {
    const { error } = await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateToLatest();
    if (error) throw new Error('The schema could not be made.', { cause: error });
  } finally {
    await db.destroy();
  }
}
