import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { sql } from '../db/index.ts';
import { wireDomains } from '../wiring.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment();
});
afterAll(() => env.close());

it('has a step for every kind of due work that a migration registers, and a table for every step', async () => {
  const domains = wireDomains('sandbox', 'http://localhost');
  await domains.close();
  const registered = await env.database.transaction('nobody', (tx) =>
    tx.rows<{ kind: string }>(sql`select kind from due_kind`),
  );
  expect(domains.dueKinds.map(({ kind }) => kind).toSorted()).toEqual(registered.map(({ kind }) => kind).toSorted());
});
