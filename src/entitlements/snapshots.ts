import type { Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import { lateSince, usageSnapshot } from '../metering/index.ts';
import type { EntitlementRow } from './entitlements.sql.ts';
import { type Loaded, loadInput, type Wanted } from './inputs.ts';
import { countingOf, writeKept } from './kept.ts';
import { forgetLateUsage } from './late.ts';
import { replayed } from './replaying.ts';
import { forgetSnapshots, isKept, keepSnapshot, lockSnapshots } from './snapshots.sql.ts';
import { subjectsOf } from './sources.ts';

/** The next instant of the database, and the one before. */
const MICROSECOND = { microseconds: 1 };

/** The same with a snapshot that still holds, or with none: then all grants are there. */
export async function withHolding(tx: Tx, loaded: Loaded): Promise<Loaded> {
  let found = loaded;
  while (found.snapshot && !(await holds(tx, found)))
    found = await loadInput(tx, {
      entitlement: found.entitlement,
      at: found.at,
      snapshotUntil: found.snapshot.at.subtract(MICROSECOND),
    });
  return found;
}

/** Loads an entitlement for an instant, with the newest snapshot that holds. */
export const loadHolding = async (tx: Tx, wanted: Wanted): Promise<Loaded> =>
  withHolding(tx, await loadInput(tx, wanted));

/** Was the same usage counted then, and did nothing come late? Changed grants have deleted it (`forgetSnapshots`). */
async function holds(tx: Tx, { entitlement, snapshot, meters, elders }: Loaded): Promise<boolean> {
  if (!snapshot || snapshot.kept.counting !== countingOf(meters, elders, snapshot.at)) return false;
  const taken = [{ at: snapshot.at, snapshot: snapshot.taken }];
  const [late] = await lateSince(
    tx,
    entitlement.merchant_id,
    subjectsOf(entitlement),
    taken,
    isKept(entitlement, snapshot),
  );
  return late === false;
}

/**
 * Keeps the balance at a reset, computed from the snapshot before. All usage before it must be settled: then whatever comes
 * later is known to be late. Those after the one that it is computed from did not hold, or would not now. What was late for
 * none that is left is forgotten.
 */
export async function takeSnapshot(tx: Tx, entitlement: EntitlementRow, reset: Instant): Promise<void> {
  await lockSnapshots(tx, entitlement);
  const taken = await usageSnapshot(tx);
  const loaded = await loadHolding(tx, { entitlement, at: reset });
  if (loaded.snapshot?.at.equals(reset)) return;
  const { states } = await replayed(tx, loaded, { instants: [reset], states: (at) => at.equals(reset) });
  const balance = states.at(-1);
  if (!balance?.at.equals(reset)) return;
  await forgetSnapshots(tx, entitlement, loaded.snapshot?.at.add(MICROSECOND) ?? entitlement.active_from);
  const state = writeKept({
    balance,
    counting: countingOf(loaded.meters, loaded.elders, reset),
  });
  await keepSnapshot(tx, entitlement, { at: reset, state, taken });
  await forgetLateUsage(tx, entitlement);
}
