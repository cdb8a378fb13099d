/**
 * How long a failed calculation waits before it is tried again, in minutes; after the last one it has failed for good.
 */
const WAITS_MINUTES = [1, 5, 30, 120];

/** It is over. */
export const NO_MORE = { trigger: 'failCalculation' } as const;

/** The result of a calculation after its `attempts`-th failure: it waits, or it ends (domain.md §4, rows 6 and 7). */
export function afterFailure(
  attempts: number,
): { trigger: 'deferCalculation'; waitMinutes: number } | { trigger: 'failCalculation' } {
  const waitMinutes = WAITS_MINUTES[attempts - 1];
  return waitMinutes === undefined ? NO_MORE : { trigger: 'deferCalculation', waitMinutes };
}
