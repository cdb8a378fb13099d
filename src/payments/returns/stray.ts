import type { Tx } from '../../db/index.ts';
import type { DueKind } from '../../jobs/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { next } from '../../kernel/state-table.ts';
import type { Instant } from '../../kernel/time.ts';
import { type LedgerReason, post } from '../../ledger/index.ts';
import { askRefund } from '../calls/ask.ts';
import {
  byProviderClient,
  connectionOf,
  type RemoteDependencies,
  reportRefusal,
  writeOutcome,
} from '../calls/dependencies.ts';
import { nextLookUp } from '../calls/look-ups.ts';
import type { RemoteRefund } from '../provider/remote.ts';
import { returnStates } from '../records/return-states.ts';
import {
  insertStray,
  lockStrayIfAny,
  type NewStrayPayment,
  type StrayPayment,
  selectStray,
  updateStrayReturn,
} from './stray.sql.ts';

/**
 * Money that a provider took and that can pay nothing is recorded, owed to whoever paid it, and sent back by due work.
 * It is recorded once for each reference of the provider.
 */
export async function recordStray(tx: Tx, stray: NewStrayPayment, now: Instant): Promise<void> {
  const kept = await insertStray(tx, { ...stray, id: newId('payment') }, now);
  if (kept) await book(tx, kept, 'payment', 1, now);
}

/** Cash that came and is owed back (1), or left (-1). It is of no invoice: no invoice was paid by it. */
async function book(tx: Tx, stray: StrayPayment, reason: LedgerReason, sign: 1 | -1, now: Instant): Promise<void> {
  const { merchantId, id, currency } = stray;
  const amount = stray.amount.times(sign);
  const entries = [
    { account: 'cash', customerId: null, amount },
    { account: 'refunds_payable', customerId: null, amount: amount.negated() },
  ] as const;
  await post(tx, { merchantId, key: `${sign === 1 ? 'stray' : 'return'}:${id}`, reason, currency, entries }, now);
}

/** Sends stray money back: the intent is committed, then the provider is called under a key of this payment. */
export const strayReturnsDue = (remote: RemoteDependencies): DueKind => ({
  kind: 'stray_return',
  step: async (tx, { merchantId, id }, now) => {
    const stray = await selectStray(tx, merchantId, id);
    const isFirst = stray.returnStartedAt === null;
    const since = stray.returnStartedAt ?? now;
    const { lookUps, at } = nextLookUp(since, stray.returnLookUps, now);
    const connection = await connectionOf(tx, remote, merchantId, stray.provider);
    const started = connection ? since : stray.returnStartedAt;
    await updateStrayReturn(tx, stray, { returnStartedAt: started, returnLookUps: lookUps, nextActionAt: at });
    if (!connection) return;
    const { reference: chargeReference, amount, currency } = stray;
    const request = { key: `return:${id}`, chargeReference, amount, currency };
    return byProviderClient(remote, { merchantId, clockId: null }, async () => {
      const refund = await askRefund(connection, { request, isFirst, since }, now);
      if (refund?.status === 'account refused') await reportRefusal(remote, connection, refund.reason);
      else if (refund) await recordStrayReturnAnswer(remote, { merchantId, id }, refund);
    });
  },
});

/** Stray money has left with a refund at the provider. @returns whether it was all of it, and had not left before */
export async function returnStray(
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
  { reference, amount, currency }: { reference: string; amount: Decimal; currency: string },
  now: Instant,
): Promise<boolean> {
  const stray = await selectStray(tx, merchantId, id);
  if (stray.returnStatus === 'returned' || !amount.eq(stray.amount) || currency !== stray.currency) return false;
  const left = { returnStatus: 'returned', returnReference: reference, returnedAt: now, nextActionAt: null };
  await updateStrayReturn(tx, stray, left);
  await book(tx, stray, 'money_returned', -1, now);
  return true;
}

/** Stores the provider's answer about the refund of stray money. */
export const recordStrayReturnAnswer = (
  remote: RemoteDependencies,
  { merchantId, id }: { merchantId: string; id: string },
  refund: Pick<RemoteRefund, 'status' | 'reference'>,
): Promise<void> =>
  writeOutcome(remote, merchantId, async (tx, now) => {
    const stray = await selectStray(tx, merchantId, id);
    if (stray.returnStatus !== 'requested' || refund.status === 'pending') return;
    const isBack = refund.status === 'succeeded';
    await updateStrayReturn(tx, stray, {
      returnStatus: isBack ? 'returned' : 'manual',
      returnReference: refund.reference,
      returnedAt: isBack ? now : null,
      nextActionAt: null,
    });
    if (isBack) await book(tx, stray, 'money_returned', -1, now);
  });

/**
 * The merchant has sent stray money back by hand, because the provider could not.
 * @returns null where there is none; INVALID_TRANSITION where it does not wait for the merchant
 */
export async function returnStrayByHand(
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
  { at, reference }: { at: Instant; reference: string | null },
  now: Instant,
): Promise<Result<StrayPayment> | null> {
  const stray = await lockStrayIfAny(tx, merchantId, id);
  if (!stray) return null;
  const moved = next(returnStates, stray.returnStatus, 'sayReturned');
  if (!moved.ok) return moved;
  await updateStrayReturn(tx, stray, { returnStatus: 'returned', returnReference: reference, returnedAt: at });
  await book(tx, stray, 'money_returned', -1, now);
  return ok({ ...stray, returnStatus: 'returned' });
}
