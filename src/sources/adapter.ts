import { decimalProblem, readDecimal, UNSTORABLE_TEXT } from '../http/index.ts';
import { isCurrency } from '../kernel/currency.ts';
import { type Decimal, decimal } from '../kernel/decimal.ts';
import type { FieldError } from '../kernel/result.ts';
import { type Instant, parseInstant } from '../kernel/time.ts';
import type { SignatureVerdict, Signed } from './signatures.ts';
import type { Revenue } from './source.ts';

/** The content of a webhook. `nothing`: it is no revenue, with the reason; it is acknowledged and not recorded. */
export type Reading =
  | { readonly kind: 'revenue'; readonly revenue: Revenue }
  | { readonly kind: 'nothing'; readonly reason: string }
  | { readonly kind: 'refused'; readonly errors: readonly FieldError[] };

/** One provider of revenue: its signatures, and the content of its webhooks. Pure. */
export interface Adapter {
  check(signed: Signed, secret: string, now: Instant): SignatureVerdict;
  /** @param isProduction test data of the provider is no revenue there */
  read(body: Fields, isProduction: boolean): Reading;
}

export type Fields = Readonly<Record<string, unknown>>;

/** A webhook that is acknowledged, and of which nothing is kept. */
export const nothing = (reason: string): Reading => ({ kind: 'nothing', reason });

const MOST_ID_CHARACTERS = 255;

/** Reads fields of a body and collects their faults. */
export class Reader {
  readonly errors: FieldError[] = [];
  readonly #fields: Fields;
  readonly #path: string;

  constructor(fields: Fields, path = '') {
    this.#fields = fields;
    this.#path = path;
  }

  #fail(name: string, message: string): null {
    this.errors.push({ field: this.#path + name, message });
    return null;
  }

  /** An identifier: 1 to 255 characters. */
  id(name: string): string {
    const value = this.#fields[name];
    if (value === undefined || value === null) this.#fail(name, 'is required');
    else if (typeof value !== 'string' || value.length < 1 || value.length > MOST_ID_CHARACTERS)
      this.#fail(name, `must be a text of 1 to ${MOST_ID_CHARACTERS} characters`);
    else if (!value.isWellFormed() || value.includes('\0')) this.#fail(name, UNSTORABLE_TEXT);
    else return value;
    return '';
  }

  /** A decimal, as text or number. */
  amount(name: string): Decimal {
    const value = this.#fields[name];
    const number = readDecimal(value);
    if (number !== null) return number;
    const isMissing = value === undefined || value === null;
    this.#fail(name, isMissing ? 'is required' : (decimalProblem({ accept: 'both' }, value) ?? ''));
    return decimal(0);
  }

  /** A whole number of minor units. */
  minorUnits(name: string): Decimal {
    const number = this.amount(name);
    if (!number.isInteger()) this.#fail(name, 'must be a whole number of minor units');
    return number;
  }

  /** An ISO 4217 code, in any case. */
  currency(name: string): string {
    const value = this.#fields[name];
    const code = typeof value === 'string' ? value.toUpperCase() : '';
    if (!isCurrency(code))
      this.#fail(name, value === undefined || value === null ? 'is required' : 'must be an ISO 4217 currency code');
    return code;
  }

  /** An RFC 3339 date-time. */
  time(name: string): Instant | null {
    const value = this.#fields[name];
    if (value === undefined || value === null) return this.#fail(name, 'is required');
    const instant = typeof value === 'string' ? parseInstant(value) : null;
    return instant ?? this.#fail(name, 'must be a date-time such as 2026-01-31T12:00:00Z');
  }

  /** A time in seconds or milliseconds since 1970. */
  epoch(name: string, unit: 'seconds' | 'milliseconds'): Instant | null {
    const value = this.#fields[name];
    if (value === undefined || value === null) return this.#fail(name, 'is required');
    const milliseconds = typeof value === 'number' ? value * (unit === 'seconds' ? 1000 : 1) : Number.NaN;
    const instant =
      Number.isSafeInteger(milliseconds) && milliseconds >= 0 && milliseconds < 1e13 ? milliseconds : null;
    const read = instant === null ? null : parseInstant(Temporal.Instant.fromEpochMilliseconds(instant).toString());
    return read ?? this.#fail(name, `must be a time in ${unit} since 1970, in the years 2000 to 2199`);
  }

  /** The reading, if it had no fault. */
  done(revenue: Omit<Revenue, 'occurredAt'>, occurredAt: Instant | null): Reading {
    if (this.errors.length > 0 || occurredAt === null) return { kind: 'refused', errors: this.errors };
    return { kind: 'revenue', revenue: { ...revenue, occurredAt } };
  }
}

/** A text of the provider that may be missing; an empty or overlong one counts as missing. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.length >= 1 && value.length <= MOST_ID_CHARACTERS ? value : null;

/** The fields that have a value, for the attributes of a usage event. */
export const known = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
