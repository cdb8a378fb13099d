import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { sql } from '../db/index.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment(); // its own, whose tables nobody has filled: what a plan is depends on them
});
afterAll(() => env.close());

it('finds whose an entry of the audit log is by ids, and does not read all invoices of the merchant', async () => {
  const { id } = await env.merchant();
  const plan = await env.database.transaction(
    { merchants: [id] },
    (tx) =>
      tx.rows<object>(sql`
        explain select customer_id from timeline_of_audit_entry where merchant_id = ${id} and source_id = 'aud_1'`),
    { byKeys: 'one thing' },
  );
  const lines = plan.flatMap((row) => Object.values(row) as string[]);
  expect(lines).toContainEqual(expect.stringMatching(/Index Cond: .*\(id = named\.invoice_id\)/));
});
