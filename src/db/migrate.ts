import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import { sqlState, UNDEFINED_FUNCTION, UNDEFINED_TABLE } from './sql-state.ts';
import { type AppliedMigration, compareMigrations, type MigrationFile, OtherVersion } from './versions.ts';

const folder = fileURLToPath(new URL('../../migrations/', import.meta.url));

/** From this migration on, the database keeps the hash of each migration. */
const FIRST_HASHES = '0170_db_migration_hashes';

export interface Migrated {
  /** The names of the migrations that this run applied. */
  applied: string[];
  /** The name of the newest migration that the database has. */
  current: string;
}

/**
 * Brings a database to the newest schema: plain numbered SQL files, each applied once, in order, all in one transaction
 * under kysely's lock. Running it again changes nothing. @throws with the file's name where one fails, OtherVersion
 */
export async function migrate(url: string): Promise<Migrated> {
  const files = await migrationFiles();
  const current = files.at(-1)?.name ?? '';
  if ((await missingMigrations(url, files)).length === 0) return { applied: [], current };
  const pool = new pg.Pool({ connectionString: url, max: 1, application_name: 'reckoner migrate' });
  pool.on('error', () => undefined); // a broken connection is reported by the statement that meets it
  const db = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) });
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: async () => stepsOf(files) } });
    const { error, results = [] } = await migrator.migrateToLatest();
    const failed = results.find((result) => result.status === 'Error');
    if (error) {
      const why = error instanceof Error ? error.message : JSON.stringify(error);
      throw new Error(`Migration ${failed?.migrationName ?? ''} failed: ${why}`, { cause: error });
    }
    return { applied: results.map((result) => result.migrationName), current };
  } finally {
    await db.destroy();
  }
}

/**
 * The names of the migrations that a database lacks; this needs no right to change anything. @throws OtherVersion where
 * the database has others than these files
 */
export async function missingMigrations(url: string, files: readonly MigrationFile[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'reckoner migrate' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const applied = await readApplied(client);
    const { missing, problem } = compareMigrations(files, applied);
    if (problem !== null) throw new OtherVersion(problem);
    return missing;
  } finally {
    await client.end();
  }
}

/** @throws OtherVersion where the database has other migrations than this program */
export async function checkVersion(url: string): Promise<void> {
  await missingMigrations(url, await migrationFiles());
}

/** The migrations of a database, by the ways of this version, of version 0.1.0, and of those before it. */
async function readApplied(client: pg.Client): Promise<AppliedMigration[]> {
  for (const [place, statement] of [
    'select name, hash from migration_hashes()',
    'select name, null as hash from applied_migrations() as name',
    'select name, null as hash from kysely_migration',
  ].entries()) {
    try {
      const { rows } = await client.query<AppliedMigration>(statement);
      if (place > 0 && rows.length > 0) await checkSchema(client);
      return rows;
    } catch (error) {
      if (![UNDEFINED_FUNCTION, UNDEFINED_TABLE].includes(sqlState(error))) throw error;
    }
  }
  return [];
}

/**
 * The tables and functions of version 0.1.0, the last one without hashes. Files were edited in place before it, so
 * their names alone do not tell its databases from earlier ones.
 */
const SCHEMA_OF_0_1_0 = '86fbc6f410d3af2f10b2c0f31f592222';

/** Columns of tables that are locked to merchants, and functions; without the tables that the program adds later. */
const SCHEMA = `
  select md5(string_agg(line, ',' order by line collate "C")) as schema from (
    select format('%s.%s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod)) as line
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relrowsecurity and not c.relispartition
       and c.relname !~ '^event_key_(sieve_)?[0-9]'
    union all
    select format('%s %s', p.proname, md5(p.prosrc)) from pg_proc p
     where p.pronamespace = 'public'::regnamespace
       and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')) lines`;

async function checkSchema(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ schema: string }>(SCHEMA);
  if (rows[0]?.schema !== SCHEMA_OF_0_1_0)
    throw new OtherVersion('another version of Reckoner: its tables are not those of version 0.1.0');
}

/** All migrations that this program brings with it, in order. */
export async function migrationFiles(): Promise<MigrationFile[]> {
  const paths = (await readdir(folder)).filter((path) => path.endsWith('.sql')).toSorted();
  return Promise.all(
    paths.map(async (path) => {
      const text = await readFile(folder + path, 'utf8');
      return { name: path.replace(/\.sql$/, ''), text, hash: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

/** The first migration with hashes notes those of all files before it, too. */
function stepsOf(files: readonly MigrationFile[]): Record<string, Migration> {
  const steps = files.map(({ name, text }, place): [string, Migration] => {
    const known = files.slice(0, place + 1);
    const up: Migration['up'] = async (db) => {
      await sql.raw(text).execute(db);
      if (name < FIRST_HASHES) return;
      await sql`insert into migration_hash (name, hash)
        select * from unnest(${known.map((each) => each.name)}::text[], ${known.map((each) => each.hash)}::text[])
        on conflict do nothing`.execute(db);
    };
    return [name, { up }];
  });
  return Object.fromEntries(steps);
}
