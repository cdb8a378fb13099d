import { findPlan } from '../catalog/index.ts';
import type { Tx } from '../db/index.ts';
import { periodHolding, periodOf, type SeriesBounds } from '../invoicing/index.ts';
import { earliest, type Instant, isAfter, latest, normaliseCadence } from '../kernel/time.ts';
import { endOf } from './billing-source.ts';
import { nextActionAt } from './decide.ts';
import type { SubscriptionParts } from './parts.ts';
import { changeSubscription, type SubscriptionRow } from './subscriptions.sql.ts';
import { tell } from './tell.ts';

/** What decides when somebody is reminded. */
export interface ReminderTerms {
  /** The plan's own, normalised. */
  readonly cadence: string;
  readonly bounds: SeriesBounds;
  /** How long before a period ends. */
  readonly days: number;
  /** The number of the last period that was told of. */
  readonly told: number | null;
}

const HOURS_PER_DAY = 24;

/**
 * When the next renewal is told of (domain.md §3): `days` before a period ends, at its start where it is shorter than that,
 * once for each period. What is over is not told of any more.
 * @returns null where nothing is renewed: the subscription ends with the period, or has ended
 */
export function nextReminder(
  { cadence, bounds, days, told }: ReminderTerms,
  now: Instant,
): { readonly at: Instant; readonly period: number; readonly renewsAt: Instant } | null {
  const current = periodHolding(cadence, bounds, latest(now, bounds.startedAt));
  if (!current) return null;
  const period = periodOf(cadence, bounds, told === null ? current.number : Math.max(current.number, told + 1));
  const isRenewed = period !== null && periodOf(cadence, bounds, period.number + 1) !== null;
  if (!isRenewed) return null;
  const at = latest(period.start, period.end.subtract({ hours: days * HOURS_PER_DAY }));
  return { at, period: period.number, renewsAt: period.end };
}

/** What happens next by itself to a subscription: billing starts, a renewal is told of, or it ends; null: nothing. */
export async function nextActionOf(tx: Tx, subscription: SubscriptionRow, now: Instant): Promise<Instant | null> {
  const own = nextActionAt(subscription);
  const reminder = await reminderOf(tx, subscription, now);
  return own && reminder ? earliest(own, reminder.at) : (own ?? reminder?.at ?? null);
}

/** Tells of a renewal whose time has come, and sets what happens next. */
export async function remind(
  { remindCustomer }: Pick<SubscriptionParts, 'remindCustomer'>,
  tx: Tx,
  subscription: SubscriptionRow,
  now: Instant,
): Promise<void> {
  const due = await reminderOf(tx, subscription, now);
  let told = subscription;
  if (due && !isAfter(due.at, now)) {
    told = await changeSubscription(tx, subscription, { reminded_period: due.period }, now);
    await tell(tx, told, 'subscription.renewal_reminder.v0', now);
    const { merchant_id: merchantId, id: subscriptionId, customer_id: customerId } = told;
    const { planName, renewsAt } = due;
    await remindCustomer(tx, { merchantId, subscriptionId, customerId, planName, renewsAt }, now);
  }
  await changeSubscription(tx, told, { next_action_at: await nextActionOf(tx, told, now) }, now);
}

/** As the subscription says, else as its plan does now. */
async function reminderOf(tx: Tx, subscription: SubscriptionRow, now: Instant) {
  if (subscription.status !== 'active' || !subscription.billing_opened) return null;
  const plan = await findPlan(tx, subscription.merchant_id, subscription.plan_id);
  if (!plan) throw new Error(`The plan of subscription ${subscription.id} is gone.`);
  if (!(subscription.renewal_reminder_enabled ?? plan.renewalReminderEnabled)) return null;
  const { billing_anchor: anchor, billing_starts_at: startedAt } = subscription;
  const next = nextReminder(
    {
      cadence: normaliseCadence(plan.billingCadence),
      bounds: { anchor, startedAt, endsAt: endOf(subscription) },
      days: subscription.renewal_reminder_days ?? plan.renewalReminderDays,
      told: subscription.reminded_period,
    },
    now,
  );
  return next && { ...next, planName: plan.invoiceDisplayName ?? plan.name };
}
