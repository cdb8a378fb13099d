import {
  boundary,
  earliest,
  type Instant,
  isAfter,
  isBefore,
  latest,
  periodAt,
  periodIndexAt,
} from '../../kernel/time.ts';
import type { BalanceInputs, BalanceTerm, ManualReset, PeriodRule, Reset, UsagePeriod } from './model.ts';

/**
 * When usage starts anew. Resets are never listed from the beginning: between the few instants at which the counting
 * itself changes (a manual reset, a new term) they are arithmetic on anchor and cadence.
 */
export interface Schedule {
  readonly inputs: BalanceInputs;
  /** In order of time. */
  readonly terms: readonly BalanceTerm[];
  readonly segments: readonly Segment[];
}

/** A stretch of time in which periods are counted by one rule, up to the next segment. */
interface Segment {
  readonly from: Instant;
  /** The start of the usage period at `from`. */
  readonly start: Instant;
  readonly rule: PeriodRule | null;
  readonly isReset: boolean;
  readonly manual: ManualReset | null;
}

/** A rule that waits for the next reset: the running period keeps its end. */
interface Waiting {
  readonly rule: PeriodRule | null;
  readonly since: Instant;
}

/** Is this an instant at which something of this entitlement can happen? */
export const isActiveAt = ({ activeFrom, activeTo }: BalanceInputs, at: Instant): boolean =>
  !isBefore(at, activeFrom) && (activeTo === null || isBefore(at, activeTo));

const byFrom = (a: BalanceTerm, b: BalanceTerm): number => Temporal.Instant.compare(a.from, b.from);
const byTime = (a: { readonly at: Instant }, b: { readonly at: Instant }): number =>
  Temporal.Instant.compare(a.at, b.at);

/** The term that applies at an instant; before the first one, the first. */
export function termAt({ terms }: Pick<Schedule, 'terms'>, at: Instant): BalanceTerm {
  const term = terms.findLast(({ from }) => !isAfter(from, at)) ?? terms[0];
  if (!term) throw new RangeError('An entitlement has a term.');
  return term;
}

/** From when on another term applies; null: this one does for ever. */
export const nextTermAfter = ({ terms }: Schedule, at: Instant): Instant | null =>
  terms.find(({ from }) => isAfter(from, at))?.from ?? null;

const isSameRule = (a: PeriodRule | null, b: PeriodRule | null): boolean =>
  a === null || b === null
    ? a === b
    : a.anchor.equals(b.anchor) && a.cadence.months === b.cadence.months && a.cadence.days === b.cadence.days;

/** How periods are counted, from the start on. */
export function scheduleOf(inputs: BalanceInputs): Schedule {
  const { activeFrom } = inputs;
  const terms = inputs.terms.toSorted(byFrom);
  const opening: Segment = {
    from: activeFrom,
    start: activeFrom,
    rule: termAt({ terms }, activeFrom).usagePeriod,
    isReset: false,
    manual: null,
  };
  const segments = [opening];
  let waiting: Waiting | null = null;
  for (const change of changesOf(inputs)) {
    waiting = adopt(segments, waiting, change.at);
    if (change.manual) {
      segments.push(afterManualReset(inputs, segments, waiting, change.manual));
      waiting = null;
    } else waiting = afterTerm(segments, change.rule, change.at);
  }
  adopt(segments, waiting, null);
  return { inputs, terms, segments };
}

interface Change {
  readonly at: Instant;
  readonly rule: PeriodRule | null;
  readonly manual: ManualReset | null;
}

/** Terms that count periods differently from the one before, and manual resets; at one instant the term comes first. */
function changesOf(inputs: BalanceInputs): Change[] {
  const terms = inputs.terms.toSorted(byFrom);
  const rules = terms.flatMap(({ from: at, usagePeriod: rule }, index): Change[] => {
    const before = terms[index - 1]?.usagePeriod;
    const isNew = isAfter(at, inputs.activeFrom) && before !== undefined && !isSameRule(before, rule);
    return isNew ? [{ at, rule, manual: null }] : [];
  });
  const manual = inputs.resets
    .filter(({ at }) => isActiveAt(inputs, at))
    .map((reset): Change => ({ at: reset.at, rule: null, manual: reset }));
  return [...rules, ...manual].toSorted(byTime);
}

/** The rule that waits applies from the first reset on, if that comes before `until` (null: whenever). */
function adopt(segments: Segment[], waiting: Waiting | null, until: Instant | null): Waiting | null {
  const current = segments.at(-1);
  if (!waiting || !current?.rule) return waiting;
  const at = firstBoundary(current.rule, waiting.since, current.from);
  if (until !== null && !isBefore(at, until)) return waiting;
  segments.push({ from: at, start: at, rule: waiting.rule, isReset: true, manual: null });
  return null;
}

/** The first boundary that is at or after `from` and later than `after`. */
function firstBoundary({ anchor, cadence }: PeriodRule, from: Instant, after: Instant): Instant {
  const { start, end } = periodAt(anchor, cadence, latest(from, after));
  return isBefore(start, from) || !isAfter(start, after) ? end : start;
}

function afterManualReset(
  { activeFrom }: BalanceInputs,
  segments: readonly Segment[],
  waiting: Waiting | null,
  manual: ManualReset,
): Segment {
  const rule = waiting ? waiting.rule : (segments.at(-1)?.rule ?? null);
  const counted = rule && !manual.retainAnchor ? { cadence: rule.cadence, anchor: manual.at } : rule;
  // At the very start nothing has been used yet: such a reset only moves the anchor.
  return { from: manual.at, start: manual.at, rule: counted, isReset: isAfter(manual.at, activeFrom), manual };
}

/**
 * A one-time entitlement has no running period whose end could be waited for: the new rule counts at once, without a
 * reset. So does a rule that says so; at a boundary of the rule before it, with the reset that is due there.
 */
function afterTerm(segments: Segment[], rule: PeriodRule | null, at: Instant): Waiting | null {
  const current = segments.at(-1) as Segment;
  if (current.rule !== null && rule?.atOnce !== true) return { rule, since: at };
  const { rule: counted } = current;
  const start = counted ? begunIn(current, periodAt(counted.anchor, counted.cadence, at).start) : current.start;
  segments.push({ from: at, start, rule, isReset: isAfter(at, current.from) && start.equals(at), manual: null });
  return null;
}

/** When the usage period of a segment began whose rule's own begins at an instant. */
const begunIn = ({ from, start }: Segment, counted: Instant): Instant => (isAfter(counted, from) ? counted : start);

/** The usage period that holds an instant; outside of the entitlement's time, the first or the last one. */
export function periodIn({ inputs, segments }: Schedule, asked: Instant): UsagePeriod {
  const { activeFrom, activeTo } = inputs;
  // The end is open: what holds at it is the period before.
  const lastInstant = activeTo === null ? asked : earliest(asked, activeTo.subtract({ nanoseconds: 1 }));
  const at = latest(lastInstant, activeFrom);
  const index = segments.findLastIndex(({ from }) => !isAfter(from, at));
  const segment = segments[index] as Segment;
  const { start: begun, rule } = segment;
  if (!rule) return { start: begun, end: null, lastResetAt: resetAt(inputs, begun) };
  const counted = periodAt(rule.anchor, rule.cadence, at);
  const start = begunIn(segment, counted.start);
  const next = segments[index + 1];
  const end = next ? earliest(counted.end, next.from) : counted.end;
  return { start, end, lastResetAt: resetAt(inputs, start) };
}

/** The usage periods of many instants: one that several instants share is found once. */
export class Periods {
  readonly #schedule: Schedule;
  #known: { readonly period: UsagePeriod; readonly from: Instant } | null = null;

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
  }

  at(asked: Instant): UsagePeriod {
    const known = this.#known;
    // Before the instant at which it was found, another rule may have counted the same period.
    if (known?.period.end && !isBefore(asked, known.from) && isBefore(asked, known.period.end)) return known.period;
    const period = periodIn(this.#schedule, asked);
    this.#known = { period, from: asked };
    return period;
  }
}

const resetAt = ({ activeFrom }: BalanceInputs, start: Instant): Instant | null =>
  isAfter(start, activeFrom) ? start : null;

/** A reset that comes next. */
export interface NextReset {
  readonly at: Instant;
  readonly manual: ManualReset | null;
  /** By the calendar: the rule, the number of its boundary, and up to where boundaries are counted so. */
  readonly counted: { readonly rule: PeriodRule; readonly number: number; readonly until: Instant | null } | null;
}

/** The resets after an instant, one after the other. */
export class ResetCursor {
  readonly #schedule: Schedule;
  #segment = 0;
  #after: Instant;
  /** The next one; null: there is none. */
  next: NextReset | null = null;

  constructor(schedule: Schedule, after: Instant) {
    this.#schedule = schedule;
    this.#after = after;
    this.#find();
  }

  /** Passes the next one, or by the calendar all up to the boundary of a number. */
  advance(number?: number): void {
    const { next } = this;
    if (!next) return;
    if (!next.counted) {
      this.#after = next.at;
      this.#find();
      return;
    }
    const { rule, number: first, until } = next.counted;
    const following = (number ?? first) + 1;
    const at = boundary(rule.anchor, rule.cadence, following);
    if (until === null || isBefore(at, until))
      this.#offer({ at, manual: null, counted: { rule, number: following, until } });
    else {
      this.#after = boundary(rule.anchor, rule.cadence, following - 1);
      this.#segment += 1;
      this.#find();
    }
  }

  #find(): void {
    const { segments } = this.#schedule;
    this.next = null;
    for (; this.#segment < segments.length; this.#segment += 1) {
      const { from, rule, isReset, manual } = segments[this.#segment] as Segment;
      const until = segments[this.#segment + 1]?.from ?? null;
      // of two at one instant the later counts
      if (until !== null && (!isAfter(until, this.#after) || until.equals(from))) continue;
      if (isReset && isAfter(from, this.#after)) {
        this.#offer({ at: from, manual, counted: null });
        return;
      }
      if (!rule) continue;
      const running = periodAt(rule.anchor, rule.cadence, latest(this.#after, from));
      const [at, number] = [running.end, running.number + 1];
      if (until === null || isBefore(at, until)) {
        this.#offer({ at, manual: null, counted: { rule, number, until } });
        return;
      }
    }
  }

  #offer(next: NextReset): void {
    this.next = isActiveAt(this.#schedule.inputs, next.at) ? next : null;
  }
}

/** The content of a reset. */
export const resetOf = (schedule: Schedule, at: Instant, manual: ManualReset | null): Reset => ({
  at,
  preserveOverage: (manual ?? termAt(schedule, at)).preserveOverage,
});

/** The resets in `(after, until]`, in order. */
export function* resetsBetween(schedule: Schedule, after: Instant, until: Instant): Generator<Reset> {
  const cursor = new ResetCursor(schedule, after);
  for (let { next } = cursor; next && !isAfter(next.at, until); next = cursor.next) {
    yield resetOf(schedule, next.at, next.manual);
    cursor.advance();
  }
}

/** The last boundary of a rule that is at or before an instant, by its number. */
export const lastBoundary = ({ anchor, cadence }: PeriodRule, at: Instant): number =>
  periodIndexAt(anchor, cadence, at);

/** How many resets are in `(after, until]`; by arithmetic, however many that are. */
export function countResets(schedule: Schedule, after: Instant, until: Instant): number {
  const { activeTo } = schedule.inputs;
  const cursor = new ResetCursor(schedule, after);
  let count = 0;
  for (let { next } = cursor; next && !isAfter(next.at, until); next = cursor.next) {
    if (next.counted) {
      const { rule, number, until: end } = next.counted;
      const ends = [end, activeTo].flatMap((each) => (each === null ? [] : [each.subtract({ nanoseconds: 1 })]));
      const last = lastBoundary(rule, ends.reduce(earliest, until));
      count += last - number + 1;
      cursor.advance(last);
    } else {
      count += 1;
      cursor.advance();
    }
  }
  return count;
}

/**
 * The usage period that holds `at`, its start clipped to `activeFrom`. One-time: from the last manual reset on, without
 * end.
 */
export const usagePeriodAt = (inputs: BalanceInputs, at: Instant): UsagePeriod => periodIn(scheduleOf(inputs), at);

/**
 * The first so many periodic and manual resets in `(after, until]`, in order; if both coincide, the manual one decides
 * what is preserved.
 */
export const resetsIn = (
  inputs: BalanceInputs,
  after: Instant,
  until: Instant,
  most = Number.POSITIVE_INFINITY,
): Reset[] => [...resetsBetween(scheduleOf(inputs), after, until).take(most)];
