import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRightToLeft, manyLines, oneLine } from './text.ts';

describe('one line of text', () => {
  it.each([
    { text: 'plain', shown: 'plain', because: 'is left alone' },
    { text: '  a \t b\r\nc  ', shown: 'a b c', because: 'loses gaps and line breaks' },
    { text: 'a\u0000\u0007\u001b[31mb\u009f', shown: 'a[31mb', because: 'loses controls' },
    { text: 'pay \u202e0001\u202c now', shown: 'pay 0001 now', because: 'loses bidi overrides' },
    { text: '\u2066x\u2069\u200e\u200f\u061c', shown: 'x', because: 'loses bidi isolates and marks' },
    { text: 'a\u200bb\u00adc\ufeffd\u{e0041}', shown: 'abcd', because: 'loses what cannot be seen' },
    { text: 'x\u2028y\u2029z', shown: 'x y z', because: 'loses separators of lines and paragraphs' },
    { text: 'می\u200cخواهم', shown: 'می\u200cخواهم', because: 'keeps a joiner between letters' },
    { text: 'a \u200d b\u200c', shown: 'a b', because: 'loses a joiner that joins nothing' },
    { text: 'e\u0301', shown: 'é', because: 'is composed' },
    { text: `Z${'\u0301'.repeat(40)}`, shown: `Ź${'\u0301'.repeat(4)}`, because: 'carries a few marks at most' },
    { text: 'a\ud800b\ue000', shown: 'a\ufffdb\ufffd', because: 'shows a replacement for what is no character' },
    { text: '#eval("1") *b* $x$ <l> @r \\', shown: '#eval("1") *b* $x$ <l> @r \\', because: 'may look like markup' },
  ])('$because', ({ text, shown }) => expect(oneLine(text, 100)).toBe(shown));

  it('is cut with an ellipsis, never through a character', () => {
    expect(oneLine('abcdef', 5)).toBe('abcd…');
    expect(oneLine('नमस्ते दुनिया', 3)).toBe('नम…');
    expect(oneLine('ab cdef', 4)).toBe('ab…');
  });

  it('may break inside a word that no column holds', () => {
    expect(oneLine('x'.repeat(30), 100)).toBe(`${'x'.repeat(12)}\u200b${'x'.repeat(12)}\u200b${'x'.repeat(6)}`);
    expect(oneLine('x'.repeat(24), 100)).toBe('x'.repeat(24));
    expect(oneLine('rechnung@tokenwerk.example', 100)).toBe('rechnung@\u200btokenwerk.\u200bexample');
    expect(oneLine(`a@${'x'.repeat(30)}`, 100)).toBe(
      `a@\u200b${'x'.repeat(12)}\u200b${'x'.repeat(12)}\u200b${'x'.repeat(6)}`,
    );
  });

  it('whatever it was, holds nothing hidden and is no longer than allowed', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 1, max: 80 }), (text, most) => {
        const shown = oneLine(text, most);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/u);
        const characters = [...new Intl.Segmenter('en').segment(shown.replaceAll('\u200b', ''))];
        expect(characters.length).toBeLessThanOrEqual(most);
        expect(shown).toBe(shown.trim());
      }),
    ));

  it('is the same when it is cleaned twice', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (text) => {
        expect(oneLine(oneLine(text, 1000), 1000)).toBe(oneLine(text, 1000));
      }),
    ));

  it('costs no more for a megabyte than for a page', () => {
    expect(oneLine(' '.repeat(1_000_000), 10)).toBe('');
    expect(oneLine('\u0301'.repeat(1_000_000), 10).length).toBeLessThan(100);
  });
});

describe('several lines of text', () => {
  it('keep their breaks', () => expect(manyLines('a\r\nb\n\nc\n\n', 100, 10)).toEqual(['a', 'b', '', 'c']));
  it('are cut by lines', () => expect(manyLines('a\nb\nc', 100, 2)).toEqual(['a', 'b']));
  it('are cut by characters over all lines', () => expect(manyLines('abc\ndef\nghi', 5, 9)).toEqual(['abc', 'd…']));
});

describe('the direction of a text', () => {
  it.each([
    ['شركة ABC', true],
    ['123 شركة', true],
    ['עברית', true],
    ['ABC شركة', false],
    ['上海', false],
    ['12:30', false],
    ['', false],
  ])('%s: right to left is %s', (text, expected) => expect(isRightToLeft(text)).toBe(expected));
});
