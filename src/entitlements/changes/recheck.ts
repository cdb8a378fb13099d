import type { Tx } from '../../db/index.ts';
import { plain } from '../../kernel/decimal.ts';
import { formatInstant } from '../../kernel/time.ts';
import type { BalanceAt } from '../balance/index.ts';
import { selectEntitlement } from '../entitlement/entitlements.sql.ts';
import { loadInput } from '../inputs/inputs.ts';
import { type SnapshotKey, selectSnapshotsAfter } from '../inputs/snapshots.sql.ts';
import { loadHolding } from '../inputs/snapshots.ts';
import { balanceAt } from '../reading/balances.ts';

const SNAPSHOTS_AT_ONCE = 50;
const MICROSECOND = { microseconds: 1 };

/** A snapshot that gives another balance than grants and usage from the beginning on. */
interface DifferingSnapshot {
  readonly merchantId: string;
  readonly id: string;
  readonly detail: string;
}

/**
 * Every snapshot that balances are computed from, against the same balance without any snapshot: what usage it holds is
 * read again, from the entitlement's start. Some snapshots at a time.
 */
export const snapshotRecheck = {
  name: 'snapshots-are-their-usage',
  meaning: 'I-48: a balance is the same with its snapshot and without',
  async next(tx: Tx, after: SnapshotKey | null) {
    const page = await selectSnapshotsAfter(tx, after, SNAPSHOTS_AT_ONCE);
    const broken: DifferingSnapshot[] = [];
    for (const key of page) broken.push(...(await differencesOf(tx.of(key.merchantId), key)));
    return { broken, after: page.length === SNAPSHOTS_AT_ONCE ? (page.at(-1) ?? null) : null };
  },
};

async function differencesOf(tx: Tx, { merchantId, entitlementId, at }: SnapshotKey): Promise<DifferingSnapshot[]> {
  const entitlement = await selectEntitlement(tx, entitlementId);
  if (!entitlement) return [{ merchantId, id: entitlementId, detail: 'a snapshot of no entitlement' }];
  const holding = await loadHolding(tx, { entitlement, at });
  if (!holding.snapshot?.at.equals(at)) return []; // usage came late, so it is not used
  const snapshotUntil = entitlement.activeFrom.subtract(MICROSECOND);
  const fresh = await loadInput(tx, { entitlement, at, snapshotUntil });
  const [kept, computed] = await Promise.all([holding, fresh].map((loaded) => balanceAt(tx, loaded, at)));
  const [one, other] = [described(kept), described(computed)];
  if (one === other) return [];
  return [{ merchantId, id: entitlementId, detail: `at ${formatInstant(at)} stored ${one}, computed ${other}` }];
}

const described = (balance: BalanceAt | undefined): string =>
  balance === undefined
    ? 'nothing'
    : `${plain(balance.balance)} left, ${plain(balance.overage)} beyond, ${plain(balance.usageInPeriod)} used`;
