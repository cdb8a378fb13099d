import { minorDigits } from '../kernel/currency.ts';
import { type Decimal, decimal, plain } from '../kernel/decimal.ts';

/** Figures and dates as they stand on paper: English, UTC, every digit of the value and at least those of its currency. */

const MOST_DIGITS = 100; // what Intl can show; kernel decimals stay far below

const formatters = new Map<string, Intl.NumberFormat>();

function formatter(key: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const known = formatters.get(key);
  if (known) return known;
  const made = new Intl.NumberFormat('en', options);
  formatters.set(key, made);
  return made;
}

const fractionDigits = (value: Decimal): number => Math.min(value.decimalPlaces(), MOST_DIGITS);

/** Intl formats decimal text exactly, beyond what a number holds; a true minus sign is as wide as the digits. */
const show = (format: Intl.NumberFormat, value: Decimal): string =>
  format.format(plain(value.isZero() ? value.abs() : value) as Intl.StringNumericLiteral).replace('-', '\u2212');

/** An amount with its currency: `€1,234.50`, `¥1,200`, `KWD 0.125`. @throws for no ISO 4217 currency or no decimal. */
export function money(text: string, currency: string): string {
  const value = decimal(text);
  const digits = Math.max(minorDigits(currency), fractionDigits(value));
  return show(
    formatter(`${currency}/${digits}`, {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }),
    value,
  );
}

/** An amount or a price without its currency: `1,234.50`. */
export function amount(text: string, currency: string): string {
  const value = decimal(text);
  const digits = Math.max(minorDigits(currency), fractionDigits(value));
  return show(formatter(`/${digits}`, { minimumFractionDigits: digits, maximumFractionDigits: digits }), value);
}

/** A quantity with its own digits and no more: `1,200`, `0.5`. */
export function quantity(text: string): string {
  const value = decimal(text);
  const digits = fractionDigits(value);
  return show(formatter(`/${digits}`, { minimumFractionDigits: digits, maximumFractionDigits: digits }), value);
}

/** A rate in percent: `8.875%`. */
export const percent = (text: string): string => `${quantity(text)}%`;

/** The same figure with places where it may break, so that a figure wider than its column loses no digit. */
export const breakable = (figure: string): string =>
  figure.length > 16 ? figure.replace(/[,.]|\d{6}(?=\d)/g, '$&\u200b') : figure;

// Our own names: what Intl calls September has changed with its data before, and a document must not change with it.
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

const NO_BREAK = '\u00a0';

const utc = (instant: Temporal.Instant): Temporal.ZonedDateTime => instant.toZonedDateTimeISO('UTC');
const longMonth = (date: Temporal.ZonedDateTime): string => MONTHS[date.month - 1] as string;
const shortMonth = (date: Temporal.ZonedDateTime): string => longMonth(date).slice(0, 3);

/** `1 December 2025`, the UTC day of the instant. */
export function day(instant: Temporal.Instant): string {
  const date = utc(instant);
  return `${date.day}${NO_BREAK}${longMonth(date)}${NO_BREAK}${date.year}`;
}

/** The days that a half-open period touches: `1 – 30 Nov 2025`, `15 Nov – 14 Dec 2025`, `3 Nov 2025`. */
export function period(start: Temporal.Instant, end: Temporal.Instant): string {
  const first = utc(start);
  const last = Temporal.Instant.compare(end, start) > 0 ? utc(end.subtract({ nanoseconds: 1 })) : first;
  const closing = `${last.day} ${shortMonth(last)} ${last.year}`;
  if (first.year !== last.year) return `${first.day} ${shortMonth(first)} ${first.year} – ${closing}`;
  if (first.month !== last.month) return `${first.day} ${shortMonth(first)} – ${closing}`;
  return first.day === last.day ? closing : `${first.day} – ${closing}`;
}
