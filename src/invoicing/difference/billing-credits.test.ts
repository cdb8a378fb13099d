import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { sql } from '../../db/index.ts';
import { creditUses } from './billing-credits.sql.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment(); // its own, whose tables nobody has filled: what a plan is depends on them
});
afterAll(() => env.close());

it('finds the lines that use a credit by an index, and does not read those of all credits', async () => {
  const { id } = await env.merchant();
  const plan = await env.database.transaction(
    { merchants: [id] },
    (tx) =>
      tx.rows<object>(sql`
        explain select u.used from billing_credit b cross join lateral (${creditUses()}) u
         where b.merchant_id = ${id} and b.customer_id = 'cus_1'`),
    { byKeys: 'one thing' },
  );
  const lines = plan.flatMap((row) => Object.values(row) as string[]);
  expect(lines).toContainEqual(expect.stringMatching(/Index Cond: .*\(billing_credit_id = b\.id\)/));
});
