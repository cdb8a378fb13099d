import { sql } from './sql.ts';
import type { Tx } from './tx.ts';

/** Locks a key among those of one kind of row: a twin with the same key waits until this transaction has ended. */
export const lockKey = (tx: Tx, kind: string, key: string): Promise<number> =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`${kind} ${tx.merchantId} ${key}`}, 0))`);
