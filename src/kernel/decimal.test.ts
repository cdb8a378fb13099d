import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal, type DecimalInput, decimal, isRawNumber, jsonNumber, ONE, plain, sum, ZERO } from './decimal.ts';

/** A decimal text of up to 30 digits on either side of the point. */
const decimalText = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.integer({ min: 0, max: 30 }))
  .map(([negative, digits, places]) => {
    const text = digits.toString().padStart(places + 1, '0');
    const point = text.length - places;
    const unsigned = places === 0 ? text : `${text.slice(0, point)}.${text.slice(point)}`;
    return negative ? `-${unsigned}` : unsigned;
  });

describe('reading', () => {
  it.each<{ input: DecimalInput; text: string }>([
    { input: '0', text: '0' },
    { input: '-0', text: '0' },
    { input: '-0.000', text: '0' },
    { input: '007', text: '7' },
    { input: '1.', text: '1' },
    { input: '.5', text: '0.5' },
    { input: '1e-9', text: '0.000000001' },
    { input: '1E+3', text: '1000' },
    { input: '9007199254740993', text: '9007199254740993' }, // 2^53 + 1, which a JavaScript number cannot hold
    { input: 9007199254740993n, text: '9007199254740993' },
    { input: '123456789012345678901234567890', text: '123456789012345678901234567890' },
    { input: '0.123456789012345678901234567890', text: '0.12345678901234567890123456789' },
    { input: '99999999999999999999999999999999999999', text: '99999999999999999999999999999999999999' }, // 38 digits
    { input: 0.1, text: '0.1' }, // the shortest text, not 0.1000000000000000055…
    { input: 1e21, text: '1000000000000000000000' },
    { input: 1e-7, text: '0.0000001' },
    { input: JSON.rawJSON('9007199254740993'), text: '9007199254740993' },
    { input: JSON.rawJSON('1.50'), text: '1.5' },
    { input: new Decimal('2.25'), text: '2.25' },
  ])('reads $input as $text', ({ input, text }) => expect(plain(decimal(input))).toBe(text));

  it.each([
    '',
    ' 1',
    '1 ',
    'abc',
    'NaN',
    'Infinity',
    '-Infinity',
    '0x1f',
    '0b101',
    '0o17',
    '1_000',
    '1,5',
    '--1',
    '+1',
    '.',
    '1e',
    '١',
    '1\n',
  ])('refuses the text %j', (text) => expect(() => decimal(text)).toThrow(RangeError));

  it.each([Number.NaN, Number.POSITIVE_INFINITY, new Decimal(Number.NaN), new Decimal(1).div(0)])(
    'refuses %s, which is not finite',
    (input) => expect(() => decimal(input)).toThrow(RangeError),
  );

  it('keeps every digit of any text', () => {
    fc.assert(
      fc.property(decimalText, (text) => {
        const written = plain(decimal(text));
        expect(written).not.toMatch(/e/i);
        expect(decimal(written).eq(decimal(text))).toBe(true);
        expect(jsonText(decimal(text))).toBe(written);
      }),
    );
  });
});

const jsonText = (value: Decimal): string => JSON.stringify(jsonNumber(value));

describe('writing', () => {
  it.each([
    { text: '1e60', written: `1${'0'.repeat(60)}` },
    { text: '1e-60', written: `0.${'0'.repeat(59)}1` },
    { text: '-1e-9', written: '-0.000000001' },
  ])('writes $text without an exponent', ({ text, written }) => {
    expect(plain(decimal(text))).toBe(written);
    expect(jsonText(decimal(text))).toBe(written);
  });

  it('puts usage figures into JSON as numbers with all their digits', () => {
    expect(JSON.stringify({ quantity: jsonNumber(decimal('9007199254740993')) })).toBe('{"quantity":9007199254740993}');
    expect(JSON.stringify([jsonNumber(decimal('0.10'))])).toBe('[0.1]');
  });
});

describe('arithmetic', () => {
  it('ten times 0.1 is exactly 1', () => {
    expect(sum(Array.from({ length: 10 }, () => decimal('0.1'))).eq(ONE)).toBe(true);
  });

  it('the sum of nothing is 0', () => expect(sum([]).eq(ZERO)).toBe(true));

  it('keeps the cents of sums beyond the 20 digits of the library as it comes', () => {
    expect(plain(decimal('12345678901234567890123.45').plus('0.01'))).toBe('12345678901234567890123.46');
  });

  it('multiplies 38 digits by 38 digits exactly', () => {
    const nines = 10n ** 38n - 1n;
    expect(plain(decimal(nines).times(decimal(nines)))).toBe((nines * nines).toString());
  });

  it('adds as integers do, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })), (hundredths) => {
        const total = sum(hundredths.map((value) => decimal(value).div(100)));
        expect(plain(total.times(100))).toBe(hundredths.reduce((a, b) => a + b, 0n).toString());
        expect(sum(hundredths.toReversed().map((value) => decimal(value).div(100))).eq(total)).toBe(true);
      }),
    );
  });
});

describe('exact JSON numbers', () => {
  it('knows one from other objects', () => {
    expect(isRawNumber(JSON.rawJSON('1'))).toBe(true);
    expect(isRawNumber({ rawJSON: '1' })).toBe(false);
    expect(isRawNumber(null)).toBe(false);
    expect(isRawNumber('1')).toBe(false);
  });
});
