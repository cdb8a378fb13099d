import { boundary, earliest, type Instant, isAfter, isBefore, latest } from '../../kernel/time.ts';
import { countRecurrences, endOf, RecurrenceCursor, startOf } from './grant-time.ts';
import { grantOfGroup } from './groups.ts';
import { issuedGrantAt, issuesAtStart, writtenAt } from './issued.ts';
import type {
  BalanceGrant,
  BalanceInputs,
  BalanceState,
  Moment,
  Run,
  Stretch,
  Timeline,
  TimelinePoint,
} from './model.ts';
import {
  countResets,
  isActiveAt,
  lastBoundary,
  type NextReset,
  nextTermAfter,
  Periods,
  periodIn,
  ResetCursor,
  resetOf,
  type Schedule,
  scheduleOf,
} from './schedule.ts';
import { TimeQueue } from './time-queue.ts';
import { type Budget, finish, takeStep } from './turns.ts';

/** Half-open. */
export interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

/**
 * The stretches whose usage a replay from `state` (null: from `activeFrom`) to the last of `observed` needs. They tile
 * the time but for runs, and none crosses anything that happens, nor an observed instant. Only what lies after the
 * state costs anything.
 * @param used where usage can be, in order and apart; null: anywhere. What happens again and again where none can be is
 * a run
 * @throws RangeError for a question before the state, and for a state of other grants.
 */
export const timelineOf = (
  inputs: BalanceInputs,
  state: BalanceState | null,
  observed: readonly Instant[],
  used: readonly Span[] | null = null,
): Timeline => finish(timelineInTurns(inputs, state, observed, used));

/**
 * The same with a pause after every few hundred points. @throws TooManySteps where it has more points than the budget
 * allows
 */
export function* timelineInTurns(
  inputs: BalanceInputs,
  state: BalanceState | null,
  observed: readonly Instant[],
  used: readonly Span[] | null,
  budget?: Budget,
): Generator<void, Timeline> {
  const schedule = scheduleOf(inputs);
  const start = state?.at ?? inputs.activeFrom;
  if (state && observed.some((at) => isBefore(at, start)))
    throw new RangeError('A replay cannot answer for a time before its stored state.');
  const held = heldBy(schedule, state);
  const asked = observed.filter((at) => !isBefore(at, start)).map((at) => lastInstantOf(inputs, start, at));
  const points = asked.length === 0 ? [] : yield* pointsOf(schedule, state, held, asked, new UsageGaps(used), budget);
  const index = new Map<bigint, number>();
  for (const [number, { at, isAsked }] of points.entries()) if (isAsked) index.set(at.epochNanoseconds, number);
  const periods = new Periods(schedule);
  const questions = observed.map((at) => ({
    at,
    period: periods.at(at),
    point: isBefore(at, start) ? null : (index.get(lastInstantOf(inputs, start, at).epochNanoseconds) ?? null),
  }));
  const periodStart = state ? periodIn(schedule, start).start : start;
  return { stretches: yield* stretchesOf(points, new UsageGaps(used), periodStart), points, questions, state, held };
}

/**
 * How many steps a replay from `state` to an instant has at most: resets, and recurrences of grants. Counted by
 * arithmetic, however many there are.
 */
export function countSteps(inputs: BalanceInputs, state: BalanceState | null, asked: Instant): number {
  const start = state?.at ?? inputs.activeFrom;
  const until = lastInstantOf(inputs, start, asked);
  if (!isAfter(until, start)) return 0;
  const recurring = inputs.grants.filter(({ recurrence }) => recurrence !== null);
  const recurrences = recurring.map((grant) => countRecurrences(grant, latest(start, startOf(inputs, grant)), until));
  return countResets(scheduleOf(inputs), start, until) + recurrences.reduce((a, b) => a + b, 0);
}

/** After its end an entitlement stays as it was left. */
const lastInstantOf = ({ activeTo }: BalanceInputs, start: Instant, at: Instant): Instant =>
  activeTo === null ? at : latest(start, earliest(at, activeTo));

/** The grants of a state: rows, or grants of the template without a row. */
function heldBy(schedule: Schedule, state: BalanceState | null): ReadonlyMap<string, BalanceGrant> {
  if (!state) return NOBODY;
  const ids = new Set(state.grants.map(({ id }) => id));
  const rows = new Map(schedule.inputs.grants.filter(({ id }) => ids.has(id)).map((grant) => [grant.id, grant]));
  const found = state.grants.map((held): [string, BalanceGrant] => {
    const { id, issuedAt, group } = held;
    if (group) return [id, grantOfGroup(held, group, state.at)];
    const grant = rows.get(id) ?? (issuedAt && issuedGrantAt(schedule, issuedAt));
    if (grant?.id !== id) throw new RangeError(`The stored state has ${id}, which is no grant of the entitlement.`);
    return [id, grant];
  });
  return new Map(found);
}

const NONE: ReadonlySet<string> = new Set();
const NOBODY: ReadonlyMap<string, BalanceGrant> = new Map();

/** A point that the inputs fix: grants that begin or end, or a question. Resets and recurrences are computed. */
interface FixedPoint {
  readonly at: Instant;
  /** Nanoseconds since 1970: asking an instant for them costs more than comparing them. */
  readonly time: bigint;
  readonly isAsked: boolean;
  readonly ending: ReadonlySet<string>;
  readonly starting: readonly BalanceGrant[];
}

/** A fixed point while its grants are collected. */
interface CollectedPoint extends FixedPoint {
  isAsked: boolean;
  ending: Set<string> | typeof NONE;
  starting: BalanceGrant[] | typeof NOTHING;
}

const NOTHING: readonly BalanceGrant[] = [];

/** So many points are found before others have a turn. */
const POINTS_A_TURN = 256;

/** The start, all changes after it, and the instants of the question, once each and in order. */
function* pointsOf(
  schedule: Schedule,
  state: BalanceState | null,
  held: ReadonlyMap<string, BalanceGrant>,
  asked: readonly Instant[],
  gaps: UsageGaps,
  budget: Budget | undefined,
): Generator<void, TimelinePoint[]> {
  const start = state?.at ?? schedule.inputs.activeFrom;
  const until = asked.reduce(latest, start);
  const { fixedPoints, counting } = yield* fixedPointsOf(schedule, state, held, asked, until);
  const finder = new PointFinder({ schedule, fixedPoints, counting, start, until, gaps });
  const points = [finder.first(state === null)];
  for (let point = finder.next(); point; point = finder.next()) {
    points.push(point);
    if (point.moment && (point.moment.reset || point.moment.recurring.size > 0)) takeStep(budget);
    if (points.length % POINTS_A_TURN === 0) yield;
  }
  return points;
}

interface Found {
  readonly schedule: Schedule;
  /** In order of time; the first one is the start. */
  readonly fixedPoints: readonly FixedPoint[];
  /** The grants that recur. */
  readonly counting: readonly BalanceGrant[];
  readonly start: Instant;
  readonly until: Instant;
  readonly gaps: UsageGaps;
}

/** Finds the next point: a fixed point, a reset, a recurrence, or several of them at one instant. */
class PointFinder {
  readonly #found: Found;
  readonly #written: ReadonlySet<bigint | null>;
  readonly #resets: ResetCursor;
  readonly #recurrences = new TimeQueue<RecurrenceCursor>(({ next }) => next as Instant);
  #passed = 0;

  constructor(found: Found) {
    const { schedule, counting, start, until } = found;
    this.#found = found;
    this.#written = writtenAt(schedule.inputs);
    this.#resets = new ResetCursor(schedule, start);
    for (const grant of counting)
      this.#wait(new RecurrenceCursor(grant, latest(start, startOf(schedule.inputs, grant)), until));
  }

  /** The start. @param isFromStart nothing has happened before it, and the template issues something */
  first(isFromStart: boolean): TimelinePoint {
    const { schedule, fixedPoints, start } = this.#found;
    this.#passed = 1;
    const issued = isFromStart && issuesAtStart(schedule.inputs) ? this.#issuedAt(start) : null;
    const moment = momentAt(start, fixedPoints[0] ?? null, [], issued);
    const isAsked = fixedPoints[0]?.isAsked === true;
    return { from: start, at: start, moment: isNothing(moment) ? null : moment, run: null, isAsked };
  }

  next(): TimelinePoint | null {
    const fixedPoint = this.#fixedPoint ?? null;
    const other = this.#earliestOther();
    if (fixedPoint && (other === null || fixedPoint.time < other.epochNanoseconds)) {
      if (isAfter(fixedPoint.at, this.#found.until)) return null;
      this.#passed += 1;
      return this.#between(fixedPoint.at, fixedPoint, []);
    }
    if (other === null || isAfter(other, this.#found.until)) return null;
    const isHere = fixedPoint?.time === other.epochNanoseconds;
    if (isHere) this.#passed += 1;
    return this.#atOther(other, isHere ? fixedPoint : null);
  }

  /** A point with a reset of usage or a recurrence of grants. */
  #atOther(at: Instant, fixedPoint: FixedPoint | null): TimelinePoint {
    const recurring = this.#recurrences.earliest?.next?.equals(at) ? this.#recurrences.takeAll(at) : [];
    const reset = this.#resets.next?.at.equals(at) ? this.#resets.next : null;
    const point = reset ? this.#atReset(reset, fixedPoint, recurring) : this.#between(at, fixedPoint, recurring);
    for (const cursor of recurring) this.#wait(cursor);
    return point;
  }

  /** The next reset or recurrence. */
  #earliestOther(): Instant | null {
    const reset = this.#resets.next?.at ?? null;
    const recurrence = this.#recurrences.earliest?.next ?? null;
    return reset && recurrence ? earliest(reset, recurrence) : (reset ?? recurrence);
  }

  get #fixedPoint(): FixedPoint | undefined {
    return this.#found.fixedPoints[this.#passed];
  }

  #atReset(reset: NextReset, fixedPoint: FixedPoint | null, recurring: readonly RecurrenceCursor[]): TimelinePoint {
    const { at, manual, counted } = reset;
    for (const cursor of recurring) cursor.advance();
    const run = counted && !fixedPoint && recurring.length === 0 ? this.#resetRun(at, counted) : null;
    this.#resets.advance(run?.last);
    const happening = momentAt(at, fixedPoint, recurring, this.#issuedAt(at));
    const moment = { ...happening, reset: resetOf(this.#found.schedule, at, manual) };
    return { from: at, at: run?.at ?? at, moment, run: run?.run ?? null, isAsked: fixedPoint?.isAsked === true };
  }

  /** A point with the start, end or recurrence of grants, or a question. */
  #between(at: Instant, fixedPoint: FixedPoint | null, recurring: readonly RecurrenceCursor[]): TimelinePoint {
    const moment = momentAt(at, fixedPoint, recurring, null);
    const [cursor] = recurring;
    if (cursor && recurring.length === 1 && !fixedPoint) return this.#recurrenceRun(moment, cursor);
    for (const each of recurring) each.advance();
    const isAsked = fixedPoint?.isAsked === true;
    return { from: at, at, moment: isNothing(moment) ? null : moment, run: null, isAsked };
  }

  /** The last instant of a run from `at` on; `at` itself: there is no run. */
  #limitAfter(at: Instant, others: Instant | null | undefined): Instant {
    const { schedule, gaps, until } = this.#found;
    const limits = [this.#fixedPoint?.at, this.#recurrences.earliest?.next, others, schedule.inputs.activeTo];
    return gaps.limitAfter(at, limits, until);
  }

  /** The resets by the calendar from one on; null: no other follows. */
  #resetRun(first: Instant, { rule, number, until }: NonNullable<NextReset['counted']>) {
    const { schedule } = this.#found;
    const limit = this.#limitAfter(first, nextTermAfter(schedule, first));
    if (!isAfter(limit, first)) return null;
    const timeOf = (index: number) => boundary(rule.anchor, rule.cadence, index);
    const last = lastBoundary(rule, until === null ? limit : earliest(limit, until.subtract(RIGHT_BEFORE)));
    if (last <= number) return null;
    const issuedAt = (index: number) => this.#issuedAt(timeOf(number + index));
    const run: Run = {
      length: last - number + 1,
      recurring: null,
      issuedAt,
      momentAt: (index) => {
        const at = timeOf(number + index);
        return { ...momentAt(at, null, [], issuedAt(index)), reset: resetOf(schedule, at, null) };
      },
    };
    return { run, at: timeOf(last), last };
  }

  /** The recurrences of a grant from one on. */
  #recurrenceRun(moment: Moment, cursor: RecurrenceCursor): TimelinePoint {
    const from = moment.at;
    const limit = this.#limitAfter(from, this.#resets.next?.at);
    const { first, last } = cursor.advance(limit);
    const momentOf = (index: number): Moment => ({ ...moment, at: cursor.at(first + index) });
    const run = { length: last - first + 1, recurring: cursor.grant.id, issuedAt: () => null, momentAt: momentOf };
    return { from, at: cursor.at(last), moment, run: last > first ? run : null, isAsked: false };
  }

  /** The grant of the template at an instant, unless it has a row. */
  #issuedAt(at: Instant): BalanceGrant | null {
    return this.#written.has(at.epochNanoseconds) ? null : issuedGrantAt(this.#found.schedule, at);
  }

  #wait(cursor: RecurrenceCursor): void {
    if (cursor.next && isActiveAt(this.#found.schedule.inputs, cursor.next)) this.#recurrences.add(cursor);
  }
}

const RIGHT_BEFORE = { nanoseconds: 1 };
function momentAt(
  at: Instant,
  fixedPoint: FixedPoint | null,
  recurring: readonly RecurrenceCursor[],
  issued: BalanceGrant | null,
): Moment {
  const starting = fixedPoint?.starting ?? [];
  return {
    at,
    reset: null,
    ending: fixedPoint?.ending ?? NONE,
    recurring: recurring.length === 0 ? NONE : new Set(recurring.map(({ grant }) => grant.id)),
    starting: issued ? [...starting, issued] : starting,
  };
}

/** A moment with only a question. */
const isNothing = ({ ending, recurring, starting }: Moment): boolean =>
  ending.size + recurring.size + starting.length === 0;

/** The fixed points in order of time, and the grants that count anywhere between. */
function* fixedPointsOf(
  { inputs }: Schedule,
  state: BalanceState | null,
  held: ReadonlyMap<string, BalanceGrant>,
  asked: readonly Instant[],
  until: Instant,
): Generator<void, { fixedPoints: FixedPoint[]; counting: BalanceGrant[] }> {
  const start = state?.at ?? inputs.activeFrom;
  const found = new Map<bigint, CollectedPoint>();
  const noted = (at: Instant): CollectedPoint => {
    const time = at.epochNanoseconds;
    const known = found.get(time);
    if (known) return known;
    const fixedPoint = { at, time, isAsked: false, ending: NONE, starting: NOTHING };
    found.set(time, fixedPoint);
    return fixedPoint;
  };
  const happens = (time: Instant) =>
    (state === null || isAfter(time, start)) && !isAfter(time, until) && isActiveAt(inputs, time);
  noted(start);
  for (const at of asked) noted(at).isAsked = true;
  const counting = [...held.values()];
  for (const [index, grant] of inputs.grants.entries()) {
    const begins = startOf(inputs, grant);
    if (happens(begins) && isEver(inputs, grant)) {
      const fixedPoint = noted(begins);
      if (fixedPoint.starting === NOTHING) fixedPoint.starting = [grant];
      else (fixedPoint.starting as BalanceGrant[]).push(grant);
      counting.push(grant);
    }
    if (index % POINTS_A_TURN === POINTS_A_TURN - 1) yield;
  }
  for (const [index, grant] of counting.entries()) {
    const end = endOf(grant);
    if (end && happens(end)) {
      const fixedPoint = noted(end);
      if (fixedPoint.ending === NONE) fixedPoint.ending = new Set([grant.id]);
      else (fixedPoint.ending as Set<string>).add(grant.id);
    }
    if (index % POINTS_A_TURN === POINTS_A_TURN - 1) yield;
  }
  yield;
  const fixedPoints = [...found.values()].toSorted((a, b) => (a.time < b.time ? -1 : 1));
  yield;
  return { fixedPoints, counting: counting.filter(({ recurrence }) => recurrence !== null) };
}

/** Does a grant count at any time? Not one that was voided before it began. */
function isEver(inputs: BalanceInputs, grant: BalanceGrant): boolean {
  const end = endOf(grant);
  return end === null || isAfter(end, startOf(inputs, grant));
}

/** The gaps between the usage, where nothing is used. Calls come in the order of time. */
class UsageGaps {
  readonly #used: readonly Span[] | null;
  #next = 0;

  constructor(used: readonly Span[] | null) {
    this.#used = used;
  }

  /** Is there no usage in a span? */
  hasNoUsage({ from, to }: Span): boolean {
    if (this.#used === null) return false;
    const used = this.#after(from);
    return used === undefined || !isBefore(used.from, to);
  }

  /**
   * The last instant of a run that begins at `at`: before the limits, up to where usage can be; `at` itself: there is
   * no run.
   */
  limitAfter(at: Instant, limits: readonly (Instant | null | undefined)[], until: Instant): Instant {
    if (this.#used === null) return at;
    const used = this.#after(at);
    const before = limits.flatMap((limit) => (limit ? [limit.subtract(RIGHT_BEFORE)] : []));
    return latest(at, [...before, ...(used ? [used.from] : [])].reduce(earliest, until));
  }

  #after(at: Instant): Span | undefined {
    const used = this.#used ?? [];
    while (this.#next < used.length && !isAfter((used[this.#next] as Span).to, at)) this.#next += 1;
    return used[this.#next];
  }
}

/** Between one point and the next. @param firstPeriod when the usage period began that runs at the first point */
function* stretchesOf(
  points: readonly TimelinePoint[],
  gaps: UsageGaps,
  firstPeriod: Instant,
): Generator<void, Stretch[]> {
  let periodStart = firstPeriod;
  const stretches: Stretch[] = [];
  for (const [index, { at: from, moment }] of points.slice(0, -1).entries()) {
    if (moment?.reset) periodStart = from;
    const to = (points[index + 1] as TimelinePoint).from;
    stretches.push({ from, to, periodStart, isUnused: gaps.hasNoUsage({ from, to }) });
    if (index % POINTS_A_TURN === POINTS_A_TURN - 1) yield;
  }
  return stretches;
}
