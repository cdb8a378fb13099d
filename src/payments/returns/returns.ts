import type { Tx } from '../../db/index.ts';
import type { DueKind } from '../../jobs/index.ts';
import { type Decimal, sum } from '../../kernel/decimal.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import { next } from '../../kernel/state-table.ts';
import type { Instant } from '../../kernel/time.ts';
import {
  lockReceipt,
  lockReceiptsOf,
  markRequested,
  markReturned,
  markReturnedByHand,
  markStarted,
  markStopped,
  type PaymentReceipt,
  selectIsDisputed,
  selectLeft,
  selectReceipt,
  selectReceipts,
  selectTakenOf,
} from '../records/receipts.sql.ts';
import { bookReturn, owned } from '../records/return-booking.ts';
import { returnStates } from '../records/return-states.ts';
import type { PaymentDependencies } from '../sessions/completion.ts';
import { type LeftOfPayment, leftOfGone, leftOfPayment } from './left-of-payment.ts';
import { partsReturnedByHand } from './part-returns.ts';
import { callForReturn } from './remote-returns.ts';

/** The payments of an invoice, in the order of their receipt. */
export const receiptsOf = (tx: Tx, invoiceId: string): Promise<PaymentReceipt[]> => selectReceipts(tx, invoiceId);

/**
 * Asks for the money of an invoice to go back as it came: through the provider, by due work; recorded money is marked
 * for the merchant, who gives it back by hand (domain.md §4, Refund). Money that has left, or may have, under an
 * earlier refund is passed over, and so is what the payer's bank or the provider's dashboard took: a payment goes back
 * at most once, ever.
 * @returns how much is going back because of this call, and how much others had taken of it
 */
export async function requestReturn(
  tx: Tx,
  { invoiceId, refundId }: { merchantId: string; invoiceId: string; refundId: string },
  now: Instant,
): Promise<LeftOfPayment> {
  const all: LeftOfPayment[] = [];
  for (const receipt of await lockReceiptsOf(tx, invoiceId)) {
    const taken = await selectTakenOf(tx, receipt);
    const canGo = next(returnStates, receipt.returnStatus, 'request').ok;
    const left = canGo ? leftOfPayment(receipt, taken) : leftOfGone(receipt, taken);
    if (canGo && left.returned.gt(0)) await markRequested(tx, receipt, { ...left, refundId }, now);
    all.push(left);
  }
  return {
    returned: sum(all.map(({ returned }) => returned)),
    disputed: sum(all.map(({ disputed }) => disputed)),
    outside: sum(all.map(({ outside }) => outside)),
  };
}

/** Is there an open dispute about a payment of an invoice? Until it is decided, nothing can go back. */
export const isDisputed = (tx: Tx, invoiceId: string): Promise<boolean> => selectIsDisputed(tx, invoiceId);

/**
 * Stops what a refund has asked for, because it was voided before the money left.
 * @returns how much was stopped, and how much it came too late for: that money is on its way or gone, and the
 *   customer owes it again (domain.md §4, Refund). Both are zero where the refund moved no money.
 */
export async function stopReturn(
  tx: Tx,
  { refundId }: { merchantId: string; refundId: string },
): Promise<{ stopped: Decimal; left: Decimal }> {
  const stopped = await markStopped(tx, refundId);
  const left = await selectLeft(tx, refundId);
  return { stopped: sum(stopped.map(owned)), left: sum(left.map(owned)) };
}

/**
 * Gives money back in two steps: the intent is committed before the provider is called, and whatever happens in between
 * the call is made again under the same key, which is the receipt's own and knows no refund (I-40, I-41).
 */
export const returnsDue = ({ provider, remote }: Pick<PaymentDependencies, 'provider' | 'remote'>): DueKind => ({
  kind: 'payment_return',
  step: async (tx, { merchantId, id }, now) => {
    const receipt = await selectReceipt(tx, id);
    if (receipt.provider !== 'sandbox') return callForReturn(tx, remote, receipt, now);
    // still due: the next step calls
    if (receipt.returnStartedAt === null) return void (await markStarted(tx, receipt, now));
    const { reference } = await provider.refund(
      tx,
      {
        merchantId,
        key: `return:${id}`,
        chargeReference: receipt.providerReference as string, // only what a provider took is ever due
        amount: owned(receipt),
        currency: receipt.currency,
      },
      now,
    );
    await markReturned(tx, receipt, reference, now);
    await bookReturn(tx, receipt, now);
    return;
  },
});

/**
 * The merchant says that recorded money was given back by hand. It counts as gone from then on: a void comes too late
 * for it.
 * @returns 404; INVALID_TRANSITION where it is not `manual`, also the second time
 */
export async function returnedByHand(
  tx: Tx,
  of: { merchantId: string; invoiceId: string; id: string },
  how: { at: Instant; reference: string | null },
  now: Instant,
): Promise<Result<PaymentReceipt>> {
  const receipt = await lockReceipt(tx, of);
  if (!receipt) return notFound('payment');
  if (await partsReturnedByHand(tx, receipt.id, how, now)) return ok(receipt);
  const moved = next(returnStates, receipt.returnStatus, 'sayReturned');
  if (!moved.ok) return moved;
  const returned = await markReturnedByHand(tx, receipt, how);
  await bookReturn(tx, receipt, now);
  return ok(returned);
}
