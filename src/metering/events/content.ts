import { isStorable, readDecimal } from '../../http/index.ts';
import { isRawNumber } from '../../kernel/decimal.ts';
import type { FieldError } from '../../kernel/result.ts';

const MOST_DATA_BYTES = 32 * 1024;
const MOST_KEYS = 1_000;
const MOST_BYTES_PER_UNIT = 3; // of UTF-8, for one of UTF-16

/**
 * The data of an event as one text, for any order of its keys; numbers keep their digits.
 * @returns null for data with faults in `contentProblems`
 */
export function canonicalText(data: Readonly<Record<string, unknown>>): string | null {
  const seen = { keys: 0, isStorable: true };
  const text = written(data, seen);
  const isShort = text.length * MOST_BYTES_PER_UNIT <= MOST_DATA_BYTES || Buffer.byteLength(text) <= MOST_DATA_BYTES;
  return seen.isStorable && seen.keys <= MOST_KEYS && isShort ? text : null;
}

/** One pass, because every value of every event goes through it. */
function written(value: unknown, seen: { keys: number; isStorable: boolean }): string {
  if (typeof value === 'string') {
    seen.isStorable &&= isStorable(value);
    return JSON.stringify(value);
  }
  if (typeof value === 'number' || isRawNumber(value)) {
    seen.isStorable &&= isKept(value);
    return typeof value === 'number' ? String(value) : JSON.stringify(value);
  }
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) {
    seen.keys += value.length;
    return `[${value.map((part) => written(part, seen)).join()}]`;
  }
  let text = '';
  for (const key of sorted(Object.keys(value))) {
    seen.keys += 1;
    seen.isStorable &&= isStorable(key);
    const part = written((value as Record<string, unknown>)[key], seen);
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${part}`;
  }
  return `{${text}}`;
}

const FEW_KEYS = 16;

/** Few keys are sorted where they are, which makes no garbage. */
function sorted(keys: string[]): string[] {
  if (keys.length > FEW_KEYS) return keys.toSorted();
  for (let index = 1; index < keys.length; index += 1) {
    const key = keys[index] as string;
    let place = index;
    for (; place > 0 && (keys[place - 1] as string) > key; place -= 1) keys[place] = keys[place - 1] as string;
    keys[place] = key;
  }
  return keys;
}

/**
 * The faults of an event beyond the types of its fields (api.md, Metering): characters and numbers that the database
 * could not store unchanged, and the size of its data; with the lengths of the other fields that keeps an event below
 * the 64 KiB of api.md. One entry for each failing value, by its path.
 */
export function contentProblems(event: Readonly<Record<string, unknown>>): FieldError[] {
  const errors: FieldError[] = [];
  let keys = 0;
  const look = (value: unknown, field: string): void => {
    if (typeof value === 'string') {
      if (!isStorable(value)) errors.push({ field, message: 'must not have NUL characters or lone surrogates' });
    } else if (typeof value === 'number' || isRawNumber(value)) {
      if (!isKept(value))
        errors.push({ field, message: 'must be a number of at most 38 digits and an exponent of at most 38' });
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, part] of Object.entries(value)) {
        keys += 1;
        if (isStorable(key)) look(part, `${field}.${key}`);
        else errors.push({ field, message: 'must not have NUL characters or lone surrogates in a key' });
      }
    }
  };
  look(event.data ?? {}, 'data');
  if (keys > MOST_KEYS) errors.push({ field: 'data', message: `must have at most ${MOST_KEYS} keys` });
  if (byteLength(event.data) > MOST_DATA_BYTES) errors.push({ field: 'data', message: 'must be at most 32 KiB' });
  return errors;
}

const LEAST_EXPONENT = 1e-38;
const ABOVE_MOST_EXPONENT = 1e39;

/** A JavaScript number has at most 17 digits, so only its size matters. */
function isKept(value: unknown): boolean {
  if (typeof value !== 'number') return readDecimal(value) !== null;
  const size = Math.abs(value);
  return size === 0 || (size >= LEAST_EXPONENT && size < ABOVE_MOST_EXPONENT);
}

const byteLength = (value: unknown): number =>
  value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value), 'utf8');
