import { daysOf } from '../../look/index.ts';
import type { Span } from '../time-of-supply.ts';
import { type Child, type Element, element, elementWith } from './xml.ts';

type Day = Temporal.Instant | Temporal.PlainDate;

/** Code 102: `20251201`; of an instant its UTC day. */
const digits = (day: Day): string =>
  (day instanceof Temporal.Instant ? day.toZonedDateTimeISO('UTC').toPlainDate() : day).toString().replaceAll('-', '');

/** A date in an element of this name. */
export const dateIn = (name: string, day: Day): Element =>
  element(name, elementWith('udt:DateTimeString', { format: '102' }, digits(day)));

/** The same where the schema has another type for it (references). */
export const formattedDateIn = (name: string, instant: Temporal.Instant): Element =>
  element(name, elementWith('qdt:DateTimeString', { format: '102' }, digits(instant)));

/** A time by its first and its last day (BG-14, BG-26). */
export function periodOf(time: Span | null): Child {
  if (time === null) return null;
  const { first, last } = daysOf(time.from, time.to);
  return element('ram:BillingSpecifiedPeriod', dateIn('ram:StartDateTime', first), dateIn('ram:EndDateTime', last));
}
