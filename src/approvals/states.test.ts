import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { sql } from '../db/index.ts';
import { type ApprovalTrigger, approvalStates, DECISIONS, type Decision } from './states.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await sharedEnvironment();
});
afterAll(() => env.close());

const TRIGGERS: readonly ApprovalTrigger[] = ['approve', 'reject', 'cancel'];

it.each<[Decision, readonly (readonly [ApprovalTrigger, Decision])[]]>([
  [
    'pending',
    [
      ['approve', 'approved'],
      ['reject', 'rejected'],
      ['cancel', 'cancelled'],
    ],
  ],
  ['approved', [['cancel', 'cancelled']]],
  ['rejected', []],
  ['cancelled', []],
])('of %s exactly these lead on', (from, expected) => {
  const found = TRIGGERS.map((trigger) => [trigger, approvalStates[from][trigger]] as const).filter(
    ([, to]) => typeof to === 'string',
  );
  expect(found).toEqual(expected);
});

it('the database has the same edges', async () => {
  const edges = DECISIONS.flatMap((from) =>
    TRIGGERS.flatMap((trigger) => {
      const to = approvalStates[from][trigger];
      return typeof to === 'string' ? [`${from} ${to}`] : [];
    }),
  );
  const kept = await env.database.transaction('nobody', (tx) =>
    tx.rows<{ edge: string }>(sql`select from_decision || ' ' || to_decision as edge from approval_edge`),
  );
  expect(kept.map(({ edge }) => edge).toSorted()).toEqual(edges.toSorted());
});
