import { type Child, type Element, element, elementWith } from './xml.ts';

type Maybe<T> = T | null | undefined;

/** Code 102: `20251201`, the UTC day of an instant. */
const digits = (instant: Temporal.Instant): string =>
  instant.toZonedDateTimeISO('UTC').toPlainDate().toString().replaceAll('-', '');

/** A date in an element of this name. */
export const dateIn = (name: string, instant: Temporal.Instant): Element =>
  element(name, elementWith('udt:DateTimeString', { format: '102' }, digits(instant)));

/** The same where the schema has another type for it (references). */
export const formattedDateIn = (name: string, instant: Temporal.Instant): Element =>
  element(name, elementWith('qdt:DateTimeString', { format: '102' }, digits(instant)));

/** A half-open period by its first and its last day (BG-14, BG-26). */
export function periodOf(start: Maybe<Temporal.Instant>, end: Maybe<Temporal.Instant>): Child {
  if (!start || !end) return null;
  const last = Temporal.Instant.compare(end, start) > 0 ? end.subtract({ nanoseconds: 1 }) : start;
  return element('ram:BillingSpecifiedPeriod', dateIn('ram:StartDateTime', start), dateIn('ram:EndDateTime', last));
}
