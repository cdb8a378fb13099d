import pg from 'pg';
import pino from 'pino';
import { clockBook } from '../../src/clocks/index.ts';
import { Database, sql, type Tx } from '../../src/db/index.ts';
import { createRunner, type DueKind, type DueRunner, type RunnerOptions } from '../../src/jobs/index.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { cloneDatabase, loginUrl } from './environment.ts';

/** A database with two toy tables of background jobs, `toy` and `other_toy`. A test gives their steps. */
export interface ToyWorld {
  database: Database;
  url: string;
  merchantId: string;
  runner(kinds: readonly DueKind[], options?: Partial<RunnerOptions>): DueRunner;
  /** Moves wall time. */
  setNow(at: string): void;
  now(): Instant;
  /** Adds a record. `clockId` null: on the wall clock. */
  add(table: 'toy' | 'other_toy', id: string, dueAt: string | null, clockId?: string | null): Promise<void>;
  /** Adds a test clock. */
  clock(currentTime: string): Promise<string>;
  in<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** The notes of the steps, in the order of their commits. */
  diary(): Promise<string[]>;
  close(): Promise<void>;
}

const TABLES = `
  create table toy (
    merchant_id text not null, id text not null, seq bigint generated always as identity,
    clock_id text, next_action_at timestamptz, steps int not null default 0, primary key (merchant_id, id));
  call tenant_table('toy');
  call due_table('toy', 'toy');
  create table other_toy (
    merchant_id text not null, id text not null, seq bigint generated always as identity,
    clock_id text, next_action_at timestamptz, steps int not null default 0, primary key (merchant_id, id));
  call tenant_table('other_toy');
  call due_table('other_toy', 'other_toy');
  create table diary (merchant_id text not null, seq bigint generated always as identity, line text not null);
  call tenant_table('diary');`;

export async function createToyTables(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(TABLES);
  } finally {
    await client.end();
  }
}

/** Writes a line into the diary, as the effect of a step. */
export const note = (tx: Tx, line: string) =>
  tx.run(sql`insert into diary (merchant_id, line) values (${tx.merchantId}, ${line})`);

/** Gives a toy its next due time. */
export const schedule = (tx: Tx, table: 'toy' | 'other_toy', id: string, dueAt: Instant | null) =>
  tx.run(sql`update ${sql.table(table)} set next_action_at = ${dueAt}, steps = steps + 1 where id = ${id}`);

export const addToy = (tx: Tx, table: 'toy' | 'other_toy', id: string, dueAt: Instant | null, clockId: string | null) =>
  tx.run(sql`insert into ${sql.table(table)} (merchant_id, id, clock_id, next_action_at)
    values (${tx.merchantId}, ${id}, ${clockId}, ${dueAt})`);

export const readDiary = async (tx: Tx): Promise<string[]> =>
  (await tx.rows<{ line: string }>(sql`select line from diary order by seq`)).map(({ line }) => line);

export async function openToyWorld(at: string): Promise<ToyWorld> {
  const { url, drop } = await cloneDatabase();
  await createToyTables(url);
  const database = new Database({ url: loginUrl(url) });
  const merchantId = newId('organization');
  let current = Temporal.Instant.from(at);
  const runners: DueRunner[] = [];
  const within = <T>(work: (tx: Tx) => Promise<T>) => database.transaction({ merchants: [merchantId] }, work);
  return {
    database,
    url,
    merchantId,
    now: () => current,
    setNow: (instant) => {
      current = Temporal.Instant.from(instant);
    },
    runner: (kinds, options = {}) => {
      const runner = createRunner({
        database,
        kinds,
        clocks: clockBook,
        now: () => current,
        logger: pino({ level: 'silent' }),
        pollMilliseconds: 10,
        ...options,
      });
      runners.push(runner);
      return runner;
    },
    add: async (table, id, dueAt, clockId = null) => {
      const due = dueAt === null ? null : Temporal.Instant.from(dueAt);
      await within((tx) => addToy(tx, table, id, due, clockId));
    },
    clock: async (currentTime) => {
      const id = newId('testClock');
      const time = Temporal.Instant.from(currentTime);
      await within((tx) =>
        tx.run(sql`insert into test_clock (merchant_id, id, clock_time, created_at, updated_at)
          values (${merchantId}, ${id}, ${time}, ${time}, ${time})`),
      );
      return id;
    },
    in: within,
    diary: () => within(readDiary),
    close: async () => {
      await Promise.all(runners.map((runner) => runner.stop()));
      await database.close();
      await drop();
    },
  };
}
