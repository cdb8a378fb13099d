import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { sql, type Tx } from '../db/index.ts';
import { newId } from '../kernel/ids.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment();
});
afterAll(() => env.close());

const HOUR = '2026-03-01T00:00:00Z';

interface Added {
  readonly subject: number;
  readonly total: number | null;
  readonly latest?: { readonly minute: number; readonly seq: number; readonly value: number };
}

/** Adds to rows of one definition, hour, group and lane. */
const add = (tx: Tx, rows: readonly Added[]) =>
  tx.run(sql`
    select add_rollups(array_agg(row(${tx.merchantId}, 1, a.subject, ${HOUR}::timestamptz, '00000000-0000-0000-0000-000000000000'::uuid, 0,
                                     '{}'::text[], 1, ${HOUR}::timestamptz + a.total::int * interval '1 minute',
                                     ${HOUR}::timestamptz + a.total::int * interval '1 minute',
                                     a.total, a.total, a.total,
                                     ${HOUR}::timestamptz + a.minute * interval '1 minute', a.seq, a.value)::usage_rollup))
      from unnest(${rows.map(({ subject }) => subject)}::bigint[], ${rows.map(({ total }) => total)}::numeric[],
                  ${rows.map(({ latest }) => latest?.minute ?? null)}::int[], ${rows.map(({ latest }) => latest?.seq ?? null)}::bigint[],
                  ${rows.map(({ latest }) => latest?.value ?? null)}::numeric[]) a (subject, total, minute, seq, value)`);

const rowsOf = (merchantId: string) =>
  env.database.transaction({ merchants: [merchantId] }, (tx) =>
    tx.rows(sql`
      select subject_id::int as subject, event_count::int as count, total::text, least_value::text as least,
             greatest_value::text as greatest, extract(minute from first_at)::int as first, extract(minute from last_at)::int as last,
             latest_value::text as latest
        from usage_rollup order by subject_id`),
  );

const sum = (subject: number, ...values: number[]) => ({
  subject,
  count: values.length,
  total: String(values.reduce((total, value) => total + value, 0)),
  least: String(Math.min(...values)),
  greatest: String(Math.max(...values)),
  first: Math.min(...values),
  last: Math.max(...values),
  latest: null,
});

it('each row is looked up once, also where the statistics are those of an empty table', async () => {
  const merchantId = newId('organization');
  const owner = new pg.Client({ connectionString: env.url });
  await owner.connect();
  await owner.query('vacuum analyze usage_rollup');
  await owner.end();
  const rows = Array.from({ length: 100 }, (_, subject) => ({ subject, total: 1 }));
  const lookups = await env.database.transaction({ merchants: [merchantId] }, async (tx) => {
    for (let time = 0; time < 3; time += 1) await add(tx, rows);
    const { many } = await tx.one<{ many: number }>(
      sql`select pg_stat_get_xact_numscans('usage_rollup_pkey'::regclass)::int as many`,
    );
    return many;
  });
  expect(lookups).toBe(4 * rows.length); // the first time, the insert also searches each row
});

it('what is added to rows that are there, to new ones and to both is their sum', async () => {
  const merchantId = newId('organization');
  const adding = (...rows: Added[]) => env.database.transaction({ merchants: [merchantId] }, (tx) => add(tx, rows));
  await adding({ subject: 1, total: 5 });
  await adding({ subject: 1, total: 3 }, { subject: 2, total: 7 });
  await adding({ subject: 1, total: 9 }, { subject: 2, total: 1 });
  expect(await rowsOf(merchantId)).toEqual([sum(1, 5, 3, 9), sum(2, 7, 1)]);
});

it('the latest value is that of the latest time, and of equal times the one that was accepted last', async () => {
  const merchantId = newId('organization');
  const adding = (minute: number, seq: number, value: number) =>
    env.database.transaction({ merchants: [merchantId] }, (tx) =>
      add(tx, [{ subject: 1, total: null, latest: { minute, seq, value } }]),
    );
  const latest = async () => (await rowsOf(merchantId))[0];
  const none = { subject: 1, total: null, least: null, greatest: null, first: null, last: null };
  await adding(5, 10, 1);
  await adding(4, 11, 2);
  expect(await latest()).toEqual({ ...none, count: 2, latest: '1' });
  await adding(5, 12, 3);
  expect(await latest()).toEqual({ ...none, count: 3, latest: '3' });
  await adding(5, 9, 4);
  expect(await latest()).toEqual({ ...none, count: 4, latest: '3' });
});

it('two who add to one row in one lane at once lose nothing, whether it was there or not', async () => {
  const merchantId = newId('organization');
  const [first, second] = [1, 2].map((subject) => ({ subject, total: 10 })) as [Added, Added];
  const isWaitedFor = async (tx: Tx): Promise<boolean> =>
    (await tx.rows(sql`select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`))
      .length > 0;
  for (let round = 0; round < 2; round += 1) {
    const { other } = await env.database.transaction({ merchants: [merchantId] }, async (tx) => {
      await add(tx, [first]);
      const waiting = env.database.transaction({ merchants: [merchantId] }, (beside) =>
        add(beside, [{ ...first, total: 1 }, second]),
      );
      while (!(await isWaitedFor(tx)));
      return { other: waiting };
    });
    await other;
  }
  expect(await rowsOf(merchantId)).toEqual([sum(1, 10, 1, 10, 1), sum(2, 10, 10)]);
});
