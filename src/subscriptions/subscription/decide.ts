import { minorDigits } from '../../kernel/currency.ts';
import { type Decimal, decimal, ZERO } from '../../kernel/decimal.ts';
import { type FieldError, invalid, invalidField, ok, type Result } from '../../kernel/result.ts';
import { addDuration, boundary, earliest, type Instant, isAfter, isBefore, parseCadence } from '../../kernel/time.ts';
import { nextOfPause } from './pauses.ts';
import type { SubscriptionRow } from './subscription.ts';
import { isTrialHeld, trialNoticeAt } from './trials.ts';

/** The times in a creation. */
export interface CreationTimes {
  readonly startedAt: Instant;
  readonly endingAt: Instant | null;
  readonly paymentTermDays: number;
  readonly bankTransferOnly: boolean;
}

/** When a subscription was or will be ended; null while no end is set. */
export const endOf = (subscription: Pick<SubscriptionRow, 'terminatedAt' | 'endingAt'>): Instant | null =>
  subscription.terminatedAt ?? subscription.endingAt;

/** Is a subscription of these times allowed now? (domain.md §3: Starts, Ends) */
export function decideCreation(times: CreationTimes, planCadence: string, now: Instant): Result<void> {
  const errors: FieldError[] = [];
  const cadence = parseCadence(planCadence);
  if (cadence && isBefore(times.startedAt, boundary(now, cadence, -1))) {
    errors.push({ field: 'startedAt', message: `must not be more than one billing period (${planCadence}) ago` });
  }
  errors.push(...endErrors('endingAt', times.endingAt, times.startedAt, now));
  if (times.paymentTermDays > 0 && !times.bankTransferOnly) {
    errors.push({ field: 'paymentTermDays', message: 'may be above 0 only with bankTransferOnly' }); // §2
  }
  return errors.length === 0 ? ok(undefined) : invalid(errors);
}

/** An end lies after the start and not in the past. */
export function endErrors(field: string, end: Instant | null, startedAt: Instant, now: Instant): FieldError[] {
  if (end === null) return [];
  if (!isAfter(end, startedAt)) return [{ field, message: 'must be after startedAt' }];
  return isBefore(end, now) ? [{ field, message: 'must not be in the past' }] : [];
}

/**
 * When a termination takes effect. Clamp first, compare second (§4, update rule): a subscription that starts tomorrow
 * cannot be ended today, and this order is what turns that request into a 400 instead of a period that runs backwards.
 */
export function decideTermination(requested: Instant, startedAt: Instant, now: Instant): Result<Instant> {
  const terminatedAt = earliest(requested, now);
  return isAfter(terminatedAt, startedAt)
    ? ok(terminatedAt)
    : invalidField('terminatedAt', 'must be after startedAt; a time ahead counts as now');
}

/**
 * From when periods are billed, and from where they are counted: a trial moves both, a plan's anchor the second
 * (domain.md §3).
 */
export function billingStart(
  startedAt: Instant,
  plan: { trialPeriod: Temporal.Duration | null; billingAnchor: Instant | null },
): Pick<SubscriptionRow, 'billingStartsAt' | 'billingAnchor' | 'trialEnd'> {
  const billingStartsAt = plan.trialPeriod === null ? startedAt : addDuration(startedAt, plan.trialPeriod);
  const trialEnd = isAfter(billingStartsAt, startedAt) ? billingStartsAt : null;
  return { billingStartsAt, billingAnchor: plan.billingAnchor ?? billingStartsAt, trialEnd };
}

/**
 * The next background job, except for reminders: the end of a trial is told of, billing starts, a pause begins or is
 * over, the subscription ends; null if none lies ahead, and while it waits for its payment.
 */
export function nextActionAt(
  subscription: Pick<
    SubscriptionRow,
    'status' | 'billingOpened' | 'billingStartsAt' | 'endingAt' | 'pauses' | 'trialEnd' | 'trialEndsTold'
  >,
): Instant | null {
  if (subscription.status !== 'active') return null;
  const { billingOpened, billingStartsAt, endingAt } = subscription;
  const startsAt = billingOpened || isTrialHeld(subscription) ? null : billingStartsAt;
  const times = [startsAt, endingAt, nextOfPause(subscription), trialNoticeAt(subscription)].filter(
    (at) => at !== null,
  );
  return times.length === 0 ? null : times.reduce(earliest);
}

/** The top-up of the wallet with the first payment. @returns 400 for parts of the currency's minor unit */
export function decidePrefund(asked: string | undefined, currency: string): Result<Decimal> {
  const amount = asked === undefined ? ZERO : decimal(asked);
  const digits = minorDigits(currency);
  return amount.decimalPlaces() <= digits
    ? ok(amount)
    : invalidField('prefundAmount', `must have at most ${digits} digits after the point, as ${currency} has`);
}
