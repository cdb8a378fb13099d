import type { Tx } from '../db/index.ts';
import { usageTakenByInvoices } from '../invoicing/index.ts';
import { forgetLate, lateSince, type TakenUsage } from '../metering/index.ts';
import type { EntitlementRow } from './entitlements.sql.ts';
import { dropSnapshots, type KeptSnapshot, meteredSubscriptions, snapshotsOfCustomer } from './snapshots.sql.ts';
import { subjectsOf } from './sources.ts';

type OfCustomer = Pick<EntitlementRow, 'merchant_id' | 'customer_id'>;

/**
 * Forgets the late usage of a customer and its subscriptions that no snapshot needs any more. A snapshot for which something came
 * late never holds again, so it goes first, whosever entitlement of the customer it is; then what was late for it can go as well.
 * The lock of the customer's snapshots is held.
 */
export async function forgetLateUsage(tx: Tx, customer: OfCustomer): Promise<void> {
  const snapshots = await snapshotsOfCustomer(tx, customer);
  const late = new Set<KeptSnapshot>();
  for (const [subscriptionId, those] of Map.groupBy(snapshots, (each) => each.subscription_id))
    for (const snapshot of await lateOf(tx, customer, subscriptionId, those)) late.add(snapshot);
  const gone = late.size === 0 ? [] : await dropSnapshots(tx, customer.merchant_id, [...late]);
  const isGone = (snapshot: KeptSnapshot) =>
    gone.some(({ entitlement_id: id, at }) => id === snapshot.entitlement_id && at.equals(snapshot.at));
  const kept = snapshots.filter((snapshot) => !isGone(snapshot));

  const billed = await usageTakenByInvoices(tx, customer.merchant_id, customer.customer_id); // they rely on both as well
  await forgetLate(tx, customer.merchant_id, [customer.customer_id], [...kept.map(takenUsage), ...billed]);
  for (const subscriptionId of await meteredSubscriptions(tx, customer)) {
    const relying = kept.filter((snapshot) => snapshot.subscription_id === subscriptionId);
    const ofIt = billed.filter((each) => each.subscriptionId === subscriptionId);
    await forgetLate(tx, customer.merchant_id, [subscriptionId], [...relying.map(takenUsage), ...ofIt]);
  }
}

async function lateOf(
  tx: Tx,
  { merchant_id, customer_id }: OfCustomer,
  subscription_id: string | null,
  snapshots: readonly KeptSnapshot[],
): Promise<KeptSnapshot[]> {
  const subjects = subjectsOf({ customer_id, subscription_id });
  const late = await lateSince(tx, merchant_id, subjects, snapshots.map(takenUsage));
  return snapshots.filter((_, index) => late[index]);
}

const takenUsage = ({ at, taken }: KeptSnapshot): TakenUsage => ({ at, snapshot: taken });
