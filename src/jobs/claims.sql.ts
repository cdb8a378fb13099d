import { recordset, sql, type Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { DueRecord } from './due-kind.ts';

/** A process has these records for itself, each until its due time; its claims before them are over. */
export const insertClaims = (tx: Tx, worker: number, records: readonly DueRecord[]) =>
  tx.run(sql`
    insert into due_claim (merchant_id, kind, id, worker, due_at)
    select merchant_id, kind, id, ${worker}::int, due_at
      from jsonb_to_recordset(${recordset(records)}) as r (merchant_id text, kind text, id text, due_at timestamptz)
    on conflict (merchant_id, kind, id) do update set worker = excluded.worker, due_at = excluded.due_at`);

/** The processes that are gone, or have lost their connection. */
export const selectLostWorkers = (tx: Tx): Promise<number[]> => tx.values<number>(sql`select lost_workers() as id`);

/** What these processes have claimed is due now. */
export const releaseClaims = (tx: Tx, lost: readonly number[], at: Instant) =>
  tx.run(sql`select release_claims(${lost}::int[], ${at})`);

export const deleteClaimsOver = (tx: Tx, at: Instant) => tx.run(sql`select forget_claims(${at})`);
