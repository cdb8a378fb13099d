import { HOURS_PER_DAY, type Instant, SECONDS_PER_HOUR, SECONDS_PER_MINUTE } from '../kernel/time.ts';

/** The result of sending an event to an endpoint. */
export type Answered =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: string | null;
      /** The beginning of the answer. */
      readonly reply: string;
    }
  /** There was no answer. */
  | { readonly kind: 'failed'; readonly error: string };

/** Seconds before the first attempt, between the first and the second, … (domain.md §9). */
export const WAITS_SECONDS = [
  0,
  5,
  5 * SECONDS_PER_MINUTE,
  30 * SECONDS_PER_MINUTE,
  2 * SECONDS_PER_HOUR,
  5 * SECONDS_PER_HOUR,
  10 * SECONDS_PER_HOUR,
  14 * SECONDS_PER_HOUR,
  20 * SECONDS_PER_HOUR,
  24 * SECONDS_PER_HOUR,
] as const;

/** Waits are longer or shorter by up to this share, so that what failed together does not come again together. */
const JITTER = 0.2;
const MOST_RETRY_AFTER = 2; // times the wait
const MAY_ASK_FOR_TIME = new Set([429, 503]);
const GONE = 410;

/** The consequence of an attempt. */
export interface Verdict {
  readonly status: 'pending' | 'delivered' | 'exhausted';
  /** Null unless it is pending. */
  readonly nextAttemptAt: Instant | null;
  /** The endpoint says that it wants nothing any more. */
  readonly isGone: boolean;
}

/**
 * The consequence of an attempt: only an answer of 2xx is a delivery.
 * @param slot the number of the attempt since the event was put into the queue, from 1
 * @param chance between 0 and 1: how much earlier or later the next one is
 */
export function judge(answered: Answered, slot: number, chance: number, now: Instant): Verdict {
  if (isDelivered(answered)) return { status: 'delivered', nextAttemptAt: null, isGone: false };
  const isGone = answered.kind === 'answered' && answered.status === GONE;
  const wait = WAITS_SECONDS[slot];
  if (isGone || wait === undefined) return { status: 'exhausted', nextAttemptAt: null, isGone };
  const shortest = wait * (1 - JITTER + 2 * JITTER * chance);
  const asked = askedSeconds(answered, now);
  const seconds = Math.min(Math.max(shortest, asked), Math.max(shortest, MOST_RETRY_AFTER * wait));
  return { status: 'pending', nextAttemptAt: now.add({ milliseconds: Math.round(seconds * 1000) }), isGone };
}

/** Was it an answer of 2xx? */
export const isDelivered = (answered: Answered): boolean =>
  answered.kind === 'answered' && answered.status >= 200 && answered.status <= 299;

/** How long an endpoint that is busy wants to be left alone; 0 where it does not say so. */
function askedSeconds(answered: Answered, now: Instant): number {
  if (answered.kind === 'failed' || answered.retryAfter === null || !MAY_ASK_FOR_TIME.has(answered.status)) return 0;
  const text = answered.retryAfter.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const at = readHttpDate(text);
  return at === null ? 0 : Math.max(0, (at.epochMilliseconds - now.epochMilliseconds) / 1000);
}

const HTTP_DATE = /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}:\d{2}:\d{2}) GMT$/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that senders use. */
function readHttpDate(text: string): Instant | null {
  const [, day, month = '', year, time] = HTTP_DATE.exec(text) ?? [];
  const number = MONTHS.indexOf(month) + 1;
  if (number === 0) return null;
  try {
    return Temporal.Instant.from(`${year}-${String(number).padStart(2, '0')}-${day}T${time}Z`);
  } catch {
    return null;
  }
}

/** The recent results of an endpoint. */
export interface Health {
  /** The first failure after the last success. */
  readonly failingSince: Instant | null;
  readonly toldAt: Instant | null;
  /** Since then. */
  readonly failedAttempts: number;
}

/** An endpoint that only fails is disabled after so long, and after so many attempts. */
export const PATIENCE_HOURS = 5 * HOURS_PER_DAY;
const PATIENCE_ATTEMPTS = 10;

/**
 * The consequence for an endpoint of more failures at `now`.
 * @param secondsOff how long since the first failure the program was off: that counts for nobody
 */
export function decideHealth(
  { failingSince, toldAt, failedAttempts: before }: Health,
  failures: number,
  secondsOff: number,
  now: Instant,
): Health & { readonly notifies: boolean; readonly disables: boolean } {
  const since = failingSince ?? now;
  const failedAttempts = before + failures;
  const seconds = now.since(since).total('seconds') - secondsOff;
  const notifies = toldAt === null && seconds >= HOURS_PER_DAY * SECONDS_PER_HOUR;
  const disables = seconds >= PATIENCE_HOURS * SECONDS_PER_HOUR && failedAttempts >= PATIENCE_ATTEMPTS;
  return { failingSince: since, failedAttempts, toldAt: notifies ? now : toldAt, notifies, disables };
}
