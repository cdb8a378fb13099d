import type { Tx } from '../db/index.ts';
import { type Decimal, jsonNumber, sum, ZERO } from '../kernel/decimal.ts';
import { fail, invalidField, ok, type Result } from '../kernel/result.ts';
import { earliest, formatInstant, type Instant, isAfter, isBefore, latest } from '../kernel/time.ts';
import { type BalanceAt, replay, timelineOf, usagePeriodAt } from './balance/index.ts';
import type { EntitlementRow } from './entitlements.sql.ts';
import { type Loaded, loadInput } from './inputs.ts';
import { flowsIn, levelsAt } from './measure.ts';
import type { EntitlementHistory, HISTORY_WINDOWS } from './schemas.ts';
import { withHolding } from './snapshots.ts';

type WindowSize = (typeof HISTORY_WINDOWS)[number];

export interface HistoryQuestion {
  readonly from: Instant | null;
  readonly to: Instant | null;
  readonly windowSize: WindowSize;
}

const MOST_WINDOWS = 400;

/** All that is before an instant, and nothing that happens at it. */
const RIGHT_BEFORE = { nanoseconds: 1 };

interface Window {
  readonly from: Instant;
  readonly to: Instant;
}

/**
 * How a balance went, in windows aligned in UTC and clipped to what is asked. A window begins with what happens at its first
 * instant (a reset, a grant) and ends before what happens at the next one's.
 * @param now effective now of the entitlement
 */
export async function historyOf(
  tx: Tx,
  entitlement: EntitlementRow,
  question: HistoryQuestion,
  now: Instant,
): Promise<Result<EntitlementHistory>> {
  if (entitlement.feature_type !== 'metered') return fail('ENTITLEMENT_NOT_METERED');
  const to = question.to ?? now;
  const loaded = await loadInput(tx, { entitlement, at: to });
  const from = question.from ?? earliest(usagePeriodAt(loaded.inputs, now).start, to);
  if (!isBefore(from, to))
    return question.to === null && question.from === null
      ? ok(historyOut([]))
      : invalidField('to', 'must be after from');
  const windows = windowsBetween(from, to, question.windowSize);
  if (windows === null) return invalidField('windowSize', `gives more than ${MOST_WINDOWS} windows`);
  const atFrom = await loadInput(tx, { entitlement, at: to, snapshotUntil: from });
  return ok(historyOut(await walk(tx, await withHolding(tx, atFrom), windows)));
}

/** How many units grants of an entitlement burnt in a stretch of time, as it is known now. */
export async function burntOf(tx: Tx, entitlement: EntitlementRow, stretch: Window): Promise<Decimal> {
  const { active_from: activeFrom, active_to: activeTo } = entitlement;
  const from = latest(stretch.from, activeFrom);
  const to = activeTo === null ? stretch.to : earliest(stretch.to, activeTo);
  if (!isBefore(from, to)) return ZERO;
  const loaded = await withHolding(tx, await loadInput(tx, { entitlement, at: to, snapshotUntil: from }));
  const [seen] = await walk(tx, loaded, [{ from, to }]);
  return sum(burntOfGrants((seen as Seen).views).map(({ burned }) => burned));
}

/** @returns null where there are too many */
function windowsBetween(from: Instant, to: Instant, size: WindowSize): Window[] | null {
  const [smallestUnit, unit] = UNITS[size];
  const utc = from.toZonedDateTimeISO('UTC');
  const first =
    smallestUnit === 'month' ? utc.with({ day: 1 }).startOfDay() : utc.round({ smallestUnit, roundingMode: 'floor' });
  const windows: Window[] = [];
  for (let start = from, number = 1; isBefore(start, to); number += 1) {
    if (windows.length === MOST_WINDOWS) return null;
    const end = earliest(first.add({ [unit]: number }).toInstant(), to);
    windows.push({ from: start, to: end });
    start = end;
  }
  return windows;
}

const UNITS = {
  MINUTE: ['minute', 'minutes'],
  HOUR: ['hour', 'hours'],
  DAY: ['day', 'days'],
  MONTH: ['month', 'months'],
} as const;

/** What is seen within a window: at its start, before whatever happens in it, and at its end. */
interface Seen {
  readonly window: Window;
  readonly usage: Decimal;
  readonly views: readonly BalanceAt[];
}

async function walk(tx: Tx, loaded: Loaded, windows: readonly Window[]): Promise<Seen[]> {
  const state = loaded.snapshot?.kept.balance ?? null;
  const bounds = windows.flatMap(({ from, to }) => [from, to.subtract(RIGHT_BEFORE)]);
  const happenings = timelineOf(loaded.inputs, state, bounds).points.flatMap(({ at, moment }) => (moment ? [at] : []));
  const first = windows[0]?.from as Instant;
  const instants = [
    ...bounds,
    ...happenings.filter((at) => isAfter(at, first)).map((at) => at.subtract(RIGHT_BEFORE)),
  ].toSorted(Temporal.Instant.compare);
  const timeline = timelineOf(loaded.inputs, state, instants);
  const flows = await flowsIn(tx, loaded, timeline.stretches);
  const asked = timeline.questions.map(({ at, period }) => ({ periodStart: period.start, until: at }));
  const levels = await levelsAt(tx, loaded, asked);
  const views = replay(timeline, flows, levels).observations;
  return windows.map((window) => {
    const inside = ({ at }: { readonly at: Instant }) => !isBefore(at, window.from) && isBefore(at, window.to);
    const used = timeline.stretches.flatMap(({ from }, index) =>
      inside({ at: from }) ? [flows[index] as Decimal] : [],
    );
    const level = levels[timeline.questions.findLastIndex(inside)] ?? ZERO;
    return { window, usage: sum([...used, level]), views: views.filter(inside) };
  });
}

const historyOut = (seen: readonly Seen[]): EntitlementHistory => ({
  object: 'entitlementHistory',
  windows: seen.map(({ window, usage, views }) => {
    const [start, end] = [views[0] as BalanceAt, views.at(-1) as BalanceAt];
    return {
      from: formatInstant(window.from),
      to: formatInstant(window.to),
      balanceAtStart: jsonNumber(start.balance),
      usage: jsonNumber(usage),
      overage: jsonNumber(end.overage),
      balanceAtEnd: jsonNumber(end.balance),
      grants: grantsIn(views),
    };
  }),
});

const grantsIn = (views: readonly BalanceAt[]): EntitlementHistory['windows'][number]['grants'] =>
  burntOfGrants(views).map(({ grantId, burned, balance }) => ({
    grantId,
    burned: jsonNumber(burned),
    balance: jsonNumber(balance),
  }));

/** What was burned of each grant that counted in a window, also of one that is gone at its end. */
function burntOfGrants(views: readonly BalanceAt[]): { grantId: string; burned: Decimal; balance: Decimal }[] {
  const before = new Map(views[0]?.grants.map(({ id, burned }) => [id, burned]));
  const last = new Map(views.at(-1)?.grants.map(({ id, balance }) => [id, balance]));
  const burned = new Map(views.flatMap(({ grants }) => grants.map((grant) => [grant.id, grant.burned] as const)));
  return [...burned].map(([grantId, total]) => ({
    grantId,
    burned: total.minus(before.get(grantId) ?? ZERO),
    balance: last.get(grantId) ?? ZERO,
  }));
}
