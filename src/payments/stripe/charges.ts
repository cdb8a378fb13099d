import type { Stripe } from 'stripe';
import type { Instant } from '../../kernel/time.ts';
import {
  ProviderAway,
  type RemoteCharge,
  type RemoteChargeRequest,
  type RemoteRefund,
  type RemoteRefundRequest,
  type TakenCharge,
} from '../provider/remote.ts';
import { fromStripeUnits, toStripeUnits } from './amounts.ts';
import { reasonOf, splitToken } from './cards.ts';
import { calling, callingPlainly, isCardError, isMissing, refusedOr } from './client.ts';
import { isOurs, MARKS } from './metadata.ts';

/** Charges a stored card without its owner. */
export async function charge(stripe: Stripe, request: RemoteChargeRequest): Promise<RemoteCharge> {
  const { key, token, amount, currency, invoiceId } = request;
  const { customer, paymentMethod } = splitToken(token);
  const params = {
    amount: toStripeUnits(amount, currency),
    currency: currency.toLowerCase(),
    customer,
    payment_method: paymentMethod,
    payment_method_types: ['card'],
    confirm: true,
    off_session: true,
    metadata: { [MARKS.key]: key, [MARKS.invoice]: invoiceId },
  };
  try {
    return chargeOf(await calling(() => stripe.paymentIntents.create(params, { idempotencyKey: key })));
  } catch (error) {
    if (isCardError(error))
      return { status: 'declined', reference: error.payment_intent?.id ?? null, reason: reasonOf(error) };
    // The owner of the account removed the card or the customer. For the invoice that is a card that cannot pay.
    if (isMissing(error, 'payment_method', 'customer'))
      return { status: 'declined', reference: null, reason: 'card_declined' };
    throw refusedOr(error);
  }
}

/** The status of a charge. */
export function chargeOf(intent: Stripe.PaymentIntent): RemoteCharge {
  if (intent.status === 'succeeded')
    return {
      status: 'accepted',
      reference: intent.id,
      amount: fromStripeUnits(intent.amount_received, intent.currency),
      currency: intent.currency.toUpperCase(),
    };
  if (intent.status === 'processing') return { status: 'pending', reference: intent.id };
  if (intent.status === 'requires_action')
    return { status: 'declined', reference: intent.id, reason: 'authentication_required' };
  return { status: 'declined', reference: intent.id, reason: reasonOf(intent.last_payment_error) };
}

const PAGE = 100;
const MOST_READ = 1_000;

/**
 * Looks for a charge among those of its customer, newest first. Stripe's search would be simpler, but it finds what
 * happened a moment later only, and a charge that it does not find yet is not one that never was. In doubt, a charge of
 * the invoice that was not declined is found under any key.
 */
export async function findCharge(
  stripe: Stripe,
  { key, token, invoiceId, isInDoubt = false }: RemoteChargeRequest,
): Promise<RemoteCharge | { readonly status: 'none' }> {
  const { customer } = splitToken(token);
  try {
    return await calling(async () => {
      let read = 0;
      for await (const intent of stripe.paymentIntents.list({ customer, limit: PAGE })) {
        if (intent.metadata[MARKS.key] === key) return chargeOf(intent);
        const isOfInvoice = isInDoubt && intent.metadata[MARKS.invoice] === invoiceId;
        if (isOfInvoice && ['succeeded', 'processing'].includes(intent.status)) return chargeOf(intent);
        read += 1;
        if (read === MOST_READ) throw new ProviderAway(`Stripe has more than ${MOST_READ} charges of ${customer}.`);
      }
      return { status: 'none' as const };
    });
  } catch (error) {
    if (isMissing(error, 'customer')) return { status: 'none' };
    throw refusedOr(error);
  }
}

/** What was taken for us from a time on. Stripe reads a page at a time, newest first. */
export async function listCharges(stripe: Stripe, since: Instant): Promise<TakenCharge[]> {
  const created = { gte: Math.floor(since.epochMilliseconds / 1000) };
  return callingPlainly(async () => {
    const taken: TakenCharge[] = [];
    for await (const intent of stripe.paymentIntents.list({ created, limit: PAGE })) {
      if (intent.status !== 'succeeded' || !isOurs(intent.metadata)) continue;
      taken.push({
        reference: intent.id,
        amount: fromStripeUnits(intent.amount_received, intent.currency),
        currency: intent.currency.toUpperCase(),
        invoiceId: intent.metadata[MARKS.invoice] ?? null,
      });
    }
    return taken;
  });
}

/** Refunds a charge, wholly or in part. */
export async function refund(stripe: Stripe, request: RemoteRefundRequest): Promise<RemoteRefund> {
  const { key, chargeReference, amount, currency } = request;
  const params = {
    payment_intent: chargeReference,
    amount: toStripeUnits(amount, currency),
    metadata: { [MARKS.key]: key },
  };
  return refundOf(await callingPlainly(() => stripe.refunds.create(params, { idempotencyKey: key })));
}

/** Looks for a refund among those of its charge. */
export async function findRefund(
  stripe: Stripe,
  { key, chargeReference }: RemoteRefundRequest,
): Promise<RemoteRefund | { readonly status: 'none' }> {
  return callingPlainly(async () => {
    for await (const each of stripe.refunds.list({ payment_intent: chargeReference, limit: PAGE }))
      if (each.metadata?.[MARKS.key] === key) return refundOf(each);
    return { status: 'none' as const };
  });
}

function refundOf(made: Stripe.Refund): RemoteRefund {
  const status = refundStatus(made);
  return status === 'failed'
    ? { status, reference: made.id, reason: made.failure_reason ?? 'unknown' }
    : { status, reference: made.id };
}

/** `requires_action` waits for the customer; `canceled` gave nothing back. */
export const refundStatus = ({ status }: Stripe.Refund): 'pending' | 'succeeded' | 'failed' => {
  if (status === 'succeeded') return 'succeeded';
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending';
};
