import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { sql } from '../db/index.ts';
import { scheduleStates, scheduleStatuses } from './states.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await sharedEnvironment();
});
afterAll(() => env.close());

it('the database has the edges of the table, and no other', async () => {
  const merchant = await env.merchant();
  const stored = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
    tx.rows<{ edge: string }>(sql`select from_status || ' ' || to_status as edge from billing_schedule_edge`),
  );
  const edges = scheduleStatuses.flatMap((from) =>
    Object.values(scheduleStates[from]).flatMap((to) => (typeof to === 'string' ? [`${from} ${to}`] : [])),
  );
  expect(stored.map(({ edge }) => edge).toSorted()).toEqual([...new Set(edges)].toSorted());
});
