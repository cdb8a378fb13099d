import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cases } from '../../../test/support/cases.ts';
import { cloneDatabase } from '../../../test/support/environment.ts';
import { addAllListChanges } from '../../jobs/list-counts.ts';
import { Database } from '../index.ts';
import { allOf, type Sql, sql } from '../sql.ts';
import type { Tx } from '../tx.ts';
import { type CountedList, countListsAgain, keptCount, keptRange, keptTotal } from './list-counts.ts';

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
                      seq bigint generated always as identity, at timestamptz, amount numeric not null default 0,
                      amount_key bigint generated always as (range_key(amount)) stored, primary key (merchant_id, id));
    call tenant_table('toy');
    create or replace function rows_of_a_stretch() returns int language sql immutable as 'select 3';
    insert into toy (merchant_id, id, status, is_hidden) select 'org_before', n, case when n % 3 = 0 then 'old' else 'new' end, n > 7 from generate_series(1, 10) n;
    call keep_list_count('toy', '{status}', 'not is_hidden', '{at, amount}')`);
});
afterAll(async () => {
  await owner.end();
  await database.close();
  await drop();
});

const TOY = 'toy' as CountedList;
const within = <T>(merchantId: string, work: (tx: Tx) => Promise<T>) =>
  database.transaction({ merchants: [merchantId] }, work);
const insert = (tx: Tx, from: number, to: number, status = 'new') =>
  tx.run(
    sql`insert into toy (merchant_id, id, status, is_hidden) select ${tx.merchantId}, n, ${status}, false from generate_series(${from}::int, ${to}::int) n`,
  );
const kept = (merchantId: string, statuses?: readonly string[]) =>
  within(merchantId, (tx) => keptCount(tx, TOY, merchantId, [statuses]));

it('rows that were there before a list was counted are counted', async () => {
  expect([
    await kept('org_before'),
    await kept('org_before', ['old']),
    await kept('org_before', ['new', 'old']),
  ]).toEqual([7, 2, 7]);
});

describe('a rebuilt count', () => {
  it.each([
    { what: 'a change that is wrong', broken: `update list_count_change set change = 99`, mended: 1 },
    { what: 'a change that is lost', broken: `delete from list_count_change`, mended: 2 },
    { what: 'a count that is wrong', broken: `insert into list_count values ($1, 'toy', '{new}', 7)`, mended: 1 },
    { what: 'a facet that nobody has', broken: `insert into list_count values ($1, 'toy', '{gone}', 7)`, mended: 1 },
    { what: 'nothing wrong', broken: '', mended: 0 },
  ])('is the number of rows, with $what', async ({ what, broken, mended }) => {
    const merchantId = `org_anew_${what.replaceAll(' ', '_')}`;
    await within(merchantId, (tx) => insert(tx, 1, 4));
    if (broken.startsWith('insert')) await owner.query(broken, [merchantId]);
    else if (broken !== '') await owner.query(`${broken} where merchant_id = $1`, [merchantId]);
    expect(await within(merchantId, (tx) => countListsAgain(tx))).toBe(mended);
    expect([await kept(merchantId), await kept(merchantId, ['new'])]).toEqual([4, 4]);
    await addAllListChanges(database, merchantId);
    expect([await kept(merchantId), await kept(merchantId, ['new'])]).toEqual([4, 4]);
  });

  it('counts what others do meanwhile once, and does not wait for them', async () => {
    const merchantId = 'org_meanwhile';
    await within(merchantId, (tx) => insert(tx, 1, 2));
    await within(merchantId, async (slow) => {
      await insert(slow, 10, 12);
      expect(await within(merchantId, (tx) => countListsAgain(tx))).toBe(0);
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

async function change(tx: Tx, { action, from, many, status }: Step): Promise<void> {
  const those = sql`merchant_id = ${tx.merchantId} and id >= ${from} and id < ${from + many}`;
  if (action === 'insert')
    await tx.run(sql`
      insert into toy (merchant_id, id, status, is_hidden) select ${tx.merchantId}, n, ${status}, false from generate_series(${from}::int, ${from + many - 1}::int) n
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
            await tx.savepoint(
              async () => change(tx, each),
              () => !each.isUndone,
            );
            const counted = await tx.rows<{ status: string; rows: number }>(sql`
              select status, count(*)::int as rows from toy where merchant_id = ${merchantId} and not is_hidden group by 1`);
            const rowsOf = (status: string) => counted.find((row) => row.status === status)?.rows ?? 0;
            expect(await keptCount(tx, TOY, merchantId)).toBe(rowsOf('new') + rowsOf('old') + rowsOf('lost'));
            for (const status of ['new', 'old', 'lost'])
              expect(await keptCount(tx, TOY, merchantId, [[status]])).toBe(rowsOf(status));
          });
      }
    }),
    cases(10, 40),
  );
});

const START = Temporal.Instant.from('2026-01-01T00:00:00Z');
const RANGED = { list: TOY, facet: sql`array[status]`, measures: ['at', 'amount'], condition: sql`not is_hidden` };
const timeOf = (n: number) => START.add({ microseconds: n * 500_001 });
const amountOf = (n: number) => `${n - 5}.00000000000000000${n % 2}`;

const rangedStep = fc.record({
  action: fc.constantFrom('insert', 'insert', 'measure', 'move', 'hide', 'delete', 'fold', 'fold', 'again'),
  from: fc.nat({ max: 30 }),
  many: fc.integer({ min: 0, max: 12 }),
  status: fc.constantFrom('new', 'old'),
  value: fc.option(fc.nat({ max: 12 })),
  spread: fc.nat({ max: 1 }),
});
const rangedQuestion = fc.record({
  kind: fc.constantFrom('time' as const, 'number' as const),
  from: fc.option(fc.nat({ max: 12 })),
  to: fc.option(fc.nat({ max: 12 })),
  statuses: fc.constantFrom(undefined, ['new'], ['old', 'lost']),
});

type RangedStep = typeof rangedStep extends fc.Arbitrary<infer Of> ? Of : never;
type RangedQuestion = typeof rangedQuestion extends fc.Arbitrary<infer Of> ? Of : never;

async function changeMeasures(tx: Tx, step: RangedStep) {
  const { action, from, many, status, value, spread } = step;
  if (action === 'again') await countListsAgain(tx);
  if (action !== 'insert' && action !== 'measure')
    return change(tx, { action, from, many, status, isUndone: false } as Step);
  await change(tx, {
    action: action === 'insert' ? 'insert' : 'touch',
    from,
    many,
    status,
    isUndone: false,
  });
  const at = value === null ? null : timeOf(value);
  await tx.run(sql`
    update toy set at = ${at}::timestamptz + ${spread}::int * (id - ${from}::int) * interval '500001 microseconds',
                   amount = ${amountOf(value ?? 0)}::numeric + ${spread}::int * (id - ${from}::int)
     where merchant_id = ${tx.merchantId} and id >= ${from} and id < ${from + many}`);
}

const bothWays = (tx: Tx, { kind, from, to, statuses }: RangedQuestion) => {
  const measure = kind === 'time' ? 'at' : 'amount';
  const [column, endOf] = kind === 'time' ? [sql`at`, timeOf] : [sql`amount`, amountOf];
  const [low, high] = [from, to].map((end) => (end === null ? null : sql`${endOf(end)}`)) as [Sql | null, Sql | null];
  const counted = tx.one<{ total: number; top: bigint | null }>(sql`
    select count(*)::int as total, max(seq) as top from toy
     where ${allOf([
       sql`merchant_id = ${tx.merchantId} and not is_hidden and ${column} is not null`,
       statuses !== undefined && sql`status = any (${statuses}::text[])`,
       low !== null && sql`${column} >= ${low}`,
       high !== null && (kind === 'time' ? sql`${column} < ${high}` : sql`${column} <= ${high}`),
     ])}`);
  return Promise.all([
    keptRange(tx, RANGED, tx.merchantId, { measure, kind, from: low, to: high }, [statuses]),
    counted,
  ]);
};

it('a kept range is the number of rows in it, and none of them comes after its top, whatever is changed or folded when', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(rangedStep, rangedQuestion), { maxLength: 25 }), async (steps) => {
      merchants += 1;
      const merchantId = `org_ranged_${merchants}`;
      for (const [step, question] of steps) {
        if (step.action === 'fold') await addAllListChanges(database, merchantId);
        await within(merchantId, async (tx) => {
          if (step.action !== 'fold') await changeMeasures(tx, step);
          const [kept, counted] = await bothWays(tx, question);
          expect(kept.rows).toBe(counted.total);
          expect(kept.top ?? 0n).toBeGreaterThanOrEqual(counted.top ?? 0n);
        });
      }
    }),
    cases(5, 20),
  );
});

it('stretches are divided where they grow long, and a value of many rows has one of its own', async () => {
  const merchantId = 'org_long';
  await within(merchantId, async (tx) => {
    await insert(tx, 1, 40);
    await tx.run(sql`update toy set amount = least(greatest(id, 10), 30) where merchant_id = ${merchantId}`);
  });
  await addAllListChanges(database, merchantId);
  const { rows } = await owner.query(
    `select count::int, least::int, most::int from list_range
      where merchant_id = 'org_long' and measure = 'amount' order by least`,
  );
  expect(rows).toEqual([
    { count: 10, least: 10, most: 10 },
    { count: 2, least: 11, most: 12 },
    ...[13, 16, 19, 22, 25].map((least) => ({ count: 3, least, most: least + 2 })),
    { count: 2, least: 28, most: 29 },
    { count: 11, least: 30, most: 30 },
  ]);
});

describe('transactions of one merchant', () => {
  it('do not wait for each other, and each sees its own rows and those that were committed', async () => {
    const merchantId = 'org_beside';
    await within(merchantId, (tx) => insert(tx, 1, 2));
    await within(merchantId, async (slow) => {
      await insert(slow, 10, 12);
      await within(merchantId, async (quick) => {
        await quick.run(sql`set local lock_timeout = '2s'`);
        await insert(quick, 20, 20);
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
    await Promise.all(numbers.map((n) => within(merchantId, (tx) => insert(tx, n, n))));
    await Promise.all(numbers.map(() => addAllListChanges(database, merchantId)));
    expect(await kept(merchantId)).toBe(40);
    await addAllListChanges(database, merchantId);
    expect(await kept(merchantId)).toBe(40);
    const { rows } = await owner.query(`select from list_count_change where merchant_id = 'org_folded'`);
    expect(rows).toHaveLength(0);
  });
});

it('an operator counts the rows of all merchants, a merchant its own alone', async () => {
  await within('org_one', (tx) => insert(tx, 1, 5, 'shared'));
  await within('org_two', (tx) => insert(tx, 1, 3, 'shared'));
  expect(await database.transaction('every merchant, reading', (tx) => keptCount(tx, TOY, null, [['shared']]))).toBe(8);
  expect(await within('org_one', (tx) => keptCount(tx, TOY, 'org_two', [['shared']]))).toBe(0);
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
      await insert(tx, 1, 4);
      await insert(tx, 5, 6, 'old');
      const asked = keptTotal(tx, TOY, 'org_total', filters as { status?: string }, ['status']);
      expect(asked === undefined ? null : await asked()).toBe(total);
    });
  });
});
