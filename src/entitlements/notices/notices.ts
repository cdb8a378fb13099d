import { effectiveNow } from '../../clocks/index.ts';
import type { Database, Tx } from '../../db/index.ts';
import type { Chore } from '../../jobs/index.ts';
import { ZERO } from '../../kernel/decimal.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import type { UsageWatch } from '../../metering/index.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';
import { selectEntitlement } from '../entitlement/entitlements.sql.ts';
import { hasEnded } from '../entitlement/lock.ts';
import { publishEntitlementEvent } from '../entitlement/webhooks.ts';
import { type Balance, balanceOf } from '../reading/balances.ts';
import { insertNotices, type Notice, type SweptRow, selectEntitlementsAfter, selectMeteredOf } from './notices.sql.ts';

/** A balance is low at a fifth of the period's allowance, or below (domain.md §5). */
const LOW_SHARE = '0.2';

/** The notice of a balance. A balance without usage has none. */
export function noticeOf({
  balance,
  usageInPeriod,
}: Pick<Balance, 'balance' | 'usageInPeriod'>): Exclude<Notice['kind'], 'reset'> | null {
  if (usageInPeriod.lte(ZERO)) return null;
  if (balance.isZero()) return 'exhausted';
  return balance.lte(balance.plus(usageInPeriod).times(LOW_SHARE)) ? 'balance_low' : null;
}

/**
 * Tells, each once in a usage period, that the balance of an entitlement runs low or is used up:
 * `entitlement.balance_low.v0`, `entitlement.exhausted.v0`. What reservations hold is not used yet.
 * @param now effective now of the entitlement
 */
export async function publishBalanceEvents(tx: Tx, entitlement: EntitlementRow, now: Instant): Promise<void> {
  const isActive = !isAfter(entitlement.activeFrom, now) && !hasEnded(entitlement, now);
  if (entitlement.featureType !== 'metered' || !isActive) return;
  const balance = await balanceOf(tx, entitlement, { at: null }, now);
  const kind = noticeOf(balance);
  if (kind === null) return;
  const told = await insertNotices(tx, entitlement, [{ periodStart: balance.period.start, kind }], now);
  if (told > 0) await publishEntitlementEvent(tx, entitlement, `entitlement.${kind}.v0`, now);
}

/** The most balances in a turn, and a turn is at least a second apart: notices take little of the capacity. */
const MOST_IN_A_TURN = 50;

/**
 * Looks at the balances of those that have new usage. What this process does not know of (after a crash, or where
 * others take the events in) is found by `balanceSweepChore`.
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
const look = (
  database: Database,
  { merchantId, id, clockId }: Pick<EntitlementRow, 'merchantId' | 'id' | 'clockId'>,
  wall: Instant,
) =>
  database.transaction({ merchants: [merchantId] }, async (tx) => {
    const now = await effectiveNow(tx, merchantId, clockId, wall);
    const entitlement = await selectEntitlement(tx, merchantId, id);
    if (entitlement) await publishBalanceEvents(tx, entitlement, now);
  });

/** The interval between two checks of an entitlement, as far as the rate allows. */
const ROUND = { hours: 1 };

/**
 * Looks at the balances of all metered entitlements that are active, one after the other: usage of which no worker
 * heard is told of within an hour. More than so many in a turn, which comes at most every second, are not looked at;
 * where there are more than 3,600 times as many, a round takes longer. Each process goes its own rounds and begins one
 * as it starts; what was told is not told again. On a test clock, due steps and new usage are all there is.
 */
export function balanceSweepChore(mostInATurn = MOST_IN_A_TURN): Chore {
  let after: SweptRow | null = null;
  let nextRound: Instant | null = null;
  return {
    name: 'looking for balances that run low',
    everySeconds: 1,
    run: async (database, now) => {
      if (after === null) {
        if (nextRound !== null && isAfter(nextRound, now)) return;
        nextRound = now.add(ROUND);
      }
      const from = after;
      const found = await database.transaction('every merchant, reading', (tx) =>
        selectEntitlementsAfter(tx, from, now, mostInATurn),
      );
      after = found.length === mostInATurn ? (found.at(-1) as SweptRow) : null;
      const failures: unknown[] = []; // whose balance cannot be told does not keep others from hearing of theirs
      for (const { isToldOf, ...key } of found)
        if (isToldOf)
          await look(database, { ...key, clockId: null }, now).catch((error: unknown) => failures.push(error));
      if (failures.length > 0) throw new AggregateError(failures, 'Some balances could not be looked at.');
    },
  };
}
