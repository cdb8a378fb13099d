import { boundary, earliest, type Instant, isAfter, isBefore, latest, periodIndexAt } from '../../kernel/time.ts';
import type { BalanceInputs, BalanceTerm, ManualReset, PeriodRule, Reset, UsagePeriod } from './model.ts';

/**
 * When usage starts anew. Resets are never listed from the beginning: between the few instants at which the counting itself
 * changes (a manual reset, a new term) they are arithmetic on anchor and cadence.
 */
export interface Schedule {
  readonly inputs: BalanceInputs;
  readonly segments: readonly Segment[];
}

/** A stretch of time in which periods are counted by one rule, up to the next segment. */
interface Segment {
  readonly from: Instant;
  /** Where the usage period that runs at `from` began. */
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
export function termAt({ terms }: BalanceInputs, at: Instant): BalanceTerm {
  const ordered = terms.toSorted(byFrom);
  const term = ordered.findLast(({ from }) => !isAfter(from, at)) ?? ordered[0];
  if (!term) throw new RangeError('An entitlement has a term.');
  return term;
}

const isSameRule = (a: PeriodRule | null, b: PeriodRule | null): boolean =>
  a === null || b === null
    ? a === b
    : a.anchor.equals(b.anchor) && a.cadence.months === b.cadence.months && a.cadence.days === b.cadence.days;

/** How periods are counted, from the start on. */
export function scheduleOf(inputs: BalanceInputs): Schedule {
  const { activeFrom } = inputs;
  const opening: Segment = {
    from: activeFrom,
    start: activeFrom,
    rule: termAt(inputs, activeFrom).usagePeriod,
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
  return { inputs, segments };
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
  const index = periodIndexAt(anchor, cadence, latest(from, after));
  const at = boundary(anchor, cadence, index);
  return isBefore(at, from) || !isAfter(at, after) ? boundary(anchor, cadence, index + 1) : at;
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

/** A one-time entitlement has no running period whose end could be waited for: the new rule counts at once, without a reset. */
function afterTerm(segments: Segment[], rule: PeriodRule | null, at: Instant): Waiting | null {
  const current = segments.at(-1);
  if (current?.rule !== null) return { rule, since: at };
  segments.push({ from: at, start: current.start, rule, isReset: false, manual: null });
  return null;
}

/** The usage period that holds an instant; outside of the entitlement's time, the first or the last one. */
export function periodIn({ inputs, segments }: Schedule, asked: Instant): UsagePeriod {
  const { activeFrom, activeTo } = inputs;
  // The end is open: what holds at it is the period before.
  const lastInstant = activeTo === null ? asked : earliest(asked, activeTo.subtract({ nanoseconds: 1 }));
  const at = latest(lastInstant, activeFrom);
  const index = segments.findLastIndex(({ from }) => !isAfter(from, at));
  const { from, start: begun, rule } = segments[index] as Segment;
  if (!rule) return { start: begun, end: null, lastResetAt: resetAt(inputs, begun) };
  const number = periodIndexAt(rule.anchor, rule.cadence, at);
  const counted = boundary(rule.anchor, rule.cadence, number);
  const start = isAfter(counted, from) ? counted : begun;
  const end = boundary(rule.anchor, rule.cadence, number + 1);
  const next = segments[index + 1];
  return { start, end: next ? earliest(end, next.from) : end, lastResetAt: resetAt(inputs, start) };
}

const resetAt = ({ activeFrom }: BalanceInputs, start: Instant): Instant | null =>
  isAfter(start, activeFrom) ? start : null;

/** The resets in `(after, until]`, in order. */
export function resetsBetween({ inputs, segments }: Schedule, after: Instant, until: Instant): Reset[] {
  const happens = (at: Instant) => isAfter(at, after) && !isAfter(at, until) && isActiveAt(inputs, at);
  const found: Reset[] = [];
  segments.forEach((segment, index) => {
    if (isAfter(segment.from, until)) return;
    if (segment.isReset && happens(segment.from)) found.push(resetOf(inputs, segment.from, segment.manual));
    const end = segments[index + 1]?.from ?? null;
    if (end !== null && !isAfter(end, after)) return;
    for (const at of boundariesOf(segment, latest(after, segment.from), end)) {
      if (!happens(at)) return;
      found.push(resetOf(inputs, at, null));
    }
  });
  // Two manual resets of one instant are one.
  return found.filter(({ at }, index) => !found[index + 1]?.at.equals(at));
}

const resetOf = (inputs: BalanceInputs, at: Instant, manual: ManualReset | null): Reset => ({
  at,
  preserveOverage: (manual ?? termAt(inputs, at)).preserveOverage,
});

function* boundariesOf({ rule }: Segment, after: Instant, end: Instant | null): Generator<Instant> {
  if (!rule) return;
  const first = periodIndexAt(rule.anchor, rule.cadence, after) + 1;
  for (let number = first; ; number += 1) {
    const at = boundary(rule.anchor, rule.cadence, number);
    if (end !== null && !isBefore(at, end)) return;
    yield at;
  }
}

/** The usage period that holds `at`, its start clipped to `activeFrom`. One-time: from the last manual reset on, without end. */
export const usagePeriodAt = (inputs: BalanceInputs, at: Instant): UsagePeriod => periodIn(scheduleOf(inputs), at);

/** The periodic and manual resets in `(after, until]`, in order; where both fall together, the manual one says what is preserved. */
export const resetsIn = (inputs: BalanceInputs, after: Instant, until: Instant): Reset[] =>
  resetsBetween(scheduleOf(inputs), after, until);
