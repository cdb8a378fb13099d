import { earliest, latest } from '../kernel/time.ts';
import type { DocumentLine, InvoiceDocument } from './document.ts';

/** A time, half-open; a day where both ends are the same. */
export interface Span {
  readonly from: Temporal.Instant;
  readonly to: Temporal.Instant;
}

/** The time of a line, where it has one. */
export const timeOfLine = ({ periodStart, periodEnd }: DocumentLine): Span | null =>
  periodStart && periodEnd ? { from: periodStart, to: periodEnd } : null;

/**
 * The time of what a document bills. `service` is the time of a supply without a billing period. `period` goes from the
 * first start to the last end of the lines, because the fees of a period are in advance and its usage is in arrears;
 * without times of lines it is the billing period.
 */
export function timeOfSupply(document: InvoiceDocument): {
  readonly service: Span | null;
  readonly period: Span | null;
} {
  const { serviceFrom, serviceTo, periodStart, periodEnd, lines } = document;
  const times = lines.map(timeOfLine).filter((time) => time !== null);
  if (serviceFrom)
    return { service: spanOf([{ from: serviceFrom, to: serviceTo ?? serviceFrom }, ...times]), period: null };
  const own = periodStart && periodEnd ? { from: periodStart, to: periodEnd } : null;
  return { service: null, period: spanOf(times) ?? own };
}

const spanOf = (times: readonly Span[]): Span | null =>
  times.reduce<Span | null>(
    (span, { from, to }) => ({ from: earliest(span?.from ?? from, from), to: latest(span?.to ?? to, to) }),
    null,
  );
