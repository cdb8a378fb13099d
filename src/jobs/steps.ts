import type { Logger } from 'pino';
import { CLOCK_BEHIND, type Database, LOCK_NOT_AVAILABLE, sqlState, type Tx } from '../db/index.ts';
import { type Instant, isAfter, latest } from '../kernel/time.ts';
import { insertClaims } from './claims.sql.ts';
import {
  type DueTable,
  deleteFailure,
  type LockedRecord,
  lockClockRecords,
  lockDueRecords,
  lockFailedAttempts,
  selectDueWith,
  selectEarliestOnClock,
  selectRecords,
  selectTables,
  upsertFailure,
} from './due.sql.ts';
import type { ClockBook, ClockReference, DueKind, DueRecord, FollowUp, StepReport, StepResult } from './due-kind.ts';
import { MOST_ATTEMPTS, nextTry } from './retry.ts';
import { Rounds } from './rounds.ts';

/** A record may pass through several states at one instant; one that takes more steps than this turns in a circle. */
const MOST_STEPS_AT_ONE_TIME = 100;
/** A step that waits for the clock of this machine is tried again so often. */
const HELD_SECONDS = 60;
const MOST_ERROR_LENGTH = 2000;

/**
 * The result of an attempt: `waiting` if another process has the lock, `blocked` if another one has a lock before the
 * record's, `nothing` without work.
 */
export type Outcome = 'done' | 'failed' | 'waiting' | 'blocked' | 'nothing';

/** The result of an attempt on a test clock, and its number of records; of several that failed none is counted. */
export interface ClockOutcome {
  readonly outcome: Outcome;
  readonly records: number;
}

/** A record whose step is done, in a transaction that may still be rolled back. */
interface Stepped {
  readonly record: DueRecord;
  readonly followUp: FollowUp | undefined;
  /** When it is due again; null: never. */
  readonly dueAt: Instant | null;
}

/** Runs some work, as its caller wants it told apart. */
export type Within = <T>(work: () => Promise<T>) => Promise<T>;

export interface StepsOptions {
  readonly database: Database;
  /** In the order in which records that are due at one instant of a test clock are taken. */
  readonly kinds: readonly DueKind[];
  readonly clocks: ClockBook | undefined;
  readonly now: () => Instant;
  readonly logger: Logger;
  readonly observe: ((report: StepReport) => void) | undefined;
  readonly within: Within;
  readonly worker: () => number | null;
}

/**
 * Runs steps, of one record or a list: lock and check again, run, hold that each record moved on, commit; count what
 * fails.
 */
export class Steps {
  readonly #options: StepsOptions;
  readonly #kinds: ReadonlyMap<string, DueKind>;
  readonly #rounds = new Rounds();
  #tables: Promise<readonly DueTable[]> | undefined;

  constructor(options: StepsOptions) {
    this.#options = options;
    this.#kinds = new Map(options.kinds.map((kind) => [kind.kind, kind]));
    if (this.#kinds.size < options.kinds.length) throw new Error('Two kinds of background jobs have the same name.');
  }

  get kindNames(): readonly string[] {
    return [...this.#kinds.keys()];
  }

  /** @throws where a kind's migration did not register its table. */
  async check(): Promise<void> {
    await this.#loadedTables();
  }

  /** One step of a record of the wall clock. */
  run(record: DueRecord): Promise<Outcome> {
    return this.#options.within(() => this.#run(record));
  }

  async #run(record: DueRecord): Promise<Outcome> {
    const table = await this.#tableOf(record.kind);
    const now = this.#options.now();
    const started = performance.now();
    let due = record;
    try {
      const stepped = await this.#options.database.transaction(
        { merchants: [record.merchantId] },
        async (tx) => {
          if (!(await this.#lockParents(tx, [record])).has(record.id)) return 'blocked';
          const [locked] = lockedOf([record], await lockDueRecords(tx, table, [record], now));
          if (!locked) return 'nothing';
          due = locked.record;
          return this.#claim(tx, await this.#stepLocked(tx, table, [locked], now));
        },
        { byKeys: 'one thing' },
      );
      if (typeof stepped === 'string') return stepped;
      await this.#ended(stepped, started);
      return 'done';
    } catch (error) {
      return this.#failed(due, error, started, false);
    }
  }

  /**
   * A step of each of some records of one kind and one merchant, in as few transactions as their kind allows. A list
   * that throws is halved, until the record at fault is alone.
   * @param isStopping asked between transactions
   * @returns what became of each; fewer where it stopped
   */
  runAll(records: readonly DueRecord[], isStopping: () => boolean): Promise<Outcome[]> {
    return this.#options.within(() => this.#runAll(records, isStopping));
  }

  async #runAll(records: readonly DueRecord[], isStopping: () => boolean): Promise<Outcome[]> {
    const [first, ...others] = records;
    if (!first || isStopping()) return [];
    if (others.length === 0) return [await this.run(first)];
    if (!this.#kindOf(first).list) return [await this.run(first), ...(await this.runAll(others, isStopping))];
    const { database, logger } = this.#options;
    const table = await this.#tableOf(first.kind);
    const now = this.#options.now();
    const started = performance.now();
    let taken = records;
    try {
      const { stepped, free } = await database.transaction(
        { merchants: [first.merchantId] },
        async (tx) => {
          taken = await this.#lightest(tx, records);
          const free = await this.#lockParents(tx, taken);
          const lockable = taken.filter(({ id }) => free.has(id));
          const locked = lockedOf(lockable, await lockDueRecords(tx, table, lockable, now));
          return { stepped: await this.#claim(tx, await this.#stepLocked(tx, table, locked, now)), free };
        },
        { byKeys: 'a list' },
      );
      await this.#ended(stepped, started);
      const done = new Set(stepped.map(({ record }) => record.id));
      const outcomes = taken.map(({ id }) => (done.has(id) ? 'done' : free.has(id) ? 'waiting' : 'blocked'));
      return [...outcomes, ...(await this.runAll(records.slice(taken.length), isStopping))];
    } catch (error) {
      logger.info({ err: error, kind: first.kind, records: taken.length }, 'a list of steps failed and is halved');
      const half = Math.ceil(taken.length / 2);
      const before = await this.runAll(records.slice(0, half), isStopping);
      return [...before, ...(await this.runAll(records.slice(half), isStopping))];
    }
  }

  /**
   * The next steps of a test clock, with effective now = their due time, or the clock's time where that is later: of
   * the record that is due first, and of those of its kind that are due at the same instant where the kind takes lists.
   * Picking the records, their steps and the clock's move are one transaction under the clock's lock, so that drivers
   * of one clock take turns and no step is taken twice. `nothing`: the clock has arrived.
   * @param most records at most; a caller whose list failed asks for fewer
   */
  runOnClock(clock: ClockReference, most: number): Promise<ClockOutcome> {
    return this.#options.within(() => this.#runOnClock(clock, most));
  }

  async #runOnClock(clock: ClockReference, most: number): Promise<ClockOutcome> {
    const { clocks, database, logger } = this.#options;
    if (!clocks) return { outcome: 'nothing', records: 0 };
    const tables = await this.#loadedTables();
    const started = performance.now();
    let picked: readonly DueRecord[] = [];
    try {
      const stepped = await database.transaction(
        { merchants: [clock.merchantId] },
        async (tx) => {
          picked = [];
          const time = await clocks.lock(tx, clock);
          if (!time) return 'nothing';
          const { currentTime, advancingTo } = time;
          const first = await selectEarliestOnClock(tx, tables, clock, advancingTo ?? currentTime);
          if (!first) {
            if (advancingTo) await clocks.move(tx, clock, advancingTo, true, this.#options.now());
            return 'nothing';
          }
          const table = await this.#tableOf(first.kind);
          const size = Math.min(most, this.#kindOf(first).list?.most ?? 1);
          picked = await this.#lightest(tx, size === 1 ? [first] : await selectDueWith(tx, table, clock, first, size));
          const free = await this.#lockParents(tx, picked);
          const lockable = picked.filter(({ id }) => free.has(id));
          if (lockable.length === 0) return 'blocked';
          const locked = lockedOf(lockable, await lockClockRecords(tx, table, lockable));
          const now = latest(first.dueAt, currentTime);
          if (isAfter(now, currentTime)) await clocks.move(tx, clock, now, false, this.#options.now());
          const stepped = await this.#stepLocked(tx, table, locked, now);
          if (advancingTo && stepped.length > 0) await clocks.count(tx, clock, stepped.length);
          return stepped.length === 0 ? 'waiting' : stepped;
        },
        { byKeys: 'a list' },
      );
      if (typeof stepped === 'string') return { outcome: stepped, records: 0 };
      await this.#ended(stepped, started);
      return { outcome: 'done', records: stepped.length };
    } catch (error) {
      const [first, ...others] = picked;
      if (!first && sqlState(error) !== LOCK_NOT_AVAILABLE) throw error;
      if (!first || others.length === 0)
        return { outcome: first ? await this.#failed(first, error, started, true) : 'waiting', records: 1 };
      if (sqlState(error) === LOCK_NOT_AVAILABLE) return { outcome: 'waiting', records: 0 };
      logger.info({ err: error, kind: first.kind, records: picked.length }, 'a list of steps failed and is halved');
      return { outcome: 'failed', records: picked.length };
    }
  }

  /** The first of some records of one kind that are not too heavy together; at least one. */
  async #lightest(tx: Tx, records: readonly DueRecord[]): Promise<readonly DueRecord[]> {
    const [first, ...others] = records;
    const weight = first && this.#kindOf(first).list?.weight;
    if (!weight || others.length === 0) return records;
    const weights = await weight.of(tx, records);
    let sum = 0;
    const tooHeavy = weights.findIndex((each, place) => {
      sum += each;
      return place > 0 && sum > weight.most;
    });
    return tooHeavy === -1 ? records : records.slice(0, tooHeavy);
  }

  /** Locks the rows that must be locked before some records of one kind. @returns the ids of those that were free */
  async #lockParents(tx: Tx, records: readonly DueRecord[]): Promise<ReadonlySet<string>> {
    const [first] = records;
    const lockParents = first && this.#kindOf(first).lockParents;
    return lockParents ? lockParents(tx, records) : new Set(records.map(({ id }) => id));
  }

  /**
   * Steps some records of one kind that are locked. @returns those that are stepped; the others wait for one of these
   */
  async #stepLocked(tx: Tx, table: DueTable, locked: readonly LockedDue[], now: Instant): Promise<Stepped[]> {
    const [first, ...others] = locked;
    if (!first) return [];
    const kind = this.#kindOf(first.record);
    const ids = locked.map(({ record: { merchantId, id } }) => ({ merchantId, id }));
    const results: readonly StepResult[] =
      kind.list && others.length > 0
        ? await kind.list.steps(tx, ids, now)
        : [await stepAlone(kind, tx, ids[0] as (typeof ids)[number], now)];
    const after = await selectRecords(
      tx,
      table,
      locked.map(({ record }) => record),
    );
    const stepped: Stepped[] = [];
    for (const [place, { record, found }] of locked.entries()) {
      const result = results[place];
      if (!result || result.isLater) continue;
      this.#checkMoved(record, found, after.get(record.id));
      if (found.hasFailed) await deleteFailure(tx, record);
      stepped.push({ record, followUp: result.followUp, dueAt: after.get(record.id)?.dueAt ?? null });
    }
    return stepped;
  }

  /** What follows these steps is the work of this process, as long as it lives. */
  async #claim(tx: Tx, stepped: readonly Stepped[]): Promise<readonly Stepped[]> {
    const worker = this.#options.worker();
    const claimed = stepped.flatMap(({ record, followUp, dueAt }) => (followUp && dueAt ? [{ ...record, dueAt }] : []));
    if (worker !== null && claimed.length > 0) await insertClaims(tx, worker, claimed);
    return stepped;
  }

  /** Steps are committed: what follows them is done. */
  async #ended(stepped: readonly Stepped[], started: number): Promise<void> {
    const { observe, logger } = this.#options;
    const [first] = stepped;
    if (!first) return;
    const seconds = (performance.now() - started) / 1000 / stepped.length;
    observe?.({ kind: first.record.kind, outcome: 'done', records: stepped.length, seconds });
    for (const { record, followUp } of stepped) {
      await followUp?.().catch((error: unknown) => {
        logger.error({ err: error, ...record }, 'the follow-up of a background job failed');
      });
    }
  }

  /** A failed step, rolled back: it is counted, unless another transaction was only slow. */
  async #failed(record: DueRecord, error: unknown, started: number, onClock: boolean): Promise<'waiting' | 'failed'> {
    if (sqlState(error) === LOCK_NOT_AVAILABLE) return 'waiting';
    const outcome = await this.#fail(record, error, onClock);
    this.#options.observe?.({
      ...{ kind: record.kind, outcome, records: 1 },
      seconds: (performance.now() - started) / 1000,
    });
    return 'failed';
  }

  /** @throws where a step left its record due as it was, or has done so in other words too often */
  #checkMoved(
    record: DueRecord,
    locked: LockedRecord,
    after: { dueAt: Instant | null; version: string } | undefined,
  ): void {
    if (!after?.dueAt?.equals(locked.dueAt)) {
      this.#rounds.end(record);
      return;
    }
    if (after.version === locked.version || this.#rounds.count(record) > MOST_STEPS_AT_ONE_TIME)
      throw new Error('The step left the record due at the time at which it was due.');
  }

  async #fail(record: DueRecord, error: unknown, onClock: boolean): Promise<'failed' | 'parked'> {
    const { database, logger } = this.#options;
    const now = this.#options.now();
    const isHeld = sqlState(error) === CLOCK_BEHIND; // not the record's fault: it waits for the clock, however long
    const { attempts, isParked } = await database.transaction({ merchants: [record.merchantId] }, async (tx) => {
      const attempts = (await lockFailedAttempts(tx, record)) + (isHeld ? 0 : 1);
      const isParked = attempts >= MOST_ATTEMPTS;
      await upsertFailure(tx, record, {
        attempts,
        error: errorText(error),
        // on a test clock it is tried again at once
        retryAt: onClock ? null : isHeld ? now.add({ seconds: HELD_SECONDS }) : nextTry(attempts, now),
        parkedAt: isParked ? now : null,
      });
      return { attempts, isParked };
    });
    logger.error({ err: error, ...record, attempts, isParked }, 'a step of a background job failed');
    return isParked ? 'parked' : 'failed';
  }

  #loadedTables(): Promise<readonly DueTable[]> {
    this.#tables ??= this.#options.database
      .transaction('nobody', (tx) => selectTables(tx, this.kindNames))
      .catch((error: unknown) => {
        this.#tables = undefined;
        throw error;
      });
    return this.#tables;
  }

  #kindOf({ kind }: DueRecord): DueKind {
    return this.#kinds.get(kind) as DueKind;
  }

  async #tableOf(kind: string): Promise<DueTable> {
    return (await this.#loadedTables()).find((table) => table.kind === kind) as DueTable;
  }
}

async function stepAlone(
  kind: DueKind,
  tx: Tx,
  record: { merchantId: string; id: string },
  now: Instant,
): Promise<StepResult> {
  const followUp = await kind.step(tx, record, now);
  return { isLater: false, ...(followUp && { followUp }) };
}

/** A record that the transaction has locked and found to be due. */
interface LockedDue {
  readonly record: DueRecord;
  readonly found: LockedRecord;
}

/** Those of some records that are locked, in their order, each with the time at which it is due now. */
const lockedOf = (records: readonly DueRecord[], locked: ReadonlyMap<string, LockedRecord>): LockedDue[] =>
  records.flatMap((record) => {
    const found = locked.get(record.id);
    return found ? [{ record: { ...record, dueAt: found.dueAt }, found }] : [];
  });

const errorText = (error: unknown): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    .replaceAll('\0', '')
    .slice(0, MOST_ERROR_LENGTH);
