import { earliest, type Instant, isAfter, isBefore, latest, microsecondsBetween } from '../../kernel/time.ts';
import type { BalanceGrant, BalanceInputs } from './model.ts';

/** When a grant counts, ends and recurs, and which one is burned first (domain.md §5). */

/** When a grant begins to count: never before the entitlement. */
export const startOf = ({ activeFrom }: BalanceInputs, { effectiveAt }: BalanceGrant): Instant =>
  latest(effectiveAt, activeFrom);

/** When a grant no longer counts; null: never. */
export function endOf({ expiresAt, voidedAt }: BalanceGrant): Instant | null {
  return expiresAt && voidedAt ? earliest(expiresAt, voidedAt) : (expiresAt ?? voidedAt);
}

/** Was what is left at its end voided? Both at one instant: it expired. */
export const endsVoided = ({ expiresAt, voidedAt }: BalanceGrant): boolean =>
  voidedAt !== null && (expiresAt === null || isBefore(voidedAt, expiresAt));

// An issued grant was created by its reset, whenever its row was written: a row changes no figure.
const createdAt = (grant: BalanceGrant): Instant => grant.issuedAt ?? grant.createdAt;

function compareExpiry(a: Instant | null, b: Instant | null): number {
  if (a && b) return Temporal.Instant.compare(a, b);
  return Number(a === null) - Number(b === null);
}

/** The lowest priority first, then the earliest expiry (none is last), then creation: issued ones first at the same instant. */
export const burnOrder = (a: BalanceGrant, b: BalanceGrant): number =>
  a.priority - b.priority ||
  compareExpiry(a.expiresAt, b.expiresAt) ||
  Temporal.Instant.compare(createdAt(a), createdAt(b)) ||
  Number(a.issuedAt === null) - Number(b.issuedAt === null) ||
  Number(a.order - b.order) ||
  (a.id < b.id ? -1 : 1);

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
 * When a grant recurs in `(after, until]`, while it counts. What lies before `after` is passed over by arithmetic, however
 * often it recurred there.
 */
export function recurrencesIn(grant: BalanceGrant, after: Instant, until: Instant): Instant[] {
  const { effectiveAt, recurrence } = grant;
  const length = recurrence ? daysOf(recurrence) : 0;
  if (!recurrence || length <= 0) return [];
  const isTooFar = (n: number) => n * length > FARTHEST_DAYS + length / 2;
  const isPast = (n: number) => !isTooFar(n) && !isAfter(recurrenceNumber(effectiveAt, recurrence, n), after);
  const end = endOf(grant);
  const found: Instant[] = [];
  let n = Math.max(0, Math.floor(Number(microsecondsBetween(effectiveAt, after)) / MICROSECONDS_A_DAY / length));
  while (n > 0 && !isPast(n)) n -= 1; // the estimate is off by at most a few
  while (isPast(n + 1)) n += 1;
  for (n += 1; !isTooFar(n); n += 1) {
    const at = recurrenceNumber(effectiveAt, recurrence, n);
    if (isAfter(at, until) || (end !== null && !isBefore(at, end))) break;
    found.push(at);
  }
  return found;
}
