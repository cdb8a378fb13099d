import { cardBrandName } from '../kernel/card-brand.ts';
import { minorDigits } from '../kernel/currency.ts';
import { type Decimal, decimal } from '../kernel/decimal.ts';
import type { InEachLocale, Locale } from '../kernel/locale.ts';

/** A decimal, or its text. */
type Figure = Decimal | string;

/**
 * Figures and dates on pages, in mails and on paper: UTC, every digit of the value and at least those of its currency.
 * Their forms are our own: Intl changes its forms with its data, and a document must not change with them.
 */
export interface Figures {
  /**
   * An amount or a price with its currency: `€1,234.50`, `1.234,50 €`, `$0.0025`.
   * @throws for no ISO 4217 currency or no decimal.
   */
  readonly money: (value: Figure, currency: string) => string;
  /** An amount or a price without its currency: `1,234.50`. */
  readonly amount: (value: Figure, currency: string) => string;
  /** A quantity with its own digits and no more: `1,200`, `0.5`. */
  readonly quantity: (value: Figure) => string;
  /** A rate in percent: `8.875%`. */
  readonly percent: (value: Figure) => string;
  /** `1 December 2025`, the UTC day of the instant. */
  readonly day: (instant: Temporal.Instant) => string;
  /** `1 Dec 2025`: the same where room is scarce. */
  readonly shortDay: (instant: Temporal.Instant) => string;
  /** `1 December 2025, 14:05 UTC`. */
  readonly minute: (instant: Temporal.Instant) => string;
  /** The days of a half-open period (`daysOf`): `1 – 30 Nov 2025`, `15 Nov – 14 Dec 2025`, `3 Nov 2025`. */
  readonly period: (start: Temporal.Instant, end: Temporal.Instant) => string;
  /** `Visa ending in 4242`. */
  readonly card: (card: { readonly brand: string; readonly last4: string }) => string;
}

/** `Visa`: the brand of a card as it is written on the card. */
export const brandName = (brand: string): string => cardBrandName(brand) ?? brand;

/** Of a card, before its last digits: a term like the others (`terms.ts`), whose table the console does not need. */
export const ENDING_IN: InEachLocale<string> = {
  en: 'ending in',
  de: 'mit den Endziffern',
  fr: 'se terminant par',
  es: 'terminada en',
};

/** The format of figures and dates in a language. */
interface Habits {
  readonly endingIn: string;
  readonly group: string;
  readonly point: string;
  readonly money: (figure: string, symbol: string) => string;
  readonly percent: (figure: string) => string;
  readonly months: readonly string[];
  readonly shortMonths: readonly string[];
  /** The number of a day, before a month. */
  readonly dayNumber: (day: number) => string;
  readonly date: (day: string, month: string, year: string) => string;
}

const NO_BREAK = '\u00a0';
const NARROW = '\u202f';
const MINUS = '\u2212'; // a true minus sign is as wide as the digits

const moneyBehind = (figure: string, symbol: string): string => `${figure}${NO_BREAK}${symbol}`;
const spaced = (figure: string): string => `${figure}${NO_BREAK}%`;
const inOrder = (...parts: string[]): string => parts.join(NO_BREAK);

const HABITS: InEachLocale<Habits> = {
  en: {
    endingIn: ENDING_IN.en,
    group: ',',
    point: '.',
    money: (figure, symbol) => `${symbol}${/[A-Za-z]$/.test(symbol) ? NO_BREAK : ''}${figure}`,
    percent: (figure) => `${figure}%`,
    months: 'January February March April May June July August September October November December'.split(' '),
    shortMonths: 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' '),
    dayNumber: String,
    date: inOrder,
  },
  de: {
    endingIn: ENDING_IN.de,
    group: '.',
    point: ',',
    money: moneyBehind,
    percent: spaced,
    months: 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' '),
    shortMonths: 'Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.'.split(' '),
    dayNumber: (day) => `${day}.`,
    date: inOrder,
  },
  fr: {
    endingIn: ENDING_IN.fr,
    group: NARROW,
    point: ',',
    money: moneyBehind,
    percent: spaced,
    months: 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' '),
    shortMonths: 'janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.'.split(' '),
    dayNumber: (day) => (day === 1 ? '1er' : String(day)),
    date: inOrder,
  },
  es: {
    endingIn: ENDING_IN.es,
    group: '.',
    point: ',',
    money: moneyBehind,
    percent: spaced,
    months: 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' '),
    shortMonths: 'ene feb mar abr may jun jul ago sept oct nov dic'.split(' '),
    dayNumber: String,
    date: (day, month, year) => inOrder(day, 'de', month, 'de', year),
  },
};

const symbols = new Map<string, string>();

/** `€`, `CA$`, `KWD`: the same in every language. */
function symbolOf(currency: string): string {
  const known = symbols.get(currency);
  if (known !== undefined) return known;
  const parts = new Intl.NumberFormat('en', { style: 'currency', currency }).formatToParts(0);
  const symbol = parts.find(({ type }) => type === 'currency')?.value ?? currency;
  symbols.set(currency, symbol);
  return symbol;
}

const utc = (instant: Temporal.Instant): Temporal.ZonedDateTime => instant.toZonedDateTimeISO('UTC');

/**
 * The first and the last UTC day of a half-open period. The day on which it ends is the first of the next period, also
 * if it ends within the day; so the periods of a subscription that began at 14:05 do not overlap on paper.
 */
export function daysOf(
  start: Temporal.Instant,
  end: Temporal.Instant,
): { readonly first: Temporal.PlainDate; readonly last: Temporal.PlainDate } {
  const first = utc(start).toPlainDate();
  const last = utc(end).toPlainDate().subtract({ days: 1 });
  return { first, last: Temporal.PlainDate.compare(last, first) > 0 ? last : first };
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

function figuresIn(habits: Habits): Figures {
  const { endingIn, group, point, money, percent, months, shortMonths, dayNumber, date } = habits;
  /** All digits of the value, at least so many behind the point, without its sign. */
  const digitsOf = (value: Decimal, least: number): string => {
    const [whole = '', fraction] = value.abs().toFixed(Math.max(least, value.decimalPlaces())).split('.');
    const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, group);
    return fraction === undefined ? grouped : `${grouped}${point}${fraction}`;
  };
  const signOf = (value: Decimal): string => (value.lt(0) ? MINUS : '');
  const show = (figure: Figure, least: number): string => {
    const value = decimal(figure);
    return `${signOf(value)}${digitsOf(value, least)}`;
  };
  const month = (names: readonly string[], at: { readonly month: number }): string => names[at.month - 1] as string;
  const dayIn = (names: readonly string[], at: Temporal.ZonedDateTime): string =>
    date(dayNumber(at.day), month(names, at), String(at.year));
  return {
    money: (figure, currency) => {
      const value = decimal(figure);
      return `${signOf(value)}${money(digitsOf(value, minorDigits(currency)), symbolOf(currency))}`;
    },
    amount: (figure, currency) => show(figure, minorDigits(currency)),
    quantity: (figure) => show(figure, 0),
    percent: (figure) => percent(show(figure, 0)),
    day: (instant) => dayIn(months, utc(instant)),
    shortDay: (instant) =>
      inOrder(dayNumber(utc(instant).day), month(shortMonths, utc(instant)), String(utc(instant).year)),
    minute: (instant) => {
      const at = utc(instant);
      return `${dayIn(months, at)}, ${twoDigits(at.hour)}:${twoDigits(at.minute)}${NO_BREAK}UTC`;
    },
    card: ({ brand, last4 }) => `${brandName(brand)} ${endingIn} ${last4}`,
    period: (start, end) => {
      const { first, last } = daysOf(start, end);
      const dayOf = (at: Temporal.PlainDate): string => `${dayNumber(at.day)} ${month(shortMonths, at)}`;
      const closing = `${dayOf(last)} ${last.year}`;
      if (first.year !== last.year) return `${dayOf(first)} ${first.year} – ${closing}`;
      if (first.month !== last.month) return `${dayOf(first)} – ${closing}`;
      return first.day === last.day ? closing : `${dayNumber(first.day)} – ${closing}`;
    },
  };
}

const FIGURES: InEachLocale<Figures> = {
  en: figuresIn(HABITS.en),
  de: figuresIn(HABITS.de),
  fr: figuresIn(HABITS.fr),
  es: figuresIn(HABITS.es),
};

/** How figures and dates are written in this language. */
export const figuresOf = (locale: Locale): Figures => FIGURES[locale];

/** The same figure with places where it may break, so that a figure wider than its column loses no digit. */
export const breakable = (figure: string): string =>
  figure.length > 16 ? figure.replace(/[,.\u202f]|\d{6}(?=\d)/g, '$&\u200b') : figure;
