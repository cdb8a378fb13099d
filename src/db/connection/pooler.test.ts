import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloneDatabase } from '../../../test/support/environment.ts';
import {
  openTransactionPooler,
  type PoolerOptions,
  type TransactionPooler,
} from '../../../test/support/transaction-pooler.ts';
import { Database, type DatabaseOptions, sql } from '../index.ts';
import { findPooler, NO_POOLER } from './index.ts';

let url: string;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ url, drop } = await cloneDatabase());
});
afterAll(() => drop());

async function through<T>(options: PoolerOptions, work: (pooler: TransactionPooler) => Promise<T>): Promise<T> {
  const pooler = await openTransactionPooler(url, options);
  try {
    return await work(pooler);
  } finally {
    await pooler.close();
  }
}

describe('what stands before PostgreSQL', () => {
  it('is nothing, however often it is looked at', async () => {
    for (let time = 0; time < 20; time += 1) expect(await findPooler(url)).toEqual(NO_POOLER);
  });

  it.each([1, 2, 3, 10].flatMap((size) => [true, false].map((inTurn) => ({ size, inTurn }))))(
    'is a pooler of transactions with $size connections, given out in turn: $inTurn',
    async (options) => {
      const found = await through(options, async ({ url: pooled }) => {
        await findPooler(pooled); // a look that has been there before changes nothing
        return findPooler(pooled);
      });
      expect(found).toEqual({ isByTransaction: true, keepsNames: false, keepsSettings: false });
    },
  );

  it.each([2, 3, 10])('is a pooler of transactions with %i connections that knows names', async (size) => {
    expect(await through({ size, keepsNames: true }, (pooler) => findPooler(pooler.url))).toEqual({
      isByTransaction: true,
      keepsNames: true,
      keepsSettings: false,
    });
  });

  it.each([1, 2])('is a pooler of transactions whose other connection is opened after %i', async (spareAfter) => {
    const found = await through({ size: 2, keepsNames: true, spareAfter }, (pooler) => findPooler(pooler.url));
    expect(found).toEqual({ isByTransaction: true, keepsNames: true, keepsSettings: false });
  });

  it('is a pooler of sessions, which refuses settings at the start', async () => {
    const found = await through({ size: 5, bySession: true }, (pooler) => findPooler(pooler.url));
    expect(found).toEqual({ isByTransaction: false, keepsNames: true, keepsSettings: false });
  });
});

/** Twenty transactions at a time over three connections, each asking the same statements. */
async function busy(options: DatabaseOptions) {
  const database = new Database({ connections: 10, ...options });
  const once = (each: number) =>
    database.transaction(
      'nobody',
      async (tx) => [
        await tx.one(sql`select ${each}::int as each, current_setting('TimeZone') as zone`),
        await tx.one<{ at: Temporal.Instant }>(sql`select '2026-01-01T00:00:00Z'::timestamptz as at`),
      ],
      { byKeys: 'one thing' },
    );
  try {
    for (let round = 0; round < 5; round += 1) {
      const got = await Promise.all(Array.from({ length: 20 }, (_, each) => once(each)));
      expect(got).toEqual(
        got.map((_, each) => [{ each, zone: 'UTC' }, { at: Temporal.Instant.from('2026-01-01T00:00:00Z') }]),
      );
      const called = Array.from({ length: 20 }, (_, each) =>
        database.call<{ each: number }>('called', sql`select ${each}::int as each`),
      );
      expect((await Promise.all(called)).flat()).toEqual(got.map((_, each) => ({ each })));
    }
  } finally {
    await database.close();
  }
}

describe('transactions at the same time', () => {
  it.each([{ keepsNames: true }, { keepsNames: false }])('work through a pooler that was found: %o', (names) =>
    through({ size: 3, ...names }, async (pooler) => {
      await busy({ url: pooler.url, pooler: await findPooler(pooler.url) });
      expect(pooler.moves).toBeGreaterThan(20);
    }),
  );

  it('work through a pooler that nobody expected, and that is told once', async () => {
    const told: Error[] = [];
    await through({ size: 3 }, (pooler) => busy({ url: pooler.url, onPooler: (error) => told.push(error) }));
    expect(told.map(({ message }) => message)).toEqual(['unsupported startup parameter: options']);
  });

  it('work where only names are lost, after the first error', async () => {
    const told: Error[] = [];
    const expected = { isByTransaction: false, keepsNames: true, keepsSettings: false };
    await through({ size: 3, inTurn: true }, (pooler) =>
      busy({ url: pooler.url, pooler: expected, onPooler: (error) => told.push(error) }),
    );
    expect(told).toHaveLength(1);
    expect(['26000', '42P05']).toContain((told[0] as { code?: string } | undefined)?.code);
  });
});
