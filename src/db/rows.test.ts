import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloneDatabase } from '../../test/support/environment.ts';
import { decimal } from '../kernel/decimal.ts';
import { Database, rowsAs, sql } from './index.ts';

let database: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  const clone = await cloneDatabase();
  drop = clone.drop;
  database = new Database({ url: clone.url, connections: 2 });
  const owner = new pg.Client({ connectionString: clone.url });
  await owner.connect();
  await owner.query(`
    create table toy (merchant_id text not null, id int not null, name_of text, amount numeric, at timestamptz,
                      big bigint, is_good boolean, data jsonb, seq bigint generated always as identity);
    call tenant_table('toy');`);
  await owner.end();
});
afterAll(async () => {
  await database.close();
  await drop();
});

const FIELDS = ['id', 'nameOf', 'amount', 'at', 'big', 'isGood', 'data'];
const AT = Temporal.Instant.from('2026-02-28T10:20:30.123456Z');
const ROWS = [
  { nameOf: 'plain', amount: decimal('12.3400000000000000000000001'), at: AT, big: 9007199254740993n, isGood: true },
  { nameOf: `a "quote", a \\ and a 'tick'`, amount: decimal('-0.1'), at: AT, big: -1n, isGood: false, data: {} },
  { nameOf: '', amount: null, at: null, big: null, isGood: null, data: null },
  { nameOf: 'null', data: { a: 'NULL', list: [1, '2', null, { deep: '{"x\\"}' }], money: '1.10' } },
  { nameOf: '{a,b}', data: 'a text "with" quotes' },
  { nameOf: 'a\nline\tand 雪', data: [] },
];

describe.each([1, 2, 8, 9, 40])('%d rows as a part of a statement', (count) => {
  const all = Array.from({ length: count }, (_, n) => ({ id: n, ...ROWS[n % ROWS.length] }));

  it('have their values in the types of the table', async () => {
    const found = await database.transaction({ merchants: ['org_a'] }, async (tx) =>
      tx.rows(sql`select * from ${await rowsAs(tx, 'toy', FIELDS, all)} order by id`),
    );
    const none = { nameOf: null, amount: null, at: null, big: null, isGood: null, data: null };
    expect(found).toEqual(all.map((row) => ({ ...none, ...row })));
  });
});
