import type { Tx } from '../../db/index.ts';
import {
  cancelInvoice,
  decideAction,
  lockInvoice,
  type PurposeHandler,
  upfrontInvoiceOf,
} from '../../invoicing/index.ts';
import { ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { expireSessions } from '../../payments/index.ts';
import { loadAgreement } from '../billing/agreement.ts';
import { lockToActivate } from '../billing/usage-claims.ts';
import { updateGivenBack } from '../subscription/coupons.sql.ts';
import type { SubscriptionDependencies } from '../subscription/dependencies.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import { lockSubscription, lockSubscriptionNow, updateSubscription } from '../subscription/subscriptions.sql.ts';
import { publishSubscriptionEvent } from '../subscription/webhooks.ts';
import { activate, openBilling } from './activate.ts';
import type { Ending } from './end.ts';

/** The type of the purpose of the invoice that a subscription waits for. */
export const UPFRONT = 'subscription_upfront';

/**
 * The fate of a subscription that waits for its upfront invoice (domain.md §3): it is active in the transaction that
 * marks the invoice PAID, and has ended in the one that cancels it.
 */
export const upfrontPayments: PurposeHandler = {
  async lock(tx, { purposeId }, wait) {
    const subscription = await (wait ? lockSubscription : lockSubscriptionNow)(tx, purposeId);
    if (subscription?.status === 'pending_payment') await lockToActivate(tx, subscription, wait);
  },
  async paid(tx, invoice, now) {
    const subscription = await awaiting(tx, invoice.purposeId);
    if (!subscription) return {};
    const agreement = await loadAgreement(tx, subscription);
    await openBilling(tx, await activate(tx, subscription, agreement, now), agreement, now);
    return {};
  },
  reissued: () => Promise.resolve(), // it is found by its purpose
  async cancelled(tx, invoice, why, now) {
    const subscription = await awaiting(tx, invoice.purposeId);
    const reason = why === 'sessionExpired' ? 'payment_session_expired' : 'upfront_invoice_cancelled';
    if (subscription) await endUnactivated(tx, subscription, { at: now, by: null, reason }, now);
  },
};

/** The subscription, locked, while it waits: one that ended has its invoice cancelled by who ended it. */
async function awaiting(tx: Tx, id: string | null): Promise<SubscriptionRow | null> {
  const subscription = id === null ? undefined : await lockSubscription(tx, id);
  if (!subscription) throw new Error(`Subscription ${id} is not waiting for an invoice.`);
  return subscription.status === 'pending_payment' ? subscription : null;
}

/** It was never active, so nothing is billed or lost. */
export async function endUnactivated(tx: Tx, subscription: SubscriptionRow, { at, by, reason }: Ending, now: Instant) {
  const ended = await updateSubscription(
    tx,
    subscription,
    { status: 'terminated', terminatedAt: at, terminatedBy: by, terminationReason: reason, nextActionAt: null },
    now,
  );
  await updateGivenBack(tx, ended.id, now);
  await publishSubscriptionEvent(tx, ended, 'subscription.terminated.v0', now);
  return ended;
}

/**
 * Ends a subscription that waits for its payment: its session expires, its invoice is cancelled (domain.md §3, Ends).
 * @returns INVALID_TRANSITION where money has come or is on its way: what refuses the cancellation refuses the end
 */
export async function endPending(
  dependencies: Pick<SubscriptionDependencies, 'invoicing'>,
  tx: Tx,
  subscription: SubscriptionRow,
  ending: Ending,
  now: Instant,
): Promise<Result<SubscriptionRow>> {
  const { id } = subscription;
  const found = await upfrontInvoiceOf(tx, UPFRONT, id);
  const invoice = found && (await lockInvoice(tx, found.id));
  if (invoice) {
    const allowed = decideAction(invoice, 'cancel');
    if (!allowed.ok) return allowed;
  }
  const ended = await endUnactivated(tx, subscription, ending, now);
  if (invoice) await cancelInvoice(dependencies.invoicing, tx, invoice, ending.reason, now, { sessions: 'expire' });
  else await expireSessions(tx, id, now); // its trial waited for a card
  return ok(ended);
}
