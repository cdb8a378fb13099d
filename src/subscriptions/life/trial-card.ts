import { findPayer } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { merchantSettings } from '../../identity/index.ts';
import { ZERO } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import type { Result } from '../../kernel/result.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import {
  checkTakesCardsNow,
  openSession,
  openSessionOf,
  type PaymentHandlers,
  type PaymentSession,
  sessionUrl,
} from '../../payments/index.ts';
import { type Agreement, loadAgreement, paymentTermsOf } from '../billing/agreement.ts';
import { lockToActivate } from '../billing/usage-claims.ts';
import type { SubscriptionDependencies } from '../subscription/dependencies.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import { lockSubscription, lockSubscriptionNow } from '../subscription/subscriptions.sql.ts';
import { activate, startBilling } from './activate.ts';
import { activateBefore, hasMethod } from './trial.ts';
import { endUnactivated } from './upfront.ts';

/** Does the trial of a new subscription wait for a payment method (commercial.md §6)? */
export const lacksMethod = async (tx: Tx, subscription: SubscriptionRow, agreement: Agreement): Promise<boolean> =>
  subscription.trialEnd !== null &&
  agreement.at(subscription).version.trialRequiresPaymentMethod &&
  !(await hasMethod(tx, subscription));

/**
 * Opens the session in which who pays stores a card before a trial begins. Nothing is charged.
 * @returns NO_PAYMENT_PROVIDER where nobody takes cards
 */
export async function askForCard(tx: Tx, subscription: SubscriptionRow, now: Instant): Promise<Result<PaymentSession>> {
  const provider = await checkTakesCardsNow(tx, await merchantSettings(tx));
  if (!provider.ok) return provider;
  const { merchantId, id, customerId, currency, clockId } = subscription;
  if (currency === null) throw new Error(`Subscription ${id} is new and has no currency.`);
  const { redirectUrls, sessionExpiryMinutes } = paymentTermsOf(subscription).checkout;
  return openSession(
    tx,
    {
      mode: 'setup',
      entityType: 'subscription',
      ...{ merchantId, entityId: id, entityLabel: subscription.name, subscriptionId: id, currency, clockId },
      customerId: await findPayer(tx, customerId),
      provider: provider.value,
      expiresAt: now.add({ minutes: sessionExpiryMinutes }),
      successRedirectUrl: redirectUrls?.onSuccess ?? null,
      failureRedirectUrl: redirectUrls?.onFailure ?? null,
    },
    now,
  );
}

/** Is a session for the card of a subscription that waits for its trial? */
const isOurs = ({ mode, entityType }: PaymentSession): boolean => mode === 'setup' && entityType === 'subscription';

/**
 * Handles the sessions in which cards for trials are stored; all others are `upstream`'s. The subscription is active in
 * the transaction that stores its card, and has ended in the one that expires the session.
 * @param partsOf is called when a session moves, because subscriptions are bound after payments
 */
export const withTrialCards = (
  partsOf: () => Pick<SubscriptionDependencies, 'invoicing' | 'tellOfTrial'>,
  upstream: PaymentHandlers,
): PaymentHandlers => {
  const lock = async (tx: Tx, id: string, wait: boolean) => {
    const subscription = await (wait ? lockSubscription : lockSubscriptionNow)(tx, id);
    if (subscription?.status === 'pending_payment') await lockToActivate(tx, subscription, wait);
  };
  return {
    ...upstream,
    async cardStored(tx, session, now) {
      if (!isOurs(session)) return upstream.cardStored?.(tx, session, now);
      const subscription = await lockSubscription(tx, session.entityId);
      if (subscription?.status === 'pending_payment') await beginTrial(partsOf(), tx, subscription, now);
    },
    async expired(tx, sessions, now) {
      for (const { entityId } of sessions.filter(isOurs)) {
        const subscription = await lockSubscription(tx, entityId);
        const ending = { at: now, by: null, reason: 'payment_session_expired' };
        if (subscription?.status === 'pending_payment') await endUnactivated(tx, subscription, ending, now);
      }
      return upstream.expired(
        tx,
        sessions.filter((session) => !isOurs(session)),
        now,
      );
    },
    async lock(tx, entity) {
      if (entity.entityType !== 'subscription') return upstream.lock?.(tx, entity);
      return lock(tx, entity.entityId, true);
    },
    async lockNow(tx, entities) {
      for (const { entityType, entityId } of entities)
        if (entityType === 'subscription') await lock(tx, entityId, false);
      return upstream.lockNow?.(
        tx,
        entities.filter(({ entityType }) => entityType !== 'subscription'),
      );
    },
  };
};

/** The trial runs from `startedAt`, whenever its card came; after its end billing starts at once. */
async function beginTrial(
  dependencies: Pick<SubscriptionDependencies, 'invoicing' | 'tellOfTrial'>,
  tx: Tx,
  subscription: SubscriptionRow,
  now: Instant,
): Promise<void> {
  const agreement = await loadAgreement(tx, subscription);
  if (isAfter(subscription.billingStartsAt, now)) await activateBefore(dependencies, tx, subscription, agreement, now);
  else await startBilling(dependencies, tx, await activate(tx, subscription, agreement, now), now);
}

/** The payment of a subscription that waits for a card. */
export async function cardPaymentOf(
  tx: Tx,
  publicUrl: string,
  { id, currency }: Pick<SubscriptionRow, 'id' | 'currency'>,
) {
  const session = await openSessionOf(tx, id);
  const amount = formatMoney(ZERO, currency ?? session?.currency ?? '');
  return {
    status: 'pending' as const,
    amount,
    breakdown: { upfrontCharges: amount, walletCharge: amount },
    checkoutUrl: session ? sessionUrl(publicUrl, session.id) : null,
    paymentSessionId: session?.id ?? null,
  };
}
