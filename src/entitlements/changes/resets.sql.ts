import { sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { ManualReset } from '../balance/index.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';

/** Stores a reset by hand. The caller locks the entitlement, and there is no reset at this instant. */
export const insertReset = (
  tx: Tx,
  { merchantId, id }: Pick<EntitlementRow, 'merchantId' | 'id'>,
  { at, retainAnchor, preserveOverage }: ManualReset,
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    insert into entitlement_reset (merchant_id, entitlement_id, at, retain_anchor, preserve_overage, created_at)
    values (${merchantId}, ${id}, ${at}, ${retainAnchor}, ${preserveOverage}, ${now})`);
