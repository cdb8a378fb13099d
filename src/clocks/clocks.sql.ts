import { assignments, insertion, pageOfRows, sql, type Tx } from '../db/index.ts';
import type { Page, PageRequest } from '../http/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { Clock } from './clock.ts';

const INSERTED = sql`id, merchant_id, name, description, clock_time as current_time, created_at, updated_at`;
const COLUMNS = sql`${INSERTED}, advancing_to, advancing_from, advance_steps, deleted_at`;

export const insertClock = (tx: Tx, clock: Clock) =>
  tx.one<Clock>(sql`${insertion('test_clock', clock, INSERTED)} returning ${COLUMNS}`);

/** null as merchant: an operator's look at all of them. */
export async function selectClocks(tx: Tx, merchantId: string | null, page: PageRequest): Promise<Page<Clock>> {
  const where = merchantId === null ? sql`true` : sql`merchant_id = ${merchantId}`;
  const { rows, total } = await pageOfRows<Clock>(
    tx,
    { kind: 'testClock', select: COLUMNS, from: sql`test_clock`, exists: sql`deleted_at is null`, where },
    page,
  );
  return { data: rows, total };
}

export const selectClock = (tx: Tx, id: string) =>
  tx.maybe<Clock>(sql`select ${COLUMNS} from test_clock where merchant_id = ${tx.merchantId} and id = ${id}`);

/** When a clock of the merchant, also a deleted one, was advanced: the earliest that its row tells. */
export const selectFirstAdvance = (tx: Tx): Promise<Instant | null> =>
  tx.value<Instant | null>(sql`
    select min(updated_at) as at from test_clock
     where merchant_id = ${tx.merchantId} and advancing_from is not null`);

/** Holds some clocks where they stand until the transaction ends; others may do the same, only a step has to wait. */
export const lockClocksShared = (tx: Tx, ids: readonly string[]) =>
  tx.rows<Clock>(sql`
    select ${COLUMNS} from test_clock
     where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[]) order by id for share`);

/** Against other drivers and whoever holds the clock still; not against rows that only refer to it. */
export const lockClockRow = (tx: Tx, id: string) =>
  tx.maybe<Clock>(sql`
    select ${COLUMNS} from test_clock where merchant_id = ${tx.merchantId} and id = ${id} for no key update`);

export interface ClockChange {
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly currentTime?: Instant;
  readonly advancingTo?: Instant | null;
  readonly advancingFrom?: Instant;
  readonly advanceSteps?: number;
  readonly deletedAt?: Instant;
  readonly updatedAt: Instant;
}

export const updateClock = (tx: Tx, id: string, change: ClockChange) =>
  tx.one<Clock>(sql`
    update test_clock set ${assignments({
      name: change.name,
      description: change.description,
      clockTime: change.currentTime,
      advancingTo: change.advancingTo,
      advancingFrom: change.advancingFrom,
      advanceSteps: change.advanceSteps,
      deletedAt: change.deletedAt,
      updatedAt: change.updatedAt,
    })}
    where merchant_id = ${tx.merchantId} and id = ${id}
    returning ${COLUMNS}`);

/** Adds steps to those that the advance has taken. The caller has locked the clock. */
export const updateAdvanceSteps = (tx: Tx, id: string, steps: number): Promise<number> =>
  tx.run(sql`
    update test_clock set advance_steps = advance_steps + ${steps} where merchant_id = ${tx.merchantId}
      and id = ${id}`);

export const selectClocksWithWork = (tx: Tx, kinds: readonly string[]) =>
  tx.rows<{ merchantId: string; id: string }>(sql`
    select merchant_id, id from clocks_with_work(${kinds})`);

/** The names of test clocks by their ids; null where one has none. */
export const selectClockNames = (tx: Tx, ids: readonly string[]): Promise<{ id: string; name: string | null }[]> =>
  tx.rows(sql`select id, name from test_clock
    where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])`);
