import { expect, it } from 'vitest';
import { CHECKOUT_WORDS } from '../../src/checkout/page/words.ts';
import { DOCUMENT_WORDS } from '../../src/documents/words.ts';
import { INVOICE_WORDS } from '../../src/invoicing/page/words.ts';
import { type InEachLocale, LOCALES } from '../../src/kernel/locale.ts';
import { MAIL_WORDS } from '../../src/mail/words.ts';
import { Html } from '../../src/pages/index.ts';
import { FRAME_WORDS } from '../../src/pages/words.ts';
import { PAYMENT_WORDS } from '../../src/payments/page/words.ts';

/** The value in place of a parameter: a word in sentences of text, markup in sentences of markup. */
class Parameter extends Html {
  override toString(): string {
    return this.text;
  }
}

/** Each sentence of a table by its name; sentences of a function with their parameters numbered. */
function sentencesOf(words: unknown, name = ''): Map<string, string> {
  if (typeof words === 'string') return new Map([[name, words]]);
  if (typeof words === 'function') {
    const wholes = Array.from({ length: words.length }, (_, index) => new Parameter(`§${index}`));
    return sentencesOf(textOf(words(...wholes)), name);
  }
  if (typeof words !== 'object' || words === null) throw new Error(`${name} is no sentence.`);
  return new Map(Object.entries(words).flatMap(([key, each]) => [...sentencesOf(each, `${name}.${key}`)]));
}

const textOf = (made: unknown): string => (made instanceof Html ? made.text : String(made));
const SENTENCE = /\p{L}{2,}[^\p{L}]+\p{L}{2,}/u;

it.each([
  { room: 'pages', table: FRAME_WORDS as InEachLocale<unknown> },
  { room: 'checkout', table: CHECKOUT_WORDS as InEachLocale<unknown> },
  { room: 'payments/page', table: PAYMENT_WORDS as InEachLocale<unknown> },
  { room: 'documents', table: DOCUMENT_WORDS as InEachLocale<unknown> },
  { room: 'mail', table: MAIL_WORDS as InEachLocale<unknown> },
  { room: 'invoicing/page', table: INVOICE_WORDS as InEachLocale<unknown> },
])('no sentence of $room is the same in two languages, and none is empty', ({ table }) => {
  const languages = LOCALES.map((locale) => ({ locale, sentences: sentencesOf(table[locale]) }));
  for (const { locale, sentences } of languages)
    for (const [name, sentence] of sentences) {
      expect(sentence.trim(), `${locale}${name}`).not.toBe('');
      const others = languages.filter((other) => other.locale !== locale);
      if (!SENTENCE.test(sentence.replace(/§\d/g, ''))) continue;
      for (const other of others)
        expect(other.sentences.get(name), `${name} in ${locale} and ${other.locale}`).not.toBe(sentence);
    }
});
