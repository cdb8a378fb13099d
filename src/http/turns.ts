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
  began = null;
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}

const SLICE_MILLISECONDS = 4;
/** When the slices of this turn of the event loop began; null: there was none yet. */
let began: number | null = null;

/** Has this turn of the event loop had its share of long work, of whatever request? */
function isUsedUp(): boolean {
  const now = performance.now();
  if (began !== null) return now - began >= SLICE_MILLISECONDS;
  began = now;
  setImmediate(() => {
    began = null;
  });
  return false;
}

/** So many items of a list are done between two readings of the clock. */
const ITEMS = 16;
/** So many items are sorted without a pause. */
const RUN = 256;

/**
 * Runs a long calculation: after a few milliseconds of it others have a turn, at the next pause. Short ones share these
 * milliseconds, so many of them in a row are like one long one.
 * @throws the reason of the signal
 */
export async function inTurns<T>(work: Generator<void, T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    if (isUsedUp()) {
      await turn();
      signal?.throwIfAborted();
    }
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** The results for each of a list, which may be long. */
export const eachInTurns = <A, B>(list: Iterable<A>, become: (each: A) => B): Promise<B[]> =>
  inTurns(eachOf(list, become));

function* eachOf<A, B>(list: Iterable<A>, become: (each: A) => B): Generator<void, B[]> {
  const done: B[] = [];
  for (const each of list) {
    done.push(become(each));
    if (done.length % ITEMS === 0) yield;
  }
  return done;
}

/** A long list in order, as `toSorted` puts it. */
export const sortedInTurns = <T>(list: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> =>
  inTurns(sorting(list, compare));

function* sorting<T>(list: readonly T[], compare: (a: T, b: T) => number): Generator<void, T[]> {
  let runs: T[][] = [];
  for (let start = 0; start < list.length; start += RUN) {
    runs.push(list.slice(start, start + RUN).toSorted(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let index = 0; index < runs.length; index += 2)
      merged.push(yield* merging(runs[index] as T[], runs[index + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merging<T>(one: readonly T[], other: readonly T[], compare: (a: T, b: T) => number): Generator<void, T[]> {
  const merged: T[] = [];
  let [first, second] = [0, 0];
  while (first < one.length && second < other.length) {
    const isFirst = compare(one[first] as T, other[second] as T) <= 0;
    merged.push(isFirst ? (one[first] as T) : (other[second] as T));
    if (isFirst) first += 1;
    else second += 1;
    if (merged.length % ITEMS === 0) yield;
  }
  return merged.concat(one.slice(first), other.slice(second));
}
