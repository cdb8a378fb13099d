import { type Instant, isBefore } from '../../kernel/time.ts';

/** Things that have a time, of which the soonest is at hand (a binary heap). */
export class Soonest<T> {
  readonly #timeOf: (each: T) => Instant;
  readonly #heap: T[] = [];

  constructor(timeOf: (each: T) => Instant) {
    this.#timeOf = timeOf;
  }

  get soonest(): T | undefined {
    return this.#heap[0];
  }

  add(each: T): void {
    const heap = this.#heap;
    let index = heap.push(each) - 1;
    while (index > 0) {
      const parent = (index - 1) >>> 1;
      if (!this.#isSooner(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  /** Takes out all of an instant, which is that of the soonest. */
  takeAll(at: Instant): T[] {
    const taken: T[] = [];
    for (let first = this.soonest; first !== undefined && this.#timeOf(first).equals(at); first = this.soonest) {
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
      if (left < heap.length && this.#isSooner(left, least)) least = left;
      if (right < heap.length && this.#isSooner(right, least)) least = right;
      if (least === index) return;
      this.#swap(index, least);
      index = least;
    }
  }

  #isSooner(a: number, b: number): boolean {
    return isBefore(this.#timeOf(this.#heap[a] as T), this.#timeOf(this.#heap[b] as T));
  }

  #swap(a: number, b: number): void {
    [this.#heap[a], this.#heap[b]] = [this.#heap[b] as T, this.#heap[a] as T];
  }
}
