import type { Instant } from '../kernel/time.ts';

/** After so many tries a step is parked: a person has to look (domain.md §8; reliability F23). */
export const MOST_ATTEMPTS = 5;

const DELAY_SECONDS = [5, 30, 300, 1800] as const;

/** The time of the next attempt after the n-th failure, on the wall clock. @returns null to park the record */
export function nextTry(attempts: number, now: Instant): Instant | null {
  const seconds = DELAY_SECONDS[attempts - 1];
  return attempts >= MOST_ATTEMPTS || seconds === undefined ? null : now.add({ seconds });
}
