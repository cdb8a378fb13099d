import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Card, DeclineReason } from '../provider/provider.ts';
import {
  type CheckoutRequest,
  type CheckoutState,
  type NoticeHeaders,
  type ProviderAccount,
  ProviderAway,
  type ProviderDisputeFact,
  type ProviderFact,
  type ProviderKeys,
  type ProviderNotice,
  type ProviderRefundFact,
  ProviderRefused,
  type RemoteCharge,
  type RemoteChargeRequest,
  type RemoteProvider,
  type RemoteRefund,
  type RemoteRefundRequest,
} from '../provider/remote.ts';

/**
 * The fault of the next call of an operation. `lost before`: the call never reaches the provider. `lost after`: the
 * call has its effect, and its answer is lost. `refused`: the key was revoked. `rejected`: the provider will never do
 * this one thing.
 */
export type Fault = 'lost before' | 'lost after' | 'refused' | 'rejected';
type Operation =
  | 'openCheckout'
  | 'expireCheckout'
  | 'readCheckout'
  | 'charge'
  | 'findCharge'
  | 'listCharges'
  | 'refund'
  | 'findRefund'
  | 'resolve';

/** The account of a merchant; its notices are signed with the secret itself. */
export const fakeAccount = (merchantId: string): ProviderAccount => ({
  merchantId,
  externalId: 'acct_fake',
  secretKey: 'fake',
  webhookSecret: 'fake webhook secret',
});

interface Checkout {
  readonly reference: string;
  readonly request: CheckoutRequest;
  state: CheckoutState;
}

/** The results of stored cards, by their tokens; every other token is accepted. */
export const FAKE_TOKENS = { declined: 'fake_declined', pending: 'fake_pending', ok: 'fake_ok' } as const;

const CARD: Card = { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2031, token: FAKE_TOKENS.ok };

/**
 * A payment provider in memory with the promises of a real one: one key has one effect, and the outcome can be looked
 * up. Tests act as the customer and the bank by `pay`, `process`, `failLater`, `decideCharge`, `dispute`.
 */
export class FakeProvider implements RemoteProvider {
  readonly name = 'stripe';
  /** Each call that arrived, `operation key`. */
  readonly calls: string[] = [];
  /** Notices of all that happened, in this order. */
  readonly notices: ProviderNotice[] = [];
  /** A call waits here before its answer, so a test can act in between. */
  beforeAnswer: (operation: Operation) => Promise<void> = () => Promise.resolve();
  readonly #faults: { operation: Operation; fault: Fault }[] = [];
  readonly #checkouts = new Map<string, Checkout>();
  readonly #charges = new Map<string, { key: string; charge: RemoteCharge }>();
  readonly #refunds = new Map<string, ProviderRefundFact>();
  readonly #disputes = new Map<string, ProviderDisputeFact>();
  #count = 0;

  /** The next call of the operation fails; several are taken in order. */
  fault(operation: Operation, ...faults: Fault[]): void {
    this.#faults.push(...faults.map((fault) => ({ operation, fault })));
  }

  probe({ secretKey }: ProviderKeys) {
    return secretKey.startsWith('fake')
      ? Promise.resolve({ externalId: 'acct_fake' })
      : Promise.reject(new ProviderRefused('No such key.', 'account'));
  }

  openCheckout(account: ProviderAccount, request: CheckoutRequest) {
    return this.#call('openCheckout', request.key, () => {
      const known = [...this.#checkouts.values()].find((each) => each.request.key === request.key);
      const reference = known?.reference ?? this.#next('cs');
      if (!known) this.#checkouts.set(reference, { reference, request, state: { status: 'open' } });
      return {
        reference,
        url: `https://provider.example/${reference}`,
        expiresAt: request.expiresAt,
        customerReference: request.customer && `cus_${account.externalId}_${request.customer.id}`,
      };
    });
  }

  expireCheckout(_account: ProviderAccount, reference: string) {
    return this.#call('expireCheckout', reference, () => {
      const checkout = this.#checkout(reference);
      if (checkout.state.status === 'open') this.#move(checkout, { status: 'expired' });
      return checkout.state;
    });
  }

  readCheckout(_account: ProviderAccount, reference: string) {
    return this.#call('readCheckout', reference, () => this.#checkout(reference).state);
  }

  charge(_account: ProviderAccount, request: RemoteChargeRequest) {
    return this.#call('charge', request.key, () => {
      const known = this.#chargeOf(request.key);
      if (known) return known;
      const reference = this.#next('ch');
      const charge = firstAnswer(request, reference);
      this.#charges.set(reference, { key: request.key, charge });
      this.#notify('charge', reference);
      return charge;
    });
  }

  findCharge(_account: ProviderAccount, { key, invoiceId, isInDoubt = false }: RemoteChargeRequest) {
    const another = () =>
      [...this.#charges.values()].find(
        (known) => known.key.startsWith(`${invoiceId}:`) && known.charge.status !== 'declined',
      )?.charge;
    return this.#call(
      'findCharge',
      key,
      () => this.#chargeOf(key) ?? (isInDoubt ? another() : undefined) ?? ({ status: 'none' } as const),
    );
  }

  listCharges(_account: ProviderAccount, _since: Instant) {
    return this.#call('listCharges', '', () => [
      ...[...this.#charges].flatMap(([reference, { key, charge }]) =>
        charge.status === 'accepted'
          ? [{ reference, amount: charge.amount, currency: charge.currency, invoiceId: key.split(':')[0] ?? null }]
          : [],
      ),
      ...[...this.#checkouts.values()].flatMap(({ state, request: { invoiceId } }) =>
        state.status === 'paid'
          ? [{ reference: state.reference, amount: state.amount, currency: state.currency, invoiceId }]
          : [],
      ),
    ]);
  }

  refund(_account: ProviderAccount, request: RemoteRefundRequest) {
    return this.#call('refund', request.key, () => answerOf(this.#refundOf(request.key) ?? this.#newRefund(request)));
  }

  findRefund(_account: ProviderAccount, { key }: RemoteRefundRequest) {
    return this.#call('findRefund', key, () => {
      const known = this.#refundOf(key);
      return known ? answerOf(known) : ({ status: 'none' } as const);
    });
  }

  readNotice({ webhookSecret }: ProviderAccount, body: Buffer, headers: NoticeHeaders, _now: Instant) {
    if (webhookSecret === null || headers['fake-signature'] !== webhookSecret) return null;
    return JSON.parse(body.toString('utf8')) as ProviderNotice;
  }

  resolve(_account: ProviderAccount, { kind, objectReference }: ProviderNotice): Promise<readonly ProviderFact[]> {
    return this.#call('resolve', objectReference, () => this.#facts(kind, objectReference));
  }

  /**
   * The customer pays on the page. `taken`: another amount or currency than the requested one, and the later behaviour
   * of the card.
   */
  pay(reference: string, taken: { amount?: Decimal; currency?: string; token?: string } = {}): void {
    const checkout = this.#checkout(reference);
    const { mode, amount, currency, saveMethod } = checkout.request;
    if (checkout.state.status !== 'open' && checkout.state.status !== 'processing')
      throw new Error('The page is over.');
    const charge = { amount: taken.amount ?? amount, currency: taken.currency ?? currency };
    const card = { ...CARD, token: taken.token ?? CARD.token };
    const paid = { status: 'paid', ...charge, card, storedCard: saveMethod ? card : null } as const;
    this.#move(checkout, mode === 'setup' ? { status: 'stored', card } : { ...paid, reference: this.#next('ch') });
  }

  /** The customer confirms, and the bank takes its time: `pay` and `failLater` end that. */
  process(reference: string): void {
    this.#move(this.#checkout(reference), { status: 'processing' });
  }

  failLater(reference: string, reason: DeclineReason = 'card_declined'): void {
    this.#move(this.#checkout(reference), { status: 'failed', reason, reference: null });
  }

  /** The bank decides on a charge that is pending. */
  decideCharge(key: string, request: Pick<RemoteChargeRequest, 'amount' | 'currency'> | DeclineReason): void {
    const [reference, found] = [...this.#charges].find(([, each]) => each.key === key) ?? [];
    if (reference === undefined || !found) throw new Error(`No charge has the key ${key}.`);
    found.charge =
      typeof request === 'string'
        ? { status: 'declined', reference, reason: request }
        : { status: 'accepted', reference, amount: request.amount, currency: request.currency };
    this.#notify('charge', reference);
  }

  /** The bank decides on a refund that is pending. */
  decideRefund(reference: string, status: 'succeeded' | 'failed'): void {
    const refund = this.#refunds.get(reference);
    if (!refund) throw new Error(`There is no refund ${reference}.`);
    this.#refunds.set(reference, { ...refund, status });
    this.#notify('refund', reference);
  }

  /** Somebody refunds a charge at the provider's dashboard. */
  refundAtDashboard(refund: Omit<RemoteRefundRequest, 'key'>): string {
    return this.#newRefund({ ...refund, key: null }).reference;
  }

  /** The bank of the customer starts a dispute, or ends it. @returns its reference */
  dispute(dispute: Omit<ProviderDisputeFact, 'kind' | 'reference'>, reference = this.#next('dp')): string {
    this.#disputes.set(reference, { kind: 'dispute', reference, ...dispute });
    this.#notify('dispute', reference);
    return reference;
  }

  /** The keys of the charges that moved money, each once. */
  get acceptedKeys(): string[] {
    return [...this.#charges.values()].filter(({ charge }) => charge.status === 'accepted').map(({ key }) => key);
  }

  /** The refunds that were made. */
  get refunds(): ProviderRefundFact[] {
    return [...this.#refunds.values()];
  }

  async #call<T>(operation: Operation, key: string, work: () => T): Promise<T> {
    const place = this.#faults.findIndex((each) => each.operation === operation);
    const fault = place === -1 ? undefined : this.#faults.splice(place, 1)[0]?.fault;
    if (fault === 'lost before') throw new ProviderAway('The connection was lost.');
    if (fault === 'refused') throw new ProviderRefused('This key was revoked.', 'account');
    if (fault === 'rejected') throw new ProviderRefused('This cannot be done.');
    this.calls.push(`${operation} ${key}`);
    const answer = work();
    await this.beforeAnswer(operation);
    if (fault === 'lost after') throw new ProviderAway('The answer was lost.');
    return answer;
  }

  #facts(kind: string, reference: string): ProviderFact[] {
    const charge = this.#charges.get(reference);
    const refund = this.#refunds.get(reference);
    const dispute = this.#disputes.get(reference);
    if (kind === 'checkout') return [{ kind, reference, state: this.#checkout(reference).state }];
    if (kind === 'charge' && charge) return [{ kind, ...charge }];
    if (kind === 'refund' && refund) return [refund];
    return dispute ? [dispute] : [];
  }

  #newRefund(request: Omit<RemoteRefundRequest, 'key'> & { readonly key: string | null }): ProviderRefundFact {
    const refund = { kind: 'refund', ...request, reference: this.#next('re'), status: 'succeeded' } as const;
    this.#refunds.set(refund.reference, refund);
    this.#notify('refund', refund.reference);
    return refund;
  }

  #move(checkout: Checkout, state: CheckoutState): void {
    checkout.state = state;
    this.#notify('checkout', checkout.reference);
  }

  #notify(kind: string, objectReference: string): void {
    this.notices.push({ id: this.#next('evt'), kind, objectReference });
  }

  #checkout(reference: string): Checkout {
    const checkout = this.#checkouts.get(reference);
    if (!checkout) throw new ProviderRefused(`There is no page ${reference}.`);
    return checkout;
  }

  #chargeOf(key: string): RemoteCharge | undefined {
    return [...this.#charges.values()].find((each) => each.key === key)?.charge;
  }

  #refundOf(key: string): ProviderRefundFact | undefined {
    return [...this.#refunds.values()].find((each) => each.key === key);
  }

  #next(prefix: string): string {
    this.#count += 1;
    return `${prefix}_fake${this.#count}`;
  }
}

function firstAnswer({ token, amount, currency }: RemoteChargeRequest, reference: string): RemoteCharge {
  if (token === FAKE_TOKENS.declined) return { status: 'declined', reference, reason: 'card_declined' };
  if (token === FAKE_TOKENS.pending) return { status: 'pending', reference };
  return { status: 'accepted', reference, amount, currency };
}

const answerOf = ({ reference, status }: ProviderRefundFact): RemoteRefund =>
  status === 'failed' ? { status, reference, reason: 'The bank has refused.' } : { status, reference };
