import type { Tx } from '../../db/index.ts';
import { endEntitlements, planEndOfEntitlements } from '../../entitlements/index.ts';
import { merchantSettings } from '../../identity/index.ts';
import {
  alignPeriods,
  billLateUsage,
  type CreditMode,
  creditCarriedLines,
  giveCredits,
  type InvoiceRow,
  lateUsageDueAt,
  lockInvoicesIn,
  redoDrafts,
  updateAutoApprove,
} from '../../invoicing/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { termsOf } from '../billing/billing-source.ts';
import { lockToBill, markAsEnded } from '../billing/usage-claims.ts';
import { markScheduledCancelled } from '../subscription/changes.sql.ts';
import type { SubscriptionDependencies } from '../subscription/dependencies.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import { updateSubscription } from '../subscription/subscriptions.sql.ts';
import { publishSubscriptionEvent } from '../subscription/webhooks.ts';
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
  tx: Tx,
  dependencies: Pick<SubscriptionDependencies, 'invoicing' | 'source'>,
  subscription: SubscriptionRow,
  ending: Ending,
  now: Instant,
): Promise<SubscriptionRow> {
  await lockToBill(tx, subscription, ending.at, now);
  const { lateUsageDays } = await merchantSettings(tx, subscription.merchantId);
  const ended = await updateSubscription(
    tx,
    subscription,
    {
      status: 'terminated',
      terminatedAt: ending.at,
      terminatedBy: ending.by,
      terminationReason: ending.reason,
      endCredit: ending.credit ?? 'invoice',
      nextActionAt: lateUsageDueAt(ending.at, lateUsageDays),
    },
    now,
  );
  await markScheduledCancelled(tx, ended.merchantId, ended.id);
  const terms = await termsOf(tx, ended);
  await alignPeriods(dependencies.invoicing, tx, terms, ending.at, now);
  await markAsEnded(tx, ended, now);
  await redoDrafts(dependencies.invoicing, tx, terms, now);
  const closing = (await openInvoices(tx, ended, ['CLOSING'])).filter(({ periodEnd: end }) => end.equals(ending.at));
  const target = closing.find(({ billingCadence: cadence }) => cadence === terms.planCadence) ?? closing[0] ?? null;
  await giveCredits(dependencies.invoicing, tx, { terms, after: ending.at, target }, now);
  if (target === null)
    await billLateUsage(dependencies.invoicing, tx, { merchantId: ended.merchantId, subscriptionId: ended.id }, now);
  await creditCarriedLines(dependencies.invoicing, tx, ended.merchantId, ended.id, now);
  await endEntitlements(tx, { merchantId: ended.merchantId, subscriptionId: ended.id }, ending.at, now);
  await publishSubscriptionEvent(tx, ended, 'subscription.terminated.v0', now);
  return ended;
}

/**
 * The open invoices, locked. Asked twice: while the first answer waited for a worker that was closing a period, that
 * worker opened the next one, which only a new statement sees.
 */
async function openInvoices(
  tx: Tx,
  subscription: SubscriptionRow,
  statuses: readonly InvoiceRow['status'][],
): Promise<InvoiceRow[]> {
  await lockInvoicesIn(tx, subscription.merchantId, subscription.id, statuses);
  return lockInvoicesIn(tx, subscription.merchantId, subscription.id, statuses);
}

/** Open periods follow a changed `autoApprove`; calculated invoices do not. */
export async function approveOpenInvoices(tx: Tx, subscription: SubscriptionRow, now: Instant): Promise<void> {
  const { autoApprove } = await termsOf(tx, subscription);
  const open = await openInvoices(tx, subscription, ['ACTIVE', 'CLOSING']);
  const ids = open.map(({ id }) => id);
  await updateAutoApprove(tx, { merchantId: subscription.merchantId, ids, autoApprove }, now);
}

/** Sets, moves or clears the end that is planned; the open periods are cut to it, or reach their full length again. */
export async function planEnd(
  tx: Tx,
  dependencies: Pick<SubscriptionDependencies, 'invoicing'>,
  subscription: SubscriptionRow,
  endingAt: Instant | null,
  now: Instant,
): Promise<SubscriptionRow> {
  const planned = await updateSubscription(
    tx,
    subscription,
    { endingAt, nextActionAt: await nextActionOf(tx, { ...subscription, endingAt }, now) },
    now,
  );
  if (planned.billingOpened) await alignPeriods(dependencies.invoicing, tx, await termsOf(tx, planned), now, now);
  await planEndOfEntitlements(tx, { merchantId: planned.merchantId, subscriptionId: planned.id }, endingAt, now);
  return planned;
}
