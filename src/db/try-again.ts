/** So many times the same work is tried at most. */
const MOST_TRIES = 5;

/** When work is tried again. */
interface TryAgain {
  /** May the same work succeed after this error? */
  readonly isWorthwhile: (error: unknown) => boolean;
  /** What comes before the next try, by the number of tries so far; nothing, if absent. */
  readonly pause?: (tries: number) => Promise<void>;
}

/**
 * The answer of work that may fail for a while, such as in a deadlock: it is tried five times at most.
 * @throws the error of the last try, and at once each error after which no other try is worthwhile
 */
export async function tryAgain<T>(work: () => Promise<T>, { isWorthwhile, pause }: TryAgain): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === MOST_TRIES || !isWorthwhile(error)) throw error;
      await pause?.(tries);
    }
  }
}
