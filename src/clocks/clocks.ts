import type { Tx } from '../db/index.ts';
import { newId } from '../kernel/ids.ts';
import { fail, notFound, ok, type Result } from '../kernel/result.ts';
import { type Instant, type InstantText, instantOf } from '../kernel/time.ts';
import { type Advance, type Clock, decideMove } from './clock.ts';
import { insertClock, selectClock, updateClock } from './clocks.sql.ts';
import { lockClock } from './effective-now.ts';

/** An obstacle to a deletion (§7, blockers). */
export interface Blocker {
  readonly type: string;
  readonly count: number;
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Answers what still lives on a clock: its active subscriptions, its orders; nothing where it can go. `now` is wall
 * time.
 */
export type ClockBlockers = (tx: Tx, clockId: string, now: Instant) => Promise<readonly Blocker[]>;

export interface ClockDraft {
  readonly name?: string;
  readonly description?: string;
  readonly currentTime?: InstantText;
}

/** A clock at the time that the draft names, by default at `now`; it stands still until it is advanced. */
export async function createClock(tx: Tx, draft: ClockDraft, now: Instant): Promise<Result<Clock>> {
  const clock = await insertClock(tx, {
    id: newId('testClock'),
    merchantId: tx.merchantId,
    name: draft.name ?? null,
    description: draft.description ?? null,
    currentTime: draft.currentTime === undefined ? now : instantOf(draft.currentTime),
    advancingTo: null,
    advancingFrom: null,
    advanceSteps: 0,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  });
  return ok(clock);
}

/** The clock. 404 once it is deleted. */
export async function getClock(tx: Tx, id: string): Promise<Result<Clock>> {
  const clock = await selectClock(tx, id);
  return clock?.deletedAt === null ? ok(clock) : notFound('test clock');
}

export interface ClockPatch extends Advance {
  readonly name?: string | null;
  readonly description?: string | null;
}

/** Renames a clock, starts its advance, or stops it: the runner does the advance itself. */
export async function changeClock(
  tx: Tx,
  id: string,
  patch: ClockPatch,
  now: Instant,
): Promise<Result<{ before: Clock; after: Clock }>> {
  const found = await lockClock(tx, id);
  if (!found.ok) return found;
  const moves = patch.currentTime !== undefined || patch.advanceBy !== undefined;
  const target = moves ? decideMove(found.value, patch) : ok(undefined);
  if (!target.ok) return target;
  const after = await updateClock(tx, id, {
    name: patch.name,
    description: patch.description,
    ...(target.value !== undefined && { advancingTo: target.value }),
    ...(target.value != null && { advancingFrom: found.value.currentTime, advanceSteps: 0 }),
    updatedAt: now,
  });
  return ok({ before: found.value, after });
}

/**
 * Deletes a clock, and ends its advance; its time stands still for its records. @returns TEST_CLOCK_IN_USE with the
 * blockers body (§7)
 */
export async function deleteClock(tx: Tx, id: string, blockers: ClockBlockers, now: Instant): Promise<Result<Clock>> {
  const found = await lockClock(tx, id);
  if (!found.ok) return found;
  const holding = await blockers(tx, id, now);
  if (holding.length > 0) return fail('TEST_CLOCK_IN_USE', { blockers: holding });
  return ok(await updateClock(tx, id, { advancingTo: null, deletedAt: now, updatedAt: now }));
}
