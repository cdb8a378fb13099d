import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import type { Tx } from '../../db/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import type { UsageQuery, UsageRow, UsageScope } from '../meter/usage-request.ts';
import { shipRound } from './shipper.ts';
import { RememberingClickHouse } from './testing/remembering.ts';
import { clickhouseUsage } from './usage.ts';

const time = (text: string) => Temporal.Instant.from(text);
const NOW = time('2026-03-01T00:00:00Z');
const row: UsageRow = { group: {}, value: decimal('42'), eventCount: 1 };

let env: TestEnvironment;
let store: RememberingClickHouse;
let fallbacks: Error[];
let query: UsageQuery<Tx>;
beforeAll(async () => {
  env = await sharedEnvironment();
});
afterAll(() => env.close());
beforeEach(() => {
  store = new RememberingClickHouse();
  fallbacks = [];
  query = clickhouseUsage({
    clickhouse: store,
    mode: { kind: 'single' },
    fewSubjects: 1,
    postgres: { measure: async () => [[row]] },
    onFallback: (error) => fallbacks.push(error),
  });
});

const measure = async (subjects: readonly string[] | null) => {
  const { id } = await env.merchant();
  const from = time('2026-01-01T00:00:00Z');
  const scope: UsageScope = {
    merchantId: id,
    meter: { eventType: 'call', aggregation: 'SUM', valueProperty: '$.v', groupBy: null, eventFrom: null },
    sources: subjects?.map((subject) => ({ subject, from, to: NOW })) ?? null,
    from,
    to: NOW,
  };
  return env.database.transaction({ merchants: [id] }, (tx) => query.measure(tx, scope, [{}]));
};

/** A projection of something that was shipped. */
async function ship(): Promise<void> {
  const merchant = await env.merchant();
  const event = { type: 'call', source: 'test', externalSubject: 'a', data: { v: 1 } };
  expect((await merchant.post('/v0/events', event)).status).toBe(202);
  const dependencies = { database: env.database, clickhouse: store, mode: { kind: 'single' } as const };
  // each test has a store of its own, and the previous one is gone
  await shipRound(dependencies, NOW).catch(() => shipRound(dependencies, NOW));
}

describe('PostgreSQL answers', () => {
  it('before anything is shipped', async () => {
    expect(await measure(null)).toEqual([[row]]);
    expect(fallbacks).toEqual([]);
  });

  it('for few subjects', async () => {
    await ship();
    expect(await measure(['cus_1'])).toEqual([[row]]);
    expect(fallbacks).toEqual([]);
  });

  it.each([
    { why: 'ClickHouse is away', happens: () => store.tables.clear(), told: 'does not exist' },
    { why: 'ClickHouse was emptied', happens: () => store.forget(), told: 'it has 0, the last one , and 0 rows' },
  ])('where $why, and somebody is told', async ({ happens, told }) => {
    await ship();
    happens();
    expect(await measure(null)).toEqual([[row]]);
    expect(fallbacks.map(String)).toEqual([expect.stringContaining(told)]);
  });
});
