import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../db/index.ts';
import { recentlyUsed } from '../kernel/recently-used.ts';
import type { Instant } from '../kernel/time.ts';
import { selectDue } from './due.sql.ts';
import type { ClockBook, ClockReference, DueKind, StepReport } from './due-kind.ts';
import { type Passed, runPass } from './pass.ts';
import { pause } from './pause.ts';
import { Steps, type Within } from './steps.ts';
import { unitsOf } from './units.ts';

/** Housekeeping: periodic work without a record. */
export interface Chore {
  readonly name: string;
  readonly everySeconds: number;
  /** It must not wait for steps or other chores: it runs beside them. */
  readonly isPrompt?: boolean;
  run(database: Database, now: Instant): Promise<void>;
}

export interface RunnerOptions {
  readonly database: Database;
  /** In the order in which records that are due at one instant of a test clock are taken. */
  readonly kinds: readonly DueKind[];
  readonly clocks?: ClockBook;
  readonly chores?: readonly Chore[];
  /** Wall time. */
  readonly now: () => Instant;
  readonly logger: Logger;
  /** How long to pause when nothing was due; default 500. */
  readonly pollMilliseconds?: number;
  /** Records of one kind that are fetched at once; default 400. */
  readonly batch?: number;
  /** Steps that run at the same time, and likewise test clocks; default 2. */
  readonly concurrency?: number;
  /** How long a test clock is driven before others have their turn; default 1 s. */
  readonly sliceMilliseconds?: number;
  readonly observe?: (report: StepReport) => void;
  /** Runs the steps of one transaction: what they do is told apart from other work; absent: it just runs. */
  readonly within?: Within | undefined;
  /** The number under which other processes see this one; null or absent: they do not. */
  readonly worker?: () => number | null;
}

export interface DueRunner {
  start(): void;
  /** Ends after the steps that are running; nothing is lost by stopping in any other way. */
  stop(): Promise<void>;
  /**
   * Runs all that is due, on the wall clock and on test clocks, one step after the other. @returns how many steps it
   * tried.
   */
  runOnce(): Promise<number>;
  /** Runs a test clock to where it shall go; comes back early when the runner stops, or the signal is aborted. */
  runClock(clock: ClockReference, signal?: AbortSignal): Promise<number>;
  /** Says that there may be new due work: looks at once instead of at the next poll. */
  wake(): void;
}

/**
 * The one runner of due work (domain.md §8): any number of them may work on one database, in any number of processes.
 */
export const createRunner = (options: RunnerOptions): DueRunner => new Runner(options);

const SHORTEST_REST = 100; // however often it is woken: a busy API wakes it with every request
const LONGEST_PAUSE_MILLISECONDS = 5_000;
const TURN_MILLISECONDS = 50;
/** How long a test clock is driven before those that wait have their turn: an advance over centuries takes hours. */
const SLICE_MILLISECONDS = 1_000;
const CLOCKS_KEPT = 10_000;
/** The most records of a test clock in one transaction, for every kind. */
const MOST_ON_CLOCK = 500;

class Runner implements DueRunner {
  readonly #options: RunnerOptions;
  readonly #steps: Steps;
  readonly #concurrency: number;
  readonly #clockRuns = new Map<string, Promise<number>>();
  /** The last slice of a clock, and of a merchant, by number. */
  readonly #lastSlice = recentlyUsed<string, number>(CLOCKS_KEPT);
  #slices = 0;
  #slicesUnderWay = 0;
  readonly #choreDoneAt = new Map<Chore, number>();
  #loop: Promise<unknown> | undefined;
  #isWoken = false;
  #pause = new AbortController();
  readonly #end = new AbortController();

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#concurrency = options.concurrency ?? 2;
    this.#steps = new Steps({
      database: options.database,
      kinds: options.kinds,
      clocks: options.clocks,
      now: options.now,
      logger: options.logger,
      observe: options.observe,
      within: options.within ?? ((work) => work()),
      worker: options.worker ?? (() => null),
    });
  }

  start(): void {
    const prompt = (this.#options.chores ?? []).filter(({ isPrompt }) => isPrompt === true);
    this.#loop ??= Promise.all([this.#work(), ...prompt.map((chore) => this.#repeat(chore))]);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    this.#pause.abort();
    await this.#loop;
    await Promise.allSettled(this.#clockRuns.values());
  }

  wake(): void {
    this.#isWoken = true;
    this.#pause.abort();
  }

  async runOnce(): Promise<number> {
    for (let total = 0; ; ) {
      const pass = await this.#pass(1);
      let { steps } = pass;
      for (const clock of await this.#clocksWithWork()) steps += await this.runClock(clock);
      total += steps;
      if (this.#isStopping || (steps === 0 && !pass.isBlocked)) return total;
      if (steps === 0) await sleep(TURN_MILLISECONDS);
    }
  }

  runClock(clock: ClockReference, signal: AbortSignal = this.#end.signal): Promise<number> {
    const key = keyOf(clock);
    const earlier = this.#clockRuns.get(key);
    const run = (async () => {
      await earlier?.catch(() => undefined); // it may have looked before the clock was told to go further
      return this.#driveClock(clock, signal);
    })().finally(() => {
      if (this.#clockRuns.get(key) === run) this.#clockRuns.delete(key);
    });
    this.#clockRuns.set(key, run);
    return run;
  }

  async #work(): Promise<void> {
    const { pollMilliseconds = 500, logger } = this.#options;
    for (let troubles = 0; !this.#isStopping; ) {
      this.#isWoken = false;
      let isIdle = true;
      try {
        isIdle = (await this.#pass(this.#concurrency)).isLast;
        await this.#startClocks();
        await this.#doChores();
        troubles = 0;
      } catch (error) {
        troubles += 1;
        logger.warn({ err: error }, 'background jobs could not be read');
      }
      if (!isIdle) continue; // there may be more: a batch is only a batch
      await pause(SHORTEST_REST, this.#end.signal);
      if (this.#isWoken) continue;
      this.#pause = new AbortController();
      if (!this.#isStopping)
        await pause(Math.min(LONGEST_PAUSE_MILLISECONDS, pollMilliseconds * 2 ** troubles), this.#pause.signal);
    }
  }

  get #drivesClocks(): boolean {
    return this.#clockRuns.size > 0;
  }

  get #isStopping(): boolean {
    return this.#end.signal.aborted;
  }

  /**
   * Takes the steps of what is due, some at a time.
   * @returns also whether there is time to pause: nothing was due, or only what is slow while a test clock is driven
   */
  async #pass(lanes: number): Promise<Passed & { isLast: boolean }> {
    const { database, kinds, now, batch = 400 } = this.#options;
    await this.#steps.check();
    const passed = await runPass({
      lanes,
      find: () => database.transaction('nobody', (tx) => selectDue(tx, this.#steps.kindNames, now(), batch)),
      unitsOf: (found, takesSlow) => unitsOf(found, kinds, { drivesClocks: this.#drivesClocks, takesSlow }),
      run: (unit) => this.#steps.runAll(unit, () => this.#isStopping),
      isStopping: () => this.#isStopping,
    });
    const areSlow = kinds.every(({ kind, isSlow }) => isSlow || !passed.kinds.has(kind));
    return { ...passed, isLast: passed.steps === 0 || (this.#drivesClocks && areSlow) };
  }

  /** Lists that fail are halved, until the record at fault is alone and counted; then they grow again. */
  async #driveClock(clock: ClockReference, signal: AbortSignal): Promise<number> {
    for (let steps = 0, most = MOST_ON_CLOCK; ; ) {
      if (this.#isStopping || signal.aborted) return steps;
      const { outcome, records } = await this.#steps.runOnClock(clock, most);
      if (outcome === 'nothing') return steps;
      if (outcome === 'done') {
        steps += records;
        most = Math.min(MOST_ON_CLOCK, most * 2);
        continue;
      }
      if (outcome === 'failed') {
        most = Math.ceil(records / 2);
        if (records === 1) steps += 1;
      }
      if (outcome !== 'failed' || records === 1) await sleep(TURN_MILLISECONDS);
    }
  }

  async #clocksWithWork(): Promise<ClockReference[]> {
    const { clocks, database } = this.#options;
    if (!clocks) return [];
    return database.transaction('nobody', (tx) => clocks.withWork(tx, this.#steps.kindNames));
  }

  /**
   * Takes up clocks that have work and that nobody in this process drives, each for a slice of time, beside the wall
   * clock's work. The merchant goes first whose last slice is longest ago, so that no advance holds up the clocks of
   * others.
   */
  async #startClocks(): Promise<void> {
    const waiting = (await this.#clocksWithWork()).filter((clock) => !this.#clockRuns.has(keyOf(clock)));
    for (let next = this.#longestWaiting(waiting); next; next = this.#longestWaiting(waiting)) {
      if (this.#slicesUnderWay >= this.#concurrency) return;
      waiting.splice(waiting.indexOf(next), 1);
      this.#startSlice(next);
    }
  }

  #longestWaiting(clocks: readonly ClockReference[]): ClockReference | undefined {
    const last = (key: string) => this.#lastSlice.get(key) ?? 0;
    const order = (one: ClockReference, other: ClockReference) =>
      last(one.merchantId) - last(other.merchantId) || last(keyOf(one)) - last(keyOf(other));
    return clocks.toSorted(order)[0];
  }

  #startSlice(clock: ClockReference): void {
    this.#slices += 1;
    this.#slicesUnderWay += 1;
    this.#lastSlice.set(clock.merchantId, this.#slices);
    this.#lastSlice.set(keyOf(clock), this.#slices);
    this.runClock(clock, AbortSignal.timeout(this.#options.sliceMilliseconds ?? SLICE_MILLISECONDS))
      .catch((error: unknown) => this.#options.logger.warn({ err: error, clock }, 'the advance of a test clock failed'))
      .finally(() => {
        this.#slicesUnderWay -= 1;
        this.wake();
      });
  }

  async #doChores(): Promise<void> {
    const { chores = [] } = this.#options;
    for (const chore of chores) {
      if (chore.isPrompt) continue;
      const last = this.#choreDoneAt.get(chore);
      if (last !== undefined && performance.now() - last < chore.everySeconds * 1000) continue;
      this.#choreDoneAt.set(chore, performance.now());
      await this.#do(chore);
    }
  }

  async #do(chore: Chore): Promise<void> {
    const { database, now, logger } = this.#options;
    await chore.run(database, now()).catch((error: unknown) => logger.warn({ err: error }, `${chore.name} failed`));
  }

  /** A chore that waits for nothing else: again so many seconds after it has ended. */
  async #repeat(chore: Chore): Promise<void> {
    while (!this.#isStopping) {
      await this.#do(chore);
      await pause(chore.everySeconds * 1000, this.#end.signal);
    }
  }
}

const keyOf = ({ merchantId, id }: ClockReference): string => `${merchantId} ${id}`;
