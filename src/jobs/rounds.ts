import type { DueRecord } from './due-kind.ts';

/**
 * So many records are remembered that have been stepped and are due as before: each is stepped again within moments.
 */
const MOST_RECORDS = 100_000;

/**
 * Counts the steps of records that pass through several states at one due time. A record is forgotten as soon as it
 * moves on, so other records never push out one that turns in a circle.
 */
export class Rounds {
  readonly #most: number;
  readonly #steps = new Map<string, { readonly dueAt: Temporal.Instant; readonly steps: number }>();

  constructor(most = MOST_RECORDS) {
    this.#most = most;
  }

  /** A step left the record due at the same time. @returns how many have done so */
  count(record: DueRecord): number {
    const key = keyOf(record);
    const known = this.#steps.get(key);
    const steps = known?.dueAt.equals(record.dueAt) ? known.steps + 1 : 1;
    this.#steps.delete(key); // so that the record that was stepped last is the last
    this.#steps.set(key, { dueAt: record.dueAt, steps });
    const [oldest] = this.#steps.keys();
    if (this.#steps.size > this.#most && oldest !== undefined) this.#steps.delete(oldest);
    return steps;
  }

  /** The record has moved on. */
  end(record: DueRecord): void {
    this.#steps.delete(keyOf(record));
  }
}

const keyOf = ({ kind, merchantId, id }: DueRecord): string => `${kind} ${merchantId} ${id}`;
