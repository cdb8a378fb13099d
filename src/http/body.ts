import { parseExactJson } from '../db/index.ts';
import { turn } from './turns.ts';

const MOST_DEPTH = 32;
const MOST_KEYS = 1000;
/** Values that a body may have beyond its keys, in lists. */
const MOST_VALUES_IN_LISTS = 9_000;
/** Of a large text, looked at in one turn of the event loop. */
const SLICE = 512 * 1024;
const MOST_BYTES_PER_UNIT = 3; // of UTF-8, for one of UTF-16

/** Why a body could not be read; becomes a 400. */
export class BodyError extends Error {}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The text of a body; bytes that are no UTF-8 are refused, where a lenient reader would put other characters for them.
 */
export function readText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new BodyError('The body is not valid UTF-8.', { cause });
  }
}

/**
 * Reads a JSON body exactly (numbers keep their digits), refusing before the parse what would be costly or harmful:
 * deeper than 32 levels, more keys or values in one document than allowed, and keys that reach into a prototype.
 * @returns undefined for an empty body.
 */
export function readJsonBody(text: string, mostKeys: number = MOST_KEYS): unknown {
  if (text.trim() === '') return;
  new Scan(text, { mostKeys, mostValues: mostKeys + MOST_VALUES_IN_LISTS }).look(text.length);
  return parsed(text);
}

/** The limits of a body with many parts. */
export interface PartLimits {
  readonly mostParts: number;
  /** Bytes of one part, as sent. */
  readonly mostBytes: number;
  /** Values in one part, and in all of them together. */
  readonly mostValues: number;
  readonly mostValuesInAll: number;
}

/**
 * A JSON body whose elements are read one by one, so that no turn of the event loop has to read them all: an array is
 * as many parts as it has elements, anything else is one part. A part that is too large is never parsed.
 */
export class JsonParts {
  readonly isArray: boolean;
  /** One more than the limit where there are more. */
  readonly length: number;
  readonly #text: string;
  readonly #limits: PartLimits;
  /** The starts of the parts; each part ends one character before the next one. */
  readonly #bounds: readonly number[];
  readonly #values: readonly number[];

  constructor(
    text: string,
    limits: PartLimits,
    found: { isArray: boolean; bounds: readonly number[]; values: readonly number[] },
  ) {
    this.isArray = found.isArray;
    this.length = found.bounds.length - 1;
    this.#text = text;
    this.#limits = limits;
    this.#bounds = found.bounds;
    this.#values = found.values;
  }

  /** Characters of a part, as sent. */
  sizeOf(index: number): number {
    return (this.#bounds[index + 1] as number) - (this.#bounds[index] as number) - 1;
  }

  /** Why a part is too large to be read, as a sentence; null where it is not. */
  problemOf(index: number): string | null {
    const { mostBytes, mostValues } = this.#limits;
    const size = this.sizeOf(index);
    const isLong =
      size > mostBytes || (size * MOST_BYTES_PER_UNIT > mostBytes && Buffer.byteLength(this.#part(index)) > mostBytes);
    if (isLong) return `must be at most ${mostBytes / 1024} KiB as sent`;
    return (this.#values[index] ?? 0) > mostValues
      ? `must hold at most ${mostValues.toLocaleString('en')} values`
      : null;
  }

  /** The value of a part, numbers with their digits. @throws BodyError where it is no JSON */
  read(index: number): unknown {
    return parsed(this.#part(index), this.isArray ? ` Its element ${index} is not.` : '');
  }

  #part(index: number): string {
    return this.#text.slice(this.#bounds[index], (this.#bounds[index + 1] as number) - 1);
  }
}

/**
 * Finds the parts of a JSON body in one pass, without parsing anything; a large body takes several turns of the event
 * loop.
 * @returns undefined for an empty body. @throws BodyError as `readJsonBody`, and for more values in all than allowed
 */
export async function readJsonParts(text: string, limits: PartLimits): Promise<JsonParts | undefined> {
  const start = text.search(NOT_BLANK);
  if (start === -1) return;
  const isArray = text.charCodeAt(start) === OPENING_BRACKET;
  const one = { isArray: false, bounds: [0, text.length + 1] };
  if (!isArray && text.length > limits.mostBytes) return new JsonParts(text, limits, { ...one, values: [] });
  const { mostParts, mostValuesInAll } = limits;
  const scan = new Scan(text, { mostKeys: Number.POSITIVE_INFINITY, mostValues: mostValuesInAll, mostParts });
  for (let end = SLICE; !scan.look(end); end += SLICE) await turn();
  if (!isArray) return new JsonParts(text, limits, { ...one, values: [scan.values] });
  return new JsonParts(text, limits, { isArray, ...scan.parts(start) });
}

function parsed(text: string, more = ''): unknown {
  try {
    return parseExactJson(text);
  } catch (cause) {
    throw new BodyError(`The body is not valid JSON.${more}`, { cause });
  }
}

const NOT_BLANK = /[^ \t\r\n]/;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const UNDERSCORE = 0x5f;
const DEPTH_CHANGE = new Int8Array(128);
for (const opening of '{[') DEPTH_CHANGE[opening.charCodeAt(0)] = 1;
for (const closing of '}]') DEPTH_CHANGE[closing.charCodeAt(0)] = -1;

/**
 * One pass over a text that counts, outside of strings, what parsing it would make; cheaper than parsing what will be
 * refused.
 */
class Scan {
  /** Commas and openings: at least as many as there are values. */
  values = 0;
  readonly #text: string;
  readonly #limits: { mostKeys: number; mostValues: number; mostParts?: number };
  #index = 0;
  #depth = 0;
  #keys = 0;
  /** The start of the last string. */
  #string = 0;
  /** The commas between the elements of an array, with the values before each. */
  readonly #commas: number[] = [];
  readonly #valuesBefore: number[] = [];
  #closed = -1;

  constructor(text: string, limits: { mostKeys: number; mostValues: number; mostParts?: number }) {
    this.#text = text;
    this.#limits = limits;
  }

  /**
   * Reads as far as `end`, or to the end of a string there.
   * @returns true at the end of the text
   * @throws BodyError for forbidden content
   */
  look(end: number): boolean {
    const text = this.#text;
    const last = Math.min(end, text.length);
    for (; this.#index < last; this.#index += 1) {
      const character = text.charCodeAt(this.#index);
      if (character === QUOTE) {
        this.#string = this.#index;
        this.#index = endOfString(text, this.#index);
      } else if (character === COMMA) this.#comma();
      else if (character === COLON) this.#colon();
      else if (character < 128 && DEPTH_CHANGE[character] !== 0) this.#bracket(DEPTH_CHANGE[character] as number);
    }
    return this.#index >= text.length || this.#hasTooMany;
  }

  /** The elements of an array that begins at `start`. @throws BodyError where it does not end as an array does */
  parts(start: number): { bounds: number[]; values: number[] } {
    const { mostParts = Number.POSITIVE_INFINITY } = this.#limits;
    const commas = this.#commas;
    if (this.#hasTooMany) return { bounds: Array.from({ length: mostParts + 2 }, () => start), values: [] };
    const tail = this.#text.slice(this.#closed + 1);
    if (this.#text.charCodeAt(this.#closed) !== CLOSING_BRACKET || NOT_BLANK.test(tail))
      throw new BodyError('The body is not valid JSON.');
    const isEmpty = commas.length === 0 && !NOT_BLANK.test(this.#text.slice(start + 1, this.#closed));
    if (isEmpty) return { bounds: [start + 1], values: [] };
    const before = [1, ...this.#valuesBefore, this.values];
    return {
      bounds: [start, ...commas, this.#closed].map((index) => index + 1),
      values: before.slice(1).map((count, index) => count - (before[index] as number)),
    };
  }

  get #hasTooMany(): boolean {
    return this.#commas.length >= (this.#limits.mostParts ?? Number.POSITIVE_INFINITY);
  }

  #comma(): void {
    this.#count();
    if (this.#depth !== 1 || this.#limits.mostParts === undefined || this.#closed !== -1) return;
    this.#commas.push(this.#index);
    this.#valuesBefore.push(this.values);
    if (this.#hasTooMany) this.#index = this.#text.length;
  }

  #colon(): void {
    this.#keys += 1;
    if (this.#keys > this.#limits.mostKeys)
      throw new BodyError(`The body has more than ${this.#limits.mostKeys.toLocaleString('en')} keys.`);
    const first = this.#text.charCodeAt(this.#string + 1);
    if (
      (first === UNDERSCORE || first === BACKSLASH) &&
      PROTOTYPE_KEY.test(this.#text.slice(this.#string, this.#index))
    )
      throw new BodyError('The body has a key that is not allowed.');
  }

  #bracket(change: number): void {
    this.#depth += change;
    if (change === 1) this.#count();
    else if (this.#depth === 0 && this.#closed === -1) this.#closed = this.#index;
    if (this.#depth > MOST_DEPTH) throw new BodyError(`The body is nested deeper than ${MOST_DEPTH} levels.`);
  }

  #count(): void {
    this.values += 1;
    if (this.values > this.#limits.mostValues)
      throw new BodyError(`The body has more than ${this.#limits.mostValues.toLocaleString('en')} values.`);
  }
}

const PROTOTYPE_KEY =
  /^"(?:_|\\u005[fF]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[fF])(?:t|\\u0074)(?:o|\\u006[fF])(?:_|\\u005[fF]){2}"\s*$/;

function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === BACKSLASH) index += 1;
    else if (character === QUOTE) return index;
  }
  return text.length;
}
