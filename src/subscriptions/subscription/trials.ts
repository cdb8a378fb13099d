import {
  formatInstant,
  HOURS_PER_DAY,
  type Instant,
  isAfter,
  isBefore,
  microsecondsBetween,
} from '../../kernel/time.ts';
import { currentPause } from './pauses.ts';
import type { SubscriptionRow } from './subscription.ts';

type InTrial = Pick<SubscriptionRow, 'status' | 'pauses' | 'billingOpened' | 'trialEnd'>;
export type TrialState = 'without a trial' | 'in its trial' | 'paused in its trial' | 'past its trial';

/** Is a subscription paused in its trial, or since the end of it? Then billing does not start. */
export const isTrialHeld = (subscription: InTrial): boolean =>
  currentPause(subscription)?.status === 'paused' && !subscription.billingOpened && subscription.trialEnd !== null;

/**
 * Billing of a subscription that is resumed begins after the time that was left of its trial as it was paused. A trial
 * that was over stays as it was. An end before the pause resumes nothing.
 */
export function afterTrialHeld(
  subscription: SubscriptionRow,
  resumedAt: Instant,
  isRestarted: boolean,
): Partial<Pick<SubscriptionRow, 'billingStartsAt' | 'billingAnchor' | 'trialEnd'>> {
  const pause = currentPause(subscription);
  const { billingStartsAt: start, billingAnchor: anchor, trialEnd } = subscription;
  if (pause === null || trialEnd === null || !isTrialHeld(subscription)) return {};
  const from = Temporal.Instant.from(pause.from);
  if (isBefore(resumedAt, from)) return {};
  const later = start.add({ microseconds: Number(microsecondsBetween(from, resumedAt)) });
  const isOver = !isBefore(from, trialEnd);
  const isCountedFromThere = anchor.equals(start) || (isOver && isRestarted);
  return {
    billingStartsAt: later,
    ...(isCountedFromThere && { billingAnchor: later }),
    ...(!isOver && { trialEnd: later }),
  };
}

/** Where a subscription is with its trial. */
export function trialState(subscription: InTrial, now: Instant): TrialState {
  const { billingOpened, trialEnd } = subscription;
  if (trialEnd === null) return 'without a trial';
  const pause = isTrialHeld(subscription) ? currentPause(subscription) : null;
  if (pause !== null && isBefore(Temporal.Instant.from(pause.from), trialEnd)) return 'paused in its trial';
  return billingOpened || pause !== null || !isAfter(trialEnd, now) ? 'past its trial' : 'in its trial';
}

/** How long before its end a trial is said to end. */
const NOTICE_HOURS = 3 * HOURS_PER_DAY;

/** When the end of a trial is told of; null: it was, or nothing is to be told. A time in the past is at once. */
export function trialNoticeAt(
  subscription: InTrial & Pick<SubscriptionRow, 'endingAt' | 'trialEndsTold'>,
): Instant | null {
  const { status, billingOpened, trialEnd, endingAt, trialEndsTold } = subscription;
  if (status !== 'active' || billingOpened || trialEnd === null || isTrialHeld(subscription)) return null;
  const endsBefore = endingAt !== null && !isBefore(trialEnd, endingAt);
  if (endsBefore || trialEndsTold.includes(formatInstant(trialEnd))) return null;
  return trialEnd.subtract({ hours: NOTICE_HOURS });
}
