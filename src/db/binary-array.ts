/** The numbers of the types in PostgreSQL. */
const TYPES = { int4: 23, int8: 20, jsonb: 3802, text: 25, timestamptz: 1184, uuid: 2950 } as const;

/** A type of elements. */
export type ElementType = keyof typeof TYPES;

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NO_VALUE = -1;
const WORD = 2 ** 32;
/** The most bytes of UTF-8 for one unit of UTF-16. */
const MOST_BYTES_PER_UNIT = 3;
const FIRST_BYTES = 512;
/** A short text is written without the call that a long one takes. */
const SHORT_UNITS = 32;
const FIRST_NOT_ASCII = 0x80;

const JSONB_VERSION = 1;

const UUID_BYTES = 16;
const BIGINT_BYTES = 8;
const INTEGER_BYTES = 4;

/** Where the seconds end in `2026-03-01T00:00:00.123456Z`, and where microseconds do. */
const SECONDS_END = 19;
const MICROSECOND_END = 26;
const ZERO = 0x30;
/** PostgreSQL counts time from 2000-01-01. */
const DAYS_BEFORE_2000 = 730_426;

/**
 * An array as a parameter in the binary form of PostgreSQL, for arrays of thousands of elements. It has no quotes and
 * nothing to escape, and PostgreSQL does not search it for the ends of its elements. `statement` gives its type.
 */
export class BinaryArray {
  readonly #type: number;
  readonly #isJsonb: boolean;
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #end = HEADER_BYTES;
  #count = 0;

  constructor(type: ElementType) {
    this.#type = TYPES[type];
    this.#isJsonb = type === 'jsonb';
  }

  /** An `int4`. */
  addInteger(value: number): void {
    const start = this.#next(INTEGER_BYTES);
    this.#bytes.writeInt32BE(value, start);
  }

  /** An `int8`. */
  addBigint(value: bigint): void {
    const start = this.#next(BIGINT_BYTES);
    this.#bytes.writeBigInt64BE(value, start);
  }

  /** A `uuid`, of 32 hexadecimal digits. */
  addUuid(hex: string): void {
    const start = this.#next(UUID_BYTES);
    this.#bytes.write(hex, start, UUID_BYTES, 'hex');
  }

  /** A `timestamptz`, as `formatInstant` writes it. */
  addInstant(text: string): void {
    const start = this.#next(BIGINT_BYTES);
    const microseconds = microsecondsOf(text);
    const high = Math.floor(microseconds / WORD);
    this.#bytes.writeInt32BE(high, start);
    this.#bytes.writeUInt32BE(microseconds - high * WORD, start + LENGTH_BYTES);
  }

  /** A `text`, or the text of a `jsonb`. */
  addText(text: string | null): void {
    this.#count += 1;
    this.#reserve(LENGTH_BYTES + 1 + (text === null ? 0 : text.length * MOST_BYTES_PER_UNIT));
    const start = this.#end + LENGTH_BYTES;
    let end = start;
    if (text !== null) {
      if (this.#isJsonb) {
        this.#bytes[end] = JSONB_VERSION;
        end += 1;
      }
      end = this.#write(text, end);
    }
    this.#bytes.writeInt32BE(text === null ? NO_VALUE : end - start, this.#end);
    this.#end = end;
  }

  /** The parameter; nothing can be added after it. */
  finished(): Buffer {
    const bytes = this.#bytes;
    const hasElements = this.#count > 0;
    bytes.writeInt32BE(hasElements ? 1 : 0, 0); // dimensions
    bytes.writeInt32BE(0, 4); // flags
    bytes.writeInt32BE(this.#type, 8);
    bytes.writeInt32BE(this.#count, 12);
    bytes.writeInt32BE(1, 16); // the place of the first element
    return bytes.subarray(0, hasElements ? this.#end : 12);
  }

  /** Makes room for an element of a fixed length. @returns where it begins */
  #next(bytes: number): number {
    this.#count += 1;
    this.#reserve(LENGTH_BYTES + bytes);
    this.#bytes.writeInt32BE(bytes, this.#end);
    const start = this.#end + LENGTH_BYTES;
    this.#end = start + bytes;
    return start;
  }

  #write(text: string, start: number): number {
    if (text.length > SHORT_UNITS) return start + this.#bytes.write(text, start);
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit >= FIRST_NOT_ASCII) return start + this.#bytes.write(text, start);
      this.#bytes[start + index] = unit;
    }
    return start + text.length;
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#end + bytes, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}

/** Since 2000-01-01T00:00:00Z; a number holds them exactly from 1715 to 2285. */
function microsecondsOf(text: string): number {
  const [year, month, day] = [numberAt(text, 0, 4), numberAt(text, 5, 7), numberAt(text, 8, 10)];
  // The year begins in March here, so a leap day is the last day of one, and 153 days are five months.
  const years = month > 2 ? year : year - 1;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  const days = 365 * years + leapDays + Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - DAYS_BEFORE_2000;
  const hours = days * 24 + numberAt(text, 11, 13);
  const seconds = (hours * 60 + numberAt(text, 14, 16)) * 60 + numberAt(text, 17, SECONDS_END);
  const fractionEnd = Math.max(SECONDS_END + 1, text.length - 1);
  const fraction = numberAt(text, SECONDS_END + 1, fractionEnd) * 10 ** (MICROSECOND_END - fractionEnd);
  return seconds * 1_000_000 + fraction;
}

/** The number that some digits are. */
function numberAt(text: string, start: number, end: number): number {
  let number = 0;
  for (let index = start; index < end; index += 1) number = 10 * number + text.charCodeAt(index) - ZERO;
  return number;
}
