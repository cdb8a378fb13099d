import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CutWire, layWire } from '../../test/support/cut-wire.ts';
import { cloneDatabase } from '../../test/support/environment.ts';
import { DatabaseAway, isAway } from './away.ts';
import { Database, sql } from './index.ts';

let wire: CutWire;
let database: Database;
const cleanup: (() => Promise<void>)[] = [];
beforeAll(async () => {
  const clone = await cloneDatabase();
  wire = await layWire(clone.url);
  database = new Database({ url: wire.url, statementTimeout: 300, onConnectionError: () => undefined });
  cleanup.push(
    () => database.close(),
    () => wire.close(),
    () => clone.drop(),
  );
});
afterAll(async () => {
  for (const step of cleanup) await step();
});

const ask = () => database.transaction('nobody', (tx) => tx.one<{ one: number }>(sql`select 1 as one`));
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

async function untilReached(): Promise<void> {
  while ((await failureOf(ask())) !== null) await sleep(20);
}

describe('a database that takes what it is sent and does not answer', () => {
  it.each([
    { what: 'a transaction', begin: ask },
    { what: 'a statement by itself', begin: () => database.call('one', sql`select 1 as one`) },
  ])(
    'is given up by $what; the next callers do not wait for it, and it is asked again once it answers',
    async ({ begin }) => {
      await ask();
      wire.hold();
      expect(isAway(await failureOf(begin()))).toBe(true);
      expect(isAway(await failureOf(begin()))).toBe(true); // on a connection of its own, which is not made
      expect(database.isAway).toBe(true);
      expect(await failureOf(ask())).toBeInstanceOf(DatabaseAway);
      wire.release();
      await untilReached();
      expect([database.isAway, await ask()]).toEqual([false, { one: 1 }]);
    },
  );

  it('is given up in the middle of a transaction, and its connection is not used again', async () => {
    await ask();
    const { total } = database.load;
    const hanging = database.transaction('nobody', async (tx) => {
      wire.hold();
      await tx.run(sql`select 1`);
    });
    expect(isAway(await failureOf(hanging))).toBe(true);
    expect(database.load.total).toBe(total - 1);
    wire.release();
    await untilReached();
  });
});

describe('an answer of the database that is a refusal', () => {
  it.each([
    { what: 'a fault of the statement', statement: sql`select 1 / 0` },
    { what: 'a limit of time', statement: sql`select pg_sleep(5)` },
  ])('like $what does not mean that it is away', async ({ statement }) => {
    const error = await failureOf(database.transaction('nobody', (tx) => tx.run(statement)));
    expect(error).toBeInstanceOf(Error);
    expect([isAway(error), database.isAway]).toEqual([false, false]);
  });
});
