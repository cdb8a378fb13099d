import { DatabaseAway } from './away.ts';

const PAUSE_MILLISECONDS = 100;

/**
 * Decides whether a call may reach the database. After a failed connection, one call at a time is let through, a tenth
 * of a second after the one before. The others fail at once: nobody waits in a queue for a missing database, and a
 * starting database is not flooded. The first call that reaches it opens the way for all.
 */
export class Circuit {
  readonly #elapsed: () => number;
  /** When the next call may try; null while the database is reached. */
  #nextTry: number | null = null;
  #isTrying = false;

  /** @param elapsed milliseconds on a clock that never goes back */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  get isOpen(): boolean {
    return this.#nextTry !== null;
  }

  /** Lets a call through, which must tell what became of it. @throws DatabaseAway */
  enter(): void {
    if (this.#nextTry === null) return;
    if (this.#isTrying || this.#elapsed() < this.#nextTry) throw new DatabaseAway();
    this.#isTrying = true;
  }

  reached(): void {
    this.#nextTry = null;
    this.#isTrying = false;
  }

  /** The first failure is one of a single connection as often as not, so the next call tries at once. */
  failed(): void {
    const now = this.#elapsed();
    this.#nextTry = this.#nextTry === null ? now : now + PAUSE_MILLISECONDS;
    this.#isTrying = false;
  }
}
