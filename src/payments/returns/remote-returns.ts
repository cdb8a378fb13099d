import { effectiveNow } from '../../clocks/index.ts';
import type { Tx } from '../../db/index.ts';
import type { FollowUp } from '../../jobs/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { askRefund } from '../calls/ask.ts';
import {
  byProviderClient,
  type Call,
  connectionOf,
  type RemoteDependencies,
  reportRefusal,
  writeOutcome,
} from '../calls/dependencies.ts';
import { nextLookUp } from '../calls/look-ups.ts';
import type { ProviderName } from '../provider/provider.ts';
import type { RemoteRefund } from '../provider/remote.ts';
import {
  lockAnyReceipt,
  markAsked,
  markFailed,
  markNotStarted,
  markReturned,
  type PaymentReceipt,
  selectReceipt,
} from '../records/receipts.sql.ts';
import { bookReturn, owned } from '../records/return-booking.ts';
import { reduceReturn } from './reduce-return.ts';

/** A dispute is open: when the return is looked at again, unless a notice of its end comes first. */
const WHILE_DISPUTED = { hours: 24 };

/** The step of a return by a provider outside our database; its call is made beside due work. */
export async function callForReturn(
  tx: Tx,
  remote: RemoteDependencies,
  receipt: PaymentReceipt,
  now: Instant,
): Promise<FollowUp | undefined> {
  const { merchantId, clockId } = receipt;
  const call = await prepareReturn(tx, remote, receipt, now);
  return call && byProviderClient(remote, { merchantId, clockId }, call);
}

/**
 * Commits the intent to send money back. The key is the receipt's own and knows no refund (I-40, I-41). While the
 * payer's bank disputes the payment nothing is sent, and then only what it has left.
 * @returns the call, which follows the commit and writes its outcome in a transaction of its own
 */
export async function prepareReturn(
  tx: Tx,
  remote: RemoteDependencies,
  { merchantId, id }: PaymentReceipt,
  now: Instant,
): Promise<Call | undefined> {
  const found = await reduceReturn(tx, id, now);
  if (found?.receipt.returnStatus !== 'requested') return;
  const { receipt } = found;
  const isFirst = receipt.returnStartedAt === null;
  if (isFirst && found.isTaken) {
    const later = { startedAt: null, lookUps: receipt.returnLookUps, at: now.add(WHILE_DISPUTED) };
    return void (await markAsked(tx, receipt, later));
  }
  const since = receipt.returnStartedAt ?? now;
  const connection = await connectionOf(tx, remote, receipt.provider as ProviderName);
  const look = nextLookUp(since, receipt.returnLookUps, now);
  await markAsked(tx, receipt, { startedAt: connection ? since : receipt.returnStartedAt, ...look });
  if (!connection) return;
  const { currency } = receipt;
  const chargeReference = receipt.providerReference as string;
  const request = { key: `return:${id}`, chargeReference, amount: owned(receipt), currency };
  return async () => {
    const refund = await askRefund(connection, { request, isFirst, since, isOnlyLookedUp: found.isTaken }, now);
    if (refund?.status === 'account refused') {
      await reportRefusal(remote, connection, refund.reason);
      if (isFirst) await recallReturn(remote, { merchantId, id });
    } else if (refund) await recordReturnAnswer(remote, { merchantId, id }, refund);
  };
}

/** The call had no effect, so the money has not left: a void may stop it, and the next try is the first. */
const recallReturn = (
  remote: RemoteDependencies,
  { merchantId, id }: { merchantId: string; id: string },
): Promise<void> =>
  writeOutcome(remote, merchantId, async (tx) => {
    const receipt = await lockAnyReceipt(tx, id);
    if (receipt) await markNotStarted(tx, receipt);
  });

/** Stores the provider's answer about a return; idempotent. */
export const recordReturnAnswer = (
  remote: RemoteDependencies,
  { merchantId, id }: { merchantId: string; id: string },
  refund: Pick<RemoteRefund, 'status' | 'reference'>,
): Promise<void> =>
  writeOutcome(remote, merchantId, async (tx, wall) => {
    const found = await selectReceipt(tx, id);
    const now = await effectiveNow(tx, found.clockId, wall);
    const receipt = await lockAnyReceipt(tx, id);
    if (receipt?.returnStatus !== 'requested' || refund.status === 'pending') return;
    if (refund.status === 'failed') {
      await markFailed(tx, receipt);
      await reduceReturn(tx, id, now);
      return;
    }
    await markReturned(tx, receipt, refund.reference, now);
    await bookReturn(tx, receipt, now);
  });
