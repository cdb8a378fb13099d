import { HOURS_PER_DAY, type Instant, isBefore, SECONDS_PER_HOUR, SECONDS_PER_MINUTE } from '../../kernel/time.ts';

/** Seconds from the call until each look-up of its outcome. */
const OFFSETS = [
  SECONDS_PER_MINUTE,
  5 * SECONDS_PER_MINUTE,
  30 * SECONDS_PER_MINUTE,
  2 * SECONDS_PER_HOUR,
  12 * SECONDS_PER_HOUR,
  24 * SECONDS_PER_HOUR,
] as const;
const DAY = HOURS_PER_DAY * SECONDS_PER_HOUR;

/**
 * When the outcome of a call is looked up for the n-th time, counting from 0. After a day it is looked up once a day.
 */
export function lookUpAt(since: Instant, lookUps: number): Instant {
  const seconds = OFFSETS[lookUps] ?? DAY * (2 + lookUps - OFFSETS.length);
  return since.add({ seconds });
}

/** The first look-up that lies ahead. */
export function nextLookUp(since: Instant, lookUps: number, now: Instant): { lookUps: number; at: Instant } {
  let n = lookUps;
  while (!isBefore(now, lookUpAt(since, n))) n += 1;
  return { lookUps: n, at: lookUpAt(since, n) };
}

/** All look-ups of the first day are over, so a person must see to it. */
export const isForPeople = (lookUps: number): boolean => lookUps >= OFFSETS.length;

const DAYS_OF_TRIES = 30;

/** Is a notice given up? It was tried once a day for a month after the tries of the first day. */
export const isGivenUp = (tries: number): boolean => tries >= OFFSETS.length + DAYS_OF_TRIES;

/** How long a provider surely knows a key again, so that a call may be repeated under it. */
export const REPEATABLE_HOURS = 23;

/** May a call that was made then be made again under its key? */
export const isRepeatable = (since: Instant, now: Instant): boolean =>
  isBefore(now, since.add({ hours: REPEATABLE_HOURS }));
