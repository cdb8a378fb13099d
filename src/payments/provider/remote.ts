import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Card, DeclineReason } from './provider.ts';

/**
 * The port to payment providers outside our database; `src/payments/calls/README.md` explains the calls. No call to a
 * remote provider stands inside a transaction. Amounts are in major units, and currencies are ISO 4217 codes in capital
 * letters, whatever the provider's own form is.
 *
 * Every call ends within 10 s. It answers, or throws one of two errors:
 * - `ProviderAway`: nobody knows whether the call had an effect (timeout, lost answer, 5xx, 429). It is safe to repeat
 *   the call under the same key.
 * - `ProviderRefused`: the provider will never do this (revoked key, unknown object, wrong configuration). The call
 *   had no effect.
 * A declined card is neither: it is an answer.
 */
export interface RemoteProvider {
  readonly name: RemoteProviderName;
  /** Tries the keys of an account. @returns the account's id at the provider */
  probe(account: ProviderKeys): Promise<{ readonly externalId: string }>;
  /** Opens the provider's own payment page. The same key again answers the same page. */
  openCheckout(account: ProviderAccount, request: CheckoutRequest): Promise<OpenedCheckout>;
  /** Ends a payment page. One that is paid or over already is an answer, too. @returns its state after that */
  expireCheckout(account: ProviderAccount, reference: string): Promise<CheckoutState>;
  readCheckout(account: ProviderAccount, reference: string): Promise<CheckoutState>;
  /** Charges a stored card without its owner. The same key again answers the same and moves nothing. */
  charge(account: ProviderAccount, request: RemoteChargeRequest): Promise<RemoteCharge>;
  /** Looks up the outcome of a charge by the request that was made. `none`: the provider has no such charge. */
  findCharge(
    account: ProviderAccount,
    request: RemoteChargeRequest,
  ): Promise<RemoteCharge | { readonly status: 'none' }>;
  /** Everything that was taken for us from a time on, by charges and by pages. */
  listCharges(account: ProviderAccount, since: Instant): Promise<readonly TakenCharge[]>;
  /** Refunds a charge, wholly or in part. The same key again answers the same and moves nothing. */
  refund(account: ProviderAccount, request: RemoteRefundRequest): Promise<RemoteRefund>;
  findRefund(
    account: ProviderAccount,
    request: RemoteRefundRequest,
  ): Promise<RemoteRefund | { readonly status: 'none' }>;
  /** Checks the signature over the raw body, which is at most 300 s old. @returns null where it is forged */
  readNotice(account: ProviderAccount, body: Buffer, headers: NoticeHeaders, now: Instant): ProviderNotice | null;
  /** Reads the subject of a notice from the provider. An unused kind is an empty list. */
  resolve(account: ProviderAccount, notice: ProviderNotice): Promise<readonly ProviderFact[]>;
}

/** A charge of the provider that was accepted. */
export interface TakenCharge {
  readonly reference: string;
  readonly amount: Decimal;
  readonly currency: string;
  /** Null: it was taken for no invoice. */
  readonly invoiceId: string | null;
}

export type RemoteProviderName = 'stripe';

/** The keys of an account at the provider. */
export interface ProviderKeys {
  readonly secretKey: string;
  /** Null: the merchant has given none, so that every notice is forged. */
  readonly webhookSecret: string | null;
}

/** A merchant's account at a provider, as the merchant has connected it. */
export interface ProviderAccount extends ProviderKeys {
  readonly merchantId: string;
  /** The account's id at the provider. */
  readonly externalId: string;
}

export interface CheckoutRequest {
  /** `<session>:<attempt>`. */
  readonly key: string;
  /** `setup` stores a card and moves no money; its `amount` is 0. */
  readonly mode: 'payment' | 'setup';
  readonly sessionId: string;
  readonly invoiceId: string | null;
  /** Null: the payer is unknown (a payment link). */
  readonly customer: CheckoutCustomer | null;
  readonly amount: Decimal;
  readonly currency: string;
  /** The subject in a few words: `Invoice INV-000001`. */
  readonly title: string;
  /** For the eyes of the customer; they may sum to another figure, and `amount` is what counts. */
  readonly lines: readonly { readonly description: string; readonly amount: Decimal }[];
  /** Keep the card for later charges. Only with a customer. */
  readonly saveMethod: boolean;
  /** The provider may end the page earlier or later. We end it ourselves at this time (`expireCheckout`). */
  readonly expiresAt: Instant;
  readonly returnUrl: string;
  readonly cancelUrl: string;
}

export interface CheckoutCustomer {
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
  /** The customer's id in this account at the provider; null where it has none yet. */
  readonly reference: string | null;
}

export interface OpenedCheckout {
  readonly reference: string;
  /** The address of the payment page. */
  readonly url: string;
  readonly expiresAt: Instant;
  /** The customer's id at the provider, to be kept; null where there is no customer. */
  readonly customerReference: string | null;
}

/** The status of a payment page. */
export type CheckoutState =
  | { readonly status: 'open' }
  /** The customer has confirmed, and the bank has not answered yet. */
  | { readonly status: 'processing' }
  | ({ readonly status: 'paid' } & TakenMoney)
  /** Mode `setup`: the card is stored. */
  | { readonly status: 'stored'; readonly card: Card }
  /** The bank has refused at last. The page is over. */
  | { readonly status: 'failed'; readonly reason: DeclineReason; readonly reference: string | null }
  | { readonly status: 'expired' };

/** Money that the provider has taken for us. */
export interface TakenMoney {
  /** Of the charge, as `refund` takes it. One charge has one reference. */
  readonly reference: string;
  readonly amount: Decimal;
  readonly currency: string;
  /** As it may be shown; null where the provider does not tell. */
  readonly card: Pick<Card, 'brand' | 'last4'> | null;
  /** The same card for later charges; null where it was not kept. */
  readonly storedCard: Card | null;
}

export interface RemoteChargeRequest {
  /** `<invoice>:<attempt>`. */
  readonly key: string;
  /** As the provider gave it (`Card.token`). */
  readonly token: string;
  readonly amount: Decimal;
  readonly currency: string;
  readonly invoiceId: string;
  /**
   * The database was restored a while ago: a look-up also finds a charge of the invoice under another key that was
   * accepted or is on its way (decision 0250).
   */
  readonly isInDoubt?: boolean;
}

export type RemoteCharge =
  | { readonly status: 'accepted'; readonly reference: string; readonly amount: Decimal; readonly currency: string }
  | { readonly status: 'declined'; readonly reference: string | null; readonly reason: DeclineReason }
  /** The bank answers later: by a notice, or when it is looked up. */
  | { readonly status: 'pending'; readonly reference: string };

export interface RemoteRefundRequest {
  /** `return:<receipt>`. */
  readonly key: string;
  readonly chargeReference: string;
  readonly amount: Decimal;
  readonly currency: string;
}

export type RemoteRefund =
  | { readonly status: 'pending' | 'succeeded'; readonly reference: string }
  | { readonly status: 'failed'; readonly reference: string; readonly reason: string };

export type NoticeHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The content of a provider's webhook: a hint, and no fact. It is a hint where to look, and no fact. */
export interface ProviderNotice {
  /** The provider's id of the event: each is stored once. */
  readonly id: string;
  /** The provider's name of the event. */
  readonly kind: string;
  /** The provider's id of the object that it is about; `resolve` reads it again. */
  readonly objectReference: string;
}

/**
 * The present facts, read from the provider itself. It is only about what carries our metadata, or about a charge that
 * does: whatever else the merchant does with this account is no fact.
 */
export type ProviderFact =
  | { readonly kind: 'checkout'; readonly reference: string; readonly state: CheckoutState }
  /** `key`: ours, from the metadata. */
  | { readonly kind: 'charge'; readonly key: string; readonly charge: RemoteCharge }
  | ProviderRefundFact
  | ProviderDisputeFact;

export interface ProviderRefundFact {
  readonly kind: 'refund';
  readonly reference: string;
  readonly chargeReference: string;
  /** Ours; null: it was made at the provider's dashboard. */
  readonly key: string | null;
  readonly amount: Decimal;
  readonly currency: string;
  readonly status: 'pending' | 'succeeded' | 'failed';
}

export interface ProviderDisputeFact {
  readonly kind: 'dispute';
  readonly reference: string;
  readonly chargeReference: string;
  readonly amount: Decimal;
  readonly currency: string;
  /** `inquiry`: a question, and no money is held back. `open`: the provider holds the money back. */
  readonly status: 'inquiry' | 'open' | 'won' | 'lost';
  /** The provider's word: `fraudulent`, `product_not_received`. */
  readonly reason: string;
}

/** The outcome of a call is unknown. It is looked up, or repeated under the same key. */
export class ProviderAway extends Error {
  override readonly name = 'ProviderAway';
}

/** The provider will never do this: the account or the request is wrong. Nothing has happened. */
export class ProviderRefused extends Error {
  override readonly name = 'ProviderRefused';
  /** `account`: no call of this account can work (a revoked key). `request`: this one cannot. */
  readonly about: 'account' | 'request';
  constructor(message: string, about: 'account' | 'request' = 'request') {
    super(message);
    this.about = about;
  }
}
