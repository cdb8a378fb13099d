import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type Database, sqlState, type Tx } from '../db/index.ts';
import { type Instant, isAfter, latest } from '../kernel/time.ts';
import {
  type DueTable,
  earliestOnClock,
  failedAttempts,
  forgetFailure,
  type LockedRecord,
  loadTables,
  lockClockRecord,
  lockDueRecord,
  lockDueRecords,
  readRecord,
  readRecords,
  saveFailure,
} from './due.sql.ts';
import type {
  ClockBook,
  ClockReference,
  DueKind,
  DueRecord,
  FollowUp,
  StepList,
  StepReport,
  Together,
} from './due-kind.ts';
import { MOST_ATTEMPTS, nextTry } from './retry.ts';

/** A record may pass through several states at one instant; one that takes more steps than this turns in a circle. */
const MOST_STEPS_AT_ONE_TIME = 100;
const MOST_ERROR_LENGTH = 2000;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * What became of an attempt: `waiting` when somebody else has the lock, `blocked` when somebody else has what is locked
 * before the record, `nothing` when there is nothing to do.
 */
export type Outcome = 'done' | 'failed' | 'waiting' | 'blocked' | 'nothing';

export interface StepsOptions {
  readonly database: Database;
  /** In the order in which records that are due at one instant of a test clock are taken. */
  readonly kinds: readonly DueKind[];
  readonly clocks: ClockBook | undefined;
  readonly now: () => Instant;
  readonly logger: Logger;
  readonly observe: ((report: StepReport) => void) | undefined;
}

/** Runs single steps: lock and check again, run, hold that the record moved on, commit; count what fails. */
export class Steps {
  readonly #options: StepsOptions;
  readonly #kinds: ReadonlyMap<string, DueKind>;
  readonly #stepsAtOneTime = new LRUCache<string, number>({ max: 1000 });
  #tables: Promise<readonly DueTable[]> | undefined;

  constructor(options: StepsOptions) {
    this.#options = options;
    this.#kinds = new Map(options.kinds.map((kind) => [kind.kind, kind]));
    if (this.#kinds.size < options.kinds.length) throw new Error('Two kinds of due work have one name.');
  }

  get kindNames(): readonly string[] {
    return [...this.#kinds.keys()];
  }

  /** @throws where a kind's migration did not register its table. */
  async check(): Promise<void> {
    await this.#loadedTables();
  }

  /** One step of a record of the wall clock. */
  async run(record: DueRecord): Promise<Outcome> {
    const table = await this.#tableOf(record.kind);
    const now = this.#options.now();
    let due = record;
    return this.#attempt(
      record.merchantId,
      async (tx) => {
        if (!(await this.#lockParents(tx, [record])).has(record.id)) return 'blocked';
        const locked = await lockDueRecord(tx, table, record, now);
        if (!locked) return 'nothing';
        due = { ...record, dueAt: locked.dueAt };
        return this.#step(tx, table, due, locked, now);
      },
      () => ({ record: due, onClock: false }),
    );
  }

  /**
   * A step of each of some records of one kind and one merchant, in one transaction where their kind allows it; who shares what must be kept
   * apart, waits for the next time. Where something goes wrong, each is stepped by itself.
   * @param isStopping asked between steps
   */
  async runTogether(records: readonly DueRecord[], isStopping: () => boolean): Promise<Outcome[]> {
    const [first, ...others] = records;
    if (!first) return [];
    const { together, list } = this.#kinds.get(first.kind) as DueKind;
    if (list) return this.#runList(records, list, isStopping);
    if (!together || others.length === 0) return this.#runEach(records, isStopping);
    const table = await this.#tableOf(first.kind);
    const now = this.#options.now();
    const started = performance.now();
    const { database, logger } = this.#options;
    const taken = new Map<string, string>();
    try {
      const steps = await database.together(
        { merchants: [first.merchantId] },
        records.map((record) => (tx) => this.#stepBeside(tx, table, record, together, taken, now)),
        (reason) =>
          logger.warn({ err: reason, kind: first.kind }, 'steps touch the same rows, and run one after another'),
      );
      for (const step of steps)
        if (typeof step === 'object') await this.#ended(step.record, step.followUp, started, records.length);
      return steps.map((step) => (typeof step === 'object' ? 'done' : step));
    } catch (error) {
      logger.info({ err: error, kind: first.kind }, 'steps that did not go together are taken one by one');
      return this.#runEach(records, isStopping);
    }
  }

  /** Steps a list in one transaction. Where it throws, each half is a list of its own; one record is stepped alone. */
  async #runList(records: readonly DueRecord[], list: StepList, isStopping: () => boolean): Promise<Outcome[]> {
    const [first, ...others] = records;
    if (!first || isStopping()) return [];
    if (others.length === 0) return [await this.run(first)];
    const { database, logger } = this.#options;
    const table = await this.#tableOf(first.kind);
    const now = this.#options.now();
    const started = performance.now();
    try {
      const { stepped, free } = await database.transaction(
        { merchants: [first.merchantId] },
        async (tx) => {
          const free = await this.#lockParents(tx, records);
          const lockable = records.filter(({ id }) => free.has(id));
          return { stepped: await this.#stepList(tx, table, lockable, list, now), free };
        },
        { byKeys: true },
      );
      for (const { record, followUp } of stepped) await this.#ended(record, followUp, started, stepped.length);
      const done = new Set(stepped.map(({ record }) => record.id));
      return records.map(({ id }) => (done.has(id) ? 'done' : free.has(id) ? 'waiting' : 'blocked'));
    } catch (error) {
      logger.info({ err: error, kind: first.kind, records: records.length }, 'a list of steps failed and is halved');
      const half = Math.ceil(records.length / 2);
      const before = await this.#runList(records.slice(0, half), list, isStopping);
      return [...before, ...(await this.#runList(records.slice(half), list, isStopping))];
    }
  }

  async #stepList(
    tx: Tx,
    table: DueTable,
    records: readonly DueRecord[],
    list: StepList,
    now: Instant,
  ): Promise<{ record: DueRecord; followUp: FollowUp | undefined }[]> {
    const locked = await lockDueRecords(tx, table, records, now);
    const due = records.flatMap((record) => {
      const found = locked.get(record.id);
      return found ? [{ record: { ...record, dueAt: found.dueAt }, found }] : [];
    });
    if (due.length === 0) return [];
    const results = await list.steps(
      tx,
      due.map(({ record: { merchantId, id } }) => ({ merchantId, id })),
      now,
    );
    const after = await readRecords(
      tx,
      table,
      due.map(({ record }) => record),
    );
    const stepped: { record: DueRecord; followUp: FollowUp | undefined }[] = [];
    for (const [place, { record, found }] of due.entries()) {
      const result = results[place];
      if (!result || result.isLater) continue;
      this.#checkMoved(record, found, after.get(record.id));
      if (found.hasFailed) await forgetFailure(tx, record);
      stepped.push({ record, followUp: result.followUp });
    }
    return stepped;
  }

  async #runEach(records: readonly DueRecord[], isStopping: () => boolean): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const record of records) {
      if (isStopping()) break;
      outcomes.push(await this.run(record));
    }
    return outcomes;
  }

  /** @param taken which record has what must be kept apart; it still has it when the transaction is tried again */
  async #stepBeside(
    tx: Tx,
    table: DueTable,
    record: DueRecord,
    { apart }: Together,
    taken: Map<string, string>,
    now: Instant,
  ) {
    const locked = await lockDueRecord(tx, table, record, now);
    if (!locked) return 'nothing';
    const key = await apart(tx, record);
    const holder = taken.getOrInsert(key, record.id);
    if (holder !== record.id) return 'waiting';
    const due = { ...record, dueAt: locked.dueAt };
    return { record: due, followUp: await this.#step(tx, table, due, locked, now) };
  }

  /**
   * The next step of a test clock, with effective now = its due time, or the clock's time where that is later. Picking the
   * record, its step and the clock's move are one transaction under the clock's lock, so that drivers of one clock take
   * turns and no step is taken twice. `nothing`: the clock has arrived.
   */
  async runOnClock(clock: ClockReference): Promise<Outcome> {
    const { clocks } = this.#options;
    if (!clocks) return 'nothing';
    const tables = await this.#loadedTables();
    let picked: DueRecord | undefined;
    return this.#attempt(
      clock.merchantId,
      async (tx) => {
        picked = undefined;
        const time = await clocks.lock(tx, clock);
        if (!time) return 'nothing';
        const { currentTime, advancingTo } = time;
        const next = await earliestOnClock(tx, tables, clock, advancingTo ?? currentTime);
        if (!next) {
          if (advancingTo) await clocks.move(tx, clock, advancingTo, true, this.#options.now());
          return 'nothing';
        }
        const now = latest(next.dueAt, currentTime);
        const table = await this.#tableOf(next.kind);
        if (!(await this.#lockParents(tx, [next])).has(next.id)) return 'blocked';
        const locked = await lockClockRecord(tx, table, next);
        if (!locked) return 'waiting';
        picked = next;
        if (isAfter(now, currentTime)) await clocks.move(tx, clock, now, false, this.#options.now());
        return this.#step(tx, table, next, locked, now);
      },
      () => picked && { record: picked, onClock: true },
    );
  }

  /** Locks what everybody locks before some records of one kind. @returns the ids of those of which nobody else has it */
  async #lockParents(tx: Tx, records: readonly DueRecord[]): Promise<ReadonlySet<string>> {
    const { lockParents } = this.#kinds.get((records[0] as DueRecord).kind) as DueKind;
    return lockParents ? lockParents(tx, records) : new Set(records.map(({ id }) => id));
  }

  /** One transaction; what throws in it is rolled back and counted against the record that was being worked on. */
  async #attempt(
    merchantId: string,
    work: (tx: Tx) => Promise<FollowUp | undefined | 'nothing' | 'waiting' | 'blocked'>,
    current: () => { record: DueRecord; onClock: boolean } | undefined,
  ): Promise<Outcome> {
    const started = performance.now();
    const report = (record: DueRecord, outcome: StepReport['outcome']) =>
      this.#options.observe?.({ kind: record.kind, outcome, seconds: (performance.now() - started) / 1000 });
    let followUp: FollowUp | undefined;
    try {
      const result = await this.#options.database.transaction({ merchants: [merchantId] }, work);
      if (typeof result === 'string') return result;
      followUp = result;
    } catch (error) {
      if (sqlState(error) === LOCK_NOT_AVAILABLE) return 'waiting'; // somebody else's transaction is slow: no fault of the step
      const at = current();
      if (!at) throw error;
      report(at.record, await this.#fail(at.record, error, at.onClock));
      return 'failed';
    }
    const { record } = current() as { record: DueRecord };
    await this.#ended(record, followUp, started);
    return 'done';
  }

  /** A step is committed; it was one of so many in its transaction. */
  async #ended(record: DueRecord, followUp: FollowUp | undefined, started: number, of = 1): Promise<void> {
    this.#options.observe?.({ kind: record.kind, outcome: 'done', seconds: (performance.now() - started) / 1000 / of });
    await followUp?.().catch((error: unknown) => {
      this.#options.logger.error({ err: error, ...record }, 'what followed a step of due work failed');
    });
  }

  async #step(
    tx: Tx,
    table: DueTable,
    record: DueRecord,
    locked: LockedRecord,
    now: Instant,
  ): Promise<FollowUp | undefined> {
    const { merchantId, id } = record;
    const kind = this.#kinds.get(record.kind) as DueKind;
    const followUp = await kind.step(tx, { merchantId, id }, now);
    this.#checkMoved(record, locked, await readRecord(tx, table, record));
    if (locked.hasFailed) await forgetFailure(tx, record);
    return followUp ?? undefined;
  }

  /** @throws where a step left its record due as it was, or has done so in other words too often */
  #checkMoved(
    { kind, id }: DueRecord,
    locked: LockedRecord,
    after: { dueAt: Instant | null; version: string } | undefined,
  ): void {
    if (!after?.dueAt || Temporal.Instant.compare(after.dueAt, locked.dueAt) !== 0) return;
    const key = `${kind} ${id} ${locked.dueAt.toString()}`;
    const steps = (this.#stepsAtOneTime.get(key) ?? 0) + 1;
    this.#stepsAtOneTime.set(key, steps);
    if (after.version === locked.version || steps > MOST_STEPS_AT_ONE_TIME)
      throw new Error('The step left the record due at the time at which it was due.');
  }

  async #fail(record: DueRecord, error: unknown, onClock: boolean): Promise<'failed' | 'parked'> {
    const { database, logger } = this.#options;
    const now = this.#options.now();
    const { attempts, isParked } = await database.transaction({ merchants: [record.merchantId] }, async (tx) => {
      const attempts = (await failedAttempts(tx, record)) + 1;
      const isParked = attempts >= MOST_ATTEMPTS;
      await saveFailure(tx, record, {
        attempts,
        error: errorText(error),
        retryAt: onClock ? null : nextTry(attempts, now), // on a clock it is tried again at once
        parkedAt: isParked ? now : null,
      });
      return { attempts, isParked };
    });
    logger.error({ err: error, ...record, attempts, isParked }, 'a step of due work failed');
    return isParked ? 'parked' : 'failed';
  }

  #loadedTables(): Promise<readonly DueTable[]> {
    this.#tables ??= this.#options.database
      .transaction('nobody', (tx) => loadTables(tx, this.kindNames))
      .catch((error: unknown) => {
        this.#tables = undefined;
        throw error;
      });
    return this.#tables;
  }

  async #tableOf(kind: string): Promise<DueTable> {
    return (await this.#loadedTables()).find((table) => table.kind === kind) as DueTable;
  }
}

const errorText = (error: unknown): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    .replaceAll('\0', '')
    .slice(0, MOST_ERROR_LENGTH);
