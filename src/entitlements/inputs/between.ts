import { type Instant, isAfter, isBefore, latest } from '../../kernel/time.ts';
import { type BalanceInputs, usagePeriodAt } from '../balance/index.ts';
import type { Loaded } from './inputs.ts';

/** A usage period has snapshots of its own if it is at least so long: others begin with the one of their reset. */
const LONG = { months: 2 };

/** A snapshot is taken after so much time since the last one, */
const EVERY = { months: 1 };

/** or after so many grants. */
const MANY_GRANTS = 100;

/** Later usage is late for the snapshot, so no snapshot has usage of its last day. */
const DAY = { hours: 24 };

/** When an entitlement has its next snapshot that is of no reset. */
export interface NextBetween {
  /** Due now: the instant of the snapshot, a midnight in UTC. */
  readonly at: Instant | null;
  /** When to look again; null: never. */
  readonly next: Instant | null;
}

const NEVER: NextBetween = { at: null, next: null };

/**
 * Without resets nothing would be kept, and a balance would be counted from the start of the entitlement for ever. So
 * an entitlement whose usage period is long, or without end, has a snapshot each month, or after many grants.
 * @param now effective now of the entitlement
 */
export function nextBetween({ inputs, snapshot }: Pick<Loaded, 'inputs' | 'snapshot'>, now: Instant): NextBetween {
  const { activeFrom, activeTo } = inputs;
  const hasEnded = activeTo !== null && !isAfter(activeTo, now);
  if (!isInLongPeriod(inputs, now) || hasEnded || isBefore(now, activeFrom)) return NEVER;
  const { start } = usagePeriodAt(inputs, now);
  const since = latest(snapshot?.at ?? activeFrom, start);
  const at = midnight(now.subtract(DAY));
  const isAtLast = !isBefore(at, dueAfter(since));
  const isDue = isAfter(at, since) && (isAtLast || grantsIn(inputs, since, at) >= MANY_GRANTS);
  const from = isDue ? at : since;
  const planned = added(dueAfter(from), { hours: 24 }).add(sinceMidnight(activeFrom)); // not all at one time of the day
  const soon = now.add(DAY);
  const isSoon = !isAfter(planned, now) || (isAfter(planned, soon) && grantsIn(inputs, from, now) >= MANY_GRANTS);
  return { at: isDue ? at : null, next: isSoon ? soon : planned };
}

/** Is the usage period so long that it has snapshots of its own? */
export function isInLongPeriod(inputs: BalanceInputs, now: Instant): boolean {
  const { start, end } = usagePeriodAt(inputs, now);
  return end === null || !isBefore(end, added(start, LONG));
}

const added = (at: Instant, duration: Temporal.DurationLike): Instant =>
  at.toZonedDateTimeISO('UTC').add(duration).toInstant();

const midnight = (at: Instant): Instant => at.toZonedDateTimeISO('UTC').startOfDay().toInstant();

const sinceMidnight = (at: Instant): Temporal.Duration => midnight(at).until(at);

const dueAfter = (since: Instant): Instant => added(midnight(since), EVERY);

const grantsIn = ({ grants }: BalanceInputs, after: Instant, until: Instant): number =>
  grants.filter(({ effectiveAt: at }) => isAfter(at, after) && !isAfter(at, until)).length;
