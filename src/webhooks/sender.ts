import type { Database } from '../db/index.ts';
import { pause } from '../jobs/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { Answered } from './attempts.ts';
import { type Begun, claimDeliveries, exhaustDeliveries } from './deliveries.sql.ts';
import { type Ended, noteEnded } from './note.ts';
import { send, type WebhookTransport } from './send.ts';

export interface SenderOptions {
  readonly database: Database;
  readonly transport: WebhookTransport;
  /** Wall time. */
  readonly now: () => Instant;
  /** A number between 0 and 1, another one each time. */
  readonly chance: () => number;
  /** Milliseconds on a clock that only goes forward. */
  readonly stopwatch: () => number;
  readonly onTrouble: (error: Error, what: string) => void;
  /** Called after each attempt, for the metrics. */
  readonly observe?: (outcome: 'delivered' | 'failed', seconds: number) => void;
  /** The number under which other processes see this one; null or absent: they do not. */
  readonly worker?: () => number | null;
  /** How long to pause when nothing was due; default 200. */
  readonly pollMilliseconds?: number;
}

/** Sends events to endpoints, beside background jobs: a slow or dead endpoint delays nothing else. */
export interface Sender {
  /** Starts to work in the background. */
  start(): void;
  /** Says that something may have happened. */
  wake(): void;
  /** Makes all attempts that are due, and waits for their outcome. @returns how many */
  runOnce(): Promise<number>;
  /** Ends after the running attempts, which get a few seconds. */
  close(): Promise<void>;
}

/** Longer than an attempt takes: after it the attempt was lost with its worker. */
const LEASE_SECONDS = 60;
/** Attempts to one endpoint at a time, over all workers. */
const MOST_EACH = 10;
const MOST_IN_FLIGHT = 1_000;
const MOST_CLAIMED = 200;
const MOST_EXHAUSTED = 1_000;
const POLL_MILLISECONDS = 200;
/** However often it is woken. */
const SHORTEST_PAUSE_MILLISECONDS = 10;
const LONGEST_PAUSE_MILLISECONDS = 5_000;
const EXHAUST_EVERY_MILLISECONDS = 1_000;
const FAREWELL_MILLISECONDS = 3_000;

/** The one sender of webhooks: any number of them may work on one database, in any number of processes. */
export const createSender = (options: SenderOptions): Sender => new EventSender(options);

class EventSender implements Sender {
  readonly #options: SenderOptions;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #farewell = new AbortController();
  #ended: Ended[] = [];
  #noting: Promise<void> | undefined;
  #loop: Promise<void> | undefined;
  #pause = new AbortController();
  #isWoken = false;
  #exhaustedAt = Number.NEGATIVE_INFINITY;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loop ??= this.#work();
  }

  wake(): void {
    this.#isWoken = true;
    this.#pause.abort();
  }

  async runOnce(): Promise<number> {
    for (let attempts = 0; ; ) {
      this.#exhaustedAt = Number.NEGATIVE_INFINITY;
      const begun = await this.#begin();
      await Promise.all(this.#inFlight);
      await this.#noted();
      if (begun === 0) return attempts;
      attempts += begun;
    }
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#pause.abort();
    await this.#loop;
    const farewell = setTimeout(() => this.#farewell.abort(), FAREWELL_MILLISECONDS);
    await Promise.all(this.#inFlight);
    clearTimeout(farewell);
    await this.#noted();
  }

  async #work(): Promise<void> {
    const { pollMilliseconds = POLL_MILLISECONDS, onTrouble } = this.#options;
    for (let troubles = 0; !this.#stopping.signal.aborted; ) {
      this.#isWoken = false;
      try {
        const begun = await this.#begin();
        troubles = 0;
        if (begun > 0) continue; // there may be more
      } catch (error) {
        troubles += 1;
        onTrouble(error as Error, 'webhooks could not be looked for');
      }
      await pause(SHORTEST_PAUSE_MILLISECONDS, this.#stopping.signal);
      if (this.#isWoken) continue;
      this.#pause = new AbortController();
      if (this.#stopping.signal.aborted) return;
      const milliseconds = Math.min(LONGEST_PAUSE_MILLISECONDS, pollMilliseconds * 2 ** Math.min(troubles, 10));
      await pause(milliseconds, this.#pause.signal);
    }
  }

  /** Begins the due attempts, as far as there is room. @returns their number */
  async #begin(): Promise<number> {
    const { database, now, stopwatch, worker = () => null } = this.#options;
    const at = now();
    if (stopwatch() - this.#exhaustedAt >= EXHAUST_EVERY_MILLISECONDS) {
      this.#exhaustedAt = stopwatch();
      await exhaustDeliveries(database, at, MOST_EXHAUSTED);
    }
    const most = Math.min(MOST_CLAIMED, MOST_IN_FLIGHT - this.#inFlight.size);
    if (most <= 0) return 0;
    const leaseUntil = at.add({ seconds: LEASE_SECONDS });
    const claimed = await claimDeliveries(database, {
      ...{ at, leaseUntil, most, mostEach: MOST_EACH },
      worker: worker(),
    });
    for (const begun of claimed) {
      const attempt = this.#attempt(begun).finally(() => this.#inFlight.delete(attempt));
      this.#inFlight.add(attempt);
    }
    return claimed.length;
  }

  async #attempt(begun: Begun): Promise<void> {
    const { transport, now, chance, stopwatch, observe } = this.#options;
    const started = stopwatch();
    const startedAt = now();
    const { eventId, endpointId, url, secret, previousSecret, type, happenedAt, data } = begun;
    const secrets = previousSecret === null ? [secret] : [secret, previousSecret];
    const outgoing = { eventId, endpointId, url, secrets, type, happenedAt, data };
    const answered: Answered = await send(transport, outgoing, startedAt, this.#farewell.signal).catch(
      (error: unknown) => {
        this.#options.onTrouble(error as Error, 'a webhook could not be sent');
        return { kind: 'failed', error: 'The webhook could not be sent.' };
      },
    );
    const durationMilliseconds = Math.round(stopwatch() - started);
    const isGood = answered.kind === 'answered' && answered.status >= 200 && answered.status <= 299;
    observe?.(isGood ? 'delivered' : 'failed', durationMilliseconds / 1000);
    this.#ended.push({ begun, answered, startedAt, durationMilliseconds, chance: chance() });
    await this.#noted();
  }

  /** Writes down all that has ended; what ends meanwhile is written down together after it. */
  async #noted(): Promise<void> {
    while (this.#ended.length > 0 || this.#noting) {
      this.#noting ??= this.#note().finally(() => {
        this.#noting = undefined;
      });
      await this.#noting;
    }
  }

  /** After a failure here the deliveries keep their leases, and are sent again at their end. */
  async #note(): Promise<void> {
    const { database, now, onTrouble } = this.#options;
    const ended = this.#ended;
    this.#ended = [];
    const merchants = [...new Set(ended.map(({ begun }) => begun.merchantId))];
    try {
      await database.transaction({ merchants }, (tx) => noteEnded(tx, ended, now()));
      this.wake(); // there may be more for these endpoints
    } catch (error) {
      onTrouble(error as Error, 'the outcome of webhooks could not be stored');
    }
  }
}
