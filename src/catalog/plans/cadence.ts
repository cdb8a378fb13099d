import type { FieldError } from '../../kernel/result.ts';
import { isOnce, normaliseCadence, parseCadence, parseDuration } from '../../kernel/time.ts';
import { readCadence } from '../words.ts';

export const BILLING_INTERVALS = ['monthly', 'quarterly', 'yearly'] as const;
export type BillingInterval = (typeof BILLING_INTERVALS)[number];

/** §9, rule 3: the old words and their meaning. */
const CADENCE_OF: Readonly<Record<BillingInterval, string>> = { monthly: 'P1M', quarterly: 'P3M', yearly: 'P1Y' };

/** The words that requests may use. Answers say `yearly` for `annual`. */
export const BILLING_INTERVAL_WORDS = [...BILLING_INTERVALS, 'annual'] as const;

/** The cadence that a body names: `billingCadence` wins over the deprecated `billingInterval` (§9). */
export const cadenceOf = (body: {
  billingCadence?: string | undefined;
  billingInterval?: (typeof BILLING_INTERVAL_WORDS)[number] | null | undefined;
}): string | undefined => {
  const { billingCadence, billingInterval } = body;
  if (billingCadence !== undefined) return readCadence(billingCadence);
  if (!billingInterval) return;
  return CADENCE_OF[billingInterval === 'annual' ? 'yearly' : billingInterval];
};

/** The old word for a cadence, however it is written (P12M is yearly); null where there is none (domain.md §2). */
export const intervalOf = (cadence: string): BillingInterval | null =>
  BILLING_INTERVALS.find((interval) => CADENCE_OF[interval] === normaliseCadence(cadence)) ?? null;

/** A plan bills again and again. */
export const checkCadence = (field: string, cadence: string): FieldError[] =>
  parseCadence(cadence) && !isOnce(cadence)
    ? []
    : [{ field, message: 'must be an ISO 8601 duration of whole days, weeks, months or years' }];

const A_HUNDRED_YEARS = 36525;

/** Its length in days, a year being 365.25: good enough to keep dates in the calendar. */
const roughDays = (duration: Temporal.Duration): number =>
  duration.years * 365.25 +
  duration.months * (365.25 / 12) +
  duration.weeks * 7 +
  duration.days +
  (duration.hours + duration.minutes / 60 + duration.seconds / 3600) / 24;

/** A trial or a grace: whole, non-negative, and not so long that dates would leave the calendar. */
export function checkDuration(field: string, text: string): FieldError[] {
  const duration = parseDuration(text);
  if (!duration) return [{ field, message: 'must be an ISO 8601 duration of whole parts, not negative' }];
  return roughDays(duration) > A_HUNDRED_YEARS ? [{ field, message: 'must be at most a hundred years' }] : [];
}
