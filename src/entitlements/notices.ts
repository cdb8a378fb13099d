import { effectiveNow } from '../clocks/index.ts';
import type { Database, Tx } from '../db/index.ts';
import type { Chore } from '../jobs/index.ts';
import { ZERO } from '../kernel/decimal.ts';
import { type Instant, isAfter } from '../kernel/time.ts';
import type { UsageWatch } from '../metering/index.ts';
import { type Balance, balanceOf } from './balances.ts';
import { type EntitlementRow, findEntitlement } from './entitlements.sql.ts';
import { hasEnded } from './lock.ts';
import { type Notice, selectMeteredOf, tellOnce } from './notices.sql.ts';
import { tellOfEntitlement } from './tell.ts';

/** A balance is low at a fifth of what there was to use in the period, or below (domain.md §5). */
const LOW_SHARE = '0.2';

/** What there is to tell of a balance. Of one from which nothing was used there is nothing to tell. */
export function noticeOf({
  balance,
  usageInPeriod,
}: Pick<Balance, 'balance' | 'usageInPeriod'>): Exclude<Notice['kind'], 'reset'> | null {
  if (usageInPeriod.lte(ZERO)) return null;
  if (balance.isZero()) return 'exhausted';
  return balance.lte(balance.plus(usageInPeriod).times(LOW_SHARE)) ? 'balance_low' : null;
}

/**
 * Tells, each once in a usage period, that the balance of an entitlement runs low or is used up: `entitlement.balance_low.v0`,
 * `entitlement.exhausted.v0`. What reservations hold is not used yet.
 * @param now effective now of the entitlement
 */
export async function tellOfBalance(tx: Tx, entitlement: EntitlementRow, now: Instant): Promise<void> {
  const isActive = !isAfter(entitlement.active_from, now) && !hasEnded(entitlement, now);
  if (entitlement.feature_type !== 'metered' || !isActive) return;
  const balance = await balanceOf(tx, entitlement, { at: null }, now);
  const kind = noticeOf(balance);
  if (kind === null) return;
  const isNew = await tellOnce(tx, entitlement, { periodStart: balance.period.start, kind }, now);
  if (isNew) await tellOfEntitlement(tx, entitlement, `entitlement.${kind}.v0`, now);
}

/** So many balances are asked in a turn, and a turn comes at most every second: telling takes little from what is told of. */
const MOST_IN_A_TURN = 50;

/**
 * Looks at the balances of those that have new usage. What this process does not remember (after a crash, or where others take the
 * events in) is told of with the next usage, reset, grant or settled reservation.
 */
export function balanceNoticeChore(newUsage: Pick<UsageWatch, 'take'>, mostInATurn = MOST_IN_A_TURN): Chore {
  const waiting: EntitlementRow[] = [];
  return {
    name: 'telling of balances that run low',
    everySeconds: 1,
    run: async (database, now) => {
      if (waiting.length < mostInATurn) waiting.push(...(await meteredOfUsed(database, newUsage, now)));
      for (const entitlement of waiting.splice(0, mostInATurn)) await look(database, entitlement, now);
    },
  };
}

async function meteredOfUsed(
  database: Database,
  newUsage: Pick<UsageWatch, 'take'>,
  now: Instant,
): Promise<EntitlementRow[]> {
  const found: EntitlementRow[] = [];
  for (const [merchantId, used] of Map.groupBy(newUsage.take(MOST_IN_A_TURN), (each) => each.merchantId)) {
    const addressees = used.map(({ addressee }) => addressee);
    const scope = { merchants: [merchantId] };
    found.push(...(await database.transaction(scope, (tx) => selectMeteredOf(tx, merchantId, addressees, now))));
  }
  return found;
}

/** As it is by now: it may have waited for its turn. `wall` is wall time. */
const look = (database: Database, { merchant_id: merchantId, id, clock_id }: EntitlementRow, wall: Instant) =>
  database.transaction({ merchants: [merchantId] }, async (tx) => {
    const now = await effectiveNow(tx, merchantId, clock_id, wall);
    const entitlement = await findEntitlement(tx, merchantId, id);
    if (entitlement) await tellOfBalance(tx, entitlement, now);
  });
