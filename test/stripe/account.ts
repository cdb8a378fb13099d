import { createHmac } from 'node:crypto';
import { Stripe } from 'stripe';
import { type BankRefusal, CARDS, type CardName } from './cards.ts';
import { randomFrom } from './faults.ts';
import { type Form, formOf, listOf, mapOf, textOf } from './form.ts';
import {
  newAccount,
  newCharge,
  newCustomer,
  newDispute,
  newIntent,
  newPaymentMethod,
  newRefund,
  newSession,
  newSetupIntent,
  stripeId,
} from './objects.ts';
import { invalidRequest, StripeProblem } from './problem.ts';
import { TaxBooks } from './tax.ts';

/** The delivery of an account's notices. */
export interface Delivery {
  /** Each so often. */
  readonly times?: number;
  /** In an order by this seed; absent: as they happened. */
  readonly shuffledBy?: number;
  /** Only these kinds. */
  readonly only?: (kind: string) => boolean;
  /** Signed with another secret. */
  readonly forged?: boolean;
  /** Signed so many seconds ago. */
  readonly secondsOld?: number;
}

/** Sends one notice. @returns the status of the answer */
export type Send = (body: string, headers: Record<string, string>) => Promise<number>;

interface AccountOptions {
  readonly livemode: boolean;
  readonly serverUrl: string;
  /** Seconds since 1970. */
  readonly now: () => number;
}

/** Amounts that Stripe takes, in minor units. */
const LEAST = 50;
const MOST = 99_999_999;

/**
 * The books of one account: the records that its API reads and changes, and the acts of customers, banks and the owner.
 */
export class StripeAccount {
  readonly id = stripeId('acct');
  secretKey: string;
  webhookSecret = `whsec_${stripeId('secret')}`;
  readonly object = newAccount(this.id);
  readonly customers = new Map<string, Stripe.Customer>();
  readonly methods = new Map<string, Stripe.PaymentMethod>();
  readonly intents = new Map<string, Stripe.PaymentIntent>();
  readonly setups = new Map<string, Stripe.SetupIntent>();
  readonly charges = new Map<string, Stripe.Charge>();
  readonly refunds = new Map<string, Stripe.Refund>();
  readonly disputes = new Map<string, Stripe.Dispute>();
  readonly sessions = new Map<string, Stripe.Checkout.Session>();
  readonly events: Stripe.Event[] = [];
  /** Its handling of tax. */
  readonly tax: TaxBooks;
  /** The cards behind the payment methods. */
  readonly #cards = new Map<string, CardName>();
  readonly #savedBySession = new Map<string, Form>();
  readonly #options: AccountOptions;
  #delivered = 0;
  /** Answers to refunds: the bank's answer to the next one. */
  nextRefundStatus: 'succeeded' | 'pending' | 'failed' = 'succeeded';

  constructor(options: AccountOptions) {
    this.#options = options;
    this.tax = new TaxBooks(options);
    this.secretKey = `sk_${options.livemode ? 'live' : 'test'}_${stripeId('key')}`;
  }

  // The acts of the API

  createCustomer(params: Form): Stripe.Customer {
    const customer = newCustomer(this.#common(), {
      email: textOf(params, 'email'),
      name: textOf(params, 'name'),
      description: textOf(params, 'description'),
      metadata: mapOf(params, 'metadata'),
    });
    this.customers.set(customer.id, customer);
    return customer;
  }

  updateCustomer(id: string, params: Form): Stripe.Customer {
    const customer = this.#customer(id);
    const [email, name] = [textOf(params, 'email'), textOf(params, 'name')];
    return Object.assign(customer, email !== null && { email }, name !== null && { name });
  }

  /** The owner deletes a customer at the dashboard, with the cards. */
  deleteCustomer(id: string): void {
    this.customers.delete(id);
    for (const method of this.methods.values()) if (method.customer === id) this.methods.delete(method.id);
  }

  createSession(params: Form): Stripe.Checkout.Session {
    const mode = textOf(params, 'mode');
    if (mode !== 'payment' && mode !== 'setup') throw invalidRequest('Invalid mode.', 'parameter_missing', 'mode');
    const now = Math.floor(this.#options.now());
    const expires = Number(textOf(params, 'expires_at') ?? now + 86_400);
    if (expires < now + 1_800 || expires > now + 86_400)
      throw invalidRequest(
        'The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation.',
        undefined,
        'expires_at',
      );
    const customer = textOf(params, 'customer');
    if (customer !== null) this.#customer(customer);
    const reference = textOf(params, 'client_reference_id');
    if (reference !== null && reference.length > 200)
      throw invalidRequest('Invalid string: must be at most 200 characters.', undefined, 'client_reference_id');
    if (textOf(params, 'success_url') === null)
      throw invalidRequest('You must provide a success_url.', 'parameter_missing', 'success_url');
    const { amount, currency } = mode === 'payment' ? priced(params) : { amount: null, currency: null };
    const session = newSession(this.#common(), this.#options.serverUrl, {
      mode,
      amount_total: amount,
      currency: currency ?? textOf(params, 'currency'),
      customer,
      client_reference_id: reference,
      metadata: mapOf(params, 'metadata'),
      expires_at: expires,
      success_url: textOf(params, 'success_url'),
      cancel_url: textOf(params, 'cancel_url'),
      payment_method_types: ((given) => (given.length > 0 ? given : ['card', 'link']))(
        listOf(params, 'payment_method_types').map(String),
      ),
    });
    this.sessions.set(session.id, session);
    this.#savedBySession.set(session.id, params);
    return session;
  }

  expireSession(id: string): Stripe.Checkout.Session {
    const session = this.#session(id);
    if (session.status !== 'open')
      throw invalidRequest(
        'Only Checkout Sessions with a status in ["open"] can be expired. ' +
          `This Checkout Session has a status of ${session.status}.`,
      );
    return this.#emit('checkout.session.expired', Object.assign(session, { status: 'expired', url: null }));
  }

  /** Off-session, confirmed at once. */
  createIntent(params: Form): Stripe.PaymentIntent {
    if (textOf(params, 'confirm') !== 'true' || textOf(params, 'off_session') !== 'true')
      throw invalidRequest('This server takes only payment intents that are confirmed off-session.');
    const amount = Number(textOf(params, 'amount'));
    const currency = textOf(params, 'currency') ?? '';
    checkAmount(amount, currency);
    const customer = textOf(params, 'customer');
    if (customer === null)
      throw invalidRequest('Off-session payments need a customer.', 'parameter_missing', 'customer');
    this.#customer(customer);
    const method = this.methods.get(textOf(params, 'payment_method') ?? '');
    if (!method)
      throw invalidRequest(
        `No such PaymentMethod: '${textOf(params, 'payment_method')}'`,
        'resource_missing',
        'payment_method',
      );
    if (method.customer !== customer)
      throw invalidRequest('The customer does not have a payment method with this ID.', undefined, 'payment_method');
    const intent = newIntent(this.#common(), {
      amount,
      currency,
      customer,
      description: textOf(params, 'description'),
      metadata: mapOf(params, 'metadata'),
      status: 'requires_confirmation',
      setup_future_usage: null,
      payment_method_types: listOf(params, 'payment_method_types').map(String),
    });
    this.intents.set(intent.id, intent);
    this.#emit('payment_intent.created', intent);
    const refusal = CARDS[this.#cards.get(method.id) as CardName].absent;
    if (!this.#bank(intent, method, refusal)) throw this.#cardError(intent, method, refusal as BankRefusal);
    return intent;
  }

  createRefund(params: Form): Stripe.Refund {
    const intent = this.#intent(textOf(params, 'payment_intent') ?? '');
    const given = textOf(params, 'amount');
    return this.#refund(intent, given === null ? null : Number(given), mapOf(params, 'metadata'), null);
  }

  // The acts of others

  /** The customer enters a card on the page. A declined card leaves the page open. */
  payPage(id: string, card: CardName = 'visa'): { accepted: boolean } {
    const session = this.#openSession(id);
    const method = this.#enter(session, card);
    if (session.mode === 'setup') return this.#store(session, method, card);
    const intent = this.#intentOf(session);
    const accepted = this.#bank(intent, method, CARDS[card].present);
    if (!accepted) return { accepted };
    Object.assign(session, { status: 'complete', payment_status: 'paid', url: null, customer_details: payer });
    this.#emit('checkout.session.completed', session);
    return { accepted };
  }

  /** The customer pays with a method that needs days (`completePage`). */
  payPageLater(id: string): void {
    const session = this.#openSession(id);
    const method = this.#enter(session, 'visa');
    const intent = this.#intentOf(session);
    Object.assign(method, { type: 'sepa_debit', sepa_debit: { last4: '3000', bank_code: '37040044' } });
    method.card = undefined as unknown as Stripe.PaymentMethod.Card;
    Object.assign(intent, { status: 'processing', payment_method: method.id, processing: null });
    this.#addCharge(intent, method, 'pending', null);
    Object.assign(session, { status: 'complete', payment_status: 'unpaid', url: null, customer_details: payer });
    this.#emit('charge.pending', this.#charge(intent.latest_charge as string));
    this.#emit('payment_intent.processing', intent);
    this.#emit('checkout.session.completed', session);
  }

  /** The bank answers. */
  completePage(id: string, accepted: boolean): void {
    const session = this.#session(id);
    const intent = this.#intent(session.payment_intent as string);
    const charge = this.#charge(intent.latest_charge as string);
    if (accepted) {
      this.#take(intent, charge);
      Object.assign(session, { payment_status: 'paid' });
      this.#emit('checkout.session.async_payment_succeeded', session);
      return;
    }
    const message = 'The bank refused the debit.';
    Object.assign(charge, { status: 'failed', failure_code: 'payment_intent_payment_attempt_failed' });
    Object.assign(intent, {
      status: 'requires_payment_method',
      payment_method: null,
      last_payment_error: { type: 'card_error', code: 'payment_intent_payment_attempt_failed', message },
    });
    this.#emit('charge.failed', charge);
    this.#emit('payment_intent.payment_failed', intent);
    this.#emit('checkout.session.async_payment_failed', session);
  }

  /** The page's time is over. */
  runOut(id: string): void {
    this.expireSession(id);
  }

  /** The owner refunds a payment at the dashboard; null: its whole remainder. */
  refundAtDashboard(intentId: string, amount: number | null = null): Stripe.Refund {
    return this.#refund(this.#intent(intentId), amount, {}, 'requested_by_customer');
  }

  /** A pending refund ends. */
  finishRefund(id: string, status: 'succeeded' | 'failed'): void {
    const refund = this.refunds.get(id);
    if (!refund) throw new Error('There is no such refund.');
    Object.assign(refund, { status, ...(status === 'failed' && { failure_reason: 'lost_or_stolen_card' }) });
    const charge = this.#charge(refund.charge as string);
    if (status === 'failed') this.#give(charge, -refund.amount);
    this.#emit(status === 'failed' ? 'refund.failed' : 'refund.updated', refund);
  }

  /** The cardholder disputes a payment. */
  dispute(intentId: string, amount?: number): Stripe.Dispute {
    const charge = this.#charge(this.#intent(intentId).latest_charge as string);
    const dispute = newDispute(this.#common(), charge, amount ?? charge.amount);
    this.disputes.set(dispute.id, dispute);
    charge.disputed = true;
    this.#emit('charge.dispute.created', dispute);
    this.#emit('charge.dispute.funds_withdrawn', dispute);
    return dispute;
  }

  /** The card network decides. */
  closeDispute(id: string, status: 'won' | 'lost'): void {
    const dispute = this.disputes.get(id);
    if (!dispute) throw new Error('There is no such dispute.');
    dispute.status = status;
    if (status === 'won') this.#emit('charge.dispute.funds_reinstated', dispute);
    this.#emit('charge.dispute.closed', dispute);
  }

  /** The owner makes a new key; the old one is revoked. */
  rollKey(): void {
    this.secretKey = `${this.secretKey.slice(0, 8)}${stripeId('key')}`;
  }

  /** An event of a kind that our adapter does not know. */
  emitOther(type: string): void {
    this.#emit(type, this.object as unknown as Stripe.PaymentIntent);
  }

  /** Sends the notices since the last delivery. @returns the statuses of the answers */
  async deliver(send: Send, how: Delivery = {}): Promise<number[]> {
    const fresh = this.events.slice(this.#delivered);
    this.#delivered = this.events.length;
    return this.deliverAgain(send, fresh, how);
  }

  /** Sends notices of these events, also repeated ones. */
  async deliverAgain(send: Send, events: readonly Stripe.Event[], how: Delivery = {}): Promise<number[]> {
    const { times = 1, only = () => true, shuffledBy } = how;
    const chosen = events.filter(({ type }) => only(type)).flatMap((event) => Array<Stripe.Event>(times).fill(event));
    const random = shuffledBy === undefined ? null : randomFrom(shuffledBy);
    const ordered = random === null ? chosen : shuffle(chosen, random);
    const statuses: number[] = [];
    for (const event of ordered) {
      const body = JSON.stringify(event, null, 2);
      statuses.push(
        await send(body, { 'content-type': 'application/json', 'stripe-signature': this.signature(body, how) }),
      );
    }
    return statuses;
  }

  /** The header that proves that Stripe wrote this body. */
  signature(body: string, { forged = false, secondsOld = 0 }: Delivery = {}): string {
    const timestamp = Math.floor(this.#options.now()) - secondsOld;
    const secret = forged ? 'whsec_of_somebody_else' : this.webhookSecret;
    return `t=${timestamp},v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
  }

  /** An object of any kind. */
  find(id: string): object | undefined {
    const books = [
      this.customers,
      this.methods,
      this.intents,
      this.setups,
      this.charges,
      this.refunds,
      this.disputes,
      this.sessions,
    ];
    for (const book of books) {
      const found = book.get(id);
      if (found) return found;
    }
    return this.events.find((event) => event.id === id);
  }

  #common() {
    return { livemode: this.#options.livemode, created: Math.floor(this.#options.now()) };
  }

  #customer(id: string): Stripe.Customer {
    return found(this.customers.get(id), 'customer', id, 'customer');
  }
  #intent(id: string): Stripe.PaymentIntent {
    return found(this.intents.get(id), 'payment_intent', id, 'payment_intent');
  }
  #charge(id: string): Stripe.Charge {
    return found(this.charges.get(id), 'charge', id, 'charge');
  }
  #session(id: string): Stripe.Checkout.Session {
    return found(this.sessions.get(id), 'checkout.session', id, 'session');
  }

  #openSession(id: string): Stripe.Checkout.Session {
    const session = this.#session(id);
    if (session.status !== 'open') throw new Error(`The page of ${id} is ${session.status}.`);
    return session;
  }

  #enter(session: Stripe.Checkout.Session, card: CardName): Stripe.PaymentMethod {
    const isKept = session.mode === 'setup' || this.#futureUse(session) !== null;
    const method = newPaymentMethod(this.#common(), card, isKept ? (session.customer as string | null) : null);
    this.methods.set(method.id, method);
    this.#cards.set(method.id, card);
    return method;
  }

  #futureUse(session: Stripe.Checkout.Session): string | null {
    const params = this.#savedBySession.get(session.id) as Form;
    return textOf(formOf(params, 'payment_intent_data'), 'setup_future_usage');
  }

  #store(session: Stripe.Checkout.Session, method: Stripe.PaymentMethod, card: CardName): { accepted: boolean } {
    if (CARDS[card].present !== null) return { accepted: false };
    const params = this.#savedBySession.get(session.id) as Form;
    const setup = newSetupIntent(this.#common(), {
      customer: session.customer as string | null,
      metadata: mapOf(formOf(params, 'setup_intent_data'), 'metadata'),
      payment_method: method.id,
    });
    this.setups.set(setup.id, setup);
    this.#emit('setup_intent.succeeded', setup);
    Object.assign(session, { status: 'complete', setup_intent: setup.id, url: null, customer_details: payer });
    this.#emit('checkout.session.completed', session);
    return { accepted: true };
  }

  /** A page has no payment intent before the customer confirms it. */
  #intentOf(session: Stripe.Checkout.Session): Stripe.PaymentIntent {
    if (session.payment_intent !== null) return this.#intent(session.payment_intent as string);
    const params = formOf(this.#savedBySession.get(session.id) as Form, 'payment_intent_data');
    const intent = newIntent(this.#common(), {
      amount: session.amount_total as number,
      currency: session.currency as string,
      customer: session.customer as string | null,
      description: textOf(params, 'description'),
      metadata: mapOf(params, 'metadata'),
      status: 'requires_payment_method',
      setup_future_usage: this.#futureUse(session),
      payment_method_types: session.payment_method_types,
    });
    this.intents.set(intent.id, intent);
    session.payment_intent = intent.id;
    this.#emit('payment_intent.created', intent);
    return intent;
  }

  /** The bank answers at once. */
  #bank(intent: Stripe.PaymentIntent, method: Stripe.PaymentMethod, refusal: BankRefusal | null): boolean {
    const charge = this.#addCharge(intent, method, refusal === null ? 'succeeded' : 'failed', refusal);
    if (refusal === null) {
      intent.payment_method = method.id;
      this.#take(intent, charge);
      return true;
    }
    Object.assign(intent, {
      status: 'requires_payment_method',
      last_payment_error: { type: 'card_error', ...wordsOf(refusal), charge: charge.id, payment_method: method },
    });
    this.#emit('payment_intent.payment_failed', intent);
    return false;
  }

  #addCharge(
    intent: Stripe.PaymentIntent,
    method: Stripe.PaymentMethod,
    status: 'succeeded' | 'pending' | 'failed',
    refusal: BankRefusal | null,
  ): Stripe.Charge {
    const charge = newCharge(this.#common(), intent, method, status, refusal);
    this.charges.set(charge.id, charge);
    intent.latest_charge = charge.id;
    return charge;
  }

  #take(intent: Stripe.PaymentIntent, charge: Stripe.Charge): void {
    Object.assign(charge, { status: 'succeeded', paid: true, captured: true, amount_captured: charge.amount });
    Object.assign(intent, { status: 'succeeded', amount_received: intent.amount, last_payment_error: null });
    this.#emit('charge.succeeded', charge);
    this.#emit('payment_intent.succeeded', intent);
    this.#emit('charge.updated', charge);
  }

  #refund(
    intent: Stripe.PaymentIntent,
    amount: number | null,
    metadata: Record<string, string>,
    reason: Stripe.Refund.Reason | null,
  ): Stripe.Refund {
    const charge = intent.latest_charge === null ? undefined : this.#charge(intent.latest_charge as string);
    if (charge?.status !== 'succeeded')
      throw invalidRequest('This PaymentIntent does not have a successful charge to refund.');
    const left = charge.amount - charge.amount_refunded;
    if (left === 0) throw invalidRequest('Charge has already been refunded.', 'charge_already_refunded');
    const wanted = amount ?? left;
    if (!(wanted > 0 && wanted <= left))
      throw invalidRequest(`Refund amount (${wanted}) is greater than unrefunded amount on charge (${left}).`);
    const status = this.nextRefundStatus;
    this.nextRefundStatus = 'succeeded';
    const refund = newRefund(this.#common().created, charge, { amount: wanted, metadata, status, reason });
    this.refunds.set(refund.id, refund);
    this.#emit('refund.created', refund);
    if (status === 'failed') refund.failure_reason = 'expired_or_canceled_card';
    else {
      this.#give(charge, wanted);
      this.#emit('charge.refunded', charge);
    }
    return refund;
  }

  #give(charge: Stripe.Charge, amount: number): void {
    charge.amount_refunded += amount;
    charge.refunded = charge.amount_refunded === charge.amount;
  }

  #cardError(intent: Stripe.PaymentIntent, method: Stripe.PaymentMethod, refusal: BankRefusal): StripeProblem {
    return new StripeProblem(402, {
      type: 'card_error',
      ...wordsOf(refusal),
      charge: intent.latest_charge,
      doc_url: `https://docs.stripe.com/error-codes/${refusal.code.replaceAll('_', '-')}`,
      payment_intent: structuredClone(intent),
      payment_method: method,
    });
  }

  #emit<Thing extends object>(type: string, thing: Thing): Thing {
    const { created, livemode } = this.#common();
    this.events.push({
      id: stripeId('evt'),
      object: 'event',
      api_version: API_VERSION,
      created,
      data: { object: structuredClone(thing) },
      livemode,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    } as unknown as Stripe.Event);
    return thing;
  }
}

export const API_VERSION = Stripe.API_VERSION;

const payer = {
  address: null,
  email: 'payer@example.com',
  name: 'Payer',
  phone: null,
  tax_exempt: 'none',
  tax_ids: [],
};

const wordsOf = ({ code, declineCode, message }: BankRefusal) => ({ code, decline_code: declineCode, message });

function found<Thing>(thing: Thing | undefined, kind: string, id: string, param: string): Thing {
  if (thing === undefined) throw invalidRequest(`No such ${kind}: '${id}'`, 'resource_missing', param);
  return thing;
}

/** The sum of a page's lines. */
function priced(params: Form): { amount: number; currency: string } {
  const items = listOf(params, 'line_items') as Form[];
  if (items.length === 0)
    throw invalidRequest('You must provide line_items in payment mode.', 'parameter_missing', 'line_items');
  const prices = items.map((item) => {
    const data = formOf(item, 'price_data');
    if (textOf(formOf(data, 'product_data'), 'name') === null)
      throw invalidRequest(
        'You must provide a name.',
        'parameter_missing',
        'line_items[0][price_data][product_data][name]',
      );
    return {
      currency: textOf(data, 'currency') ?? '',
      amount: Number(textOf(data, 'unit_amount')) * Number(textOf(item, 'quantity') ?? Number.NaN),
    };
  });
  const currency = prices[0]?.currency ?? '';
  const amount = prices.reduce((total, price) => total + price.amount, 0);
  checkAmount(amount, currency);
  return { amount, currency };
}

const HUNDREDS = ['isk', 'ugx'];
const TENS = ['bhd', 'jod', 'kwd', 'omr', 'tnd'];

/** @throws for an amount that Stripe does not take in this currency */
function checkAmount(amount: number, currency: string): void {
  if (!/^[a-z]{3}$/.test(currency)) throw invalidRequest(`Invalid currency: ${currency}`, undefined, 'currency');
  if (!Number.isInteger(amount))
    throw invalidRequest(`Invalid integer: ${amount}`, 'parameter_invalid_integer', 'amount');
  if (amount < LEAST) throw invalidRequest('Amount must be at least $0.50 usd', 'amount_too_small', 'amount');
  if (amount > MOST) throw invalidRequest('Amount must be no more than $999,999.99', 'amount_too_large', 'amount');
  if (HUNDREDS.includes(currency) && amount % 100 !== 0)
    throw invalidRequest(`Amounts in ${currency} must be divisible by 100.`, undefined, 'amount');
  if (TENS.includes(currency) && amount % 10 !== 0)
    throw invalidRequest(`Amounts in ${currency} must be divisible by 10.`, undefined, 'amount');
}

function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  const left = [...items];
  return items.map(() => left.splice(Math.floor(random() * left.length), 1)[0] as Item);
}
