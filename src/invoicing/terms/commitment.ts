import { Decimal, decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { partOf, scale } from '../../kernel/fraction.ts';
import { roundTo } from '../../kernel/money.ts';
import { earliest, type Instant, isAfter, isBefore, latest } from '../../kernel/time.ts';
import type { AppliesTo } from './applies-to.ts';
import type { PriceOverride } from './billing-terms.ts';

export const COMMITMENT_TYPES = ['prepaid', 'postpaid'] as const;
export const TRUE_UPS = ['segment', 'term'] as const;
export const ENDS = ['owed', 'prorated', 'waived'] as const;
export const AVAILABLE_ON = ['issue', 'payment'] as const;

/** A part of the term of a commitment, as it is stored: times are RFC 3339, the amount is decimal text. */
export interface StoredSegment {
  readonly startDate: string;
  /** Exclusive. */
  readonly endDate: string;
  readonly amount: string;
}

/** A date at which a prepaid commitment asks an amount, stored alike. */
export interface StoredDate {
  readonly date: string;
  readonly amount: string;
}

/** What of the rest of a segment goes on, for how long: the fraction is decimal text. */
export interface Rollover {
  readonly fraction: string;
  readonly days: number;
}

/** What a customer has promised to spend over a term (commercial.md §4). */
export interface Commitment {
  readonly merchantId: string;
  readonly id: string;
  readonly customerId: string;
  /** Its spending counts; null: that of several, of its order or of all of the customer's on its clock. */
  readonly subscriptionId: string | null;
  readonly orderId: string | null;
  readonly name: string;
  readonly currency: string;
  readonly type: (typeof COMMITMENT_TYPES)[number];
  /** In the order of time, without gaps. */
  readonly segments: readonly StoredSegment[];
  readonly appliesTo: AppliesTo;
  /** Spending counts for the lowest first. */
  readonly priority: number;
  readonly trueUp: (typeof TRUE_UPS)[number] | null;
  /** Of a prepaid one: each segment at its start, or dates; null: postpaid. */
  readonly invoiceAt: 'start' | readonly StoredDate[] | null;
  /** Of a prepaid one: what its billing credits wait for. */
  readonly availableOn: (typeof AVAILABLE_ON)[number] | null;
  readonly rollover: Rollover | null;
  readonly onEnd: (typeof ENDS)[number];
  /** Agreed prices that hold while it does; a window of their own may be shorter. */
  readonly overrides: readonly PriceOverride[];
  /** When a person ended it. */
  readonly endedAt: Instant | null;
  readonly endReason: string | null;
  readonly clockId: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly nextActionAt: Instant | null;
}

/** A segment as far as the commitment lasted: spending of `[start, until)` counts for it. */
export interface HeldSegment {
  readonly start: Instant;
  readonly until: Instant;
  /** What has to be spent in it. */
  readonly amount: Decimal;
}

/** An amount that spending must reach, and from when on what is missing is asked. */
export interface Target {
  /** The place of its segment; of all of a term the last one. */
  readonly segment: number;
  readonly start: Instant;
  readonly end: Instant;
  readonly amount: Decimal;
}

const startOf = ({ startDate }: StoredSegment): Instant => Temporal.Instant.from(startDate);
const endOfSegment = ({ endDate }: StoredSegment): Instant => Temporal.Instant.from(endDate);

type Term = Pick<Commitment, 'segments' | 'trueUp' | 'onEnd' | 'endedAt' | 'currency'>;

/** The end of the term as it was agreed. */
export const endOfTerm = ({ segments }: Pick<Commitment, 'segments'>): Instant =>
  endOfSegment(segments.at(-1) as StoredSegment);

/**
 * When a commitment ended before its term: by a person, or with its subscription; null: it did not.
 * @param endsAt the end of its subscription; null: none is set
 */
export function earlyEndOf(commitment: Pick<Term, 'segments' | 'endedAt'>, endsAt: Instant | null): Instant | null {
  const { endedAt } = commitment;
  const end = endedAt && endsAt ? earliest(endedAt, endsAt) : (endedAt ?? endsAt);
  return end !== null && isBefore(end, endOfTerm(commitment)) ? end : null;
}

/**
 * The segments of a commitment as far as it lasted, with what its end left of their amounts. Where its subscription
 * ended as of the past and all of it is owed, what stays billed behind that end is spent on it, too.
 */
export function heldSegments(commitment: Term, endsAt: Instant | null): HeldSegment[] {
  const { segments, onEnd, currency } = commitment;
  const early = earlyEndOf(commitment, endsAt);
  return segments.map((segment): HeldSegment => {
    const [start, end, amount] = [startOf(segment), endOfSegment(segment), decimal(segment.amount)];
    if (early === null || !isAfter(end, early)) return { start, until: end, amount };
    const until = latest(start, early);
    if (onEnd === 'owed' && endsAt?.equals(early)) return { start, until: end, amount };
    if (onEnd !== 'prorated') return { start, until, amount };
    const part = scale(amount, partOf({ start, end }, start, until));
    return { start, until, amount: roundTo(part, currency, 'half-away-from-zero') };
  });
}

/**
 * The amounts that a commitment asks, in the order of time (commercial.md §4). An end may waive those after it: then
 * nothing is missing, also to what was asked before the end was said.
 */
export function targetsOf(commitment: Term, endsAt: Instant | null): Target[] {
  const early = earlyEndOf(commitment, endsAt);
  const held = heldSegments(commitment, endsAt);
  const isWaived = ({ until }: HeldSegment, place: number) =>
    early !== null &&
    commitment.onEnd === 'waived' &&
    isBefore(until, endOfSegment(commitment.segments[place] as StoredSegment));
  if (commitment.trueUp === 'term') {
    const [first, last] = [held[0] as HeldSegment, held.at(-1) as HeldSegment];
    const amount = held.some(isWaived) ? ZERO : sum(held.map((each) => each.amount));
    const end = early ?? last.until;
    return [{ segment: held.length - 1, start: earliest(first.start, end), end, amount }];
  }
  return held.map((segment, place): Target => {
    const end = early === null ? segment.until : earliest(segment.until, early);
    const amount = isWaived(segment, place) ? ZERO : segment.amount;
    return { segment: place, start: earliest(segment.start, end), end, amount };
  });
}

/** What is missing to an amount. */
export const missingTo = (amount: Decimal, spent: Decimal): Decimal => Decimal.max(ZERO, amount.minus(spent));
