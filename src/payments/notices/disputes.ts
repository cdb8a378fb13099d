import { effectiveNow } from '../../clocks/index.ts';
import type { Tx } from '../../db/index.ts';
import { ZERO } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { type Posting, post } from '../../ledger/index.ts';
import { writeOutcome } from '../calls/dependencies.ts';
import type { ProviderDisputeFact, ProviderRefundFact } from '../provider/remote.ts';
import {
  insertDispute,
  insertOutsideRefund,
  lockDispute,
  lockOutsideRefund,
  type OutsideRefund,
  selectTaken,
  type TakenPayment,
  updateDispute,
  updateOutsideRefund,
} from '../records/disputes.sql.ts';
import { lockAnyReceipt, markAsked, markReturned, selectTakenOf } from '../records/receipts.sql.ts';
import { bookReturn, owned } from '../records/return-booking.ts';
import { leftOfPayment } from '../returns/left-of-payment.ts';
import { reduceReturn } from '../returns/reduce-return.ts';
import { returnUnmatchedPayment } from '../returns/unmatched.ts';
import type { PaymentDependencies } from '../sessions/completion.ts';

export interface OfProvider {
  readonly merchantId: string;
  readonly provider: string;
}

/** The status of a dispute never goes back: a late notice has an earlier state. */
const RANK: Readonly<Record<ProviderDisputeFact['status'], number>> = { inquiry: 0, open: 1, won: 2, lost: 2 };

/**
 * Books what a provider holds back for a dispute: it leaves `cash` while the dispute is open or when it is lost, and
 * comes back when it is won. What is booked follows from the dispute's state, so notices may come in any order and
 * number.
 */
export const applyDispute = (
  dependencies: PaymentDependencies,
  of: OfProvider,
  fact: ProviderDisputeFact,
): Promise<void> => writeOutcome(dependencies.remote, of.merchantId, (tx, wall) => bookDispute(tx, of, fact, wall));

/** The same in a transaction of the caller. */
export async function bookDispute(tx: Tx, of: OfProvider, fact: ProviderDisputeFact, wall: Instant): Promise<void> {
  const { merchantId, provider } = of;
  const { taken, now } = await findTaken(tx, of, fact.chargeReference, wall);
  const id = `${provider}:${fact.reference}`;
  await insertDispute(tx, { merchantId, id, provider, paymentId: taken.id, fact }, now);
  const known = await lockDispute(tx, id);
  if (RANK[fact.status] < RANK[known.status]) return;
  const withheld = fact.status === 'open' || fact.status === 'lost' ? fact.amount : ZERO;
  const more = withheld.minus(known.withheld);
  const bookings = known.bookings + (more.isZero() ? 0 : 1);
  await updateDispute(tx, known, { amount: fact.amount, status: fact.status, withheld, bookings }, now);
  const entries = [
    { account: 'disputes', customerId: null, amount: more },
    { account: 'cash', customerId: null, amount: more.negated() },
  ] as const;
  const key = `dispute:${id}:${bookings}`;
  if (!more.isZero()) await post(tx, { merchantId, key, reason: 'dispute', currency: fact.currency, entries }, now);
  if (!taken.isUnmatched && fact.status !== 'open') await startWaitingReturn(tx, taken, now);
}

/** Starts a refund of the payment that waited for the end of the dispute. It sends the remaining amount. */
async function startWaitingReturn(tx: Tx, { id }: TakenPayment, now: Instant): Promise<void> {
  const found = await reduceReturn(tx, id, now);
  if (found?.receipt.returnStatus !== 'requested' || found.receipt.returnStartedAt !== null) return;
  await markAsked(tx, found.receipt, { startedAt: null, lookUps: found.receipt.returnLookUps, at: now });
}

/**
 * The payment of a charge, and effective now for it. @throws where it is not known yet: the notice is read again later
 */
async function findTaken(tx: Tx, of: OfProvider, reference: string, wall: Instant) {
  const taken = await selectTaken(tx, { ...of, reference });
  if (!taken) throw new Error(`The charge ${reference} is not known yet.`);
  return { taken, now: await effectiveNow(tx, taken.clockId, wall) };
}

/**
 * Books a refund that somebody made at the provider. Where we were about to send that money ourselves, it has left with
 * this. Where it is all that paid an invoice, the invoice is refunded by a credit note. Any other refund is booked
 * beside the invoice, for a person to see to.
 */
export const applyOutsideRefund = (
  dependencies: PaymentDependencies,
  of: OfProvider,
  fact: ProviderRefundFact,
): Promise<void> =>
  writeOutcome(dependencies.remote, of.merchantId, async (tx, wall) => {
    const { merchantId, provider } = of;
    const { taken, now } = await findTaken(tx, of, fact.chargeReference, wall);
    if (taken.invoiceId !== null && !taken.isUnmatched)
      await dependencies.handlers.lock?.(tx, { merchantId, entityType: 'invoice', entityId: taken.invoiceId });
    const id = `${provider}:${fact.reference}`;
    await insertOutsideRefund(tx, { merchantId, id, provider, paymentId: taken.id, fact }, now);
    const known = await lockOutsideRefund(tx, id);
    if (known.status === 'failed' || fact.status === 'pending') return;
    if (fact.status === 'succeeded') {
      if (known.status === 'succeeded') return;
      const bookedAs = await bookOutside(tx, dependencies, { merchantId, taken, fact, id }, wall, now);
      await updateOutsideRefund(tx, known, { status: 'succeeded', bookedAs });
      if (bookedAs === 'adjustment' && !taken.isUnmatched) await reduceReturn(tx, taken.id, now);
      return;
    }
    // It had succeeded, and the bank sent the money back: a person must see to it, so it shows in the account.
    if (known.status === 'succeeded')
      await post(tx, adjustment(merchantId, `outside_failed:${id}`, { ...fact, amount: fact.amount.negated() }), now);
    await updateOutsideRefund(tx, known, { status: 'failed', bookedAs: known.bookedAs });
  });

interface Outside {
  readonly merchantId: string;
  readonly taken: TakenPayment;
  readonly fact: ProviderRefundFact;
  readonly id: string;
}

async function bookOutside(
  tx: Tx,
  dependencies: PaymentDependencies,
  { merchantId, taken, fact, id }: Outside,
  wall: Instant,
  now: Instant,
): Promise<OutsideRefund['bookedAs']> {
  if (taken.isUnmatched && (await returnUnmatchedPayment(tx, { merchantId, id: taken.id }, fact, wall)))
    return 'return';
  if (!taken.isUnmatched) {
    const receipt = await lockAnyReceipt(tx, taken.id);
    const isAsked = receipt?.returnStatus === 'requested';
    const left =
      receipt && (isAsked ? owned(receipt) : leftOfPayment(receipt, await selectTakenOf(tx, receipt)).returned);
    const isWhole = left?.eq(fact.amount) === true && receipt?.currency === fact.currency;
    if (isWhole && isAsked) return sayReturned(tx, taken, fact, now, 'return');
    const isFree = receipt?.returnStatus === 'none' || receipt?.returnStatus === 'stopped';
    if (isWhole && isFree && taken.invoiceId !== null) {
      const { invoiceId, id: receiptId } = taken;
      const isCredited = await dependencies.handlers.refundedOutside?.(tx, { merchantId, invoiceId, receiptId }, wall);
      if (isCredited) return sayReturned(tx, taken, fact, now, 'credit_note');
    }
  }
  await post(tx, adjustment(merchantId, `outside:${id}`, fact), now);
  return 'adjustment';
}

/** The money of a receipt whose return was asked for has left with a refund at the provider. */
async function sayReturned<As extends 'return' | 'credit_note'>(
  tx: Tx,
  { id }: TakenPayment,
  { reference }: ProviderRefundFact,
  now: Instant,
  bookedAs: As,
): Promise<As> {
  const receipt = await lockAnyReceipt(tx, id);
  if (!receipt) throw new Error(`Payment ${id} no longer exists.`);
  await markAsked(tx, receipt, { startedAt: now, lookUps: receipt.returnLookUps, at: now });
  await markReturned(tx, receipt, reference, now);
  await bookReturn(tx, receipt, now);
  return bookedAs;
}

const adjustment = (
  merchantId: string,
  key: string,
  { amount, currency }: Pick<ProviderRefundFact, 'amount' | 'currency'>,
): Posting => ({
  merchantId,
  key,
  reason: 'returned_outside',
  currency,
  entries: [
    { account: 'returned_outside', customerId: null, amount },
    { account: 'cash', customerId: null, amount: amount.negated() },
  ],
});
