import { describe, expect, it } from 'vitest';
import { countryCodes, euCountryCodes } from '../kernel/country.ts';
import { plain } from '../kernel/decimal.ts';
import { STANDARD_RATES, standardRate } from './standard-rates.ts';

const rate = (country: string, day: string): string | null => {
  const found = standardRate(country, day);
  return found && plain(found);
};

describe('the standard rate of a country on a day', () => {
  it.each([
    ['EE', '2023-12-31', '20'],
    ['EE', '2024-01-01', '22'],
    ['EE', '2025-06-30', '22'],
    ['EE', '2025-07-01', '24'],
    ['SK', '2024-12-31', '20'],
    ['SK', '2025-01-01', '23'],
    ['FI', '2024-08-31', '24'],
    ['FI', '2024-09-01', '25.5'],
    ['RO', '2025-07-31', '19'],
    ['RO', '2025-08-01', '21'],
    ['CH', '2023-12-31', '7.7'],
    ['CH', '2024-01-01', '8.1'],
    ['DE', '2020-06-30', '19'],
    ['DE', '2020-12-31', '16'],
    ['DE', '2021-01-01', '19'],
    ['LU', '2023-06-01', '16'],
    ['IE', '2020-12-01', '21'],
    ['GB', '2026-01-01', '20'],
    ['NO', '2026-01-01', '25'],
    ['HU', '2026-01-01', '27'],
    ['GB', '2005-01-01', null], // before the oldest rate of the table
    ['US', '2026-01-01', null], // has no rate of the whole country
    ['toString', '2026-01-01', null],
  ])('of %s on %s is %s', (country, day, expected) => {
    expect(rate(country, day)).toBe(expected);
  });

  /** The rates of the European Commission's list. */
  it('is that of each member state in 2026', () => {
    const text =
      'AT 20, BE 21, BG 20, CY 19, CZ 21, DE 19, DK 25, EE 24, ES 21, FI 25.5, FR 20, GR 24, HR 25, HU 27, IE 23, ' +
      'IT 22, LT 21, LU 17, LV 21, MT 18, NL 21, PL 23, PT 23, RO 21, SE 25, SI 22, SK 23';
    expect(euCountryCodes.toSorted().map((country) => `${country} ${rate(country, '2026-01-01')}`)).toEqual(
      text.split(', '),
    );
  });

  it('is known for every member state of the European Union today, with the source of each', () => {
    expect(euCountryCodes).toHaveLength(27);
    for (const country of euCountryCodes) {
      const today = Number(rate(country, '2026-01-01'));
      expect(today, country).toBeGreaterThanOrEqual(15); // Article 97 of Directive 2006/112/EC
      expect(today, country).toBeLessThanOrEqual(27);
    }
    for (const { source } of Object.values(STANDARD_RATES)) expect(source).toMatch(/\w.*\.$/);
  });

  it('stands in the table by known countries, each from an older day to a newer one', () => {
    for (const [country, { rates }] of Object.entries(STANDARD_RATES)) {
      expect(countryCodes).toContain(country);
      const days = rates.map(({ from }) => from);
      expect(days).toEqual([...new Set(days)].toSorted());
      for (const day of days) expect(Temporal.PlainDate.from(day).toString()).toBe(day);
    }
  });
});
