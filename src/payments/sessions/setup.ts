import { findCustomer } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import {
  type EnvironmentName,
  findOrganization,
  type MerchantSettings,
  merchantSettings,
} from '../../identity/index.ts';
import { isConnected } from '../../integrations/index.ts';
import { type FieldError, fail, invalid, notFound, ok, type Result } from '../../kernel/result.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import type { ProviderName } from '../provider/provider.ts';
import { type RedirectRules, redirectProblems } from '../records/redirect-urls.ts';
import type { PaymentSession } from '../records/session.ts';
import { DEFAULT_SESSION_MINUTES, openSession } from './sessions.ts';

const FALLBACK_CURRENCY = 'USD';

/**
 * The provider for the cards of a merchant's customers.
 * @returns NO_PAYMENT_PROVIDER without one, so that no session may be opened
 */
export const checkTakesCards = (settings: Pick<MerchantSettings, 'paymentProvider'>): Result<ProviderName> =>
  settings.paymentProvider === 'sandbox' || settings.paymentProvider === 'stripe'
    ? ok(settings.paymentProvider)
    : fail('NO_PAYMENT_PROVIDER', { paymentProvider: settings.paymentProvider });

/**
 * The same for a page now: an external provider must be connected, and its account must work.
 * @returns PROVIDER_NOT_CONNECTED
 */
export async function checkTakesCardsNow(
  tx: Tx,
  settings: Pick<MerchantSettings, 'paymentProvider'>,
): Promise<Result<ProviderName>> {
  const takesCards = checkTakesCards(settings);
  if (!takesCards.ok || takesCards.value === 'sandbox') return takesCards;
  const { value: provider } = takesCards;
  return (await isConnected(tx, provider)) ? takesCards : fail('PROVIDER_NOT_CONNECTED', { provider });
}

export interface SetupRequest {
  readonly successRedirectUrl?: string | null;
  readonly failureRedirectUrl?: string | null;
  readonly expiresAt?: Instant;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The options of our own pages, which no request from outside has. */
export interface OwnSetup {
  /** An address of ours to which the customer comes back. */
  readonly returnTo?: string;
  /** The card is the one that is charged first from then on. */
  readonly becomesDefault?: boolean;
}

/**
 * Opens a session in which a customer stores a card (api.md, paymentMethods). It has no money; a currency all the same.
 */
export async function openSetup(
  tx: Tx,
  environment: EnvironmentName,
  { merchantId, customerId }: { merchantId: string; customerId: string },
  { returnTo, becomesDefault = false, ...request }: SetupRequest & OwnSetup,
  now: Instant,
): Promise<Result<PaymentSession>> {
  const customer = await findCustomer(tx, customerId, { keep: true });
  if (!customer) return notFound('customer');
  const settings = await merchantSettings(tx);
  const errors = setupProblems(request, { environment, redirectHosts: settings.redirectHosts }, now);
  if (errors.length > 0) return invalid(errors);
  const takesCards = await checkTakesCardsNow(tx, settings);
  if (!takesCards.ok) return takesCards;
  const merchant = await findOrganization(tx, merchantId);
  return openSession(
    tx,
    {
      merchantId,
      mode: 'setup',
      entityType: 'customer',
      entityId: customerId,
      currency: customer.currency ?? merchant?.defaultCurrency ?? FALLBACK_CURRENCY,
      provider: takesCards.value,
      expiresAt: request.expiresAt ?? now.add({ minutes: DEFAULT_SESSION_MINUTES }),
      successRedirectUrl: returnTo ?? request.successRedirectUrl ?? null,
      failureRedirectUrl: returnTo ?? request.failureRedirectUrl ?? null,
      becomesDefault,
      metadata: request.metadata ?? {},
    },
    now,
  );
}

function setupProblems(
  { successRedirectUrl, failureRedirectUrl, expiresAt }: SetupRequest,
  rules: RedirectRules,
  now: Instant,
): FieldError[] {
  const errors = redirectProblems({ successRedirectUrl, failureRedirectUrl }, rules);
  if (expiresAt && !isAfter(expiresAt, now)) errors.push({ field: 'expiresAt', message: 'must be in the future' });
  return errors;
}
