import { invalidField, ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { type Budget, countSteps, TooManySteps } from '../balance/index.ts';
import type { Loaded } from './inputs.ts';

/**
 * So many steps a request may take for a named instant, over all entitlements that it is about (docs/decisions/0038). A
 * step is a reset, or a recurrence of a grant, that cannot be passed over by arithmetic.
 */
export const MOST_STEPS = 10_000;

/** The most resets between the start of a new entitlement and now: each of them has a row and a webhook. */
export const MOST_PAST_RESETS = 5_000;

const STEPS = 'steps (resets, and recurrences of grants)';

/** Answers within a number of steps. @param field the field of the error if it needs more */
export async function within<T>(field: string, answer: (budget: Budget) => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await answer({ left: MOST_STEPS });
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error;
    return invalidField(field, `needs more than ${MOST_STEPS} ${STEPS}; ask for an instant nearer to now`);
  }
}

/** Do few enough resets and recurrences lie between the start of an entitlement and now? Counted by arithmetic. */
export function checkPast({ inputs }: Loaded, now: Instant, field: string, most: number): Result<void> {
  const steps = countSteps(inputs, null, now);
  return steps <= most
    ? ok(undefined)
    : invalidField(field, `lies ${steps} ${STEPS} before now; at most ${most} are possible`);
}
