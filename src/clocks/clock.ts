import { fail, invalidField, ok, type Result } from '../kernel/result.ts';
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

/**
 * The instant to which a clock is to go. Standing still is not forward (§3), so it is refused like going back.
 * @returns CLOCK_ADVANCING while it is on its way, CLOCK_BACKWARDS, or the field that is wrong.
 */
export function decideAdvance(clock: Clock, { currentTime, advanceBy }: Advance): Result<Instant> {
  if (clock.advancingTo !== null) return fail('CLOCK_ADVANCING', { advancingTo: formatInstant(clock.advancingTo) });
  const to = currentTime === undefined ? moveBy(clock.currentTime, advanceBy ?? '') : parseInstant(currentTime);
  if (to === null)
    return invalidField('advanceBy', 'must be an ISO 8601 duration such as P1M or PT12H, ending before 2200');
  return isAfter(to, clock.currentTime)
    ? ok(to)
    : fail('CLOCK_BACKWARDS', { currentTime: formatInstant(clock.currentTime) });
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
