import type { Tx } from '../../db/index.ts';
import { endEntitlements, planEndOfEntitlements } from '../../entitlements/index.ts';
import {
  alignPeriods,
  billLateUsage,
  type CreditMode,
  creditCarriedLines,
  giveCredits,
  lateUsageDueAt,
  lockInvoicesIn,
  redoDrafts,
  updateAutoApprove,
  wakeCommitments,
} from '../../invoicing/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { termsUnder } from '../billing/agreement.ts';
import { lockToBill, markAsEnded } from '../billing/usage-claims.ts';
import { markScheduledCancelled } from '../subscription/changes.sql.ts';
import type { SubscriptionDependencies } from '../subscription/dependencies.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import { updateSubscription } from '../subscription/subscriptions.sql.ts';
import { afterTrialHeld } from '../subscription/trials.ts';
import { publishSubscriptionEvent } from '../subscription/webhooks.ts';
import type { HeldSubscription } from './lock.ts';
import { nextActionOf } from './reminders.ts';

/** The author of an end, its time and its reason. */
export interface Ending {
  readonly at: Instant;
  readonly by: string | null;
  readonly reason: string | null;
  /** The target of credits for unused time; the next invoice by default. */
  readonly credit?: CreditMode;
}

/**
 * Ends a subscription: its open periods end with it and their usage is billed to there; a period that had not begun is
 * taken back, nothing of it was ever billed (domain.md §3, Ends). An end in the past also cuts what is in its grace,
 * whose usage is not read yet; what has been calculated stands.
 */
export async function endSubscription(
  dependencies: Pick<SubscriptionDependencies, 'invoicing' | 'source'>,
  tx: Tx,
  { subscription, merchant, taxation, agreement, now }: HeldSubscription,
  ending: Ending,
): Promise<SubscriptionRow> {
  await lockToBill(tx, subscription, ending.at, now);
  const ended = await updateSubscription(
    tx,
    subscription,
    {
      status: 'terminated',
      terminatedAt: ending.at,
      terminatedBy: ending.by,
      terminationReason: ending.reason,
      endCredit: ending.credit ?? 'invoice',
      ...afterTrialHeld(subscription, ending.at, false), // a pause in a trial lasts until the end: billing never starts
      nextActionAt: lateUsageDueAt(ending.at, merchant.settings.lateUsageDays),
    },
    now,
  );
  await markScheduledCancelled(tx, ended.id);
  const terms = termsUnder(agreement, ended);
  await alignPeriods(dependencies.invoicing, tx, [{ terms, at: ending.at }], now);
  await markAsEnded(tx, ended, now);
  const unissued = await lockInvoicesIn(tx, [ended.id], ['CLOSING', 'CALCULATING', 'DRAFT']);
  await redoDrafts(dependencies.invoicing, tx, { terms, invoices: unissued }, now);
  const closing = unissued.filter(({ status, periodEnd: end }) => status === 'CLOSING' && end.equals(ending.at));
  const target = closing.find(({ billingCadence: cadence }) => cadence === terms.planCadence) ?? closing[0] ?? null;
  await giveCredits(dependencies.invoicing, tx, [{ terms, after: ending.at, target }], now);
  if (target === null) await billLateUsage(dependencies.invoicing, tx, { terms, taxation }, now);
  if (ended.isCommitted) await wakeCommitments(tx, ended.id, now);
  await creditCarriedLines(dependencies.invoicing, tx, ended.id, now);
  await endEntitlements(tx, { merchantId: ended.merchantId, subscriptionId: ended.id }, ending.at, now);
  await publishSubscriptionEvent(tx, ended, 'subscription.terminated.v0', now);
  return ended;
}

/** Open periods follow a changed `autoApprove`; calculated invoices do not. */
export async function approveOpenInvoices(tx: Tx, { subscription, agreement, now }: HeldSubscription): Promise<void> {
  await lockToBill(tx, subscription, now, now);
  const { autoApprove } = termsUnder(agreement, subscription);
  const open = await lockInvoicesIn(tx, [subscription.id], ['ACTIVE', 'CLOSING']);
  const ids = open.map(({ id }) => id);
  await updateAutoApprove(tx, { merchantId: subscription.merchantId, ids, autoApprove }, now);
}

/** Sets, moves or clears the end that is planned; the open periods are cut to it, or reach their full length again. */
export async function planEnd(
  dependencies: Pick<SubscriptionDependencies, 'invoicing'>,
  tx: Tx,
  { subscription, agreement, now }: HeldSubscription,
  endingAt: Instant | null,
): Promise<SubscriptionRow> {
  await lockToBill(tx, subscription, now, now);
  const { plan } = agreement.at(subscription);
  const nextActionAt = nextActionOf({ ...subscription, endingAt }, plan, now);
  const planned = await updateSubscription(tx, subscription, { endingAt, nextActionAt }, now);
  const changed = { terms: termsUnder(agreement, planned), at: now };
  if (planned.billingOpened) await alignPeriods(dependencies.invoicing, tx, [changed], now);
  if (planned.isCommitted) await wakeCommitments(tx, planned.id, now);
  await planEndOfEntitlements(tx, { merchantId: planned.merchantId, subscriptionId: planned.id }, endingAt, now);
  return planned;
}
