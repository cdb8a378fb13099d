import type { Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import { selectEntitlement } from '../entitlement/entitlements.sql.ts';
import { hasEnded } from '../entitlement/lock.ts';
import { balanceOf } from '../reading/balances.ts';

/** A balance with its usage in the usage period. */
export interface WatchedBalance {
  readonly balance: Decimal;
  readonly used: Decimal;
  readonly period: { readonly start: Instant; readonly end: Instant | null };
}

/**
 * The balance of a metered entitlement for whoever watches it. What reservations hold is not used yet.
 * @param at null: now; else events strictly before it count
 * @param now effective now of the entitlement
 * @returns null before it begins and after it has ended
 */
export async function findWatchedBalance(
  tx: Tx,
  merchantId: string,
  id: string,
  at: Instant | null,
  now: Instant,
): Promise<WatchedBalance | null> {
  const entitlement = await selectEntitlement(tx, merchantId, id);
  if (!entitlement) return null;
  const asked = at ?? now;
  if (isAfter(entitlement.activeFrom, asked) || hasEnded(entitlement, asked)) return null;
  const { balance, usageInPeriod, period } = await balanceOf(tx, entitlement, { at }, now);
  return { balance, used: usageInPeriod, period: { start: period.start, end: period.end } };
}
