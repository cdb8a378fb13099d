import { parseExactJson } from '../db/index.ts';

const MOST_DEPTH = 32;
const MOST_KEYS = 1000;

/** Why a body could not be read; becomes a 400. */
export class BodyError extends Error {}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a body; bytes that are no UTF-8 are refused, where a lenient reader would put other characters for them. */
export function readText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new BodyError('The body is not valid UTF-8.', { cause });
  }
}

/**
 * Reads a JSON body exactly (numbers keep their digits), refusing before the parse what would be costly or harmful:
 * deeper than 32 levels, more keys in one document than allowed, and keys that reach into a prototype.
 * @returns undefined for an empty body.
 */
export function readJsonBody(text: string, mostKeys: number = MOST_KEYS): unknown {
  if (text.trim() === '') return;
  checkShape(text, mostKeys);
  try {
    return parseExactJson(text);
  } catch (cause) {
    throw new BodyError('The body is not valid JSON.', { cause });
  }
}

const QUOTE = 0x22;
const COLON = 0x3a;
const DEPTH_CHANGE = new Int8Array(128);
for (const opening of '{[') DEPTH_CHANGE[opening.charCodeAt(0)] = 1;
for (const closing of '}]') DEPTH_CHANGE[closing.charCodeAt(0)] = -1;

/** One pass over the text, outside strings counting braces and colons; cheaper than parsing what will be refused. */
function checkShape(text: string, mostKeys: number): void {
  let depth = 0;
  let keys = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === QUOTE) index = endOfString(text, index);
    else if (character === COLON) keys += 1;
    else depth += DEPTH_CHANGE[character] ?? 0;
    if (depth > MOST_DEPTH) throw new BodyError(`The body is nested deeper than ${MOST_DEPTH} levels.`);
    if (keys > mostKeys) throw new BodyError(`The body has more than ${mostKeys} keys.`);
  }
  if (PROTOTYPE_KEY.test(text)) throw new BodyError('The body has a key that is not allowed.');
}

const PROTOTYPE_KEY =
  /"(?:_|\\u005[fF]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[fF])(?:t|\\u0074)(?:o|\\u006[fF])(?:_|\\u005[fF]){2}"\s*:/;

function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === 0x5c) index += 1;
    else if (character === 0x22) return index;
  }
  return text.length;
}
