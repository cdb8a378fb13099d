import { sql, type Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { EntitlementRow } from './entitlements.sql.ts';

/** Drops what is remembered of an entitlement from a moment on: what was changed there changes all figures after it. */
export const forgetSnapshots = (
  tx: Tx,
  { merchant_id, id }: Pick<EntitlementRow, 'merchant_id' | 'id'>,
  from: Instant,
): Promise<number> =>
  tx.run(
    sql`delete from entitlement_snapshot where merchant_id = ${merchant_id} and entitlement_id = ${id} and at >= ${from}`,
  );
