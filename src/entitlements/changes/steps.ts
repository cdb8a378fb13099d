import type { Tx } from '../../db/index.ts';
import type { DueKind } from '../../jobs/index.ts';
import { END_OF_TIME, earliest, type Instant, isAfter } from '../../kernel/time.ts';
import { isSettled, settleUsage } from '../../metering/index.ts';
import { publishAll } from '../../webhooks/index.ts';
import { type BalanceInputs, issuedGrants, resetsIn, usagePeriodAt } from '../balance/index.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';
import { lockEntitlement, updateEntitlement } from '../entitlement/entitlements.sql.ts';
import { insertGrants, selectNextExpiry } from '../entitlement/grants.sql.ts';
import { entitlementEvent } from '../entitlement/webhooks.ts';
import { issuedRow } from '../grants/grants.ts';
import { isInLongPeriod, nextBetween } from '../inputs/between.ts';
import { type Loaded, loadInput } from '../inputs/inputs.ts';
import { isMeasuredOverTime } from '../inputs/measure.ts';
import { type ResetMark, selectMark, updateMarkBetween, upsertMark } from '../inputs/snapshots.sql.ts';
import { takeSnapshot, withHolding } from '../inputs/snapshots.ts';
import { subjectsOf } from '../inputs/sources.ts';
import { untilNotice, whenUsed } from '../notices/crossing.ts';
import { insertNotices } from '../notices/notices.sql.ts';
import { publishBeforeReset } from '../notices/notices.ts';
import { balanceOfLoaded } from '../reading/balances.ts';

/** The hook of other domains at each step, in its transaction. */
export type EntitlementStepHook = (tx: Tx, entitlement: EntitlementRow, now: Instant) => Promise<void>;

/** The delay of a snapshot after a reset: by then all earlier intakes of events have ended. */
const SOON = Temporal.Duration.from({ seconds: 20 });

/** The most missed resets in one step; the next step continues with those after them. */
const MOST_RESETS = 500;

/**
 * The background jobs of an entitlement. At its start and at each reset a job writes the grant of the template, sends
 * the webhook of the reset, and counts the usage before it; a little later it stores the balance of the reset. Before a
 * reset it tells of the balance that ends: nobody else may have looked at it in time. At the
 * end of a grant there is nothing to write, but other domains may have a notice.
 * @param then further work after all of this
 */
export const entitlementDueKind = (then: readonly EntitlementStepHook[] = []): DueKind => ({
  kind: 'entitlement',
  step: async (tx, { id }, now) => {
    const entitlement = await lockEntitlement(tx, id);
    if (!entitlement) return;
    const next =
      entitlement.featureType === 'metered' ? await catchUp(tx, entitlement, now) : nextEnd(entitlement, now);
    await updateEntitlement(tx, entitlement, { nextActionAt: next }, now);
    for (const hook of then) await hook(tx, entitlement, now);
  },
});

/** @returns when there is something to do next; null: never again */
async function catchUp(tx: Tx, entitlement: EntitlementRow, now: Instant): Promise<Instant | null> {
  if (isAfter(entitlement.activeFrom, now)) return entitlement.activeFrom;
  const mark = await selectMark(tx, entitlement);
  const isKept = mark ? await keep(tx, entitlement, mark) : true;
  const read = await loadInput(tx, { entitlement, at: now });
  const loaded = isInLongPeriod(read.inputs, now) ? await withHolding(tx, read) : read;
  const { inputs } = loaded;
  const since = mark?.at ?? entitlement.activeFrom;
  const resets = resetsIn(inputs, since, now, MOST_RESETS).map(({ at }) => at);
  const reached = resets.at(-1) ?? (mark ? null : entitlement.activeFrom);
  const between = nextBetween(loaded, now);
  const next =
    resets.length === MOST_RESETS
      ? now
      : soonest([await nextOf(tx, entitlement, inputs, between.next, now), await nextNotice(tx, loaded, now)]);
  if (reached === null) {
    const isNew = mark !== undefined && (await settleUsageBetween(tx, entitlement, mark, between.at, now));
    const isWaiting = !isKept && entitlement.clockId === null; // simulated time does not pass by waiting
    return isNew || isWaiting ? sooner(next, now) : next;
  }
  const [ending] = resets;
  if (mark && ending) await publishBeforeReset(tx, entitlement, ending, now);
  const issued = issuedGrants(inputs, mark?.at ?? null, reached);
  await insertGrants(
    tx,
    issued.map((grant) => issuedRow(entitlement, grant)),
  ); // once, by whoever comes first
  await publishResets(tx, entitlement, resets, now);
  await settleUsageBefore(tx, entitlement, reached, now);
  return sooner(next, now);
}

/**
 * The balance of the last reset, and that of an instant after it, once the usage before them is settled. At the start
 * there is nothing to keep. @returns whether there is nothing to wait for
 */
async function keep(tx: Tx, entitlement: EntitlementRow, mark: ResetMark): Promise<boolean> {
  if (!(await isSettled(tx, mark.waitFor))) return false;
  if (isAfter(mark.at, entitlement.activeFrom)) await takeSnapshot(tx, entitlement, mark.at, 'reset');
  const { betweenAt: at, betweenWaitFor: waitFor } = mark;
  if (at === null || waitFor === null) return true;
  if (!isAfter(at, mark.at)) return overtaken(tx, entitlement);
  if (!(await isSettled(tx, waitFor))) return false;
  await takeSnapshot(tx, entitlement, at, 'between');
  await updateMarkBetween(tx, entitlement, null);
  return true;
}

/** A reset has come after the instant. */
async function overtaken(tx: Tx, entitlement: EntitlementRow): Promise<true> {
  await updateMarkBetween(tx, entitlement, null);
  return true;
}

/**
 * Has the usage before an instant settled, so that the next step keeps its balance. @returns false: it waits already
 */
async function settleUsageBetween(
  tx: Tx,
  entitlement: EntitlementRow,
  mark: ResetMark,
  at: Instant | null,
  now: Instant,
): Promise<boolean> {
  if (at === null || mark.betweenAt?.equals(at)) return false;
  const { merchantId } = entitlement;
  const waitFor = await settleUsage(tx, { merchantId, subjects: subjectsOf(entitlement), until: at }, now);
  await updateMarkBetween(tx, entitlement, { at, waitFor });
  return true;
}

async function settleUsageBefore(tx: Tx, entitlement: EntitlementRow, until: Instant, now: Instant): Promise<void> {
  const { merchantId } = entitlement;
  const waitFor = await settleUsage(tx, { merchantId, subjects: subjectsOf(entitlement), until }, now);
  await upsertMark(tx, entitlement, { at: until, waitFor });
}

/** `entitlement.reset.v0`, once for each reset, periodic or by hand. */
export async function publishResets(
  tx: Tx,
  entitlement: EntitlementRow,
  resets: readonly Instant[],
  now: Instant,
): Promise<void> {
  const { id: entitlementId } = entitlement;
  const notices = resets.map((periodStart) => ({ entitlementId, periodStart, kind: 'reset' as const }));
  const told = await insertNotices(tx, notices, now);
  await publishAll(
    tx,
    told.map(() => entitlementEvent(entitlement, 'entitlement.reset.v0')),
    now,
  );
}

const sooner = (next: Instant | null, now: Instant): Instant =>
  next === null ? now.add(SOON) : earliest(next, now.add(SOON));

/** The next reset, the end, the expiry of a grant, or the time of a snapshot, whichever is first. */
async function nextOf(
  tx: Tx,
  entitlement: EntitlementRow,
  inputs: BalanceInputs,
  between: Instant | null,
  now: Instant,
): Promise<Instant | null> {
  const { activeTo } = inputs;
  if (activeTo !== null && !isAfter(activeTo, now)) return null;
  const [reset] = resetsIn(inputs, now, usagePeriodAt(inputs, now).end ?? activeTo ?? END_OF_TIME);
  const expiry = await selectNextExpiry(tx, entitlement, now);
  return soonest([reset?.at ?? null, activeTo, expiry, between]);
}

/** When a balance that falls with time reaches its next notice; null: never as it stands, or it is of events alone. */
async function nextNotice(tx: Tx, loaded: Loaded, now: Instant): Promise<Instant | null> {
  if (!isMeasuredOverTime(loaded)) return null;
  const amount = untilNotice(await balanceOfLoaded(tx, loaded, { at: null }, now));
  return amount && whenUsed(tx, loaded.entitlement, amount, now);
}

function soonest(times: readonly (Instant | null)[]): Instant | null {
  const set = times.filter((time) => time !== null);
  return set.length === 0 ? null : set.reduce(earliest);
}

const nextEnd = ({ activeTo: to }: EntitlementRow, now: Instant): Instant | null =>
  to !== null && isAfter(to, now) ? to : null;
