import type { Stripe } from 'stripe';
import type { Card, DeclineReason } from '../provider/provider.ts';
import { ProviderRefused } from '../provider/remote.ts';

/** A stored card is charged by its customer and its payment method, so the token names both: `cus_…/pm_…`. */
const tokenOf = (customer: string, paymentMethod: string): string => `${customer}/${paymentMethod}`;

/** @throws ProviderRefused for a token that Stripe's adapter never gave out, such as a card of the sandbox */
export function splitToken(token: string): { customer: string; paymentMethod: string } {
  const [customer = '', paymentMethod = '', ...more] = token.split('/');
  if (!customer.startsWith('cus_') || paymentMethod === '' || more.length > 0)
    throw new ProviderRefused('This card is not a card of Stripe.');
  return { customer, paymentMethod };
}

/** The id of something that may have been expanded. */
export const idOf = (thing: string | { readonly id: string } | null | undefined): string | null =>
  typeof thing === 'string' ? thing : (thing?.id ?? null);

/** The visible part of a card; null for another method of payment. */
export function shownCard(method: Stripe.PaymentMethod | null): Pick<Card, 'brand' | 'last4'> | null {
  return method?.card ? { brand: method.card.brand, last4: method.card.last4 } : null;
}

/** A card for later charges; null where it was not kept. */
export function storedCard(method: Stripe.PaymentMethod | null): Card | null {
  const customer = idOf(method?.customer);
  if (!method?.card || customer === null) return null;
  const { brand, last4, exp_month: expMonth, exp_year: expYear } = method.card;
  return { brand, last4, expMonth, expYear, token: tokenOf(customer, method.id) };
}

/** Stripe's codes in our words. An unknown code is a plain decline. */
const REASONS: Readonly<Record<string, DeclineReason>> = {
  insufficient_funds: 'insufficient_funds',
  withdrawal_count_limit_exceeded: 'insufficient_funds',
  card_velocity_exceeded: 'insufficient_funds',
  expired_card: 'expired_card',
  invalid_expiry_month: 'expired_card',
  invalid_expiry_year: 'expired_card',
  incorrect_cvc: 'incorrect_cvc',
  invalid_cvc: 'incorrect_cvc',
  authentication_required: 'authentication_required',
  payment_intent_authentication_failure: 'authentication_required',
  setup_intent_authentication_failure: 'authentication_required',
  processing_error: 'processing_error',
  issuer_not_available: 'processing_error',
  reenter_transaction: 'processing_error',
  try_again_later: 'processing_error',
};

/** Why a card was declined. The bank's own word (`decline_code`) says more than Stripe's (`code`). */
export const reasonOf = (
  error: { readonly code?: string | undefined; readonly decline_code?: string | undefined } | null,
): DeclineReason => REASONS[error?.decline_code ?? ''] ?? REASONS[error?.code ?? ''] ?? 'card_declined';
