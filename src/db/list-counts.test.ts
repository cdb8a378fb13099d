import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloneDatabase } from '../../test/support/environment.ts';
import { addAllListChanges } from '../jobs/list-counts.ts';
import { Database } from './index.ts';
import { type CountedList, countListsAgain, keptCount, keptTotal } from './list-counts.ts';
import { sql } from './sql.ts';
import type { Tx } from './tx.ts';

let database: Database;
let owner: pg.Client;
let drop: () => Promise<void>;
beforeAll(async () => {
  const clone = await cloneDatabase();
  drop = clone.drop;
  database = new Database({ url: clone.url, connections: 4 });
  owner = new pg.Client({ connectionString: clone.url });
  await owner.connect();
  await owner.query(`
    create table toy (merchant_id text not null, id int not null, status text not null, is_hidden boolean not null,
                      primary key (merchant_id, id));
    call tenant_table('toy');
    insert into toy select 'org_before', n, case when n % 3 = 0 then 'old' else 'new' end, n > 7 from generate_series(1, 10) n;
    call keep_list_count('toy', 'status', 'not is_hidden')`);
});
afterAll(async () => {
  await owner.end();
  await database.close();
  await drop();
});

const TOY = 'toy' as CountedList;
const within = <T>(merchantId: string, work: (tx: Tx) => Promise<T>) =>
  database.transaction({ merchants: [merchantId] }, work);
const insert = (tx: Tx, merchantId: string, from: number, to: number, status = 'new') =>
  tx.run(
    sql`insert into toy select ${merchantId}, n, ${status}, false from generate_series(${from}::int, ${to}::int) n`,
  );
const kept = (merchantId: string, facets?: readonly string[]) =>
  within(merchantId, (tx) => keptCount(tx, TOY, merchantId, facets));

it('rows that were there before a list was counted are counted', async () => {
  expect([
    await kept('org_before'),
    await kept('org_before', ['old']),
    await kept('org_before', ['new', 'old']),
  ]).toEqual([7, 2, 7]);
});

describe('a count made anew', () => {
  it.each([
    { what: 'a change that is wrong', broken: `update list_count_change set change = 99`, mended: 1 },
    { what: 'a change that is lost', broken: `delete from list_count_change`, mended: 1 },
    { what: 'a count that is wrong', broken: `insert into list_count values ($1, 'toy', 'new', 7)`, mended: 1 },
    { what: 'a facet that nobody has', broken: `insert into list_count values ($1, 'toy', 'gone', 7)`, mended: 1 },
    { what: 'nothing wrong', broken: '', mended: 0 },
  ])('is the number of rows, with $what', async ({ what, broken, mended }) => {
    const merchantId = `org_anew_${what.replaceAll(' ', '_')}`;
    await within(merchantId, (tx) => insert(tx, merchantId, 1, 4));
    if (broken.startsWith('insert')) await owner.query(broken, [merchantId]);
    else if (broken !== '') await owner.query(`${broken} where merchant_id = $1`, [merchantId]);
    expect(await within(merchantId, (tx) => countListsAgain(tx, merchantId))).toBe(mended);
    expect([await kept(merchantId), await kept(merchantId, ['new'])]).toEqual([4, 4]);
    await addAllListChanges(database, merchantId);
    expect([await kept(merchantId), await kept(merchantId, ['new'])]).toEqual([4, 4]);
  });

  it('counts what others do meanwhile once, and does not wait for them', async () => {
    const merchantId = 'org_meanwhile';
    await within(merchantId, (tx) => insert(tx, merchantId, 1, 2));
    await within(merchantId, async (slow) => {
      await insert(slow, merchantId, 10, 12);
      expect(await within(merchantId, (tx) => countListsAgain(tx, merchantId))).toBe(0);
      expect(await kept(merchantId)).toBe(2);
    });
    expect(await kept(merchantId)).toBe(5);
  });
});

const step = fc.record({
  action: fc.constantFrom('insert', 'insert', 'move', 'hide', 'show', 'touch', 'delete', 'fold'),
  from: fc.nat({ max: 30 }),
  many: fc.integer({ min: 0, max: 8 }),
  status: fc.constantFrom('new', 'old', 'lost'),
  isUndone: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer Of> ? Of : never;

async function change(tx: Tx, merchantId: string, { action, from, many, status }: Step): Promise<void> {
  const those = sql`merchant_id = ${merchantId} and id >= ${from} and id < ${from + many}`;
  if (action === 'insert')
    await tx.run(sql`
      insert into toy select ${merchantId}, n, ${status}, false from generate_series(${from}::int, ${from + many - 1}::int) n
      on conflict (merchant_id, id) do update set status = excluded.status, is_hidden = false`);
  if (action === 'move') await tx.run(sql`update toy set status = ${status} where ${those}`);
  if (action === 'hide') await tx.run(sql`update toy set is_hidden = true where ${those}`);
  if (action === 'show') await tx.run(sql`update toy set is_hidden = false where ${those}`);
  if (action === 'touch') await tx.run(sql`update toy set status = status where ${those}`);
  if (action === 'delete') await tx.run(sql`delete from toy where ${those}`);
}

let merchants = 0;
it('a kept count is the number of rows, in all and of each facet, whatever is changed, undone or folded when', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      merchants += 1;
      const merchantId = `org_random_${merchants}`;
      for (const each of steps) {
        if (each.action === 'fold') await addAllListChanges(database, merchantId);
        else
          await within(merchantId, async (tx) => {
            await tx.part(
              async () => change(tx, merchantId, each),
              () => !each.isUndone,
            );
            const counted = await tx.rows<{ status: string; rows: number }>(sql`
              select status, count(*)::int as rows from toy where merchant_id = ${merchantId} and not is_hidden group by 1`);
            const rowsOf = (status: string) => counted.find((row) => row.status === status)?.rows ?? 0;
            expect(await keptCount(tx, TOY, merchantId)).toBe(rowsOf('new') + rowsOf('old') + rowsOf('lost'));
            for (const status of ['new', 'old', 'lost'])
              expect(await keptCount(tx, TOY, merchantId, [status])).toBe(rowsOf(status));
          });
      }
    }),
    { numRuns: 40 },
  );
});

describe('transactions of one merchant', () => {
  it('do not wait for each other, and each sees its own rows and those that were committed', async () => {
    const merchantId = 'org_beside';
    await within(merchantId, (tx) => insert(tx, merchantId, 1, 2));
    await within(merchantId, async (slow) => {
      await insert(slow, merchantId, 10, 12);
      await within(merchantId, async (quick) => {
        await quick.run(sql`set local lock_timeout = '2s'`);
        await insert(quick, merchantId, 20, 20);
        expect(await keptCount(quick, TOY, merchantId)).toBe(3);
      });
      await addAllListChanges(database, merchantId);
      expect(await kept(merchantId)).toBe(3);
      expect(await keptCount(slow, TOY, merchantId)).toBe(6);
    });
    expect(await kept(merchantId)).toBe(6);
  });

  it('are counted once, however many workers fold at once', async () => {
    const merchantId = 'org_folded';
    const numbers = Array.from({ length: 40 }, (_, n) => n);
    await Promise.all(numbers.map((n) => within(merchantId, (tx) => insert(tx, merchantId, n, n))));
    await Promise.all(numbers.map(() => addAllListChanges(database, merchantId)));
    expect(await kept(merchantId)).toBe(40);
    await addAllListChanges(database, merchantId);
    expect(await kept(merchantId)).toBe(40);
    const { rows } = await owner.query(`select from list_count_change where merchant_id = 'org_folded'`);
    expect(rows).toHaveLength(0);
  });
});

it('an operator counts the rows of all merchants, a merchant its own alone', async () => {
  await within('org_one', (tx) => insert(tx, 'org_one', 1, 5, 'shared'));
  await within('org_two', (tx) => insert(tx, 'org_two', 1, 3, 'shared'));
  expect(await database.transaction('every merchant, reading', (tx) => keptCount(tx, TOY, null, ['shared']))).toBe(8);
  expect(await within('org_one', (tx) => keptCount(tx, TOY, 'org_two', ['shared']))).toBe(0);
});

describe('a total', () => {
  it.each([
    { filters: { status: undefined, other: undefined, limit: 5, merchantId: 'org_total' }, total: 6 },
    { filters: { status: 'new', offset: 2 }, total: 4 },
    { filters: { status: ['new', 'old'] }, total: 6 },
    { filters: { status: 'new', other: 'x' }, total: null },
    { filters: { other: false }, total: null },
  ])('by $filters is $total (null: has to be counted)', async ({ filters, total }) => {
    await within('org_total', async (tx) => {
      await tx.run(sql`delete from toy where merchant_id = 'org_total'`);
      await insert(tx, 'org_total', 1, 4);
      await insert(tx, 'org_total', 5, 6, 'old');
      const asked = keptTotal(tx, TOY, 'org_total', filters as { status?: string }, 'status');
      expect(asked === undefined ? null : await asked()).toBe(total);
    });
  });
});
