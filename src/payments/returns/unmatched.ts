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
  insertUnmatchedPayment,
  lockUnmatchedPayment,
  lockUnmatchedPaymentIfAny,
  type NewUnmatchedPayment,
  type UnmatchedPayment,
  updateUnmatchedReturn,
} from './unmatched.sql.ts';

/**
 * Records an unmatched payment: it is owed to its payer, and a background job sends it back.
 * It is recorded once for each reference of the provider.
 * @param isForPeople a person decides about it: nothing is sent back
 */
export async function recordUnmatchedPayment(
  tx: Tx,
  payment: NewUnmatchedPayment,
  now: Instant,
  isForPeople = false,
): Promise<void> {
  const returned = isForPeople
    ? ({ status: 'manual', at: null } as const)
    : ({ status: 'requested', at: now } as const);
  const kept = await insertUnmatchedPayment(tx, { ...payment, id: newId('payment') }, returned, now);
  if (kept) await book(tx, kept, 'payment', 1, now);
}

/** Books cash that came and is owed back (1), or that left (-1). The entries name no invoice. */
async function book(
  tx: Tx,
  payment: UnmatchedPayment,
  reason: LedgerReason,
  sign: 1 | -1,
  now: Instant,
): Promise<void> {
  const { merchantId, id, currency } = payment;
  const amount = payment.amount.times(sign);
  const entries = [
    { account: 'cash', customerId: null, amount },
    { account: 'refunds_payable', customerId: null, amount: amount.negated() },
  ] as const;
  await post(tx, { merchantId, key: `${sign === 1 ? 'stray' : 'return'}:${id}`, reason, currency, entries }, now);
}

/** Sends an unmatched payment back: commits the intent, then calls the provider under a key of this payment. */
export const unmatchedReturnsDue = (remote: RemoteDependencies): DueKind => ({
  kind: 'stray_return',
  step: async (tx, { merchantId, id }, now) => {
    const payment = await lockUnmatchedPayment(tx, id);
    const isFirst = payment.returnStartedAt === null;
    const since = payment.returnStartedAt ?? now;
    const { lookUps, at } = nextLookUp(since, payment.returnLookUps, now);
    const connection = await connectionOf(tx, remote, payment.provider);
    const started = connection ? since : payment.returnStartedAt;
    await updateUnmatchedReturn(tx, payment, { returnStartedAt: started, returnLookUps: lookUps, nextActionAt: at });
    if (!connection) return;
    const { reference: chargeReference, amount, currency } = payment;
    const request = { key: `return:${id}`, chargeReference, amount, currency };
    return byProviderClient(remote, { merchantId, clockId: null }, async () => {
      const refund = await askRefund(connection, { request, isFirst, since }, now);
      if (refund?.status === 'account refused') await reportRefusal(remote, connection, refund.reason);
      else if (refund) await recordUnmatchedReturnAnswer(remote, { merchantId, id }, refund);
    });
  },
});

/**
 * An unmatched payment has left with a refund at the provider.
 * @returns whether the refund was for all of it, and the payment had not left before
 */
export async function returnUnmatchedPayment(
  tx: Tx,
  { id }: { merchantId: string; id: string },
  { reference, amount, currency }: { reference: string; amount: Decimal; currency: string },
  now: Instant,
): Promise<boolean> {
  const payment = await lockUnmatchedPayment(tx, id);
  if (payment.returnStatus === 'returned' || !amount.eq(payment.amount) || currency !== payment.currency) return false;
  const left = { returnStatus: 'returned', returnReference: reference, returnedAt: now, nextActionAt: null };
  await updateUnmatchedReturn(tx, payment, left);
  await book(tx, payment, 'money_returned', -1, now);
  return true;
}

/** Stores the provider's answer about the refund of an unmatched payment. */
export const recordUnmatchedReturnAnswer = (
  remote: RemoteDependencies,
  { merchantId, id }: { merchantId: string; id: string },
  refund: Pick<RemoteRefund, 'status' | 'reference'>,
): Promise<void> =>
  writeOutcome(remote, merchantId, async (tx, now) => {
    const payment = await lockUnmatchedPayment(tx, id);
    if (payment.returnStatus !== 'requested' || refund.status === 'pending') return;
    const isBack = refund.status === 'succeeded';
    await updateUnmatchedReturn(tx, payment, {
      returnStatus: isBack ? 'returned' : 'manual',
      returnReference: refund.reference,
      returnedAt: isBack ? now : null,
      nextActionAt: null,
    });
    if (isBack) await book(tx, payment, 'money_returned', -1, now);
  });

/**
 * The merchant has sent an unmatched payment back by hand, because the provider could not.
 * @returns null where there is none; INVALID_TRANSITION where it does not wait for the merchant
 */
export async function returnUnmatchedByHand(
  tx: Tx,
  { id }: { merchantId: string; id: string },
  { at, reference }: { at: Instant; reference: string | null },
  now: Instant,
): Promise<Result<UnmatchedPayment> | null> {
  const payment = await lockUnmatchedPaymentIfAny(tx, id);
  if (!payment) return null;
  const moved = next(returnStates, payment.returnStatus, 'sayReturned');
  if (!moved.ok) return moved;
  await updateUnmatchedReturn(tx, payment, { returnStatus: 'returned', returnReference: reference, returnedAt: at });
  await book(tx, payment, 'money_returned', -1, now);
  return ok({ ...payment, returnStatus: 'returned' });
}
