import { Decimal, decimal, ZERO } from '../../kernel/decimal.ts';
import { earliest, type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import { type Commitment, earlyEndOf, type HeldSegment, heldSegments, type StoredSegment } from './commitment.ts';

/** A date at which a prepaid commitment asks money. */
export interface PrepaidDate {
  readonly place: number;
  readonly at: Instant;
  /** Before tax. */
  readonly amount: Decimal;
}

type Agreed = Pick<Commitment, 'segments' | 'invoiceAt'>;

/** The dates as they were agreed: with `start` each segment is asked at its own start. */
export function agreedDates({ segments, invoiceAt }: Agreed): PrepaidDate[] {
  const agreed =
    invoiceAt === 'start' ? segments.map(({ startDate, amount }) => ({ date: startDate, amount })) : (invoiceAt ?? []);
  return agreed.map(({ date, amount }, place) => ({
    place,
    at: Temporal.Instant.from(date),
    amount: decimal(amount),
  }));
}

/** The dates that ask (commercial.md §4): an early end brings them forward where they are owed, else it ends them. */
export function askedDates(
  commitment: Agreed & Pick<Commitment, 'endedAt' | 'onEnd'>,
  endsAt: Instant | null,
): PrepaidDate[] {
  const early = earlyEndOf(commitment, endsAt);
  const dates = agreedDates(commitment).filter(({ amount }) => amount.gt(0));
  if (early === null) return dates;
  if (commitment.onEnd === 'owed') return dates.map((date) => ({ ...date, at: earliest(date.at, early) }));
  return dates.filter(({ at }) => isBefore(at, early));
}

/** The early end that has come; null: none has. */
export function reachedEnd(
  commitment: Pick<Commitment, 'segments' | 'endedAt'>,
  endsAt: Instant | null,
  now: Instant,
): Instant | null {
  const early = earlyEndOf(commitment, endsAt);
  return early !== null && !isAfter(early, now) ? early : null;
}

/**
 * The times and amounts of the billing credits of segments. An early end that is prorated shortens them; any other one
 * leaves them as they are.
 */
export function creditSegments(commitment: Commitment, endsAt: Instant | null, now: Instant): HeldSegment[] {
  const early = reachedEnd(commitment, endsAt, now);
  if (early !== null && commitment.onEnd === 'prorated') return heldSegments(commitment, early);
  return commitment.segments.map(({ startDate, endDate, amount }: StoredSegment) => ({
    start: Temporal.Instant.from(startDate),
    until: Temporal.Instant.from(endDate),
    amount: decimal(amount),
  }));
}

/**
 * Money fills segments in their order.
 * @param rooms what each can still take
 * @returns what each takes
 */
export function fillSegments(rooms: readonly Decimal[], money: Decimal): Decimal[] {
  let open = money;
  return rooms.map((room) => {
    const taken = Decimal.max(ZERO, Decimal.min(room, open));
    open = open.minus(taken);
    return taken;
  });
}
