import { sql, type Tx } from '../../db/index.ts';

/**
 * Takes a merchant's ingest lock until the end of the transaction. Whoever accepts events holds it shared; whoever
 * needs the events of a moment to be all there are (closing an invoice, domain.md §4) takes it exclusively, and reads
 * after it. It is a statement of its own, before anything is read: the next statement then sees all that was accepted
 * under it.
 */
export async function lockIngest(tx: Tx, mode: 'shared' | 'exclusive'): Promise<void> {
  const key = sql`hashtextextended(${`ingest ${tx.merchantId}`}, 0)`;
  await tx.run(
    mode === 'shared' ? sql`select pg_advisory_xact_lock_shared(${key})` : sql`select pg_advisory_xact_lock(${key})`,
  );
}

/**
 * Has everybody note events of a merchant as late until the end of the transaction, as if the marks of all its subjects
 * were being raised (`settleUsage`).
 */
const lockMarks = (tx: Tx): Promise<number> =>
  tx.run(sql`select pg_advisory_xact_lock_shared(hashtextextended(${`usage marks ${tx.merchantId}`}, 0))`);

/**
 * Reads while nobody accepts events of a merchant. They go on as soon as it is read: the lock is given back before the
 * transaction ends, and with it what `read` writes. Who accepts events after that notes all of them as late until the
 * commit, so the caller settles in the same transaction what it has read.
 */
export async function lockMarksAndRead<T>(tx: Tx, read: () => Promise<T>): Promise<T> {
  await lockMarks(tx); // before: who holds the ingest lock still and did not see this is waited for
  return tx.savepoint(
    async () => {
      await lockIngest(tx, 'exclusive');
      return read();
    },
    () => false,
  );
}
