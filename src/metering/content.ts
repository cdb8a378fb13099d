import { readDecimal } from '../http/index.ts';
import { isRawNumber } from '../kernel/decimal.ts';
import type { FieldError } from '../kernel/result.ts';

const MOST_DATA_BYTES = 32 * 1024;
const MOST_KEYS = 1_000;

/**
 * What is wrong with an event beyond the types of its fields (api.md, Metering): characters and numbers that the database
 * could not keep as they are, and the size of its data; with the lengths of the other fields that keeps an event below the
 * 64 KiB of api.md. One entry for each failing value, by its path.
 */
export function contentProblems(event: Readonly<Record<string, unknown>>): FieldError[] {
  const errors: FieldError[] = [];
  let keys = 0;
  const look = (value: unknown, field: string): void => {
    if (typeof value === 'string') {
      if (!isStorable(value)) errors.push({ field, message: 'must not hold NUL characters or lone surrogates' });
    } else if (typeof value === 'number' || isRawNumber(value)) {
      if (!readDecimal(value))
        errors.push({ field, message: 'must be a number of at most 38 digits and an exponent of at most 38' });
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, part] of Object.entries(value)) {
        keys += 1;
        if (isStorable(key)) look(part, `${field}.${key}`);
        else errors.push({ field, message: 'must not hold NUL characters or lone surrogates in a key' });
      }
    }
  };
  look(event.data ?? {}, 'data');
  if (keys > MOST_KEYS) errors.push({ field: 'data', message: `must hold at most ${MOST_KEYS} keys` });
  if (byteLength(event.data) > MOST_DATA_BYTES) errors.push({ field: 'data', message: 'must be at most 32 KiB' });
  return errors;
}

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

const byteLength = (value: unknown): number =>
  value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value), 'utf8');
