import { setImmediate as turn } from 'node:timers/promises';

/** Runs a long calculation so that others have a turn at each of its pauses. @throws the reason of the signal */
export async function inTurns<T>(work: Generator<void, T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await turn();
    signal?.throwIfAborted();
  }
}

/** So many of a long list are done before others have a turn. */
const MANY = 400;

/** The results for each of a list, which may be long. */
export async function eachInTurns<A, B>(list: readonly A[], become: (each: A) => B): Promise<B[]> {
  const done: B[] = [];
  for (const each of list) {
    done.push(become(each));
    if (done.length % MANY === 0) await turn();
  }
  return done;
}
