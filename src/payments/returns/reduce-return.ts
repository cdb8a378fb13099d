import type { Tx } from '../../db/index.ts';
import { next } from '../../kernel/state-table.ts';
import type { Instant } from '../../kernel/time.ts';
import { lockAnyReceipt, type PaymentReceipt, selectTakenOf, updateLess } from '../records/receipts.sql.ts';
import { bookLess } from '../records/return-booking.ts';
import { returnStates } from '../records/return-states.ts';
import { leftOfPayment } from './left-of-payment.ts';

/**
 * More of a payment was taken while it waits to be sent back: only what is left of it goes back, and where nothing is
 * left, its return stops. Money that may be on its way stays as it was asked for.
 * @returns the payment, locked, and whether somebody else takes it or has taken it
 */
export async function reduceReturn(
  tx: Tx,
  id: string,
  now: Instant,
): Promise<{ receipt: PaymentReceipt; isTaken: boolean } | null> {
  const receipt = await lockAnyReceipt(tx, id);
  if (!receipt) return null;
  const taken = await selectTakenOf(tx, receipt);
  const isWaiting = next(returnStates, receipt.returnStatus, 'stop').ok && receipt.returnStartedAt === null;
  const left = leftOfPayment(receipt, taken);
  const more = {
    disputed: left.disputed.minus(receipt.lessDisputed),
    outside: left.outside.minus(receipt.lessOutside),
  };
  const isLess = more.disputed.plus(more.outside).gt(0);
  if (!isWaiting || !isLess) return { receipt, isTaken: taken.isDisputed || isLess };
  await bookLess(tx, receipt, more, now);
  return { receipt: await updateLess(tx, receipt, left), isTaken: taken.isDisputed };
}
