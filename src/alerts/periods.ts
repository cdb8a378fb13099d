import { type Instant, type Period, periodAt } from '../kernel/time.ts';
import type { UsagePeriod } from './alert.ts';

/** A Monday, and the first of a month and a year. */
const ANCHOR = Temporal.Instant.from('2001-01-01T00:00:00Z');

const CADENCES = {
  day: { months: 0, days: 1 },
  week: { months: 0, days: 7 },
  month: { months: 1, days: 0 },
} as const;

/** The day, week (from Monday on) or month of the calendar in UTC that holds an instant. */
export const calendarPeriod = (period: Exclude<UsagePeriod, 'billing'>, at: Instant): Period =>
  periodAt(ANCHOR, CADENCES[period], at);
