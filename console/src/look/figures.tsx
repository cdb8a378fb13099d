import { decimal } from '../../../src/kernel/decimal.ts';
import { figuresOf } from '../../../src/look/figures.ts';

const figures = figuresOf('en');

const isKnownCurrency = (currency: string): boolean => /^[A-Z]{3}$/.test(currency);

/** An amount as documents write it; all its digits. */
export function moneyText(value: string, currency: string | null | undefined): string {
  try {
    return currency && isKnownCurrency(currency) ? figures.money(value, currency) : figures.quantity(value);
  } catch {
    return `${value} ${currency ?? ''}`.trim();
  }
}

/** An amount with its currency; its exact value stands in the title. */
export function Money({
  value,
  currency,
}: {
  readonly value: string | null | undefined;
  readonly currency?: string | null | undefined;
}) {
  if (value === null || value === undefined) return <span className="soft">—</span>;
  return (
    <span className="figure" title={`${value} ${currency ?? ''}`.trim()}>
      {moneyText(value, currency)}
    </span>
  );
}

/** A quantity with all its digits, grouped. */
export const quantityText = (value: string | number): string => {
  try {
    return figures.quantity(String(value));
  } catch {
    return String(value);
  }
};

/** `35%` for `0.35`. */
export const percentText = (fraction: string): string => `${quantityText(decimal(fraction).times(100).toFixed())}%`;

/** A number of units or of things. */
export function Quantity({ value }: { readonly value: string | number | null | undefined }) {
  if (value === null || value === undefined) return <span className="soft">—</span>;
  return (
    <span className="figure" title={String(value)}>
      {quantityText(value)}
    </span>
  );
}

/** Is the amount above zero? */
export const isPositive = (value: string | null | undefined): boolean =>
  value !== null && value !== undefined && decimal(value).gt(0);

const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const dayFormat = new Intl.DateTimeFormat('en-GB', { ...DAY, timeZone: 'UTC' });
const MINUTE = { ...DAY, hour: '2-digit', minute: '2-digit' } as const;
const minuteFormat = new Intl.DateTimeFormat('en-GB', MINUTE);
const secondFormat = new Intl.DateTimeFormat('en-GB', { ...MINUTE, second: '2-digit' });

/** `27 Nov 2026`, the UTC day of an instant, as it stands on documents. */
export const dayText = (instant: string): string => dayFormat.format(new Date(instant));

/** A day of billing: days of periods and documents are UTC days. */
export function Day({ at }: { readonly at: string | null | undefined }) {
  if (!at) return <span className="soft">—</span>;
  return (
    <time dateTime={at} title={at} className="figure">
      {dayText(at)}
    </time>
  );
}

/** A moment in the zone of this browser, in UTC on hover. */
export function Moment({
  at,
  seconds = false,
}: {
  readonly at: string | null | undefined;
  readonly seconds?: boolean;
}) {
  if (!at) return <span className="soft">—</span>;
  return (
    <time dateTime={at} title={`${at} (UTC)`} className="figure">
      {(seconds ? secondFormat : minuteFormat).format(new Date(at))}
    </time>
  );
}

const DAY_MILLISECONDS = 86_400_000;

/** The days of a half-open period: its last day is the one before its end. */
export function Period({ start, end }: { readonly start: string; readonly end: string }) {
  const last = new Date(Math.max(new Date(start).getTime(), new Date(end).getTime() - DAY_MILLISECONDS)).toISOString();
  const [first, final] = [dayText(start), dayText(last)];
  const opening = first.slice(-4) === final.slice(-4) ? first.slice(0, -5) : first;
  return (
    <span className="figure" title={`${start} – ${end}`}>
      {first === final ? first : `${opening} – ${final}`}
    </span>
  );
}
