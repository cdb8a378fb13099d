import { RefusalError } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { isAway } from '../away.ts';
import { sql } from '../sql.ts';
import { sqlState } from '../sql-state.ts';
import type { Database, Scope, TransactionOptions } from '../transaction.ts';
import type { Tx } from '../tx.ts';
import { ageOf, type Beat, withBeat } from './age.ts';

const BEAT_MILLISECONDS = 1_000;
/** After the standby failed, one report in so long tries it again. */
const PAUSE_MILLISECONDS = 5_000;
/** A standby that has not told its age after so long does not answer. */
const PATIENCE_MILLISECONDS = 2_000;

/**
 * Who answered a report: the standby, or the primary because the standby was too old, was not reached, gave up to
 * replay the log, or failed otherwise; because it had failed a moment ago; or because what it did not find may be new.
 */
export type Outcome = 'standby' | 'old' | 'away' | 'conflict' | 'failed' | 'paused' | 'missing';

export interface ReportsOptions {
  readonly primary: Database;
  readonly standby: Database;
  /** Makes beats on the primary. Its connections are not those of requests, which may all be in use. */
  readonly beating: Database;
  readonly maxAgeSeconds: number;
  /** Told when reports begin to come from the primary, and why; null: they come from the standby again. */
  readonly onChange: (outcome: Outcome | null, error?: unknown) => void;
}

class TooOld extends Error {}
class NoAnswer extends Error {}

/**
 * Reads of reports: by a standby whose data is at most so old, otherwise by the primary (decision 0252). No clock of
 * another machine is asked: this process makes beats on the primary, and sees which of them the standby has.
 */
export class Reports {
  /** Reports since the start, by who answered them. */
  readonly counts: Record<Outcome, number> = {
    ...{ standby: 0, old: 0, away: 0, conflict: 0, failed: 0, paused: 0, missing: 0 },
  };
  readonly #options: ReportsOptions;
  #beats: readonly Beat[] = [];
  /** When the standby may be tried again; null while it answers. */
  #nextTry: number | null = null;
  #timer: NodeJS.Timeout | undefined;
  #isBeating = false;

  constructor(options: ReportsOptions) {
    this.#options = options;
  }

  /** Makes the first beat, and from then on one each second. It never rejects: without beats the primary answers. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.#beat(), BEAT_MILLISECONDS).unref();
    await this.#beat();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#options.standby.close();
  }

  /**
   * Runs `work`, which only reads; it may run twice.
   * @returns its value, and the age of its data in milliseconds when it began; null: the primary answered
   */
  async transaction<T>(
    scope: Scope,
    work: (tx: Tx) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<{ value: T; age: number | null }> {
    const reading = { ...options, isReadOnly: true } as const;
    if (!this.#mayTry()) this.counts.paused += 1;
    else
      try {
        const found = await this.#ask(scope, work, reading);
        this.#note('standby');
        return found;
      } catch (error) {
        const outcome = outcomeOf(error);
        if (outcome === null || options.signal?.aborted) throw error;
        this.#note(outcome, error);
      }
    return { value: await this.#options.primary.transaction(scope, work, reading), age: null };
  }

  /** @throws NoAnswer where the standby hangs, TooOld */
  async #ask<T>(scope: Scope, work: (tx: Tx) => Promise<T>, options: TransactionOptions) {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const giveUp = new AbortController();
    const timer = setTimeout(() => {
      reject(new NoAnswer(`The standby did not answer within ${PATIENCE_MILLISECONDS} ms.`));
      giveUp.abort();
    }, PATIENCE_MILLISECONDS);
    const read = async (tx: Tx) => {
      const age = await this.#ageOf(tx);
      clearTimeout(timer);
      return { age, value: await work(tx) };
    };
    const signal = AbortSignal.any([giveUp.signal, ...(options.signal ? [options.signal] : [])]);
    const asked = this.#options.standby.transaction(scope, read, { ...options, signal });
    asked.catch(() => undefined); // it may end long after it was given up
    try {
      return await Promise.race([asked, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #mayTry(): boolean {
    if (this.#nextTry === null) return true;
    const now = performance.now();
    if (now < this.#nextTry) return false;
    this.#nextTry = now + PAUSE_MILLISECONDS;
    return true;
  }

  #note(outcome: Outcome, error?: unknown): void {
    this.counts[outcome] += 1;
    if (outcome === 'missing') return;
    const wasAnswering = this.#nextTry === null;
    this.#nextTry = outcome === 'standby' ? null : performance.now() + PAUSE_MILLISECONDS;
    if (wasAnswering !== (outcome === 'standby')) this.#options.onChange(wasAnswering ? outcome : null, error);
  }

  /** @throws TooOld */
  async #ageOf(tx: Tx): Promise<number> {
    const { maxAgeSeconds } = this.#options;
    const { beatenAt } = await tx.one<{ beatenAt: Instant }>(sql`select last_beat() as beaten_at`);
    const age = ageOf(this.#beats, beatenAt, performance.now());
    if (age === null || age > maxAgeSeconds * 1_000) throw new TooOld(`Data is older than ${maxAgeSeconds} s.`);
    return age;
  }

  async #beat(): Promise<void> {
    if (this.#isBeating) return;
    this.#isBeating = true;
    const begunAt = performance.now();
    try {
      const [row] = await this.#options.beating.call<{ beatenAt: Instant }>(
        'beat_primary',
        sql`select beat_primary() as beaten_at`,
      );
      if (row) this.#beats = withBeat(this.#beats, { ...row, begunAt }, this.#options.maxAgeSeconds * 1_000);
    } catch {
      // Whoever uses the primary for a request reports that it is away.
    } finally {
      this.#isBeating = false;
    }
  }
}

const CONFLICT = /^40/; // also a deadlock with the replay
const STATEMENT_TIMEOUT = '57014';
/** What the primary gets and the standby cannot (`DatabaseOptions.mend`): it is no fault of the standby. */
const MENDED = 'RK';

/** Why the primary has to answer in place of the standby; null: it would not do better. */
function outcomeOf(error: unknown): Outcome | null {
  if (error instanceof RefusalError) return error.refusal.kind === 'not_found' ? 'missing' : null;
  if (error instanceof TooOld) return 'old';
  const state = sqlState(error);
  if (state === STATEMENT_TIMEOUT) return null;
  if (CONFLICT.test(state)) return 'conflict';
  if (state.startsWith(MENDED)) return 'missing';
  return isAway(error) || error instanceof NoAnswer ? 'away' : 'failed';
}
