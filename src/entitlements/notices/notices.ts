import { findFeatures } from '../../catalog/index.ts';
import { effectiveNow } from '../../clocks/index.ts';
import type { Database, Tx } from '../../db/index.ts';
import { decimal, plain, ZERO } from '../../kernel/decimal.ts';
import { formatInstant, type Instant, instantOrNull, isAfter } from '../../kernel/time.ts';
import { shownOverTime, type UsedCustomer } from '../../metering/index.ts';
import { publishAll } from '../../webhooks/index.ts';
import { readTogether } from '../cache/readings.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';
import { selectEntitlement } from '../entitlement/entitlements.sql.ts';
import { hasEnded } from '../entitlement/lock.ts';
import { entitlementEvent } from '../entitlement/webhooks.ts';
import { isMeasuredOverTime } from '../inputs/measure.ts';
import { loadHolding } from '../inputs/snapshots.ts';
import { type Balance, balanceAt, balanceOf } from '../reading/balances.ts';
import { selectAllActive, type TimedEntitlement } from '../reading/reading.sql.ts';
import {
  type BalanceNotice,
  insertNotices,
  type Notice,
  selectUnnotified,
  updateFailed,
  updateFallingToBeDue,
} from './notices.sql.ts';

/** The used part of a period's allowance, in percent, at which a balance is low (domain.md §5). */
export const LOW_PERCENT = 80;

/** A balance that may need a notice. */
interface NotifiedBalance extends Pick<Balance, 'balance' | 'usageInPeriod' | 'isOverTime'> {
  readonly entitlement: EntitlementRow;
  readonly periodStart: Instant;
  /** Effective now of the entitlement. */
  readonly now: Instant;
}

/** The notices of a balance, in their order. A balance without usage has none. */
export function noticesOf({
  balance,
  usageInPeriod,
}: Pick<NotifiedBalance, 'balance' | 'usageInPeriod'>): BalanceNotice[] {
  const whole = balance.plus(usageInPeriod);
  if (usageInPeriod.lte(ZERO) || usageInPeriod.times(100).lt(whole.times(LOW_PERCENT))) return [];
  return balance.isZero() ? ['balance_low', 'exhausted'] : ['balance_low'];
}

/**
 * Publishes `entitlement.balance_low.v0` and `entitlement.exhausted.v0`, each once in a usage period. Reserved amounts
 * are not used yet.
 * @param now effective now of the entitlement
 */
export async function publishBalanceEvents(tx: Tx, entitlement: EntitlementRow, now: Instant): Promise<void> {
  await tellOf(tx, entitlement, now);
}

/** @returns the balance; null: there is none */
async function tellOf(tx: Tx, entitlement: EntitlementRow, now: Instant): Promise<Balance | null> {
  const isActive = !isAfter(entitlement.activeFrom, now) && !hasEnded(entitlement, now);
  if (entitlement.featureType !== 'metered' || !isActive) return null;
  const balance = await balanceOf(tx, entitlement, { at: null }, now);
  await notifyAll(tx, [{ ...balance, entitlement, periodStart: balance.period.start, now }]);
  return balance;
}

/** Publishes the notices of the usage period that a reset ends, for the balance right before the reset. */
export async function publishBeforeReset(
  tx: Tx,
  entitlement: EntitlementRow,
  reset: Instant,
  now: Instant,
): Promise<void> {
  const snapshotUntil = reset.subtract({ microseconds: 1 });
  const loaded = await loadHolding(tx, { entitlement, at: reset, snapshotUntil });
  const { period, ...balance } = await balanceAt(tx, loaded, reset.subtract({ nanoseconds: 1 }));
  const isOverTime = isMeasuredOverTime(loaded);
  await notifyAll(tx, [{ ...balance, isOverTime, entitlement, periodStart: period.start, now }]);
}

/** Stores and publishes the notices of some balances of one merchant, in the order of their entitlements. */
async function notifyAll(tx: Tx, balances: readonly NotifiedBalance[]): Promise<void> {
  const due = balances.flatMap((each) =>
    noticesOf(each).map((kind) => ({ ...each, kind, entitlementId: each.entitlement.id })),
  );
  for (const those of Map.groupBy(due, ({ now }) => now.epochNanoseconds).values()) {
    const [{ now, entitlement }] = those as [(typeof those)[0]];
    const stored = await insertNotices(tx, those, now);
    const isNew = new Set(stored.map(keyOf));
    const fresh = those.filter((each) => isNew.has(keyOf(each)));
    const ids = fresh.map((each) => each.entitlement.featureId);
    const features = fresh.length === 0 ? [] : await findFeatures(tx, [entitlement.merchantId], [...new Set(ids)]);
    const names = new Map(features.map(({ id, name }) => [id, name]));
    await publishAll(
      tx,
      fresh.map((each) => toEvent(each, names.get(each.entitlement.featureId) ?? null)),
      now,
    );
  }
}

const keyOf = ({ entitlementId, periodStart, kind }: Notice): string => `${entitlementId} ${periodStart} ${kind}`;

const toEvent = (
  { entitlement, kind, balance, isOverTime, periodStart }: NotifiedBalance & { kind: BalanceNotice },
  name: string | null,
) =>
  entitlementEvent(entitlement, `entitlement.${kind}.v0`, {
    ...{ type: 'balance', name, value: plain(isOverTime ? shownOverTime(balance) : balance), currency: null },
    threshold: kind === 'exhausted' ? '0' : null,
    percent: kind === 'exhausted' ? null : LOW_PERCENT,
    periodStart: formatInstant(periodStart),
  });

/** So many balances of a merchant are evaluated in one transaction. */
const MOST_TOGETHER = 200;

/**
 * Evaluates the balances of customers with new usage, many together. If one of them is at fault, each is evaluated by
 * itself, and one that fails is left to its background job. So is one that falls with time: the job also finds out when
 * it reaches its next notice.
 */
export async function evaluateBalances(
  database: Database,
  customers: readonly UsedCustomer[],
  wall: Instant,
): Promise<void> {
  const used = await database.transaction('every merchant, reading', (tx) => selectUnnotified(tx, customers, wall));
  for (const [merchantId, those] of Map.groupBy(used, (each) => each.merchantId))
    for (let place = 0; place < those.length; place += MOST_TOGETHER) {
      const ids = those.slice(place, place + MOST_TOGETHER).map(({ id }) => id);
      await database
        .transaction({ merchants: [merchantId] }, (tx) => evaluateTogether(tx, ids, wall))
        .catch(async () => {
          for (const id of ids) await evaluate(database, { merchantId, id }, wall);
        });
    }
}

async function evaluateTogether(tx: Tx, ids: readonly string[], wall: Instant): Promise<void> {
  const entitlements = await selectAllActive(tx, { ids }, null, wall);
  const read = await readTogether(tx, entitlements, { withoutReservations: true });
  const overTime = read.filter(({ of }) => isMeasuredOverTime(of)).map(({ of }) => of.entitlement.id);
  await updateFallingToBeDue(tx, overTime, wall);
  const balances = read.flatMap(({ of, detail }, place): NotifiedBalance[] => {
    if (detail.featureType !== 'metered' || isMeasuredOverTime(of)) return [];
    const entitlement = entitlements[place] as TimedEntitlement;
    const { currentPeriodStart, lastResetAt } = detail;
    return [
      {
        entitlement,
        balance: decimal(detail.balance),
        usageInPeriod: decimal(detail.usageInPeriod),
        isOverTime: false,
        periodStart: instantOrNull(currentPeriodStart ?? lastResetAt) ?? entitlement.activeFrom,
        now: entitlement.effectiveNow,
      },
    ];
  });
  await notifyAll(tx, balances);
}

async function evaluate(
  database: Database,
  key: Pick<EntitlementRow, 'merchantId' | 'id'>,
  wall: Instant,
): Promise<void> {
  const { merchantId, id } = key;
  const inMerchant = { merchants: [merchantId] };
  try {
    await database.transaction(inMerchant, async (tx) => {
      const seen = await selectEntitlement(tx, id);
      const balance = seen && (await tellOf(tx, seen, await effectiveNow(tx, seen.clockId, wall)));
      if (balance?.isOverTime) await updateFallingToBeDue(tx, [id], wall);
    });
  } catch {
    await database.transaction(inMerchant, (tx) => updateFailed(tx, key, wall));
  }
}
