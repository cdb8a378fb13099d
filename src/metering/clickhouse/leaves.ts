import { parseExactJson } from '../../db/index.ts';
import { decimal, isRawNumber, plain, type RawNumber } from '../../kernel/decimal.ts';

/**
 * The form in which a leaf of an event's data is kept in ClickHouse. A text has one form alone, so equal texts are
 * equal there:
 * - `0`: a whole number below 10^15, as an integer
 * - `9`: a number with at most nine digits on each side of the point, as an integer of 10^-9
 * - `n`: any other number, as text in its shortest form
 * - `s`: a text that is no number in its shortest form; true and false too. As a value it may still count (`007.50`).
 */
export type Form = '0' | '9' | 'n' | 's';

/** Digits after the point of form `9`. */
export const SMALL_PLACES = 9;

const ADDRESSABLE = /^[A-Za-z0-9_]+$/;
const WHOLE = /^-?\d{1,15}$/;
const SMALL = /^(-?)(\d{1,9})\.(\d{1,9})$/;
/** Of the decimal strings that count as values (§2), those that a number would be written as. */
const SHORTEST = /^(?:0|-?[1-9]\d{0,37}|-?(?:0|[1-9]\d{0,37})\.\d{0,37}[1-9])$/;
const LONGEST_PATH = 512;

/**
 * The name of a property's form: its path, a slash, and the form. An element of an array has a dash before its place.
 */
export const leafName = (segments: readonly string[], form: Form): string => `${segments.join('/')}/${form}`;

/**
 * The segments under which a path may be kept: a segment of digits is the name of a property in an object and a place
 * in an array, and only one of the two can be in an event.
 */
export function keptPaths(segments: readonly string[]): string[][] {
  let paths: string[][] = [[]];
  for (const segment of segments) {
    const here = /^\d+$/.test(segment) ? [segment, `-${segment.replace(/^0+(?=\d)/, '')}`] : [segment];
    paths = paths.flatMap((path) => here.map((each) => [...path, each]));
  }
  return paths;
}

/**
 * An event's data as ClickHouse gets it: one flat JSON object of its leaves. What no path of a meter can name (§2) is
 * left out, and so is null, which is the same as nothing.
 * @param data as PostgreSQL writes it: no key twice, no exponents
 */
export function leavesOf(data: string): string {
  const found: string[] = [];
  const add = (path: string, form: Form, value: string) => found.push(`"${path}/${form}":${value}`);
  const walk = (value: unknown, path: string): void => {
    if (value === null || path.length > LONGEST_PATH) return;
    if (typeof value === 'number' || isRawNumber(value)) addNumber(shortest(value), path, add);
    else if (typeof value === 'string') {
      if (SHORTEST.test(value)) addNumber(value, path, add);
      else add(path, 's', JSON.stringify(value));
    } else if (typeof value === 'boolean') add(path, 's', `"${value}"`);
    else if (Array.isArray(value)) for (const [place, part] of value.entries()) walk(part, `${path}/-${place}`);
    else
      for (const [key, part] of Object.entries(value as object))
        if (ADDRESSABLE.test(key)) walk(part, path === '' ? key : `${path}/${key}`);
  };
  walk(parseExactJson(data), '');
  return `{${found.join()}}`;
}

const shortest = (value: number | RawNumber): string =>
  typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : plain(decimal(value));

function addNumber(text: string, path: string, add: (path: string, form: Form, value: string) => void): void {
  if (WHOLE.test(text)) {
    add(path, '0', text);
    return;
  }
  const [, sign, whole, fraction] = SMALL.exec(text) ?? [];
  if (whole === undefined || fraction === undefined) add(path, 'n', `"${text}"`);
  else add(path, '9', String(BigInt(`${sign}${whole}${fraction.padEnd(SMALL_PLACES, '0')}`)));
}
