import { findPlans, type Plan } from '../../catalog/index.ts';
import { findPayer } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { estimateRenewal, periodHolding, periodOf, type SeriesBounds } from '../../invoicing/index.ts';
import {
  addDuration,
  earliest,
  HOURS_PER_DAY,
  type Instant,
  isAfter,
  isBefore,
  latest,
  normaliseCadence,
  parseDuration,
} from '../../kernel/time.ts';
import { defaultMethodOf } from '../../payments/index.ts';
import { endOf, nextActionAt } from '../subscription/decide.ts';
import type { ComingRenewal, SubscriptionDependencies } from '../subscription/dependencies.ts';
import { currentPause } from '../subscription/pauses.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import { updateReminded } from '../subscription/subscriptions.sql.ts';
import { publishSubscriptionEvents } from '../subscription/webhooks.ts';

/** The facts that decide the time of a reminder. */
export interface ReminderTerms {
  /** The plan's own, normalised. */
  readonly cadence: string;
  readonly bounds: SeriesBounds;
  /** How long before a period ends. */
  readonly days: number;
  /** The number of the last period that was told of. */
  readonly told: number | null;
}

/**
 * When the next renewal is told of (domain.md §3): `days` before a period ends, at its start where it is shorter
 * than that, once for each period. What is over is not told of any more.
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

/**
 * The next background job of a subscription: billing starts, a renewal is announced, or it ends; null: none. Pure.
 * @param plan its own
 */
export function nextActionOf(subscription: SubscriptionRow, plan: Plan, now: Instant): Instant | null {
  const own = nextActionAt(subscription);
  const reminder = decideReminder(subscription, plan, now);
  return own && reminder ? earliest(own, reminder.at) : (own ?? reminder?.at ?? null);
}

/** While it is paused without a known end nothing is renewed. */
const isRenewing = (subscription: SubscriptionRow): boolean => {
  const pause = currentPause(subscription);
  const isHeld = pause?.status === 'paused' && pause.to === null;
  return subscription.status === 'active' && subscription.billingOpened && !isHeld;
};

/** The webhook reports every renewal; the customer gets emails for periods of this length and longer. */
const SHORTEST_MAILED = Temporal.Duration.from('P3M');

/**
 * Is the customer written to of a renewal (domain.md §3)? Where the subscription itself says so, else of periods
 * of three months and longer: nobody wants a mail each month for a month. They are compared from the anchor, which
 * decides how long months are.
 */
export function isRenewalMailed({
  isAskedFor,
  cadence,
  anchor,
}: {
  readonly isAskedFor: boolean;
  readonly cadence: string;
  readonly anchor: Instant;
}): boolean {
  const duration = parseDuration(cadence);
  if (isAskedFor || duration === null) return isAskedFor;
  return !isBefore(addDuration(anchor, duration), addDuration(anchor, SHORTEST_MAILED));
}

/**
 * Tells of the renewals of some active subscriptions of one merchant whose time has come, and sets what happens next.
 */
export async function remind(
  dependencies: Pick<SubscriptionDependencies, 'remindCustomer' | 'invoicing'>,
  tx: Tx,
  subscriptions: readonly SubscriptionRow[],
  now: Instant,
): Promise<void> {
  const [first] = subscriptions;
  if (!first) return;
  const plans = await findPlans(
    tx,
    subscriptions.map(({ planId }) => planId),
  );
  const decided = subscriptions.map((subscription) => {
    const plan = plans.get(subscription.planId);
    if (!plan) throw new Error(`The plan of subscription ${subscription.id} no longer exists.`);
    const reminder = decideReminder(subscription, plan, now);
    const due = reminder && !isAfter(reminder.at, now) ? reminder : null;
    const told = due ? { ...subscription, remindedPeriod: due.period } : subscription;
    return { due, told: { ...told, nextActionAt: nextActionOf(told, plan, now) } };
  });
  const renewals = decided.flatMap(({ due, told }) => (due ? [{ due, told }] : []));
  await publishSubscriptionEvents(
    tx,
    renewals.map(({ told }) => told),
    'subscription.renewal_reminder.v0',
    now,
  );
  for (const { due, told } of renewals) await mailRenewal(dependencies, tx, told, due, now);
  await updateReminded(
    tx,
    decided.map(({ told }) => told),
    now,
  );
}

type Reminder = NonNullable<ReturnType<typeof decideReminder>>;

/** Writes the renewal email to who pays, if the period is long enough. */
async function mailRenewal(
  { remindCustomer, invoicing }: Pick<SubscriptionDependencies, 'remindCustomer' | 'invoicing'>,
  tx: Tx,
  told: SubscriptionRow,
  { planName, renewsAt, cadence }: Reminder,
  now: Instant,
): Promise<void> {
  const isAskedFor = told.renewalReminderEnabled === true;
  if (!isRenewalMailed({ isAskedFor, cadence, anchor: told.billingAnchor })) return;
  const { merchantId, id: subscriptionId } = told;
  const customerId = await findPayer(tx, told.customerId);
  const estimate = await estimateRenewal(invoicing, tx, { merchantId, subscriptionId, cadence });
  const card = await cardToCharge(tx, told, customerId);
  await remindCustomer(tx, { merchantId, subscriptionId, customerId, planName, renewsAt, estimate, card }, now);
}

/** The card for an automatic charge of a renewal; null if there is none. */
export async function cardToCharge(
  tx: Tx,
  subscription: SubscriptionRow,
  payerId: string,
): Promise<ComingRenewal['card']> {
  if (!subscription.autoCharge || subscription.bankTransferOnly) return null;
  const card = await defaultMethodOf(tx, payerId);
  return card ? { brand: card.brand, last4: card.last4 } : null;
}

/** As the subscription says, else as its plan does now. */
function decideReminder(subscription: SubscriptionRow, plan: Plan, now: Instant) {
  if (!isRenewing(subscription) || !(subscription.renewalReminderEnabled ?? plan.renewalReminderEnabled)) return null;
  const { billingAnchor: anchor, billingStartsAt: startedAt } = subscription;
  const cadence = normaliseCadence(plan.billingCadence);
  const next = nextReminder(
    {
      cadence,
      bounds: { anchor, startedAt, endsAt: endOf(subscription) },
      days: subscription.renewalReminderDays ?? plan.renewalReminderDays,
      told: subscription.remindedPeriod,
    },
    now,
  );
  return next && { ...next, cadence, planName: plan.invoiceDisplayName ?? plan.name };
}
