import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson } from '../../db/index.ts';
import { canonicalJson } from '../../http/index.ts';
import { canonicalText, contentProblems } from './content.ts';

type Data = Record<string, unknown>;

const textOf = (json: string) => canonicalText(parseExactJson(json) as Data);

describe('the data of an event as one text', () => {
  it.each([
    { a: '{"x":1,"y":{"b":2,"c":3}}', b: '{"y":{"c":3,"b":2},"x":1}', same: true },
    { a: '{"x":9007199254740993}', b: '{"x":9007199254740993}', same: true },
    { a: '{"x":9007199254740993}', b: '{"x":9007199254740992}', same: false },
    { a: '{"x":1.50}', b: '{"x":1.5}', same: true },
    { a: '{"x":1}', b: '{"x":"1"}', same: false },
    { a: '{"x":[1,2]}', b: '{"x":[2,1]}', same: false },
    { a: '{"x":null}', b: '{}', same: false },
    { a: '{"10":1,"9":2}', b: '{"9":2,"10":1}', same: true },
  ])('$a and $b are the same: $same', ({ a, b, same }) => expect(textOf(a) === textOf(b)).toBe(same));

  it.each([
    '{"v":9007199254740993}',
    '{"v":0.123456789012345678901234567890}',
    '{"v":123456789012345678901234567890}',
    '{"a":[true,false,null,"\u00e9\ud83d\ude00"],"b":{}}',
  ])('keeps what was sent: %s', (json) => expect(textOf(json)).toBe(JSON.stringify(parseExactJson(json))));

  const data = fc.dictionary(fc.string(), fc.jsonValue());

  it('is that of any other order of the keys, at every depth', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null) return value;
      const entries = Object.entries(value).map(([key, part]) => [key, reversed(part)]);
      return Object.fromEntries(entries.toReversed());
    };
    fc.assert(
      fc.property(data, (value) => {
        expect(canonicalText(reversed(value) as Data)).toBe(canonicalText(value));
      }),
    );
  });

  it('is the same for two exactly where they are the same JSON', () =>
    fc.assert(
      fc.property(data, data, (a, b) => {
        const texts = [canonicalText(a), canonicalText(b)];
        fc.pre(!texts.includes(null));
        expect(texts[0] === texts[1]).toBe(canonicalJson(a) === canonicalJson(b));
      }),
    ));

  it('is there exactly where nothing is wrong', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\0', '\ud800', 1e38, 1e39, -1e39, 1e-38, 1e-39, 5e-324, 0, -0),
      fc.constantFrom('1'.repeat(38), '1'.repeat(39), '1e40', `0.${'3'.repeat(38)}`).map((text) => JSON.rawJSON(text)),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer({ min: 990, max: 1_010 }).map((length) => Array(length).fill(1)),
      fc.integer({ min: 32_600, max: 32_800 }).map((length) => 'x'.repeat(length)),
      fc.integer({ min: 10_880, max: 10_940 }).map((length) => '\u20ac'.repeat(length)),
    );
    fc.assert(
      fc.property(
        fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('\0', '\ud800')), value, { maxKeys: 3 }),
        (sent) => {
          expect(canonicalText(sent) === null).toBe(contentProblems({ data: sent }).length > 0);
        },
      ),
    );
  });
});
