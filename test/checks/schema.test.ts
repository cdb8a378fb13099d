import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { changedMigrations } from '../../scripts/checks/migrations.ts';
import { home, projectFiles } from '../../scripts/checks/project.ts';
import {
  excessRights,
  joinsWithoutHashing,
  keysWithoutMerchant,
  lossyColumns,
  openDefiners,
  type Query,
  unlockedTables,
} from '../../scripts/checks/schema.ts';
import { schemaPage } from '../../scripts/checks/schema-page.ts';
import { migrate, migrationFiles } from '../../src/db/index.ts';
import { columnOf, fieldOf } from '../../src/db/names.ts';
import { cloneDatabase } from '../support/environment.ts';

let client: pg.Client;
let drop: () => Promise<void>;
const query: Query = async (text) => (await client.query(text)).rows;

beforeAll(async () => {
  const clone = await cloneDatabase();
  drop = clone.drop;
  client = new pg.Client({ connectionString: clone.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await drop();
});

describe('the migrated database', () => {
  it('locks every table of a merchant', async () => expect(await unlockedTables(query)).toEqual([]));

  it('keys and joins by the merchant first', async () => expect(await keysWithoutMerchant(query)).toEqual([]));

  it('keeps amounts and instants in types that lose nothing', async () =>
    expect(await lossyColumns(query)).toEqual([]));

  it('names columns so that their fields lead back to them', async () => {
    const columns = await query(
      `select distinct column_name as name from information_schema.columns where table_schema = 'public'`,
    );
    const names = columns.map(({ name }) => name as string);
    expect(names.filter((name) => columnOf(fieldOf(name)) !== name)).toEqual([]);
  });

  it('is docs/schema.sql (npm run docs:schema prints it)', async () => {
    const page = projectFiles().find(({ path }) => path === 'docs/schema.sql');
    expect(page?.text).toBe(await schemaPage(query));
  });

  it('gives the roles of the program no more than rows', async () => expect(await excessRights(query)).toEqual([]));

  it('fixes the search path of what runs as the owner', async () => expect(await openDefiners(query)).toEqual([]));

  it('joins the rows of a trigger by hashing', async () => expect(await joinsWithoutHashing(query)).toEqual([]));
});

describe('the migrations', () => {
  const files = projectFiles().filter(({ path }) => path.startsWith('migrations/') && path.endsWith('.sql'));

  it('make everything from empty, and nothing the second time', async () => {
    const name = `empty_${process.pid}`;
    const admin = new pg.Client({ connectionString: inject('postgresUrl') });
    await admin.connect();
    try {
      await admin.query(`create database ${name}`);
      const url = inject('postgresUrl').replace(/\/postgres(?=\?|$)/, `/${name}`);
      const names = (await migrationFiles()).map(({ name }) => name);
      expect(await migrate(url)).toEqual({ applied: names, current: names.at(-1), isNewer: false });
      const first = await columnsOf(url);
      expect(first).not.toEqual([]);
      expect(await migrate(url)).toEqual({ applied: [], current: names.at(-1), isNewer: false });
      expect(await columnsOf(url)).toEqual(first);
    } finally {
      await admin.query(`drop database if exists ${name} with (force)`);
      await admin.end();
    }
  });

  it('are numbered, each number once', () => {
    const numbers = files.map(({ path }) => /^migrations\/(\d{4})_[a-z_]+\.sql$/.exec(path)?.[1]);
    expect(numbers).not.toContain(undefined);
    expect(new Set(numbers).size).toBe(files.length);
  });

  it('say first why they are', () => {
    expect(files.filter(({ text }) => !/^-- \S/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('never change: migrations/hashes.txt has their hashes', async () => {
    expect(changedMigrations(await migrationFiles(), readFileSync(`${home}migrations/hashes.txt`, 'utf8'))).toEqual([]);
  });
});

describe('these checks see', () => {
  it('a migration that was edited, one that was removed, and one without a line', () => {
    const hash = 'a'.repeat(64);
    const file = (name: string) => ({ name, text: '', hash });
    const list = `${hash}  0001_a.sql\n${'b'.repeat(64)}  0002_b.sql\n${hash}  0003_c.sql\n`;
    expect(changedMigrations([file('0001_a'), file('0002_b'), file('0004_d')], list)).toEqual([
      '0002_b.sql was changed: put it back, and write a new migration',
      `migrations/hashes.txt lacks a line: ${hash}  0004_d.sql`,
      '0003_c.sql was removed: put it back',
    ]);
  });

  const foundAfter = async (statements: string, check: (query: Query) => Promise<string[]>): Promise<string[]> => {
    await client.query('begin');
    try {
      await client.query(statements);
      return await check(query);
    } finally {
      await client.query('rollback');
    }
  };
  const table = 'create table bad (merchant_id text not null, id text not null, primary key (merchant_id, id));';
  const numbered =
    'create table bad (merchant_number int not null, id text not null, primary key (merchant_number, id));';

  it.each([
    { what: 'a table that nobody locked', made: table },
    { what: 'a table without policies', made: `${table} alter table bad enable row level security` },
    {
      what: 'a lock that was taken off',
      made: `${table} call tenant_table('bad'); alter table bad disable row level security`,
    },
    {
      what: 'a policy too many',
      made: `${table} call tenant_table('bad'); create policy extra on bad to reckoner_app using (true)`,
    },
    {
      what: 'a policy that was changed',
      made: `${table} call tenant_table('bad'); alter policy merchants on bad using (true)`,
    },
    { what: 'a table of numbers that nobody locked', made: numbered },
    {
      what: 'a policy of numbers that was changed',
      made: `${numbered} call numbered_table('bad');
             alter policy merchants on bad using (merchant_number = any (array[1, 2]))`,
    },
  ])('$what', async ({ made }) => {
    expect(await foundAfter(made, unlockedTables)).toHaveLength(1);
    expect(await foundAfter(`${table} call tenant_table('bad')`, unlockedTables)).toEqual([]);
    expect(await foundAfter(`${numbered} call numbered_table('bad')`, unlockedTables)).toEqual([]);
  });

  it.each([
    { what: 'a key by the id alone', made: 'create table bad (merchant_id text, id text primary key)' },
    {
      what: 'a key that ends with the merchant',
      made: 'create table bad (merchant_id text, id text, primary key (id, merchant_id))',
    },
    {
      what: 'a key that ends with the number of the merchant',
      made: 'create table bad (merchant_number int, id text, primary key (id, merchant_number))',
    },
    { what: 'a table without a key', made: 'create table bad (merchant_id text)' },
    {
      what: 'a reference across merchants',
      made: `${table} alter table bad add unique (id);
             create table worse (merchant_id text, id text references bad (id), primary key (merchant_id, id))`,
    },
  ])('$what', async ({ made }) => {
    expect(await foundAfter(made, keysWithoutMerchant)).toHaveLength(1);
    expect(await foundAfter(table, keysWithoutMerchant)).toEqual([]);
  });

  it.each(['double precision', 'real', 'money', 'timestamp', 'interval', 'json'])(
    'a column of type %s',
    async (type) => {
      expect(await foundAfter(`create table bad (value ${type})`, lossyColumns)).toHaveLength(1);
    },
  );

  it.each([
    {
      what: 'a table of the application',
      made: 'create table bad (id int); grant create on schema public to reckoner_app; alter table bad owner to reckoner_app',
    },
    { what: 'a role that steps around policies', made: 'alter role reckoner_operator bypassrls' },
    { what: 'a role that makes tables', made: 'grant create on schema public to reckoner_operator' },
    { what: 'an operator that writes', made: `${table} grant update on bad to reckoner_operator` },
    { what: 'owners that everybody reads', made: 'grant select on resource to reckoner_app' },
  ])('$what', async ({ made }) => expect(await foundAfter(made, excessRights)).not.toEqual([]));

  it('a function that runs as its owner on any path', async () => {
    const made = "create function bad() returns int language sql security definer as 'select 1'";
    expect(await foundAfter(made, openDefiners)).toHaveLength(1);
  });

  it('a trigger that compares each row with each', async () => {
    const made = `create function bad() returns trigger language plpgsql as
      'begin perform from new_rows n join old_rows o on o.id = n.id; return null; end'`;
    expect(await foundAfter(made, joinsWithoutHashing)).toHaveLength(1);
  });
});

async function columnsOf(url: string): Promise<unknown[]> {
  const reader = new pg.Client({ connectionString: url });
  await reader.connect();
  try {
    const { rows } = await reader.query(
      "select table_name, column_name, data_type from information_schema.columns where table_schema = 'public' order by 1, 2",
    );
    return rows;
  } finally {
    await reader.end();
  }
}
