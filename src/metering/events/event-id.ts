import { createCipheriv, createDecipheriv } from 'node:crypto';
import { BASE62, ID_PREFIXES } from '../../kernel/ids.ts';
import type { Instant } from '../../kernel/time.ts';

/** An event by its place in the order of acceptance, and the month that holds it. */
export interface EventPlace {
  readonly seq: bigint;
  /** Half-open. */
  readonly from: Instant;
  readonly to: Instant;
}

const CIPHER = 'aes-256-ecb'; // each block is another event's, so no block comes twice
const BLOCK_BYTES = 16;
const WORD_BYTES = 8;
/** 11 characters hold 64 bits. */
const WORD_CHARACTERS = 11;
const BODY_CHARACTERS = 2 * WORD_CHARACTERS;
const DIGITS = Buffer.from(BASE62, 'latin1');
const PLACE_OF = new Map([...BASE62].map((character, place) => [character, BigInt(place)]));
const BASE = 62;
const FIVE_DIGITS = BASE ** 5;
const EVENT_ID = new RegExp(`^${ID_PREFIXES.event}(\\d{4})(0[1-9]|1[0-2])([0-9A-Za-z]{${BODY_CHARACTERS}})$`);
const LARGEST_WORD = 2n ** 64n - 1n;

/**
 * The ids of the events of one database: the month of the event's timestamp, and its place in the order of acceptance,
 * enciphered. So an id is found by the index of that order, and tells nothing but the month (decision 0131).
 *
 * The block of AES holds the month and the life too. An id that was made up deciphers to something else.
 */
export class EventIds {
  readonly #key: Uint8Array;
  readonly #lives: readonly bigint[];

  /**
   * @param key 32 bytes
   * @param lives the first number of each life of the database but the first, in order (decision 0250)
   */
  constructor(key: Uint8Array, lives: readonly bigint[] = []) {
    this.#key = key;
    this.#lives = lives;
  }

  /** How many restores lie before an event. A life gives numbers again that a lost one gave to other events. */
  #lifeOf(seq: bigint): number {
    let life = this.#lives.length;
    while (life > 0 && seq < (this.#lives[life - 1] as bigint)) life -= 1;
    return life;
  }

  /** The id of one event. */
  idOf(event: { readonly at: Instant | string; readonly seq: bigint | string }): string {
    return this.idsOf([event])[0] as string;
  }

  /** The ids of events, in their order. `at` is an instant, or its text. */
  idsOf(events: readonly { readonly at: Instant | string; readonly seq: bigint | string }[]): string[] {
    const blocks = Buffer.alloc(events.length * BLOCK_BYTES);
    const months: string[] = [];
    for (const [index, { at, seq }] of events.entries()) {
      const text = typeof at === 'string' ? at : at.toString();
      const month = text.slice(0, 4) + text.slice(5, 7);
      months.push(month);
      const number = BigInt(seq);
      writeBlock(blocks, index * BLOCK_BYTES, month, number, this.#lifeOf(number));
    }
    const cipher = createCipheriv(CIPHER, this.#key, null).setAutoPadding(false);
    const bodies = writtenIn62(cipher.update(blocks));
    return months.map(
      (month, index) =>
        ID_PREFIXES.event + month + bodies.slice(index * BODY_CHARACTERS, (index + 1) * BODY_CHARACTERS),
    );
  }

  /** The place of the event with an id. @returns null if the text is no possible id of an event in this database. */
  placeOf(id: string): EventPlace | null {
    const [, year, month, body] = EVENT_ID.exec(id) ?? [];
    if (year === undefined || month === undefined || body === undefined) return null;
    const words = [body.slice(0, WORD_CHARACTERS), body.slice(WORD_CHARACTERS)].map(readIn62);
    if (words.some((word) => word > LARGEST_WORD)) return null;
    const block = Buffer.alloc(BLOCK_BYTES);
    for (const [index, word] of words.entries()) block.writeBigUInt64BE(word, index * WORD_BYTES);
    const plain = createDecipheriv(CIPHER, this.#key, null).setAutoPadding(false).update(block);
    const seq = plain.readBigInt64BE(WORD_BYTES);
    const same = Buffer.alloc(BLOCK_BYTES);
    if (seq < 0) return null;
    writeBlock(same, 0, year + month, seq, this.#lifeOf(seq));
    if (!plain.equals(same)) return null;
    const first = Temporal.PlainDate.from(`${year}-${month}-01`);
    const midnight = (date: Temporal.PlainDate) => date.toZonedDateTime('UTC').toInstant();
    return { seq, from: midnight(first), to: midnight(first.add({ months: 1 })) };
  }
}

/** The month, the life and the number, of which each takes its own bytes. */
function writeBlock(blocks: Buffer, start: number, month: string, seq: bigint, life: number): void {
  blocks.writeUInt32BE(Number(month), start);
  blocks.writeUInt32BE(life, start + 4);
  blocks.writeBigInt64BE(seq, start + WORD_BYTES);
}

/** All words of 64 bits, one after the other, each in 11 characters. */
function writtenIn62(words: Buffer): string {
  const text = Buffer.allocUnsafe((words.length / WORD_BYTES) * WORD_CHARACTERS);
  for (let word = 0; word * WORD_BYTES < words.length; word += 1) {
    // A division of 64 bits in parts that a number holds exactly: by 62⁵, first the upper half, then 16 bits at a time.
    const high = words.readUInt32BE(word * WORD_BYTES);
    const low = words.readUInt32BE(word * WORD_BYTES + 4);
    const middle = (high % FIVE_DIGITS) * 0x1_00_00 + (low >>> 16);
    const last = (middle % FIVE_DIGITS) * 0x1_00_00 + (low & 0xff_ff);
    const upper =
      Math.floor(high / FIVE_DIGITS) * 2 ** 32 +
      Math.floor(middle / FIVE_DIGITS) * 2 ** 16 +
      Math.floor(last / FIVE_DIGITS);
    const start = word * WORD_CHARACTERS;
    text[start] = DIGITS[Math.floor(upper / FIVE_DIGITS)] as number;
    writeFiveDigits(text, start + 1, upper % FIVE_DIGITS);
    writeFiveDigits(text, start + 6, last % FIVE_DIGITS);
  }
  return text.toString('latin1');
}

function writeFiveDigits(text: Buffer, start: number, number: number): void {
  let remaining = number | 0;
  for (let place = start + 4; place >= start; place -= 1) {
    const next = (remaining / BASE) | 0;
    text[place] = DIGITS[remaining - next * BASE] as number;
    remaining = next;
  }
}

const readIn62 = (text: string): bigint =>
  [...text].reduce((number, character) => number * BigInt(BASE) + (PLACE_OF.get(character) as bigint), 0n);
