/** Work that waits for a turn of the event loop, the oldest first. */
const waiting: (() => void)[] = [];

/**
 * Resolves at a later turn of the event loop, one caller at each turn. Long work is done in slices with a turn between
 * them: so one slice holds everybody else up, however many requests are in long work at the same time.
 */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(next);
  });
}

function next(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}
