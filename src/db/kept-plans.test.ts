import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { Database, sql, type Tx } from './index.ts';
import { isByKey } from './kept-plans.ts';

const KEYS = new Map([
  [
    'invoice',
    [
      ['merchant_id', 'id'],
      ['merchant_id', 'seq'],
    ],
  ],
  ['line', [['merchant_id', 'invoice_id', 'id']]],
]);

describe('the plan of a statement is kept', () => {
  it.each([
    'select * from invoice where merchant_id = $1 and id = $2',
    '\n  select * from invoice where merchant_id = $1\n and seq = $2::bigint for update',
    'select (select environment_name()) as name, id from "invoice" as i where i.merchant_id = $1 and i.id = $2',
    'select * from invoice where merchant_id = any ($1) and id = any ($2::text[]) and deleted_at is null order by id',
    'select * from line where merchant_id = $1 and invoice_id = $2 and id = $3 and (price_id = $4 or price_id is null)',
    'update invoice set "status" = $1, due = $2 where merchant_id = $3 and id = $4 and status = $5 returning *',
    'update invoice i set status = $1 where i.id = $3 and i.merchant_id = $2',
    'delete from line where merchant_id = $1 and invoice_id = $2 and id = $3',
    'insert into invoice ("merchant_id", "id") values ($1, $2)',
    'insert into invoice (merchant_id, id) values ($1, $2) on conflict (id) do update set seq = excluded.seq',
  ])('%s', (statement) => {
    expect(isByKey(statement, KEYS)).toBe(true);
  });
});

describe('a statement is planned each time', () => {
  it.each([
    ['with a part of a key', 'select * from invoice where merchant_id = $1'],
    ['with a part of a long key', 'select * from line where merchant_id = $1 and id = $2'],
    ['where one of two conditions is enough', 'select * from invoice where merchant_id = $1 and id = $2 or seq = $3'],
    ['where a key is compared otherwise', 'select * from invoice where merchant_id = $1 and id > $2'],
    ['where a key is between two', 'select * from invoice where merchant_id = $1 and id between $2 and $3'],
    ['where a key is none of a list', 'select * from invoice where merchant_id = $1 and id <> all ($2)'],
    ['where a key is an expression', 'select * from invoice where merchant_id = $1 and id = $2 || $3'],
    ['where an expression of the key is compared', 'select * from invoice where merchant_id = $1 and lower(id) = $2'],
    ['where a key is negated', 'select * from invoice where merchant_id = $1 and not id = $2'],
    ['where the column is of another table', 'select * from invoice i where i.merchant_id = $1 and x.id = $2'],
    ['of two tables', 'select * from invoice, line where merchant_id = $1 and id = $2'],
    ['of two tables with an alias', 'select * from invoice i, line where merchant_id = $1 and id = $2'],
    ['with a join', 'select * from invoice i join line l using (id) where i.merchant_id = $1 and i.id = $2'],
    ['with a question in it', 'select (select max(id) from line) from invoice where merchant_id = $1 and id = $2'],
    [
      'with a question in its condition',
      'update invoice set seq = 1 where merchant_id = $1 and id = $2 and exists (select from line)',
    ],
    ['of another table', 'select * from event where merchant_id = $1 and id = $2'],
    ['of a function', 'select * from usage_rows($1) where merchant_id = $1 and id = $2'],
    ['of a question', 'select * from (select 1) invoice where merchant_id = $1 and id = $2'],
    ['whose condition is a group', 'select count(*) from invoice group by id having merchant_id = $1 and id = $2'],
    ['of no table', 'select now()'],
    [
      'an update with another table',
      'update invoice set seq = 1 from line l where merchant_id = $1 and invoice.id = $2',
    ],
    ['an update of everything', 'update invoice set merchant_id = $1, id = $2'],
    ['a delete with another table', 'delete from invoice using line l where invoice.merchant_id = $1 and id = $2'],
    ['an insert of a question', 'insert into invoice (merchant_id, id) select merchant_id, id from line'],
    ['an insert of several rows', 'insert into invoice (merchant_id, id) values ($1, $2), ($3, $4)'],
    ['with words before it', 'with one as (select 1) select * from invoice where merchant_id = $1 and id = $2'],
    ['that is not understood', "select E'\\'' from invoice where merchant_id = $1 and id = $2"],
  ])('%s', (_, statement) => {
    expect(isByKey(statement, KEYS)).toBe(false);
  });
});

describe('on a connection', () => {
  let env: TestEnvironment;
  let database: Database;
  let merchantId: string;
  beforeAll(async () => {
    env = await openTestEnvironment();
    ({ id: merchantId } = await env.merchant());
    database = new Database({ url: env.url, connections: 1 });
  });
  afterAll(async () => {
    await database.close();
    await env.close();
  });

  const inTransaction = <T>(work: (tx: Tx) => Promise<T>) => database.transaction({ merchants: [merchantId] }, work);
  const kept = (part: string) =>
    inTransaction((tx) =>
      tx.rows<{ name: string; runs: number }>(sql`
        select name, (generic_plans + custom_plans)::int as runs from pg_prepared_statements
         where statement like ${`%${part}%`} and name like 'k%'`),
    );
  const times = async <T>(many: number, work: (tx: Tx) => Promise<T>): Promise<T | undefined> => {
    let answer: T | undefined;
    for (let time = 0; time < many; time += 1) answer = await inTransaction(work);
    return answer;
  };
  const findByKey = (tx: Tx) =>
    tx.maybe(sql`select name as by_key from organization where merchant_id = ${merchantId} and id = ${merchantId}`);

  it('a statement by a key has one plan from the tenth time on', async () => {
    expect(await times(9, findByKey)).toEqual({ byKey: 'Test merchant' });
    expect(await kept('as by_key')).toEqual([]);
    expect(await times(8, findByKey)).toEqual({ byKey: 'Test merchant' });
    expect(await kept('as by_key')).toEqual([{ name: expect.any(String), runs: 8 }]);
  });

  it('a change by a key has one, too', async () => {
    const rename = (tx: Tx) =>
      tx.run(sql`update organization set name = name where merchant_id = ${merchantId} and id = ${merchantId}`);
    expect(await times(12, rename)).toBe(1);
    expect(await kept('update organization set name')).toEqual([{ name: expect.any(String), runs: 3 }]);
  });

  it('a list is planned each time', async () => {
    await times(20, (tx) => tx.rows(sql`select name as listed from organization where merchant_id = ${merchantId}`));
    expect(await kept('as listed')).toEqual([]);
  });

  it('a plan that was made for an empty table goes through the key once the table is full', async () => {
    const planOf = async () => {
      const [found] = await kept('as by_key');
      const rows = await inTransaction(async (tx) => {
        await tx.run(sql`set local plan_cache_mode = force_generic_plan`);
        return tx.rows<Record<string, string>>(sql.raw(`explain execute "${found?.name}" ('a', 'b')`));
      });
      return rows.flatMap((row) => Object.values(row)).join('\n');
    };
    await inTransaction((tx) =>
      tx.run(sql`
        insert into organization (merchant_id, id, type, name, created_at, updated_at)
        select ${merchantId}, 'org_' || n, 'consumer', 'Consumer', now(), now() from generate_series(1, 1000) n`),
    );
    await asOwner('analyze organization');
    expect(await planOf()).toMatch(/Index Scan using organization_pkey/);
  });

  it('a column that a table gets is in the next answer', async () => {
    const find = (tx: Tx) =>
      tx.maybe<{ later?: string }>(
        sql`select * from organization where merchant_id = ${merchantId} and id = ${merchantId}`,
      );
    expect((await times(12, find))?.later).toBeUndefined();
    await asOwner(`alter table organization add column later text default 'here'`);
    expect((await times(1, find))?.later).toBe('here');
    await times(12, find);
    await asOwner('alter table organization drop column later');
    expect((await times(1, find))?.later).toBeUndefined();
  });

  async function asOwner(statement: string): Promise<void> {
    const owner = new pg.Client({ connectionString: env.url });
    await owner.connect();
    await owner.query(statement);
    await owner.end();
  }
});
