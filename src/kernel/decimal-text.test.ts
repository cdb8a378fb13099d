import { describe, expect, it } from 'vitest';
import { decimalTextProblem, isDecimalText } from './decimal-text.ts';

describe('a text that is no decimal string', () => {
  it.each([
    ['3e-7', 'has an exponent; write "0.0000003"'],
    ['1E3', 'has an exponent; write "1000"'],
    ['-2.5e+2', 'has an exponent; write "-250"'],
    ['1e-38', `has an exponent; write "0.${'0'.repeat(37)}1"`],
    ['1M', 'has the unit M; write "1000000"'],
    ['1.5M', 'has the unit M; write "1500000"'],
    ['1k', 'has the unit k; write "1000"'],
    ['2 B', 'has the unit B; write "2000000000"'],
    ['1_000', 'has "_" between its digits; write "1000"'],
    ["1'000'000", 'has "\'" between its digits; write "1000000"'],
    ['1 000', 'has a space between its digits; write "1000"'],
    [' 5', 'has a space around it; write "5"'],
    ['1,000.50', 'has "," between its digits; write "1000.50"'],
    ['1,00,000.5', 'has "," between its digits; write "100000.5"'],
    ['1.000,50', 'has "," between its digits; write "1000.50"'],
    ['1.000.000', 'has "." between its digits; write "1000000"'],
    ['12,5', 'has "," between its digits; write "12.5"'],
    ['1,000', 'has "," between its digits; write "1000" or "1.000"'],
    ['€5', 'has the currency €; write "5"'],
    ['5 €', 'has the currency €; write "5"'],
    ['5.00 EUR', 'has the currency EUR; write "5.00"'],
    ['USD 5', 'has the currency USD; write "5"'],
    ['$1,000.50', 'has the currency $ and "," between its digits; write "1000.50"'],
    ['€1,5k', 'has the currency € and "," between its digits and the unit k; write "1500"'],
    ['+5', 'has a "+"; write "5"'],
    ['−5', 'has the sign "−"; write "-5"'],
    ['.5', 'has a point without digits on both sides; write "0.5"'],
    ['5.', 'has a point without digits on both sides; write "5"'],
    ['1e39', 'has an exponent; write a decimal of at most 38 digits without it'],
    ['1e-39', 'has an exponent; write a decimal of at most 38 digits without it'],
    ['1e400', 'has an exponent; write a decimal of at most 38 digits without it'],
    [`${'9'.repeat(30)}M`, `has the unit M; write "${'9'.repeat(30)}000000"`],
  ])('%s %s', (text, problem) => {
    expect(isDecimalText(text)).toBe(false);
    expect(decimalTextProblem(text)).toBe(problem);
    for (const [, written = ''] of problem.matchAll(/"([\d.-]+)"(?= or |$)/g))
      expect(isDecimalText(written)).toBe(true);
  });

  it.each([
    '',
    ' ',
    'free',
    'NaN',
    'Infinity',
    '0x1f',
    '1..2',
    '1,2,3',
    '5 XYZ',
    '1e999999',
    '--5',
    '5%',
    'M',
    '1MM',
    '€',
    '9'.repeat(39),
    'null',
    '1/2',
    '１２',
    `1${',000'.repeat(2000)}x`,
  ])('%j is no number in a way that we know', (text) => {
    expect(decimalTextProblem(text)).toBeNull();
  });

  it.each(['0', '-0.10', '9'.repeat(38), `0.${'1'.repeat(38)}`])('%s is a decimal string', (text) => {
    expect(isDecimalText(text)).toBe(true);
    expect(decimalTextProblem(text)).toBeNull();
  });
});
