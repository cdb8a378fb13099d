import type { Sql, Tx } from '../../db/index.ts';
import type { Chore } from '../../jobs/index.ts';
import { type Instant, SECONDS_PER_MINUTE } from '../../kernel/time.ts';
import { selectUsageMark } from './fate.sql.ts';
import {
  deleteLate,
  deleteNeedless,
  isAnyAtWork,
  type Marks,
  selectLate,
  selectMerchantsWithNeedless,
  selectSnapshot,
  selectWithLate,
  settleUsageMarks,
} from './settled.sql.ts';

/** A figure of the usage before `at` that was stored, with the `usageSnapshot` that was read before it. */
export interface TakenUsage {
  readonly at: Instant;
  readonly snapshot: string;
}

/**
 * Has events of some customers and subscriptions before `until` noted as late from now on (`lateSince`); a mark is
 * never lowered. Those who are accepting events at this moment may not have seen it: keep the answer, and take the
 * figure once `isSettled` says that they have ended. Until the commit, everybody who accepts events of the merchant
 * notes them all: so do it late in a transaction that takes long.
 * @param subjects ids of customers and subscriptions, each for what counts for itself
 * @returns whom to wait for, to be handed to `isSettled`; only that reads it
 */
export const settleUsage = (
  tx: Tx,
  { subjects, until }: { merchantId: string; subjects: readonly string[]; until: Instant },
  now: Instant,
): Promise<string> => settleEach(tx, [{ subjects, until }], now);

/** The same of several groups of subjects of one merchant, each up to its own time. */
export const settleEach = async (tx: Tx, marks: readonly Marks[], now: Instant): Promise<string> =>
  (await settleUsageMarks(tx, marks, now)).join();

/**
 * Have all ended who may have accepted events without having seen the marks? May be asked in the transaction that
 * raised them, and in any later one. What later statements of the same transaction read holds their events.
 */
export async function isSettled(tx: Tx, waitFor: string): Promise<boolean> {
  return waitFor === '' || !(await isAnyAtWork(tx, waitFor.split(',')));
}

/**
 * The visible events at this moment, to be stored with a figure of the past. Read it before the figure, and accept no
 * events between the two and the commit: a concurrent event is then in the figure and also late, which costs one more
 * reading.
 */
export const usageSnapshot = (tx: Tx): Promise<string> => selectSnapshot(tx);

/**
 * The same with the usage mark of the merchant, so that late events can be listed one by one.
 * @param mark if the caller has read it
 */
export const markedUsageSnapshot = async (tx: Tx, mark?: bigint): Promise<string> =>
  `${await selectSnapshot(tx)}/${mark ?? (await selectUsageMark(tx))}`;

/**
 * Has usage of some customers and subscriptions come since, for a time before each figure? True also where that cannot
 * be known any more, because the database was moved to another server.
 * @param taken figures at times that were settled for all these subjects
 * @param areKept whether the figures are kept still (absent: they are), asked in the same statement: the late usage
 *   of one that was dropped meanwhile may have been forgotten (`forgetLate`). Where they are not, each is late
 * @returns an answer for each, in their order
 */
export async function lateSince(
  tx: Tx,
  subjects: readonly string[],
  taken: readonly TakenUsage[],
  areKept?: Sql,
): Promise<boolean[]> {
  return (await selectLate(tx, subjects, taken, areKept)).map(({ late }) => late);
}

/**
 * The same of several groups of subjects of one merchant, an answer for each. Whether anything is late at all is asked
 * once for all of them; who has late usage is asked for by itself.
 */
export async function lateSinceOf(
  tx: Tx,
  asked: readonly { readonly subjects: readonly string[]; readonly taken: readonly TakenUsage[] }[],
): Promise<boolean[][]> {
  const taking = asked.filter(({ taken }) => taken.length > 0);
  if (taking.length === 0) return asked.map(() => []);
  const { server, named } = await selectWithLate(
    tx,
    taking.flatMap(({ subjects }) => subjects),
  );
  const withLate = new Set(named);
  const answers: boolean[][] = [];
  for (const { subjects, taken } of asked) {
    const isHere = taken.every(({ snapshot }) => snapshot.startsWith(`${server}/`));
    const isQuiet = isHere && !subjects.some((subject) => withLate.has(subject));
    answers.push(isQuiet || taken.length === 0 ? taken.map(() => false) : await lateSince(tx, subjects, taken));
  }
  return answers;
}

/**
 * Forgets late usage for which `lateSince` would say of no figure that it is late. Nobody else may be taking a figure
 * of these subjects meanwhile: the caller holds what they hang on. Whoever reads figures without that asks `lateSince`
 * with `areKept`.
 * @param kept all figures that are kept and rely on one of these subjects
 */
export async function forgetLate(tx: Tx, subjects: readonly string[], kept: readonly TakenUsage[]): Promise<void> {
  await deleteLate(tx, subjects, kept);
}

const MERCHANTS_AT_ONCE = 200;

/** Deletes late rows that were written only because of a simultaneous change of marks, and are not late. */
export const needlessLateChore: Chore = {
  name: 'forgetting usage that was not late',
  everySeconds: SECONDS_PER_MINUTE,
  run: async (database) => {
    const merchants = await database.transaction('every merchant, reading', (tx) =>
      selectMerchantsWithNeedless(tx, MERCHANTS_AT_ONCE),
    );
    for (const merchantId of merchants)
      await database.transaction({ merchants: [merchantId] }, (tx) => deleteNeedless(tx));
  },
};
