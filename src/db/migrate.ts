import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { connectTo, findPooler } from './connection/index.ts';
import { sqlState, UNDEFINED_FUNCTION, UNDEFINED_TABLE } from './sql-state.ts';
import { type AppliedMigration, compareMigrations, type MigrationFile, OtherVersion, oldestOf } from './versions.ts';

const folder = fileURLToPath(new URL('../../migrations/', import.meta.url));

/** From this migration on, the database keeps the hash of each migration. */
const FIRST_HASHES = '0170_db_migration_hashes';

/** Thrown where work needs a connection of its own and gets one of a pooler that shares it after each transaction. */
export class NeedsDirectUrl extends Error {
  readonly fix: string;

  /** @param setting the setting to make; absent: that of the environment */
  constructor(work: string, setting = 'DATABASE_DIRECT_URL (for the sandbox: SANDBOX_DATABASE_DIRECT_URL)') {
    super(`A pooler gives each transaction another connection to the database, but ${work} need one of their own.`);
    this.fix = `let the connection string of PostgreSQL itself be ${setting}`;
  }
}

export interface Migrated {
  /** The names of the migrations that this run applied. */
  applied: string[];
  /** The name of the newest migration that the database has. */
  current: string;
  /** Has the database migrations of a newer version, which let this one work? */
  isNewer: boolean;
}

/**
 * Only one process migrates a database at a time. The key and the table are those of kysely, which migrated databases
 * until version 0.2.0: its databases go on, and its programs wait for this lock (decision 0198).
 */
const LOCK = `
  with patience as (select set_config('lock_timeout', '1h', true))
  select pg_advisory_lock(3853314791062309107) from patience`;

const TABLE = `
  create table if not exists kysely_migration (
    name varchar(255) primary key,
    timestamp varchar(255) not null -- ISO 8601, in UTC
  )`;

const NOTE = `
  insert into kysely_migration (name, timestamp)
  values ($1, to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;

/** Files without a hash in the database get one: the first migration with hashes adds those of all files before it. */
const NOTE_HASHES = `
  insert into migration_hash (name, hash) select * from unnest($1::text[], $2::text[]) on conflict do nothing`;

/** A contract step, which takes away what programs of an older version use (decision 0253). */
const NOTE_OLDEST = 'update migration_hash set oldest = $2 where name = $1';

/**
 * Brings a database to the newest schema: plain numbered SQL files, each applied once, in order, all in one transaction
 * under a lock. Running it again changes nothing. @throws with the file's name where one fails, OtherVersion
 */
export async function migrate(url: string): Promise<Migrated> {
  const files = await migrationFiles();
  const found = await lookAtMigrations(url, files);
  if (found.missing.length === 0) return { applied: [], current: found.current, isNewer: found.isNewer };
  if ((await findPooler(url)).isByTransaction) throw new NeedsDirectUrl('migrations');
  return connected(url, async (client) => {
    await client.query(LOCK); // ends with the connection
    const { isNewer, ...late } = await lookIn(client, files); // another process may have migrated before the lock
    const missing = new Set(late.missing);
    await client.query('begin');
    await client.query(TABLE);
    for (const [place, file] of files.entries())
      if (missing.has(file.name)) await apply(client, file, files.slice(0, place + 1));
    await client.query('commit');
    return { applied: [...missing], current: late.current, isNewer };
  });
}

/** @param known the file and all files before it */
async function apply(client: pg.Client, file: MigrationFile, known: readonly MigrationFile[]): Promise<void> {
  try {
    await client.query(file.text);
    if (file.name >= FIRST_HASHES)
      await client.query(NOTE_HASHES, [known.map(({ name }) => name), known.map(({ hash }) => hash)]);
    if (file.oldest !== undefined) await client.query(NOTE_OLDEST, [file.name, file.oldest]);
    await client.query(NOTE, [file.name]);
  } catch (error) {
    const why = error instanceof Error ? error.message : JSON.stringify(error);
    throw new Error(`Migration ${file.name} failed: ${why}`, { cause: error });
  }
}

interface Look {
  /** The names of the migrations that the database lacks. */
  readonly missing: readonly string[];
  /** The name of its newest migration, once it lacks none. */
  readonly current: string;
  readonly isNewer: boolean;
}

/** This needs no right to change anything. @throws OtherVersion where another version made the database */
const lookAtMigrations = (url: string, files: readonly MigrationFile[]): Promise<Look> =>
  connected(url, (client) => lookIn(client, files));

async function lookIn(client: pg.Client, files: readonly MigrationFile[]): Promise<Look> {
  const applied = await readApplied(client);
  const { missing, problem, isNewer } = compareMigrations(files, applied);
  if (problem !== null) throw new OtherVersion(problem);
  const names = [...files, ...applied].map(({ name }) => name);
  return { missing, current: names.toSorted().at(-1) ?? '', isNewer };
}

/** Works on a connection of its own. A transaction that `work` leaves open is rolled back with it. */
async function connected<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = await connectTo(url, { application_name: 'reckoner migrate' });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** @returns whether the database is of a newer version. @throws OtherVersion where this one must not work on it */
export async function checkVersion(url: string): Promise<{ isNewer: boolean }> {
  return lookAtMigrations(url, await migrationFiles());
}

/** The migrations of a database, by the ways of this version, of version 0.1.0, and of those before it. */
async function readApplied(client: pg.Client): Promise<AppliedMigration[]> {
  for (const [place, statement] of [
    'select name, hash, oldest_program(name) as oldest from migration_hashes()',
    'select name, hash, null as oldest from migration_hashes()',
    'select name, null as hash, null as oldest from applied_migrations() as name',
    'select name, null as hash, null as oldest from kysely_migration',
  ].entries()) {
    try {
      const { rows } = await client.query<AppliedMigration>(statement);
      if (place > 1 && rows.length > 0) await checkSchema(client);
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
      const hash = createHash('sha256').update(text).digest('hex');
      return { name: path.replace(/\.sql$/, ''), text, hash, oldest: oldestOf(text) };
    }),
  );
}
