import type { Tx } from '../db/index.ts';
import { endEntitlements, planEndOfEntitlements } from '../entitlements/index.ts';
import { merchantSettings } from '../identity/index.ts';
import {
  type BillingSource,
  closePeriod,
  cutPeriod,
  deleteUnbilledInvoice,
  type InvoiceRow,
  lateUsageDueAt,
  lockInvoicesIn,
  periodOf,
} from '../invoicing/index.ts';
import { addDuration, type Instant, isAfter, isBefore } from '../kernel/time.ts';
import { termsOf } from './billing-source.ts';
import { nextActionOf } from './reminders.ts';
import { changeSubscription, type SubscriptionRow } from './subscriptions.sql.ts';
import { tell } from './tell.ts';

/** Who ended a subscription, when and why. */
export interface Ending {
  readonly at: Instant;
  readonly by: string | null;
  readonly reason: string | null;
}

/**
 * Ends a subscription: its open periods end with it and their usage is billed to there; a period that had not begun is
 * taken back, nothing of it was ever billed (domain.md §3, Ends). An end in the past also cuts what is in its grace, whose
 * usage is not read yet; what has been calculated stands.
 */
export async function endSubscription(
  tx: Tx,
  source: BillingSource,
  subscription: SubscriptionRow,
  ending: Ending,
  now: Instant,
): Promise<SubscriptionRow> {
  const { lateUsageDays } = await merchantSettings(tx, subscription.merchant_id);
  const ended = await changeSubscription(
    tx,
    subscription,
    {
      status: 'terminated',
      terminated_at: ending.at,
      terminated_by: ending.by,
      termination_reason: ending.reason,
      next_action_at: lateUsageDueAt(ending.at, lateUsageDays),
    },
    now,
  );
  const { gracePeriod } = await termsOf(tx, ended);
  for (const invoice of await openInvoices(tx, ended, ['ACTIVE', 'CLOSING'])) {
    if (!isBefore(invoice.period_start, ending.at)) {
      await deleteUnbilledInvoice(tx, invoice);
      continue;
    }
    const cut = isAfter(invoice.period_end, ending.at)
      ? await cutPeriod(tx, invoice, ending.at, addDuration(ending.at, gracePeriod), now)
      : invoice;
    if (cut.status === 'ACTIVE') await closePeriod(tx, source, cut, 'terminate', now);
  }
  await endEntitlements(tx, { merchantId: ended.merchant_id, subscriptionId: ended.id }, ending.at, now);
  await tell(tx, ended, 'subscription.terminated.v0', now);
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
  await lockInvoicesIn(tx, subscription.merchant_id, subscription.id, statuses);
  return lockInvoicesIn(tx, subscription.merchant_id, subscription.id, statuses);
}

/** Sets, moves or clears the end that is planned; the open periods are cut to it, or reach their full length again. */
export async function planEnd(
  tx: Tx,
  subscription: SubscriptionRow,
  endingAt: Instant | null,
  now: Instant,
): Promise<SubscriptionRow> {
  const planned = await changeSubscription(
    tx,
    subscription,
    { ending_at: endingAt, next_action_at: await nextActionOf(tx, { ...subscription, ending_at: endingAt }, now) },
    now,
  );
  const terms = await termsOf(tx, planned);
  for (const invoice of await openInvoices(tx, planned, ['ACTIVE'])) {
    const bounds = { ...terms.bounds, startedAt: invoice.period_start }; // what `closeNow` left of a period begins later
    const end = periodOf(invoice.billing_cadence, bounds, invoice.period_number)?.end ?? null;
    if (end === null) await deleteUnbilledInvoice(tx, invoice);
    else await cutPeriod(tx, invoice, end, addDuration(end, terms.gracePeriod), now);
  }
  await planEndOfEntitlements(tx, { merchantId: planned.merchant_id, subscriptionId: planned.id }, endingAt, now);
  return planned;
}
