import { effectiveNow } from '../../clocks/index.ts';
import type { Tx } from '../../db/index.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import type { EntitlementRow } from './entitlement.ts';
import { lockEntitlement, selectEntitlement } from './entitlements.sql.ts';

/** An entitlement that a request names. */
export interface EntitlementKey {
  readonly merchantId: string;
  readonly entitlementId: string;
}

/** An entitlement, locked, with its effective now: its clock is held first, then the row. `wall` is wall time. */
export async function lockWithNow(
  tx: Tx,
  { entitlementId }: EntitlementKey,
  wall: Instant,
): Promise<Result<{ entitlement: EntitlementRow; now: Instant }>> {
  const found = await selectEntitlement(tx, entitlementId);
  if (!found) return notFound('entitlement');
  const now = await effectiveNow(tx, found.clockId, wall);
  const entitlement = await lockEntitlement(tx, entitlementId);
  return entitlement ? ok({ entitlement, now }) : notFound('entitlement');
}

/** Has an entitlement ended? At the instant of its end it has. */
export const hasEnded = ({ activeTo }: Pick<EntitlementRow, 'activeTo'>, now: Instant): boolean =>
  activeTo !== null && !isAfter(activeTo, now);
