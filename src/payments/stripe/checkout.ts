import type { Stripe } from 'stripe';
import { type CheckoutRequest, type CheckoutState, type OpenedCheckout, ProviderAway } from '../provider/remote.ts';
import { fromStripeUnits, toStripeUnits } from './amounts.ts';
import { idOf, reasonOf, shownCard, storedCard } from './cards.ts';
import { calling, callingPlainly, isInvalidRequest, isMissing, refusedOr } from './client.ts';
import { MARKS } from './metadata.ts';

const MOST_TITLE = 250;

/** Opens a page of Stripe. A customer whom the account does not have, or no longer, is made first. */
export async function openCheckout(stripe: Stripe, request: CheckoutRequest): Promise<OpenedCheckout> {
  const { customer } = request;
  const reference = customer === null ? null : (customer.reference ?? (await makeCustomer(stripe, customer)));
  try {
    return await openPage(stripe, request, reference);
  } catch (error) {
    if (customer === null || !isMissing(error, 'customer')) throw refusedOr(error);
  }
  const renewed = await makeCustomer(stripe, customer, reference);
  return callingPlainly(() => openPage(stripe, request, renewed));
}

/**
 * Makes a customer, one for each of ours. What may change between two tries (name and address) is written by a second
 * call: under one key Stripe takes the same parameters only.
 * @param after the reference of the one before, which the account does not have any more
 */
async function makeCustomer(
  stripe: Stripe,
  { id, email, name }: NonNullable<CheckoutRequest['customer']>,
  after: string | null = null,
): Promise<string> {
  const idempotencyKey = after === null ? `customer:${id}` : `customer:${id}:${after}`;
  const made = await callingPlainly(() =>
    stripe.customers.create({ metadata: { [MARKS.customer]: id } }, { idempotencyKey }),
  );
  const known = { ...(email !== null && { email }), ...(name !== null && { name }) };
  if (Object.keys(known).length > 0) await callingPlainly(() => stripe.customers.update(made.id, known));
  return made.id;
}

/** `expires_at` is left out: it would differ between two tries under one key. We end the page ourselves. */
async function openPage(stripe: Stripe, request: CheckoutRequest, customer: string | null): Promise<OpenedCheckout> {
  const { key, sessionId, invoiceId, returnUrl, cancelUrl } = request;
  const metadata = { [MARKS.session]: sessionId, ...(invoiceId !== null && { [MARKS.invoice]: invoiceId }) };
  const common = {
    client_reference_id: sessionId,
    metadata,
    success_url: returnUrl,
    cancel_url: cancelUrl,
    ...(customer !== null && { customer }),
  };
  const params = request.mode === 'setup' ? setupParams(request, metadata) : paymentParams(request, metadata);
  const idempotencyKey = customer === null ? key : `${key}:${customer}`;
  const session = await calling(() => stripe.checkout.sessions.create({ ...common, ...params }, { idempotencyKey }));
  if (session.url === null) throw new ProviderAway(`The page ${session.id} of Stripe has no address.`);
  return {
    reference: session.id,
    url: session.url,
    expiresAt: Temporal.Instant.fromEpochMilliseconds(session.expires_at * 1_000),
    customerReference: customer,
  };
}

/** A card is what we can store, so a page that stores takes cards only. Else the account's own settings decide. */
const CARDS_ONLY = { payment_method_types: ['card' as const] };

function paymentParams(
  { title, amount, currency, lines, saveMethod }: CheckoutRequest,
  metadata: Record<string, string>,
): Stripe.Checkout.SessionCreateParams {
  const description = lines.map((line) => line.description).join(', ');
  return {
    mode: 'payment',
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: currency.toLowerCase(),
          unit_amount: toStripeUnits(amount, currency),
          product_data: {
            name: title.slice(0, MOST_TITLE),
            ...(description !== '' && { description: description.slice(0, MOST_TITLE) }),
          },
        },
      },
    ],
    payment_intent_data: { metadata, ...(saveMethod && { setup_future_usage: 'off_session' as const }) },
    ...(saveMethod && CARDS_ONLY),
  };
}

const setupParams = (
  { currency }: CheckoutRequest,
  metadata: Record<string, string>,
): Stripe.Checkout.SessionCreateParams => ({
  mode: 'setup',
  currency: currency.toLowerCase(),
  setup_intent_data: { metadata },
  ...CARDS_ONLY,
});

const WITH_PAYMENT = ['payment_intent.payment_method', 'setup_intent.payment_method'];

/** Reads a page with its payment. */
export async function readCheckout(stripe: Stripe, reference: string): Promise<CheckoutState> {
  return stateOf(await callingPlainly(() => stripe.checkout.sessions.retrieve(reference, { expand: WITH_PAYMENT })));
}

/** Ends a page; one that is paid or over stays as it is. */
export async function expireCheckout(stripe: Stripe, reference: string): Promise<CheckoutState> {
  try {
    await calling(() => stripe.checkout.sessions.expire(reference));
  } catch (error) {
    if (!isInvalidRequest(error)) throw error; // over already, or paid: its state says so
  }
  return readCheckout(stripe, reference);
}

/** The status of a page, read with its payment. */
export function stateOf(session: Stripe.Checkout.Session): CheckoutState {
  if (session.status === 'open') return { status: 'open' };
  if (session.status === 'expired') return { status: 'expired' };
  if (session.mode === 'setup') {
    const card = storedCard(methodOf(session.setup_intent as Stripe.SetupIntent | null));
    if (!card) throw new ProviderAway(`The page ${session.id} of Stripe has stored no card.`);
    return { status: 'stored', card };
  }
  return paymentState(session.payment_intent as Stripe.PaymentIntent | null);
}

/** Of a page that the customer has completed. Its payment may be under way for days. */
function paymentState(intent: Stripe.PaymentIntent | null): CheckoutState {
  if (intent?.status === 'succeeded') {
    const method = methodOf(intent);
    return {
      status: 'paid',
      reference: intent.id,
      amount: fromStripeUnits(intent.amount_received, intent.currency),
      currency: intent.currency.toUpperCase(),
      card: shownCard(method),
      storedCard: intent.setup_future_usage === null ? null : storedCard(method),
    };
  }
  if (intent && (intent.status === 'requires_payment_method' || intent.status === 'canceled'))
    return { status: 'failed', reason: reasonOf(intent.last_payment_error), reference: idOf(intent) };
  return { status: 'processing' };
}

const methodOf = (intent: { payment_method: string | Stripe.PaymentMethod | null } | null) =>
  (intent?.payment_method ?? null) as Stripe.PaymentMethod | null;
