import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { asSuperuser } from '../../test/support/environment.ts';
import { migrate, migrationFiles } from './index.ts';

/** An empty database, and a connection to it. */
async function emptyDatabase(): Promise<{ url: string; client: pg.Client }> {
  const name = `migrate_${randomBytes(6).toString('hex')}`;
  await asSuperuser(`create database ${name}`);
  const url = inject('postgresUrl').replace(/\/postgres(?=\?|$)/, `/${name}`);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await asSuperuser(`drop database ${name} with (force)`);
  });
  return { url, client };
}

describe('migrations', () => {
  it('are applied once if two processes start at the same time', async () => {
    const { url, client } = await emptyDatabase();
    const files = await migrationFiles();
    const names = files.map(({ name }) => name);
    const both = await Promise.all([migrate(url), migrate(url)]);
    expect(both.map(({ applied }) => applied).toSorted((a, b) => a.length - b.length)).toEqual([[], names]);
    const { rows } = await client.query<{ name: string; timestamp: string; hash: string }>(
      'select name, timestamp, hash from kysely_migration join migration_hash using (name) order by name',
    );
    expect(rows.map(({ name, hash }) => ({ name, hash }))).toEqual(files.map(({ name, hash }) => ({ name, hash })));
    for (const { timestamp } of rows) expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('are enough where only later ones are there, unless one of these needs later programs', async () => {
    const { url, client } = await emptyDatabase();
    await migrate(url);
    await client.query(
      `insert into kysely_migration values ('9998_later', now()::text), ('9999_contract', now()::text)`,
    );
    await client.query(`insert into migration_hash values ('9998_later', 'a'), ('9999_contract', 'b')`);
    expect(await migrate(url)).toEqual({ applied: [], current: '9999_contract', isNewer: true });
    await client.query(`update migration_hash set oldest = '9998_later' where name = '9999_contract'`);
    await expect(migrate(url)).rejects.toThrow(
      'a newer version of Reckoner: this version has no migration 9999_contract',
    );
    await client.query(`update migration_hash set oldest = null, hash = 'c' where name = '9999_contract'`);
    await client.query(`update migration_hash set hash = 'edited' where name = '0080_invoicing'`);
    await expect(migrate(url)).rejects.toThrow('its migration 0080_invoicing differs from the file of this version');
  });

  it('leave nothing behind if one fails, and say which', async () => {
    const { url, client } = await emptyDatabase();
    await client.query('create table due_failure ()');
    await expect(migrate(url)).rejects.toThrow('Migration 0006_jobs failed: relation "due_failure" already exists');
    const { rows } = await client.query(`select relname from pg_class where relnamespace = 'public'::regnamespace`);
    expect(rows).toEqual([{ relname: 'due_failure' }]);
    await client.query('drop table due_failure');
    expect((await migrate(url)).applied).toHaveLength((await migrationFiles()).length);
  });
});
