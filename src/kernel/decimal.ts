import { Decimal as Base } from 'decimal.js';

/**
 * The one decimal of the house: 80 significant digits, never exponential on the way out below 10^60.
 * decimal.js as it comes keeps 20 digits and rounds the rest silently, which loses cents on long sums;
 * therefore no other file imports the library (a check in `.ci/run` holds it).
 */
export const Decimal = Base.clone({ precision: 80, toExpNeg: -70, toExpPos: 80, rounding: Base.ROUND_HALF_UP });
export type Decimal = Base;

/** A JSON number that a JavaScript number cannot hold exactly: kept as the text that was sent (`JSON.rawJSON`). */
export interface RawNumber {
  readonly rawJSON: string;
}

/**
 * The input of a decimal: text, an exact JSON number, or a decimal. A JavaScript number is taken by its shortest text.
 */
export type DecimalInput = string | number | bigint | RawNumber | Decimal;

/** The library alone would also read `0x1f`, `1_000` and `Infinity`, which are no amounts. */
const DECIMAL_TEXT = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,6})?$/;

/** Reads a decimal exactly. @throws when the text is no finite decimal. */
export function decimal(input: DecimalInput): Decimal {
  if (Decimal.isDecimal(input)) {
    if (!input.isFinite()) throw new RangeError('A decimal must be finite.');
    return input;
  }
  const text = isRawNumber(input) ? input.rawJSON : String(input);
  if (!DECIMAL_TEXT.test(text)) throw new RangeError(`${text.slice(0, 80)} is no decimal.`);
  return new Decimal(text);
}

/** Is this a JSON number kept as text? */
export function isRawNumber(value: unknown): value is RawNumber {
  return typeof value === 'object' && value !== null && JSON.isRawJSON(value);
}

declare const isDecimal: unique symbol;

/**
 * A decimal as text or as a JSON number: one that a schema has checked (`DecimalText` in `http/schema.ts`), or that
 * `plain` or `jsonNumber` has written. `decimalOf` reads it, and cannot fail. A JSON number that JavaScript cannot hold
 * exactly is a `RawNumber` in truth.
 */
export type CheckedDecimal<Form extends string | number = string | number> = Form & { readonly [isDecimal]: true };

/** The decimal of a value that was checked before. */
export const decimalOf = (value: CheckedDecimal): Decimal => decimal(value);

/** The same where there may be no value. */
export const decimalOrNull = (value: CheckedDecimal | null | undefined): Decimal | null =>
  value === null || value === undefined ? null : decimalOf(value);

/** All digits, no exponent: the form in which decimals are written to JSON strings and to PostgreSQL. */
export const plain = (value: Decimal): CheckedDecimal<string> => value.toFixed() as CheckedDecimal<string>;

/** A usage figure on the wire: a JSON number written with all its digits (api.md, Metering). */
export const jsonNumber = (value: Decimal): CheckedDecimal<number> =>
  JSON.rawJSON(plain(value)) as unknown as CheckedDecimal<number>;

export const ZERO: Decimal = new Decimal(0);
export const ONE: Decimal = new Decimal(1);

/** The sum of some decimals, 0 for none. */
export const sum = (values: Iterable<Decimal>): Decimal => {
  let total = ZERO;
  for (const value of values) total = total.plus(value);
  return total;
};

/** How many times a part fits wholly into an amount: a count of things, which a number holds. */
export const timesIn = (part: Decimal, amount: Decimal): number => amount.divToInt(part).toNumber();
