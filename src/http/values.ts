import { isCurrency, minorDigits } from '../kernel/currency.ts';
import { type Decimal, decimal, isRawNumber } from '../kernel/decimal.ts';
import { decimalTextProblem, isDecimalText } from '../kernel/decimal-text.ts';
import type { FieldError } from '../kernel/result.ts';
import type { DecimalRules } from './schema.ts';

const NUMBER_TEXT = /^-?\d{1,60}(?:\.\d{1,60})?(?:[eE][+-]?\d{1,3})?$/;

/** Can PostgreSQL hold the text? It has no NUL and no lone surrogates. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** The message for a text that cannot be stored. */
export const UNSTORABLE_TEXT = 'must not have NUL characters or lone surrogates';

/** The first value of any JSON that the database cannot hold as it is, by its path; null where there is none. */
export function unstorable(value: unknown, field: string): FieldError | null {
  if (typeof value === 'string') return isStorable(value) ? null : { field, message: UNSTORABLE_TEXT };
  if (typeof value === 'number' || isRawNumber(value))
    return readDecimal(value) === null ? { field, message: 'must be a number of at most 38 digits' } : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, part] of Object.entries(value)) {
    const found = isStorable(key)
      ? unstorable(part, `${field}.${key}`)
      : { field, message: 'has a key with NUL characters or lone surrogates' };
    if (found !== null) return found;
  }
  return null;
}

/**
 * Reads a decimal of a request within the limits of api.md (38 digits, exponent ±38). @returns null where it is none.
 */
export function readDecimal(value: unknown): Decimal | null {
  if (typeof value === 'string') return isDecimalText(value) ? decimal(value) : null;
  const text = isRawNumber(value) ? value.rawJSON : String(typeof value === 'number' ? value : '');
  if (!NUMBER_TEXT.test(text)) return null;
  const number = decimal(text);
  return number.isZero() || (Math.abs(number.e) <= 38 && number.precision() <= 38) ? number : null;
}

/** The fault of a decimal, as a sentence; null if there is none. */
export function decimalProblem(rules: DecimalRules, value: unknown): string | null {
  const accept = rules.accept ?? 'string';
  const isText = typeof value === 'string';
  if (accept !== 'both' && isText !== (accept === 'string'))
    return rules.words ?? (accept === 'string' ? 'must be a decimal string, such as "12.50"' : 'must be a number');
  const number = readDecimal(value);
  if (!number)
    return (
      (isText ? decimalTextProblem(value) : null) ??
      rules.words ??
      'must be a decimal of at most 38 digits, such as "12.50"'
    );
  if (rules.minimum !== undefined && number.lt(rules.minimum)) return `must be at least ${rules.minimum}`;
  if (rules.exclusiveMinimum !== undefined && number.lte(rules.exclusiveMinimum))
    return `must be greater than ${rules.exclusiveMinimum}`;
  if (rules.maximum !== undefined && number.gt(rules.maximum)) return `must be at most ${rules.maximum}`;
  // of a text as it is written, as a pattern counts them (§8)
  const digits = isText ? (value.split('.')[1]?.length ?? 0) : number.decimalPlaces();
  if (rules.fractionDigits !== undefined && digits > rules.fractionDigits)
    return `must have at most ${rules.fractionDigits} digits after the point`;
  return null;
}

/**
 * The first of some amounts with more digits than the `currency` beside them; other checks report a value that is no
 * amount.
 */
export function overlong(fields: readonly string[], value: Readonly<Record<string, unknown>>): string | undefined {
  const { currency } = value;
  if (typeof currency !== 'string' || !isCurrency(currency)) return;
  return fields.find((field) => (readDecimal(value[field])?.decimalPlaces() ?? 0) > minorDigits(currency));
}
