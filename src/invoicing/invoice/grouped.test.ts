import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { sql } from '../../db/index.ts';
import { IS_LINE_OF } from './grouped.sql.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment(); // its own, whose tables nobody has filled: what a plan is depends on them
});
afterAll(() => env.close());

it('finds the lines of an invoice by an index, and does not read all lines of the merchant', async () => {
  const { id } = await env.merchant();
  const plan = await env.database.transaction(
    { merchants: [id] },
    (tx) =>
      tx.rows<object>(sql`
        explain select l.id
          from invoice i cross join lateral (select * from invoice_line l where ${IS_LINE_OF} offset 0) l
         where i.merchant_id = ${id} and i.subscription_id = 'sub_1'`),
    { byKeys: 'one thing' },
  );
  const lines = plan.flatMap((row) => Object.values(row) as string[]);
  expect(lines).toContainEqual(expect.stringMatching(/Index Cond: .*\(invoice_id = CASE/));
});
