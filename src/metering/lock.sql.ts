import { sql, type Tx } from '../db/index.ts';

/**
 * Takes a merchant's ingest lock until the end of the transaction. Whoever accepts events holds it shared; whoever needs
 * the events of a moment to be all there are (closing an invoice, domain.md §4) takes it exclusively, and reads after it.
 * It is a statement of its own, before anything is read: the next statement then sees all that was accepted under it.
 */
export async function lockIngest(tx: Tx, merchantId: string, mode: 'shared' | 'exclusive'): Promise<void> {
  const key = sql`hashtextextended(${`ingest ${merchantId}`}, 0)`;
  await tx.once(`ingest lock, ${mode}, of ${merchantId}`, () =>
    tx.run(
      mode === 'shared' ? sql`select pg_advisory_xact_lock_shared(${key})` : sql`select pg_advisory_xact_lock(${key})`,
    ),
  );
}
