import type { Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';

/**
 * The providers of card payments: the sandbox's provider, with its books in our database, and external ones
 * (`remote.ts`).
 */
export const PROVIDER_NAMES = ['sandbox', 'stripe'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** Why a card was declined, in words that may be shown. */
export const DECLINE_REASONS = [
  'card_declined',
  'insufficient_funds',
  'expired_card',
  'incorrect_cvc',
  'authentication_required',
  'processing_error',
] as const;
export type DeclineReason = (typeof DECLINE_REASONS)[number];

/** A card as the provider shows it: never its number. */
export interface Card {
  readonly brand: string;
  readonly last4: string;
  readonly expMonth: number;
  readonly expYear: number;
  /** The provider's name of the card. */
  readonly token: string;
}

export interface ChargeRequest {
  readonly merchantId: string;
  /** One key, one charge: asking again under the same key answers the same and moves nothing (I-40). */
  readonly key: string;
  readonly token: string;
  readonly amount: Decimal;
  readonly currency: string;
}

export type ChargeOutcome =
  | { readonly accepted: true; readonly reference: string }
  | { readonly accepted: false; readonly reference: string; readonly reason: DeclineReason };

export interface RefundRequest {
  readonly merchantId: string;
  /** One key, one refund. */
  readonly key: string;
  /** The provider's reference of the charge that goes back. */
  readonly chargeReference: string;
  readonly amount: Decimal;
  readonly currency: string;
}

/**
 * A payment provider that keeps its books in our database, so that it answers inside the transaction and a rollback
 * takes its effect along. One outside our database is a `RemoteProvider`.
 */
export interface PaymentProvider {
  readonly name: 'sandbox';
  charge(tx: Tx, request: ChargeRequest, now: Instant): Promise<ChargeOutcome>;
  /** Checks a card before it is stored, without taking money. */
  verify(tx: Tx, request: Omit<ChargeRequest, 'amount'>, now: Instant): Promise<ChargeOutcome>;
  /**
   * Gives a whole charge back. @throws where the provider refuses: nothing that a retry or a person could not see to.
   */
  refund(tx: Tx, request: RefundRequest, now: Instant): Promise<{ readonly reference: string }>;
}
