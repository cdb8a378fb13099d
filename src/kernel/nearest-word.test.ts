import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nearestWord } from './nearest-word.ts';

const known = ['externalId', 'consumer', 'metadata', 'taxId', 'name'];

it.each([
  { word: 'external_id', near: 'externalId' },
  { word: 'externalid', near: 'externalId' },
  { word: 'extrenalId', near: 'externalId' },
  { word: 'cunsumer', near: 'consumer' },
  { word: 'metdata', near: 'metadata' },
  { word: 'taxid', near: 'taxId' },
  { word: 'tax', near: null },
  { word: 'nam', near: 'name' },
  { word: 'no', near: null },
  { word: '', near: null },
  { word: 'somethingElse', near: null },
])('$word: $near', ({ word, near }) => expect(nearestWord(word, known)).toBe(near));

it('finds a word again after one letter was lost, doubled or exchanged', () => {
  const words = fc.string({ minLength: 4, maxLength: 12, unit: fc.constantFrom(...'abcdefgh') });
  fc.assert(
    fc.property(words, fc.nat(), fc.constantFrom('lost', 'doubled', 'exchanged'), (word, place, mistake) => {
      const at = place % (word.length - 1);
      const written = {
        lost: word.slice(0, at) + word.slice(at + 1),
        doubled: word.slice(0, at) + word.charAt(at) + word.slice(at),
        exchanged: word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2),
      }[mistake];
      expect(nearestWord(written, [word])).toBe(word);
    }),
  );
});
