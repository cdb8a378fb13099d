import type { Stripe } from 'stripe';
import type { Instant } from '../../kernel/time.ts';
import type {
  NoticeHeaders,
  ProviderAccount,
  ProviderDisputeFact,
  ProviderFact,
  ProviderNotice,
  ProviderRefundFact,
} from '../provider/remote.ts';
import { fromStripeUnits } from './amounts.ts';
import { idOf } from './cards.ts';
import { chargeOf, refundStatus } from './charges.ts';
import { readCheckout } from './checkout.ts';
import { callingPlainly, sdk } from './client.ts';
import { isOurs, marksOf } from './metadata.ts';

const TOLERANCE_SECONDS = 300;

/** Checks the signature of a notice over its raw body. */
export function readNotice(
  { webhookSecret }: Pick<ProviderAccount, 'webhookSecret'>,
  body: Buffer,
  headers: NoticeHeaders,
  now: Instant,
): ProviderNotice | null {
  const signature = headers['stripe-signature'];
  if (webhookSecret === null || typeof signature !== 'string') return null;
  try {
    const { webhooks } = sdk();
    return noticeOf(
      webhooks.constructEvent(body, signature, webhookSecret, TOLERANCE_SECONDS, undefined, now.epochMilliseconds),
    );
  } catch {
    return null; // forged, too old, or no JSON
  }
}

function noticeOf({ id, type, data }: Stripe.Event): ProviderNotice | null {
  const { id: objectReference } = data.object as { id?: string };
  return typeof id === 'string' && typeof type === 'string' && typeof objectReference === 'string'
    ? { id, kind: type, objectReference }
    : null;
}

type Resolve = (stripe: Stripe, reference: string) => Promise<readonly ProviderFact[]>;

/** The object to read for each kind of event. All other kinds are of no use here. */
const RESOLVERS: Readonly<Record<string, Resolve>> = {
  'checkout.session.completed': checkoutFacts,
  'checkout.session.async_payment_succeeded': checkoutFacts,
  'checkout.session.async_payment_failed': checkoutFacts,
  'checkout.session.expired': checkoutFacts,
  'payment_intent.succeeded': paymentFacts,
  'payment_intent.payment_failed': paymentFacts,
  'payment_intent.processing': paymentFacts,
  'payment_intent.canceled': paymentFacts,
  'setup_intent.succeeded': setupFacts,
  'charge.refunded': chargeRefundFacts,
  'refund.created': refundFacts,
  'refund.updated': refundFacts,
  'refund.failed': refundFacts,
  'charge.dispute.created': disputeFacts,
  'charge.dispute.updated': disputeFacts,
  'charge.dispute.closed': disputeFacts,
  'charge.dispute.funds_withdrawn': disputeFacts,
  'charge.dispute.funds_reinstated': disputeFacts,
};

/** The kinds of events that a webhook endpoint at Stripe should send. */
export const EVENT_KINDS: readonly string[] = Object.keys(RESOLVERS);

/** The present facts at Stripe for the object of a notice. Objects of other programs are no facts of ours. */
export const resolve = async (stripe: Stripe, { kind, objectReference }: ProviderNotice) =>
  Object.hasOwn(RESOLVERS, kind) ? ((await RESOLVERS[kind]?.(stripe, objectReference)) ?? []) : [];

async function checkoutFacts(stripe: Stripe, reference: string): Promise<ProviderFact[]> {
  const session = await callingPlainly(() => stripe.checkout.sessions.retrieve(reference));
  if (!isOurs(session.metadata)) return [];
  return [{ kind: 'checkout', reference, state: await readCheckout(stripe, reference) }];
}

async function paymentFacts(stripe: Stripe, reference: string): Promise<ProviderFact[]> {
  const intent = await callingPlainly(() => stripe.paymentIntents.retrieve(reference));
  const { key, sessionId } = marksOf(intent.metadata);
  if (key !== null) return [{ kind: 'charge', key, charge: chargeOf(intent) }];
  if (sessionId === null) return [];
  const { data } = await callingPlainly(() => stripe.checkout.sessions.list({ payment_intent: reference }));
  return (await Promise.all(data.map(({ id }) => checkoutFacts(stripe, id)))).flat();
}

const MOST_SESSIONS = 100;

/** A page cannot be asked for by its setup intent, so it is looked for among the customer's. */
async function setupFacts(stripe: Stripe, reference: string): Promise<ProviderFact[]> {
  const intent = await callingPlainly(() => stripe.setupIntents.retrieve(reference));
  const customer = idOf(intent.customer);
  if (!isOurs(intent.metadata) || customer === null) return [];
  const { data } = await callingPlainly(() => stripe.checkout.sessions.list({ customer, limit: MOST_SESSIONS }));
  const own = data.filter((session) => idOf(session.setup_intent) === reference);
  return (await Promise.all(own.map(({ id }) => checkoutFacts(stripe, id)))).flat();
}

async function chargeRefundFacts(stripe: Stripe, reference: string): Promise<ProviderFact[]> {
  const { data } = await callingPlainly(() =>
    stripe.refunds.list({ charge: reference, limit: 100, expand: ['data.payment_intent'] }),
  );
  return data.flatMap(refundFact);
}

async function refundFacts(stripe: Stripe, reference: string): Promise<ProviderFact[]> {
  return refundFact(await callingPlainly(() => stripe.refunds.retrieve(reference, { expand: ['payment_intent'] })));
}

function refundFact(refund: Stripe.Refund): ProviderRefundFact[] {
  const intent = refund.payment_intent as Stripe.PaymentIntent | null;
  if (!intent || !isOurs(intent.metadata)) return [];
  return [
    {
      kind: 'refund',
      reference: refund.id,
      chargeReference: intent.id,
      key: marksOf(refund.metadata).key,
      amount: fromStripeUnits(refund.amount, refund.currency),
      currency: refund.currency.toUpperCase(),
      status: refundStatus(refund),
    },
  ];
}

async function disputeFacts(stripe: Stripe, reference: string): Promise<ProviderFact[]> {
  const dispute = await callingPlainly(() => stripe.disputes.retrieve(reference, { expand: ['payment_intent'] }));
  const intent = dispute.payment_intent as Stripe.PaymentIntent | null;
  if (!intent || !isOurs(intent.metadata)) return [];
  return [
    {
      kind: 'dispute',
      reference,
      chargeReference: intent.id,
      amount: fromStripeUnits(dispute.amount, dispute.currency),
      currency: dispute.currency.toUpperCase(),
      status: disputeStatus(dispute),
      reason: dispute.reason,
    },
  ];
}

/** An inquiry (`warning_…`) that is closed has cost nothing, nor has a dispute that was prevented. */
function disputeStatus({ status }: Stripe.Dispute): ProviderDisputeFact['status'] {
  if (status === 'lost') return 'lost';
  if (status === 'won' || status === 'warning_closed' || status === 'prevented') return 'won';
  return status.startsWith('warning_') ? 'inquiry' : 'open';
}
