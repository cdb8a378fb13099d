import type { Tx } from '../../db/index.ts';
import { END_OF_TIME, type Instant } from '../../kernel/time.ts';
import { lateSince, usageSnapshot } from '../../metering/index.ts';
import type { BalanceState } from '../balance/index.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';
import { type Loaded, loadInput, type Wanted } from './inputs.ts';
import { forgetLateUsage } from './late.ts';
import { replayed } from './replaying.ts';
import { countingOf, countsAsThen, writeKept } from './snapshot.ts';
import { deleteSnapshotsFrom, hasSnapshot, insertSnapshot, lockSnapshots } from './snapshots.sql.ts';
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
      byGrant: found.byGrant,
    });
  return found;
}

/** Loads an entitlement for an instant, with the newest snapshot that holds. */
export const loadHolding = async (tx: Tx, wanted: Wanted): Promise<Loaded> =>
  withHolding(tx, await loadInput(tx, wanted));

/**
 * Was the same usage counted then, and did nothing come late? A change of grants deletes the snapshot
 * (`deleteSnapshotsFrom`).
 */
async function holds(tx: Tx, loaded: Loaded): Promise<boolean> {
  const { entitlement, snapshot } = loaded;
  if (!snapshot || !countsAsThen(loaded)) return false;
  const taken = [{ at: snapshot.at, snapshot: snapshot.taken }];
  const [late] = await lateSince(tx, subjectsOf(entitlement), taken, hasSnapshot(entitlement, snapshot));
  return late === false;
}

/**
 * Keeps the balance at an instant, computed from the snapshot before. All usage before it must be settled: then
 * whatever comes later is known to be late. Those after the one that it is computed from did not hold, or would not
 * now. What was late for none that is left is forgotten.
 * @param at after the start: a reset, or an instant between two, where many grants are counted as one
 */
export async function takeSnapshot(
  tx: Tx,
  entitlement: EntitlementRow,
  at: Instant,
  kind: 'reset' | 'between',
): Promise<void> {
  await lockSnapshots(tx, entitlement);
  const taken = await usageSnapshot(tx);
  const isReset = kind === 'reset';
  const until = isReset ? at : END_OF_TIME; // all grants: none may come between those that count as one
  const newest = await loadHolding(tx, { entitlement, at: until, snapshotUntil: at });
  if (newest.snapshot?.at.equals(at)) return;
  const loaded =
    isReset && isGrouped(newest.snapshot?.kept.balance)
      ? await loadHolding(tx, { entitlement, at, byGrant: true })
      : newest;
  const { states, integrals } = await replayed(tx, loaded, {
    instants: [at],
    states: (time, isOfReset) => time.equals(at) && (isOfReset || !isReset),
    ...(!isReset && { grouping: { known: loaded.inputs.grants } }),
  });
  const balance = states.at(-1);
  if (!balance?.at.equals(at)) return;
  await deleteSnapshotsFrom(tx, entitlement, newest.snapshot?.at.add(MICROSECOND) ?? entitlement.activeFrom);
  const state = writeKept({
    balance,
    counting: countingOf(loaded.meters, loaded.preceding, at),
    ...(!isReset && integrals.size > 0 && { integrals }),
  });
  await insertSnapshot(tx, entitlement, { at, state, isGrouped: isGrouped(balance), taken });
  await forgetLateUsage(tx, entitlement);
}

const isGrouped = (balance: BalanceState | undefined): boolean =>
  balance?.grants.some(({ group }) => group !== null) === true;
