import { sql, type Tx } from '../../src/db/index.ts';

/** Does anybody wait for a lock that this transaction has? Others on the same server do not count. */
export const isWaitedFor = async (tx: Tx): Promise<boolean> =>
  (await tx.rows(sql`select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`))
    .length > 0;
