/** How many steps a question may still take: resets and recurrences of grants that cannot be passed over at once. */
export interface Budget {
  left: number;
}

/** A question took more steps than it may. */
export class TooManySteps extends Error {}

/** Takes a step. @throws TooManySteps */
export function takeStep(budget: Budget | undefined): void {
  if (budget === undefined) return;
  budget.left -= 1;
  if (budget.left < 0) throw new TooManySteps();
}

/**
 * A long calculation is a generator that pauses now and then, so that its caller can give turns to others. This one
 * runs it to its end at once.
 */
export function finish<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
