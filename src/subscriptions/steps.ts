import { taxationsUnder } from '../customers/index.ts';
import type { Tx } from '../db/index.ts';
import { findMerchant, merchantSettings } from '../identity/index.ts';
import { billLateUsage, creditCarriedLines, lateUsageDueAt } from '../invoicing/index.ts';
import type { DueKind, StepResult } from '../jobs/index.ts';
import { type Instant, isAfter, isBefore } from '../kernel/time.ts';
import { loadAgreement, loadAgreements, termsUnder } from './billing/agreement.ts';
import { lockAllToBill } from './billing/usage-claims.ts';
import { applyScheduled } from './changes/changes.ts';
import { endSubscription } from './life/end.ts';
import { passPause } from './life/pause.ts';
import { remind } from './life/reminders.ts';
import { passBillingStart, passTrialNotice } from './life/trial.ts';
import type { SubscriptionDependencies } from './subscription/dependencies.ts';
import { nextOfPause } from './subscription/pauses.ts';
import type { SubscriptionRow } from './subscription/subscription.ts';
import { lockSubscriptions, updateSubscription } from './subscription/subscriptions.sql.ts';
import { isTrialHeld, trialNoticeAt } from './subscription/trials.ts';

/** Subscriptions of one merchant in one transaction. */
const MOST_SUBSCRIPTIONS = 200;

type StepDependencies = Pick<SubscriptionDependencies, 'source' | 'invoicing' | 'remindCustomer' | 'tellOfTrial'>;

/**
 * The background jobs of a subscription: the end of its trial is told of, billing starts at a future start or at that
 * end, its renewals are announced, it ends at its planned end, and finally its late usage is billed.
 */
export const subscriptionDueKind = (dependencies: StepDependencies): DueKind => ({
  kind: 'subscription',
  list: { most: MOST_SUBSCRIPTIONS, steps: (tx, records, now) => stepSubscriptions(dependencies, tx, records, now) },
  step: async (tx, record, now) => {
    await stepSubscriptions(dependencies, tx, [record], now);
  },
});

/** The due work of a subscription. */
type Duty = 'start' | 'pause' | 'end' | 'remind' | 'tellOfTrial' | 'billLate';

/**
 * The next steps of some subscriptions of one merchant that are due. Of several of one customer the oldest goes first,
 * and the others wait: they bill the usage of one another. Reminders are the rule and go as a list; what starts, ends
 * or has ended goes one by one, when the billing of all of them is locked.
 */
async function stepSubscriptions(
  dependencies: StepDependencies,
  tx: Tx,
  records: readonly { readonly merchantId: string; readonly id: string }[],
  now: Instant,
): Promise<StepResult[]> {
  const [first] = records;
  if (!first) return [];
  const locked = await lockSubscriptions(
    tx,
    records.map(({ id }) => id),
  );
  const oldest = [...Map.groupBy(locked, ({ customerId }) => customerId).values()].flatMap((those) =>
    those.slice(0, 1),
  );
  const due = Map.groupBy(oldest, (subscription) => dutyOf(subscription, now));
  const having = (duty: Duty) => due.get(duty) ?? [];
  await lockAllToBill(
    tx,
    [...having('start'), ...having('pause'), ...having('end'), ...having('billLate')].map((subscription) => ({
      subscription,
      from: beginOf(subscription, having, now),
    })),
    now,
  );
  for (const subscription of having('billLate')) await billLate(dependencies, tx, subscription, now);
  for (const subscription of having('start')) await passBillingStart(dependencies, tx, subscription, now);
  for (const subscription of having('pause')) await passPause(dependencies, tx, subscription, now);
  await endAll(dependencies, tx, having('end'), now);
  for (const subscription of having('tellOfTrial')) await passTrialNotice(dependencies, tx, subscription, now);
  await remind(dependencies, tx, having('remind'), now);
  const stepped = new Set(oldest.map(({ id }) => id));
  return records.map(({ id }) => ({ isLater: !stepped.has(id) }));
}

/** From when on the history of a subscription changes with its duty. */
function beginOf(
  subscription: SubscriptionRow,
  having: (duty: Duty) => readonly SubscriptionRow[],
  now: Instant,
): Instant {
  if (having('end').includes(subscription)) return subscription.endingAt as Instant;
  return having('pause').includes(subscription) ? (nextOfPause(subscription) as Instant) : now;
}

/** Their planned ends have come. */
async function endAll(
  dependencies: StepDependencies,
  tx: Tx,
  subscriptions: readonly SubscriptionRow[],
  now: Instant,
): Promise<void> {
  const [first] = subscriptions;
  if (!first) return;
  const merchant = await findMerchant(tx);
  const agreements = await loadAgreements(tx, subscriptions);
  const taxationOf = await taxationsUnder(
    tx,
    merchant,
    subscriptions.map(({ customerId }) => customerId),
  );
  for (const subscription of subscriptions) {
    const { id, customerId } = subscription;
    const held = { subscription, merchant, taxation: taxationOf(customerId), agreement: agreements(id), now };
    const ending = { at: subscription.endingAt as Instant, by: null, reason: null };
    await endSubscription(dependencies, tx, held, ending);
  }
}

/** @returns null without a further job */
function dutyOf(subscription: SubscriptionRow, now: Instant): Duty | null {
  if (subscription.status === 'terminated') return 'billLate';
  if (subscription.status !== 'active') return null;
  const isDue = (at: Instant | null): at is Instant => at !== null && !isAfter(at, now);
  const { billingStartsAt, endingAt } = subscription;
  const pausedAt = nextOfPause(subscription);
  const isPauseFirst = isDue(pausedAt) && (endingAt === null || isBefore(pausedAt, endingAt));
  if (billingStartsFirst(subscription) && isDue(billingStartsAt) && !isTrialHeld(subscription))
    return isPauseFirst && isBefore(pausedAt, billingStartsAt) ? 'pause' : 'start';
  if (isPauseFirst) return 'pause';
  if (isDue(endingAt)) return 'end';
  return isDue(trialNoticeAt(subscription)) ? 'tellOfTrial' : 'remind';
}

/** Bills what came late for a subscription that has ended. */
async function billLate(
  dependencies: StepDependencies,
  tx: Tx,
  subscription: SubscriptionRow,
  now: Instant,
): Promise<void> {
  const { id } = subscription;
  const terms = termsUnder(await loadAgreement(tx, subscription), subscription);
  const again = await billLateUsage(dependencies.invoicing, tx, { terms }, now);
  await creditCarriedLines(dependencies.invoicing, tx, id, now);
  await updateSubscription(
    tx,
    subscription,
    { nextActionAt: again ?? (await lateUsageAfter(tx, subscription, now)) },
    now,
  );
}

/**
 * When what comes late is still to be billed: one that ended is also looked at before, where somebody else takes over
 * its usage.
 */
async function lateUsageAfter(tx: Tx, { terminatedAt: end }: SubscriptionRow, now: Instant) {
  const { lateUsageDays } = await merchantSettings(tx);
  const due = end && lateUsageDueAt(end, lateUsageDays);
  return due && isBefore(now, due) ? due : null;
}

/** A change of the plan that was scheduled for the end of a period comes. */
export const subscriptionChangeDueKind = (dependencies: SubscriptionDependencies): DueKind => ({
  kind: 'subscription_change',
  step: (tx, record, now) => applyScheduled(dependencies, tx, record, now),
});

/** Not so where billing has started, and where a trial is longer than the subscription: then nothing is ever billed. */
const billingStartsFirst = ({ billingOpened, billingStartsAt, endingAt }: SubscriptionRow): boolean =>
  !billingOpened && (endingAt === null || isBefore(billingStartsAt, endingAt));
