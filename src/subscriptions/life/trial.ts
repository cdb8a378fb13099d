import { findPayer, findTaxation } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { findMerchant } from '../../identity/index.ts';
import type { Pause } from '../../invoicing/index.ts';
import { invalidField, ok, type Result } from '../../kernel/result.ts';
import { wrongState } from '../../kernel/state-table.ts';
import { formatInstant, type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import { defaultMethodOf } from '../../payments/index.ts';
import { type Agreement, loadAgreement } from '../billing/agreement.ts';
import { lockToBill } from '../billing/usage-claims.ts';
import { updateScheduledTime } from '../subscription/changes.sql.ts';
import type { SubscriptionDependencies } from '../subscription/dependencies.ts';
import { currentPause, withLast } from '../subscription/pauses.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import { updateSubscription } from '../subscription/subscriptions.sql.ts';
import { trialNoticeAt, trialState } from '../subscription/trials.ts';
import { updateVersionOf } from '../subscription/versions.sql.ts';
import { publishSubscriptionEvent } from '../subscription/webhooks.ts';
import { activate, startBilling } from './activate.ts';
import { endSubscription } from './end.ts';
import { followBillingStart } from './follow-trial.ts';
import { type HeldSubscription, refusedIn } from './lock.ts';
import { beginPause } from './pause.ts';
import { cardToCharge, nextActionOf } from './reminders.ts';

type TrialDependencies = Pick<SubscriptionDependencies, 'invoicing' | 'source' | 'tellOfTrial'>;
type Telling = Pick<SubscriptionDependencies, 'tellOfTrial'>;

/** Why a subscription ended or was paused with its trial. */
const REASON = 'trial_ended_without_payment_method';

/** Can its invoices be paid without asking the customer again? */
export const hasMethod = async (
  tx: Tx,
  { bankTransferOnly, customerId }: Pick<SubscriptionRow, 'bankTransferOnly' | 'customerId'>,
): Promise<boolean> => bankTransferOnly || (await defaultMethodOf(tx, await findPayer(tx, customerId))) !== undefined;

/** A subscription is active, and billing starts later: at a start ahead, or with the end of its trial. */
export async function activateWaiting(
  tx: Tx,
  subscription: SubscriptionRow,
  agreement: Agreement,
  now: Instant,
): Promise<SubscriptionRow> {
  const active = await activate(tx, subscription, agreement, now);
  const nextActionAt = nextActionOf(active, agreement.at(active).plan, now);
  return updateSubscription(tx, active, { nextActionAt }, now);
}

/** The same, and an end of the trial that is near is told of at once. */
export const activateBefore = async (
  dependencies: Telling,
  tx: Tx,
  subscription: SubscriptionRow,
  agreement: Agreement,
  now: Instant,
): Promise<SubscriptionRow> =>
  tellIfNear(dependencies, tx, await activateWaiting(tx, subscription, agreement, now), agreement, now);

/** Tells of the end of a trial that is nearer than three days, once. */
async function tellIfNear(
  dependencies: Telling,
  tx: Tx,
  subscription: SubscriptionRow,
  agreement: Agreement,
  now: Instant,
): Promise<SubscriptionRow> {
  const { trialEnd, trialEndsTold } = subscription;
  const at = trialNoticeAt(subscription);
  if (at === null || trialEnd === null || isAfter(at, now)) return subscription;
  const told = { ...subscription, trialEndsTold: [...trialEndsTold, formatInstant(trialEnd)] };
  const nextActionAt = nextActionOf(told, agreement.at(told).plan, now);
  const stored = await updateSubscription(tx, subscription, { trialEndsTold: told.trialEndsTold, nextActionAt }, now);
  await publishSubscriptionEvent(tx, stored, 'subscription.trial_ending.v0', now);
  await mailTrialEnd(dependencies, tx, stored, agreement, now);
  return stored;
}

/** Writes to who pays, unless the reminders of the subscription are off. */
async function mailTrialEnd(
  { tellOfTrial }: Telling,
  tx: Tx,
  subscription: SubscriptionRow,
  agreement: Agreement,
  now: Instant,
): Promise<void> {
  const { merchantId, id: subscriptionId, trialEnd, renewalReminderEnabled } = subscription;
  const { plan, version } = agreement.at(subscription);
  if (trialEnd === null || !(renewalReminderEnabled ?? plan.renewalReminderEnabled)) return;
  const customerId = await findPayer(tx, subscription.customerId);
  const planName = plan.invoiceDisplayName ?? plan.name;
  const follows = (await hasMethod(tx, subscription)) ? 'invoice' : version.trialEndBehavior;
  const card = await cardToCharge(tx, subscription, customerId);
  await tellOfTrial(tx, { merchantId, subscriptionId, customerId, planName, trialEnd, follows, card }, now);
}

/** The time has come to tell of the end of a trial. */
export const passTrialNotice = async (
  dependencies: Telling,
  tx: Tx,
  subscription: SubscriptionRow,
  now: Instant,
): Promise<void> => void (await tellIfNear(dependencies, tx, subscription, await loadAgreement(tx, subscription), now));

/**
 * The time of billing has come. With a trial over and nothing to charge, the version says what happens; else billing
 * starts.
 */
export async function passBillingStart(
  dependencies: TrialDependencies,
  tx: Tx,
  subscription: SubscriptionRow,
  now: Instant,
): Promise<SubscriptionRow> {
  const { trialEnd, billingStartsAt: at, startedAt, customerId } = subscription;
  // billing starts later where it was resumed since
  const isTrialEnd = trialEnd?.equals(at) === true && isAfter(trialEnd, startedAt);
  if (!isTrialEnd) return startBilling(dependencies, tx, subscription, now);
  const agreement = await loadAgreement(tx, subscription);
  const { trialEndBehavior } = agreement.at(subscription).version;
  if (trialEndBehavior === 'invoice' || (await hasMethod(tx, subscription)))
    return startBilling(dependencies, tx, subscription, now);
  if (trialEndBehavior === 'pause') return pauseAfterTrial(dependencies, tx, { subscription, agreement, now });
  const merchant = await findMerchant(tx);
  const held = { subscription, agreement, now, merchant, taxation: await findTaxation(tx, customerId) };
  return endSubscription(dependencies, tx, held, { at, by: null, reason: REASON });
}

/** Paused from the end of its trial on, until it is resumed; a pause that was to come later is this one. */
function pauseAfterTrial(
  dependencies: TrialDependencies,
  tx: Tx,
  held: Pick<HeldSubscription, 'subscription' | 'agreement' | 'now'>,
): Promise<SubscriptionRow> {
  const { subscription } = held;
  const before = currentPause(subscription) === null ? subscription.pauses : withLast(subscription, null);
  const pause: Pause = {
    from: formatInstant(subscription.billingStartsAt),
    to: null,
    ...{ usage: 'free', credit: 'none', anchor: 'keep', reason: REASON },
    status: 'pausing',
  };
  return beginPause(dependencies, tx, { ...held, subscription: { ...subscription, pauses: [...before, pause] } });
}

/** Until when a time counts as now, for a client whose clock is not ours. Simulated time is exact. */
const NOW_SECONDS = 60;

/**
 * PATCH `trialEnd`: the trial that runs ends at another time (commercial.md §6); now ends it.
 * @returns INVALID_TRANSITION where no trial runs; 400 for a time in the past
 */
export async function moveTrialEnd(
  dependencies: TrialDependencies,
  tx: Tx,
  held: HeldSubscription,
  asked: Instant,
): Promise<Result<SubscriptionRow>> {
  const { subscription, agreement, now } = held;
  const { status, trialEnd: before, billingAnchor, startedAt, clockId } = subscription;
  if (status !== 'active') return refusedIn(status, 'moveTrialEnd', ['active']);
  const state = trialState(subscription, now);
  if (state !== 'in its trial' || before === null)
    return wrongState({
      thing: 'subscription',
      status: state,
      trigger: 'moveTrialEnd',
      allowedFrom: ['in its trial'],
      done: 'given another `trialEnd`',
    });
  const isNow = clockId === null && isAfter(asked, now.subtract({ seconds: NOW_SECONDS })) && isBefore(asked, now);
  const at = isNow ? now : asked;
  if (isBefore(at, now)) return invalidField('trialEnd', 'must not be in the past');
  if (isBefore(at, startedAt)) return invalidField('trialEnd', 'must not be before startedAt');
  if (at.equals(before)) return ok(subscription);
  await lockToBill(tx, subscription, now, now);
  const moved = {
    ...subscription,
    ...{ trialEnd: at, billingStartsAt: at },
    billingAnchor: billingAnchor.equals(before) ? at : billingAnchor,
  };
  const { trialEnd, billingStartsAt, billingAnchor: anchor } = moved;
  const nextActionAt = nextActionOf(moved, agreement.at(moved).plan, now);
  const changes = { trialEnd, billingStartsAt, billingAnchor: anchor, nextActionAt };
  const stored = await updateSubscription(tx, subscription, changes, now);
  const changeId = await updateScheduledTime(tx, stored.id, before, at);
  if (changeId !== null) await updateVersionOf(tx, changeId, at);
  const followed = changeId === null ? agreement : await loadAgreement(tx, stored);
  const current = await followBillingStart(tx, stored, followed, before, now);
  return ok(
    isAfter(at, now)
      ? await tellIfNear(dependencies, tx, stored, current, now)
      : await passBillingStart(dependencies, tx, stored, now),
  );
}
