import { type Decimal, ZERO } from '../../kernel/decimal.ts';
import { partOf, scale } from '../../kernel/fraction.ts';
import { roundTo } from '../../kernel/money.ts';
import { earliest, type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import { type Commitment, earlyEndOf, endOfTerm, missingTo, type StoredSegment } from '../terms/commitment.ts';

export const COMMITMENT_STATUSES = ['scheduled', 'active', 'ended'] as const;

/** A commitment with what is spent for it. */
export interface ReadCommitment {
  readonly commitment: Commitment;
  /** The end of its subscription. */
  readonly endsAt: Instant | null;
  /** For each segment. */
  readonly spent: readonly Decimal[];
  /** For each segment the invoice that asked what was missing. */
  readonly invoiceIds: readonly (string | null)[];
  /** For each date of a prepaid one its invoice. */
  readonly ofDates: readonly (string | null)[];
  /** For each segment of a prepaid one its first billing credit. */
  readonly creditIds: readonly (string | null)[];
  /** Effective now for it. */
  readonly now: Instant;
}

/** Is it over at an instant, and since when is it because it was ended before its term? */
export function standingOf(
  commitment: Pick<Commitment, 'segments' | 'endedAt'>,
  endsAt: Instant | null,
  now: Instant,
): { readonly status: (typeof COMMITMENT_STATUSES)[number]; readonly endedAt: Instant | null } {
  const early = earlyEndOf(commitment, endsAt);
  const endedAt = early !== null && !isAfter(early, now) ? early : null;
  const start = Temporal.Instant.from((commitment.segments[0] as StoredSegment).startDate);
  if (endedAt !== null || !isAfter(endOfTerm(commitment), now)) return { status: 'ended', endedAt };
  return { status: isAfter(start, now) ? 'scheduled' : 'active', endedAt };
}

const PACE_DIGITS = 4;
const MICROSECONDS_PER_SECOND = 1_000_000;

/** The figures of a segment (commercial.md §4): `pace` and `forecast` are null before a second of it is over. */
export function figuresOf(
  { start, end, amount }: { readonly start: Instant; readonly end: Instant; readonly amount: Decimal },
  spent: Decimal,
  { now, currency }: { readonly now: Instant; readonly currency: string },
) {
  const missing = missingTo(amount, spent);
  const until = earliest(end, now);
  const isBegun = !isBefore(until, start.add({ microseconds: MICROSECONDS_PER_SECOND }));
  const over = isBegun ? scale(amount, partOf({ start, end }, start, until)) : ZERO;
  const { numerator, denominator } = isBegun
    ? partOf({ start, end }, start, until)
    : { numerator: 1n, denominator: 1n };
  const forecast = scale(spent, { numerator: denominator, denominator: numerator });
  return {
    missing,
    pace: isBegun && over.gt(0) ? spent.div(over).toDecimalPlaces(PACE_DIGITS) : null,
    forecast: isBegun ? roundTo(forecast, currency, 'half-away-from-zero') : null,
  };
}
