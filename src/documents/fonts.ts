import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { REPLACEMENT } from '../look/index.ts';

/**
 * The fonts of a document, and which characters they can show.
 *
 * Typst looks through the machine's fonts before ours and takes the first of a family, so a machine with its own "Noto
 * Sans" would set other documents than one without. We therefore hand our fonts over under family names that no machine
 * has.
 */

const FAMILIES = [
  { package: '@expo-google-fonts/noto-sans', file: 'NotoSans' },
  { package: '@expo-google-fonts/noto-sans-arabic', file: 'NotoSansArabic' },
  { package: '@expo-google-fonts/noto-sans-sc', file: 'NotoSansSC' },
] as const;
const WEIGHTS = ['400Regular', '600SemiBold'] as const;

/** The families under the names that the templates use, in the order in which they are tried for a character. */
export const fontFamilies: readonly string[] = ['Docu Sans', 'Docu Sans Arabic', 'Docu Sans SC'];

const require = createRequire(import.meta.url);

/** The files that are read, in their packages: `npm start` removes other weights (scripts/ensure-installed.js). */
export const fontFiles = FAMILIES.map((family) => ({
  package: family.package,
  paths: WEIGHTS.map((weight) => join(weight, `${family.file}_${weight}.ttf`)),
}));

function readFamily(family: (typeof fontFiles)[number]): Buffer[] {
  const folder = dirname(require.resolve(`${family.package}/package.json`));
  return family.paths.map((path) => readFileSync(join(folder, path)));
}

/** The offset of a table in an OpenType file (OpenType 1.9, table directory). */
function tableOffset(font: Buffer, tag: string): number {
  const tables = font.readUInt16BE(4);
  for (let at = 12; at < 12 + tables * 16; at += 16)
    if (font.toString('latin1', at, at + 4) === tag) return font.readUInt32BE(at + 8);
  throw new Error(`The font has no table ${tag}.`);
}

const FAMILY_NAMES: ReadonlySet<number> = new Set([1, 16]);

/** Writes "Docu" over "Noto" in the family names: the same length, so nothing else in the file moves. */
function rename(font: Buffer): void {
  const table = tableOffset(font, 'name');
  const count = font.readUInt16BE(table + 2);
  const strings = table + font.readUInt16BE(table + 4);
  for (let record = table + 6; record < table + 6 + count * 12; record += 12) {
    if (!FAMILY_NAMES.has(font.readUInt16BE(record + 6))) continue;
    const at = strings + font.readUInt16BE(record + 10);
    const wide = Buffer.from('Noto', 'utf16le').swap16();
    if (font.subarray(at, at + wide.length).equals(wide)) font.set(Buffer.from('Docu', 'utf16le').swap16(), at);
    else if (font.toString('latin1', at, at + 4) === 'Noto') font.write('Docu', at, 'latin1');
  }
}

const CODE_POINTS = 0x110000;

/** A set of code points, one bit each. */
class CodePoints {
  readonly #bits = new Uint8Array(CODE_POINTS / 8);
  add(codePoint: number): void {
    const byte = codePoint >> 3;
    this.#bits[byte] = (this.#bits[byte] as number) | (1 << (codePoint & 7));
  }
  has(codePoint: number): boolean {
    return ((this.#bits[codePoint >> 3] as number) & (1 << (codePoint & 7))) !== 0;
  }
}

/**
 * The code points that a font has a glyph for (OpenType 1.9, `cmap` formats 4 and 12; Noto fonts carry both or one).
 */
function codePointsOf(font: Buffer): CodePoints {
  const found = new CodePoints();
  const cmap = tableOffset(font, 'cmap');
  const subtables = font.readUInt16BE(cmap + 2);
  for (let i = 0; i < subtables; i += 1) {
    const at = cmap + font.readUInt32BE(cmap + 4 + i * 8 + 4);
    const format = font.readUInt16BE(at);
    if (format === 12) readGroups(font, at, found);
    if (format === 4) readSegments(font, at, found);
  }
  return found;
}

function readGroups(font: Buffer, at: number, found: CodePoints): void {
  const groups = font.readUInt32BE(at + 12);
  for (let group = at + 16; group < at + 16 + groups * 12; group += 12) {
    const first = font.readUInt32BE(group);
    const glyph = font.readUInt32BE(group + 8);
    for (let code = first; code <= font.readUInt32BE(group + 4); code += 1)
      if (glyph + code - first !== 0) found.add(code);
  }
}

function readSegments(font: Buffer, at: number, found: CodePoints): void {
  const size = font.readUInt16BE(at + 6); // twice the number of segments
  for (let segment = 0; segment < size; segment += 2) {
    const last = font.readUInt16BE(at + 14 + segment);
    const first = font.readUInt16BE(at + 16 + size + segment);
    const delta = font.readUInt16BE(at + 16 + size * 2 + segment);
    const rangeAt = at + 16 + size * 3 + segment;
    const range = font.readUInt16BE(rangeAt);
    for (let code = first; code <= last && code !== 0xffff; code += 1) {
      const glyph = range === 0 ? (code + delta) & 0xffff : font.readUInt16BE(rangeAt + range + (code - first) * 2);
      if (glyph !== 0) found.add(code);
    }
  }
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const PLAIN = /^[\x20-\x7e]*$/;
const JOINERS = /[\u200b-\u200d]/gu; // never drawn, and every font may lack them
const isJoiner = (code: number): boolean => code >= 0x200b && code <= 0x200d;

/** The fonts as bytes, and the text that they can show. */
export interface Fonts {
  readonly files: Buffer[];
  /**
   * The text with a replacement for each character that no single font can show whole. Without it PDF/A refuses the
   * document.
   */
  displayable(text: string): string;
  /**
   * Can the first font alone show every character of this JSON, so that `displayable` would change no text in it? False
   * where that is not clear at a glance.
   */
  showsAll(json: string): boolean;
}

/** Reads the six font files (23 MB), once for each render process. */
export function loadFonts(): Fonts {
  const families = fontFiles.map((family) => {
    const files = readFamily(family);
    for (const file of files) rename(file);
    const weights = files.map(codePointsOf);
    return { files, has: (code: number) => weights.every((weight) => weight.has(code)) };
  });
  // Typst sets a character and its marks in one font; two fonts that have half of it each are no help.
  const shown = (text: string) => {
    const codes = Array.from(text.replace(JOINERS, ''), (character) => character.codePointAt(0) as number);
    return families.some((family) => codes.every(family.has));
  };
  const displayable = (text: string): string => {
    if (PLAIN.test(text)) return text;
    return Array.from(graphemes.segment(text), ({ segment }) => {
      if (shown(segment)) return segment;
      const base = String.fromCodePoint(segment.codePointAt(0) as number);
      return shown(base) ? base : REPLACEMENT;
    }).join('');
  };
  const first = families[0] as (typeof families)[number];
  const showsAll = (json: string): boolean => {
    if (json.includes('\\u')) return false; // a sign that JSON has written as six others
    for (let at = 0; at < json.length; at += 1) {
      const unit = json.charCodeAt(at); // one half of a pair is in no font, which is answer enough
      if ((unit < 0x20 || unit > 0x7e) && !first.has(unit) && !isJoiner(unit)) return false;
    }
    return true;
  };
  return { files: families.flatMap((family) => family.files), displayable, showsAll };
}
