import { findFeatures } from '../../catalog/index.ts';
import { effectiveNow } from '../../clocks/index.ts';
import type { Database, Tx } from '../../db/index.ts';
import { type Decimal, decimal, plain, ZERO } from '../../kernel/decimal.ts';
import { earliest, formatInstant, type Instant, isAfter } from '../../kernel/time.ts';
import type { UsedCustomer } from '../../metering/index.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';
import { selectEntitlement } from '../entitlement/entitlements.sql.ts';
import { hasEnded } from '../entitlement/lock.ts';
import { publishEntitlementEvent } from '../entitlement/webhooks.ts';
import { loadHolding } from '../inputs/snapshots.ts';
import { readTogether } from '../known/readings.ts';
import { type Balance, balanceAt, balanceOf } from '../reading/balances.ts';
import { selectAllActive } from '../reading/reading.sql.ts';
import { type BalanceNotice, insertNotices, selectNotices, selectUntold, updateFailed } from './notices.sql.ts';

/** The used part of a period's allowance, in percent, at which a balance is low (domain.md §5). */
const LOW_PERCENT = 80;

type Told = Pick<Balance, 'balance' | 'usageInPeriod' | 'period'>;

/** The notices of a balance, in their order. A balance without usage has none. */
export function noticesOf({ balance, usageInPeriod }: Omit<Told, 'period'>): BalanceNotice[] {
  const whole = balance.plus(usageInPeriod);
  if (usageInPeriod.lte(ZERO) || usageInPeriod.times(100).lt(whole.times(LOW_PERCENT))) return [];
  return balance.isZero() ? ['balance_low', 'exhausted'] : ['balance_low'];
}

/**
 * Tells, each once in a usage period, that the balance of an entitlement runs low or is used up:
 * `entitlement.balance_low.v0`, `entitlement.exhausted.v0`. What reservations hold is not used yet.
 * @param now effective now of the entitlement
 */
export async function publishBalanceEvents(tx: Tx, entitlement: EntitlementRow, now: Instant): Promise<void> {
  const isActive = !isAfter(entitlement.activeFrom, now) && !hasEnded(entitlement, now);
  if (entitlement.featureType === 'metered' && isActive)
    await tell(tx, entitlement, await balanceOf(tx, entitlement, { at: null }, now), now);
}

/** The same of the usage period that a reset ends, as it stood right before. */
export async function publishBeforeReset(tx: Tx, entitlement: EntitlementRow, reset: Instant, now: Instant) {
  const snapshotUntil = reset.subtract({ microseconds: 1 });
  const loaded = await loadHolding(tx, { entitlement, at: reset, snapshotUntil });
  await tell(tx, entitlement, await balanceAt(tx, loaded, reset.subtract({ nanoseconds: 1 })), now);
}

async function tell(tx: Tx, entitlement: EntitlementRow, told: Told, now: Instant): Promise<void> {
  const kinds = noticesOf(told);
  if (kinds.length === 0) return;
  const periodStart = told.period.start;
  const isNew = new Set(
    await insertNotices(
      tx,
      entitlement,
      kinds.map((kind) => ({ periodStart, kind })),
      now,
    ),
  );
  if (isNew.size === 0) return;
  const [feature] = await findFeatures(tx, [entitlement.merchantId], [entitlement.featureId]);
  for (const kind of kinds.filter((each) => isNew.has(each)))
    await publishEntitlementEvent(tx, entitlement, `entitlement.${kind}.v0`, now, {
      ...{ type: 'balance', name: feature?.name ?? null, value: plain(told.balance), currency: null },
      threshold: kind === 'exhausted' ? '0' : null,
      percent: kind === 'exhausted' ? null : LOW_PERCENT,
      periodStart: formatInstant(periodStart),
    });
}

/** So many balances of a merchant are read in one transaction. */
const MOST_TOGETHER = 200;

/**
 * Looks at the balances of customers with new usage: it reads many together without a lock, and only an entitlement of
 * which something is to be told is looked at by itself. A look that fails is left to the background job.
 * @param goOn called before each transaction
 */
export async function lookAtBalances(
  database: Database,
  customers: readonly UsedCustomer[],
  wall: Instant,
  goOn: () => Promise<unknown>,
): Promise<void> {
  const used = await database.transaction('every merchant, reading', (tx) => selectUntold(tx, customers, wall));
  for (const [merchantId, those] of Map.groupBy(used, (each) => each.merchantId))
    for (let place = 0; place < those.length; place += MOST_TOGETHER) {
      await goOn();
      const ids = those.slice(place, place + MOST_TOGETHER).map(({ id }) => id);
      const telling = await database
        .transaction({ merchants: [merchantId] }, (tx) => findTelling(tx, merchantId, ids, wall))
        .catch(() => ids); // one of them is at fault: each is looked at by itself
      for (const id of telling) await look(database, { merchantId, id }, wall);
    }
}

/** The entitlements among some of which something is to be told. Locks nothing, writes nothing. */
async function findTelling(tx: Tx, merchantId: string, ids: readonly string[], wall: Instant): Promise<string[]> {
  const found = await readTogether(tx, await selectAllActive(tx, merchantId, { ids }, null, wall), {
    withoutReservations: true,
  });
  const balances = found.flatMap(({ detail }) => {
    if (detail.featureType !== 'metered') return [];
    const { id, currentPeriodStart, lastResetAt, activeFrom } = detail;
    const figures: Record<'balance' | 'usageInPeriod', Decimal> = {
      balance: decimal(detail.balance),
      usageInPeriod: decimal(detail.usageInPeriod),
    };
    const start = Temporal.Instant.from(currentPeriodStart ?? lastResetAt ?? activeFrom);
    return noticesOf(figures).map((kind) => ({ id, kind, start }));
  });
  const [first] = balances;
  if (!first) return [];
  const since = balances.map(({ start }) => start).reduce(earliest, first.start);
  const stored = await selectNotices(
    tx,
    merchantId,
    balances.map(({ id }) => id),
    since,
  );
  const keyOf = (id: string, kind: string, start: Instant) => `${id} ${kind} ${start}`;
  const told = new Set(stored.map(({ entitlementId, kind, periodStart }) => keyOf(entitlementId, kind, periodStart)));
  return [...new Set(balances.flatMap(({ id, kind, start }) => (told.has(keyOf(id, kind, start)) ? [] : [id])))];
}

async function look(database: Database, key: Pick<EntitlementRow, 'merchantId' | 'id'>, wall: Instant): Promise<void> {
  const { merchantId, id } = key;
  const inMerchant = { merchants: [merchantId] };
  try {
    await database.transaction(inMerchant, async (tx) => {
      const seen = await selectEntitlement(tx, merchantId, id);
      if (seen) await publishBalanceEvents(tx, seen, await effectiveNow(tx, merchantId, seen.clockId, wall));
    });
  } catch {
    await database.transaction(inMerchant, (tx) => updateFailed(tx, key, wall));
  }
}
