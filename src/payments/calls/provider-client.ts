import { type Instant, isBefore } from '../../kernel/time.ts';

/**
 * Calls providers outside every transaction and beside background jobs, so a slow provider delays nobody else. A call
 * that is lost here (a stop, a full queue) has its intent in the database, and its outcome is looked up.
 */
export interface ProviderClient {
  /** Makes the call when it is its turn. An error is reported. @returns when the call is over; it never rejects */
  call(merchantId: string, work: () => Promise<void>): Promise<void>;
  /** Resolves when nothing is waiting or running. */
  idle(): Promise<void>;
  /** Accepts no more work, drops the waiting work, and gives the running work a few seconds. */
  close(): Promise<void>;
}

const MOST = 16;
/** A hanging account of one merchant leaves room for the calls of others. */
const MOST_OF_A_MERCHANT = 4;
const LONGEST_WAIT = { seconds: 30 } as const;
const FAREWELL_MILLISECONDS = 3_000;

interface Job {
  readonly merchantId: string;
  readonly work: () => Promise<void>;
  readonly since: Instant;
  readonly end: () => void;
}

/** A provider client that limits the number of concurrent calls, in all and for each merchant. */
export class ProviderCallQueue implements ProviderClient {
  readonly #now: () => Instant;
  readonly #onTrouble: (error: Error) => void;
  readonly #waiting: Job[] = [];
  readonly #underWay = new Map<Job, Promise<void>>();
  #isClosed = false;

  /** @param now wall time */
  constructor(now: () => Instant, onTrouble: (error: Error) => void) {
    this.#now = now;
    this.#onTrouble = onTrouble;
  }

  call(merchantId: string, work: () => Promise<void>): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ merchantId, work, since: this.#now(), end: resolve });
    this.#begin();
    return promise;
  }

  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#waiting.splice(0)) job.end();
    const { promise: farewell, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, FAREWELL_MILLISECONDS);
    await Promise.race([this.idle(), farewell]);
    clearTimeout(timer);
  }

  #begin(): void {
    while (this.#underWay.size < MOST) {
      const place = this.#waiting.findIndex((job) => this.#hasRoomFor(job.merchantId));
      const [job] = place === -1 ? [] : this.#waiting.splice(place, 1);
      if (!job) return;
      this.#underWay.set(job, this.#do(job));
    }
  }

  #hasRoomFor(merchantId: string): boolean {
    const own = [...this.#underWay.keys()].filter((job) => job.merchantId === merchantId);
    return own.length < MOST_OF_A_MERCHANT;
  }

  async #do(job: Job): Promise<void> {
    try {
      if (isBefore(this.#now(), job.since.add(LONGEST_WAIT))) await job.work();
    } catch (error) {
      this.#onTrouble(error as Error);
    } finally {
      this.#underWay.delete(job);
      job.end();
      this.#begin();
    }
  }
}
