/** Instants, cadences and periods (domain.md §1). Everything is UTC; an instant has at most microseconds. */

export type Instant = Temporal.Instant;

declare const isInstant: unique symbol;

/**
 * The text of an instant: one that a schema has checked (`Timestamp` in `http/schema.ts`), or that `formatInstant` has
 * written. `instantOf` reads it, and cannot fail.
 */
export type InstantText = string & { readonly [isInstant]: true };

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d{1,40})?([Zz]|[+-]\d{2}:\d{2})$/;

/** No timestamp before it is taken (api.md, Metering). */
export const EARLIEST = Temporal.Instant.from('2000-01-01T00:00:00Z');
/** No timestamp at or after it is taken; so it is later than anything that can happen. */
export const END_OF_TIME: Instant = Temporal.Instant.from('2200-01-01T00:00:00Z');

export const SECONDS_PER_MINUTE = 60;
export const SECONDS_PER_HOUR = 60 * SECONDS_PER_MINUTE;
/** Everything is UTC, so each day has 24 hours. */
export const HOURS_PER_DAY = 24;

/**
 * Reads an RFC 3339 date-time with any offset; cut, never rounded, to the microsecond. A bare date, a time without
 * offset, second 60, hour 24 and anything outside the years 2000 to 2199 are refused.
 * @returns null where the text is no such date-time.
 */
export function parseInstant(text: string): Instant | null {
  const written = rewriteInstant(text);
  return written === null ? null : Temporal.Instant.from(written);
}

/** The instant of a text that was checked before. */
export const instantOf = (text: InstantText): Instant => Temporal.Instant.from(rewriteInstant(text) ?? text);

/** The same where there may be no text. */
export const instantOrNull = (text: InstantText | null | undefined): Instant | null => (text ? instantOf(text) : null);

const UTC = /^2[01]\d\d-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,40}))?Z$/;
const SHORTEST_MONTH_DAYS = 28;
const MOST_FRACTION_DIGITS = 6;
const SECONDS_END = 19;

/**
 * Reads a date-time like `parseInstant` and writes it as `formatInstant` does; for those of which there are many,
 * because what is in UTC already, as most are, is only looked at.
 */
export function rewriteInstant(text: string): string | null {
  const [, month, day, hour, minute, second, fraction] = UTC.exec(text) ?? [];
  const isPlain =
    Number(month) >= 1 &&
    Number(month) <= 12 &&
    Number(day) >= 1 &&
    Number(day) <= SHORTEST_MONTH_DAYS &&
    Number(hour) <= 23 &&
    Number(minute) <= 59 &&
    Number(second) <= 59;
  if (!isPlain) return parseAnyInstant(text)?.toString() ?? null;
  if (fraction === undefined) return text;
  let kept = Math.min(fraction.length, MOST_FRACTION_DIGITS);
  while (kept > 0 && fraction[kept - 1] === '0') kept -= 1;
  if (kept === fraction.length) return text;
  return `${text.slice(0, kept === 0 ? SECONDS_END : SECONDS_END + 1 + kept)}Z`;
}

function parseAnyInstant(text: string): Instant | null {
  const parts = RFC3339.exec(text);
  if (!parts || Number(parts[6]) > 59) return null;
  const fraction = (parts[7] ?? '').slice(0, 7);
  const date = `${parts[1]}-${parts[2]}-${parts[3]}`;
  const time = `${parts[4]}:${parts[5]}:${parts[6]}${fraction}${(parts[8] as string).toUpperCase()}`;
  try {
    const instant = Temporal.Instant.from(`${date}T${time}`);
    return isBefore(instant, EARLIEST) || !isBefore(instant, END_OF_TIME) ? null : instant;
  } catch {
    return null;
  }
}

/** ISO 8601 in UTC with `Z`; a whole second has no fraction. */
export const formatInstant = (instant: Instant): InstantText => instant.toString() as InstantText;

/**
 * Is `a` earlier than `b`? Instants do not compare with `<`, which throws. `Temporal.Instant.compare` copies both of
 * them, which takes fifteen times as long, and a bill compares instants thousands of times.
 */
export const isBefore = (a: Instant, b: Instant): boolean => a.epochNanoseconds < b.epochNanoseconds;
/** Is `a` later than `b`? */
export const isAfter = (a: Instant, b: Instant): boolean => a.epochNanoseconds > b.epochNanoseconds;
/** The earlier of two instants. */
export const earliest = (a: Instant, b: Instant): Instant => (isAfter(a, b) ? b : a);
/** The later of two instants. */
export const latest = (a: Instant, b: Instant): Instant => (isAfter(a, b) ? a : b);

/** Whole microseconds from one instant to another, negative backwards: exact, for proration. */
export const microsecondsBetween = (from: Instant, to: Instant): bigint =>
  (to.epochNanoseconds - from.epochNanoseconds) / 1000n;

/**
 * A billing cadence: whole months and whole days, `months` from years and months, `days` from weeks and days; never
 * both.
 */
export interface Cadence {
  readonly months: number;
  readonly days: number;
}

const CADENCE = /^P(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,4})D)?$/;
const MOST_CADENCE_MONTHS = 1200;
const MOST_CADENCE_DAYS = 36525;

/**
 * Reads a cadence of a whole number of days, weeks, months or years (domain.md §2); `P0D` means once.
 * @returns null for anything else: a time part, a mixture of months and days, a length of over a hundred years.
 */
export function parseCadence(text: string): Cadence | null {
  const known = CADENCES.get(text);
  if (known) return known;
  const cadence = readCadence(text);
  if (cadence && CADENCES.size < MOST_KNOWN_CADENCES) CADENCES.set(text, cadence);
  return cadence;
}

/** Cadences that were read before: a bill asks for the same few of them thousands of times. */
const CADENCES = new Map<string, Cadence>();
const MOST_KNOWN_CADENCES = 1000;

function readCadence(text: string): Cadence | null {
  const parts = CADENCE.exec(text);
  if (!parts || text === 'P') return null;
  const [years, months, weeks, days] = parts.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
  ];
  const cadence = { months: years * 12 + months, days: weeks * 7 + days };
  if (cadence.months > 0 && cadence.days > 0) return null;
  if (cadence.months === 0 && cadence.days === 0) return /^P0[DWMY]$/.test(text) ? cadence : null;
  return cadence.months > MOST_CADENCE_MONTHS || cadence.days > MOST_CADENCE_DAYS ? null : cadence;
}

/** The normal form in which cadences compare: P12M = P1Y, P7D = P1W, P0M = P0D. */
export function normaliseCadence(text: string): string {
  const cadence = parseCadence(text);
  if (!cadence) throw new RangeError(`${text} is no cadence.`);
  if (cadence.months > 0) return cadence.months % 12 === 0 ? `P${cadence.months / 12}Y` : `P${cadence.months}M`;
  return cadence.days > 0 && cadence.days % 7 === 0 ? `P${cadence.days / 7}W` : `P${cadence.days}D`;
}

/** `P0D`: billed once. */
export const isOnce = (text: string): boolean => normaliseCadence(text) === 'P0D';

/**
 * The start of period `n`: `anchor + n × cadence`, always from the anchor, in UTC. 31 Jan, 28 Feb, 31 Mar: stepping
 * from each end to the next would lose the 31st for ever (domain.md §1).
 */
export function boundary(anchor: Instant, cadence: Cadence, n: number): Instant {
  const known = BOUNDARIES.get(anchor) ?? new Map<string, Instant>();
  const key = `${cadence.months * n} ${cadence.days * n}`;
  const found = known.get(key);
  if (found) return found;
  const local = anchor.toZonedDateTimeISO('UTC');
  const start = local.add({ months: cadence.months * n, days: cadence.days * n }).toInstant();
  if (known.size < MOST_KNOWN_BOUNDARIES) BOUNDARIES.set(anchor, known.set(key, start));
  return start;
}

/** Starts of periods that were asked before, by their anchor: a bill asks for a few of them dozens of times. */
const BOUNDARIES = new WeakMap<Instant, Map<string, Instant>>();
const MOST_KNOWN_BOUNDARIES = 100;

/** Half-open `[start, end)`. */
export interface Period {
  readonly start: Instant;
  readonly end: Instant;
}

/** Period `n` of a series: from `anchor + n × cadence` to `anchor + (n + 1) × cadence`. */
export const periodNumber = (anchor: Instant, cadence: Cadence, n: number): Period => ({
  start: boundary(anchor, cadence, n),
  end: boundary(anchor, cadence, n + 1),
});

/** The number of the period that holds `at` (negative before the anchor). */
export function periodIndexAt(anchor: Instant, cadence: Cadence, at: Instant): number {
  if (cadence.months === 0 && cadence.days === 0) throw new RangeError('P0D has no periods.');
  const days = Number(microsecondsBetween(anchor, at)) / 86_400_000_000;
  let n = Math.floor(days / (cadence.months > 0 ? cadence.months * 30.436875 : cadence.days));
  while (isAfter(boundary(anchor, cadence, n), at)) n -= 1; // the estimate is off by at most a few periods
  while (!isAfter(boundary(anchor, cadence, n + 1), at)) n += 1;
  return n;
}

/** The period of a series that holds `at`. */
export const periodAt = (anchor: Instant, cadence: Cadence, at: Instant): Period =>
  periodNumber(anchor, cadence, periodIndexAt(anchor, cadence, at));

const DURATION =
  /^P(?=\d|T\d)(?:\d{1,6}Y)?(?:\d{1,6}M)?(?:\d{1,6}W)?(?:\d{1,6}D)?(?:T(?=\d)(?:\d{1,9}H)?(?:\d{1,9}M)?(?:\d{1,9}S)?)?$/;

/** Reads an ISO 8601 duration of whole, non-negative parts. @returns null for anything else. */
export function parseDuration(text: string): Temporal.Duration | null {
  return DURATION.test(text) ? Temporal.Duration.from(text) : null;
}

/** An instant moved by a duration in the UTC calendar. */
export const addDuration = (instant: Instant, duration: Temporal.Duration): Instant =>
  instant.toZonedDateTimeISO('UTC').add(duration).toInstant();

/** How long something lasts if nobody says, and at most. */
export interface Lengths {
  readonly usual: Temporal.Duration;
  readonly longest: Temporal.Duration;
}

/**
 * The end of what begins now and lasts for a duration that somebody has written; absent, the usual one.
 * @returns null where the text is no duration, and where it is not above 0 or above the longest one
 */
export function endOfDuration(text: string | undefined, { usual, longest }: Lengths, now: Instant): Instant | null {
  const duration = text === undefined ? usual : parseDuration(text);
  if (duration === null) return null;
  try {
    const end = addDuration(now, duration);
    return isAfter(end, now) && !isAfter(end, addDuration(now, longest)) ? end : null;
  } catch (error) {
    if (error instanceof RangeError) return null; // beyond the end of time
    throw error;
  }
}
