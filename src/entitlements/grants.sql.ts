import { sql, type Tx } from '../db/index.ts';
import type { Decimal } from '../kernel/decimal.ts';
import type { Instant } from '../kernel/time.ts';

/** §2 Grant, as it is kept. */
export interface GrantRow {
  readonly merchant_id: string;
  readonly id: string;
  readonly seq: bigint;
  readonly entitlement_id: string;
  readonly origin: 'direct' | 'purchase' | 'template';
  readonly amount: Decimal;
  readonly priority: number;
  readonly effective_at: Instant;
  readonly expires_at: Instant | null;
  readonly voided_at: Instant | null;
  /** ISO 8601, as it was sent. */
  readonly recurrence_period: string | null;
  readonly reset_max_rollover: Decimal;
  readonly reset_min_rollover: Decimal;
  readonly idempotency_key: string | null;
  readonly idempotency_print: Buffer | null;
  readonly invoice_id: string | null;
  readonly created_at: Instant;
}

export type NewGrant = Omit<GrantRow, 'seq' | 'voided_at'>;

/**
 * Writes a grant. Whoever does holds the entitlement's lock.
 * @returns undefined where an index says that it is there already: by its key, its invoice or its reset
 */
export const insertGrant = (tx: Tx, grant: NewGrant): Promise<GrantRow | undefined> =>
  tx.maybe<GrantRow>(sql`
    insert into entitlement_grant (merchant_id, id, entitlement_id, origin, amount, priority, effective_at, expires_at, recurrence_period,
                                   reset_max_rollover, reset_min_rollover, idempotency_key, idempotency_print, invoice_id, created_at)
    values (${grant.merchant_id}, ${grant.id}, ${grant.entitlement_id}, ${grant.origin}, ${grant.amount}, ${grant.priority},
            ${grant.effective_at}, ${grant.expires_at}, ${grant.recurrence_period}, ${grant.reset_max_rollover},
            ${grant.reset_min_rollover}, ${grant.idempotency_key}, ${grant.idempotency_print}, ${grant.invoice_id}, ${grant.created_at})
    on conflict do nothing
    returning *`);
