import type { FieldError } from '../kernel/result.ts';
import { isAfter, isBefore, isOnce, parseCadence } from '../kernel/time.ts';
import { type ChargeTerms, ONE_OFF, type ScheduleDates } from './schedule.ts';
import { MOST_WINDOWS } from './schemas.ts';
import { periodsOf, windowsOf } from './windows.ts';

const problem = (field: string, message: string): FieldError => ({ field, message });

/** The faults in the dates of a schedule, by field. Pure. */
export function scheduleProblems(schedule: ScheduleDates): FieldError[] {
  const { startDate, endDate, periodPreset } = schedule;
  if (!isBefore(startDate, endDate)) return [problem('endDate', 'must be after startDate')];
  const custom = customProblems(schedule);
  if (custom.length > 0) return custom;
  const isMany = windowsOf(schedule).length > MOST_WINDOWS;
  return isMany ? [problem('periodPreset', `${periodPreset} makes more than ${MOST_WINDOWS} windows`)] : [];
}

function customProblems({
  startDate,
  endDate,
  periodPreset,
  customPeriodWindows: windows,
}: ScheduleDates): FieldError[] {
  const field = 'customPeriodWindows';
  if (periodPreset !== 'custom') return windows.length > 0 ? [problem(field, 'needs the periodPreset custom')] : [];
  if (windows.length === 0) return [problem(field, 'must name at least one window with the periodPreset custom')];
  return windows.flatMap(({ start, end }, index): FieldError[] => {
    const at = `${field}.${index}`;
    const before = windows[index - 1];
    if (!isBefore(start, end)) return [problem(`${at}.end`, 'must be after start')];
    if (isBefore(start, startDate)) return [problem(`${at}.start`, 'must not be before startDate')];
    if (isAfter(end, endDate)) return [problem(`${at}.end`, 'must not be after endDate')];
    if (before && isBefore(start, before.end))
      return [problem(`${at}.start`, 'must not be before the end of the window before')];
    return [];
  });
}

/** The faults of an interval of a schedule, by field. Pure. @param at the prefix of the names: `intervals.0.` */
export function intervalProblems(interval: ChargeTerms, schedule: ScheduleDates, at: string): FieldError[] {
  const dates = dateProblems(interval, schedule, at);
  const cadence = dates.length > 0 ? [] : cadenceProblems(interval, schedule, at);
  return [
    ...dates,
    ...cadence,
    ...(interval.unitPrice === null && interval.orderLineItemId === null
      ? [problem(`${at}unitPrice`, 'is required without an orderLineItemId')]
      : []),
    ...transitionProblems(interval, schedule, at),
  ];
}

function dateProblems({ startDate, endDate }: ChargeTerms, schedule: ScheduleDates, at: string): FieldError[] {
  if (isBefore(startDate, schedule.startDate))
    return [problem(`${at}startDate`, 'must not be before the startDate of the schedule')];
  if (!isBefore(startDate, schedule.endDate))
    return [problem(`${at}startDate`, 'must be before the endDate of the schedule')];
  if (endDate === null) return [];
  if (!isBefore(startDate, endDate)) return [problem(`${at}endDate`, 'must be after startDate')];
  return isAfter(endDate, schedule.endDate)
    ? [problem(`${at}endDate`, 'must not be after the endDate of the schedule')]
    : [];
}

function cadenceProblems(interval: ChargeTerms, schedule: ScheduleDates, at: string): FieldError[] {
  const { billingCadence, billDate, startDate, endDate } = interval;
  if (billingCadence === ONE_OFF) return [];
  if (parseCadence(billingCadence) === null || isOnce(billingCadence))
    return [problem(`${at}billingCadence`, 'must be a duration of whole days, weeks, months or years, or one_off')];
  if (billDate !== null) return [problem(`${at}billDate`, 'is only for the billingCadence one_off')];
  const span = { start: startDate, end: endDate ?? schedule.endDate };
  return periodsOf(schedule, billingCadence, span).length > MOST_WINDOWS
    ? [problem(`${at}billingCadence`, `makes more than ${MOST_WINDOWS} periods`)]
    : [];
}

function transitionProblems(interval: ChargeTerms, schedule: ScheduleDates, at: string): FieldError[] {
  const { quantityTransitions: transitions, startDate } = interval;
  const end = interval.endDate ?? schedule.endDate;
  return transitions.flatMap(({ effectiveDate }, index): FieldError[] => {
    const field = `${at}quantityTransitions.${index}.effectiveDate`;
    const before = transitions[index - 1];
    if (isBefore(effectiveDate, startDate)) return [problem(field, 'must not be before the startDate of the interval')];
    if (!isBefore(effectiveDate, end)) return [problem(field, 'must be before the end of the interval')];
    if (before && !isAfter(effectiveDate, before.effectiveDate))
      return [problem(field, 'must be after the effectiveDate before')];
    return [];
  });
}
