import type { Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';

/**
 * The work of a step after its commit, and before the next step of the same test clock: a call to a provider. Its
 * outcome has its own transactions. Facts that must survive a crash in between are in the row: the step sets a
 * next_action_at at which the call is repeated, under the same key. On the wall clock the row is claimed by this
 * process until then. If the process is gone, the row is due at once.
 */
export type FollowUp = () => Promise<void>;

/**
 * One kind of due work (domain.md §8): the rows of one table, registered by its migration with `call due_table(kind,
 * table)`.
 *
 * A step is called in a transaction of the record's merchant that holds the record's lock and has checked that it is
 * still due. `now` is the record's effective now: wall time, or on a test clock the due time itself. The step moves the
 * state, writes the effects, and gives the record its next next_action_at (null: nothing more to do). One that leaves
 * the row as it was is a fault, like one that throws. Deadlocks make a step run anew, so it has no effect outside its
 * transaction.
 */
export interface DueKind {
  readonly kind: string;
  /** The step of several records of one merchant as a list, in one transaction; absent: each in its own. */
  readonly list?: StepList;
  /** It takes long (a document): of such kinds only a few records are taken at a time while other work is due. */
  readonly isSlow?: boolean;
  /**
   * Locks what everybody locks before such records of one merchant, without waiting. It is asked before the records are
   * locked, in the same transaction, for a list and for one.
   * @returns the ids of the records that may be locked now; the others wait for another time
   */
  lockParents?(tx: Tx, records: readonly { merchantId: string; id: string }[]): Promise<ReadonlySet<string>>;
  // biome-ignore lint/suspicious/noConfusingVoidType: most steps have no follow-up and return nothing
  step(tx: Tx, record: { merchantId: string; id: string }, now: Instant): Promise<FollowUp | void>;
}

/** The step of records as a list. A step of one is a list of one. */
export interface StepList {
  /** Records in one transaction at most. */
  readonly most: number;
  /** How much work the records are, where they differ; absent: one is like another. */
  readonly weight?: Weight;
  /**
   * Steps some records of one merchant, as `step` does one. What it throws undoes all; then the list is halved until
   * the record is alone that is at fault.
   * @returns a result for each record, in their order
   */
  steps(tx: Tx, records: readonly { merchantId: string; id: string }[], now: Instant): Promise<StepResult[]>;
}

/**
 * A list holds the work of so many units at most: its memory and its time have a bound. A heavier record goes alone.
 */
export interface Weight {
  readonly most: number;
  /** @returns an estimate for each record, in their order */
  of(tx: Tx, records: readonly { merchantId: string; id: string }[]): Promise<readonly number[]>;
}

/** The result of a record in a list: it is stepped, or it waits for another one, untouched. */
export type StepResult = { readonly isLater: true } | { readonly isLater: false; readonly followUp?: FollowUp };

/** A record that was found to be due. */
export interface DueRecord {
  readonly kind: string;
  readonly merchantId: string;
  readonly id: string;
  readonly dueAt: Instant;
}

export interface ClockReference {
  readonly merchantId: string;
  readonly id: string;
}

/** The runner's view of test clocks; the clocks domain implements it on its own table. */
export interface ClockBook {
  /** Clocks of all merchants that are on their way, or have work due at the time they show. */
  withWork(tx: Tx, kinds: readonly string[]): Promise<ClockReference[]>;
  /**
   * Locks the clock until the transaction ends. @returns its time and, during an advance, its target; null: there is no
   * such clock
   */
  lock(tx: Tx, clock: ClockReference): Promise<{ currentTime: Instant; advancingTo: Instant | null } | null>;
  /** Moves it forward; `arrived` at the end of the advance. */
  move(tx: Tx, clock: ClockReference, to: Instant, arrived: boolean, now: Instant): Promise<void>;
  /** Adds steps to those that its advance has taken. */
  count(tx: Tx, clock: ClockReference, steps: number): Promise<void>;
}

/** The result of a step, or of the steps of one transaction, for the metrics. */
export interface StepReport {
  readonly kind: string;
  readonly outcome: 'done' | 'failed' | 'parked';
  readonly records: number;
  /** Of each of them: the time of the transaction is shared. */
  readonly seconds: number;
}
