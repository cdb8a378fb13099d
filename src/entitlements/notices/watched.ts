import type { Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import { selectEntitlement, selectEntitlements } from '../entitlement/entitlements.sql.ts';
import { hasEnded } from '../entitlement/lock.ts';
import { type Balance, balancesOf } from '../reading/balances.ts';
import { whenUsed } from './crossing.ts';

/** A balance with its usage in the usage period. */
export interface WatchedBalance {
  readonly balance: Decimal;
  readonly used: Decimal;
  /** It falls with time, without an event. */
  readonly isOverTime: boolean;
  readonly period: { readonly start: Instant; readonly end: Instant | null };
}

/** A metered entitlement whose balance is watched. */
export interface Watched {
  readonly entitlementId: string;
  /** null: now; else events strictly before it count. */
  readonly at: Instant | null;
  /** Effective now of the entitlement. */
  readonly now: Instant;
}

/**
 * The balances of some metered entitlements of one merchant for whoever watches them, in their order. What reservations
 * hold is not used yet.
 * @returns null before an entitlement begins and after it has ended
 */
export async function findWatchedBalances(tx: Tx, watched: readonly Watched[]): Promise<(WatchedBalance | null)[]> {
  const ids = watched.map(({ entitlementId: id }) => id);
  const rows = new Map((await selectEntitlements(tx, ids)).map((row) => [row.id, row]));
  const active = watched.flatMap(({ entitlementId, at, now }, place) => {
    const entitlement = rows.get(entitlementId);
    const asked = at ?? now;
    const isActive = entitlement && !isAfter(entitlement.activeFrom, asked) && !hasEnded(entitlement, asked);
    return isActive ? [{ place, entitlement, question: { at }, now }] : [];
  });
  const balances = await balancesOf(tx, active);
  const found: (WatchedBalance | null)[] = watched.map(() => null);
  for (const [index, { place }] of active.entries()) {
    const { balance, usageInPeriod, isOverTime, period } = balances[index] as Balance;
    found[place] = { balance, used: usageInPeriod, isOverTime, period: { start: period.start, end: period.end } };
  }
  return found;
}

/**
 * When usage over time of an entitlement will have grown by an amount, or when to look again; null: never as it stands.
 * @param amount above 0
 * @param now effective now of the entitlement
 */
export async function findWhenUsed(
  tx: Tx,
  entitlementId: string,
  amount: Decimal,
  now: Instant,
): Promise<Instant | null> {
  const entitlement = await selectEntitlement(tx, entitlementId);
  return entitlement ? whenUsed(tx, entitlement, amount, now) : null;
}
