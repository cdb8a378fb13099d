import { type Instant, isBefore } from '../kernel/time.ts';

/**
 * The day, in UTC, whose rates and registrations count for an invoice: the last one of its period, for services that
 * are billed by period are supplied as it ends (Article 64(1) of Directive 2006/112/EC). Of an invoice without a
 * period, whose start is its end, the day on which it was made.
 */
export function taxPoint(start: Instant, end: Instant): string {
  const last = isBefore(start, end) ? end.subtract({ microseconds: 1 }) : end;
  return last.toZonedDateTimeISO('UTC').toPlainDate().toString();
}
