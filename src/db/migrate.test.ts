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
