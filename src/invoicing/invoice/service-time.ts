import {
  earliest,
  formatInstant,
  type Instant,
  type InstantText,
  instantOrNull,
  isBefore,
  latest,
} from '../../kernel/time.ts';
import type { InvoiceRow } from './invoice.ts';

/** The time of a supply, half-open; a point of time where both ends are the same. */
export interface ServiceTime {
  readonly from: Instant;
  readonly to: Instant;
}

interface SaidServiceTime {
  readonly serviceFrom?: InstantText | null | undefined;
  readonly serviceTo?: InstantText | null | undefined;
}

/** As a request says it: one end alone is a point of time. Null: it says neither. */
export function readServiceTime({ serviceFrom, serviceTo }: SaidServiceTime): ServiceTime | null {
  const [from, to] = [instantOrNull(serviceFrom), instantOrNull(serviceTo)];
  const [start, end] = [from ?? to, to ?? from];
  return start && end && { from: start, to: end };
}

/** Does it end before it begins? */
export const isBackwards = (time: ServiceTime | null): boolean => time !== null && isBefore(time.to, time.from);

/** The time of the supply of a one-off invoice that was said: of all of it, else from its first line to its last. */
export function saidServiceTime({ oneOff }: Pick<InvoiceRow, 'oneOff'>): ServiceTime | null {
  if (oneOff === null) return null;
  const times = oneOff.lines.flatMap(
    ({ periodStart, periodEnd }) => readServiceTime({ serviceFrom: periodStart, serviceTo: periodEnd }) ?? [],
  );
  return readServiceTime(oneOff) ?? spanOf(times);
}

/**
 * The time of the supply of a one-off invoice: as it was said, else the day of its issue. Null: before its issue, and
 * where it sells nothing, or the periods of a subscription.
 */
export function serviceTimeOf({
  oneOff,
  kind,
  issuedAt,
}: Pick<InvoiceRow, 'oneOff' | 'kind' | 'issuedAt'>): ServiceTime | null {
  const sells = oneOff?.lines.some(({ type }) => type !== 'wallet_top_up');
  if (kind === 'upfront' || !sells) return null;
  return saidServiceTime({ oneOff }) ?? (issuedAt && { from: issuedAt, to: issuedAt });
}

/** From the first to the last of some times; null of none. */
export const spanOf = (times: readonly ServiceTime[]): ServiceTime | null =>
  times.reduce<ServiceTime | null>(
    (span, { from, to }) => ({ from: earliest(span?.from ?? from, from), to: latest(span?.to ?? to, to) }),
    null,
  );

/** As it is stored, and answered. */
export const writeServiceTime = (time: ServiceTime | null) => ({
  serviceFrom: time && formatInstant(time.from),
  serviceTo: time && formatInstant(time.to),
});
