import { type Instant, isBefore } from '../../kernel/time.ts';

/** A priority queue of items by their time (a binary heap). */
export class TimeQueue<T> {
  readonly #timeOf: (each: T) => Instant;
  readonly #heap: T[] = [];

  constructor(timeOf: (each: T) => Instant) {
    this.#timeOf = timeOf;
  }

  get earliest(): T | undefined {
    return this.#heap[0];
  }

  add(each: T): void {
    const heap = this.#heap;
    let index = heap.push(each) - 1;
    while (index > 0) {
      const parent = (index - 1) >>> 1;
      if (!this.#isEarlier(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  /** Removes all items of an instant, which is the earliest one. */
  takeAll(at: Instant): T[] {
    const taken: T[] = [];
    for (let first = this.earliest; first !== undefined && this.#timeOf(first).equals(at); first = this.earliest) {
      taken.push(first);
      this.#removeFirst();
    }
    return taken;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop() as T;
    if (heap.length === 0) return;
    heap[0] = last;
    for (let index = 0; ; ) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      let least = index;
      if (left < heap.length && this.#isEarlier(left, least)) least = left;
      if (right < heap.length && this.#isEarlier(right, least)) least = right;
      if (least === index) return;
      this.#swap(index, least);
      index = least;
    }
  }

  #isEarlier(a: number, b: number): boolean {
    return isBefore(this.#timeOf(this.#heap[a] as T), this.#timeOf(this.#heap[b] as T));
  }

  #swap(a: number, b: number): void {
    [this.#heap[a], this.#heap[b]] = [this.#heap[b] as T, this.#heap[a] as T];
  }
}
