import { describe, expect, it } from 'vitest';
import { currencyCodes, isCurrency, minorDigits } from './currency.ts';

// Counted in the published list one: its 178 codes without a date of withdrawal, less the 14 that no invoice uses
// (metals, bond units, units of account, codes for tests and for none).
describe('ISO 4217 as of 2026-01-01', () => {
  it('has 164 active codes of three capital letters, each once', () => {
    expect(currencyCodes).toHaveLength(164);
    expect(new Set(currencyCodes).size).toBe(164);
    expect(currencyCodes.every((code) => /^[A-Z]{3}$/.test(code))).toBe(true);
  });

  it.each([
    { digits: 0, codes: ['JPY', 'KRW', 'CLP', 'ISK', 'VND', 'XAF', 'XOF', 'XPF', 'UGX', 'PYG', 'UYI'], count: 17 },
    { digits: 3, codes: ['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'], count: 7 },
    { digits: 4, codes: ['CLF', 'UYW'], count: 2 },
    // Intl shows no digits for the first six, and the standard has two; MGA and MRU count in fifths, and have two.
    {
      digits: 2,
      codes: ['HUF', 'IDR', 'COP', 'PKR', 'ALL', 'MMK', 'MGA', 'MRU', 'USD', 'EUR', 'GBP', 'CNY'],
      count: 138,
    },
  ])('$count codes have $digits digits, among them $codes', ({ digits, codes, count }) => {
    for (const code of codes) expect(`${code} ${minorDigits(code)}`).toBe(`${code} ${digits}`);
    expect(currencyCodes.filter((code) => minorDigits(code) === digits)).toHaveLength(count);
  });

  it.each(['XCG', 'ZWG', 'SLE', 'VED', 'UYW', 'SSP'])('%s is in force', (code) => expect(isCurrency(code)).toBe(true));

  it.each(['HRK', 'BGN', 'ANG', 'ZWL', 'SLL', 'CUC', 'DEM', 'VEF', 'BYR', 'MRO', 'STD', 'LTL'])(
    '%s is withdrawn',
    (code) => expect(isCurrency(code)).toBe(false),
  );

  it.each([
    'XAU',
    'XAG',
    'XPT',
    'XPD',
    'XBA',
    'XDR',
    'XUA',
    'XSU',
    'XAD',
    'XTS',
    'XXX',
    'BTC',
    'usd',
    'US',
    'USDT',
    '',
    'toString',
  ])('%j is nothing to bill in', (code) => {
    expect(isCurrency(code)).toBe(false);
    expect(() => minorDigits(code)).toThrow(RangeError);
  });
});
