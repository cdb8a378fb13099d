/** Something that waits: whose it is, and how much of a turn it takes. */
export interface Waiting {
  readonly owner: string;
  readonly size: number;
}

interface Line<Item> {
  items: Item[];
  /** The place of the first waiting item. */
  head: number;
  turn: number;
}

/** The share of an owner in a batch before the next one has its turn. */
const QUANTUM = 100;
const COMPACT_FROM = 1_000;

/**
 * A line for each owner, served in turns (deficit round robin): an owner with much waiting takes no longer turns than
 * one with little, and an item too large for one turn comes when its owner has saved up enough of them.
 */
export class FairQueue<Item extends Waiting> {
  /** In the order of turns. */
  readonly #lines = new Map<string, Line<Item>>();
  #size = 0;
  /** Lines that are not served for now. */
  readonly #held = new Map<string, Line<Item>>();

  add(item: Item): void {
    this.#size += item.size;
    this.#lineOf(item.owner).items.push(item);
  }

  /** Puts items back before all others of their owners, in their order. */
  putBack(items: readonly Item[]): void {
    for (const item of items.toReversed()) {
      this.#size += item.size;
      const line = this.#lineOf(item.owner);
      line.head -= 1;
      if (line.head >= 0) line.items[line.head] = item;
      else {
        line.items.unshift(item);
        line.head = 0;
      }
    }
  }

  /** Takes whole items in turns until their sizes reach `most` or the queue is empty; at least one if there is any. */
  take(most: number): Item[] {
    const taken: Item[] = [];
    let size = 0;
    while (size < most) {
      const [next] = this.#lines;
      if (next === undefined) break;
      const [owner, line] = next;
      line.turn += QUANTUM;
      let item = line.items[line.head];
      while (item !== undefined && size < most && (item.size <= line.turn || this.#lines.size === 1)) {
        taken.push(item);
        size += item.size;
        line.turn = Math.max(0, line.turn - item.size);
        line.head += 1;
        item = line.items[line.head];
      }
      this.#lines.delete(owner);
      if (item === undefined) continue;
      if (line.head >= COMPACT_FROM) {
        line.items = line.items.slice(line.head);
        line.head = 0;
      }
      this.#lines.set(owner, line);
    }
    this.#size -= size;
    return taken;
  }

  /** Serves the owner no more until `release`. */
  hold(owner: string): void {
    this.#held.set(owner, this.#lineOf(owner));
    this.#lines.delete(owner);
  }

  release(owner: string): void {
    const line = this.#held.get(owner);
    this.#held.delete(owner);
    if (line && line.head < line.items.length) this.#lines.set(owner, line);
  }

  isHeld(owner: string): boolean {
    return this.#held.has(owner);
  }

  /** Has anybody who is served something waiting? */
  get isWaiting(): boolean {
    return this.#lines.size > 0;
  }

  /** The number of all waiting items; held or not. */
  get size(): number {
    return this.#size;
  }

  #lineOf(owner: string): Line<Item> {
    const known = this.#held.get(owner) ?? this.#lines.get(owner);
    if (known) return known;
    const line: Line<Item> = { items: [], head: 0, turn: 0 };
    this.#lines.set(owner, line);
    return line;
  }
}
