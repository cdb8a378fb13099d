import type { Tx } from '../../db/index.ts';
import { invalidField, type Result } from '../../kernel/result.ts';
import { type Instant, instantOf, isAfter } from '../../kernel/time.ts';
import { type PaymentReceipt, returnedByHand } from '../../payments/index.ts';
import { lockWithNow } from '../issue/actions.ts';
import type { PaymentReturnCreateBody } from './payment-schemas.ts';

/**
 * POST …/markReturned: the merchant has given recorded money back after a refund (domain.md §4, Refund: `manual`).
 * Once.
 * @returns 404; INVALID_TRANSITION where it does not wait for the merchant
 */
export async function returnPayment(
  tx: Tx,
  { merchantId, invoiceId, paymentId }: { merchantId: string; invoiceId: string; paymentId: string },
  body: PaymentReturnCreateBody,
  wall: Instant,
): Promise<Result<PaymentReceipt>> {
  const locked = await lockWithNow(tx, invoiceId, wall);
  if (!locked.ok) return locked;
  const { now } = locked.value;
  const at = body.returnedAt === undefined ? now : instantOf(body.returnedAt);
  if (isAfter(at, now)) return invalidField('returnedAt', 'must not be in the future');
  return returnedByHand(tx, { merchantId, invoiceId, id: paymentId }, { at, reference: body.reference ?? null }, now);
}
