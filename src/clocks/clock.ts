import { fail, invalidField, ok, type Result } from '../kernel/result.ts';
import { refuse, type StateTable } from '../kernel/state-table.ts';
import {
  addDuration,
  formatInstant,
  type Instant,
  isAfter,
  isBefore,
  parseDuration,
  parseInstant,
} from '../kernel/time.ts';

/** §2 Test clock. */
export interface Clock {
  readonly id: string;
  readonly merchantId: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly currentTime: Instant;
  readonly advancingTo: Instant | null;
  /** Where the last advance began, and how many steps it has taken; null: there was none. */
  readonly advancingFrom: Instant | null;
  readonly advanceSteps: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly deletedAt: Instant | null;
}

/** Where a PATCH sends the clock: an instant, or a duration from the time that it shows. */
export interface Advance {
  readonly currentTime?: string;
  readonly advanceBy?: string;
}

const LATEST = Temporal.Instant.from('2200-01-01T00:00:00Z'); // beyond it no timestamp is taken (api.md, Metering)

/** What a clock is doing. */
export type ClockState = 'standing' | 'advancing' | 'deleted';

/** What this clock is doing; a deleted one no longer advances. */
export const stateOf = ({ advancingTo, deletedAt }: Pick<Clock, 'advancingTo' | 'deletedAt'>): ClockState => {
  if (deletedAt !== null) return 'deleted';
  return advancingTo === null ? 'standing' : 'advancing';
};

const gone = refuse('INVALID_TRANSITION');

/**
 * What moves a clock. `advance` sends it to a later time, `stop` to one that it has reached already, `arrive` is the
 * runner's when nothing is left to do. A stop takes effect between two steps: it waits for the lock that a step holds.
 */
export const clockStates: StateTable<ClockState, 'advance' | 'stop' | 'arrive' | 'delete'> = {
  standing: { advance: 'advancing', stop: refuse('CLOCK_BACKWARDS'), arrive: gone, delete: 'deleted' },
  advancing: { advance: refuse('CLOCK_ADVANCING'), stop: 'standing', arrive: 'standing', delete: 'deleted' },
  deleted: { advance: gone, stop: gone, arrive: gone, delete: gone },
};

/**
 * Where a clock is to go; null: nowhere, an advance is to stop where it is. Standing still is not forward (§3), so
 * without an advance it is refused like going back. While an advance runs the clock has moved on from where its caller
 * saw it, so any time that it has passed stops it.
 * @returns CLOCK_ADVANCING for a later time while it is on its way, CLOCK_BACKWARDS, or the field that is wrong.
 */
export function decideMove(clock: Clock, { currentTime, advanceBy }: Advance): Result<Instant | null> {
  const to = currentTime === undefined ? moveBy(clock.currentTime, advanceBy ?? '') : parseInstant(currentTime);
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
    return isBefore(to, LATEST) ? to : null;
  } catch {
    return null; // so many years that the calendar ends
  }
}
