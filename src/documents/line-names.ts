import type { Locale } from '../kernel/locale.ts';
import { DOCUMENT_WORDS, type DocumentWords } from './words.ts';

type LineNames = DocumentWords['lineNames'];
type LineWord = keyof LineNames;

/** Names of lines that say nothing of the merchant's. */
const WHOLE: readonly LineWord[] = ['commitment', 'balance', 'topUp'];
const ENGLISH = Object.entries(DOCUMENT_WORDS.en.lineNames) as [LineWord, string][];
const WHOLE_BY_NAME = new Map(ENGLISH.filter(([word]) => WHOLE.includes(word)).map(([word, name]) => [name, word]));
const ADDED_BY_NAME = new Map(ENGLISH.filter(([word]) => !WHOLE.includes(word)).map(([word, name]) => [name, word]));

/** Added behind a name: `Tokens: minimum`, `Tokens: minimum: carried over`; a credit note may follow, in brackets. */
const ADDED = /^(.+): ([^:()]+?)( \([^()]*\))?$/s;

/**
 * The name of a line on a document in this language. It is stored in English, made of the merchant's name of a price
 * and what the line does with it; that is said in the language of the document. Other names stay as they are.
 */
export function lineNameIn(locale: Locale, name: string): string {
  if (locale === 'en') return name;
  const words = DOCUMENT_WORDS[locale].lineNames;
  const whole = WHOLE_BY_NAME.get(name);
  if (whole !== undefined) return words[whole];
  const [, first, added, note = ''] = ADDED.exec(name) ?? [];
  const word = added === undefined ? undefined : ADDED_BY_NAME.get(added);
  return word === undefined ? name : `${lineNameIn(locale, first as string)}: ${words[word]}${note}`;
}

/** The reasons of credit notes that Reckoner gives itself, as they are stored. */
export const OWN_REASONS = DOCUMENT_WORDS.en.reasons;
const REASON_BY_TEXT = new Map(
  (Object.entries(OWN_REASONS) as [keyof typeof OWN_REASONS, string][]).map(([key, text]) => [text, key]),
);

/** The reason of a credit note on a document in this language. Reasons of the merchant stay as they are. */
export function reasonIn(locale: Locale, reason: string): string {
  const own = REASON_BY_TEXT.get(reason);
  return own === undefined ? reason : DOCUMENT_WORDS[locale].reasons[own];
}
