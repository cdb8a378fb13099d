import pg from 'pg';

/** The tables of kysely, which migrated databases until version 0.2.0. The second one holds no information. */
const TABLES = `
  create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null);
  create table kysely_migration_lock (id varchar(255) primary key, is_locked integer not null default 0);
  insert into kysely_migration_lock (id) values ('migration_lock')`;

/** Applies these migrations to an empty database, and keeps their names alone, as version 0.1.0 did. */
export async function applyMigrations(
  url: string,
  files: readonly { readonly name: string; readonly text: string }[],
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('begin');
    await client.query(TABLES);
    for (const { name, text } of files) {
      await client.query(text);
      await client.query('insert into kysely_migration values ($1, $2)', [name, '2026-11-21T15:04:05.000Z']);
    }
    await client.query('commit');
  } finally {
    await client.end();
  }
}
