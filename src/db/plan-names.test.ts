import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { cloneDatabase } from '../../test/support/environment.ts';
import { newId } from '../kernel/ids.ts';
import { Database, sql } from './index.ts';

let owner: pg.Client;
let database: Database;
let drop: () => Promise<void>;
let url: string;
beforeAll(async () => {
  const clone = await cloneDatabase();
  ({ drop, url } = clone);
  owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await owner.query('create table thing (id int primary key); grant select on thing to reckoner_app');
  await owner.query('insert into thing select generate_series(1, 3)');
});
afterAll(async () => {
  await owner.end();
  await drop();
});
beforeEach(() => {
  database = new Database({ url, connections: 1 });
});
afterEach(() => database.close());

const things = (id: number, isByKeys = true) =>
  database.transaction('nobody', (tx) => tx.rows(sql`select * from thing where id = ${id}`), {
    ...(isByKeys && { byKeys: 'one thing' as const }),
  });

/** Their names are a generation and 43 signs. A run of tests gives all statements names, of the signs alone. */
const kept = async () => {
  const of = sql`
    select from pg_prepared_statements where length(name) = 44 and statement like 'select * from thing%'`;
  return (await database.transaction('nobody', (tx) => tx.rows(of))).length;
};

it('keeps the plan of a statement that is sent often, in transactions by keys', async () => {
  for (let time = 0; time < 5; time += 1) expect(await things(time % 3, false)).toHaveLength(time % 3 === 0 ? 0 : 1);
  expect(await kept()).toBe(0);
  await things(1);
  await things(2);
  expect(await kept()).toBe(0);
  await things(3);
  expect(await kept()).toBe(1);
});

it('answers the columns of now when a migration changes them under a kept plan', async () => {
  for (let time = 0; time < 8; time += 1) expect(await things(2)).toEqual([{ id: 2 }]);
  await owner.query('alter table thing add column name text');
  expect(await things(2)).toEqual([{ id: 2, name: null }]);
  await owner.query('alter table thing drop column name');
  expect(await things(2)).toEqual([{ id: 2 }]);
});

it('keeps merchants apart under one kept plan, and finds their rows by keys, however few there are', async () => {
  const [one, other] = [newId('organization'), newId('organization')];
  for (const id of [one, other])
    await owner.query(
      `insert into organization (merchant_id, id, type, name, created_at, updated_at)
       values ($1, $1, 'merchant', 'Merchant', now(), now())`,
      [id],
    );
  const seen = (id: string) =>
    database.transaction(
      { merchants: [id] },
      async (tx) => [
        await tx.rows(sql`select id from organization`),
        await tx.rows(sql`explain select id from organization where merchant_id = ${id}`),
      ],
      { byKeys: 'one thing' },
    );
  for (const id of [one, other, one, other, one]) {
    const [rows, plan] = await seen(id);
    expect(rows).toEqual([{ id }]);
    expect(JSON.stringify(plan)).toContain('Index');
    expect(JSON.stringify(plan)).not.toContain('Seq Scan');
  }
});
