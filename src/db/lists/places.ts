import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

/** A row of a list: its id, and the values of the list's order that it had when its page was read. */
export interface Place {
  readonly id: string;
  readonly values: readonly string[];
}

const CIPHER = 'aes-256-ctr';
const MARK_BYTES = 16;
/** An id, and where a page ended there, its values. */
const FORM = /^([a-z]+_[0-9A-Za-z_]{1,80})(?:\.([0-9A-Za-z_-]{1,400}))?$/;

/** The form of `after` as a pattern for schemas. */
export const AFTER_FORM = FORM.source;

/** The id in the text of an `after`; the form is checked by then. */
export const idOfAfter = (after: string): string => FORM.exec(after)?.[1] ?? after;

/**
 * The places of one database as texts: the id, a point, and the encrypted values of the order. Whoever continues behind
 * a row that is gone needs the values; nobody but us reads them (decision 0194).
 *
 * The mark over id, order and values is what the cipher begins with. A text that was changed, or is of a list with
 * another order, has another mark.
 */
export class Places {
  readonly #key: Uint8Array;

  /** @param key 32 bytes */
  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** @param order names the order of the list */
  textOf({ id, values }: Place, order: string): string {
    const plain = JSON.stringify(values);
    const mark = this.#mark(id, order, plain);
    const hidden = createCipheriv(CIPHER, this.#key, mark).update(plain, 'utf8');
    return `${id}.${Buffer.concat([mark, hidden]).toString('base64url')}`;
  }

  /** The values in a text. @returns null if it has none, or none of this order */
  valuesOf(after: string, order: string): readonly string[] | null {
    const [, id, sealed] = FORM.exec(after) ?? [];
    if (id === undefined || sealed === undefined) return null;
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length <= MARK_BYTES) return null;
    const mark = bytes.subarray(0, MARK_BYTES);
    const plain = createDecipheriv(CIPHER, this.#key, mark).update(bytes.subarray(MARK_BYTES)).toString('utf8');
    return this.#mark(id, order, plain).equals(mark) ? (JSON.parse(plain) as string[]) : null;
  }

  #mark(id: string, order: string, plain: string): Buffer {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([id, order, plain]))
      .digest()
      .subarray(0, MARK_BYTES);
  }
}
