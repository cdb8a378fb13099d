import { decimal } from '../../kernel/decimal.ts';
import { earliest, type Instant, isAfter, isBefore, latest, microsecondsBetween } from '../../kernel/time.ts';
import type { BalanceGrant, BalanceInputs } from './model.ts';

/** When a grant counts, ends and recurs, and which one is burned first (domain.md §5). */

/** This bound means that there is none (§2 Grant), also to a grant of more than that. */
export const UNLIMITED = decimal('999999999999');

/** Does all that is left of a grant roll over? */
export const rollsOverWhole = ({ maxRollover }: BalanceGrant): boolean => maxRollover.gte(UNLIMITED);

/** When a grant begins to count: never before the entitlement. */
export const startOf = ({ activeFrom }: BalanceInputs, { effectiveAt }: BalanceGrant): Instant =>
  latest(effectiveAt, activeFrom);

/** When a grant no longer counts; null: never. */
export function endOf({ expiresAt, voidedAt }: BalanceGrant): Instant | null {
  return expiresAt && voidedAt ? earliest(expiresAt, voidedAt) : (expiresAt ?? voidedAt);
}

/** Was the remainder voided at its end? Both at one instant: it expired. */
export const endsVoided = ({ expiresAt, voidedAt }: BalanceGrant): boolean =>
  voidedAt !== null && (expiresAt === null || isBefore(voidedAt, expiresAt));

// An issued grant was created by its reset, whenever its row was written: a row changes no figure.
const createdAt = (grant: BalanceGrant): Instant => grant.issuedAt ?? grant.createdAt;

/** The order in which grants are burned. To compare instants themselves costs more than all the rest of a balance. */
export interface BurnKey {
  readonly priority: number;
  /** Microseconds since 1970, which a number holds exactly; of one without an expiry `Infinity`. */
  readonly expires: number;
  readonly created: number;
  readonly isIssued: boolean;
  readonly order: bigint;
  readonly id: string;
}

const microsecondsOf = (at: Instant): number => Number(at.epochNanoseconds / 1000n);

/** The order in which a grant is burned. */
export const burnKeyOf = (grant: BalanceGrant): BurnKey => ({
  priority: grant.priority,
  expires: grant.expiresAt === null ? Number.POSITIVE_INFINITY : microsecondsOf(grant.expiresAt),
  created: microsecondsOf(createdAt(grant)),
  isIssued: grant.issuedAt !== null,
  order: grant.order,
  id: grant.id,
});

/**
 * The lowest priority first, then the earliest expiry (none is last), then creation: issued ones first at the same
 * instant.
 */
export function burnOrder(a: BurnKey, b: BurnKey): number {
  if (a.priority !== b.priority) return a.priority - b.priority;
  if (a.expires !== b.expires) return a.expires < b.expires ? -1 : 1;
  if (a.created !== b.created) return a.created - b.created;
  if (a.isIssued !== b.isIssued) return a.isIssued ? -1 : 1;
  if (a.order !== b.order) return a.order < b.order ? -1 : 1;
  return a.id < b.id ? -1 : Number(a.id !== b.id);
}

const DAYS_A_YEAR = 365.2425;
const SECONDS_A_DAY = 86_400;
const MICROSECONDS_A_DAY = 86_400_000_000;
/** No instant of ours is this far from another: what lies beyond never comes. */
const FARTHEST_DAYS = 200 * 366;

/** The average length of a duration; for estimates only. */
function daysOf({ years, months, weeks, days, hours, minutes, seconds }: Temporal.Duration): number {
  const time = hours * 3600 + minutes * 60 + seconds;
  return (years + months / 12) * DAYS_A_YEAR + weeks * 7 + days + time / SECONDS_A_DAY;
}

/** `effectiveAt + n × recurrence`, always counted from `effectiveAt`, so that the 31st of a month is not lost. */
function recurrenceNumber(effectiveAt: Instant, recurrence: Temporal.Duration, n: number): Instant {
  const { years, months, weeks, days, hours, minutes, seconds } = recurrence;
  const date = { years: years * n, months: months * n, weeks: weeks * n, days: days * n };
  const time = { hours: hours * n, minutes: minutes * n, seconds: seconds * n };
  return effectiveAt
    .toZonedDateTimeISO('UTC')
    .add({ ...date, ...time })
    .toInstant();
}

/**
 * How often a grant has recurred at an instant, whether it still counts there or not; by arithmetic, however often that
 * is.
 */
export function recurrencesAt({ effectiveAt, recurrence }: BalanceGrant, at: Instant): number {
  const length = recurrence ? daysOf(recurrence) : 0;
  if (!recurrence || length <= 0) return 0;
  const isTooFar = (n: number) => n * length > FARTHEST_DAYS + length / 2;
  const isPast = (n: number) => !isTooFar(n) && !isAfter(recurrenceNumber(effectiveAt, recurrence, n), at);
  let n = Math.max(0, Math.floor(Number(microsecondsBetween(effectiveAt, at)) / MICROSECONDS_A_DAY / length));
  while (n > 0 && !isPast(n)) n -= 1; // the estimate is off by at most a few
  while (isPast(n + 1)) n += 1;
  return n;
}

/** The last instant at which a grant can recur, of those up to `until`. */
function lastOf(grant: BalanceGrant, until: Instant): Instant {
  const end = endOf(grant);
  return end === null ? until : earliest(until, end.subtract({ nanoseconds: 1 }));
}

/** How often a grant recurs in `(after, until]`, while it counts. */
export const countRecurrences = (grant: BalanceGrant, after: Instant, until: Instant): number =>
  grant.recurrence === null ? 0 : Math.max(0, recurrencesAt(grant, lastOf(grant, until)) - recurrencesAt(grant, after));

/** The recurrences of a grant, one after the other. */
export class RecurrenceCursor {
  readonly grant: BalanceGrant;
  #number: number;
  readonly #last: number;
  /** The next one; null: there is none. */
  next: Instant | null = null;

  /** Those in `(after, until]`, while the grant counts. */
  constructor(grant: BalanceGrant, after: Instant, until: Instant) {
    this.grant = grant;
    this.#number = recurrencesAt(grant, after);
    this.#last = recurrencesAt(grant, lastOf(grant, until));
    this.advance();
  }

  /**
   * Passes the next one, and with it those up to `until`, if that is given. @returns the numbers of the first and the
   * last
   */
  advance(until?: Instant): { first: number; last: number } {
    const first = this.#number;
    if (until) this.#number = Math.max(first, Math.min(this.#last, recurrencesAt(this.grant, until)));
    const last = this.#number;
    this.#number += 1;
    this.next = this.#number > this.#last ? null : this.at(this.#number);
    return { first, last };
  }

  /** When it recurs for the `number`th time. */
  at(number: number): Instant {
    return recurrenceNumber(this.grant.effectiveAt, this.grant.recurrence as Temporal.Duration, number);
  }
}
