/**
 * Text that strangers wrote, made fit for paper. Typst never reads it as markup, so
 * what is left to fear are characters that cannot be seen and change how others are read, and length.
 */

const LINE_BREAKS = /\r\n?|[\n\u0085\p{Zl}\p{Zp}]/gu;
// A tab or a line break inside a one-line field was meant as a gap between words; every other control was meant for a
// machine.
const GAPS = /[\t\n\v\f\p{Zs}]+/gu;
// Default_Ignorable_Code_Point holds all that is invisible by design: soft hyphens, fillers, tags, variation selectors
// and most bidi controls. The joiners U+200C and U+200D are spared: Persian and Indic words are misspelt without them.
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu;
const STRAY_JOINER = /(?<![\p{L}\p{M}])[\u200c\u200d]+|[\u200c\u200d]+(?![\p{L}\p{M}])/gu;
const UNDISPLAYABLE = /[\p{Cs}\p{Co}\p{Cn}]/gu;
const MARK_PILE = /(\p{M}{4})\p{M}+/gu;
// A word that no column can hold gets places where it may break; U+200B is the one invisible character that we add
// ourselves.
const LONG_RUN = /[^\s\u200b]{25,}/gu;
const SIGN = /[@./](?=[^@./])/g;
const RUN_PIECE = /(?:\P{M}\p{M}*){12}(?=\P{M})/gu;

// Most texts: printable ASCII, single spaces between words, none around them. There is nothing to clean.
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/** The replacement of a character that cannot be shown. */
export const REPLACEMENT = '\ufffd';

const withoutHazards = (text: string): string =>
  text
    .replace(INVISIBLE, '')
    .replace(STRAY_JOINER, '')
    .replace(UNDISPLAYABLE, REPLACEMENT)
    .normalize('NFC')
    .replace(MARK_PILE, '$1');

/** Cut to `most` characters as readers count them (an ellipsis is the last of them), never through a character. */
function cap(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters: string[] = [];
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of graphemes.segment(text)) {
    if (characters.length === most)
      return `${characters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`;
    characters.push(segment);
  }
  return text;
}

/** Made when it is first needed: it takes 15 ms of a start. */
let graphemes: Intl.Segmenter | undefined;

/** In an address for mails or pages, behind its signs; else anywhere. */
const withBreaks = (text: string): string =>
  text.replace(LONG_RUN, (run) =>
    run.replace(SIGN, '$&\u200b').replace(LONG_RUN, (part) => part.replace(RUN_PIECE, '$&\u200b')),
  );

/**
 * One line of text: gaps become single spaces; controls, bidi overrides and other invisible characters go; at most
 * `most` characters.
 */
export function cleanLine(text: string, most: number): string {
  if (text.length <= most && PLAIN.test(text)) return text;
  // Cut coarsely before the regular expressions run: a megabyte of text costs no more than a page of it.
  const head = text
    .slice(0, most * 16)
    .replace(LINE_BREAKS, ' ')
    .replace(GAPS, ' ');
  return cap(withoutHazards(head).replace(GAPS, ' ').trim(), most);
}

/** The same for paper: a word that no column can hold gets places where it may break. */
export const oneLine = (text: string, most: number): string => withBreaks(cleanLine(text, most));

/**
 * Several lines of text, at most `most` characters and `mostLines` lines; line breaks are kept, each line as `oneLine`.
 */
export function manyLines(text: string, most: number, mostLines: number): string[] {
  const lines = text
    .slice(0, most * 16)
    .split(LINE_BREAKS)
    .slice(0, mostLines);
  let left = most;
  const kept: string[] = [];
  for (const line of lines) {
    if (left <= 0) break;
    const clean = oneLine(line, left);
    left -= clean.length;
    kept.push(clean);
  }
  while (kept.at(-1) === '') kept.pop();
  return kept;
}

// Latin, Greek, Cyrillic, Arabic letters and digits, kana and Han, with common punctuation and currency signs; no loose
// marks.
const UNCOMMON =
  /[^\u0020-\u007e\u00a0-\u024f\u0370-\u04ff\u0621-\u064a\u0660-\u0669\u1e00-\u1eff\u2010-\u2026\u200b\u20a0-\u20bf\u3041-\u30ff\u4e00-\u9fff]/gu;
const NOT_LATIN = /[^\u0020-\u007e\u00a0-\u017f]/gu;

/**
 * How texts are shown at each further attempt, after one that ended the typesetter: some combinations of rare signs
 * abort it. Every character outside becomes a question mark: first what few names need, then all but Latin.
 */
export const reductions: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replace(UNCOMMON, '?'),
  (text) => text.replace(NOT_LATIN, '?'),
];

const FIRST_LETTER = /\p{L}/u;
const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}]/u;

/** Is the text read from right to left? Its first letter decides (Unicode UAX #9, rules P2 and P3). */
export function isRightToLeft(text: string): boolean {
  const letter = FIRST_LETTER.exec(text);
  return letter !== null && RIGHT_TO_LEFT.test(letter[0]);
}
