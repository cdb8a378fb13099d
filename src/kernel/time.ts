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
export const EARLIEST = /* @__PURE__ */ Temporal.Instant.from('2000-01-01T00:00:00Z');
/** No timestamp at or after it is taken; so it is later than anything that can happen. */
export const END_OF_TIME: Instant = /* @__PURE__ */ Temporal.Instant.from('2200-01-01T00:00:00Z');

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

const UTC = /^2[01]\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,40})?Z$/;
const SHORTEST_MONTH_DAYS = 28;
const SECONDS_END = 19;
const FRACTION_START = 20;
const MICROSECOND_END = 26;
const ZERO = 0x30;

/** The number that two digits are. */
const twoDigitsAt = (text: string, place: number): number =>
  10 * (text.charCodeAt(place) - ZERO) + text.charCodeAt(place + 1) - ZERO;

/**
 * Reads a date-time like `parseInstant` and writes it as `formatInstant` does; for those of which there are many,
 * because what is in UTC already, as most are, is only looked at.
 */
export function rewriteInstant(text: string): string | null {
  const month = twoDigitsAt(text, 5);
  const day = twoDigitsAt(text, 8);
  const isPlain =
    UTC.test(text) &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= SHORTEST_MONTH_DAYS &&
    twoDigitsAt(text, 11) <= 23 &&
    twoDigitsAt(text, 14) <= 59 &&
    twoDigitsAt(text, 17) <= 59;
  if (!isPlain) return parseAnyInstant(text)?.toString() ?? null;
  if (text.length === FRACTION_START) return text;
  let end = Math.min(text.length - 1, MICROSECOND_END);
  while (end > FRACTION_START && text.charCodeAt(end - 1) === ZERO) end -= 1;
  if (end === text.length - 1) return text;
  return `${text.slice(0, end === FRACTION_START ? SECONDS_END : end)}Z`;
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

const MILLISECONDS_PER_DAY = HOURS_PER_DAY * SECONDS_PER_HOUR * 1_000;
const NANOSECONDS_PER_DAY = BigInt(MILLISECONDS_PER_DAY) * 1_000_000n;

/** From 1 March of the year 0 to the beginning of 1970. */
const DAYS_TO_1970 = 719_468;
const DAYS_PER_MONTH = 30.436875;

/** Days from 1 March of the year 0 to a month. Months are counted from that March, so a leap day ends its year. */
function daysBefore(month: number): number {
  const year = Math.floor(month / 12);
  const leapDays = Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400);
  return 365 * year + leapDays + Math.floor((153 * (month - 12 * year) + 2) / 5);
}

/** The month that holds a day. */
function monthOf(day: number): number {
  const month = Math.floor(day / DAYS_PER_MONTH); // off by at most one
  if (daysBefore(month) > day) return month - 1;
  return daysBefore(month + 1) <= day ? month + 1 : month;
}

/**
 * The start of period `n`: `anchor + n × cadence`, always from the anchor, in UTC. 31 Jan, 28 Feb, 31 Mar: stepping
 * from each end to the next would lose the 31st for ever (domain.md §1). Counting days takes a fifth of the time of
 * Temporal's calendar, and a balance asks for dozens of boundaries.
 */
export function boundary(anchor: Instant, cadence: Cadence, n: number): Instant {
  const day = Math.floor(anchor.epochMilliseconds / MILLISECONDS_PER_DAY) + DAYS_TO_1970;
  const month = monthOf(day);
  const [start, end] = [daysBefore(month + cadence.months * n), daysBefore(month + cadence.months * n + 1)];
  const moved = Math.min(start + day - daysBefore(month), end - 1) + cadence.days * n - day;
  return Temporal.Instant.fromEpochNanoseconds(anchor.epochNanoseconds + BigInt(moved) * NANOSECONDS_PER_DAY);
}

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

/** A period of a series, and its number. */
export interface NumberedPeriod extends Period {
  readonly number: number;
}

/** The period of a series that holds `at`; its number is negative before the anchor. */
export function periodAt(anchor: Instant, cadence: Cadence, at: Instant): NumberedPeriod {
  if (cadence.months === 0 && cadence.days === 0) throw new RangeError('P0D has no periods.');
  const days = (at.epochMilliseconds - anchor.epochMilliseconds) / MILLISECONDS_PER_DAY;
  let number = Math.floor(days / (cadence.months > 0 ? cadence.months * DAYS_PER_MONTH : cadence.days));
  let { start, end } = periodNumber(anchor, cadence, number);
  for (; isAfter(start, at); number -= 1) [start, end] = [boundary(anchor, cadence, number - 1), start];
  for (; !isAfter(end, at); number += 1) [start, end] = [end, boundary(anchor, cadence, number + 2)];
  return { start, end, number }; // the estimate is off by at most a few periods
}

/** The number of the period that holds `at`. */
export const periodIndexAt = (anchor: Instant, cadence: Cadence, at: Instant): number =>
  periodAt(anchor, cadence, at).number;

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
