import type { Tx } from '../../db/index.ts';
import { inTurns, MOST_FIGURES } from '../../http/index.ts';
import { Decimal, jsonNumber, sum, ZERO } from '../../kernel/decimal.ts';
import { fail, invalidField, ok, type Result } from '../../kernel/result.ts';
import { earliest, formatInstant, type Instant, isAfter, isBefore, latest } from '../../kernel/time.ts';
import { shownOverTime } from '../../metering/index.ts';
import { type BalanceAt, type GrantGone, TooManyGrants, timelineInTurns, usagePeriodAt } from '../balance/index.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';
import type { EntitlementHistoryReply, HISTORY_WINDOWS } from '../entitlement/schemas.ts';
import { within } from '../inputs/bounds.ts';
import { type Loaded, loadInput } from '../inputs/inputs.ts';
import { hasGauge, isMeasuredOverTime } from '../inputs/measure.ts';
import { type ReplayQuestion, replayed } from '../inputs/replaying.ts';
import { withHolding } from '../inputs/snapshots.ts';

type WindowSize = (typeof HISTORY_WINDOWS)[number];

export interface HistoryQuestion {
  readonly from: Instant | null;
  readonly to: Instant | null;
  readonly windowSize: WindowSize;
  /** Aborted: the caller no longer waits. */
  readonly signal?: AbortSignal | undefined;
}

const MOST_WINDOWS = 400;
/** Each window has a figure of each grant that counted in it, from its balances at both ends of the window. */
const MOST_BALANCES = 2 * MOST_FIGURES;

/** All that is before an instant, and nothing that happens at it. */
const RIGHT_BEFORE = { nanoseconds: 1 };

interface Window {
  readonly from: Instant;
  readonly to: Instant;
}

/**
 * The history of a balance, in windows aligned in UTC and clipped to the range of the question. A window begins with
 * the changes at its first instant (a reset, a grant) and ends before the changes at the next window's.
 * @param now effective now of the entitlement
 */
export async function historyOf(
  tx: Tx,
  entitlement: EntitlementRow,
  question: HistoryQuestion,
  now: Instant,
): Promise<Result<EntitlementHistoryReply>> {
  if (entitlement.featureType !== 'metered') return fail('ENTITLEMENT_NOT_METERED');
  const to = question.to ?? now;
  const loaded = await loadInput(tx, { entitlement, at: to });
  const from = question.from ?? earliest(usagePeriodAt(loaded.inputs, now).start, to);
  if (!isBefore(from, to))
    return question.to === null && question.from === null
      ? ok({ object: 'entitlementHistory', windows: [] })
      : invalidField('to', 'must be after from');
  const windows = windowsBetween(from, to, question.windowSize);
  if (windows === null) return invalidField('windowSize', `gives more than ${MOST_WINDOWS} windows`);
  const atFrom = await withHolding(
    tx,
    await loadInput(tx, { entitlement, at: to, snapshotUntil: from, byGrant: true }),
  );
  const { signal } = question;
  return within('to', async (budget) => {
    try {
      const seen = await walk(tx, atFrom, windows, { signal, budget, mostGrants: MOST_BALANCES });
      return ok(await inTurns(toHistoryReply(seen, isMeasuredOverTime(loaded) ? shownOverTime : exactly), signal));
    } catch (error) {
      if (!(error instanceof TooManyGrants)) throw error;
      return invalidField(
        'windowSize',
        `${question.windowSize} gives more than ${MOST_FIGURES.toLocaleString('en')} balances, windows times grants: ` +
          'choose larger windows or a shorter time',
      );
    }
  });
}

/** How many units grants of an entitlement burnt in a stretch of time, as it is known now. */
export async function burntOf(tx: Tx, entitlement: EntitlementRow, stretch: Window): Promise<Decimal> {
  const { activeFrom, activeTo } = entitlement;
  const from = latest(stretch.from, activeFrom);
  const to = activeTo === null ? stretch.to : earliest(stretch.to, activeTo);
  if (!isBefore(from, to)) return ZERO;
  const loaded = await withHolding(
    tx,
    await loadInput(tx, { entitlement, at: to, snapshotUntil: from, byGrant: true }),
  );
  const [seen] = await walk(tx, loaded, [{ from, to }], {});
  return sum(burntOfGrants(seen as Seen).map(({ burned }) => burned));
}

/** How many units of a grant were burnt from its start until now, with what happened at this instant. */
export async function burntOfGrant(
  tx: Tx,
  entitlement: EntitlementRow,
  { id, effectiveAt }: { readonly id: string; readonly effectiveAt: Instant },
  now: Instant,
): Promise<Decimal> {
  const from = latest(effectiveAt, entitlement.activeFrom);
  const to = now.add({ nanoseconds: 2 }); // it is seen up to one before: an event of this instant counts
  if (!isBefore(from, to)) return ZERO;
  const loaded = await withHolding(
    tx,
    await loadInput(tx, { entitlement, at: to, snapshotUntil: from, byGrant: true }),
  );
  const [seen] = await walk(tx, loaded, [{ from, to }], {});
  const { views, gone } = seen as Seen;
  const told = [...views.flatMap(({ grants }) => grants), ...gone].filter((grant) => grant.id === id);
  return told.map(({ burned }) => burned).reduce((one, other) => Decimal.max(one, other), ZERO);
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

/** The observations of a window: at its start, before all changes in it, and at its end. */
interface Seen {
  readonly window: Window;
  readonly usage: Decimal;
  readonly views: readonly BalanceAt[];
  /** The grants that ended in it, or were used up for ever. */
  readonly gone: readonly GrantGone[];
}

/** Right before each instant of a span at which grants can end. */
async function endsIn(
  loaded: Loaded,
  { from, to }: Window,
  { signal, budget }: Pick<ReplayQuestion, 'signal' | 'budget'>,
): Promise<Instant[]> {
  const state = loaded.snapshot?.kept.balance ?? null;
  const { points } = await inTurns(
    timelineInTurns(loaded.inputs, state, [to.subtract(RIGHT_BEFORE)], null, budget),
    signal,
  );
  const ends = points.filter(
    ({ at, moment }) => isAfter(at, from) && moment && (moment.reset || moment.ending.size > 0),
  );
  return ends.map(({ at }) => at.subtract(RIGHT_BEFORE));
}

async function walk(
  tx: Tx,
  loaded: Loaded,
  windows: readonly Window[],
  asked: Pick<ReplayQuestion, 'signal' | 'budget' | 'mostGrants'>,
): Promise<Seen[]> {
  const [first, last] = [windows[0], windows.at(-1)] as [Window, Window];
  const bounds = windows.flatMap(({ from, to }) => [from, to.subtract(RIGHT_BEFORE)]);
  // A gauge lies over grants: what it covers of one is seen right before the grant ends.
  const before = hasGauge(loaded) ? await endsIn(loaded, { from: first.from, to: last.to }, asked) : [];
  const instants = [...bounds, ...before].toSorted(Temporal.Instant.compare);
  const question = { ...asked, instants, grants: true, closelyFrom: first.from };
  const { timeline, flows, levels, observations, gone } = await replayed(tx, loaded, question);
  const inWindow = divided(windows);
  const used = inWindow(timeline.stretches.map(({ from: at }, index) => ({ at, flow: flows[index] as Decimal })));
  const levelled = inWindow(timeline.questions.map(({ at }, index) => ({ at, level: levels[index] ?? ZERO })));
  const views = inWindow(observations);
  const left = inWindow(before.length > 0 ? [] : gone);
  return windows.map((window, index) => ({
    window,
    usage: sum([...(used[index] ?? []).map(({ flow }) => flow), levelled[index]?.at(-1)?.level ?? ZERO]),
    views: views[index] ?? [],
    gone: (left[index] ?? []).filter(({ at }) => isAfter(at, window.from)),
  }));
}

/** Divides items with an instant, in order of time, among adjoining windows; items outside are left out. */
const divided =
  (windows: readonly Window[]) =>
  <Each extends { readonly at: Instant }>(list: readonly Each[]): Each[][] => {
    const lists: Each[][] = windows.map(() => []);
    let number = 0;
    for (const each of list) {
      while (number < windows.length && !isBefore(each.at, (windows[number] as Window).to)) number += 1;
      if (number < windows.length && !isBefore(each.at, (windows[number] as Window).from)) lists[number]?.push(each);
    }
    return lists;
  };

/** A figure as a history shows it. */
type Shown = (figure: Decimal) => Decimal;

const exactly: Shown = (figure) => figure;

/** So many grants are written before others have a turn. */
const GRANTS_A_TURN = 2_000;

/** The answer, with pauses where many windows have many grants. */
function* toHistoryReply(seen: readonly Seen[], shown: Shown): Generator<void, EntitlementHistoryReply> {
  const windows: EntitlementHistoryReply['windows'] = [];
  let written = 0;
  for (const each of seen) {
    const { window, usage, views } = each;
    const [start, end] = [views[0] as BalanceAt, views.at(-1) as BalanceAt];
    const grants = grantsIn(each, shown);
    windows.push({
      from: formatInstant(window.from),
      to: formatInstant(window.to),
      balanceAtStart: jsonNumber(shown(start.balance)),
      usage: jsonNumber(shown(usage)),
      overage: jsonNumber(shown(end.overage)),
      balanceAtEnd: jsonNumber(shown(end.balance)),
      grants,
    });
    written += grants.length;
    if (written > GRANTS_A_TURN) {
      written = 0;
      yield;
    }
  }
  return { object: 'entitlementHistory', windows };
}

const grantsIn = (seen: Seen, shown: Shown): EntitlementHistoryReply['windows'][number]['grants'] =>
  burntOfGrants(seen).map(({ grantId, burned, balance }) => ({
    grantId,
    burned: jsonNumber(shown(burned)),
    balance: jsonNumber(shown(balance)),
  }));

/** The burned units of each grant that counted in a window, also of a grant that ended by its end. */
function burntOfGrants({ views, gone }: Seen): { grantId: string; burned: Decimal; balance: Decimal }[] {
  const before = new Map(views[0]?.grants.map(({ id, burned }) => [id, burned]));
  const last = new Map(views.at(-1)?.grants.map(({ id, balance }) => [id, balance]));
  const [start = [], ...later] = views.map(({ grants }) => grants);
  const told = [start, gone, ...later].flat();
  const burned = new Map(told.map((each) => [each.id, each.burned]));
  return [...burned].map(([grantId, total]) => ({
    grantId,
    burned: total.minus(before.get(grantId) ?? ZERO),
    balance: last.get(grantId) ?? ZERO,
  }));
}
