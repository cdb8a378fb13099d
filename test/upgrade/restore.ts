import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { inject } from 'vitest';
import { migrationFiles } from '../../src/db/index.ts';
import { asSuperuser } from '../support/environment.ts';
import { applyMigrations } from '../support/migrations.ts';

/** Rows of one statement. */
const BATCH = 2_000;

/** A database with stored data of an earlier version, as that version left it. */
export interface Restored {
  /** The name of the database, to be cloned. */
  readonly template: string;
  readonly masterKey: string;
  /** The wall time of the data. */
  readonly now: string;
  drop(): Promise<void>;
}

/** Makes a database by the migrations that the data names, and inserts the rows. */
export async function restore(file: string): Promise<Restored> {
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n');
  const of = (kind: string) =>
    lines.filter((line) => line.startsWith(`${kind} `)).map((line) => line.slice(kind.length + 1));
  const names = new Set(of('migration'));
  const template = `upgrade_${randomBytes(6).toString('hex')}`;
  await asSuperuser(`create database ${template}`);
  const url = inject('postgresUrl').replace(/\/postgres(?=\?|$)/, `/${template}`);
  await applyMigrations(
    url,
    (await migrationFiles()).filter(({ name }) => names.has(name)),
  );
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set session_replication_role = replica'); // what triggers wrote is in the rows
    await insertRows(client, of('row'));
    for (const line of of('sequence')) await client.query(`select setval($1, $2::bigint)`, line.split(' '));
  } finally {
    await client.end();
  }
  const [[now = ''], [masterKey = '']] = [of('now'), of('masterKey')];
  return { template, now, masterKey, drop: () => asSuperuser(`drop database ${template} with (force)`) };
}

async function insertRows(client: pg.Client, lines: readonly string[]): Promise<void> {
  const rowsOf = Map.groupBy(lines, (line) => line.slice(0, line.indexOf(' ')));
  for (const [table, rows] of rowsOf) {
    const { rows: columns } = await client.query(
      `select string_agg(quote_ident(attname), ', ') as names from pg_attribute
        where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [table],
    );
    const { names } = columns[0];
    await client.query(`delete from ${table}`); // what migrations inserted
    for (let at = 0; at < rows.length; at += BATCH) {
      const batch = rows.slice(at, at + BATCH).map((line) => line.slice(table.length + 1));
      await client.query(
        `insert into ${table} (${names}) overriding system value
         select ${names} from json_populate_recordset(null::${table}, $1)`,
        [`[${batch.join(',')}]`],
      );
    }
  }
}
