import { fail, invalidField, ok, type Result } from '../kernel/result.ts';
import { refuse, type StateTable } from '../kernel/state-table.ts';
import {
  addDuration,
  END_OF_TIME,
  formatInstant,
  type Instant,
  type InstantText,
  instantOf,
  isAfter,
  isBefore,
  parseDuration,
} from '../kernel/time.ts';

/** §2 Test clock. */
export interface Clock {
  readonly id: string;
  readonly merchantId: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly currentTime: Instant;
  readonly advancingTo: Instant | null;
  /** The start of the last advance, and its number of steps; null: there was none. */
  readonly advancingFrom: Instant | null;
  readonly advanceSteps: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly deletedAt: Instant | null;
}

/** The target of a PATCH: an instant, or a duration from the clock's time. */
export interface Advance {
  readonly currentTime?: InstantText;
  readonly advanceBy?: string;
}

/** The state of a clock. */
export type ClockState = 'standing' | 'advancing' | 'deleted';

/** The state of this clock; a deleted one no longer advances. */
export const stateOf = ({ advancingTo, deletedAt }: Pick<Clock, 'advancingTo' | 'deletedAt'>): ClockState => {
  if (deletedAt !== null) return 'deleted';
  return advancingTo === null ? 'standing' : 'advancing';
};

const gone = refuse('INVALID_TRANSITION');

/**
 * The triggers of a clock. `advance` sends it to a later time, `stop` to a time that it has already reached, and the
 * runner sends `arrive` when no job is left. A stop takes effect between two steps: it waits for the lock of a step.
 */
export const clockStates: StateTable<ClockState, 'advance' | 'stop' | 'arrive' | 'delete'> = {
  standing: { advance: 'advancing', stop: refuse('CLOCK_BACKWARDS'), arrive: gone, delete: 'deleted' },
  advancing: { advance: refuse('CLOCK_ADVANCING'), stop: 'standing', arrive: 'standing', delete: 'deleted' },
  deleted: { advance: gone, stop: gone, arrive: gone, delete: gone },
};

/**
 * The target of a clock; null: none, and a running advance stops. The present time is not forward (§3), so without an
 * advance it is refused like a step back. During an advance the clock has moved on since its caller read it, so any
 * time that it has passed stops it.
 * @returns CLOCK_ADVANCING for a later time during an advance, CLOCK_BACKWARDS, or the wrong field.
 */
export function decideMove(clock: Clock, { currentTime, advanceBy }: Advance): Result<Instant | null> {
  const to = currentTime === undefined ? moveBy(clock.currentTime, advanceBy ?? '') : instantOf(currentTime);
  if (to === null)
    return invalidField('advanceBy', 'must be an ISO 8601 duration such as P1M or PT12H, ending before 2200');
  const isForward = isAfter(to, clock.currentTime);
  const state = clockStates[stateOf(clock)][isForward ? 'advance' : 'stop'];
  if (typeof state === 'object')
    return fail(state.refuse, {
      currentTime: formatInstant(clock.currentTime),
      ...(clock.advancingTo !== null && { advancingTo: formatInstant(clock.advancingTo) }),
    });
  return ok(state === 'advancing' ? to : null);
}

function moveBy(from: Instant, text: string): Instant | null {
  const duration = parseDuration(text);
  if (!duration) return null;
  try {
    const to = addDuration(from, duration);
    return isBefore(to, END_OF_TIME) ? to : null;
  } catch {
    return null; // so many years that the calendar ends
  }
}
