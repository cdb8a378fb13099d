import { intersect } from '../kernel/spans.ts';
import {
  boundary,
  type Cadence,
  earliest,
  type Instant,
  isAfter,
  isBefore,
  latest,
  type Period,
  parseCadence,
  periodIndexAt,
} from '../kernel/time.ts';
import type { ScheduleDates } from './schedule.ts';

/** A stretch that is charged or invoiced at once. */
export interface Window {
  /** The part of it within the dates of the contract. */
  readonly period: Period;
  /** The whole time of a price for one period. */
  readonly whole: Period;
}

const UTC = 'UTC';

/** The UTC day of an instant, counted from 1970. A day belongs to the stretch in which it begins. */
const dayOf = (instant: Instant): bigint => {
  const nanosecondsPerDay = 86_400_000_000_000n;
  return instant.epochNanoseconds / nanosecondsPerDay; // no instant before 2000 is taken
};

/** How many days a stretch has: whole days of the UTC calendar, so that parts of a stretch sum to it. */
export const daysOf = ({ start, end }: Period): bigint => dayOf(end) - dayOf(start);

/** The windows of a schedule, in their order: each is one invoice in advance, and one in arrears. */
export function windowsOf(schedule: ScheduleDates): Window[] {
  const dates = datesOf(schedule);
  const { periodPreset: preset } = schedule;
  if (preset === 'single') return [{ period: dates, whole: dates }];
  if (preset === 'custom') return customWindows(schedule, dates);
  return recurrences(schedule, cadenceOf(preset), dates);
}

/**
 * The periods for which a price with a cadence is charged, within a stretch of the schedule. Where the windows are
 * named one by one, the windows are the periods.
 */
export function periodsOf(schedule: ScheduleDates, cadence: string, span: Period): Window[] {
  const [within] = intersect([datesOf(schedule)], [span]);
  if (within === undefined) return [];
  if (schedule.periodPreset === 'custom') return customWindows(schedule, within);
  return recurrences(schedule, cadenceOf(cadence), within);
}

const datesOf = ({ startDate: start, endDate: end }: ScheduleDates): Period => ({ start, end });

const cadenceOf = (text: string): Cadence => {
  const cadence = parseCadence(text);
  if (cadence === null) throw new RangeError(`${text} is no cadence.`);
  return cadence;
};

const customWindows = ({ customPeriodWindows: windows }: ScheduleDates, within: Period): Window[] =>
  windows.flatMap((whole) => intersect([whole], [within]).map((period): Window => ({ period, whole })));

/** Recurrences are always counted from one instant, so that the 31st never drifts. */
function recurrences(schedule: ScheduleDates, cadence: Cadence, within: Period): Window[] {
  const from = originOf(schedule, cadence);
  const windows: Window[] = [];
  for (let n = periodIndexAt(from, cadence, within.start); ; n += 1) {
    const whole = { start: boundary(from, cadence, n), end: boundary(from, cadence, n + 1) };
    if (!isBefore(whole.start, within.end)) return windows;
    windows.push({ whole, period: { start: latest(whole.start, within.start), end: earliest(whole.end, within.end) } });
  }
}

/**
 * The instant from which recurrences are counted: the anchor, the end of the schedule, or the first month of a year.
 * Weeks and days are no parts of a calendar month, so they are counted from the anchor.
 */
function originOf({ alignmentPolicy, billingAnchor, endDate }: ScheduleDates, { months }: Cadence): Instant {
  if (alignmentPolicy === 'coterm') return endDate;
  if (alignmentPolicy === 'anchor' || months === 0) return billingAnchor;
  const { year } = billingAnchor.toZonedDateTimeISO(UTC);
  return Temporal.PlainDate.from({ year, month: 1, day: 1 }).toZonedDateTime(UTC).toInstant();
}

/** The window in which an instant lies. */
export const windowAt = (windows: readonly Window[], at: Instant): Window | undefined =>
  windows.find(({ period }) => !isAfter(period.start, at) && isBefore(at, period.end));

/** The window that ends with or after an instant, and begins before it: in which a stretch that ends then ends. */
export const windowEndingAt = (windows: readonly Window[], at: Instant): Window | undefined =>
  windows.find(({ period }) => isBefore(period.start, at) && !isAfter(at, period.end));
