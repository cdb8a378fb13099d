import type { Tx } from '../../db/index.ts';
import { findUsageTakenByInvoices } from '../../invoicing/index.ts';
import { forgetLate, lateSince, type TakenUsage } from '../../metering/index.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';
import {
  deleteSnapshots,
  type StoredSnapshot,
  selectMeteredSubscriptions,
  selectSnapshotsOfCustomer,
} from './snapshots.sql.ts';
import { subjectsOf } from './sources.ts';

type OfCustomer = Pick<EntitlementRow, 'merchantId' | 'customerId'>;

/**
 * Forgets the late usage of a customer and its subscriptions that no snapshot needs any more. A snapshot for which
 * something came late never holds again, so it goes first, whosever entitlement of the customer it is; then what was
 * late for it can go as well. The lock of the customer's snapshots is held.
 */
export async function forgetLateUsage(tx: Tx, customer: OfCustomer): Promise<void> {
  const snapshots = await selectSnapshotsOfCustomer(tx, customer);
  const late = new Set<StoredSnapshot>();
  for (const [subscriptionId, those] of Map.groupBy(snapshots, (each) => each.subscriptionId))
    for (const snapshot of await lateOf(tx, customer, subscriptionId, those)) late.add(snapshot);
  const gone = late.size === 0 ? [] : await deleteSnapshots(tx, [...late]);
  const isGone = (snapshot: StoredSnapshot) =>
    gone.some(({ entitlementId: id, at }) => id === snapshot.entitlementId && at.equals(snapshot.at));
  const kept = snapshots.filter((snapshot) => !isGone(snapshot));

  // Invoices rely on both as well.
  const billed = await findUsageTakenByInvoices(tx, customer.customerId);
  await forgetLate(tx, [customer.customerId], [...kept.map(takenUsage), ...billed]);
  for (const subscriptionId of await selectMeteredSubscriptions(tx, customer)) {
    const relying = kept.filter((snapshot) => snapshot.subscriptionId === subscriptionId);
    const ofIt = billed.filter((each) => each.subscriptionId === subscriptionId);
    await forgetLate(tx, [subscriptionId], [...relying.map(takenUsage), ...ofIt]);
  }
}

async function lateOf(
  tx: Tx,
  { customerId }: OfCustomer,
  subscriptionId: string | null,
  snapshots: readonly StoredSnapshot[],
): Promise<StoredSnapshot[]> {
  const subjects = subjectsOf({ customerId, subscriptionId });
  const late = await lateSince(tx, subjects, snapshots.map(takenUsage));
  return snapshots.filter((_, index) => late[index]);
}

const takenUsage = ({ at, taken }: StoredSnapshot): TakenUsage => ({ at, snapshot: taken });
