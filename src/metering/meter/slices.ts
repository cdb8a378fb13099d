import { turn } from '../../http/index.ts';

/** Characters of events that are worked on in one turn of the event loop. */
const SLICE = 64 * 1024;
/** The size of an event beside its data. */
const OVERHEAD = 400;

/** Processes events a slice at a time, with a turn of the event loop between two; a small list is processed at once. */
export async function inSlices<Item, T>(
  items: readonly Item[],
  dataOf: (item: Item) => string,
  work: (slice: readonly Item[]) => T,
): Promise<T[]> {
  const done: T[] = [];
  let [start, size] = [0, 0];
  for (const [index, item] of items.entries()) {
    size += dataOf(item).length + OVERHEAD;
    if (size < SLICE || index === items.length - 1) continue;
    done.push(work(items.slice(start, index + 1)));
    [start, size] = [index + 1, 0];
    await turn();
  }
  done.push(work(start === 0 ? items : items.slice(start)));
  return done;
}
