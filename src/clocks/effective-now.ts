import { checkReference, type Tx } from '../db/index.ts';
import { invalidField, notFound, ok, type Result } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import type { Clock } from './clock.ts';
import { lockClockRow, lockClocksShared, selectClock } from './clocks.sql.ts';

/**
 * Effective now of a record (domain.md §1): its clock's `currentTime`, or `now` when it is on none. Holds the clock
 * still until the transaction ends, so what is decided with this time is written at this time: a step of an advance
 * waits, and an advance that is under way is met between two of its steps, with all that was due before done and
 * nothing after. Ask before locking the record itself: the clock's row comes first in the order of locks.
 */
export async function effectiveNow(tx: Tx, clockId: string | null, now: Instant): Promise<Instant> {
  return (await effectiveNows(tx, [clockId], now))(clockId);
}

/** Effective now of records on some clocks, or on none, by the clock. */
export async function effectiveNows(
  tx: Tx,
  clockIds: readonly (string | null)[],
  now: Instant,
): Promise<(clockId: string | null) => Instant> {
  const ids = [...new Set(clockIds.filter((id) => id !== null))];
  const locked = ids.length === 0 ? [] : await lockClocksShared(tx, ids);
  const byId = new Map(locked.map((clock) => [clock.id, clock]));
  return (clockId) => (clockId === null ? now : timeOf(clockId, byId.get(clockId)));
}

/** The same for a read request, an operator's too: it takes no lock and waits for none. */
export async function effectiveNowForReading(tx: Tx, clockId: string | null, now: Instant): Promise<Instant> {
  return (await effectiveNowsForReading(tx, [clockId], now))(clockId);
}

/** The same of records on some clocks, by the clock. */
export async function effectiveNowsForReading(
  tx: Tx,
  clockIds: readonly (string | null)[],
  now: Instant,
): Promise<(clockId: string | null) => Instant> {
  const ids = [...new Set(clockIds.filter((id) => id !== null))];
  const clocks = new Map<string, Clock | undefined>();
  for (const id of ids) clocks.set(id, await selectClock(tx, id));
  return (clockId) => (clockId === null ? now : timeOf(clockId, clocks.get(clockId)));
}

function timeOf(clockId: string, clock: Clock | undefined): Instant {
  if (!clock) throw new Error(`A record is on the test clock ${clockId}, which does not exist.`);
  return clock.currentTime;
}

/**
 * The clock that a body's `testClockId` names, held still as by effectiveNow.
 * @returns a 404 that names the field when it is unknown or deleted, a 403 when it is another merchant's.
 */
export async function findClock(tx: Tx, id: string, field = 'testClockId'): Promise<Result<Clock>> {
  const reference = await checkReference(tx, 'test clock', id, field);
  if (!reference.ok) return reference;
  const [clock] = await lockClocksShared(tx, [id]);
  return clock?.deletedAt === null ? ok(clock) : notFound('test clock', field);
}

/**
 * The clock, locked against every other use until the transaction ends. @returns a 404 when it is unknown or deleted.
 */
export async function lockClock(tx: Tx, id: string): Promise<Result<Clock>> {
  const clock = await lockClockRow(tx, id);
  return clock?.deletedAt === null ? ok(clock) : notFound('test clock');
}

/** domain.md §8: a `testClockId` in production is a 400. */
export const checkTestClockAllowed = (environment: 'production' | 'sandbox'): Result<null> =>
  environment === 'production' ? invalidField('testClockId', 'test clocks exist in the sandbox only') : ok(null);
