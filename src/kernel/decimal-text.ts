import { isCurrency } from './currency.ts';
import { decimal, plain } from './decimal.ts';

/** The form of a decimal string in a request: at most 38 digits on each side of the point, and no exponent. */
const DECIMAL_TEXT = /^-?\d{1,38}(?:\.\d{1,38})?$/;
/** A larger exponent has no plain form of 38 digits. */
const MOST_EXPONENT = 38;
/** A longer text is no number that somebody typed. */
const MOST_CHARACTERS = 120;

/** Is the text a decimal as requests have it? */
export const isDecimalText = (text: string): boolean => DECIMAL_TEXT.test(text);

/** A way to write numbers that requests do not take. */
interface Habit {
  /** The part of the text that is too much, or stands for something else. */
  readonly found: RegExp;
  /** The part in words. */
  readonly named: (found: string) => string;
  /** Other texts with the same meaning, the likeliest first. */
  readonly rewritten: (text: string) => readonly string[];
}

const UNITS: Readonly<Record<string, number>> = { k: 3, K: 3, M: 6, B: 9, G: 9, T: 12 };
const UNIT = /(?<=\d) ?[kKMBGT]$/;
const CURRENCY = /^(?:\p{Sc}|[A-Z]{3}(?=[\s\d.-]))|(?:\p{Sc}|(?<=[\d\s])[A-Z]{3})$/u;
const EXPONENT = /[eE][+-]?\d{1,3}$/;
const FIGURES = /(?<=^-?)\d[\d.,]*/;

/** In the order in which they are taken off: the outermost part first. */
const HABITS: readonly Habit[] = [
  { found: /^\s|\s$/, named: () => 'a space around it', rewritten: (text) => [text.trim()] },
  {
    found: CURRENCY,
    named: (found) => `the currency ${found}`,
    rewritten: (text) => [text.replace(CURRENCY, (found) => (isKnown(found) ? '' : found)).trim()],
  },
  { found: /^\+/, named: () => 'a "+"', rewritten: (text) => [text.slice(1)] },
  { found: /^\u2212/, named: (sign) => `the sign "${sign}"`, rewritten: (text) => [`-${text.slice(1)}`] },
  {
    found: /(?<=\d)[_'’\s](?=\d)/,
    named: (found) => (found.trim() === '' ? 'a space between its digits' : `"${found}" between its digits`),
    rewritten: (text) => [text.replaceAll(/(?<=\d)[_'’\s](?=\d)/g, '')],
  },
  {
    found: /,|\..*\./,
    named: (found) => `"${found[0]}" between its digits`,
    rewritten: (text) => {
      const [figures = ''] = FIGURES.exec(text) ?? [];
      return [withoutGroups(figures), withPoint(figures)]
        .filter((each) => each !== null)
        .map((each) => text.replace(FIGURES, each));
    },
  },
  {
    found: /^-?\.(?=\d)|(?<=\d)\.(?!\d)/,
    named: () => 'a point without digits on both sides',
    rewritten: (text) => [text.replace(/^(-?)\./, '$10.').replace(/(?<=\d)\.(?!\d)/, '')],
  },
  {
    found: UNIT,
    named: (found) => `the unit ${found.trim()}`,
    rewritten: (text) => [text.replace(UNIT, (found) => `e${UNITS[found.trim()]}`)].map(withoutExponent),
  },
  { found: EXPONENT, named: () => 'an exponent', rewritten: (text) => [withoutExponent(text)] },
];

const isKnown = (currency: string): boolean => currency.length === 1 || isCurrency(currency);

/** `1,000.50` as 1000.50, and `1.000.000` as 1000000; null for another form. */
const withoutGroups = (figures: string): string | null =>
  /^\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d*)?$/.test(figures) || /^\d{1,3}(?:\.\d{3}){2,}$/.test(figures)
    ? figures.includes(',')
      ? figures.replaceAll(',', '')
      : figures.replaceAll('.', '')
    : null;

/** `12,5` as 12.5, and `1.000,50` as 1000.50; null for another form. */
const withPoint = (figures: string): string | null =>
  /^(?:\d+|\d{1,3}(?:\.\d{3})+),\d+$/.test(figures) ? figures.replaceAll('.', '').replace(',', '.') : null;

function withoutExponent(text: string): string {
  const [exponent = ''] = EXPONENT.exec(text) ?? [];
  const isNear = Math.abs(Number(exponent.slice(1))) <= MOST_EXPONENT;
  return isNear && /^-?\d+(?:\.\d+)?[eE]/.test(text) ? plain(decimal(text)) : text;
}

/**
 * The fault of a text that is no decimal string, and the decimal string to write in its place: `has an exponent; write
 * "0.0000003"`. Null where the text is not a number in any way that we know.
 */
export function decimalTextProblem(text: string): string | null {
  if (text.length > MOST_CHARACTERS) return null;
  const faults: string[] = [];
  let readings: readonly string[] = [text];
  for (const { found, named, rewritten } of HABITS) {
    const part = readings.flatMap((reading) => found.exec(reading)?.[0] ?? [])[0];
    if (part === undefined) continue;
    faults.push(named(part));
    readings = readings.flatMap((reading) => (found.test(reading) ? rewritten(reading) : [reading]));
  }
  const decimals = [...new Set(readings)].filter(isDecimalText);
  if (faults.length === 0) return null;
  const has = `has ${faults.join(' and ')}`;
  if (decimals.length > 0) return `${has}; write ${decimals.map((each) => `"${each}"`).join(' or ')}`;
  const isNumber = readings.some((reading) => /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(reading));
  return isNumber ? `${has}; write a decimal of at most 38 digits without it` : null;
}
